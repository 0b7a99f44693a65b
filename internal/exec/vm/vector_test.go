package vm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// hardNumbers are bit patterns that are special for some kind of number.
var hardNumbers = []uint32{0, 1, 2, 31, 32, 33, 1 << 31, 1<<31 - 1, 1<<31 + 1, 1<<32 - 1, 1<<32 - 2, 0x7f800000,
	0xff800000, 0x7f7fffff, 0x00800000, 0x007fffff, 0x80000001,
	0x3f800000, 0xbf800000, 0x7fc00000, 0xffc00000, 0x7fc00001, 0x4f000000, 0x34000000}

// vectorFrame returns a frame of the given number of lanes with columns of numbers at 0 and 1024, a
// result column at 2048, Once operands at 3072 and 3080, and masks at 3136 and 3200.
func vectorFrame(lanes int, rng *rand.Rand) *frame {
	f := &frame{lanes: lanes, simds: (lanes + 31) / 32, blocks: (lanes + 15) / 16}
	f.counts = [4]int{1, f.simds, lanes, lanes}
	for l := range lanes {
		f.full[l/32] |= 1 << (l % 32)
	}
	f.newVars(4096)
	number := func() uint32 {
		switch rng.IntN(3) {
		case 0:
			return rng.Uint32()
		case 1:
			return math.Float32bits(float32(rng.NormFloat64()))
		}
		return hardNumbers[rng.IntN(len(hardNumbers))]
	}
	for i := range 512 {
		col[uint32](f, 0, 512)[i] = number()
	}
	for i := range 64 { // include equal ones
		col[uint32](f, 1024, 256)[rng.IntN(256)] = col[uint32](f, 0, 256)[i]
	}
	*word[uint32](f, 3072), *word[uint32](f, 3080) = number(), number()
	for w := range 8 {
		f.mask(3136)[w] = rng.Uint32() & f.full[w]
		f.mask(3200)[w] = rng.Uint32()
	}
	return f
}

