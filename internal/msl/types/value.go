package types

// Value is a constant: a scalar given by its bits; a vector, matrix (columns), array or record by
// its elements; a function or address by what it refers to. The zero Value is not a constant.
type Value struct {
	Type  Type
	Elems []Value
	// Ref is the target of a constant pointer, reference or function; nil for a null pointer.
	// Offset is in bytes.
	Ref    any
	Offset int64

	bits uint64 // integers in two's complement of their width, floats in their own format
}

// IsValid reports whether v is a constant.
func (v Value) IsValid() bool { return v.Type != nil }

// IntValue returns a constant of a scalar type: n truncated to an integer type or rounded to a
// float type.
func IntValue(t *Basic, n int64) Value {
	if t.IsFloat() {
		return Value{Type: t, bits: floatFromInt(t.kind, n < 0, magnitude(n))}
	}
	return Value{Type: t, bits: truncate(t, uint64(n))}
}

// UintValue returns a constant of a scalar type from an unsigned integer, converted like IntValue.
func UintValue(t *Basic, n uint64) Value {
	if t.IsFloat() {
		return Value{Type: t, bits: floatFromInt(t.kind, false, n)}
	}
	return Value{Type: t, bits: truncate(t, n)}
}

// BoolValue returns true or false.
func BoolValue(b bool) Value {
	if b {
		return Value{Type: Bool, bits: 1}
	}
	return Value{Type: Bool}
}

// FloatValue returns the constant of a floating-point type nearest to f, ties to even.
func FloatValue(t *Basic, f float64) Value { return Value{Type: t, bits: RoundFloat(t.kind, f)} }

// BitsValue returns the scalar constant with the given bits.
func BitsValue(t *Basic, bits uint64) Value { return Value{Type: t, bits: truncate(t, bits)} }

// EnumValue returns the enum constant with the given integer value.
func EnumValue(e *Enum, n int64) Value {
	return Value{Type: e, bits: truncate(e.Underlying, uint64(n))}
}

// RefValue returns a constant address or function.
func RefValue(t Type, ref any) Value { return Value{Type: t, Ref: ref} }

// NullValue returns the null value of a pointer type or of nullptr_t.
func NullValue(t Type) Value { return Value{Type: t} }

// Aggregate returns a vector, matrix, array or record with the given elements.
func Aggregate(t Type, elems []Value) Value { return Value{Type: t, Elems: elems} }

// Scalar returns v's scalar type, the underlying type for an enum, or nil for other types.
func (v Value) Scalar() *Basic { return ScalarOf(v.Type) }

// ScalarOf returns t if it is a scalar, the underlying type of an enum, and nil for other types.
func ScalarOf(t Type) *Basic {
	switch t := t.(type) {
	case *Basic:
		return t
	case *Enum:
		return t.Underlying
	}
	return nil
}

// Bits returns a scalar's bits, in the width of its type.
func (v Value) Bits() uint64 { return v.bits }

// Int returns an integer's value, sign-extended. ok is false if v is not an integer or does not
// fit.
func (v Value) Int() (n int64, ok bool) {
	b := v.Scalar()
	if b == nil || !b.IsInteger() {
		return 0, false
	}
	n = signExtend(b, v.bits)
	return n, b.IsSigned() || n >= 0
}

// Uint returns an integer's value. ok is false if v is not an integer or is negative.
func (v Value) Uint() (n uint64, ok bool) {
	b := v.Scalar()
	if b == nil || !b.IsInteger() {
		return 0, false
	}
	return v.bits, !b.IsSigned() || signExtend(b, v.bits) >= 0
}

// Float returns a number as a float64: exact for floating-point types, rounded for integers beyond
// 2^53.
func (v Value) Float() float64 {
	b := v.Scalar()
	switch {
	case b == nil:
		return 0
	case b.IsFloat():
		return FloatFromBits(b.kind, v.bits)
	case b.IsSigned():
		return float64(signExtend(b, v.bits))
	}
	return float64(v.bits)
}

// Truth returns the value as a condition: whether it is not zero or null.
func (v Value) Truth() bool {
	b := v.Scalar()
	switch {
	case b == nil:
		return v.Ref != nil
	case b.IsFloat():
		return FloatFromBits(b.kind, v.bits) != 0
	}
	return v.bits != 0
}

func truncate(t *Basic, n uint64) uint64 {
	switch {
	case t.kind == BoolKind:
		if n != 0 {
			return 1
		}
		return 0
	case t.size >= 8:
		return n
	}
	return n & (1<<(8*t.size) - 1)
}

func signExtend(t *Basic, bits uint64) int64 {
	if !t.IsSigned() || t.size >= 8 {
		return int64(bits)
	}
	shift := 64 - 8*uint(t.size)
	return int64(bits<<shift) >> shift
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}
