package safetensors

import (
	"fmt"
)

// Type is the type of a tensor's elements, by its name in the format.
type Type string

// The types. Elements of F4, F6_E2M3 and F6_E3M2 are packed without gaps.
const (
	Bool        Type = "BOOL"
	F4          Type = "F4"
	F6_E2M3     Type = "F6_E2M3"
	F6_E3M2     Type = "F6_E3M2"
	U8          Type = "U8"
	I8          Type = "I8"
	F8_E5M2     Type = "F8_E5M2"
	F8_E4M3     Type = "F8_E4M3"
	F8_E8M0     Type = "F8_E8M0"
	F8_E4M3FNUZ Type = "F8_E4M3FNUZ"
	F8_E5M2FNUZ Type = "F8_E5M2FNUZ"
	I16         Type = "I16"
	U16         Type = "U16"
	F16         Type = "F16"
	BF16        Type = "BF16"
	I32         Type = "I32"
	U32         Type = "U32"
	F32         Type = "F32"
	C64         Type = "C64"
	F64         Type = "F64"
	I64         Type = "I64"
	U64         Type = "U64"
)

// types are the types with their bits, in the order of the reference implementation, whose files
// have the last ones first.
var types = [...]struct {
	t    Type
	bits int
}{{Bool, 8}, {F4, 4}, {F6_E2M3, 6}, {F6_E3M2, 6}, {U8, 8}, {I8, 8}, {F8_E5M2, 8}, {F8_E4M3, 8}, {F8_E8M0, 8},
	{F8_E4M3FNUZ, 8}, {F8_E5M2FNUZ, 8}, {I16, 16}, {U16, 16}, {F16, 16}, {BF16, 16}, {I32, 32}, {U32, 32}, {F32, 32},
	{C64, 64}, {F64, 64}, {I64, 64}, {U64, 64}}

// rank returns the place of a type in types, and -1 for an unknown one.
func (t Type) rank() int {
	for i, x := range types {
		if x.t == t {
			return i
		}
	}
	return -1
}

// Bits returns how many bits an element has, and 0 for an unknown type.
func (t Type) Bits() int {
	if i := t.rank(); i >= 0 {
		return types[i].bits
	}
	return 0
}

// maxSize limits the bytes of a tensor.
const maxSize = 1 << 48

// Size returns how many bytes a tensor of a shape has.
func (t Type) Size(shape ...int) (int64, error) {
	bits := int64(t.Bits())
	if bits == 0 {
		return 0, fmt.Errorf("dtype is %s, which is unknown: %w", shown(string(t)), ErrFormat)
	}
	for _, n := range shape {
		if n < 0 || n > 0 && bits > maxSize*8/int64(n) {
			return 0, fmt.Errorf("shape %v of %s has a negative size or more than %d bytes: %w", shape, t, int64(maxSize),
				ErrFormat)
		}
		bits *= int64(n)
	}
	if bits%8 != 0 {
		return 0, fmt.Errorf("shape %v of %s has %d bits, which are not whole bytes: %w", shape, t, bits, ErrFormat)
	}
	return bits / 8, nil
}
