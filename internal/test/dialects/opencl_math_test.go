package dialects

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

var denseUlps = flag.Int("ulps.samples", 1<<11, "arguments for each function of TestOpenCLMath")

// mathFunction is an expression of a and b, by how many units in the last place OpenCL C allows it
// to differ from its value, and its arguments.
type mathFunction struct {
	expr   string
	ulps   float64
	want   func(x, y float64) float64
	lo, hi float64 // of a; 0 and 0 are all numbers
	y      [2]float64
}

const nearest = 0.5 // correctly nearest

func one(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) }
}

func pi(f func(float64) float64) func(x, y float64) float64 {
	return func(x, _ float64) float64 { return f(x) / math.Pi }
}

// turns returns the sine and the cosine of x half turns. What is beyond the next quarter is exact.
func turns(x float64) (sin, cos float64) {
	r := math.Mod(x, 2)
	near := math.Round(2 * r)
	s, c := math.Sincos((r - near/2) * math.Pi)
	quarter := int(near) & 3
	return [4]float64{s, c, -s, -c}[quarter], [4]float64{c, -s, -c, s}[quarter]
}

func sinpi(x, _ float64) float64 { s, _ := turns(x); return s }

func cospi(x, _ float64) float64 { _, c := turns(x); return c }

func tanpi(x, _ float64) float64 {
	s, c := turns(x)
	if c == 0 { // positive if the whole number below is even
		return math.Inf(1 - 2*int(math.Mod(math.Abs(math.Floor(x)), 2)))
	}
	return s / c
}

var (
	noY     [2]float64
	anyY    = [2]float64{-math.MaxFloat32, math.MaxFloat32}
	powerY  = [2]float64{-1e9, 1e9} // as large as the result allows
	divided = func(x, y float64) float64 { return x / y }
	exp10   = one(func(x float64) float64 { return math.Pow(10, x) })
	power   = func(x, y float64) float64 { return math.Pow(x, y) }
	root    = func(x, y float64) float64 { return math.Copysign(math.Pow(math.Abs(x), 1/y), x) }
	rsqrt   = one(func(x float64) float64 { return 1 / math.Sqrt(x) })
	lgamma  = one(func(x float64) float64 { v, _ := math.Lgamma(x); return v })
	largest = func(x, y float64) float64 {
		if math.Abs(x) == math.Abs(y) {
			return max(x, y)
		}
		return map[bool]float64{true: x, false: y}[math.Abs(x) > math.Abs(y)]
	}
)

