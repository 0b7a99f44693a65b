package num

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
)

// small are the kinds small enough to test all values.
var small = []ir.Kind{ir.F16, ir.BF16}

// exactUnary are the operations on one float whose result is fully defined.
var exactUnary = []ir.Op{ir.OpFNeg, ir.OpFAbs, ir.OpSqrt, ir.OpFloor, ir.OpCeil, ir.OpFTrunc, ir.OpRint, ir.OpRound,
	ir.OpFract, ir.OpFrExp, ir.OpModF, ir.OpILogB}

// nearest reports whether the float with these bits is nearest to an exact value, ties to even.
func nearest(k ir.Kind, bits uint64, exact *big.Float) bool {
	f := ir.BitsFloat(k, bits)
	if math.IsInf(f, 0) {
		top := greatest(k)
		ulp := top - ir.BitsFloat(k, ir.FloatBits(k, top)-1)
		limit := big.NewFloat(top + ulp/2)
		return exact.Sign() > 0 == (f > 0) && new(big.Float).Abs(exact).Cmp(limit) >= 0
	}
	distance := func(b uint64) *big.Float {
		d := new(big.Float).SetPrec(2000).Sub(big.NewFloat(ir.BitsFloat(k, b)).SetPrec(2000), exact)
		return d.Abs(d)
	}
	mine := distance(bits)
	for _, b := range []uint64{next(k, bits, ir.FloatBits(k, math.Inf(1))), next(k, bits, ir.FloatBits(k, math.Inf(-1)))} {
		if math.IsInf(ir.BitsFloat(k, b), 0) {
			continue
		}
		if c := mine.Cmp(distance(b)); c > 0 || c == 0 && bits&1 != 0 {
			return false
		}
	}
	return true
}

func greatest(k ir.Kind) float64 {
	return ir.BitsFloat(k, ir.FloatBits(k, math.Inf(1))-1)
}

// each calls f with all values of a kind.
func each(k ir.Kind, f func(bits uint64, x float64)) {
	for b := range uint64(1 << 16) {
		f(b, ir.BitsFloat(k, b))
	}
}

// TestAllConversions converts all values to binary32 and back.
func TestAllConversions(t *testing.T) {
	each(ir.BF16, func(b uint64, x float64) {
		want := float64(math.Float32frombits(uint32(b) << 16))
		require.True(t, x == want || x != x && want != want, "%#x", b)
	})
	each(ir.F16, func(b uint64, x float64) {
		e, m := int(b>>10&31), float64(b&1023)
		var want float64
		switch e {
		case 0:
			want = m * 0x1p-24
		case 31:
			want = math.Inf(1)
			if m != 0 {
				want = math.NaN()
			}
		default:
			want = (1024 + m) * math.Pow(2, float64(e-25))
		}
		if b>>15 != 0 {
			want = -want
		}
		require.True(t, x == want && math.Signbit(x) == math.Signbit(want) || x != x && want != want, "%#x", b)
	})
	for _, k := range small {
		each(k, func(b uint64, x float64) {
			if x == x {
				require.Equal(t, b, ir.FloatBits(k, x))
				// Halfway to the next number goes to the even one; slightly more or less does not.
				up := next(k, b, ir.FloatBits(k, math.Inf(1)))
				y := ir.BitsFloat(k, up)
				if math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 && math.Signbit(x) {
					return
				}
				mid := x + (y-x)/2
				even := b
				if b&1 != 0 {
					even = up
				}
				if mid != 0 {
					require.Equal(t, even, ir.FloatBits(k, mid), "%v of %#x and %#x", k, b, up)
				}
				require.Equal(t, up, ir.FloatBits(k, math.Nextafter(mid, math.Inf(1)))|up&^0x7fff, "%v %#x", k, b)
				require.Equal(t, b, ir.FloatBits(k, math.Nextafter(mid, math.Inf(-1)))|b&^0x7fff, "%v %#x", k, b)
			} else {
				require.True(t, isNaN(k, ir.FloatBits(k, x)))
			}
		})
	}
}

