package tensor

import "fmt"

// Functions of one argument. Those without a remark take floating-point numbers.

// Neg computes -x, for numbers.
func (s *Scope) Neg(x *Tensor) *Tensor { return s.unary("neg", x) }

// Abs computes the absolute value, for numbers. That of the least integer is the least integer.
func (s *Scope) Abs(x *Tensor) *Tensor { return s.unary("abs", x) }

// Sign computes -1, 0 or 1 by the sign of a number. Of NaN it is 0.
func (s *Scope) Sign(x *Tensor) *Tensor { return s.unary("sign", x) }

// Square computes x x, for numbers.
func (s *Scope) Square(x *Tensor) *Tensor { return s.unary("square", x) }

// Reciprocal computes 1 / x, for floating-point numbers.
func (s *Scope) Reciprocal(x *Tensor) *Tensor { return s.unary("reciprocal", x) }

// Ceil computes the least whole number that is not below x.
func (s *Scope) Ceil(x *Tensor) *Tensor { return s.unary("ceil", x) }

// Floor computes the largest whole number that is not above x.
func (s *Scope) Floor(x *Tensor) *Tensor { return s.unary("floor", x) }

// Round computes the nearest whole number, ties away from zero.
func (s *Scope) Round(x *Tensor) *Tensor { return s.unary("round", x) }

// RoundEven computes the nearest whole number, ties to even.
func (s *Scope) RoundEven(x *Tensor) *Tensor { return s.unary("rint", x) }

// Trunc computes x without its fraction.
func (s *Scope) Trunc(x *Tensor) *Tensor { return s.unary("trunc", x) }

// Sqrt computes the square root.
func (s *Scope) Sqrt(x *Tensor) *Tensor { return s.unary("sqrt", x) }

// Rsqrt computes 1 / sqrt(x).
func (s *Scope) Rsqrt(x *Tensor) *Tensor { return s.unary("rsqrt", x) }

// Exp computes e^x.
func (s *Scope) Exp(x *Tensor) *Tensor { return s.unary("exp", x) }

// Exp2 computes 2^x.
func (s *Scope) Exp2(x *Tensor) *Tensor { return s.unary("exp2", x) }

// Exp10 computes 10^x.
func (s *Scope) Exp10(x *Tensor) *Tensor { return s.unary("exp10", x) }

// Expm1 computes e^x - 1, accurate near 0.
func (s *Scope) Expm1(x *Tensor) *Tensor { return s.unary("expm1", x) }

// Log computes the natural logarithm.
func (s *Scope) Log(x *Tensor) *Tensor { return s.unary("log", x) }

// Log2 computes the logarithm to base 2.
func (s *Scope) Log2(x *Tensor) *Tensor { return s.unary("log2", x) }

// Log10 computes the logarithm to base 10.
func (s *Scope) Log10(x *Tensor) *Tensor { return s.unary("log10", x) }

// Log1p computes log(1 + x), accurate near 0.
func (s *Scope) Log1p(x *Tensor) *Tensor { return s.unary("log1p", x) }

// Sin computes the sine of x radians.
func (s *Scope) Sin(x *Tensor) *Tensor { return s.unary("sin", x) }

// Cos computes the cosine of x radians.
func (s *Scope) Cos(x *Tensor) *Tensor { return s.unary("cos", x) }

// Tan computes the tangent of x radians.
func (s *Scope) Tan(x *Tensor) *Tensor { return s.unary("tan", x) }

// Asin computes the arcsine in radians.
func (s *Scope) Asin(x *Tensor) *Tensor { return s.unary("asin", x) }

// Acos computes the arccosine in radians.
func (s *Scope) Acos(x *Tensor) *Tensor { return s.unary("acos", x) }

// Atan computes the arctangent in radians.
func (s *Scope) Atan(x *Tensor) *Tensor { return s.unary("atan", x) }

// Sinh computes the hyperbolic sine.
func (s *Scope) Sinh(x *Tensor) *Tensor { return s.unary("sinh", x) }

// Cosh computes the hyperbolic cosine.
func (s *Scope) Cosh(x *Tensor) *Tensor { return s.unary("cosh", x) }

// Tanh computes the hyperbolic tangent.
func (s *Scope) Tanh(x *Tensor) *Tensor { return s.unary("tanh", x) }

// Asinh computes the inverse hyperbolic sine.
func (s *Scope) Asinh(x *Tensor) *Tensor { return s.unary("asinh", x) }

// Acosh computes the inverse hyperbolic cosine.
func (s *Scope) Acosh(x *Tensor) *Tensor { return s.unary("acosh", x) }

// Atanh computes the inverse hyperbolic tangent.
func (s *Scope) Atanh(x *Tensor) *Tensor { return s.unary("atanh", x) }

// Erf computes the error function.
func (s *Scope) Erf(x *Tensor) *Tensor { return s.unary("erf", x) }

// Not computes a Bool: whether x is 0 or false.
func (s *Scope) Not(x *Tensor) *Tensor { return s.unary("not", x) }

// BitNot computes the complement of an integer's bits.
func (s *Scope) BitNot(x *Tensor) *Tensor { return s.unary("bit_not", x) }

// PopCount computes the number of an integer's bits that are 1.
func (s *Scope) PopCount(x *Tensor) *Tensor { return s.unary("popcount", x) }

// IsNaN computes a Bool: whether x is NaN.
func (s *Scope) IsNaN(x *Tensor) *Tensor { return s.unary("is_nan", x) }

// IsInf computes a Bool: whether x is an infinity.
func (s *Scope) IsInf(x *Tensor) *Tensor { return s.unary("is_inf", x) }

// IsFinite computes a Bool: whether x is neither an infinity nor NaN.
func (s *Scope) IsFinite(x *Tensor) *Tensor { return s.unary("is_finite", x) }