// mathFunctions are the functions of the table of OpenCL 1.2 in section 7.4. The functions of
// package math are within two units in the last place of a float64, which is nothing here.
var mathFunctions = []mathFunction{
	{"a + b", nearest, func(x, y float64) float64 { return x + y }, -1e9, 1e9, [2]float64{-1e9, 1e9}},
	{"1 / a", 2.5, one(func(x float64) float64 { return 1 / x }), 0, 0, noY}, {"a / b", 2.5, divided, 0, 0, anyY},
	{"acos(a)", 4, one(math.Acos), -1, 1, noY}, {"acosh(a)", 4, one(math.Acosh), 1, math.MaxFloat32, noY},
	{"acosh(a)", 4, one(math.Acosh), 1, 2, noY}, {"acospi(a)", 5, pi(math.Acos), -1, 1, noY},
	{"asin(a)", 4, one(math.Asin), -1, 1, noY}, {"asinh(a)", 4, one(math.Asinh), 0, 0, noY},
	{"asinpi(a)", 5, pi(math.Asin), -1, 1, noY}, {"atan(a)", 5, one(math.Atan), 0, 0, noY},
	{"atanh(a)", 5, one(math.Atanh), -1, 1, noY}, {"atanpi(a)", 5, pi(math.Atan), 0, 0, noY},
	{"atan2(a, b)", 6, math.Atan2, 0, 0, anyY}, {"atan2(a, b)", 6, math.Atan2, -100, 100, [2]float64{-100, 100}},
	{"atan2pi(a, b)", 6, func(y, x float64) float64 { return math.Atan2(y, x) / math.Pi }, 0, 0, anyY},
	{"atan2pi(a, b)", 6, func(y, x float64) float64 { return math.Atan2(y, x) / math.Pi }, -100, 100,
		[2]float64{-100, 100}},
	{"cbrt(a)", 2, one(math.Cbrt), 0, 0, noY}, {"ceil(a)", 0, one(math.Ceil), 0, 0, noY},
	{"copysign(a, b)", 0, math.Copysign, 0, 0, anyY}, {"cos(a)", 4, one(math.Cos), 0, 0, noY},
	{"cos(a)", 4, one(math.Cos), -100, 100, noY}, {"cosh(a)", 4, one(math.Cosh), -89.4, 89.4, noY},
	{"cospi(a)", 4, cospi, 0, 0, noY}, {"cospi(a)", 4, cospi, -9, 9, noY},
	{"degrees(a)", 2, one(func(x float64) float64 { return x * (180 / math.Pi) }), 0, 0, noY},
	{"radians(a)", 2, one(func(x float64) float64 { return x * (math.Pi / 180) }), 0, 0, noY},
	{"erfc(a)", 16, one(math.Erfc), 0, 0, noY}, {"erfc(a)", 16, one(math.Erfc), -6, 10, noY},
	{"erf(a)", 16, one(math.Erf), 0, 0, noY}, {"erf(a)", 16, one(math.Erf), -6, 6, noY},
	{"exp(a)", 3, one(math.Exp), 0, 0, noY}, {"exp(a)", 3, one(math.Exp), -104, 89, noY},
	{"exp2(a)", 3, one(math.Exp2), 0, 0, noY}, {"exp2(a)", 3, one(math.Exp2), -150, 128, noY},
	{"exp10(a)", 3, exp10, 0, 0, noY}, {"exp10(a)", 3, exp10, -45, 39, noY},
	{"expm1(a)", 3, one(math.Expm1), 0, 0, noY}, {"expm1(a)", 3, one(math.Expm1), -20, 88, noY},
	{"expm1(a)", 3, one(math.Expm1), -1, 1, noY},
	{"fdim(a, b)", nearest, math.Dim, -100, 100, [2]float64{-100, 100}}, {"floor(a)", 0, one(math.Floor), 0, 0, noY},
	{"fma(a, b, a)", nearest, func(x, y float64) float64 { return math.FMA(x, y, x) }, -1e9, 1e9, [2]float64{-1, 1}},
	{"fmax(a, b)", 0, math.Max, 0, 0, anyY}, {"fmin(a, b)", 0, math.Min, 0, 0, anyY},
	{"fmod(a, b)", 0, math.Mod, 0, 0, anyY}, {"fmod(a, b)", 0, math.Mod, -1e6, 1e6, [2]float64{-10, 10}},
	{"fract(a, &f)", nearest, one(func(x float64) float64 { return min(x-math.Floor(x), 0x1.fffffep-1) }), 0, 0, noY},
	{"frexp(a, &i)", 0, one(func(x float64) float64 { v, _ := math.Frexp(x); return v }), 0, 0, noY},
	{"(frexp(a, &i), (float)i)", 0, one(func(x float64) float64 { _, e := math.Frexp(x); return float64(e) }), 0, 0, noY},
	{"hypot(a, b)", 4, math.Hypot, 0, 0, anyY}, {"hypot(a, b)", 4, math.Hypot, -10, 10, [2]float64{-10, 10}},
	{"(float)ilogb(a)", 0, one(math.Logb), 0x1p-149, math.MaxFloat32, noY},
	{"ldexp(a, (int)b)", nearest, func(x, y float64) float64 { return math.Ldexp(x, int(y)) }, 0, 0,
		[2]float64{-280, 280}},
	{"log(a)", 3, one(math.Log), 0, math.MaxFloat32, noY}, {"log(a)", 3, one(math.Log), 0.5, 2, noY},
	{"log2(a)", 3, one(math.Log2), 0, math.MaxFloat32, noY},
	{"log2(a)", 3, one(func(x float64) float64 { return math.Log1p(x-1) / math.Ln2 }), 0.5, 2, noY},
	{"log10(a)", 3, one(math.Log10), 0, math.MaxFloat32, noY},
	{"log10(a)", 3, one(func(x float64) float64 { return math.Log1p(x-1) / math.Ln10 }), 0.5, 2, noY},
	{"log1p(a)", 2, one(math.Log1p), -1, 1, noY}, {"log1p(a)", 2, one(math.Log1p), -1, math.MaxFloat32, noY},
	{"logb(a)", 0, one(math.Logb), 0, 0, noY}, {"maxmag(a, b)", 0, largest, -9, 9, [2]float64{-9, 9}},
	{"minmag(a, b)", 0, func(x, y float64) float64 {
		if largest(x, y) == x {
			return y
		}
		return x
	}, -9, 9, [2]float64{-9, 9}},
	{"modf(a, &f)", 0, one(func(x float64) float64 { _, v := math.Modf(x); return v }), 0, 0, noY},
	{"nextafter(a, b)", 0, func(x, y float64) float64 { return float64(math.Nextafter32(float32(x), float32(y))) }, 0, 0,
		anyY},
	{"pow(a, b)", 16, power, 0, math.MaxFloat32, powerY}, {"pow(a, b)", 16, power, 0.5, 2, powerY},
	{"powr(a, b)", 16, power, 0, math.MaxFloat32, powerY}, {"powr(a, b)", 16, power, 0.5, 2, powerY},
	{"pown(a, (int)b)", 16, func(x, y float64) float64 { return math.Pow(x, math.Trunc(y)) }, 0, 0, powerY},
	{"pown(a, (int)b)", 16, func(x, y float64) float64 { return math.Pow(x, math.Trunc(y)) }, 0.9, 1.1, powerY},
	{"rootn(a, (int)b * 2 + 1)", 16, func(x, y float64) float64 { return root(x, math.Trunc(y)*2+1) }, 0, 0,
		[2]float64{-100, 100}},
	{"rootn(a, (int)b + 1)", 16, func(x, y float64) float64 { return root(x, math.Trunc(y)+1) }, 0, math.MaxFloat32,
		[2]float64{0, 1e9}},
	{"remainder(a, b)", 0, math.Remainder, 0, 0, anyY},
	{"remainder(a, b)", 0, math.Remainder, -1e6, 1e6, [2]float64{-10, 10}},
	{"remquo(a, b, &i)", 0, math.Remainder, 0, 0, anyY}, {"rint(a)", 0, one(math.RoundToEven), 0, 0, noY},
	{"round(a)", 0, one(math.Round), 0, 0, noY}, {"rsqrt(a)", 2, rsqrt, 0, math.MaxFloat32, noY},
	{"sin(a)", 4, one(math.Sin), 0, 0, noY}, {"sin(a)", 4, one(math.Sin), -100, 100, noY},
	{"sincos(a, &f)", 4, one(math.Sin), 0, 0, noY}, {"(sincos(a, &f), f)", 4, one(math.Cos), 0, 0, noY},
	{"sinh(a)", 4, one(math.Sinh), 0, 0, noY}, {"sinh(a)", 4, one(math.Sinh), -89.4, 89.4, noY},
	{"sinpi(a)", 4, sinpi, 0, 0, noY}, {"sinpi(a)", 4, sinpi, -9, 9, noY},
	{"sqrt(a)", 3, one(math.Sqrt), 0, math.MaxFloat32, noY}, {"tan(a)", 5, one(math.Tan), 0, 0, noY},
	{"tan(a)", 5, one(math.Tan), -100, 100, noY}, {"tanh(a)", 5, one(math.Tanh), 0, 0, noY},
	{"tanh(a)", 5, one(math.Tanh), -10, 10, noY}, {"tanpi(a)", 6, tanpi, 0, 0, noY},
	{"tanpi(a)", 6, tanpi, -9, 9, noY}, {"tgamma(a)", 16, one(math.Gamma), 0, 0, noY},
	{"tgamma(a)", 16, one(math.Gamma), -42, 36, noY}, {"tgamma(a)", 16, one(math.Gamma), 0, 3, noY},
	{"trunc(a)", 0, one(math.Trunc), 0, 0, noY},
	{"length((float2)(a, b))", 3.75, math.Hypot, 0, 0, anyY},
	{"distance((float2)(a, 0), (float2)(0, b))", 3.75, math.Hypot, -100, 100, [2]float64{-100, 100}},
	{"normalize((float2)(a, b)).x", 4, func(x, y float64) float64 { return x / math.Hypot(x, y) }, 0, 0, anyY},
	// Not in the table: this library's own promise.
	{"lgamma(a)", 1000, lgamma, 0, 100, noY}, {"lgamma(a)", 1000, lgamma, 3, math.MaxFloat32 / 100, noY},
	// 2^16 is where OpenCL defines half_sin and its sisters.
	{"half_cos(a)", 8192, one(math.Cos), -65536, 65536, noY}, {"half_divide(a, b)", 8192, divided, -1e9, 1e9,
		[2]float64{-1e9, 1e9}},
	{"half_exp(a)", 8192, one(math.Exp), -87, 88, noY}, {"half_exp2(a)", 8192, one(math.Exp2), -126, 128, noY},
	{"half_exp10(a)", 8192, exp10, -37, 38, noY}, {"half_log(a)", 8192, one(math.Log), 0x1p-126, math.MaxFloat32, noY},
	{"half_log2(a)", 8192, one(math.Log2), 0x1p-126, math.MaxFloat32, noY},
	{"half_log10(a)", 8192, one(math.Log10), 0x1p-126, math.MaxFloat32, noY},
	{"half_powr(a, b)", 8192, power, 0x1p-100, 0x1p100, powerY},
	{"half_recip(a)", 8192, one(func(x float64) float64 { return 1 / x }), 0x1p-100, 0x1p100, noY},
	{"half_rsqrt(a)", 8192, rsqrt, 0x1p-126, math.MaxFloat32, noY},
	{"half_sin(a)", 8192, one(math.Sin), -65536, 65536, noY},
	{"half_sqrt(a)", 8192, one(math.Sqrt), 0x1p-126, math.MaxFloat32, noY},
	{"half_tan(a)", 8192, one(math.Tan), -65536, 65536, noY},
	{"native_exp(a)", 8192, one(math.Exp), -87, 88, noY}, {"native_log(a)", 8192, one(math.Log), 1.1, 1e38, noY},
	{"native_rsqrt(a)", 8192, rsqrt, 0x1p-126, math.MaxFloat32, noY},
	{"native_divide(a, b)", 3, divided, -100, 100, [2]float64{1, 2}},
}

