package types

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// String returns Metal's spelling of the constant: "1.5h", "float2(1.0, 2.0)".
func (v Value) String() string {
	switch t := v.Type.(type) {
	case nil:
		return "<no value>"
	case *Basic:
		return scalarString(t, v.bits)
	case *Enum:
		for _, e := range t.Values {
			if e.Value.bits == v.bits {
				if t.Scoped {
					return t.Name + "::" + e.Name
				}
				return e.Name
			}
		}
		return t.Name + "(" + scalarString(t.Underlying, v.bits) + ")"
	case *Vector, *Packed, *Matrix, *SimdgroupMatrix:
		return t.String() + "(" + elemsString(v.Elems) + ")"
	}
	if v.Elems != nil {
		return v.Type.String() + "{" + elemsString(v.Elems) + "}"
	}
	if v.Ref == nil {
		return "nullptr"
	}
	s := fmt.Sprint(v.Ref)
	if v.Offset != 0 {
		s += fmt.Sprintf("%+d", v.Offset)
	}
	return s
}

func elemsString(elems []Value) string {
	parts := make([]string, len(elems))
	for i, e := range elems {
		parts[i] = e.String()
	}
	return strings.Join(parts, ", ")
}

func scalarString(t *Basic, bits uint64) string {
	switch {
	case t.kind == NullptrKind:
		return "nullptr"
	case t.kind == BoolKind:
		return strconv.FormatBool(bits != 0)
	case t.IsFloat():
		return floatString(t, FloatFromBits(t.kind, bits))
	case t.IsSigned():
		return strconv.FormatInt(signExtend(t, bits), 10) + suffix(t)
	}
	return strconv.FormatUint(bits, 10) + suffix(t)
}

func suffix(t *Basic) string {
	switch t.kind {
	case UIntKind:
		return "u"
	case LongKind:
		return "l"
	case ULongKind:
		return "ul"
	case HalfKind:
		return "h"
	case BFloatKind:
		return "bf"
	}
	return ""
}

func floatString(t *Basic, f float64) string {
	switch {
	case f != f:
		return "nan" + suffix(t)
	case math.IsInf(f, 1):
		return "inf" + suffix(t)
	case math.IsInf(f, -1):
		return "-inf" + suffix(t)
	}
	s := strconv.FormatFloat(f, 'g', -1, 32) // enough digits for the narrower formats too
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix(t)
}

// Equal reports whether v and w are the same constant of the same type. Floats are compared
// bitwise: a NaN equals itself, and 0 differs from -0.
func (v Value) Equal(w Value) bool {
	if v.Type != w.Type || v.bits != w.bits || v.Ref != w.Ref || v.Offset != w.Offset || len(v.Elems) != len(w.Elems) {
		return false
	}
	for i := range v.Elems {
		if !v.Elems[i].Equal(w.Elems[i]) {
			return false
		}
	}
	return true
}

// Key returns a string that is equal for two constants exactly if they are equal. It identifies
// template instances and is only valid within the process.
func (v Value) Key() string {
	var b strings.Builder
	v.writeKey(&b)
	return b.String()
}

func (v Value) writeKey(b *strings.Builder) {
	if v.Type == nil {
		b.WriteByte('-')
		return
	}
	fmt.Fprintf(b, "%p:%x", v.Type, v.bits)
	if v.Ref != nil {
		fmt.Fprintf(b, "@%p+%d", v.Ref, v.Offset)
	}
	if v.Elems != nil {
		b.WriteByte('{')
		for _, e := range v.Elems {
			e.writeKey(b)
			b.WriteByte(',')
		}
		b.WriteByte('}')
	}
}

// Zero returns the zero value of a type, that of T{}. ok is false for types without constants and
// for types with more than MaxElems parts.
func Zero(t Type) (v Value, ok bool) {
	left := MaxElems
	return zero(t, &left)
}

// zero is Zero with a limit on the number of parts left.
func zero(t Type, left *int) (v Value, ok bool) {
	n := 0
	var elem func(int) Type
	switch t := t.(type) {
	case *Basic:
		return Value{Type: t}, t != Void
	case *Enum, *Pointer:
		return Value{Type: t}, true
	case *Vector:
		n, elem = t.Len, func(int) Type { return t.Elem }
	case *Packed:
		n, elem = t.Len, func(int) Type { return t.Elem }
	case *Matrix:
		n, elem = t.Cols, func(int) Type { return t.Column() }
	case *Array:
		n, elem = max(0, t.Len), func(int) Type { return t.Elem }
	case *Struct:
		if !t.complete {
			return Value{}, false
		}
		n, elem = len(t.Fields), func(i int) Type { return t.Fields[i].Type.Type }
	default:
		return Value{}, false
	}
	if *left -= n; *left < 0 {
		return Value{}, false
	}
	elems := make([]Value, n)
	for i := range elems {
		// All elements of an array share one zero.
		if _, array := t.(*Array); array && i > 0 {
			elems[i] = elems[0]
			continue
		}
		if elems[i], ok = zero(elem(i), left); !ok {
			return Value{}, false
		}
	}
	return Aggregate(t, elems), true
}

// MaxElems is the maximum number of elements of a constant aggregate.
const MaxElems = 1 << 16
