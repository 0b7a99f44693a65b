package ir

import (
	"cmp"
	"go/token"
	"math"
	"math/big"
)

// condKind is the kind of a value in a condition.
type condKind uint8

const (
	condBool condKind = iota
	condInt
	condUint
	condFloat
)

var condKindNames = [...]string{"truth value", "signed integer", "unsigned integer", "floating-point number"}

func (k condKind) String() string { return condKindNames[k] }

// condValue is a value in a condition.
type condValue struct {
	kind  condKind
	bits  uint64  // of an integer, extended to 64 bits; 0 or 1 for a truth value
	float float64 // represents every f16, bf16 and f32 value exactly
}

// condType is a type of function constants and of values in a condition.
type condType struct {
	kind condKind
	bits int
	ir   Kind // for floating-point numbers
}

// condTypeOf returns the type of a name.
func condTypeOf(name string) (t condType, ok bool) {
	switch name {
	case "bool":
		return condType{condBool, 1, I1}, true
	case "i8":
		return condType{condInt, 8, I8}, true
	case "i16":
		return condType{condInt, 16, I16}, true
	case "i32":
		return condType{condInt, 32, I32}, true
	case "i64":
		return condType{condInt, 64, I64}, true
	case "u8":
		return condType{condUint, 8, I8}, true
	case "u16":
		return condType{condUint, 16, I16}, true
	case "u32":
		return condType{condUint, 32, I32}, true
	case "u64":
		return condType{condUint, 64, I64}, true
	case "f16":
		return condType{condFloat, 16, F16}, true
	case "bf16":
		return condType{condFloat, 16, BF16}, true
	case "f32":
		return condType{condFloat, 32, F32}, true
	}
	return condType{}, false
}

func condBoolean(b bool) condValue {
	if b {
		return condValue{bits: 1}
	}
	return condValue{}
}

func (v condValue) truth() bool {
	if v.kind == condFloat {
		return v.float != 0
	}
	return v.bits != 0
}

// read returns the value that the bits in memory encode.
func (t condType) read(bits uint64) condValue {
	switch t.kind {
	case condBool:
		return condBoolean(bits&0xff != 0)
	case condFloat:
		return condValue{kind: condFloat, float: BitsFloat(t.ir, bits&(1<<t.bits-1))}
	}
	return t.wrap(bits)
}

// wrap truncates an integer to the type's width.
func (t condType) wrap(bits uint64) condValue {
	unused := 64 - t.bits
	if t.kind == condInt {
		return condValue{kind: condInt, bits: uint64(int64(bits) << unused >> unused)}
	}
	return condValue{kind: condUint, bits: bits << unused >> unused}
}

// convert converts a value to the type: integers wrap, and floating-point numbers convert to
// integers by rounding toward zero and saturating.
func (t condType) convert(v condValue) condValue {
	switch {
	case t.kind == condBool:
		return condBoolean(v.truth())
	case t.kind == condFloat:
		return condValue{kind: condFloat, float: t.round(v)}
	case v.kind == condFloat:
		return t.saturate(v.float)
	}
	return t.wrap(v.bits)
}

// round rounds a value to the nearest number of a floating-point type.
func (t condType) round(v condValue) float64 {
	digits := uint(24)
	switch t.ir {
	case F16:
		digits = 11
	case BF16:
		digits = 8
	}
	x := v.float
	switch v.kind { // integers are rounded once, to the type's precision
	case condInt:
		x, _ = new(big.Float).SetPrec(digits).SetInt64(int64(v.bits)).Float64()
	case condBool, condUint:
		x, _ = new(big.Float).SetPrec(digits).SetUint64(v.bits).Float64()
	}
	return BitsFloat(t.ir, FloatBits(t.ir, x))
}