// ulps returns by how many units in the last place of a float x differs from want.
func ulps(x float32, want float64) float64 {
	w := float32(want)
	switch {
	case x == w && math.Float32bits(x) == math.Float32bits(w) && math.IsInf(want, 0), x != x && want != want:
		return 0
	case math.IsInf(float64(w), 0) || math.IsInf(float64(x), 0):
		// What follows the greatest number is infinity.
		last := math.Ldexp(1, 104)
		value := func(v float64) float64 { return math.Copysign(min(math.Abs(v), 0x1p128), v) }
		if math.Abs(want) < 0x1p128+1000*last {
			return math.Abs(value(float64(x))-value(want)) / last
		}
		if math.IsInf(float64(x), 0) == math.IsInf(float64(w), 0) && x > 0 == (want > 0) {
			return 0
		}
		return math.Inf(1)
	}
	_, e := math.Frexp(want)
	return math.Abs(float64(x)-want) / math.Ldexp(1, max(e-24, -149))
}

// number returns a number from lo to hi: one of those that are floats, or of all, which has more
// that are large.
func number(random *rand.Rand, lo, hi float64) float32 {
	every := math.Float32frombits(random.Uint32())
	switch {
	case lo == 0 && hi == 0 || lo == anyY[0]:
		return every
	case random.IntN(2) == 0 && float64(every) >= lo && float64(every) <= hi:
		return every
	}
	return float32(min(max(lo+(hi-lo)*random.Float64(), lo), hi))
}

