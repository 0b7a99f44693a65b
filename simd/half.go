package simd

import (
	"math"
	"strconv"
)

// Half is an IEEE 754 number of 16 bits, Metal's half: 1 sign bit, 5 of exponent, 10 of fraction.
// Its value is its bits.
type Half uint16

// HalfOf returns the number nearest to f, ties to the even one; beyond 65504 infinity. A NaN stays
// one.
func HalfOf(f float32) Half {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	switch exp := int(b>>23&0xff) - 127; {
	case exp == 128 && b&0x7fffff != 0:
		return Half(sign | 0x7e00 | uint16(b>>13&0x3ff))
	case exp >= 16:
		return Half(sign | 0x7c00)
	case exp >= -14: // rounding up may carry into the exponent, which is right
		return Half(sign | uint16(roundShift(uint32(exp+15)<<23|b&0x7fffff, 13)))
	case exp >= -25: // subnormal: the leading one becomes explicit
		return Half(sign | uint16(roundShift(b&0x7fffff|0x800000, uint(-exp-1))))
	}
	return Half(sign)
}

// roundShift returns v >> n, to the nearest, ties to even.
func roundShift(v uint32, n uint) uint32 {
	half := uint32(1) << (n - 1)
	return (v + half - 1 + v>>n&1) >> n
}

// Float32 returns the number, exactly.
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

// String returns the number in decimal.
func (h Half) String() string { return strconv.FormatFloat(float64(h.Float32()), 'g', -1, 32) }

// BFloat16 is the upper half of a float32, Metal's bfloat: 1 sign bit, 8 of exponent, 7 of
// fraction. Its value is its bits.
type BFloat16 uint16

// BFloat16Of returns the number nearest to f, ties to the even one. A NaN stays one.
func BFloat16Of(f float32) BFloat16 {
	b := math.Float32bits(f)
	if b&0x7fffffff > 0x7f800000 {
		return BFloat16(b>>16 | 0x40) // the fraction that is cut off may have been all there was
	}
	return BFloat16((b + 0x7fff + b>>16&1) >> 16)
}

// Float32 returns the number, exactly.
func (b BFloat16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// String returns the number in decimal.
func (b BFloat16) String() string { return strconv.FormatFloat(float64(b.Float32()), 'g', -1, 32) }
