package types

import (
	"errors"
	"math"
)

// Errors of folding.
var (
	// ErrDivideByZero is the error of an integer division or remainder by zero.
	ErrDivideByZero = errors.New("division by zero")
	// ErrNotConstant means that an operator or conversion has no constant result for the operands.
	ErrNotConstant = errors.New("not a constant expression")
)

// Convert returns the constant converted to a type, as an implicit conversion or a cast would do:
// integers are truncated, floats are rounded to nearest, floats converted to integers are truncated
// toward zero and saturated with NaN becoming 0, and scalars are splat.
func Convert(v Value, to Type) (Value, error) {
	if v.Type == to {
		return v, nil
	}
	switch t := to.(type) {
	case *Basic, *Enum:
		from, b := v.Scalar(), ScalarOf(to)
		switch {
		case b == Bool && (from == nil || from == Nullptr):
			if v.Elems != nil {
				return Value{}, ErrNotConstant
			}
			return BoolValue(v.Ref != nil), nil
		case from == nil || !from.IsArithmetic() || !b.IsArithmetic():
			return Value{}, ErrNotConstant
		}
		return Value{Type: to, bits: convertScalar(from, b, v.bits)}, nil
	case *Vector:
		return convertElems(v, to, t.Elem, t.Len)
	case *Packed:
		return convertElems(v, to, t.Elem, t.Len)
	case *Matrix:
		if f, ok := v.Type.(*Matrix); ok && f.Cols == t.Cols && f.Rows == t.Rows {
			return convertElems(v, to, t.Column(), t.Cols)
		}
	case *Pointer:
		if v.Type == Nullptr || v.Ref != nil || isPointer(v.Type) {
			v.Type = to
			return v, nil
		}
	}
	return Value{}, ErrNotConstant
}

func isPointer(t Type) bool { _, ok := t.(*Pointer); return ok }

func convertElems(v Value, to, elem Type, n int) (Value, error) {
	elems := make([]Value, n)
	if v.Scalar() == nil && len(v.Elems) != n {
		return Value{}, ErrNotConstant
	}
	for i := range elems {
		e := v
		if v.Scalar() == nil {
			e = v.Elems[i]
		}
		var err error
		if elems[i], err = Convert(e, elem); err != nil {
			return Value{}, err
		}
	}
	return Aggregate(to, elems), nil
}

func convertScalar(from, to *Basic, bits uint64) uint64 {
	switch {
	case from == to:
		return bits
	case to == Bool:
		if from.IsFloat() && FloatFromBits(from.kind, bits) == 0 || bits == 0 {
			return 0
		}
		return 1
	case from.IsFloat() && to.IsFloat():
		return RoundFloat(to.kind, FloatFromBits(from.kind, bits))
	case from.IsFloat():
		return saturate(FloatFromBits(from.kind, bits), to)
	case to.IsFloat():
		n := signExtend(from, bits)
		neg := from.IsSigned() && n < 0
		if !neg {
			return floatFromInt(to.kind, false, bits)
		}
		return floatFromInt(to.kind, true, magnitude(n))
	}
	return truncate(to, uint64(signExtend(from, bits)))
}

// saturate truncates f toward zero and clamps it to the type's range; NaN becomes 0.
func saturate(f float64, to *Basic) uint64 {
	lo, hi := IntRange(to)
	f = math.Trunc(f)
	switch {
	case f != f:
		return 0
	case f <= float64(lo):
		return truncate(to, uint64(lo))
	case f >= float64(hi):
		return hi
	case f < 0:
		return truncate(to, uint64(int64(f)))
	}
	return uint64(f)
}

// IntRange returns the smallest and the largest value of an integer type.
func IntRange(b *Basic) (lo int64, hi uint64) {
	n := b.Bits()
	if b.IsSigned() {
		return -1 << (n - 1), 1<<(n-1) - 1
	}
	return 0, math.MaxUint64 >> (64 - n)
}