// TestOpenCLMath measures the math functions on samples that are dense in the bits of a float, and
// in the range where a function is interesting. More samples take
//
//	go test -run 'TestOpenCLMath$' -v ./internal/test/dialects -ulps.samples=1000000
func TestOpenCLMath(t *testing.T) {
	var text strings.Builder
	for i, f := range mathFunctions {
		fmt.Fprintf(&text, "__kernel void k%d(__global const float *x, __global const float *y, __global float *r) {\n"+
			"  int n = get_global_id(0), i;\n  float a = x[n], b = y[n], f;\n  r[n] = %s;\n}\n", i, f.expr)
	}
	m := compile(t, dialect.OpenCL, "math.cl", text.String())
	random := rand.New(rand.NewPCG(2, 37))
	n := *denseUlps
	x, y, r := make([]float32, n), make([]float32, n), make([]float32, n)
	for i, f := range mathFunctions {
		for k := range x {
			x[k], y[k] = number(random, f.lo, f.hi), number(random, f.y[0], f.y[1])
			if f.y == powerY { // results are numbers
				y[k] = float32(min(150/math.Abs(math.Log2(math.Abs(float64(x[k])))), 1e9) * (2*random.Float64() - 1))
			}
		}
		if name := fmt.Sprintf("k%d", i); n <= 1<<12 {
			run(t, m, name, line(n, 64), x, y, r)
		} else { // on one engine, and without the text
			b := map[int]testlaunch.Buffer{0: {Data: encode(t, x)}, 1: {Data: encode(t, y)}, 2: {Data: encode(t, r)}}
			require.NoError(t, exectest.Quick.Run(m.IR.Func(name), &testlaunch.Launch{Grid: [3]int{n, 1, 1},
				Group: [3]int{64, 1, 1}, Buffers: b}))
			_, err := binary.Decode(b[2].Data, binary.LittleEndian, r)
			require.NoError(t, err)
		}
		worst, at := 0.0, 0
		for k := range x {
			if d := ulps(r[k], f.want(float64(x[k]), float64(y[k]))); !(d <= worst) {
				worst, at = d, k
			}
		}
		t.Logf("%-28s %8.2f of %g ulps, at %g, %g", f.expr, worst, f.ulps, x[at], y[at])
		assert.LessOrEqual(t, worst, f.ulps, "%s of %g, %g is %g, want %g", f.expr, x[at], y[at], r[at],
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
