package num

import "math"

// The functions in this file and its neighbors are those of f32, computed in float64 with
// polynomials fitted at Chebyshev points and rounded at the end. Products are converted explicitly
// before an addition, which prevents the compiler from fusing the two, so that the bits are the
// same on every machine.

// Adding toInteger to a number leaves the nearest integer in its last mantissa bits; subtracting it
// again yields that integer.
const toInteger = 3 << 51

// exp2 returns 2**y within 2^-31, for any y; it saturates far outside the range of an f32.
func exp2(y float64) float64 {
	if y > 300 {
		y = 300
	}
	if y < -300 {
		y = -300
	}
	shifted := y + toInteger
	f := y - (shifted - toInteger)
	p := 0.0001546144469856913 + float64(f*1.5297323760701075e-05)
	p = 0.001333350238616277 + float64(f*p)
	p = 0.009618056678524637 + float64(f*p)
	p = 0.055504108839096185 + float64(f*p)
	p = 0.24022650922288757 + float64(f*p)
	p = 0.6931471805599453 + float64(f*p)
	p = 1 + float64(f*p)
	return float64(p * math.Float64frombits((math.Float64bits(shifted)+1023)<<52))
}

const log2E = 1 / math.Ln2

// Exp returns e**x.
func Exp(x float32) float32 { return float32(exp2(float64(float64(x) * log2E))) }

// Exp2 returns 2**x.
func Exp2(x float32) float32 { return float32(exp2(float64(x))) }

// Exp10 returns 10**x.
func Exp10(x float32) float32 { return float32(exp2(float64(float64(x) * (math.Ln10 / math.Ln2)))) }

// exp returns e**x in float64, for functions based on it.
func exp(x float64) float64 { return exp2(float64(x * log2E)) }

// sinhNear returns sinh(x) for |x| up to 1.
func sinhNear(x float64) float64 {
	z := x * x
	p := 0.00019835713875553468 + float64(z*2.819018792792959e-06)
	p = 0.008333353205516371 + float64(z*p)
	p = 0.1666666641809776 + float64(z*p)
	p = 1.0000000000497202 + float64(z*p)
	return float64(x * p)
}

// SinH returns the hyperbolic sine.
func SinH(x float32) float32 {
	y := float64(x)
	if y > -1 && y < 1 {
		return float32(sinhNear(y))
	}
	return float32((exp(y) - exp(-y)) / 2)
}

// CosH returns the hyperbolic cosine.
func CosH(x float32) float32 {
	y := float64(x)
	return float32((exp(y) + exp(-y)) / 2)
}

// TanH returns the hyperbolic tangent.
func TanH(x float32) float32 {
	y := float64(x)
	if y > -0.5 && y < 0.5 {
		s := sinhNear(y)
		return float32(s / math.Sqrt(1+float64(s*s)))
	}
	e := exp(2 * math.Abs(y))
	return float32(math.Copysign(1-2/(e+1), y))
}

// RSqrt returns 1/sqrt(x).
func RSqrt(x float32) float32 { return float32(1 / math.Sqrt(float64(x))) }
