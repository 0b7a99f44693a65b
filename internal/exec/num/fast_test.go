package num

import (
	"flag"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
)

var stride = flag.Uint64("num.stride", 0, "test the functions of fast math on each nth of the 2^32 numbers as well; "+
	"1 takes some minutes a function")

// fastUnary are the functions of one number under fast math: the float64 reference, the error that
// the Metal Shading Language specification allows, in units in the last place of the result, and a
// checksum over the results of a sample.
var fastUnary = []struct {
	op      ir.Op
	want    func(float64) float64
	allowed func(x, want, unit float64) float64
	sum     string
}{
	{ir.OpExp, exp, allowedExp, "481d029250c643ca"},
	{ir.OpExp2, exp2, allowedExp, "44416fdc558fbe95"},
	// exp2(x * log2(10)): the product is rounded.
	{ir.OpExp10, func(x float64) float64 { return exp(x * math.Ln10) },
		func(x, want, unit float64) float64 { return allowedExp(x*math.Log2(10), want, unit) }, "417e33e6e033f341"},
	{ir.OpLog, exactLog(1), allowedLog(0x1p-21, 3), "88dcf5069addf682"},
	{ir.OpLog2, exactLog(1 / math.Ln2), allowedLog(0x1p-22, 2), "b34fec5048198b51"},
	{ir.OpLog10, exactLog(1 / math.Ln10), allowedLog(0x1p-22*0.30103, 3), "82a69999d851e25f"}, // log2(x) * log10(2)
	{ir.OpSin, func(x float64) float64 { return sinAt(quadrant(float32(x))) }, allowedWave, "8d536f9b6ccd2a41"},
	{ir.OpCos, func(x float64) float64 { q, r := quadrant(float32(x)); return sinAt(q+1, r) }, allowedWave,
		"7eb374f13a4a011c"},
	{ir.OpTan, math.Tan, func(x, want, unit float64) float64 { // sin(x) * (1 / cos(x))
		return 0x1p-13 * (1 + math.Abs(want)) * math.Sqrt(1+want*want) / unit
	}, "1b7a482df1d4e7cf"},
	// Half a sum or difference of exp(x) and exp(-x).
	{ir.OpSinH, math.Sinh, func(x, want, unit float64) float64 {
		return (allowedExp(x, want, unit)+1)*math.Cosh(x)/max(math.Abs(want), 0x1p-149) + 1
	}, "7875e2d96c59a5a1"},
	{ir.OpCosH, math.Cosh, func(x, want, unit float64) float64 { return allowedExp(x, want, unit) + 1 },
		"202c36730c58174d"},
	// (t - 1) / (t + 1) with t = exp(2x).
	{ir.OpTanH, math.Tanh, func(x, want, unit float64) float64 {
		return (3+math.Floor(math.Abs(4*x)))*0x1p-23/unit + 3
	}, "4de31281c73412cd"},
	{ir.OpRSqrt, func(x float64) float64 { return 1 / math.Sqrt(x) }, func(_, _, _ float64) float64 { return 2 },
		"4859670bd91a21fb"},
	{ir.OpSinPi, func(x float64) float64 { return sinAt(turn(float32(x))) }, allowedWave, "a44bd30a1accab28"},
	{ir.OpCosPi, func(x float64) float64 { q, r := turn(float32(x)); return sinAt(q+1, r) + 0 }, allowedWave,
		"596b6f35182ff3dd"},
	{ir.OpTanPi, func(x float64) float64 { q, r := turn(float32(x)); return sinAt(q, r) / (sinAt(q+1, r) + 0) },
		func(x, want, unit float64) float64 { // sinpi(x) * (1 / cospi(x))
			return 0x1p-13 * (1 + math.Abs(want)) * math.Sqrt(1+want*want) / unit
		}, "994189f1b7925aa1"},
	{ir.OpASin, math.Asin, fiveUnits, "aea2c04be3d19230"},
	{ir.OpACos, math.Acos, fiveUnits, "91914814749550dd"},
	{ir.OpATan, math.Atan, fiveUnits, "10b8fb779996676a"},
	// log(x + sqrt(x*x + 1)), log(x + sqrt(x*x - 1)) and log((1+x) / (1-x)) / 2: the operands are
	// rounded.
	{ir.OpASinH, math.Asinh, allowedInverse(func(x float64) float64 { return math.Abs(x) + math.Sqrt(x*x+1) }),
		"538007984368c631"},
	{ir.OpACosH, math.Acosh, allowedInverse(func(x float64) float64 { return x + math.Sqrt(x*x-1) }), "f3dbbece2963ab7b"},
	{ir.OpATanH, math.Atanh, allowedInverse(func(x float64) float64 { return (1 + x) / (1 - x) }), "269c7c82386d74bd"},
}

func fiveUnits(_, _, _ float64) float64 { return 5 }

// allowedInverse returns the bound of the logarithm of a number, of which four units are rounded.
func allowedInverse(of func(float64) float64) func(x, want, unit float64) float64 {
	log := allowedLog(0x1p-21, 3)
	return func(x, want, unit float64) float64 { return log(of(x), want, unit) + 4*0x1p-24/unit }
}

