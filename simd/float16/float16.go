// Package float16 has the numbers of 16 bits that kernels have and Go lacks. Programs use them as
// [simd.Half] and [simd.BFloat16]. They are apart from the vectors of package simd because every
// program with kernels contains them, and the vectors take longer to compile. Package simd has the
// tests.
//
// [simd.Half]: https://pkg.go.dev/github.com/puremetal/puremetal/simd#Half
// [simd.BFloat16]: https://pkg.go.dev/github.com/puremetal/puremetal/simd#BFloat16
package float16

import (
	"math"
	"strconv"
)

// Half is a 16-bit IEEE 754 number, Metal's half: 1 sign bit, 5 exponent bits and 10 fraction bits.
// The Go value holds these bits.
type Half uint16

// HalfOf rounds f to the nearest Half, ties to even. Values that round beyond 65504 become
// infinity; a NaN stays a NaN.
func HalfOf(f float32) Half {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	switch exp := int(b>>23&0xff) - 127; {
	case exp == 128 && b&0x7fffff != 0:
		return Half(sign | 0x7e00 | uint16(b>>13&0x3ff))
	case exp >= 16:
		return Half(sign | 0x7c00)
	case exp >= -14: // rounding up may carry into the exponent, which is correct
		return Half(sign | uint16(roundShift(uint32(exp+15)<<23|b&0x7fffff, 13)))
	case exp >= -25: // subnormal: the leading one becomes explicit
		return Half(sign | uint16(roundShift(b&0x7fffff|0x800000, uint(-exp-1))))
	}
	return Half(sign)
}

// roundShift returns v >> n, rounded to nearest, ties to even.
func roundShift(v uint32, n uint) uint32 {
	half := uint32(1) << (n - 1)
	return (v + half - 1 + v>>n&1) >> n
}

// Float32 returns the value as a float32, exactly.
func (h Half) Float32() float32 {
	sign, exp, fraction := uint32(h&0x8000)<<16, uint32(h>>10&0x1f), uint32(h&0x3ff)
	switch {
	case exp == 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	case exp != 0:
		return math.Float32frombits(sign | (exp+112)<<23 | fraction<<13)
	}
	f := float32(fraction) * 0x1p-24
	if sign != 0 {
		return -f
	}
	return f
}

// String returns the value in decimal.
func (h Half) String() string { return strconv.FormatFloat(float64(h.Float32()), 'g', -1, 32) }

// BFloat16 is the upper half of a float32, Metal's bfloat: 1 sign bit, 8 exponent bits and 7
// fraction bits. The Go value holds these bits.
type BFloat16 uint16

// BFloat16Of rounds f to the nearest BFloat16, ties to even. A NaN stays a NaN.
func BFloat16Of(f float32) BFloat16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return BFloat16(b>>16 | 0x40) // the set bits of the fraction may all have been in the part that is cut off
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// Float32 returns the value as a float32, exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// String returns the value in decimal.
func (b BFloat16) String() string { return strconv.FormatFloat(float64(b.Float32()), 'g', -1, 32) }
