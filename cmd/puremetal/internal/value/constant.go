package value

import (
	"encoding/binary"
	"math"

	"github.com/puremetal/puremetal/simd/float16"
)

// Constant returns the value as package compute expects a function constant: a Go number, or an
// array of 2 to 4 numbers.
func (v *Value) Constant() (any, error) {
	if len(v.Shape) > 0 {
		return nil, bad("%s cannot be a function constant; want a number or a vector", v.Describe())
	}
	b := make([]byte, v.Size())
	v.Fill(b, 0)
	switch v.Type.Scalar {
	case Bool:
		return constant(v, b, func(w uint64) bool { return w != 0 }), nil
	case Char:
		return constant(v, b, func(w uint64) int8 { return int8(w) }), nil
	case UChar:
		return constant(v, b, func(w uint64) uint8 { return uint8(w) }), nil
	case Short:
		return constant(v, b, func(w uint64) int16 { return int16(w) }), nil
	case UShort:
		return constant(v, b, func(w uint64) uint16 { return uint16(w) }), nil
	case Int:
		return constant(v, b, func(w uint64) int32 { return int32(w) }), nil
	case UInt:
		return constant(v, b, func(w uint64) uint32 { return uint32(w) }), nil
	case Long:
		return constant(v, b, func(w uint64) int64 { return int64(w) }), nil
	case ULong:
		return constant(v, b, func(w uint64) uint64 { return w }), nil
	case Half:
		return constant(v, b, func(w uint64) float16.Half { return float16.Half(w) }), nil
	case BFloat:
		return constant(v, b, func(w uint64) float16.BFloat16 { return float16.BFloat16(w) }), nil
	}
	return constant(v, b, func(w uint64) float32 { return math.Float32frombits(uint32(w)) }), nil
}

// constant returns one number or an array of them.
func constant[T any](v *Value, b []byte, of func(uint64) T) any {
	size := v.Type.Scalar.Size()
	at := func(i int) T {
		var w [8]byte
		copy(w[:], b[i*size:][:size])
		return of(binary.LittleEndian.Uint64(w[:]))
	}
	switch v.Type.Lanes {
	case 2:
		return [2]T{at(0), at(1)}
	case 3:
		return [3]T{at(0), at(1), at(2)}
	case 4:
		return [4]T{at(0), at(1), at(2), at(3)}
	}
	return at(0)
}
