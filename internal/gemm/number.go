package gemm

import (
	"encoding/binary"
	"math"
)

// Load returns the element of a floating-point type at the start of b.
func (t Type) Load(b []byte) float32 {
	switch t {
	case F16:
		return math.Float32frombits(widenHalf(binary.NativeEndian.Uint16(b)))
	case BF16:
		return math.Float32frombits(uint32(binary.NativeEndian.Uint16(b)) << 16)
	}
	return math.Float32frombits(binary.NativeEndian.Uint32(b))
}

// Store writes an element of a floating-point type to the start of b, rounded to nearest even. Any
// NaN is written as the plain quiet one.
func (t Type) Store(b []byte, x float32) {
	switch t {
	case F16:
		binary.NativeEndian.PutUint16(b, narrowHalf(x))
	case BF16:
		binary.NativeEndian.PutUint16(b, narrowBrain(x))
	default:
		binary.NativeEndian.PutUint32(b, bits(x))
	}
}

// Narrow writes elements of a floating-point type to the start of dst, as [Type.Store] does.
func Narrow(t Type, dst []byte, src []float32) {
	size := t.Size()
	dst = dst[:len(src)*size]
	if t == F32 {
		for i, x := range src {
			binary.NativeEndian.PutUint32(dst[4*i:], bits(x))
		}
		return
	}
	for i, x := range src {
		t.Store(dst[i*size:], x)
	}
}

// FMA returns x*y+z, rounded once. The product is exact in a float64. The sum, which has 29 bits
// more than the result, is rounded twice; that can be wrong only if it is halfway between two
// results or if these are denormal.
func FMA(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	const rest = 1<<29 - 1
	if math.Float64bits(s)&rest != 1<<28 && (s >= 0x1p-120 || s <= -0x1p-120) {
		return float32(s)
	}
	if s != s || math.IsInf(s, 0) {
		return float32(s)
	}
	// Round to odd: what the sum lacks is exact (Knuth).
	b := s - p
	lack := (p - (s - b)) + (float64(z) - b)
	if lack != 0 && math.Float64bits(s)&1 == 0 {
		s = math.Nextafter(s, math.Copysign(math.Inf(1), lack))
	}
	return float32(s)
}

// widenHalf returns the bits of a half's value as a float.
func widenHalf(h uint16) uint32 {
	x, sign := uint32(h&0x7fff)<<13, uint32(h&0x8000)<<16
	if x >= 0x7c00<<13 { // infinity or NaN
		return x + 0x70<<24 | 0x7f800000 | sign
	}
	// The exponent is too low by 112; the product is exact for denormals too.
	return math.Float32bits(math.Float32frombits(x)*0x1p112) | sign
}

// quietNaN is what any NaN is written as.
const quietNaN = 0x7fc00000

// bits returns the bits of x as an F32.
func bits(x float32) uint32 {
	if x != x {
		return quietNaN
	}
	return math.Float32bits(x)
}

// narrowBrain rounds to nearest even.
func narrowBrain(x float32) uint16 {
	b := bits(x)
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}

// narrowHalf rounds to nearest even.
func narrowHalf(x float32) uint16 {
	b := bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b == quietNaN:
		return 0x7e00
	case b >= 0x477ff000: // 65520 and above
		return sign | 0x7c00
	case b < 0x38800000: // denormal: adding 0.5 rounds at the place of a half's last bit
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+0.5)-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}