// TestVectors: assembly loops give the same results as those in Go, in all forms and for all
// numbers of lanes; fused ones, the results of both operations.
func TestVectors(t *testing.T) {
	if !hasVectors() {
		t.Skip("the processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	tested := 0
	for irop := range ir.Op(ir.NumOps) {
		if irop == ir.OpFMA || irop == ir.OpSelect {
			continue // they have three operands: TestVectorsFused, testSelect
		}
		for _, k := range []ir.Kind{ir.I32, ir.F32} {
			for form := range 3 {
				o := op{code: lir.Op(irop), in: &lir.Inst{Op: lir.Op(irop), Kind: k}, per: lir.Lane, size: 4, d: 2048, a: 0,
					b: 1024, c: -1, m: -1, aa: lir.Lane, ba: lir.Lane}
				if vectorOne(irop, k) != nil {
					o.b = -1
				}
				switch form {
				case 1:
					o.b, o.ba = 3072, lir.Once
				case 2:
					o.a, o.aa = 3080, lir.Once
				}
				fast := chooseVector(&o)
				if fast == nil {
					continue
				}
				slow := chooseLoop(&o)
				require.NotNil(t, slow, "%v %v", irop, k)
				truth := vectorTruth(irop, k) != nil
				for lanes := 1; lanes <= lir.MaxLanes; lanes += 1 + lanes/9 {
					f := vectorFrame(lanes, rng)
					what := fmt.Sprintf("%v %v, form %d, %d lanes", irop, k, form, lanes)
					slow(f, &o)
					want := append([]byte(nil), col[byte](f, 2048, 1024)...)
					clear(col[byte](f, 2048, 1024))
					fast(f, &o)
					tested++
					if truth {
						require.Equal(t, want[:lanes], col[byte](f, 2048, lanes), what)
						testFused(t, f, o, slow, what)
						testSelect(t, f, o, slow, what)
						testSelect(t, f, o, slow, what)
						continue
					}
					for l := range lanes {
						x, y := *word[uint32](f, 2048+4*int32(l)),
							uint32(want[4*l])|uint32(want[4*l+1])<<8|uint32(want[4*l+2])<<16|uint32(want[4*l+3])<<24
						if k == ir.F32 && math.Float32frombits(x) != math.Float32frombits(x) && irop != ir.OpFNeg && irop != ir.OpFAbs {
							require.True(t, math.Float32frombits(y) != math.Float32frombits(y), what) // any NaN will do
							continue
						}
						require.Equal(t, y, x, "%s, lane %d", what, l)
					}
				}
			}
		}
	}
	require.Greater(t, tested, 1000)
}

// testFused compares a comparison fused with mask operations with the separate operations.
func testFused(t *testing.T, f *frame, o op, compare func(*frame, *op), what string) {
	o.in.D = 1
	for _, maskOp := range []lir.Op{lir.OpMaskAnd, lir.OpMaskAndNot} {
		for _, from := range []int32{-1, 3136} {
			m := op{code: maskOp, in: &lir.Inst{Op: maskOp, B: 1}, d: 3200, a: from, b: 2048, c: -1, ba: lir.Lane}
			compare(f, &o)
			maskOps[maskOp](f, &m)
			want := *f.mask(3200)
			p := &program{ops: []op{o, m, {code: lir.OpEnd, in: &lir.Inst{Op: lir.OpEnd}}}}
			for _, other := range []struct {
				reads  int32
				target bool
			}{{2, false}, {0, false}, {1, true}} {
				require.False(t, p.fuse(0, []int32{0, other.reads}, []bool{false, other.target, false}),
					"another reads the truth value, or comes in between")
			}
			require.True(t, p.fuse(0, []int32{0, 1}, make([]bool, 3)))
			m = p.ops[1]
			*f.mask(3200) = [8]uint32{1, 2, 3, 4, 5, 6, 7, 8}
			m.fn(f, &m)
			require.Equal(t, want, *f.mask(3200), "%s, %v", what, maskOp)
		}
	}
}

// testSelect compares selects, alone and fused with a comparison, with the loop in Go. The result
// may have the place of any operand that is not a truth value.
func testSelect(t *testing.T, f *frame, compareOp op, compare func(*frame, *op), what string) {
	compareOp.in.D, compareOp.d = 1, 3264
	operands := []struct {
		off   int32
		class lir.Class
	}{{0, lir.Lane}, {1024, lir.Lane}, {3072, lir.Once}, {3080, lir.Once}}
	const bytes = 4 * lir.MaxLanes
	start := append([]byte(nil), col[byte](f, 0, 3*bytes)...)
	for _, b := range operands {
		for _, c := range operands {
			for _, d := range []int32{0, 1024, 2048} {
				s := op{code: lir.Op(ir.OpSelect), in: &lir.Inst{Op: lir.Op(ir.OpSelect), Kind: ir.F32, A: 1}, per: lir.Lane,
					size: 4, d: d, a: compareOp.d, aa: lir.Lane, b: b.off, ba: b.class, c: c.off, ca: c.class, m: -1}
				run := func(ops ...op) []byte {
					copy(col[byte](f, 0, 3*bytes), start)
					for i := range ops {
						ops[i].fn(f, &ops[i])
					}
					return append([]byte(nil), col[byte](f, d, 4*f.lanes)...)
				}
				compareOp.fn, s.fn = compare, selectLanes[uint32]
				want := run(compareOp, s)
				fast := s
				fast.fn = chooseVector(&fast)
				require.NotNil(t, fast.fn)
				require.Equal(t, want, run(compareOp, fast), what)
				p := &program{ops: []op{compareOp, fast}}
				require.False(t, p.fuseSelect(0, []int32{0, 2}, make([]bool, 2)), "another reads the truth value")
				require.False(t, p.fuseSelect(0, []int32{0, 1}, []bool{false, true}), "a jump comes in between")
				require.True(t, p.fuseSelect(0, []int32{0, 1}, make([]bool, 2)))
				clear(col[byte](f, compareOp.d, f.lanes)) // is not needed
				require.Equal(t, want, run(p.ops[1]), what)
			}
		}
	}
	copy(col[byte](f, 0, 3*bytes), start)
}

// TestExponentials: the assembly power functions have the same bits as package num's, over all
// exponents and signs.
func TestExponentials(t *testing.T) {
	if !hasVectors() {
		t.Skip("the processor has no AVX2")
	}
	f := vectorFrame(lir.MaxLanes, rand.New(rand.NewPCG(1, 2)))
	x, y := col[float32](f, 0, lir.MaxLanes), col[float32](f, 2048, lir.MaxLanes)
	for irop, want := range map[ir.Op]func(float32) float32{ir.OpExp: num.Exp, ir.OpExp2: num.Exp2,
		ir.OpExp10: num.Exp10} {
		o := op{code: lir.Op(irop), in: &lir.Inst{Op: lir.Op(irop), Kind: ir.F32}, per: lir.Lane, size: 4, d: 2048, b: -1,
			c: -1, m: -1, aa: lir.Lane}
		fast := chooseVector(&o)
		require.NotNil(t, fast, "%v", irop)
		const step = 2039
		for bits := uint32(0); bits < math.MaxUint32-step*lir.MaxLanes; bits += step * lir.MaxLanes {
			for i := range x {
				x[i] = math.Float32frombits(bits + uint32(i)*step)
			}
			fast(f, &o)
			for i, v := range x {
				if w := want(v); math.Float32bits(w) != math.Float32bits(y[i]) && (w == w || y[i] == y[i]) {
					t.Fatalf("%v of %v (%#x): %v, want %v", irop, v, math.Float32bits(v), y[i], w)
				}
			}
		}
	}
}
