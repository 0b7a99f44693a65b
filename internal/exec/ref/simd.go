package ref

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// simdOp describes an operation among lanes: how many lanes take part, and what they do.
type simdOp struct {
	width int
	kind  simdKind
	op    ir.Op // of reductions and scans
}

type simdKind uint8

const (
	simdReduce simdKind = iota + 1
	simdScan
	simdScanBelow
	simdBroadcast
	simdFirst
	simdShuffle
	simdXor
	simdUp
	simdDown
	simdRotateUp
	simdRotateDown
	simdFillUp
	simdFillDown
	simdBallot
	simdActive
	simdAll
	simdAny
	simdIsFirst
)

var simdOps = [ir.NumOps]simdOp{
	ir.OpSimdSMin: {ir.SimdWidth, simdReduce, ir.OpSMin}, ir.OpSimdUMin: {ir.SimdWidth, simdReduce, ir.OpUMin},
	ir.OpSimdSMax: {ir.SimdWidth, simdReduce, ir.OpSMax}, ir.OpSimdUMax: {ir.SimdWidth, simdReduce, ir.OpUMax},
	ir.OpSimdAdd: {ir.SimdWidth, simdReduce, ir.OpAdd}, ir.OpSimdMul: {ir.SimdWidth, simdReduce, ir.OpMul},
	ir.OpSimdFMin: {ir.SimdWidth, simdReduce, ir.OpFMin}, ir.OpSimdFMax: {ir.SimdWidth, simdReduce, ir.OpFMax},
	ir.OpSimdAnd: {ir.SimdWidth, simdReduce, ir.OpAnd}, ir.OpSimdOr: {ir.SimdWidth, simdReduce, ir.OpOr},
	ir.OpSimdXor:     {ir.SimdWidth, simdReduce, ir.OpXor},
	ir.OpSimdScanAdd: {ir.SimdWidth, simdScan, ir.OpAdd}, ir.OpSimdScanMul: {ir.SimdWidth, simdScan, ir.OpMul},
	ir.OpSimdXScanAdd: {ir.SimdWidth, simdScanBelow, ir.OpAdd}, ir.OpSimdXScanMul: {ir.SimdWidth, simdScanBelow, ir.OpMul},
	ir.OpSimdBroadcast: {ir.SimdWidth, simdBroadcast, 0}, ir.OpSimdFirst: {ir.SimdWidth, simdFirst, 0},
	ir.OpSimdShuffle: {ir.SimdWidth, simdShuffle, 0}, ir.OpSimdShuffleXor: {ir.SimdWidth, simdXor, 0},
	ir.OpSimdShuffleUp: {ir.SimdWidth, simdUp, 0}, ir.OpSimdShuffleDown: {ir.SimdWidth, simdDown, 0},
	ir.OpSimdRotateUp: {ir.SimdWidth, simdRotateUp, 0}, ir.OpSimdRotateDown: {ir.SimdWidth, simdRotateDown, 0},
	ir.OpSimdFillUp: {ir.SimdWidth, simdFillUp, 0}, ir.OpSimdFillDown: {ir.SimdWidth, simdFillDown, 0},
	ir.OpSimdBallot: {ir.SimdWidth, simdBallot, 0}, ir.OpSimdActive: {ir.SimdWidth, simdActive, 0},
	ir.OpSimdAll: {ir.SimdWidth, simdAll, 0}, ir.OpSimdAny: {ir.SimdWidth, simdAny, 0},
	ir.OpSimdIsFirst: {ir.SimdWidth, simdIsFirst, 0},

	ir.OpQuadSMin: {ir.QuadWidth, simdReduce, ir.OpSMin}, ir.OpQuadUMin: {ir.QuadWidth, simdReduce, ir.OpUMin},
	ir.OpQuadSMax: {ir.QuadWidth, simdReduce, ir.OpSMax}, ir.OpQuadUMax: {ir.QuadWidth, simdReduce, ir.OpUMax},
	ir.OpQuadAdd: {ir.QuadWidth, simdReduce, ir.OpAdd}, ir.OpQuadMul: {ir.QuadWidth, simdReduce, ir.OpMul},
	ir.OpQuadFMin: {ir.QuadWidth, simdReduce, ir.OpFMin}, ir.OpQuadFMax: {ir.QuadWidth, simdReduce, ir.OpFMax},
	ir.OpQuadAnd: {ir.QuadWidth, simdReduce, ir.OpAnd}, ir.OpQuadOr: {ir.QuadWidth, simdReduce, ir.OpOr},
	ir.OpQuadXor:     {ir.QuadWidth, simdReduce, ir.OpXor},
	ir.OpQuadScanAdd: {ir.QuadWidth, simdScan, ir.OpAdd}, ir.OpQuadScanMul: {ir.QuadWidth, simdScan, ir.OpMul},
	ir.OpQuadXScanAdd: {ir.QuadWidth, simdScanBelow, ir.OpAdd}, ir.OpQuadXScanMul: {ir.QuadWidth, simdScanBelow, ir.OpMul},
	ir.OpQuadBroadcast: {ir.QuadWidth, simdBroadcast, 0}, ir.OpQuadFirst: {ir.QuadWidth, simdFirst, 0},
	ir.OpQuadShuffle: {ir.QuadWidth, simdShuffle, 0}, ir.OpQuadShuffleXor: {ir.QuadWidth, simdXor, 0},
	ir.OpQuadShuffleUp: {ir.QuadWidth, simdUp, 0}, ir.OpQuadShuffleDown: {ir.QuadWidth, simdDown, 0},
	ir.OpQuadRotateUp: {ir.QuadWidth, simdRotateUp, 0}, ir.OpQuadRotateDown: {ir.QuadWidth, simdRotateDown, 0},
	ir.OpQuadFillUp: {ir.QuadWidth, simdFillUp, 0}, ir.OpQuadFillDown: {ir.QuadWidth, simdFillDown, 0},
	ir.OpQuadBallot: {ir.QuadWidth, simdBallot, 0}, ir.OpQuadActive: {ir.QuadWidth, simdActive, 0},
	ir.OpQuadAll: {ir.QuadWidth, simdAll, 0}, ir.OpQuadAny: {ir.QuadWidth, simdAny, 0},
	ir.OpQuadIsFirst: {ir.QuadWidth, simdIsFirst, 0},
}