// saturate clamps a number to an integer type's range and truncates it.
func (t condType) saturate(x float64) condValue {
	low, high := 0.0, math.Ldexp(1, t.bits)
	if t.kind == condInt {
		low, high = -high/2, high/2
	}
	switch {
	case math.IsNaN(x):
		return condValue{kind: t.kind}
	case x <= low && t.kind == condInt:
		return t.wrap(1 << (t.bits - 1))
	case x <= low:
		return condValue{kind: t.kind}
	case x >= high && t.kind == condInt:
		return t.wrap(1<<(t.bits-1) - 1)
	case x >= high:
		return t.wrap(math.MaxUint64)
	case t.kind == condInt:
		return t.wrap(uint64(int64(x)))
	}
	return t.wrap(uint64(x))
}

func unaryFits(op token.Token, k condKind) bool {
	switch op {
	case token.NOT:
		return k == condBool
	case token.SUB, token.ADD:
		return k != condBool
	case token.XOR:
		return k == condInt || k == condUint
	}
	return false
}

func (v condValue) unary(op token.Token) condValue {
	switch op {
	case token.NOT:
		return condBoolean(!v.truth())
	case token.SUB:
		v.bits, v.float = -v.bits, -v.float
	case token.XOR:
		v.bits = ^v.bits
	}
	return v
}

// binaryKind returns the kind of an operator's result, or false if it does not apply to these
// operands.
func binaryKind(op token.Token, x, y condKind) (condKind, bool) {
	integers := (x == condInt || x == condUint) && (y == condInt || y == condUint)
	switch op {
	case token.EQL, token.NEQ:
		return condBool, x == y
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		return condBool, x == y && x != condBool
	case token.ADD, token.SUB, token.MUL, token.QUO:
		return x, x == y && x != condBool
	case token.REM, token.AND, token.OR, token.XOR:
		return x, x == y && integers
	case token.SHL, token.SHR:
		return x, integers
	}
	return 0, false
}

func (v condValue) binary(op token.Token, w condValue) condValue {
	switch op {
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		return condBoolean(v.compare(op, w))
	}
	if v.kind == condFloat {
		v.float = floatOp(op, v.float, w.float)
	} else {
		v.bits = integerOp(op, v.kind == condInt, v.bits, w.bits)
	}
	return v
}

func (v condValue) compare(op token.Token, w condValue) bool {
	if v.kind == condFloat && (math.IsNaN(v.float) || math.IsNaN(w.float)) {
		return op == token.NEQ
	}
	order := 0
	switch v.kind {
	case condFloat:
		order = cmp.Compare(v.float, w.float)
	case condInt:
		order = cmp.Compare(int64(v.bits), int64(w.bits))
	default:
		order = cmp.Compare(v.bits, w.bits)
	}
	switch op {
	case token.EQL:
		return order == 0
	case token.NEQ:
		return order != 0
	case token.LSS:
		return order < 0
	case token.LEQ:
		return order <= 0
	case token.GTR:
		return order > 0
	}
	return order >= 0
}

// floatOp and the conversion that follows round twice, which gives the same result as rounding once
// for numbers of at most 24 bits of precision.
func floatOp(op token.Token, x, y float64) float64 {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	}
	return x / y
}

func integerOp(op token.Token, signed bool, x, y uint64) uint64 {
	switch op {
	case token.ADD:
		return x + y
	case token.SUB:
		return x - y
	case token.MUL:
		return x * y
	case token.AND:
		return x & y
	case token.OR:
		return x | y
	case token.XOR:
		return x ^ y
	case token.SHL:
		return x << (y & 63)
	case token.SHR:
		if signed {
			return uint64(int64(x) >> (y & 63))
		}
		return x >> (y & 63)
	}
	divides := op == token.QUO
	switch {
	case y == 0 && divides:
		return 0
	case y == 0:
		return x
	case signed && divides:
		return uint64(int64(x) / int64(y))
	case signed:
		return uint64(int64(x) % int64(y))
	case divides:
		return x / y
	}
	return x % y
}
