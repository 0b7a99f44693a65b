package num

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// unary are the functions of one number: the float64 reference, the error allowed in units in the
// last place, and a checksum over all results, which are the same on every machine.
var unary = []struct {
	op   ir.Op
	want func(float64) float64
	ulps float64
	sum  string
}{
	{ir.OpRSqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, 0.51, "3e616bcb9f29cd43"},
	{ir.OpSin, math.Sin, 1, "1ed97ab58aab6426"}, {ir.OpCos, math.Cos, 1, "e3d592774228f8b4"},
	{ir.OpTan, math.Tan, 1, "7d5c19ac2dad30d0"},
	{ir.OpASin, math.Asin, 0.52, "1b780de39b3e4482"}, {ir.OpACos, math.Acos, 0.52, "7e375ba9905fdaa9"},
	{ir.OpATan, math.Atan, 0.52, "b2cce040d077776e"},
	{ir.OpSinH, math.Sinh, 0.52, "4477011526abd614"}, {ir.OpCosH, math.Cosh, 0.52, "8cfc32cd97855eb7"},
	{ir.OpTanH, math.Tanh, 0.52, "28566e48711641"},
	{ir.OpASinH, math.Asinh, 0.52, "a386b475a22f6c4"}, {ir.OpACosH, math.Acosh, 0.52, "9b7c683286791242"},
	{ir.OpATanH, math.Atanh, 0.52, "afbf8ddc4c45d813"},
	{ir.OpExp, math.Exp, 0.52, "722484923e79e4fa"}, {ir.OpExp2, math.Exp2, 0.52, "7114454e3485337e"},
	{ir.OpExp10, func(x float64) float64 { return math.Pow(10, x) }, 0.52, "6c7aaefc5793048e"},
	{ir.OpLog, math.Log, 0.52, "5956c7dfedd0a1fe"}, {ir.OpLog2, math.Log2, 0.52, "b603b19287fc128"},
	{ir.OpLog10, math.Log10, 0.52, "ad588085e16c9a4c"},
	{ir.OpSinPi, sinPi, 0.52, "12a0306cbaf2d363"},
	{ir.OpCosPi, func(x float64) float64 { return math.Sin(math.Pi * (0.5 - math.Abs(math.Remainder(x, 2)))) }, 0.52,
		"5f22dc7ff7f9e341"},
}

// sinPi returns sin(pi*x).
func sinPi(x float64) float64 {
	x = math.Remainder(x, 2)
	if math.Abs(x) > 0.5 {
		x = math.Copysign(1, x) - x
	}
	return math.Sin(math.Pi * x)
}

// errorOf returns the distance of a result from the reference in units in the last place of the
// reference. For zeros, infinities and NaNs it is 0 if they are right and infinity otherwise.
func errorOf(have float32, want float64) float64 {
	rounded := float32(want)
	switch {
	case have != have || want != want:
		if have != have && want != want {
			return 0
		}
		return math.Inf(1)
	case have == rounded:
		return 0
	case math.IsInf(float64(have), 0) || math.IsInf(float64(rounded), 0):
		return math.Inf(1)
	}
	ulp := float64(math.Float32frombits(math.Float32bits(float32(math.Abs(want)))&^(1<<23-1))) * 0x1p-23
	return math.Abs(float64(have)-want) / max(ulp, 0x1p-149)
}

// TestFunctions compares each function of one number with float64, over all exponents and both
// signs.
func TestFunctions(t *testing.T) {
	for _, test := range unary {
		t.Run(test.op.String(), func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(test.op)))
			sum := fnv.New64a()
			worst, at := 0.0, float32(0)
			for exponent := range uint32(512) {
				for n := range 64 {
					bits := exponent<<23 | r.Uint32()>>9
					if n < 2 {
						bits = exponent<<23 | -uint32(n)>>9
					}
					x := math.Float32frombits(bits)
					have := function(test.op, x, 0)
					if e := errorOf(have, test.want(float64(x))); e > worst {
						worst, at = e, x
					}
					if have != have {
						have = 0
					}
					fmt.Fprintf(sum, "%x ", math.Float32bits(have))
				}
			}
			assert.LessOrEqual(t, worst, test.ulps, "at %v: %v", at, function(test.op, at, 0))
			assert.Equal(t, test.sum, fmt.Sprintf("%x", sum.Sum64()), "the results have changed")
		})
	}
}

