package ir

import "math"

// F16Bits rounds a number to the nearest binary16, ties to even, and returns its bits. NaNs keep
// their sign and upper payload and become quiet.
func F16Bits(x float64) uint16 { return uint16(roundBits(x, 5, 10)) }

// BF16Bits rounds a number to the nearest bfloat16, as F16Bits does.
func BF16Bits(x float64) uint16 { return uint16(roundBits(x, 8, 7)) }

// F16Float returns the number that the bits of a binary16 represent.
func F16Float(bits uint16) float64 { return widen(uint64(bits), 5, 10) }

// BF16Float returns the number that the bits of a bfloat16 represent.
func BF16Float(bits uint16) float64 { return widen(uint64(bits), 8, 7) }

// roundBits rounds x to a format of exp exponent bits and man mantissa bits.
func roundBits(x float64, exp, man uint) uint64 {
	b := math.Float64bits(x)
	sign := b >> 63 << (exp + man)
	inf := uint64(1)<<exp - 1
	bias := int(1)<<(exp-1) - 1
	e := int(b>>52&0x7ff) - 1023
	m := b & (1<<52 - 1)
	if e == 1024 {
		if m != 0 {
			return sign | inf<<man | 1<<(man-1) | m>>(52-man)
		}
		return sign | inf<<man
	}
	if e < -1022 { // zero or a binary64 denormal, far below any narrower format
		return sign
	}
	m |= 1 << 52
	// The mantissa before rounding, as an integer in units of the result's last place.
	shift := 52 - man
	lift := e + bias // the biased exponent
	if lift < 1 {
		shift += uint(min(1-lift, 60))
		lift = 0
	}
	if shift > 63 {
		return sign
	}
	kept, rest, half := m>>shift, m&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && kept&1 != 0 {
		kept++
	}
	if lift > 0 {
		// kept has its leading one at bit man, which adds 1 to the exponent: a carry out of the mantissa
		// does too.
		kept += uint64(lift-1) << man
	}
	if kept >= inf<<man {
		kept = inf << man
	}
	return sign | kept
}

// widen returns the number that the bits of a format with exp exponent bits and man mantissa bits
// represent.
func widen(b uint64, exp, man uint) float64 {
	sign := b >> (exp + man) << 63
	e := int(b >> man & (1<<exp - 1))
	m := b & (1<<man - 1)
	bias := int(1)<<(exp-1) - 1
	switch {
	case e == 1<<exp-1:
		return math.Float64frombits(sign | 0x7ff<<52 | m<<(52-man))
	case e == 0:
		v := math.Ldexp(float64(m), 1-bias-int(man))
		return math.Float64frombits(sign | math.Float64bits(v))
	}
	return math.Float64frombits(sign | uint64(e-bias+1023)<<52 | m<<(52-man))
}

// FloatBits rounds a number to the float kind k, ties to even, and returns its bits.
func FloatBits(k Kind, x float64) uint64 {
	switch k {
	case F16:
		return uint64(F16Bits(x))
	case BF16:
		return uint64(BF16Bits(x))
	}
	return roundBits(x, 8, 23)
}

// BitsFloat returns the number that bits of float kind k represent.
func BitsFloat(k Kind, bits uint64) float64 {
	switch k {
	case F16:
		return F16Float(uint16(bits))
	case BF16:
		return BF16Float(uint16(bits))
	}
	return widen(bits&math.MaxUint32, 8, 23)
}
