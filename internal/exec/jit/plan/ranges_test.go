package plan

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
	"github.com/puremetal/puremetal/internal/msl"
)

// code makes a program of instructions on lanes, with jumps where targets has some.
func code(n int, targets map[int]int) *lir.Program {
	p := &lir.Program{Shape: [3]int{64, 1, 1}, Lanes: 64, Strips: 1}
	x := p.NewVar(lir.Lane, ir.F32)
	truth := p.NewVar(lir.Once, ir.I1)
	for pc := range n {
		in := lir.Inst{Op: lir.Op(ir.OpFAdd), Kind: ir.F32, Per: lir.Lane, D: x, A: x, B: x}
		if to, ok := targets[pc]; ok {
			in = lir.Inst{Op: lir.OpJumpIf, A: truth, Target: int32(to)}
			if to < pc {
				in.Op = lir.OpBack
				in.A = 0
			}
		}
		p.Code = append(p.Code, in)
	}
	return p
}

// TestFindRanges: ranges are as long as they can be, and nothing jumps into their middle.
func TestFindRanges(t *testing.T) {
	usable := func(n int, but ...int) []bool {
		list := make([]bool, n)
		for i := range list {
			list[i] = true
		}
		for _, i := range but {
			list[i] = false
		}
		return list
	}
	require.Equal(t, [][2]int{{0, 10}}, findRanges(code(10, nil), usable(10)))
	require.Equal(t, [][2]int{{0, 5}, {6, 10}}, findRanges(code(10, nil), usable(10, 5)))
	require.Equal(t, [][2]int{{0, 5}}, findRanges(code(10, nil), usable(10, 5, 8)), "two operations are not worth it")
	loop := code(12, map[int]int{9: 2})
	require.Equal(t, [][2]int{{0, 12}}, findRanges(loop, usable(12)), "a loop is inside")
	require.Equal(t, [][2]int{{2, 7}, {8, 12}}, findRanges(loop, usable(12, 7, 0, 1)))
	into := code(20, map[int]int{19: 10})
	require.Equal(t, [][2]int{{0, 10}, {10, 18}}, findRanges(into, usable(20, 18, 19)), "a jump from outside to 10")
}

// apart says that no access has room between its elements.
func apart(*lir.Inst) bool { return false }

// TestSegments: a segment ends at a jump and before the place where one arrives; a shared number
// that operations on lanes read is not changed in the same segment; stores on lanes come before a
// shared load; and a segment has no more accesses than there are registers.
func TestSegments(t *testing.T) {
	place := func(r lir.Ref) int32 { return int32(r) }
	froms := func(list []*Segment) (pcs []int) {
		for _, s := range list {
			pcs = append(pcs, s.From)
		}
		return pcs
	}
	p := code(12, map[int]int{3: 7, 9: 2})
	list := segments(p, findOperands(p), 0, 12, place, apart)
	require.Equal(t, []int{0, 2, 4, 7, 10}, froms(list))
	for i, next := range [][]int{{2}, {7, 4}, {7}, {2}, {12}} {
		require.Equal(t, next, list[i].Exits)
	}

	p = code(4, nil)
	once := p.NewVar(lir.Once, ir.F32)
	p.Code[0].B = once
	p.Code[2] = lir.Inst{Op: lir.OpMov, D: once, A: once}
	list = segments(p, findOperands(p), 0, 4, place, apart)
	require.Equal(t, []int{0, 2}, froms(list))
	require.Equal(t, []int{0, 1}, list[0].Lanes)
	require.Equal(t, []int{2}, list[1].Shared)
	require.Equal(t, []int{3}, list[1].Lanes)

	p = code(MaxAccesses+3, nil)
	for pc := range p.Code {
		p.Code[pc] = lir.Inst{Op: lir.Op(ir.OpStore), Kind: ir.F32, Per: lir.Lane, A: once, C: 1}
	}
	last := &p.Code[MaxAccesses+2]
	*last = lir.Inst{Op: lir.Op(ir.OpLoad), Kind: ir.F32, D: p.NewVar(lir.Once, ir.F32), A: once}
	list = segments(p, findOperands(p), 0, MaxAccesses+3, place, apart)
	require.Equal(t, []int{0, MaxAccesses, MaxAccesses + 2}, froms(list),
		"registers for the first, and a shared load after a store")
}

// TestLiveness: a variable is live from its value to the last read, around a loop too.
func TestLiveness(t *testing.T) {
	p := &lir.Program{Lanes: 64}
	x, y, z := p.NewVar(lir.Lane, ir.F32), p.NewVar(lir.Lane, ir.F32), p.NewVar(lir.Lane, ir.F32)
	add := func(d, a, b lir.Ref) lir.Inst {
		return lir.Inst{Op: lir.Op(ir.OpFAdd), Kind: ir.F32, Per: lir.Lane, D: d, A: a, B: b}
	}
	p.Code = []lir.Inst{add(y, x, x), add(z, y, y), {Op: lir.OpMerge, D: y, A: z}, {Op: lir.OpBack, Target: 1},
		{Op: lir.OpEnd}}
	l := findLive(p, findOperands(p))
	require.True(t, l.At(0).Has(x))
	require.False(t, l.At(0).Has(y))
	require.True(t, l.At(1).Has(y))
	require.True(t, l.At(2).Has(y), "a merge reads what it merges into")
	require.True(t, l.At(3).Has(y), "the loop's next iteration reads it")
	require.False(t, l.At(3).Has(z))

	long := &lir.Program{Lanes: 64, Code: make([]lir.Inst, 2*KeepEach+10)}
	vars := make([]lir.Ref, len(long.Code))
	for pc := range long.Code {
		vars[pc] = long.NewVar(lir.Lane, ir.F32)
		long.Code[pc] = add(vars[pc], vars[max(0, pc-3)], vars[max(0, pc-1)])
	}
	l = findLive(long, findOperands(long))
	for _, pc := range []int{40, KeepEach, KeepEach + 5, KeepEach + 1, 2*KeepEach + 8, 40} {
		require.Equal(t, vars[pc-3:pc], slices.Collect(l.At(pc).All), pc)
	}
}

