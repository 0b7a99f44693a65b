package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
)

// targets returns what a statement assigns. Those of := and range are new or not.
func targets(n ast.Node) (list []ast.Expr) {
	switch n := n.(type) {
	case *ast.AssignStmt:
		return n.Lhs
	case *ast.IncDecStmt:
		return []ast.Expr{n.X}
	case *ast.RangeStmt:
		for _, x := range []ast.Expr{n.Key, n.Value} {
			if x != nil {
				list = append(list, x)
			}
		}
	}
	return list
}

// addressed returns that to which an expression makes a pointer, or nil: with &, or by calling a
// method that has a pointer.
func (p *pkg) addressed(n ast.Node) ast.Expr {
	switch n := n.(type) {
	case *ast.UnaryExpr:
		if n.Op == token.AND {
			return n.X
		}
	case *ast.SelectorExpr:
		if s := p.info.Selections[n]; s != nil && s.Kind() == types.MethodVal {
			if isPointer(s.Obj().Type().(*types.Signature).Recv().Type()) {
				return n.X
			}
		}
	}
	return nil
}

// changed calls f with the variables that statements within a node assign, or parts of them. F
// returns whether to go on.
func (in *instance) changed(n ast.Node, f func(types.Object) bool) {
	more := true
	ast.Inspect(n, func(n ast.Node) bool {
		for _, x := range targets(n) {
			if id := in.root(x); id != nil && more {
				more = f(in.object(id))
			}
		}
		return more
	})
}

// assigns reports whether a statement assigns a variable.
func (in *instance) assigns(n ast.Node, v types.Object) (found bool) {
	in.changed(n, func(o types.Object) bool {
		found = o == v
		return !found
	})
	return found
}

// assignedIn forgets what is known of the variables that statements assign: they are the body of a
// loop, or a branch that has been left. Volatile variables have no facts.
func (in *instance) assignedIn(nodes ...ast.Node) {
	for _, n := range nodes {
		if n != nil {
			in.changed(n, func(o types.Object) bool {
				in.facts.kill(o)
				return true
			})
		}
	}
}

// assigned returns the variables that are assigned after they are declared, or have pointers to
// them.
func (in *instance) assigned() map[types.Object]bool {
	set := map[types.Object]bool{}
	ast.Inspect(in.decl.Body, func(n ast.Node) bool {
		list := targets(n)
		if x := in.pkg.addressed(n); x != nil {
			list = []ast.Expr{x}
		}
		for _, x := range list {
			if id := in.root(x); id != nil {
				set[in.pkg.info.Uses[id]] = true
			}
		}
		return true
	})
	return set
}

// findVolatile finds the variables that have pointers to them, and those around a function literal
// or the body of a range over a function that it assigns.
func (in *instance) findVolatile() {
	ast.Inspect(in.decl.Body, func(n ast.Node) bool {
		_, literal := n.(*ast.FuncLit)
		if s, ok := n.(*ast.RangeStmt); literal || ok && in.isFunction(s.X) {
			in.changed(n, func(o types.Object) bool {
				in.volatile[o] = in.volatile[o] || !within(o, n)
				return true
			})
		}
		if x := in.pkg.addressed(n); x != nil {
			if id := in.root(x); id != nil {
				in.volatile[in.object(id)] = true
			}
		}
		return true
	})
}