// together executes an operation that lanes perform together. Inactive lanes are nil.
//
// all has the other lanes too; those that do not exist are nil.
func (g *group) together(in *ir.Instr, active, all *[ir.SimdWidth]*thread) error {
	switch in.Op {
	case ir.OpSimdBarrier:
		if tr := g.m.tracer; tr != nil {
			tr.Meet(in, ids(active[:]), len(ids(all[:])))
		}
		return nil
	case ir.OpMatMul, ir.OpMatMac:
		if tr := g.m.tracer; tr != nil {
			tr.Meet(in, ids(active[:]), len(ids(all[:])))
		}
		multiply(in, active)
		return nil
	case ir.OpSimdHold:
		for _, t := range active {
			t.hold(in)
		}
		return nil
	}
	s := simdOps[in.Op]
	if s.width == 0 {
		return exec.ErrUnsupported
	}
	for first := 0; first < ir.SimdWidth; first += s.width {
		s.among(in, active[first:first+s.width], all[first:first+s.width])
	}
	return nil
}

// hold sets a register of a lane that others may read later, and passes the value on.
func (t *thread) hold(in *ir.Instr) {
	if t == nil {
		return
	}
	if t.held == nil {
		t.held = map[int64][4]uint64{}
	}
	var x [4]uint64
	for i := range lanes(in.Results[0]) {
		x[i] = t.get(in.Args[0], i)
		t.set(in.Results[0], i, x[i])
	}
	t.held[in.Imm] = x
}

// among executes the operation among the lanes of one simdgroup or quad.
func (s simdOp) among(in *ir.Instr, ts, all []*thread) {
	res := in.Results[0]
	out := make([][4]uint64, len(ts)) // all computed first: a result may share an operand's registers
	for i, t := range ts {
		if t == nil {
			continue
		}
		for c := range lanes(res) {
			out[i][c] = s.lane(in, ts, all, i, c)
		}
	}
	for i, t := range ts {
		if t == nil {
			continue
		}
		for c := range lanes(res) {
			t.set(res, c, out[i][c])
		}
	}
}

