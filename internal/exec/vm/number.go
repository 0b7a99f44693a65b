package vm

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

type pair struct{ from, to ir.Kind }

type signed interface {
	int8 | int16 | int32 | int64
}

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

// quotient divides; division by zero gives 0. In Go, the smallest number divided by -1 gives
// itself, as package ir requires.
func quotient[T signed](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y
}

func remainder[T signed](x, y T) T {
	if y == 0 {
		return x
	}
	return x % y
}

func uquotient[T unsigned](x, y T) T {
	if y == 0 {
		return 0
	}
	return x / y
}

func uremainder[T unsigned](x, y T) T {
	if y == 0 {
		return x
	}
	return x % y
}

func truthByte(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// lesser is fmin: the other operand if one is a NaN, -0 below +0.
func lesser(x, y float32) float32 {
	switch {
	case x < y || y != y:
		return x
	case x > y || x != x:
		return y
	}
	return math.Float32frombits(math.Float32bits(x) | math.Float32bits(y)) // equal: -0 if either is
}

// greater is fmax.
func greater(x, y float32) float32 {
	switch {
	case x > y || y != y:
		return x
	case x < y || x != x:
		return y
	}
	return math.Float32frombits(math.Float32bits(x) & math.Float32bits(y))
}

// These conversions round toward zero and clamp; a NaN gives 0.
func toSigned32(x float32) uint32 {
	switch {
	case x >= 1<<31:
		return math.MaxInt32
	case x >= -1<<31:
		return uint32(int32(x))
	case x != x:
		return 0
	}
	return 1 << 31
}

func toSigned64(x float32) uint64 {
	switch {
	case x >= 1<<63:
		return math.MaxInt64
	case x >= -1<<63:
		return uint64(int64(x))
	case x != x:
		return 0
	}
	return 1 << 63
}

func toUnsigned32(x float32) uint32 {
	switch {
	case x >= 1<<32:
		return math.MaxUint32
	case x > 0:
		return uint32(int64(x))
	}
	return 0
}

func toUnsigned64(x float32) uint64 {
	switch {
	case x >= 1<<64:
		return math.MaxUint64
	case x >= 1<<63:
		return uint64(int64(x-1<<63)) + 1<<63
	case x > 0:
		return uint64(int64(x))
	}
	return 0
}

// toSignedBetween rounds toward zero and clamps to the range of a narrow integer; a NaN gives 0.
func toSignedBetween(x float32, least, most int32) int32 {
	return min(max(int32(toSigned32(x)), least), most)
}

// unsignedHigh and signedHigh return the upper half of a product.
func unsignedHigh(x, y uint64) uint64 {
	high, _ := bits.Mul64(x, y)
	return high
}

func signedHigh(x, y uint64) uint64 {
	high, _ := bits.Mul64(x, y)
	return high - uint64(int64(x)>>63)&y - uint64(int64(y)>>63)&x
}

// addSaturated and subSaturated clamp to the range that starts at least.
func addSaturated[T signed](x, y, least T) T {
	s := x + y
	if (x^s)&(y^s) >= 0 {
		return s
	}
	if x < 0 {
		return least
	}
	return ^least
}

func subSaturated[T signed](x, y, least T) T {
	s := x - y
	if (x^y)&(x^s) >= 0 {
		return s
	}
	if x < 0 {
		return least
	}
	return ^least
}

// positiveDifference is fdim.
func positiveDifference(x, y float32) float32 {
	if x <= y {
		return 0
	}
	return x - y
}

// fraction is fract.
func fraction(x float32) float32 {
	const below = 0x1.fffffep-1
	f := float32(float64(x) - math.Floor(float64(x)))
	switch {
	case f < 1:
		return f
	case f == 1:
		return below
	case math.IsInf(float64(x), 0):
		return 0
	}
	return f
}

// scaled is ldexp: 300 doublings take any f32 out of range.
func scaled(x float32, y uint32) float32 {
	n := min(max(int32(y), -300), 300)
	return float32(float64(x) * math.Float64frombits(uint64(n+1023)<<52))
}

// fused is fma. The product is exact. The sum has 29 bits more than the result, so rounding it
// twice gives the right result unless it is halfway between two results.
func fused(x, y, z float32) float32 {
	s := float64(float64(x)*float64(y)) + float64(z)
	const rest = 1<<29 - 1
	if math.Float64bits(s)&rest != 1<<28 && (s >= 0x1p-120 || s <= -0x1p-120) {
		return float32(s)
	}
	return num.FMA(x, y, z)
}

// widenHalf returns the value of a half. A NaN keeps its bits.
func widenHalf(h uint16) float32 {
	x := uint32(h&0x7fff) << 13
	sign := uint32(h&0x8000) << 16
	if x >= 0x7c00<<13 {
		return math.Float32frombits(x + 0x70<<24&0x7f800000 | 0x7f800000 | sign)
	}
	// The exponent is too low by 112; the multiplication is exact for denormals too.
	const scale = 0x1p112
	return math.Float32frombits(math.Float32bits(math.Float32frombits(x)*scale) | sign)
}

// narrowHalf rounds to nearest even. A NaN becomes the default quiet one.
func narrowHalf(x float32) uint16 {
	b := math.Float32bits(x)
	sign := uint16(b >> 16 & 0x8000)
	b &= 0x7fffffff
	switch {
	case b > 0x7f800000:
		return 0x7e00
	case b >= 0x477ff000: // 65520 and larger
		return sign | 0x7c00
	case b < 0x38800000: // denormal: adding makes the hardware round at the right place
		const magic = 0.5
		return sign | uint16(math.Float32bits(math.Float32frombits(b)+magic)-0x3f000000)
	}
	b += 0xfff + b>>13&1
	return sign | uint16((b-112<<23)>>13)
}

// quieted returns x, or a quiet NaN for a NaN.
func quieted(x float32) float32 {
	if x != x {
		return math.Float32frombits(math.Float32bits(x) | 0x00400000)
	}
	return x
}

func widenBrain(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

func narrowBrain(x float32) uint16 {
	b := math.Float32bits(x)
	if b&0x7fffffff > 0x7f800000 {
		return 0x7fc0
	}
	return uint16((b + 0x7fff + b>>16&1) >> 16)
}