// TestAllUnary compares the exact operations on all values with definitions in exact arithmetic.
func TestAllUnary(t *testing.T) {
	for _, k := range small {
		run := func(op ir.Op, b uint64) [2]uint64 { return Float(op, k, [4]uint64{b}) }
		value := func(op ir.Op, b uint64) float64 { return ir.BitsFloat(k, run(op, b)[0]) }
		each(k, func(b uint64, x float64) {
			require.Equal(t, b^0x8000, run(ir.OpFNeg, b)[0])
			require.Equal(t, b&0x7fff, run(ir.OpFAbs, b)[0])
			if x != x {
				for _, op := range exactUnary[2:10] {
					require.True(t, isNaN(k, run(op, b)[0]), "%v %#x", op, b)
				}
				return
			}
			root := run(ir.OpSqrt, b)[0]
			switch {
			case x < 0:
				require.True(t, isNaN(k, root))
			case x == 0 || math.IsInf(x, 1):
				require.Equal(t, b, root)
			default:
				require.True(t, nearest(k, root, new(big.Float).SetPrec(200).Sqrt(big.NewFloat(x))), "%v sqrt %#x", k, b)
			}
			low, high, cut := value(ir.OpFloor, b), value(ir.OpCeil, b), value(ir.OpFTrunc, b)
			require.True(t, low == x && high == x || low <= x && x <= high && high-low == 1, "%v floor and ceil of %v: %v %v", k,
				x, low, high)
			require.True(t, cut == low && x >= 0 || cut == high && x <= 0, "%v trunc %v: %v", k, x, cut)
			even, away := value(ir.OpRint, b), value(ir.OpRound, b)
			if low == high {
				require.True(t, even == x && away == x)
			} else {
				part := x - low
				require.Equal(t, map[bool]float64{true: high, false: low}[part > 0.5 || part == 0.5 && math.Mod(low, 2) != 0], even)
				require.Equal(t, map[bool]float64{true: high, false: low}[part > 0.5 || part == 0.5 && x > 0], away)
			}
			for _, op := range []ir.Op{ir.OpFTrunc, ir.OpRint, ir.OpRound} {
				require.Equal(t, math.Signbit(x), math.Signbit(value(op, b)), "%v %v %v", k, op, x)
			}
			fr := value(ir.OpFract, b)
			require.True(t, fr >= 0 && fr < 1)
			if !math.IsInf(x, 0) && x-low < 0.99 {
				require.True(t, nearest(k, run(ir.OpFract, b)[0],
					new(big.Float).SetPrec(2000).Sub(big.NewFloat(x), big.NewFloat(low))))
			}
			mf := run(ir.OpModF, b)
			if !math.IsInf(x, 0) {
				require.Equal(t, x, ir.BitsFloat(k, mf[0])+ir.BitsFloat(k, mf[1]))
			}
			require.True(t, math.Signbit(ir.BitsFloat(k, mf[0])) == math.Signbit(x) &&
				math.Signbit(ir.BitsFloat(k, mf[1])) == math.Signbit(x))
			fe := run(ir.OpFrExp, b)
			if x != 0 && !math.IsInf(x, 0) {
				m := ir.BitsFloat(k, fe[0])
				e := int(int32(fe[1]))
				require.True(t, math.Abs(m) >= 0.5 && math.Abs(m) < 1 && m*math.Pow(2, float64(e)) == x)
				require.EqualValues(t, int32(e-1), int32(run(ir.OpILogB, b)[0]))
				require.Equal(t, b, Float(ir.OpLdExp, k, [4]uint64{fe[0], fe[1]})[0])
			}
		})
	}
}

// TestAllFunctions tests mathematical functions on all values by relations among them, within a few
// units.
func TestAllFunctions(t *testing.T) {
	for _, k := range small {
		f := func(op ir.Op, b uint64, more ...uint64) float64 {
			v := [4]uint64{b}
			copy(v[1:], more)
			return ir.BitsFloat(k, Float(op, k, v)[0])
		}
		eps := map[ir.Kind]float64{ir.F16: 0x1p-11, ir.BF16: 0x1p-8}[k]
		near := func(what string, x, have, want float64) {
			if have != have || want != want {
				require.True(t, have != have && want != want, "%v %s(%v): have %v, want %v", k, what, x, have, want)
				return
			}
			if want = ir.BitsFloat(k, ir.FloatBits(k, want)); have == want {
				return
			}
			require.InDelta(t, want, have, math.Abs(want)*4*eps+1e-6, "%v %s(%v)", k, what, x)
		}
		each(k, func(b uint64, x float64) {
			near("exp", x, f(ir.OpExp, b), math.Exp2(x*math.Log2E))
			near("exp10", x, f(ir.OpExp10, b), math.Exp(x*math.Ln10))
			near("log", x, f(ir.OpLog, b), math.Log2(x)*math.Ln2)
			near("log10", x, f(ir.OpLog10, b), math.Log(x)/math.Ln10)
			if x > 0 {
				near("rsqrt", x, f(ir.OpRSqrt, b), math.Exp2(-0.5*math.Log2(x)))
			}
			near("pow", x, f(ir.OpPow, b, ir.FloatBits(k, 2)), x*x)
			near("tanh", x, f(ir.OpTanH, b), 1-2/(math.Exp(2*x)+1))
			near("asinh", x, f(ir.OpASinH, b), math.Copysign(math.Log(math.Abs(x)+math.Sqrt(x*x+1)), x))
			near("atan", x, f(ir.OpATan, b), math.Atan2(x, 1))
			if math.Abs(x) < 1000 {
				s, c := f(ir.OpSin, b), f(ir.OpCos, b)
				require.InDelta(t, 1, s*s+c*c, 4*eps, "%v %v", k, x)
				near("sinpi", x, f(ir.OpSinPi, b), math.Sin(math.Pi*math.Mod(x, 2)))
			}
			if math.Abs(x) <= 1 {
				require.InDelta(t, math.Pi/2, f(ir.OpASin, b)+f(ir.OpACos, b), 8*eps)
			}
		})
	}
}

