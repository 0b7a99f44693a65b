package ref

import (
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
)

// simdOp is what an operation among lanes does: how many lanes take part, and what they do.
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
	ir.OpSimdSMin: {32, simdReduce, ir.OpSMin}, ir.OpSimdUMin: {32, simdReduce, ir.OpUMin}, ir.OpSimdSMax: {32, simdReduce, ir.OpSMax}, ir.OpSimdUMax: {32, simdReduce, ir.OpUMax},
	ir.OpSimdAdd: {32, simdReduce, ir.OpAdd}, ir.OpSimdMul: {32, simdReduce, ir.OpMul}, ir.OpSimdFMin: {32, simdReduce, ir.OpFMin}, ir.OpSimdFMax: {32, simdReduce, ir.OpFMax},
	ir.OpSimdAnd: {32, simdReduce, ir.OpAnd}, ir.OpSimdOr: {32, simdReduce, ir.OpOr}, ir.OpSimdXor: {32, simdReduce, ir.OpXor},
	ir.OpSimdScanAdd: {32, simdScan, ir.OpAdd}, ir.OpSimdScanMul: {32, simdScan, ir.OpMul}, ir.OpSimdXScanAdd: {32, simdScanBelow, ir.OpAdd}, ir.OpSimdXScanMul: {32, simdScanBelow, ir.OpMul},
	ir.OpSimdBroadcast: {32, simdBroadcast, 0}, ir.OpSimdFirst: {32, simdFirst, 0}, ir.OpSimdShuffle: {32, simdShuffle, 0}, ir.OpSimdShuffleXor: {32, simdXor, 0},
	ir.OpSimdShuffleUp: {32, simdUp, 0}, ir.OpSimdShuffleDown: {32, simdDown, 0}, ir.OpSimdRotateUp: {32, simdRotateUp, 0}, ir.OpSimdRotateDown: {32, simdRotateDown, 0},
	ir.OpSimdFillUp: {32, simdFillUp, 0}, ir.OpSimdFillDown: {32, simdFillDown, 0}, ir.OpSimdBallot: {32, simdBallot, 0}, ir.OpSimdActive: {32, simdActive, 0},
	ir.OpSimdAll: {32, simdAll, 0}, ir.OpSimdAny: {32, simdAny, 0}, ir.OpSimdIsFirst: {32, simdIsFirst, 0},

	ir.OpQuadSMin: {4, simdReduce, ir.OpSMin}, ir.OpQuadUMin: {4, simdReduce, ir.OpUMin}, ir.OpQuadSMax: {4, simdReduce, ir.OpSMax}, ir.OpQuadUMax: {4, simdReduce, ir.OpUMax},
	ir.OpQuadAdd: {4, simdReduce, ir.OpAdd}, ir.OpQuadMul: {4, simdReduce, ir.OpMul}, ir.OpQuadFMin: {4, simdReduce, ir.OpFMin}, ir.OpQuadFMax: {4, simdReduce, ir.OpFMax},
	ir.OpQuadAnd: {4, simdReduce, ir.OpAnd}, ir.OpQuadOr: {4, simdReduce, ir.OpOr}, ir.OpQuadXor: {4, simdReduce, ir.OpXor},
	ir.OpQuadScanAdd: {4, simdScan, ir.OpAdd}, ir.OpQuadScanMul: {4, simdScan, ir.OpMul}, ir.OpQuadXScanAdd: {4, simdScanBelow, ir.OpAdd}, ir.OpQuadXScanMul: {4, simdScanBelow, ir.OpMul},
	ir.OpQuadBroadcast: {4, simdBroadcast, 0}, ir.OpQuadFirst: {4, simdFirst, 0}, ir.OpQuadShuffle: {4, simdShuffle, 0}, ir.OpQuadShuffleXor: {4, simdXor, 0},
	ir.OpQuadShuffleUp: {4, simdUp, 0}, ir.OpQuadShuffleDown: {4, simdDown, 0}, ir.OpQuadRotateUp: {4, simdRotateUp, 0}, ir.OpQuadRotateDown: {4, simdRotateDown, 0},
	ir.OpQuadFillUp: {4, simdFillUp, 0}, ir.OpQuadFillDown: {4, simdFillDown, 0}, ir.OpQuadBallot: {4, simdBallot, 0}, ir.OpQuadActive: {4, simdActive, 0},
	ir.OpQuadAll: {4, simdAll, 0}, ir.OpQuadAny: {4, simdAny, 0}, ir.OpQuadIsFirst: {4, simdIsFirst, 0},
}

// together carries out an operation that lanes do together. Lanes that are not active are nil.
func (g *group) together(in *ir.Instr, active *[SimdWidth]*thread) error {
	switch in.Op {
	case ir.OpSimdBarrier:
		return nil
	case ir.OpMatMul, ir.OpMatMac:
		multiply(in, active)
		return nil
	}
	s := simdOps[in.Op]
	if s.width == 0 {
		return ErrUnsupported
	}
	for first := 0; first < SimdWidth; first += s.width {
		s.among(in, active[first:first+s.width])
	}
	return nil
}

// among carries out the operation among the lanes of one simdgroup or quad.
func (s simdOp) among(in *ir.Instr, ts []*thread) {
	res := in.Results[0]
	out := make([][4]uint64, len(ts)) // of every lane before one is written, since a result may take an operand's place
	for i, t := range ts {
		if t == nil {
			continue
		}
		for c := range lanes(res) {
			out[i][c] = s.lane(in, ts, i, c)
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

// lane returns component c of what lane i gets.
func (s simdOp) lane(in *ir.Instr, ts []*thread, i, c int) uint64 {
	w := len(ts)
	value := func(arg, from int) uint64 { // 0 from a lane that is not active or none
		if from < 0 || from >= w || ts[from] == nil {
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

// fill returns what lane i gets when values shift by delta inside segments of n lanes and others come in at the segment's end.
// n that is no power of two up to w counts as w, delta modulo n.
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
