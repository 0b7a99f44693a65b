package types

import "math"

// format describes a binary floating-point type narrower than float64.
type format struct {
	mant uint // stored bits of the mantissa
	exp  uint // bits of the exponent
}

func formatOf(k Kind) format {
	switch k {
	case HalfKind:
		return format{10, 5}
	case BFloatKind:
		return format{7, 8}
	}
	return format{23, 8}
}

// RoundFloat returns the bits of the value of a floating-point kind that is nearest to f, ties to
// even. A NaN becomes a quiet NaN with the same sign and the upper bits of the payload.
func RoundFloat(k Kind, f float64) uint64 {
	fm := formatOf(k)
	bits := math.Float64bits(f)
	sign := bits >> 63 << (fm.mant + fm.exp)
	maxExp := uint64(1)<<fm.exp - 1
	switch {
	case f != f:
		return sign | maxExp<<fm.mant | 1<<(fm.mant-1) | bits&(1<<52-1)>>(52-fm.mant)
	case math.IsInf(f, 0):
		return sign | maxExp<<fm.mant
	case f == 0:
		return sign
	}
	bias := int(1)<<(fm.exp-1) - 1
	exp := int(bits>>52&0x7ff) - 1023
	sig := bits&(1<<52-1) | 1<<52
	if bits>>52&0x7ff == 0 {
		return sign // a float64 subnormal is below half of any format's smallest value
	}
	drop := 52 - fm.mant
	if exp < 1-bias { // subnormal in the format
		drop += uint(1 - bias - exp)
		exp = 1 - bias
		if drop > 54 {
			return sign
		}
	}
	rest := sig & (1<<drop - 1)
	sig >>= drop
	if half := uint64(1) << (drop - 1); rest > half || rest == half && sig&1 == 1 {
		sig++
	}
	// A carry out of the mantissa increments the exponent, as it should.
	r := sig + uint64(exp+bias-1)<<fm.mant
	if r >= maxExp<<fm.mant {
		r = maxExp << fm.mant
	}
	return sign | r
}

// FloatFromBits returns the exact value of a floating-point kind's bits.
func FloatFromBits(k Kind, bits uint64) float64 {
	if k == FloatKind {
		return float64(math.Float32frombits(uint32(bits)))
	}
	fm := formatOf(k)
	maxExp := uint64(1)<<fm.exp - 1
	exp := bits >> fm.mant & maxExp
	mant := bits & (1<<fm.mant - 1)
	neg := bits>>(fm.mant+fm.exp)&1 == 1
	var f float64
	switch exp {
	case maxExp:
		if mant != 0 {
			return math.Float64frombits(bits>>(fm.mant+fm.exp)&1<<63 | 0x7ff<<52 | mant<<(52-fm.mant))
		}
		f = math.Inf(1)
	case 0:
		f = math.Ldexp(float64(mant), 2-1<<(fm.exp-1)-int(fm.mant))
	default:
		f = math.Ldexp(float64(mant|1<<fm.mant), int(exp)+1-1<<(fm.exp-1)-int(fm.mant))
	}
	if neg {
		return -f
	}
	return f
}

// floatFromInt rounds an integer, given by sign and magnitude, to the format in a single step: bits
// lost in the conversion to float64 are kept as a sticky bit.
func floatFromInt(k Kind, neg bool, mag uint64) uint64 {
	f := float64(mag)
	if mag >= 1<<53 {
		top := mag >> 11
		if mag&(1<<11-1) != 0 {
			top |= 1
		}
		f = float64(top) * (1 << 11)
	}
	if neg {
		f = -f
	}
	return RoundFloat(k, f)
}