// TestAllBinary: sums, products, quotients and fused products of many pairs are correctly rounded.
func TestAllBinary(t *testing.T) {
	for _, k := range append(small, ir.F32) {
		n := 0
		state := uint64(1)
		random := func() uint64 {
			state = state*6364136223846793005 + 1442695040888963407
			return state >> 33 & (1<<k.Bits() - 1)
		}
		for range 6_000 {
			a, b, c := random(), random(), random()
			if state>>20&3 == 0 { // exponents close to each other are the interesting ones
				b = a ^ b>>(uint(k.Bits())/2)
				c = a ^ c>>(uint(k.Bits())/2)
			}
			x, y, z := ir.BitsFloat(k, a), ir.BitsFloat(k, b), ir.BitsFloat(k, c)
			if math.IsInf(x+y+z, 0) && (math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0)) || x != x || y != y ||
				z != z || y == 0 {
				continue
			}
			exact := func(f float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(f) }
			for op, want := range map[ir.Op]*big.Float{
				ir.OpFAdd: new(big.Float).SetPrec(2000).Add(exact(x), exact(y)),
				ir.OpFSub: new(big.Float).SetPrec(2000).Sub(exact(x), exact(y)),
				ir.OpFMul: new(big.Float).SetPrec(2000).Mul(exact(x), exact(y)),
				ir.OpFDiv: new(big.Float).SetPrec(2000).Quo(exact(x), exact(y)),
				ir.OpFMA:  new(big.Float).SetPrec(2000).Add(new(big.Float).SetPrec(2000).Mul(exact(x), exact(y)), exact(z)),
			} {
				have := Float(op, k, [4]uint64{a, b, c})[0]
				require.True(t, nearest(k, have, want), "%v %v %v %v %v: %v, exactly %v", k, op, x, y, z, ir.BitsFloat(k, have),
					want)
				n++
			}
		}
		assert.Greater(t, n, 10_000, k)
	}
}

// TestAllGolden: a checksum over all results of each exact operation has not changed.
func TestAllGolden(t *testing.T) {
	var b strings.Builder
	for _, k := range small {
		for _, op := range exactUnary {
			h := fnv.New64a()
			each(k, func(bits uint64, _ float64) {
				r := Float(op, k, [4]uint64{bits})
				fmt.Fprintf(h, "%x %x;", r[0], r[1])
			})
			fmt.Fprintf(&b, "%v %v %016x\n", op, k, h.Sum64())
		}
		for _, op := range []ir.Op{ir.OpFToSI, ir.OpFToUI, ir.OpFConv} {
			for to := ir.I8; to <= ir.F32; to++ {
				if op == ir.OpFConv != to.IsFloat() || to == k {
					continue
				}
				h := fnv.New64a()
				each(k, func(bits uint64, _ float64) { fmt.Fprintf(h, "%x;", Convert(op, k, to, bits)) })
				fmt.Fprintf(&b, "%v %v %v %016x\n", op, k, to, h.Sum64())
			}
		}
	}
	const golden = "../../../testdata/ir/all_values.golden"
	if os.Getenv("PUREMETAL_UPDATE") != "" {
		require.NoError(t, os.WriteFile(golden, []byte(b.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), b.String())
}

func isNaN(k ir.Kind, bits uint64) bool {
	f := ir.BitsFloat(k, bits)
	return f != f
}
