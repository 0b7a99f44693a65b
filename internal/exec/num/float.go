package num

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// Round rounds a result to kind k. A NaN becomes the default quiet NaN.
func Round(k ir.Kind, f float64) uint64 {
	switch {
	case f != f:
		return Quiet(k)
	case k == ir.F32:
		return uint64(math.Float32bits(float32(f)))
	}
	return ir.FloatBits(k, f)
}

// Quiet returns the default quiet NaN of kind k.
func Quiet(k ir.Kind) uint64 {
	switch k {
	case ir.F16:
		return 0x7e00
	case ir.BF16:
		return 0x7fc0
	}
	return 0x7fc00000
}

// fma returns x*y+z such that rounding it to f16, bf16 or f32 gives the same as rounding the exact
// value: the product of two such numbers is exact in 53 bits, and the sum is rounded to odd.
func fma(x, y, z float64) float64 {
	p := float64(x * y)
	s := p + z
	if math.IsInf(s, 0) || s != s {
		return s
	}
	// The exact rounding error of s (Knuth).
	b := s - p
	rest := (p - (s - b)) + (z - b)
	if rest == 0 || math.Float64bits(s)&1 != 0 {
		return s
	}
	return math.Nextafter(s, math.Copysign(math.Inf(1), rest))
}

// FMA returns x*y+z, rounded once.
func FMA(x, y, z float32) float32 {
	return float32(fma(float64(x), float64(y), float64(z)))
}

// lesser returns the bits of fmin; greater those of fmax.
func lesser(k ir.Kind, x, y uint64) uint64 {
	a, b := ir.BitsFloat(k, x), ir.BitsFloat(k, y)
	switch {
	case a != a && b != b:
		return Quiet(k)
	case a != a:
		return y
	case b != b:
		return x
	case a < b || a == b && math.Signbit(a):
		return x
	}
	return y
}

func greater(k ir.Kind, x, y uint64) uint64 {
	a, b := ir.BitsFloat(k, x), ir.BitsFloat(k, y)
	switch {
	case a != a && b != b:
		return Quiet(k)
	case a != a:
		return y
	case b != b:
		return x
	case a > b || a == b && math.Signbit(b):
		return x
	}
	return y
}

// next returns the number next to x toward y.
func next(k ir.Kind, x, y uint64) uint64 {
	a, b := ir.BitsFloat(k, x), ir.BitsFloat(k, y)
	top := uint64(1) << (k.Bits() - 1)
	switch {
	case a != a || b != b:
		return Quiet(k)
	case a == b:
		return y
	case a == 0 && b > 0:
		return 1
	case a == 0:
		return top | 1
	case (a < b) == (a > 0):
		return x + 1
	}
	return x - 1
}

// fract returns x-floor(x), or the largest number below 1 if that is smaller.
func fract(k ir.Kind, x float64) uint64 {
	if math.IsInf(x, 0) {
		return 0
	}
	one := ir.FloatBits(k, 1)
	if f := x - math.Floor(x); f != f {
		return Quiet(k)
	} else if bits := ir.FloatBits(k, f); bits < one {
		return bits
	}
	return one - 1
}

// Float executes an operation whose first operand is a float of kind k.
func Float(op ir.Op, k ir.Kind, v [4]uint64) [2]uint64 {
	x, y, z := ir.BitsFloat(k, v[0]), ir.BitsFloat(k, v[1]), ir.BitsFloat(k, v[2])
	sign := uint64(1) << (k.Bits() - 1)
	one := func(f float64) [2]uint64 { return [2]uint64{Round(k, f)} }
	raw := func(bits uint64) [2]uint64 { return [2]uint64{bits} }
	switch op {
	case ir.OpFAdd:
		return one(x + y)
	case ir.OpFSub:
		return one(x - y)
	case ir.OpFMul:
		return one(float64(x * y))
	case ir.OpFDiv:
		return one(x / y)
	case ir.OpFMod:
		return one(math.Mod(x, y))
	case ir.OpFMA:
		return one(fma(x, y, z))
	case ir.OpFMin:
		return raw(lesser(k, v[0], v[1]))
	case ir.OpFMax:
		return raw(greater(k, v[0], v[1]))
	case ir.OpCopySign:
		return raw(v[0]&^sign | v[1]&sign)
	case ir.OpFDim:
		if x <= y {
			return raw(0)
		}
		return one(x - y)
	case ir.OpNextAfter:
		return raw(next(k, v[0], v[1]))
	case ir.OpFNeg:
		return raw(v[0] ^ sign)
	case ir.OpFAbs:
		return raw(v[0] &^ sign)
	case ir.OpSqrt:
		return one(math.Sqrt(x))
	case ir.OpFloor:
		return one(math.Floor(x))
	case ir.OpCeil:
		return one(math.Ceil(x))
	case ir.OpFTrunc:
		return one(math.Trunc(x))
	case ir.OpRint:
		return one(math.RoundToEven(x))
	case ir.OpRound:
		return one(math.Round(x))
	case ir.OpFract:
		return raw(fract(k, x))
	case ir.OpLdExp:
		return one(math.Ldexp(x, int(min(max(int32(v[1]), -2000), 2000))))
	case ir.OpFrExp:
		if x == 0 || math.IsInf(x, 0) || x != x {
			return [2]uint64{Round(k, x), 0}
		}
		m, e := math.Frexp(x)
		return [2]uint64{Round(k, m), uint64(uint32(e))}
	case ir.OpModF:
		whole := math.Trunc(x)
		rest := x - whole
		if math.IsInf(x, 0) {
			rest = 0
		}
		return [2]uint64{Round(k, math.Copysign(rest, x)), Round(k, whole)}
	case ir.OpILogB:
		return raw(uint64(uint32(ilogb(x))))
	case ir.OpFEq:
		return raw(Truth(x == y))
	case ir.OpFNe:
		return raw(Truth(x != y))
	case ir.OpFLT:
		return raw(Truth(x < y))
	case ir.OpFLE:
		return raw(Truth(x <= y))
	}
	return one(float64(function(op, float32(x), float32(y))))
}

func ilogb(x float64) int32 {
	switch {
	case x == 0:
		return math.MinInt32
	case x != x || math.IsInf(x, 0):
		return math.MaxInt32
	}
	return int32(math.Ilogb(x))
}
