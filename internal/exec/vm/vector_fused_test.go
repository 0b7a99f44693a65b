package vm

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// exactFMA returns x*y+z computed without rounding and then rounded once to f32. ok is false if an
// operand is not finite or the exact result is zero, whose sign package big does not define.
func exactFMA(x, y, z float32) (result float32, ok bool) {
	for _, v := range []float32{x, y, z} {
		if math.IsInf(float64(v), 0) || v != v {
			return 0, false
		}
	}
	number := func(v float32) *big.Float { return new(big.Float).SetPrec(1000).SetFloat64(float64(v)) }
	sum := number(x)
	sum.Add(sum.Mul(sum, number(y)), number(z))
	result, _ = sum.Float32()
	return result, sum.Sign() != 0
}

// hardTriples replaces some operands in the frame of vectorFrame by ones with which a product and a
// sum that are rounded separately, or through float64, differ from an fma: sums that cancel, that
// are almost halfway between two results, and that are subnormal.
func hardTriples(f *frame, rng *rand.Rand) {
	x, y, z := col[float32](f, 0, lir.MaxLanes), col[float32](f, 1024, lir.MaxLanes), col[float32](f, 2048, lir.MaxLanes)
	for i := range x {
		switch rng.IntN(6) {
		case 0:
			x[i], y[i] = rng.Float32(), rng.Float32()
			z[i] = -float32(x[i] * y[i])
		case 1: // off the middle between two results by 2^-60, which the sum in float64 loses
			x[i], y[i], z[i] = 1+0x1p-18, 0x1p-24*(1-0x1p-18), 1+0x1p-23
			if rng.IntN(2) == 0 {
				x[i] = -x[i]
			}
		case 2:
			x[i], y[i] = 0x1p-70*rng.Float32(), 0x1p-66*rng.Float32()
			z[i] = math.Float32frombits(rng.Uint32() & 0x807fffff)
		}
	}
}

// TestVectorsFused compares the assembly loops of fma with exact arithmetic and with the function
// that the Go loops call, in all forms, for many numbers of lanes, and with the result in place of
// an operand.
func TestVectorsFused(t *testing.T) {
	if !hasVectors() || !hasFused() {
		t.Skip("the processor has no FMA instructions")
	}
	rng := rand.New(rand.NewPCG(3, 4))
	exact, rounded, twice := 0, 0, 0
	for uniform := range 8 {
		for _, result := range []int32{0, 1024, 2048, 4096} {
			o := op{code: lir.Op(ir.OpFMA), in: &lir.Inst{Op: lir.Op(ir.OpFMA), Kind: ir.F32}, per: lir.Lane, size: 4,
				d: result, a: 0, b: 1024, c: 2048, m: -1, aa: lir.Lane, ba: lir.Lane, ca: lir.Lane}
			for i, operand := range []struct {
				at    *int32
				class *lir.Class
			}{{&o.a, &o.aa}, {&o.b, &o.ba}, {&o.c, &o.ca}} {
				if uniform>>i&1 != 0 {
					*operand.at, *operand.class = 3072+8*int32(i), lir.Once
				}
			}
			fast := chooseVector(&o)
			if uniform == 7 {
				require.Nil(t, fast, "the result is uniform")
				continue
			}
			require.NotNil(t, fast, "form %03b", uniform)
			for lanes := 1; lanes <= lir.MaxLanes; lanes += 1 + lanes/9 {
				f := fusedFrame(lanes, rng)
				var x, y, z [lir.MaxLanes]float32
				for l := range lanes {
					x[l] = math.Float32frombits(uint32(f.operand(o.a, o.aa, 4, l)))
					y[l] = math.Float32frombits(uint32(f.operand(o.b, o.ba, 4, l)))
					z[l] = math.Float32frombits(uint32(f.operand(o.c, o.ca, 4, l)))
				}
				fast(f, &o)
				for l, have := range col[float32](f, result, lanes) {
					want := fused(x[l], y[l], z[l])
					if want != want {
						require.True(t, have != have, "%v * %v + %v", x[l], y[l], z[l]) // any NaN will do
						continue
					}
					if w, ok := exactFMA(x[l], y[l], z[l]); ok {
						require.Equal(t, math.Float32bits(w), math.Float32bits(have), "%x * %x + %x", x[l], y[l], z[l])
						exact++
						if float32(float32(x[l]*y[l])+z[l]) != w {
							rounded++
						}
						if float32(float64(float64(x[l])*float64(y[l]))+float64(z[l])) != w {
							twice++
						}
					}
					require.Equal(t, math.Float32bits(want), math.Float32bits(have), "form %03b, lane %d of %d: %x * %x + %x",
						uniform, l, lanes, x[l], y[l], z[l])
				}
			}
		}
	}
	require.Greater(t, exact, 10000)
	require.Greater(t, rounded, 1000, "a rounded product would pass")
	require.Greater(t, twice, 1000, "a sum in float64 would pass")
}

// fusedFrame returns a frame of vectorFrame with columns of numbers at 0, 1024 and 2048, room for a
// result at 4096, and Once operands at 3072, 3080 and 3088.
func fusedFrame(lanes int, rng *rand.Rand) *frame {
	f := vectorFrame(lanes, rng)
	numbers := append([]uint32(nil), col[uint32](f, 0, 512)...)
	once := []uint32{*word[uint32](f, 3072), *word[uint32](f, 3080), math.Float32bits(float32(rng.NormFloat64()))}
	f.newVars(8192)
	copy(col[uint32](f, 0, 512), numbers)
	for i := range lir.MaxLanes {
		col[uint32](f, 2048, lir.MaxLanes)[i] = numbers[rng.IntN(len(numbers))]
	}
	for i, v := range once {
		if rng.IntN(2) == 0 { // ordinary ones, so that the results are not all infinities
			v = math.Float32bits(float32(rng.NormFloat64()))
		}
		*word[uint32](f, 3072+8*int32(i)) = v
	}
	hardTriples(f, rng)
	return f
}

// BenchmarkFused measures an fma on columns of 256 lanes in assembly and in Go.
func BenchmarkFused(b *testing.B) {
	if !hasVectors() || !hasFused() {
		b.Skip("the processor has no FMA instructions")
	}
	f := fusedFrame(lir.MaxLanes, rand.New(rand.NewPCG(3, 4)))
	for i := range 3 * lir.MaxLanes {
		col[float32](f, 0, 3*lir.MaxLanes)[i] = float32(i%97) / 7
	}
	o := op{code: lir.Op(ir.OpFMA), in: &lir.Inst{Op: lir.Op(ir.OpFMA), Kind: ir.F32}, per: lir.Lane, size: 4,
		d: 4096, a: 0, b: 1024, c: 2048, m: -1, aa: lir.Lane, ba: lir.Lane, ca: lir.Lane}
	for _, loop := range []struct {
		name string
		fn   func(*frame, *op)
	}{{"assembly", chooseVector(&o)}, {"go", chooseLoop(&o)}} {
		b.Run(loop.name, func(b *testing.B) {
			for b.Loop() {
				loop.fn(f, &o)
			}
		})
	}
}
