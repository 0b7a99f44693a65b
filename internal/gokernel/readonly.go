package gokernel

import (
	"go/ast"
	"go/token"
	"go/types"
)

// readOnly reports whether the function only reads the elements of a slice: each use of it is its
// length, a range over it, or an element as a value. So a launch need not wait for others that read
// the same buffer.
func (in *instance) readOnly(slice types.Object) bool {
	var around []ast.Node
	only := true
	ast.Inspect(in.decl.Body, func(n ast.Node) bool {
		if n == nil {
			around = around[:len(around)-1]
			return true
		}
		if id, ok := n.(*ast.Ident); ok && in.pkg.info.Uses[id] == slice {
			only = only && in.reads(id, around)
		}
		around = append(around, n)
		return true
	})
	return only
}

// reads reports whether a slice is only read where it is named, within the nodes around it, the
// innermost last.
func (in *instance) reads(slice *ast.Ident, around []ast.Node) bool {
	var x ast.Expr = slice
	for i := len(around) - 1; i >= 0; i-- {
		switch p := around[i].(type) {
		case *ast.ParenExpr:
			x = p
			continue
		case *ast.IndexExpr:
			if p.X == x {
				x = p // an element, or one of an element that is an array
				continue
			}
		case *ast.SelectorExpr:
			sel := in.pkg.info.Selections[p]
			if sel == nil {
				return false
			}
			if f, ok := sel.Obj().(*types.Func); ok { // a method of a copy
				return !isPointer(f.Signature().Recv().Type())
			}
			x = p
			continue
		case *ast.CallExpr:
			return x != slice && p.Fun != x || in.isBuiltin(p.Fun, "len")
		case *ast.RangeStmt:
			return p.X == x
		case *ast.AssignStmt:
			for _, l := range p.Lhs {
				if l == x {
					return false
				}
			}
		case *ast.UnaryExpr:
			return p.Op != token.AND && x != slice
		case *ast.IncDecStmt, *ast.SliceExpr, *ast.StarExpr:
			return false
		}
		return x != slice
	}
	return false
}
