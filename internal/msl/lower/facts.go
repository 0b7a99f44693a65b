package lower

import (
	"github.com/puremetal/puremetal/internal/msl/builtin"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// facts is what lowering knows of a function before it lowers it.
type facts struct {
	escapes map[*typed.Var]bool  // variables that need an address
	returns int                  // return statements
	last    bool                 // the only return statement is the last statement
	tail    map[*typed.Call]bool // calls of the function itself behind which nothing comes
}

func (m *module) factsOf(f *typed.Func) *facts {
	if x, ok := m.facts[f]; ok {
		return x
	}
	x := &facts{escapes: map[*typed.Var]bool{}}
	m.facts[f] = x
	walkStmt(f.Body, func(n any) bool {
		x.see(n)
		return true
	})
	if f.Result == types.Void {
		x.tails(f, f.Body.List)
	}
	if n := len(f.Body.List); n > 0 {
		_, x.last = f.Body.List[n-1].(*typed.Return)
		x.last = x.last && x.returns == 1
	}
	return x
}

// tails finds the calls that end a function without a result and call it itself: those are lowered as a loop.
func (x *facts) tails(f *typed.Func, list []typed.Stmt) {
	if len(list) == 0 {
		return
	}
	switch s := list[len(list)-1].(type) {
	case *typed.Block:
		x.tails(f, s.List)
	case *typed.If:
		x.tails(f, s.Then.List)
		if s.Else != nil {
			x.tails(f, s.Else.List)
		}
	case *typed.ExprStmt:
		if c, ok := s.X.(*typed.Call); ok && c.Func == f {
			if x.tail == nil {
				x.tail = map[*typed.Call]bool{}
			}
			x.tail[c] = true
		}
	}
}

func (x *facts) escape(e typed.Expr) {
	for _, v := range roots(nil, e) {
		x.escapes[v] = true
	}
}

func (x *facts) see(n any) {
	switch n := n.(type) {
	case *typed.AddrOf:
		x.escape(n.X)
	case *typed.Convert:
		if n.Kind == typed.ConvDecay {
			x.escape(n.X)
		}
	case *typed.Cond:
		if n.LValue {
			x.escape(n.X)
			x.escape(n.Y)
		}
	case *typed.Index:
		if _, isConst := n.Index.(*typed.Const); !isConst && !isVector(n.X.Type()) {
			x.escape(n.X)
		}
	case *typed.VarDecl:
		if _, ok := n.Init.(*typed.Construct); ok {
			x.escapes[n.Var] = true
		}
	case *typed.Return:
		x.returns++
	}
}

// roots appends the variables that an lvalue is a part of.
func roots(list []*typed.Var, e typed.Expr) []*typed.Var {
	switch e := e.(type) {
	case *typed.VarRef:
		return append(list, e.Var)
	case *typed.Member:
		return roots(list, e.X)
	case *typed.Index:
		return roots(list, e.X)
	case *typed.Swizzle:
		return roots(list, e.X)
	case *typed.Cond:
		return roots(roots(list, e.X), e.Y)
	case *typed.Assign:
		return roots(list, e.X)
	case *typed.CompoundAssign:
		return roots(list, e.X)
	case *typed.IncDec:
		return roots(list, e.X)
	case *typed.Comma:
		return roots(list, e.Y)
	case *typed.Deref:
		if a, ok := threadElements(e.X); ok {
			return roots(list, a.X)
		}
	}
	return list
}

// threadElements returns the address of the matrix whose elements e is the address of.
func threadElements(e typed.Expr) (*typed.AddrOf, bool) {
	b, ok := e.(*typed.Builtin)
	if !ok || b.Op != builtin.OpSimdgroupThreadElements || len(b.Args) != 1 {
		return nil, false
	}
	a, ok := b.Args[0].(*typed.AddrOf)
	return a, ok
}

// assigns returns the variables that statements and expressions assign to, each once, in the order of the text.
func (m *module) assigns(key any, nodes ...any) []*typed.Var {
	if list, ok := m.assigned[key]; ok {
		return list
	}
	var list []*typed.Var
	seen := map[*typed.Var]bool{}
	add := func(e typed.Expr) {
		for _, v := range roots(nil, e) {
			if !seen[v] {
				seen[v] = true
				list = append(list, v)
			}
		}
	}
	visit := func(n any) bool {
		switch n := n.(type) {
		case *typed.Assign:
			add(n.X)
		case *typed.CompoundAssign:
			add(n.X)
		case *typed.IncDec:
			add(n.X)
		case *typed.VarDecl: // counts only where a switch declared it before
			if !seen[n.Var] {
				seen[n.Var] = true
				list = append(list, n.Var)
			}
		case *typed.Builtin:
			for _, a := range n.Args {
				if a, ok := a.(*typed.AddrOf); ok {
					add(a.X)
				}
			}
		}
		return true
	}
	for _, n := range nodes {
		walk(n, visit)
	}
	m.assigned[key] = list
	return list
}

func walk(n any, visit func(any) bool) {
	switch n := n.(type) {
	case nil:
	case typed.Expr:
		walkExpr(n, visit)
	case typed.Stmt:
		walkStmt(n, visit)
	case []typed.Stmt:
		for _, s := range n {
			walkStmt(s, visit)
		}
	}
}

func walkStmt(s typed.Stmt, visit func(any) bool) {
	if s == nil || !visit(s) {
		return
	}
	switch s := s.(type) {
	case *typed.Block:
		walk(s.List, visit)
	case *typed.VarDecl:
		walkExpr(s.Init, visit)
	case *typed.ExprStmt:
		walkExpr(s.X, visit)
	case *typed.If:
		walkExpr(s.Cond, visit)
		walkStmt(s.Then, visit)
		if s.Else != nil {
			walkStmt(s.Else, visit)
		}
	case *typed.Loop:
		walk(s.Init, visit)
		walkExpr(s.Cond, visit)
		walkExpr(s.Post, visit)
		walkStmt(s.Body, visit)
	case *typed.Switch:
		walkExpr(s.X, visit)
		for _, c := range s.Cases {
			walk(c.Body, visit)
		}
	case *typed.Return:
		walkExpr(s.X, visit)
	}
}

// walkExpr visits an expression and what it is made of, but not the address of what is lowered as a place: that variable needs
// none.
func walkExpr(e typed.Expr, visit func(any) bool) {
	if e == nil || !visit(e) {
		return
	}
	each := func(x typed.Expr) { walkExpr(x, visit) }
	switch e := e.(type) {
	case *typed.Load:
		if c, ok := e.X.(*typed.Cond); ok { // a choice between values
			typed.Operands(c, each)
			return
		}
	case *typed.Deref:
		if b, ok := threadElements(e.X); ok {
			each(b.X)
			return
		}
	case *typed.Builtin:
		if !refBuiltin(e.Op) || e.Op == builtin.OpSimdgroupThreadElements {
			break
		}
		for _, a := range e.Args {
			if place, ok := a.(*typed.AddrOf); ok {
				a = place.X
			}
			each(a)
		}
		return
	}
	typed.Operands(e, each)
}
