package dialects

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// mathFunction is a function of one or two numbers, what OpenCL C allows it to differ by, in units
// in the last place, and its arguments.
type mathFunction struct {
	name   string
	ulps   float64
	want   func(x, y float64) float64
	lo, hi float64 // of x; 0 and 0 are all numbers
	y      [2]float64
}

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func pi(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) / math.Pi }
}

var mathFunctions = []mathFunction{
	{"acos", 4, one(math.Acos), -1, 1, [2]float64{}}, {"acosh", 4, one(math.Acosh), 1, 1e30, [2]float64{}},
	{"acospi", 5, pi(math.Acos), -1, 1, [2]float64{}}, {"asin", 4, one(math.Asin), -1, 1, [2]float64{}},
	{"asinh", 4, one(math.Asinh), 0, 0, [2]float64{}}, {"asinpi", 5, pi(math.Asin), -1, 1, [2]float64{}},
	{"atan", 5, one(math.Atan), 0, 0, [2]float64{}}, {"atanh", 5, one(math.Atanh), -1, 1, [2]float64{}},
	{"atanpi", 5, pi(math.Atan), 0, 0, [2]float64{}}, {"atan2", 6, math.Atan2, -100, 100, [2]float64{-100, 100}},
	{"atan2pi", 6, func(y, x float64) float64 { return math.Atan2(y, x) / math.Pi }, -100, 100, [2]float64{-100, 100}},
	{"cbrt", 2, one(math.Cbrt), 0, 0, [2]float64{}}, {"cos", 4, one(math.Cos), -1000, 1000, [2]float64{}},
	{"cosh", 4, one(math.Cosh), -88, 88, [2]float64{}}, {"erf", 16, one(math.Erf), -6, 6, [2]float64{}},
	{"erfc", 16, one(math.Erfc), -6, 10, [2]float64{}}, {"exp", 3, one(math.Exp), -100, 88, [2]float64{}},
	{"exp2", 3, one(math.Exp2), -130, 127, [2]float64{}},
	{"exp10", 3, func(x, _ float64) float64 { return math.Pow(10, x) }, -40, 38, [2]float64{}},
	{"expm1", 3, one(math.Expm1), -20, 88, [2]float64{}}, {"expm1", 3, one(math.Expm1), -1, 1, [2]float64{}},
	{"fmod", 0, math.Mod, 0, 0, [2]float64{-100, 100}}, {"remainder", 0, math.Remainder, 0, 0, [2]float64{-100, 100}},
	{"hypot", 4, math.Hypot, 0, 0, [2]float64{-1e30, 1e30}}, {"hypot", 4, math.Hypot, -10, 10, [2]float64{-10, 10}},
	{"log", 3, one(math.Log), 0, 1e38, [2]float64{}}, {"log", 3, one(math.Log), 0.5, 2, [2]float64{}},
	{"log2", 3, one(math.Log2), 0, 1e38, [2]float64{}}, {"log10", 3, one(math.Log10), 0, 1e38, [2]float64{}},
	{"log1p", 2, one(math.Log1p), -1, 1, [2]float64{}}, {"log1p", 2, one(math.Log1p), -1, 1e38, [2]float64{}},
	{"pow", 16, math.Pow, 0, 100, [2]float64{-20, 20}}, {"powr", 16, math.Pow, 0.001, 100, [2]float64{-20, 20}},
	{"rsqrt", 2, func(x, _ float64) float64 { return 1 / math.Sqrt(x) }, 0, 1e38, [2]float64{}},
	{"sin", 4, one(math.Sin), -1000, 1000, [2]float64{}}, {"sinh", 4, one(math.Sinh), -88, 88, [2]float64{}},
	{"sqrt", 3, one(math.Sqrt), 0, 1e38, [2]float64{}}, {"tan", 5, one(math.Tan), -100, 100, [2]float64{}},
	{"tanh", 5, one(math.Tanh), -20, 20, [2]float64{}}, {"tgamma", 16, one(math.Gamma), -40, 36, [2]float64{}},
	{"tgamma", 16, one(math.Gamma), 0, 3, [2]float64{}},
	{"lgamma", 1000, one(func(x float64) float64 { v, _ := math.Lgamma(x); return v }), 0, 100, [2]float64{}},
	{"logb", 0, one(math.Logb), 0, 0, [2]float64{}},
	{"nextafter", 0, func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }, 0, 0,
		[2]float64{-1, 1}},
	{"native_divide", 3, func(x, y float64) float64 { return x / y }, -100, 100, [2]float64{1, 2}},
}

