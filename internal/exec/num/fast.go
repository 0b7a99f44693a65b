package num

import (
	"math"

	"github.com/puremetal/puremetal/internal/ir"
)

// minimum and maximum return the second operand if the first is not less or greater, also for a
// NaN, as the instructions of vector units do.
func minimum[T float32 | float64](x, y T) T {
	if x < y {
		return x
	}
	return y
}

func maximum[T float32 | float64](x, y T) T {
	if x > y {
		return x
	}
	return y
}

// scale returns p * 2**n, rounded once, for an integer n from -252 to 254 and a p near 1.
func scale(p, n float32) float32 {
	i := int32(n)
	half := i >> 1
	power := func(n int32) float32 { return math.Float32frombits(uint32(n+127) << 23) }
	return float32(float32(p*power(half)) * power(i-half))
}

// Flagged executes an operation with its flags: under ir.Fast, most mathematical functions have
// another definition. Otherwise it is like Scalar.
func Flagged(op ir.Op, flags ir.Flags, from, to ir.Kind, x [4]uint64) [2]uint64 {
	if flags&ir.Fast != 0 && from.IsFloat() {
		a, b := float32(ir.BitsFloat(from, x[0])), float32(ir.BitsFloat(from, x[1]))
		if r, ok := fastFunction(op, a, b); ok {
			return [2]uint64{Round(from, float64(r))}
		}
	}
	return Scalar(op, from, to, x)
}
