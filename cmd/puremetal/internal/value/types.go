package value

import (
	"errors"
	"fmt"
	"strings"
)

// ErrValue is wrapped by all errors that this package returns for invalid text.
var ErrValue = errors.New("invalid value")

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrValue, fmt.Sprintf(format, args...))
}

// Scalar is a scalar type of the Metal language.
type Scalar uint8

// The scalars.
const (
	Bool Scalar = iota
	Char
	UChar
	Short
	UShort
	Int
	UInt
	Long
	ULong
	Half
	BFloat
	Float
)

// scalarNames are Metal's names, indexed by Scalar.
var scalarNames = [...]string{"bool", "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half",
	"bfloat", "float"}

// String returns Metal's name.
func (s Scalar) String() string { return scalarNames[s] }

// Size returns the size of the scalar in bytes.
func (s Scalar) Size() int {
	switch s {
	case Bool, Char, UChar:
		return 1
	case Short, UShort, Half, BFloat:
		return 2
	case Long, ULong:
		return 8
	}
	return 4
}

// Floating reports whether the scalar is a floating-point number.
func (s Scalar) Floating() bool { return s >= Half }

// Signed reports whether the scalar is a signed integer.
func (s Scalar) Signed() bool { return s == Char || s == Short || s == Int || s == Long }

// Bits returns the width of the scalar in bits.
func (s Scalar) Bits() int { return 8 * s.Size() }

// otherName returns the scalar for a name that Go or NumPy uses.
func otherName(name string) (Scalar, bool) {
	switch name {
	case "int8":
		return Char, true
	case "uint8", "byte":
		return UChar, true
	case "int16":
		return Short, true
	case "uint16":
		return UShort, true
	case "int32":
		return Int, true
	case "uint32":
		return UInt, true
	case "int64":
		return Long, true
	case "uint64":
		return ULong, true
	case "float16":
		return Half, true
	case "bfloat16":
		return BFloat, true
	case "float32":
		return Float, true
	}
	return 0, false
}

// Type is the element type of a value: a scalar or a vector.
type Type struct {
	Scalar Scalar
	Lanes  int  // 1 to 4
	Packed bool // a vector without padding
}

// String returns Metal's name.
func (t Type) String() string {
	s := t.Scalar.String()
	if t.Packed {
		s = "packed_" + s
	}
	if t.Lanes > 1 {
		s += string(rune('0' + t.Lanes))
	}
	return s
}

// Size returns the size of an element in bytes. A vector of three is as large as one of four.
func (t Type) Size() int {
	lanes := t.Lanes
	if lanes == 3 && !t.Packed {
		lanes = 4
	}
	return lanes * t.Scalar.Size()
}

// Align returns the alignment of an element in bytes.
func (t Type) Align() int {
	if t.Packed {
		return t.Scalar.Size()
	}
	return t.Size()
}

// ParseType parses the name of a type: a scalar, or a vector such as float4, uchar3, packed_half2.
func ParseType(name string) (Type, error) {
	if s, ok := otherName(name); ok {
		return Type{Scalar: s, Lanes: 1}, nil
	}
	base, packed := strings.CutPrefix(name, "packed_")
	lanes := 1
	if n := len(base); n > 0 && base[n-1] >= '2' && base[n-1] <= '4' {
		lanes, base = int(base[n-1]-'0'), base[:n-1]
	}
	for s, known := range scalarNames {
		if base == known && (lanes > 1 || !packed) {
			return Type{Scalar(s), lanes, packed}, nil
		}
	}
	return Type{}, bad("unknown type %q; want one of %s, or a vector of 2 to 4 such as float4 or packed_float3%s",
		clip(name), strings.Join(scalarNames[:], ", "), hint(base))
}

// hint suggests the type that the user may have meant.
func hint(base string) string {
	switch base {
	case "double", "float64":
		return " (Metal has no double: use float)"
	case "size_t", "unsigned":
		return " (use ulong or uint)"
	}
	return ""
}

// clip shortens text that a message quotes.
func clip(s string) string {
	const most = 60
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