// TestPowers tests pow and atan2 over all exponents.
func TestPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 300_000 {
		x := math.Float32frombits(r.Uint32())
		y := float32(r.NormFloat64() * math.Exp(r.NormFloat64()*3))
		if r.IntN(4) == 0 {
			y = float32(r.IntN(40) - 20)
		}
		require.LessOrEqual(t, errorOf(Pow(x, y), math.Pow(float64(x), float64(y))), 0.52, "pow(%v, %v)", x, y)
		y = math.Float32frombits(math.Float32bits(x) + r.Uint32()>>(r.Uint32()%9))
		require.LessOrEqual(t, errorOf(ATan2(x, y), math.Atan2(float64(x), float64(y))), 0.52, "atan2(%v, %v)", x, y)
	}
}

// TestSpecialValues: at zeros, infinities, NaNs and poles the functions follow C's Annex F, like
// Go's.
func TestSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	same := func(a float32, b float64) bool {
		return a != a && b != b || float64(a) == b && math.Signbit(float64(a)) == math.Signbit(b)
	}
	zero := float32(0)
	specials := []float32{0, -zero * -1, float32(math.Copysign(0, -1)), 1, -1, 2, -2, 3, -3, 0.5, -0.5, 2.5, inf, -inf,
		nan, 1 << 24, 1<<24 + 2, -(1 << 25), 1e-45}
	for _, x := range specials {
		for _, test := range unary {
			want := float64(float32(test.want(float64(x))))
			if test.op == ir.OpSinPi || test.op == ir.OpCosPi {
				continue
			}
			assert.True(t, same(function(test.op, x, 0), want), "%v(%v): %v, want %v", test.op, x, function(test.op, x, 0), want)
		}
		for _, y := range specials {
			assert.True(t, same(Pow(x, y), float64(float32(math.Pow(float64(x), float64(y))))), "pow(%v, %v): %v", x, y,
				Pow(x, y))
			assert.LessOrEqual(t, errorOf(ATan2(x, y), math.Atan2(float64(x), float64(y))), 0.52, "atan2(%v, %v)", x, y)
			assert.Equal(t, math.Signbit(float64(y)), math.Signbit(float64(ATan2(y, 1))) || y != y && math.Signbit(float64(y)))
		}
	}
	for n := -5; n <= 5; n++ {
		x := float32(n)
		assert.True(t, same(SinPi(x), math.Copysign(0, float64(x))), "sinpi(%v): %v", x, SinPi(x))
		assert.True(t, same(CosPi(x), 1-2*float64(n&1)), "cospi(%v)", x)
		assert.True(t, same(CosPi(x+0.5), 0), "cospi(%v)", x+0.5)
		assert.True(t, same(SinPi(x+0.5), 1-2*float64(n&1)), "sinpi(%v)", x+0.5)
		assert.True(t, math.IsInf(float64(TanPi(x+0.5)), 0), "tanpi(%v)", x+0.5)
	}
	for _, f := range []func(float32) float32{SinPi, CosPi, TanPi, Sin, Cos, Tan} {
		assert.True(t, f(inf) != f(inf) && f(-inf) != f(-inf) && f(nan) != f(nan))
	}
	for e := -30; e < 38; e++ { // powers of ten have integer logarithms
		if x := float32(math.Pow10(e)); float64(x) == math.Pow10(e) {
			assert.EqualValues(t, e, Log10(x))
		}
	}
}

func BenchmarkFunctions(b *testing.B) {
	for _, test := range unary {
		b.Run(test.op.String(), func(b *testing.B) {
			f := function
			x, sum := float32(0.1), float32(0)
			for b.Loop() {
				for i := range 256 {
					sum += f(test.op, x+float32(i)/512, 0)
				}
			}
			_ = sum
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/256, "ns/number")
		})
	}
}

// TestFarAngle has the sine of a large number that is near a multiple of pi, computed with 120
// digits.
func TestFarAngle(t *testing.T) {
	assert.Equal(t, float32(0.00000327584643119438), Sin(4.0624105e+37))
	assert.Equal(t, float32(-0.00000327584643119438), Sin(-4.0624105e+37))
}