// TestSkippedMasks: masks that have only lanes of the guard are empty without those; a mask that
// gains or loses only such lanes keeps the others; and anything else needs every vector.
func TestSkippedMasks(t *testing.T) {
	p := &lir.Program{Shape: [3]int{64, 1, 1}, Lanes: 64, Strips: 1}
	mask := func() lir.Ref { return p.NewVar(lir.Mask, ir.I1) }
	truth := p.NewVar(lir.Lane, ir.I1)
	guard, inner, outer, sum, other := mask(), mask(), mask(), mask(), mask()
	for _, c := range []struct {
		code  []lir.Inst
		empty []lir.Ref
		ok    bool
	}{
		{nil, nil, true},
		{[]lir.Inst{{Op: lir.OpMaskClear, D: inner}}, []lir.Ref{inner}, true},
		{[]lir.Inst{{Op: lir.OpMaskCopy, D: inner, A: guard}, {Op: lir.OpMaskAnd, D: outer, A: inner, B: truth}},
			[]lir.Ref{inner, outer}, true},
		{[]lir.Inst{{Op: lir.OpMaskAnd, D: inner, A: guard, B: truth}, {Op: lir.OpMaskOr, D: sum, A: sum, B: inner}},
			[]lir.Ref{inner}, true},
		{[]lir.Inst{{Op: lir.OpMaskSub, D: sum, A: sum, B: guard}}, nil, true},
		{[]lir.Inst{{Op: lir.OpMaskSub, D: inner, A: guard, B: other}}, []lir.Ref{inner}, true},
		{[]lir.Inst{{Op: lir.OpMaskOr, D: sum, A: other, B: guard}}, nil, false},
		{[]lir.Inst{{Op: lir.OpMaskCopy, D: inner, A: other}}, nil, false},
		{[]lir.Inst{{Op: lir.OpMaskCopy, D: inner}}, nil, false},
		{[]lir.Inst{{Op: lir.OpMaskAnd, D: sum, A: sum, B: truth}}, nil, false},
		{[]lir.Inst{{Op: lir.OpMaskSub, D: sum, A: sum, B: other}}, nil, false},
	} {
		p.Code = c.code
		s := &Segment{Guard: guard}
		for pc := range p.Code {
			s.Lanes = append(s.Lanes, pc)
		}
		empty, ok := SkippedMasks(p, s)
		require.Equal(t, c.ok, ok, "%v", c.code)
		require.Equal(t, c.empty, empty, "%v", c.code)
	}
}

// TestGuards: the segment after a jump over code that no lane needs is guarded, and so are later
// ones that are expensive, unless something jumps into the code or changes the mask.
func TestGuards(t *testing.T) {
	guards := func(change func(p *lir.Program, m lir.Ref)) (list []bool) {
		p := code(12, map[int]int{4: 6, 7: 9})
		m := p.NewVar(lir.Mask, ir.I1)
		p.Code[1] = lir.Inst{Op: lir.OpJumpNone, A: m, Target: 10}
		x := p.NewVar(lir.Lane, ir.I32)
		p.Code[8] = lir.Inst{Op: lir.Op(ir.OpUDiv), Kind: ir.I32, Per: lir.Lane, D: x, A: x, B: x}
		if change != nil {
			change(p, m)
		}
		for _, s := range segments(p, findOperands(p), 0, 12, func(r lir.Ref) int32 { return int32(r) }, apart) {
			list = append(list, s.Guard == m)
		}
		return list
	}
	// Segments begin at 0, 2, 5, 6, 8, 9 and 10.
	require.Equal(t, []bool{false, true, false, false, true, false, false}, guards(nil))
	require.Equal(t, []bool{false, true, false, false, false, false, false}, guards(func(p *lir.Program, m lir.Ref) {
		p.Code[5] = lir.Inst{Op: lir.OpMaskSub, D: m, A: m, B: m}
	}))
	require.Equal(t, []bool{false, true, false, false, false, false, false}, guards(func(p *lir.Program, _ lir.Ref) {
		p.Code[11] = lir.Inst{Op: lir.OpBack, Target: 9}
	}))
}

// TestAffinePlaces: two affine variables that have the same place in the frame, one after the
// other, do not divide a segment, because the range has both in the context.
func TestAffinePlaces(t *testing.T) {
	m, diags := msl.Compile(t.Context(), msl.Source{Text: `#include <metal_stdlib>
kernel void matmul(device float *c [[buffer(0)]], device const float *a [[buffer(1)]],
                   device const float *b [[buffer(2)]], constant uint &n [[buffer(3)]],
                   uint2 g [[thread_position_in_grid]]) {
  float sum = 0;
  for (uint k = 0; k < n; k++) sum += a[g.y * n + k] * b[k * n + g.x];
  c[g.y * n + g.x] = sum;
}`}, msl.Options{})
	require.Empty(t, diags)
	p := lowered(t, m.IR.Funcs[0], [3]int{16, 16, 1})
	for _, s := range New(NewFacts(p, of64), 0, len(p.Code), false, nil).Segments {
		if s.Jump >= 0 && p.Code[s.Jump].Op == lir.OpBack {
			require.Len(t, s.Lanes, 4, "two loads, a product and a sum")
			return
		}
	}
	t.Fatal("no loop")
}
