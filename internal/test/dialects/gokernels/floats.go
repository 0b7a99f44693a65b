package gokernels

import (
	"math"

	"github.com/puremetal/puremetal/kernel"
)

// Floats are operations that are exact in float32.
//
//puremetal:kernel
func Floats(t *kernel.Thread, x, y, out []float32) {
	i := int(t.Global.X)
	if i >= len(x) || i >= len(y) || i*32+31 >= len(out) {
		return
	}
	a, b, o := x[i], y[i], out[i*32:]
	o[0] = a*b + x[0] // rounded twice
	o[1] = a/b - b
	o[2] = min(a, b)
	o[3] = max(a, b)
	o[4] = -a
	o[5] = float32(math.Sqrt(float64(a)))
	o[6] = float32(math.Abs(float64(a)))
	o[7] = float32(math.Floor(float64(a)))
	o[8] = float32(math.Ceil(float64(a)))
	o[9] = float32(math.Trunc(float64(a)))
	o[10] = float32(math.Round(float64(a)))
	o[11] = float32(math.RoundToEven(float64(a)))
	o[12] = float32(math.Copysign(float64(a), float64(b)))
	o[13] = float32(math.Max(float64(a), float64(b)))
	o[14] = float32(math.Min(float64(a), 2.5))
	o[15] = math.Float32frombits(math.Float32bits(a) ^ 1)
	o[16] = float32(math.Mod(float64(a), float64(b)))
	o[17] = 0.1 + a
	o[18] = math.Pi * a
	if math.IsNaN(float64(a)) {
		o[19] = 1
	}
	if math.IsInf(float64(a), 0) {
		o[20] = 1
	}
	if math.IsInf(float64(a), -1) {
		o[21] = 1
	}
	if math.Signbit(float64(a)) {
		o[22] = 1
	}
	o[23] = float32(math.Inf(1))
	o[24] = float32(int32(i)) / 3
	o[25] = float32(math.FMA(float64(a), float64(b), float64(x[0])))
	if a < b && a != b || a >= b {
		o[26] = 1
	}
	if a != a {
		o[27] = 1
	}
	o[28] = float32(math.Sqrt(math.Abs(float64(b))))
	o[29] = a*b - a*b
}
