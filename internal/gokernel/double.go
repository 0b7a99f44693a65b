package gokernel

import (
	"go/ast"
	"go/types"
)

// asFloat reports whether a type is float64, or that of untyped constants, and is float in the
// text. It notes the line.
func (in *instance) asFloat(n ast.Node, t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	if !in.t.options.DoubleAsFloat || !ok || b.Kind() != types.Float64 && b.Kind() != types.UntypedFloat {
		return false
	}
	at := in.t.fset.Position(n.Pos())
	at.Offset, at.Column = 0, 1
	in.t.doubles[at] = true
	return true
}

// hasDouble reports whether a type has parts that are float64.
func hasDouble(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.Float64
	case *types.Array:
		return hasDouble(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if hasDouble(u.Field(i).Type()) {
				return true
			}
		}
	}
	return false
}
