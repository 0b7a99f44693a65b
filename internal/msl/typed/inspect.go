package typed

// InspectExpr calls f for an expression and everything below it.
func InspectExpr(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	f(e)
	Operands(e, func(x Expr) { InspectExpr(x, f) })
}

// Operands calls f for the direct operands of an expression, in source order. Some may be nil.
func Operands(e Expr, f func(Expr)) {
	switch e := e.(type) {
	case *Load:
		f(e.X)
	case *Const, *VarRef:
	case *Deref:
		f(e.X)
	case *AddrOf:
		f(e.X)
	case *Member:
		f(e.X)
	case *Index:
		f(e.X)
		f(e.Index)
	case *Swizzle:
		f(e.X)
	case *PtrAdd:
		f(e.X)
		f(e.N)
	case *PtrDiff:
		f(e.X)
		f(e.Y)
	case *Unary:
		f(e.X)
	case *Binary:
		f(e.X)
		f(e.Y)
	case *Logical:
		f(e.X)
		f(e.Y)
	case *Cond:
		f(e.C)
		f(e.X)
		f(e.Y)
	case *Assign:
		f(e.X)
		f(e.Y)
	case *CompoundAssign:
		f(e.X)
		f(e.Y)
	case *IncDec:
		f(e.X)
	case *Convert:
		f(e.X)
	case *Compose:
		each(e.Elems, f)
	case *Aggregate:
		each(e.Elems, f)
	case *Construct:
		each(e.Args, f)
	case *Temp:
		f(e.X)
	case *Call:
		each(e.Args, f)
	case *Builtin:
		each(e.Args, f)
	case *CallPtr:
		f(e.Fn)
		each(e.Args, f)
	case *Comma:
		f(e.X)
		f(e.Y)
	}
}

func each(list []Expr, f func(Expr)) {
	for _, x := range list {
		f(x)
	}
}

// InspectBlock calls f for every expression in a block and g, which may be nil, for every
// statement.
func InspectBlock(b *Block, f func(Expr), g func(Stmt)) {
	if b != nil {
		inspectList(b.List, f, g)
	}
}

func inspectList(list []Stmt, f func(Expr), g func(Stmt)) {
	for _, s := range list {
		if g != nil {
			g(s)
		}
		switch s := s.(type) {
		case *Block:
			InspectBlock(s, f, g)
		case *VarDecl:
			InspectExpr(s.Init, f)
		case *ExprStmt:
			InspectExpr(s.X, f)
		case *If:
			InspectExpr(s.Cond, f)
			InspectBlock(s.Then, f, g)
			InspectBlock(s.Else, f, g)
		case *Loop:
			inspectList(s.Init, f, g)
			InspectExpr(s.Cond, f)
			InspectExpr(s.Post, f)
			InspectBlock(s.Body, f, g)
		case *Switch:
			InspectExpr(s.X, f)
			for _, c := range s.Cases {
				inspectList(c.Body, f, g)
			}
		case *Return:
			InspectExpr(s.X, f)
		}
	}
}