// lane returns component c of lane i's result.
func (s simdOp) lane(in *ir.Instr, ts, lanes []*thread, i, c int) uint64 {
	w := len(ts)
	value := func(arg, from int) uint64 { // of a lane that is not active, what it holds; 0 if it does not exist
		if from < 0 || from >= w || ts[from] == nil {
			if tr := ts[i].g.m.tracer; tr != nil {
				tr.Lost(ts[i].id(), in)
			}
			def := in.Args[arg].Def
			if from >= 0 && from < w && lanes[from] != nil && def != nil && def.Op == ir.OpSimdHold {
				return lanes[from].held[def.Imm][c]
			}
			return 0
		}
		return ts[from].get(in.Args[arg], c)
	}
	// number returns a scalar operand of this lane.
	number := func(arg int) uint64 { return ts[i].get(in.Args[arg], 0) }
	first := 0
	for ts[first] == nil {
		first++
	}
	mask := func(want func(int) bool) (m uint64) {
		for l := range ts {
			if ts[l] != nil && want(l) {
				m |= 1 << l
			}
		}
		return m
	}
	holds := func(l int) bool { return value(0, l) != 0 }
	all := mask(func(int) bool { return true })
	switch s.kind {
	case simdReduce:
		return s.reduce(in, ts, c)
	case simdScan:
		return s.scan(in, ts, i+1, c)
	case simdScanBelow:
		return s.scan(in, ts, i, c)
	case simdBroadcast, simdShuffle:
		return value(0, int(min(number(1), uint64(w))))
	case simdFirst:
		return value(0, first)
	case simdXor:
		return value(0, int(min(uint64(i)^number(1), uint64(w))))
	case simdUp:
		if d := number(1); d <= uint64(i) {
			return value(0, i-int(d))
		}
		return value(0, i)
	case simdDown:
		if d := number(1); d < uint64(w-i) {
			return value(0, i+int(d))
		}
		return value(0, i)
	case simdRotateUp:
		return value(0, (i+w-int(number(1)%uint64(w)))%w)
	case simdRotateDown:
		return value(0, (i+int(number(1)%uint64(w)))%w)
	case simdFillUp, simdFillDown:
		return s.fill(i, w, number(2), number(3), value)
	case simdBallot:
		return mask(holds)
	case simdActive:
		return all
	case simdAll:
		return num.Truth(mask(holds) == all)
	case simdAny:
		return num.Truth(mask(holds) != 0)
	}
	return num.Truth(i == first) // simdIsFirst
}

// fill returns lane i's result when values shift by delta within segments of n lanes and other
// values fill in at the segment's end. If n is not a power of two up to w, w is used instead; delta
// is taken modulo n.
func (s simdOp) fill(i, w int, delta, n uint64, value func(arg, from int) uint64) uint64 {
	if n == 0 || n > uint64(w) || n&(n-1) != 0 {
		n = uint64(w)
	}
	size, d := int(n), int(delta%n)
	start, at := i/size*size, i%size
	if s.kind == simdFillUp {
		if at >= d {
			return value(0, i-d)
		}
		return value(1, start+size+at-d)
	}
	if at+d < size {
		return value(0, i+d)
	}
	return value(1, start+at+d-size)
}

// operation returns the operation of a reduction or scan on kind k.
func (s simdOp) operation(k ir.Kind) ir.Op {
	switch {
	case s.op == ir.OpAdd && k.IsFloat():
		return ir.OpFAdd
	case s.op == ir.OpMul && k.IsFloat():
		return ir.OpFMul
	}
	return s.op
}

func (s simdOp) reduce(in *ir.Instr, ts []*thread, c int) uint64 {
	k := in.Args[0].Type.Kind
	op := s.operation(k)
	x, have := make([]uint64, len(ts)), make([]bool, len(ts))
	for l, t := range ts {
		if t != nil {
			x[l], have[l] = t.get(in.Args[0], c), true
		}
	}
	for d := len(ts) / 2; d > 0; d /= 2 {
		for l := range d {
			switch {
			case have[l] && have[l+d]:
				x[l] = num.Combine(op, k, x[l], x[l+d])
			case have[l+d]:
				x[l], have[l] = x[l+d], true
			}
		}
	}
	return x[0]
}

// scan combines the active lanes below end.
func (s simdOp) scan(in *ir.Instr, ts []*thread, end, c int) uint64 {
	k := in.Args[0].Type.Kind
	have, x := false, uint64(0)
	if s.op == ir.OpMul {
		x = 1
		if k.IsFloat() {
			x = ir.FloatBits(k, 1)
		}
	}
	for _, t := range ts[:end] {
		switch {
		case t == nil:
		case !have:
			x, have = t.get(in.Args[0], c), true
		default:
			x = num.Combine(s.operation(k), k, x, t.get(in.Args[0], c))
		}
	}
	return x
}