// exactLog returns a logarithm in float64.
func exactLog(factor float64) func(float64) float64 {
	return func(x float64) float64 {
		if x > 0 && x <= math.MaxFloat32 {
			return log(x) * factor
		}
		return float64(logLimit(float32(x)))
	}
}

func allowedExp(x, _, _ float64) float64 { return 3 + math.Floor(math.Abs(2*x)) }

// allowedLog returns the bound of a logarithm: an absolute one from 1/2 to 2, otherwise units.
func allowedLog(near, units float64) func(x, want, unit float64) float64 {
	return func(x, _, unit float64) float64 {
		if x >= 0.5 && x <= 2 {
			return near / unit
		}
		return units
	}
}

// allowedWave is the absolute bound of sines and cosines. The specification states it for |x| up
// to pi; package fast keeps it far beyond.
func allowedWave(_, _, unit float64) float64 { return 0x1p-13 / unit }

// worst is the largest error of a function found so far.
type worst struct{ units, at float64 }

// TestFastMath tests the error of each function of one number against the bound that its
// definition states and the one of Metal's specification, over all exponents and signs, and with
// -num.stride 1 over all numbers.
func TestFastMath(t *testing.T) {
	for _, test := range fastUnary {
		t.Run(test.op.String(), func(t *testing.T) {
			t.Parallel()
			p := fast.Of(test.op)
			var far bool
			most, sum := worst{}, fnv.New64a()
			one := func(bits uint32, record bool) {
				x := math.Float32frombits(bits)
				have, ok := fastFunction(test.op, x, 0)
				if !ok {
					t.Fatal("has no definition")
				}
				want := test.want(float64(x))
				if record {
					if have != have {
						have = float32(math.NaN())
					}
					fmt.Fprintf(sum, "%x ", math.Float32bits(have))
				}
				if far = p.Within != "" && math.Abs(float64(x)) > 1<<20; far {
					return // TestFastFarAngles
				}
				e := errorOf(have, want)
				if math.Abs(want) < 0x1p-126 && want != 0 && e <= 1 {
					return // denormals
				}
				if e > most.units {
					most.units, most.at = e, float64(x)
				}
				unit := unitOf(want)
				if a := test.allowed(float64(x), want, unit); e > a {
					t.Fatalf("%v(%v): have %v, want %v: off by %v units, more than Metal's %v", test.op, x, have, want, e, a)
				}
			}
			r := rand.New(rand.NewPCG(3, uint64(test.op)))
			for exponent := range uint32(512) {
				for n := range 512 {
					bits := exponent<<23 | r.Uint32()>>9
					if n < 2 {
						bits = exponent<<23 | -uint32(n)>>9
					}
					one(bits, n < 64)
				}
			}
			if *stride > 0 {
				for bits := uint64(0); bits < 1<<32; bits += *stride {
					one(uint32(bits), false)
				}
				t.Logf("largest error %.4f units, at %v", most.units, most.at)
			}
			assert.LessOrEqual(t, most.units, p.Units, "at %v", most.at)
			assert.Equal(t, test.sum, fmt.Sprintf("%x", sum.Sum64()), "the results have changed")
		})
	}
}

// unitOf returns the unit in the last place of a result.
func unitOf(want float64) float64 {
	if f := float32(math.Abs(want)); f-f == 0 {
		return max(float64(math.Float32frombits(math.Float32bits(f)&^(1<<23-1)))*0x1p-23, 0x1p-149)
	}
	return 0x1p104
}

// TestFastFarAngles: beyond what the units in the last place are stated for, angles up to 2^40 have
// a small absolute error, and larger ones count as 0.
func TestFastFarAngles(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 200_000 {
		x := math.Float32frombits((127+20+r.Uint32N(20))<<23 | r.Uint32()>>9 | r.Uint32()&(1<<31))
		limit := max(0x1p-22, math.Abs(float64(x))*0x1p-52)
		require.InDelta(t, math.Sin(float64(x)), FastSin(x), limit, x)
		require.InDelta(t, math.Cos(float64(x)), FastCos(x), limit, x)
	}
	for _, x := range []float32{1 << 40, -(1 << 41), math.MaxFloat32} {
		assert.EqualValues(t, 0, FastSin(x), x)
		assert.EqualValues(t, 1, FastCos(x), x)
		assert.EqualValues(t, 0, FastTan(x), x)
	}
}

// TestFastPowers tests pow and powr over all exponents. Metal's bound is that of exp2(y*log2(x)).
func TestFastPowers(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 3))
	most := worst{}
	for range 1_000_000 {
		x := math.Float32frombits(r.Uint32())
		y := float32(r.NormFloat64() * math.Exp(r.NormFloat64()*3))
		switch r.IntN(4) {
		case 0:
			y = float32(r.IntN(40) - 20)
		case 1:
			x = float32(1 + r.NormFloat64()*math.Exp(-10*r.Float64()))
			y = float32(r.NormFloat64() * math.Exp(10*r.Float64()))
		}
		want := math.Pow(float64(x), float64(y))
		if math.Abs(want) < 0x1p-126 || float32(want)-float32(want) != 0 {
			continue
		}
		if e := errorOf(FastPow(x, y), want); e > most.units {
			most = worst{units: e, at: float64(x)}
		}
		if x > 0 {
			require.Equal(t, FastPow(x, y), FastPowR(x, y))
		}
	}
	assert.LessOrEqual(t, most.units, fast.Of(ir.OpPow).Units, "at %v", most.at)
}

