package typed

// InspectExpr calls f for an expression and everything below it.
func InspectExpr(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	f(e)
	all := func(list ...Expr) {
		for _, x := range list {
			InspectExpr(x, f)
		}
	}
	switch e := e.(type) {
	case *Load:
		all(e.X)
	case *Deref:
		all(e.X)
	case *AddrOf:
		all(e.X)
	case *Member:
		all(e.X)
	case *Index:
		all(e.X, e.Index)
	case *Swizzle:
		all(e.X)
	case *PtrAdd:
		all(e.X, e.N)
	case *PtrDiff:
		all(e.X, e.Y)
	case *Unary:
		all(e.X)
	case *Binary:
		all(e.X, e.Y)
	case *Logical:
		all(e.X, e.Y)
	case *Cond:
		all(e.C, e.X, e.Y)
	case *Assign:
		all(e.X, e.Y)
	case *CompoundAssign:
		all(e.X, e.Y)
	case *IncDec:
		all(e.X)
	case *Convert:
		all(e.X)
	case *Compose:
		all(e.Elems...)
	case *Aggregate:
		all(e.Elems...)
	case *Construct:
		all(e.Args...)
	case *Temp:
		all(e.X)
	case *Call:
		all(e.Args...)
	case *Builtin:
		all(e.Args...)
	case *CallPtr:
		all(e.Fn)
		all(e.Args...)
	case *Comma:
		all(e.X, e.Y)
	}
}

// InspectBlock calls f for every expression of a block and g, which may be nil, for every statement.
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