// Arithmetic on two operands, for numbers.

// Add computes a + b.
func (s *Scope) Add(a, b *Tensor) *Tensor { return s.binary("add", a, b) }

// Sub computes a - b.
func (s *Scope) Sub(a, b *Tensor) *Tensor { return s.binary("sub", a, b) }

// Mul computes a b.
func (s *Scope) Mul(a, b *Tensor) *Tensor { return s.binary("mul", a, b) }

// Div computes a / b. Integers are rounded toward zero, and a division by zero gives 0.
func (s *Scope) Div(a, b *Tensor) *Tensor { return s.binary("div", a, b) }

// FloorDiv computes a / b rounded down. Of integers, a division by zero gives 0.
func (s *Scope) FloorDiv(a, b *Tensor) *Tensor { return s.binary("floor_div", a, b) }

// Mod computes the remainder of a / b with the sign of a. Of integers, that of a division by zero
// is 0.
func (s *Scope) Mod(a, b *Tensor) *Tensor { return s.binary("mod", a, b) }

// FloorMod computes the remainder of a / b with the sign of b. Of integers, that of a division by
// zero is 0.
func (s *Scope) FloorMod(a, b *Tensor) *Tensor { return s.binary("floor_mod", a, b) }

// Pow computes a^b. Of integers, a negative b gives 1, -1 or 0.
func (s *Scope) Pow(a, b *Tensor) *Tensor { return s.binary("pow", a, b) }

// Atan2 computes the angle of the point (b, a) in radians, for floating-point numbers.
func (s *Scope) Atan2(a, b *Tensor) *Tensor { return s.binary("atan2", a, b) }

// CopySign computes |a| with the sign of b, for floating-point numbers.
func (s *Scope) CopySign(a, b *Tensor) *Tensor { return s.binary("copysign", a, b) }

// Min computes the smaller one of a and b; NaN if one is NaN.
func (s *Scope) Min(a, b *Tensor) *Tensor { return s.binary("min", a, b) }

// Max computes the larger one of a and b; NaN if one is NaN.
func (s *Scope) Max(a, b *Tensor) *Tensor { return s.binary("max", a, b) }

// Comparison and logic give a Bool.

// Equal computes a == b, for all types; the result is a Bool.
func (s *Scope) Equal(a, b *Tensor) *Tensor { return s.binary("equal", a, b) }

// NotEqual computes a != b, for all types; the result is a Bool.
func (s *Scope) NotEqual(a, b *Tensor) *Tensor { return s.binary("not_equal", a, b) }

// Less computes a < b; the result is a Bool.
func (s *Scope) Less(a, b *Tensor) *Tensor { return s.binary("less", a, b) }

// LessEqual computes a <= b; the result is a Bool.
func (s *Scope) LessEqual(a, b *Tensor) *Tensor { return s.binary("less_equal", a, b) }

// Greater computes a > b; the result is a Bool.
func (s *Scope) Greater(a, b *Tensor) *Tensor { return s.binary("greater", a, b) }

// GreaterEqual computes a >= b; the result is a Bool.
func (s *Scope) GreaterEqual(a, b *Tensor) *Tensor { return s.binary("greater_equal", a, b) }

// And computes a && b, for all types; anything but 0 is true; the result is a Bool.
func (s *Scope) And(a, b *Tensor) *Tensor { return s.binary("and", a, b) }

// Or computes a || b, for all types; the result is a Bool.
func (s *Scope) Or(a, b *Tensor) *Tensor { return s.binary("or", a, b) }

// Xor computes whether one of a and b is true, for all types; the result is a Bool.
func (s *Scope) Xor(a, b *Tensor) *Tensor { return s.binary("xor", a, b) }

// Operations on bits.

// BitAnd computes a & b, for integers and Bool.
func (s *Scope) BitAnd(a, b *Tensor) *Tensor { return s.binary("bit_and", a, b) }

// BitOr computes a | b, for integers and Bool.
func (s *Scope) BitOr(a, b *Tensor) *Tensor { return s.binary("bit_or", a, b) }

// BitXor computes a ^ b, for integers and Bool.
func (s *Scope) BitXor(a, b *Tensor) *Tensor { return s.binary("bit_xor", a, b) }

// ShiftLeft computes a << b, for integers. A shift by the type's width or more gives 0.
func (s *Scope) ShiftLeft(a, b *Tensor) *Tensor { return s.binary("shift_left", a, b) }

// ShiftRight computes a >> b, for integers, with copies of the sign.
func (s *Scope) ShiftRight(a, b *Tensor) *Tensor { return s.binary("shift_right", a, b) }

// Where takes elements of a where cond, a Bool, is true, and else those of b. The operands are
// broadcast together.
func (s *Scope) Where(cond, a, b *Tensor) *Tensor {
	if f, ok := s.begin("where", cond, a, b); !ok {
		return f
	}
	if cond.Type() != Bool {
		return s.fail("where", []*Tensor{cond, a, b}, fmt.Errorf("the condition is not a bool tensor: %w", ErrType))
	}
	if a.number != nil && b.number != nil {
		return s.fail("where", []*Tensor{cond, a, b}, fmt.Errorf("a or b must have an element type: %w", ErrType))
	}
	return s.elementwise("select", []*Tensor{cond, a, b})
}

// Clamp computes min(max(x, low), high), for numbers; NaN stays NaN. Bounds may be a [Scalar].
func (s *Scope) Clamp(x, low, high *Tensor) *Tensor {
	return s.elementwise("clamp", []*Tensor{x, low, high})
}

// FMA computes a b + c; floating-point numbers are rounded once.
func (s *Scope) FMA(a, b, c *Tensor) *Tensor { return s.elementwise("fma", []*Tensor{a, b, c}) }