// Represents reports whether the constant keeps its value when converted to a scalar type, as
// required in braces.
func Represents(v Value, to *Basic) bool {
	from := v.Scalar()
	c, err := Convert(v, to)
	if from == nil || err != nil {
		return false
	}
	if from.IsInteger() && to.IsInteger() {
		a, b := signExtend(from, v.bits), signExtend(to, c.bits)
		return a == b && (a >= 0 || from.IsSigned() == to.IsSigned())
	}
	if to.IsFloat() && from.IsFloat() {
		// Rounding to a narrower float type is fine; only overflow loses the value.
		return !math.IsInf(c.Float(), 0) || math.IsInf(v.Float(), 0)
	}
	back, err := Convert(c, from)
	return err == nil && back.bits == v.bits
}

// Binary folds a binary operator. Integers wrap, shift counts are masked to the width of the left
// operand, and each half, bfloat and float operation is rounded once.
func Binary(op Op, a, b Value) (Value, error) {
	o := BinaryOperands(op, a.Type, b.Type)
	if o.Result == nil {
		return Value{}, ErrNotConstant
	}
	if op == Mul && (isMatrix(a.Type) || isMatrix(b.Type)) && !isScalar(a.Type) && !isScalar(b.Type) {
		return product(a, b, o.Result)
	}
	a, err := Convert(a, o.Left)
	if err != nil {
		return Value{}, err
	}
	if b, err = Convert(b, o.Right); err != nil {
		return Value{}, err
	}
	return elementwise(op, a, b, o.Result)
}

func isMatrix(t Type) bool { _, ok := t.(*Matrix); return ok }
func isScalar(t Type) bool { return ScalarOf(t) != nil }

func elementwise(op Op, a, b Value, result Type) (Value, error) {
	if x, y := a.Scalar(), b.Scalar(); x != nil && y != nil {
		bits, err := scalarBinary(op, x, a.bits, b.bits)
		return Value{Type: result, bits: bits}, err
	}
	if isMatrix(a.Type) && isMatrix(b.Type) && result == Bool { // == and !=
		for i := range a.Elems {
			for j := range a.Elems[i].Elems {
				if a.Elems[i].Elems[j].Float() != b.Elems[i].Elems[j].Float() {
					return BoolValue(op == Ne), nil
				}
			}
		}
		return BoolValue(op == Eq), nil
	}
	n := max(len(a.Elems), len(b.Elems))
	elems := make([]Value, n)
	for i := range elems {
		x, y := a, b
		if a.Scalar() == nil {
			x = a.Elems[i]
		}
		if b.Scalar() == nil {
			y = b.Elems[i]
		}
		elem := Type(ElemOf(result))
		if m, ok := result.(*Matrix); ok {
			elem = m.Column()
		}
		var err error
		if elems[i], err = elementwise(op, x, y, elem); err != nil {
			return Value{}, err
		}
	}
	return Aggregate(result, elems), nil
}

