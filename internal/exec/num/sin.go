package num

import (
	"math"
	"math/bits"
)

// sinNear and cosNear return the sine and cosine of r from -pi/4 to pi/4.
func sinNear(r float64) float64 {
	z := r * r
	p := -0.00019839198092453864 + float64(z*2.7173075444014035e-06)
	p = 0.00833332876883547 + float64(z*p)
	p = -0.16666666631450996 + float64(z*p)
	p = 0.9999999999956515 + float64(z*p)
	return float64(r * p)
}

func cosNear(r float64) float64 {
	z := r * r
	p := 2.4798923457970708e-05 - float64(z*2.7173048390198084e-07)
	p = -0.0013888880368345476 + float64(z*p)
	p = 0.041666666543420654 + float64(z*p)
	p = -0.4999999999934787 + float64(z*p)
	return 0.999999999999944 + float64(z*p)
}

// quadrant returns x / (pi/2), rounded to nearest, and the remainder, which is a NaN for an
// infinity or NaN.
func quadrant(x float32) (q uint64, r float64) {
	const (
		high = 1.5707963267341256 // pi/2 to 33 bits: n*high is exact
		low  = 6.077100506506192e-11
	)
	y := float64(x)
	if y < 1<<22 && y > -(1<<22) {
		shifted := float64(y*(2/math.Pi)) + toInteger
		n := shifted - toInteger
		return math.Float64bits(shifted), y - float64(n*high) - float64(n*low)
	}
	if y-y != 0 {
		return 0, math.NaN()
	}
	return farQuadrant(x)
}

// farQuadrant is quadrant for large numbers. x is a 24-bit integer times a power of two, which
// selects the bits of 2/pi that determine the quotient modulo 4.
func farQuadrant(x float32) (q uint64, r float64) {
	words := [4]uint64{0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561} // bits of 2/pi
	b := math.Float32bits(x)
	m := uint64(b&(1<<23-1) | 1<<23)
	e := int(b>>23&0xff) - 150
	// 2/pi times 2**e modulo 4, in units of 2**-62, and the 64 bits that follow.
	var part, next uint64
	switch at := e - 2; {
	case at < 0:
		part, next = words[0]>>-at, words[0]<<(64+at)|words[1]>>-at
	default:
		i, shift := at/64, at%64
		part, next = words[i]<<shift|words[i+1]>>(64-shift), words[i+1]<<shift|words[i+2]>>(64-shift)
	}
	turns := m * part
	if near := int64(turns << 2); near < 1<<51 && near > -1<<51 {
		// x is so near to a multiple of pi/2 that what is left needs the bits that follow.
		carry, _ := bits.Mul64(m, next)
		turns += carry
	}
	q = turns >> 62
	turns <<= 2
	if turns>>63 != 0 {
		q++
	}
	r = float64(float64(int64(turns)) * (0x1p-64 * math.Pi / 2))
	if b>>31 != 0 {
		return -q, -r
	}
	return q, r
}

// Sin returns the sine.
func Sin(x float32) float32 {
	q, r := quadrant(x)
	return float32(sinAt(q, r))
}

// Cos returns the cosine.
func Cos(x float32) float32 {
	q, r := quadrant(x)
	return float32(sinAt(q+1, r))
}

// sinAt returns sin(q*pi/2 + r).
func sinAt(q uint64, r float64) float64 {
	var y float64
	if q&1 == 0 {
		y = sinNear(r)
	} else {
		y = cosNear(r)
	}
	if q&2 != 0 {
		return -y
	}
	return y
}

// Tan returns the tangent.
func Tan(x float32) float32 {
	q, r := quadrant(x)
	s, c := sinNear(r), cosNear(r)
	if q&1 != 0 {
		return float32(-c / s)
	}
	return float32(s / c)
}

// turn returns x in half units, rounded to nearest, and pi times the remainder.
func turn(x float32) (q uint64, r float64) {
	y := float64(x)
	switch {
	case y-y != 0:
		return 0, math.NaN()
	case y >= 1<<24 || y <= -(1<<24):
		return 0, 0 // even
	}
	shifted := 2*y + toInteger
	return math.Float64bits(shifted), float64((y - (shifted-toInteger)/2) * math.Pi)
}

// SinPi returns sin(pi*x). For integers it is a zero with x's sign.
func SinPi(x float32) float32 {
	q, r := turn(x)
	s := sinAt(q, r)
	if s == 0 {
		s = math.Copysign(0, float64(x))
	}
	return float32(s)
}

// CosPi returns cos(pi*x). Halfway between integers it is +0.
func CosPi(x float32) float32 {
	q, r := turn(x)
	return float32(sinAt(q+1, r) + 0)
}

// TanPi returns SinPi divided by CosPi.
func TanPi(x float32) float32 {
	q, r := turn(x)
	s, c := sinAt(q, r), sinAt(q+1, r)+0
	if s == 0 {
		s = math.Copysign(0, float64(x))
	}
	return float32(s / c)
}
