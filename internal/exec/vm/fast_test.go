package vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// TestFastMath: the assembly loops of the functions of fast math have the same bits as package
// num's, over all exponents and signs; those of two numbers in all forms.
func TestFastMath(t *testing.T) {
	if !hasVectors() {
		t.Skip("the processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(1, 3))
	for irop, p := range fast.Programs() {
		if p == nil {
			continue
		}
		in := &lir.Inst{Op: lir.Op(irop), Kind: ir.F32, Flags: ir.Fast}
		f := vectorFrame(lir.MaxLanes, rng)
		x := col[uint32](f, 0, lir.MaxLanes)
		check := func(o op) {
			loop := chooseVector(&o)
			require.NotNil(t, loop, p.Name)
			loop(f, &o)
			for i := range x {
				var v [4]uint64
				v[0] = f.operand(o.a, o.aa, 4, i)
				if o.b >= 0 {
					v[1] = f.operand(o.b, o.ba, 4, i)
				}
				have := col[float32](f, o.d, lir.MaxLanes)[i]
				want := math.Float32frombits(uint32(num.Flagged(ir.Op(irop), ir.Fast, ir.F32, ir.F32, v)[0]))
				if math.Float32bits(have) != math.Float32bits(want) && (have == have || want == want) {
					t.Fatalf("%s of %#x and %#x: %v, want %v", p.Name, v[0], v[1], have, want)
				}
			}
		}
		o := op{code: in.Op, in: in, per: lir.Lane, size: 4, d: 2048, a: 0, b: -1, c: -1, m: -1, aa: lir.Lane}
		if p.Args == 1 {
			const step = 2039
			for bits := uint32(0); bits < math.MaxUint32-step*lir.MaxLanes; bits += step * lir.MaxLanes {
				for i := range x {
					x[i] = bits + uint32(i)*step
				}
				check(o)
			}
			copy(x, hardNumbers)
			check(o)
			continue
		}
		for n := range 2000 {
			f = vectorFrame(lir.MaxLanes, rng)
			x = col[uint32](f, 0, lir.MaxLanes)
			y := col[uint32](f, 1024, lir.MaxLanes)
			if n%4 == 0 {
				for i := range y {
					y[i] = math.Float32bits(float32(rng.NormFloat64() * 10))
				}
			}
			for _, form := range [][2]int32{{0, 1024}, {0, 3072}, {3072, 1024}} {
				class := func(at int32) lir.Class {
					if at >= 3072 {
						return lir.Once
					}
					return lir.Lane
				}
				o.a, o.b, o.aa, o.ba = form[0], form[1], class(form[0]), class(form[1])
				check(o)
			}
		}
	}
}
