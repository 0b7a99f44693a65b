package check

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/msl/ast"
	"github.com/puremetal/puremetal/internal/msl/consteval"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/typed"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// These warnings follow clang's rules for the same groups; the "as clang" programs in
// testdata/msl/warnings were compared with clang 19.

// changed warns about a constant whose value an implicit conversion changes.
func (c *checker) changed(e typed.Expr, to types.Type) {
	target, ok := to.(*types.Basic)
	if !ok || target.Kind() == types.BoolKind || c.trap != nil || c.inPrelude || c.inTemplateInstance() {
		return
	}
	source, ok := e.Type().(*types.Basic)
	if !ok || source == target || !source.IsArithmetic() || source.Kind() == types.BoolKind {
		return
	}
	v, ok := c.known(e)
	if !ok {
		if source.IsFloat() && target.IsInteger() {
			c.warnf(diag.FloatToInteger, at{e.Pos()}, "implicit conversion turns '%s' into integer '%s'", source,
				target)
		}
		return
	}
	w, err := types.Convert(v, target)
	if err != nil {
		return
	}
	code := diag.Code("")
	switch {
	case source.IsFloat() && target.IsInteger():
		if n, ok := w.Int(); !ok || float64(n) != v.Float() {
			code = diag.LiteralConversion
		}
	case source.IsInteger() && target.IsFloat():
		if back, err := types.Convert(w, source); err != nil || back.Bits() != v.Bits() {
			code = diag.IntegerToFloat
		}
	case source.IsInteger() && target.IsInteger():
		if !fits(v, source, target) {
			code = diag.ConstantConversion
		}
	}
	if code != "" {
		c.warnf(code, at{e.Pos()}, "implicit conversion from '%s' to '%s' changes value from %s to %s", source, target,
			v, w)
	}
}

// known returns the value of a scalar constant. To stay cheap, it evaluates only constant
// variables, and constants with one operator in front, of expressions that are not folded yet.
func (c *checker) known(e typed.Expr) (types.Value, bool) {
	switch x := e.(type) {
	case *typed.Const:
		return x.Value, x.Value.Scalar() != nil
	case *typed.Unary:
		if _, ok := x.X.(*typed.Const); !ok {
			return types.Value{}, false
		}
	case *typed.Load:
		if !x.X.Base().Const {
			return types.Value{}, false
		}
	default:
		return types.Value{}, false
	}
	v, err := c.constant(e, consteval.Wrapping)
	return v, err == nil && v.Scalar() != nil
}

// fits reports whether the significant bits of an integer fit in a type. A negative number may
// become a large unsigned one: that is how masks are written.
func fits(v types.Value, source, target *types.Basic) bool {
	if n, ok := v.Int(); ok && source.IsSigned() && n < 0 {
		return bits.Len64(uint64(^n))+1 <= target.Bits()
	}
	room := target.Bits()
	if source.IsSigned() && target.IsSigned() {
		room-- // an unsigned constant may be meant as a mask
	}
	return bits.Len64(v.Bits()) <= room
}

// compared warns about comparisons of two integers that do not do what they say: of different
// signs, or with a constant outside the range of the other's type. a and b have not been converted
// to common yet.
func (c *checker) compared(op types.Op, a, b typed.Expr, common types.Type, n ast.Node) {
	if !op.IsComparison() || c.trap != nil || c.inPrelude || c.inTemplateInstance() {
		return
	}
	ta, tb := integer(a), integer(b)
	of, _ := common.(*types.Basic)
	if ta == nil || tb == nil || of == nil {
		return
	}
	ka, okA := c.known(a)
	kb, okB := c.known(b)
	switch {
	case okA && okB:
	case okB && c.unreached(op, kb, ta, of, n):
	case okA && c.unreached(op.Swapped(), ka, tb, of, n):
	default:
		c.differentSigns(op, a, b, n)
	}
}

// integer returns a scalar integer's type, or nil.
func integer(e typed.Expr) *types.Basic {
	if t, ok := e.Type().(*types.Basic); ok && t.IsInteger() {
		return t
	}
	return nil
}

