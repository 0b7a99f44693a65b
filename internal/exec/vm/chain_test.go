package vm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// chainRig is a program of random operations, of which each reads the result of the one before.
type chainRig struct {
	rng     *rand.Rand
	p       *program
	value   lir.Ref // the last result
	columns []lir.Ref
	uniform []lir.Ref
	slow    []op // the operations with loops in Go
}

func newChainRig(rng *rand.Rand) *chainRig {
	l := &lir.Program{Lanes: lir.MaxLanes, Vars: make([]lir.Var, 1)}
	r := &chainRig{rng: rng, p: &program{lir: l, vectors: true}}
	add := func(class lir.Class, off int32) lir.Ref {
		l.Vars = append(l.Vars, lir.Var{Class: class, Kind: ir.F32, Off: off})
		return lir.Ref(len(l.Vars) - 1)
	}
	r.columns = []lir.Ref{add(lir.Lane, 0), add(lir.Lane, 1024)}
	r.uniform = []lir.Ref{add(lir.Once, 3072), add(lir.Once, 3080)}
	r.value = r.columns[0]
	return r
}

// emit adds an operation, whose result is a new variable in the place of the last result.
func (r *chainRig) emit(code ir.Op, kind ir.Kind, a, b, c lir.Ref) {
	l := r.p.lir
	place := int32(2048)
	if kind == ir.I1 {
		place = 3264
	}
	l.Vars = append(l.Vars, lir.Var{Class: lir.Lane, Kind: kind, Off: place})
	in := &lir.Inst{Op: lir.Op(code), Kind: ir.F32, Per: lir.Lane, D: lir.Ref(len(l.Vars) - 1), A: a, B: b, C: c}
	if code.Info().Has(ir.Approx) {
		in.Flags = ir.Fast // without, there are no loops in assembly
	}
	o := op{in: in, code: in.Op, per: lir.Lane, size: 4, d: place, b: -1, c: -1, m: -1,
		a: l.Var(a).Off, aa: l.Var(a).Class}
	if b != 0 {
		o.b, o.ba = l.Var(b).Off, l.Var(b).Class
	}
	if c != 0 {
		o.c, o.ca = l.Var(c).Off, l.Var(c).Class
	}
	slow := o
	if slow.fn = chooseLoop(&slow); code == ir.OpSelect {
		slow.fn = chooseSelect(&slow)
	}
	r.slow = append(r.slow, slow)
	o.fn = chooseVector(&o)
	r.p.ops = append(r.p.ops, o)
	r.value = in.D
}

// step adds a random operation on the last result.
func (r *chainRig) step() {
	pairs := []ir.Op{ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv, ir.OpFMin, ir.OpFMax, ir.OpPow, ir.OpPowR}
	value, uniform := r.value, r.uniform[r.rng.IntN(2)]
	switch r.rng.IntN(6) {
	case 0, 5:
		ones := []ir.Op{ir.OpSqrt, ir.OpFNeg, ir.OpFAbs, ir.OpExp, ir.OpExp2, ir.OpExp10, ir.OpLog, ir.OpLog2, ir.OpLog10,
			ir.OpSin, ir.OpCos, ir.OpTan, ir.OpSinH, ir.OpCosH, ir.OpTanH, ir.OpRSqrt}
		r.emit(ones[r.rng.IntN(len(ones))], ir.F32, value, 0, 0)
	case 1:
		a, b := value, uniform
		if r.rng.IntN(2) == 0 {
			a, b = b, a
		}
		r.emit([]ir.Op{ir.OpFLT, ir.OpFLE}[r.rng.IntN(2)], ir.I1, a, b, 0)
		b, c := value, r.uniform[r.rng.IntN(2)]
		if r.rng.IntN(2) == 0 {
			b, c = c, b
		}
		r.emit(ir.OpSelect, ir.F32, r.value, b, c)
	default:
		a, b := value, uniform
		if r.rng.IntN(2) == 0 {
			b = r.columns[1]
		}
		if r.rng.IntN(2) == 0 {
			a, b = b, a
		}
		r.emit(pairs[r.rng.IntN(len(pairs))], ir.F32, a, b, 0)
	}
}

// join does what makeOps does after choosing the loops.
func (r *chainRig) join(target []bool) {
	reads := make([]int32, len(r.p.lir.Vars))
	for i := range r.p.ops {
		r.p.ops[i].in.Reads(func(ref lir.Ref) { reads[ref]++ })
	}
	drop := make([]bool, len(r.p.ops))
	for i := range r.p.ops {
		drop[i] = r.p.fuseSelect(i, reads, target)
	}
	target = r.p.remove(drop, target)
	r.p.remove(r.p.chains(reads, target), target)
}

// TestChains: random chains give the results of their operations one by one, for all numbers of
// lanes.
func TestChains(t *testing.T) {
	if !hasVectors() {
		t.Skip("the processor has no AVX2")
	}
	rng := rand.New(rand.NewPCG(5, 6))
	for range 1000 {
		r := newChainRig(rng)
		for range 2 + rng.IntN(6) {
			r.step()
		}
		n := len(r.p.ops)
		r.join(make([]bool, n+1))
		require.Len(t, r.p.ops, 1, "the operations are one chain")
		f := vectorFrame(1+rng.IntN(lir.MaxLanes), rng)
		start := append([]byte(nil), col[byte](f, 0, 2048)...)
		for i := range r.slow {
			r.slow[i].fn(f, &r.slow[i])
		}
		want := append([]float32(nil), col[float32](f, 2048, f.lanes)...)
		copy(col[byte](f, 0, 2048), start)
		clear(col[byte](f, 2048, 1024))
		r.p.ops[0].fn(f, &r.p.ops[0])
		for l, x := range col[float32](f, 2048, f.lanes) {
			if want[l] == want[l] || x == x { // any NaN will do
				require.Equal(t, math.Float32bits(want[l]), math.Float32bits(x), "lane %d of %d", l, f.lanes)
			}
		}
	}
}

// TestChainEnds: a chain ends where another operation reads a value, or a jump arrives, and needs
// room for whole iterations.
func TestChainEnds(t *testing.T) {
	if !hasVectors() {
		t.Skip("the processor has no AVX2")
	}
	for what, want := range map[string]int{"": 1, "read": 2, "target": 2, "lanes": 4} {
		r := newChainRig(rand.New(rand.NewPCG(1, 1)))
		var second lir.Ref
		for i := range 4 {
			r.emit(ir.OpFAdd, ir.F32, r.value, r.uniform[0], 0)
			if i == 1 {
				second = r.value
			}
		}
		target := make([]bool, 6)
		switch what {
		case "read":
			r.emit(ir.OpFMul, ir.F32, second, r.value, 0)
		case "target":
			target[2] = true
		case "lanes":
			r.p.lir.Lanes = 48
		}
		r.join(target)
		require.Len(t, r.p.ops, want, what)
	}
}