// ulps returns by how many units in the last place of a float x differs from want.
func ulps(x float32, want float64) float64 {
	w := float32(want)
	switch {
	case x == w || x != x && want != want:
		return 0
	case math.IsInf(float64(w), 0) || math.IsInf(float64(x), 0):
		// The number after the greatest is infinity.
		if math.Abs(want) < math.MaxFloat32*(1+0x1p-20) && math.Abs(want) > math.MaxFloat32*(1-0x1p-20) {
			return 1
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(x)-want) / math.Ldexp(1, max(e-24, -149))
}

// TestOpenCLMath measures the math functions on samples that are dense in the bits of a float, and
// in the range where a function is interesting.
func TestOpenCLMath(t *testing.T) {
	var text strings.Builder
	for i, f := range mathFunctions {
		args := "x[i]"
		if f.y != [2]float64{} {
			args += ", y[i]"
		}
		fmt.Fprintf(&text, "__kernel void k%d(__global const float *x, __global const float *y, __global float *r) {\n"+
			"  int i = get_global_id(0);\n  r[i] = %s(%s);\n}\n", i, f.name, args)
	}
	m := compile(t, dialect.OpenCL, "math.cl", text.String())
	random := rand.New(rand.NewPCG(2, 37))
	const n = 1 << 11
	for i, f := range mathFunctions {
		x, y, r := make([]float32, n), make([]float32, n), make([]float32, n)
		for k := range x {
			if x[k] = math.Float32frombits(random.Uint32()); f.lo != 0 || f.hi != 0 {
				if x[k] = float32(f.lo + (f.hi-f.lo)*random.Float64()); k%4 == 0 {
					x[k] *= float32(math.Ldexp(1, -random.IntN(30)))
				}
				x[k] = max(x[k], float32(f.lo))
			}
			y[k] = float32(f.y[0] + (f.y[1]-f.y[0])*random.Float64())
		}
		run(t, m, fmt.Sprintf("k%d", i), line(n, 64), x, y, r)
		worst, at := 0.0, 0
		for k := range x {
			if d := ulps(r[k], f.want(float64(x[k]), float64(y[k]))); d > worst {
				worst, at = d, k
			}
		}
		t.Logf("%-12s %8.2f of %g ulps, at %g, %g", f.name, worst, f.ulps, x[at], y[at])
		assert.LessOrEqual(t, worst, f.ulps+0.5, "%s(%g, %g) is %g, want %g", f.name, x[at], y[at], r[at],
			f.want(float64(x[at]), float64(y[at])))
	}
}

func TestOpenCLMathValues(t *testing.T) {
	inf := float32(math.Inf(1))
	values(t, dialect.OpenCL, "", "float inf = INFINITY; float4 f = (float4)(1, 2, 3, 4) + zero; int q; int4 q4; "+
		"float w; float4 w4;", []value{
		{"float", "pown(-2.0f, 3)", float32(-8)},
		{"float", "pown(2.0f, -1)", float32(0.5)},
		{"float", "pown(NAN, 0)", float32(1)},
		{"float", "pown(-0.0f, -3)", -inf}, {"float", "pown(-1.0f, 2147483647)", float32(-1)},
		{"float4", "pown(f, (int4)(5, 3, 2, 0))", [4]float32{1, 8, 9, 1}},
		{"float", "rootn(-27.0f, 3)", float32(-3)},
		{"float", "rootn(16.0f, 2)", float32(4)},
		{"float", "rootn(-1.0f, 2)", float32(math.NaN())},
		{"int", "(remquo(-7.0f, 2.0f, &q), q)", int32(-4)}, {"float", "remquo(-7.0f, 2.0f, &q)", float32(1)},
		{"int4", "(remquo(f, (float4)(2), &q4), q4)", [4]int32{0, 1, 2, 2}},
		{"float", "fract(-1.25f, &w)", float32(0.75)}, {"float", "(fract(-1.25f, &w), w)", float32(-2)},
		{"float4", "(fract(f + 0.5f, &w4), w4)", [4]float32{1, 2, 3, 4}},
		{"float", "frexp(12.0f, &q)", float32(0.75)}, {"int", "(frexp(12.0f, &q), q)", int32(4)},
		{"float", "modf(-1.25f, &w)", float32(-0.25)}, {"float", "(modf(-1.25f, &w), w)", float32(-1)},
		{"int", "ilogb(0.0f)", int32(math.MinInt32)},
		{"int", "ilogb(inf)", int32(math.MaxInt32)},
		{"int", "ilogb(9.0f)", int32(3)},
		{"int4", "ilogb(f)", [4]int32{0, 1, 1, 2}},
		{"float", "logb(0.0f)", -inf},
		{"float", "maxmag(-3.0f, 2.0f)", float32(-3)},
		{"float", "minmag(-3.0f, 2.0f)", float32(2)},
		{"float", "tgamma(5.0f)", float32(24)},
		{"float", "tgamma(-1.0f)", float32(math.NaN())},
		{"float", "tgamma(0.0f)", inf},
		{"float", "lgamma(1.0f)", float32(0)}, {"int", "(lgamma_r(-0.5f, &q), q)", int32(-1)},
		{"float", "sincos(0.0f, &w)", float32(0)}, {"float", "(sincos(0.0f, &w), w)", float32(1)},
		{"float", "log1p(-1.0f)", -inf}, {"float", "expm1(-inf)", float32(-1)}, {"float", "erf(inf)", float32(1)},
		{"float", "erfc(-inf)", float32(2)}, {"float", "cbrt(-8.0f)", float32(-2)}, {"float", "hypot(inf, NAN)", inf},
		{"float", "fmod(5.5f, inf)", float32(5.5)}, {"float4", "fmod(f, (float4)(2))", [4]float32{1, 0, 1, 0}},
		{"float", "mad(2.0f, 3.0f, 4.0f)", float32(10)}, {"float4", "fma(f, f, f)", [4]float32{2, 6, 12, 20}},
		{"float", "ldexp(1.5f, 3)", float32(12)}, {"float4", "ldexp(f, 1)", [4]float32{2, 4, 6, 8}},
		{"float", "fmax(NAN, 1.0f)", float32(1)},
		{"float", "round(-2.5f)", float32(-3)},
		{"float", "rint(-2.5f)", float32(-2)},
		{"float", "sign(-0.5f)", float32(-1)}, {"float", "mix(1.0f, 3.0f, 0.5f)", float32(2)},
		{"float4", "mix(f, -f, 0.5f)", [4]float32{0, 0, 0, 0}}, {"float", "native_sqrt(4.0f)", float32(2)},
		{"float", "half_recip(4.0f)", float32(0.25)}, {"float4", "native_divide(f, f)", [4]float32{1, 1, 1, 1}},
		{"float", "normalize(-3.0f)", float32(-1)}, {"float", "fast_length((float2)(3, 4))", float32(5)},
		{"float4", "smoothstep(0.0f, 1.0f, f)", [4]float32{1, 1, 1, 1}},
	})
}