func scalarBinary(op Op, t *Basic, a, b uint64) (uint64, error) {
	if t.IsFloat() {
		return floatBinary(op, t, FloatFromBits(t.kind, a), FloatFromBits(t.kind, b))
	}
	x, y := signExtend(t, a), signExtend(t, b)
	signed := t.IsSigned()
	less := func(p, q int64) bool { return signed && p < q || !signed && uint64(p) < uint64(q) }
	var r uint64
	switch op {
	case Add:
		r = a + b
	case Sub:
		r = a - b
	case Mul:
		r = a * b
	case Div, Rem:
		switch {
		case b == 0:
			return 0, ErrDivideByZero
		case signed && y == -1: // the only quotient that overflows wraps
			r = -a
			if op == Rem {
				r = 0
			}
		case signed && op == Div:
			r = uint64(x / y)
		case signed:
			r = uint64(x % y)
		case op == Div:
			r = a / b
		default:
			r = a % b
		}
	case And:
		r = a & b
	case Or:
		r = a | b
	case Xor:
		r = a ^ b
	case Shl:
		r = a << (b & uint64(8*t.size-1))
	case Shr:
		r = uint64(x >> (b & uint64(8*t.size-1)))
		if !signed {
			r = a >> (b & uint64(8*t.size-1))
		}
	case LogicalAnd:
		return a & b, nil
	case LogicalOr:
		return a | b, nil
	case Eq:
		return bit(a == b), nil
	case Ne:
		return bit(a != b), nil
	case Lt:
		return bit(less(x, y)), nil
	case Le:
		return bit(!less(y, x)), nil
	case Gt:
		return bit(less(y, x)), nil
	case Ge:
		return bit(!less(x, y)), nil
	default:
		return 0, ErrNotConstant
	}
	return truncate(t, r), nil
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// floatBinary computes in float64, which has more than twice the mantissa bits of the operands, so
// that rounding its result again gives the same as rounding the exact result once.
func floatBinary(op Op, t *Basic, x, y float64) (uint64, error) {
	var r float64
	switch op {
	case Add:
		r = x + y
	case Sub:
		r = x - y
	case Mul:
		r = x * y
	case Div:
		r = x / y
	case Eq:
		return bit(x == y), nil
	case Ne:
		return bit(x != y), nil
	case Lt:
		return bit(x < y), nil
	case Le:
		return bit(x <= y), nil
	case Gt:
		return bit(x > y), nil
	case Ge:
		return bit(x >= y), nil
	default:
		return 0, ErrNotConstant
	}
	return RoundFloat(t.kind, r), nil
}

// product multiplies matrices and vectors. Each product and each sum is rounded; sums are taken in
// ascending order.
func product(a, b Value, result Type) (Value, error) {
	elem := ElemOf(result)
	at := func(v Value, col, row int) Value {
		if isMatrix(v.Type) {
			return v.Elems[col].Elems[row]
		}
		return v.Elems[row]
	}
	dot := func(n int, l, r func(k int) Value) (sum Value, err error) {
		for k := range n {
			p, err := elementwise(Mul, l(k), r(k), elem)
			if err != nil {
				return Value{}, err
			}
			if k == 0 {
				sum = p
			} else if sum, err = elementwise(Add, sum, p, elem); err != nil {
				return Value{}, err
			}
		}
		return sum, nil
	}
	column := func(t *Vector, cell func(row int) (Value, error)) (Value, error) {
		elems := make([]Value, t.Len)
		for row := range elems {
			var err error
			if elems[row], err = cell(row); err != nil {
				return Value{}, err
			}
		}
		return Aggregate(t, elems), nil
	}
	x, left := a.Type.(*Matrix)
	if !left { // row vector times matrix: one dot product per column
		y := b.Type.(*Matrix)
		return column(result.(*Vector), func(col int) (Value, error) {
			return dot(y.Rows, func(k int) Value { return a.Elems[k] }, func(k int) Value { return at(b, col, k) })
		})
	}
	times := func(col int) (Value, error) {
		return column(x.Column(), func(row int) (Value, error) {
			return dot(x.Cols, func(k int) Value { return at(a, k, row) }, func(k int) Value { return at(b, col, k) })
		})
	}
	m, ok := result.(*Matrix)
	if !ok {
		return times(0)
	}
	cols := make([]Value, m.Cols)
	for i := range cols {
		var err error
		if cols[i], err = times(i); err != nil {
			return Value{}, err
		}
	}
	return Aggregate(m, cols), nil
}

// Unary folds -, +, ! and ~.
func Unary(op Op, v Value) (Value, error) {
	operand, result := UnaryOperand(op, v.Type)
	if operand == nil {
		return Value{}, ErrNotConstant
	}
	v, err := Convert(v, operand)
	if err != nil {
		return Value{}, err
	}
	return unary(op, v, result), nil
}

func unary(op Op, v Value, result Type) Value {
	b := v.Scalar()
	if b == nil {
		elems := make([]Value, len(v.Elems))
		for i, e := range v.Elems {
			elems[i] = unary(op, e, e.Type)
		}
		return Aggregate(result, elems)
	}
	bits := v.bits
	switch {
	case op == Not:
		bits ^= 1
	case op == BitNot:
		bits = truncate(b, ^bits)
		if b == Bool {
			bits = v.bits ^ 1
		}
	case op == Neg && b.IsFloat():
		bits ^= 1 << (8*b.size - 1) // this flips the sign of a NaN too
	case op == Neg:
		bits = truncate(b, -bits)
	}
	return Value{Type: result, bits: bits}
}