// unreached warns about a comparison x op k where k is outside the range of x's type.
func (c *checker) unreached(op types.Op, k types.Value, x, common *types.Basic, n ast.Node) bool {
	if x.Bits() >= common.Bits() {
		return false
	}
	v, err := types.Convert(k, common)
	if err != nil {
		return false
	}
	low, high := int64(0), int64(1)<<x.Bits()-1
	if x.IsSigned() {
		low, high = -(int64(1) << (x.Bits() - 1)), int64(1)<<(x.Bits()-1)-1
	}
	if x.Kind() == types.BoolKind {
		high = 1
	}
	number, ok := v.Int()
	above := !ok || number > high // a constant that does not fit in int64 is large
	if !above && number >= low || !common.IsSigned() && x.IsSigned() {
		return false
	}
	always := false
	switch op {
	case types.Lt, types.Le:
		always = above
	case types.Gt, types.Ge:
		always = !above
	case types.Ne:
		always = true
	}
	c.warnf(diag.OutOfRangeCompare, n, "comparison of constant %s with expression of type '%s' is always %t", k, x,
		always)
	return true
}

// differentSigns warns about a comparison that turns a possibly negative number into an unsigned
// one.
func (c *checker) differentSigns(op types.Op, a, b typed.Expr, n ast.Node) {
	ta, tb := integer(a), integer(b)
	pa, pb := types.PromoteScalar(ta), types.PromoteScalar(tb)
	signed, unsigned := a, b
	switch {
	case pa.IsSigned() == pb.IsSigned():
		return
	case pb.IsSigned():
		signed, unsigned = b, a
		pa, pb = pb, pa
	}
	if _, constant := c.known(signed); constant || pa.Bits() > pb.Bits() || c.notNegative(signed) {
		return // a negative constant is intended
	}
	if k, ok := c.known(unsigned); ok && (op == types.Eq || op == types.Ne) &&
		bits.Len64(k.Bits()) < pa.Bits() {
		return // no negative number converts to this constant
	}
	c.warnf(diag.SignCompare, n, "comparison of integers of different signs: '%s' and '%s'", ta, tb)
}

// notNegative reports whether an integer is known not to be negative.
func (c *checker) notNegative(e typed.Expr) bool {
	if v, ok := c.known(e); ok {
		n, ok := v.Int()
		return !ok || n >= 0
	}
	if t := integer(e); t == nil || !t.IsSigned() {
		return true
	}
	switch x := e.(type) {
	case *typed.Convert:
		t := integer(x.X)
		return t != nil && t.Bits() < integer(e).Bits() && c.notNegative(x.X)
	case *typed.Binary:
		switch x.Op {
		case types.And:
			return c.notNegative(x.X) || c.notNegative(x.Y)
		case types.Or, types.Xor, types.Div, types.Rem:
			return c.notNegative(x.X) && c.notNegative(x.Y)
		case types.Shr:
			return c.notNegative(x.X)
		}
	}
	return false
}

// selfCompared warns about x == x for integers. For floats it is a test for NaN.
func (c *checker) selfCompared(op types.Op, x *ast.BinaryExpr, a typed.Expr) {
	if k, ok := a.(*typed.Const); ok && k != nil {
		return // a literal compared with itself comes from a macro
	}
	if !op.IsComparison() || integer(a) == nil || c.trap != nil || c.inTemplateInstance() || !sameSimple(x.X, x.Y) {
		return
	}
	always := op == types.Eq || op == types.Le || op == types.Ge
	c.warnf(diag.SelfCompare, at{x.OpPos}, "self-comparison always evaluates to %t", always)
}

// sameSimple reports whether two expressions are the same variable, member or element, spelled
// identically.
func sameSimple(x, y ast.Expr) bool {
	switch x := x.(type) {
	case *ast.ParenExpr:
		return sameSimple(x.X, y)
	case *ast.NameExpr:
		y, ok := y.(*ast.NameExpr)
		return ok && x.Name.Simple() != "" && x.Name.Simple() == y.Name.Simple()
	case *ast.MemberExpr:
		y, ok := y.(*ast.MemberExpr)
		return ok && x.Name.Simple() != "" && x.Name.Simple() == y.Name.Simple() && sameSimple(x.X, y.X)
	case *ast.IndexExpr:
		y, ok := y.(*ast.IndexExpr)
		return ok && sameSimple(x.X, y.X) && sameSimple(x.Index, y.Index)
	case *ast.IntLit:
		y, ok := y.(*ast.IntLit)
		return ok && x.Text == y.Text
	}
	return false
}
