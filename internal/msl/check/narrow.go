package check

import (
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// [dcl.init.list]: narrowing is a conversion from a floating-point to an integer type, to a smaller
// floating-point type, from an integer to a floating-point type, or to an integer type that cannot
// have all values. A constant that fits is allowed, except from floating-point to integer.

// narrowing rejects narrowing in braces: a conversion to a scalar type that may change the value,
// unless it is a constant that fits.
func (c *checker) narrowing(e typed.Expr, to types.Type) {
	b, ok := to.(*types.Basic)
	if !ok || !b.IsArithmetic() {
		return
	}
	inC := c.inC()
	switch e.(type) {
	case *badExpr, *overload, *typeOperand, *initList:
		return
	}
	from, ok := e.Type().(*types.Basic)
	if !ok || !from.IsArithmetic() || !narrower(from, b) {
		return
	}
	if inC { // which C allows, and a translation has to write
		if v, known := c.knownValue(e); !known || from.IsFloat() && b.IsInteger() || !types.Represents(v, b) {
			c.recordCast(e, Cast{To: b})
		}
		return
	}
	if v, known := c.knownValue(e); known {
		if from.IsFloat() && b.IsInteger() || !types.Represents(v, b) {
			c.errorf(diag.Narrowing, at{e.Pos()}, "constant %s does not fit in '%s' between braces", v, b)
		}
		return
	}
	if !readsBits(e) {
		c.errorf(diag.Narrowing, at{e.Pos()}, "'%s' is narrowed to '%s' between braces; a cast is needed", from, b)
	}
}

// knownValue returns the value of a constant expression.
func (c *checker) knownValue(e typed.Expr) (v types.Value, ok bool) {
	x := c.load(e)
	if k, isConst := x.(*typed.Const); isConst {
		return k.Value, true
	}
	v, err := c.constant(x, consteval.Strict)
	return v, err == nil
}

// readsBits reports whether an expression reads a bit-field, whose range is smaller than its
// type's.
func readsBits(e typed.Expr) bool {
	if l, ok := e.(*typed.Load); ok {
		e = l.X
	}
	m, ok := e.(*typed.Member)
	if !ok {
		return false
	}
	s, ok := m.X.Type().(*types.Struct)
	return ok && m.Index < len(s.Fields) && s.Fields[m.Index].IsBits
}

// narrower reports whether type to cannot represent all values of from.
func narrower(from, to *types.Basic) bool {
	switch {
	case from == to:
		return false
	case from.IsFloat() != to.IsFloat(), to == types.Bool:
		return true
	case from.IsFloat():
		return to.Size() < from.Size()
	case from.IsSigned() && !to.IsSigned():
		return true
	}
	return to.Size() < from.Size() || to.Size() == from.Size() && from.IsSigned() != to.IsSigned()
}