// TestFastAngles tests atan2 over all exponents, and at zeros, infinities and NaNs. Metal's bound
// is that of atan(y/x), and its sum with pi where x is negative.
func TestFastAngles(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 7))
	most := worst{}
	for n := range 1_000_000 {
		y, x := math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		if n%2 == 0 {
			x = y * float32(r.NormFloat64())
		}
		want := math.Atan2(float64(y), float64(x))
		if math.Abs(want) < 0x1p-126 {
			continue
		}
		if e := errorOf(FastATan2(y, x), want); e > most.units {
			most = worst{units: e, at: float64(y) / float64(x)}
		}
	}
	assert.LessOrEqual(t, most.units, fast.Of(ir.OpATan2).Units, "at %v", most.at)
	t.Logf("largest error %.4f units, at %v", most.units, most.at)
	inf, nan, zero := float32(math.Inf(1)), float32(math.NaN()), float32(math.Copysign(0, -1))
	specials := []float32{0, zero, 1, -1, inf, -inf, nan, math.MaxFloat32, -math.MaxFloat32, 1e-45, -1e-45, 3}
	for _, y := range specials {
		for _, x := range specials {
			have, want := FastATan2(y, x), ATan2(y, x)
			if want != 0 {
				assert.LessOrEqual(t, errorOf(have, float64(want)), 2.0, "atan2(%v, %v): %v", y, x, have)
				continue
			}
			assert.True(t, have == 0 && math.Signbit(float64(have)) == math.Signbit(float64(want)),
				"atan2(%v, %v): %v, want %v", y, x, have, want)
		}
	}
}

// TestFastSpecialValues: at zeros, infinities, NaNs and denormals the functions follow C's Annex F
// also under fast math, but for pow(-1, +-infinity) and fractional powers of -infinity, which are
// NaNs.
func TestFastSpecialValues(t *testing.T) {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	same := func(a, b float32) bool {
		return a != a && b != b || a == b && math.Signbit(float64(a)) == math.Signbit(float64(b))
	}
	specials := []float32{0, float32(math.Copysign(0, -1)), 1, -1, inf, -inf, nan}
	for _, test := range fastUnary {
		for _, x := range specials {
			have, _ := fastFunction(test.op, x, 0)
			want := function(test.op, x, 0)
			if x-x == 0 && x != 0 {
				assert.LessOrEqual(t, errorOf(have, float64(want)), 1.0, "%v(%v)", test.op, x)
				continue
			}
			assert.True(t, same(have, want), "%v(%v): %v, want %v", test.op, x, have, want)
		}
		for _, bits := range []uint32{1, 2, 0x123456, 0x7fffff, 0x80000001, 0x80654321, 0x807fffff} {
			x := math.Float32frombits(bits)
			have, _ := fastFunction(test.op, x, 0)
			assert.LessOrEqual(t, errorOf(have, test.want(float64(x))), 2.0, "%v(%v)", test.op, x)
		}
	}
	specials = append(specials, 2, -2, 3, -3, 0.5, -0.5, 1.5, -1.5, 2.5, 1<<24, 1<<24+2, -(1 << 25), 1e-45)
	for _, x := range specials {
		for _, y := range specials {
			want := Pow(x, y)
			switch fraction := y-y == 0 && y != float32(math.Trunc(float64(y))); {
			case x == -1 && math.IsInf(float64(y), 0), x == -inf && fraction:
				want = nan
			}
			if have := FastPow(x, y); want-want == 0 && want != 0 {
				assert.LessOrEqual(t, errorOf(have, float64(want)), 4.0, "pow(%v, %v): %v", x, y, have)
			} else {
				assert.True(t, same(have, want), "pow(%v, %v): %v, want %v", x, y, have, want)
			}
			want = PowR(x, y)
			if have := FastPowR(x, y); want-want == 0 && want != 0 {
				assert.LessOrEqual(t, errorOf(have, float64(want)), 4.0, "powr(%v, %v): %v", x, y, have)
			} else {
				assert.True(t, same(have, want), "powr(%v, %v): %v, want %v", x, y, have, want)
			}
		}
	}
}

// TestFastGenerated: zfast.go is up to date with the programs.
func TestFastGenerated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "z.go")
	out, err := exec.Command("go", "run", "./fast/internal/gen", path).CombinedOutput()
	require.NoError(t, err, "%s", out)
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	have, err := os.ReadFile("zfast.go")
	require.NoError(t, err)
	require.Equal(t, string(want), string(have), "run go generate ./internal/exec/num/fast")
}
