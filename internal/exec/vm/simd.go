package vm

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// simdOperation executes an operation among the lanes of simdgroups or quads.
func simdOperation(f *frame, o *op) {
	for s := range f.simds {
		simdOperationOf(f, o, s)
	}
}

// simdOperationOf executes it in one simdgroup, with any set of active lanes.
func simdOperationOf(f *frame, o *op, simd int) {
	operation, width := simdForm(o)
	m := f.mask(o.m)[simd]
	var out [lir.SimdWidth]uint64
	for first := 0; first < lir.SimdWidth; first += width {
		active := m >> first
		if width == 4 {
			active &= 15
		}
		if active == 0 {
			continue
		}
		s := lanes{f: f, o: o, op: operation, first: simd*lir.SimdWidth + first, width: width, active: active,
			given: active}
		if o.in.Held {
			s.given = f.all[simd] >> first // a region that needs fewer lanes may have a shorter strip
		}
		if s.reduces(&out[0]) {
			if o.per == lir.Simd {
				f.setBits(o.d, s.outSize(), simd, out[0])
				continue
			}
			for a := active; a != 0; a &= a - 1 {
				f.setBits(o.d, s.outSize(), s.first+bits.TrailingZeros32(a), out[0])
			}
			continue
		}
		for a := active; a != 0; a &= a - 1 {
			l := bits.TrailingZeros32(a)
			out[l] = s.lane(l)
		}
		for a := active; a != 0; a &= a - 1 {
			l := bits.TrailingZeros32(a)
			f.setBits(o.d, s.outSize(), s.first+l, out[l])
		}
	}
}

// lanes are the lanes of a simdgroup or quad that execute an operation.
type lanes struct {
	f      *frame
	o      *op
	op     ir.Op
	first  int
	width  int
	active uint32
	given  uint32 // the lanes whose values others may take
}

func (s *lanes) outSize() int {
	switch s.op {
	case ir.OpSimdBallot, ir.OpSimdActive:
		return 8
	case ir.OpSimdAll, ir.OpSimdAny, ir.OpSimdIsFirst:
		return 1
	}
	return s.o.size
}

// value returns a lane's first operand, or 0 if the lane does not exist, or is inactive and holds
// nothing.
func (s *lanes) value(lane int) uint64 { return s.of(s.o.a, s.o.aa, lane) }

func (s *lanes) of(off int32, class lir.Class, lane int) uint64 {
	if uint(lane) >= uint(s.width) || s.given>>lane&1 == 0 {
		return 0
	}
	return s.f.operand(off, class, s.o.size, s.first+lane)
}

// reduces computes the result shared by all lanes, or returns false if the operation has none.
func (s *lanes) reduces(out *uint64) bool {
	switch s.op {
	case ir.OpSimdFirst:
		*out = s.value(bits.TrailingZeros32(s.active))
	case ir.OpSimdActive:
		*out = uint64(s.active)
	case ir.OpSimdBallot, ir.OpSimdAll, ir.OpSimdAny:
		var held uint32
		for a := s.active; a != 0; a &= a - 1 {
			l := bits.TrailingZeros32(a)
			held |= uint32(s.value(l)&1) << l
		}
		switch s.op {
		case ir.OpSimdBallot:
			*out = uint64(held)
		case ir.OpSimdAll:
			*out = truthOf(held == s.active)
		default:
			*out = truthOf(held != 0)
		}
	case ir.OpSimdAdd, ir.OpSimdMul, ir.OpSimdSMin, ir.OpSimdUMin, ir.OpSimdSMax, ir.OpSimdUMax,
		ir.OpSimdFMin, ir.OpSimdFMax, ir.OpSimdAnd, ir.OpSimdOr, ir.OpSimdXor:
		*out = s.tree()
	default:
		return false
	}
	return true
}

func truthOf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// combine applies the operation that a reduction or scan repeats.
func (s *lanes) combine(x, y uint64) uint64 {
	k := s.o.in.Kind
	return num.Combine(s.op.Repeats(k), k, x, y)
}

// tree reduces in the order that package ir specifies.
func (s *lanes) tree() uint64 {
	var x [lir.SimdWidth]uint64
	for l := range s.width {
		x[l] = s.value(l)
	}
	have := s.active
	for d := s.width / 2; d > 0; d /= 2 {
		for l := range d {
			switch {
			case have>>l&1 != 0 && have>>(l+d)&1 != 0:
				x[l] = s.combine(x[l], x[l+d])
			case have>>(l+d)&1 != 0:
				x[l], have = x[l+d], have|1<<l
			}
		}
	}
	return x[0]
}

// scan combines the active lanes below end.
func (s *lanes) scan(end int) uint64 {
	var x uint64
	if s.op == ir.OpSimdScanMul || s.op == ir.OpSimdXScanMul {
		x = 1
		if k := s.o.in.Kind; k.IsFloat() {
			x = ir.FloatBits(k, 1)
		}
	}
	have := false
	for l := range end {
		if s.active>>l&1 == 0 {
			continue
		}
		if !have {
			x, have = s.value(l), true
			continue
		}
		x = s.combine(x, s.value(l))
	}
	return x
}

// lane returns the result of lane i.
func (s *lanes) lane(i int) uint64 {
	switch s.op {
	case ir.OpSimdScanAdd, ir.OpSimdScanMul:
		return s.scan(i + 1)
	case ir.OpSimdXScanAdd, ir.OpSimdXScanMul:
		return s.scan(i)
	case ir.OpSimdFillUp, ir.OpSimdFillDown:
		return s.fill(i)
	case ir.OpSimdIsFirst:
		return truthOf(i == bits.TrailingZeros32(s.active))
	}
	n := uint32(s.f.operand(s.o.b, s.o.ba, 4, s.first+i))
	return s.value(int(s.op.ReadLane(uint32(i), n, uint32(s.width))))
}

// fill shifts within segments; vacated lanes are filled from the second operand.
func (s *lanes) fill(i int) uint64 {
	from, filling := s.f.fillLane(s.o, s.op, s.first+i, s.width)
	if filling {
		return s.of(s.o.b, s.o.ba, from)
	}
	return s.value(from)
}

// fillLane returns the lane whose value a lane of a strip takes in a shift within segments, counted
// from the first lane of its simdgroup or quad, and whether it is a value that fills in.
func (f *frame) fillLane(o *op, operation ir.Op, lane, width int) (from int, filling bool) {
	delta := f.operand(o.c, o.ca, 4, lane)
	n := f.operand(o.more[0].off, o.more[0].class, 4, lane)
	if n == 0 || n > uint64(width) || n&(n-1) != 0 {
		n = uint64(width)
	}
	i, size, d := lane&(width-1), int(n), int(delta%n)
	start, at := i/size*size, i%size
	if operation == ir.OpSimdFillUp {
		if at >= d {
			return i - d, false
		}
		return start + size + at - d, true
	}
	if at+d < size {
		return i + d, false
	}
	return start + at + d - size, true
}
