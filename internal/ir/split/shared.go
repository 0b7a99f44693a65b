package split

import (
	"cmp"

	"github.com/puremetal/puremetal/internal/ir"
)

// missing reports whether some threads of a threadgroup may have returned before a barrier: one of
// the grid, or another one.
func (s *splitter) missing(grid bool) bool {
	for in := range s.uniform.Returned {
		if (in.Op == ir.OpGridBarrier) == grid {
			return true
		}
	}
	return false
}

// restoreShared restores the threadgroup's memory. All its threads take part, also those that have
// returned.
//
// Where returned threads are missing when it is saved, they go to the end of the kernel and wait
// there for the others, since a barrier needs all threads of the threadgroup. That is impossible if
// they are also missing at the kernel's own barriers: waiting, they would count as arrived there.
// Such a kernel relies on a device that does not wait for them, so splitting does too. The threads
// at a grid barrier then count themselves, to share the work.
func (s *splitter) restoreShared(resumed *ir.Value) {
	b := s.b
	mem := ir.MemThreadgroup
	if s.missing(true) && s.missing(false) {
		mem |= ir.MemDevice // other threads save what this one restores
		s.f.Threadgroup = append(s.f.Threadgroup, ir.Memory{Name: "arrivals", Size: 16, Align: 16})
		s.arrivals = b.OpImm(ir.OpSharedAddr, ir.TVoid, int64(len(s.f.Threadgroup)-1))
		s.when(b.Op(ir.OpEq, b.Input(ir.ThreadIndexInThreadgroup), s.zero), func() {
			b.Store(s.arrivals, s.zero)
			b.Yield()
		})
	}
	s.when(resumed, func() {
		s.copyShared(b.Input(ir.ThreadIndexInThreadgroup), s.groupThreads(), true)
		b.Yield()
	})
	b.Barrier(ir.OpBarrier, mem, ir.Relaxed)
}

// groupThreads returns the number of threads of this threadgroup.
func (s *splitter) groupThreads() *ir.Value {
	b := s.b
	size := b.Input(ir.ThreadsPerThreadgroup)
	return b.Op(ir.OpMul, b.Op(ir.OpMul, b.Extract(size, 0), b.Extract(size, 1)), b.Extract(size, 2))
}

// saveShared saves the threadgroup's memory, at a grid barrier.
func (s *splitter) saveShared() {
	b := s.b
	b.Barrier(ir.OpBarrier, ir.MemThreadgroup, ir.Relaxed)
	if s.arrivals == nil {
		s.copyShared(b.Input(ir.ThreadIndexInThreadgroup), s.groupThreads(), false)
		return
	}
	rank := b.Atomic(ir.OpAtomicAdd, ir.TI32, ir.Relaxed, s.arrivals, b.Int(ir.TI32, 1)).Results[0]
	b.Barrier(ir.OpBarrier, ir.MemThreadgroup, ir.Relaxed)
	s.copyShared(rank, b.Atomic(ir.OpAtomicLoad, ir.TI32, ir.Relaxed, s.arrivals).Results[0], false)
}

// saveLast saves the threadgroup's memory at the end of the kernel, if the grid goes on.
func (s *splitter) saveLast() {
	b := s.b
	// after this barrier, all see the record that one of the threads wrote
	b.Barrier(ir.OpBarrier, ir.MemThreadgroup|ir.MemDevice, ir.Relaxed)
	next := b.Atomic(ir.OpAtomicLoad, ir.TI32, ir.Relaxed, b.Field(s.control, s.k.ControlBytes)).Results[0]
	s.when(b.Op(ir.OpNe, next, s.zero), func() {
		s.copyShared(b.Input(ir.ThreadIndexInThreadgroup), s.groupThreads(), false)
		b.Yield()
	})
}

// copyShared copies the part of thread rank of n of the threadgroup's memory.
func (s *splitter) copyShared(rank, n *ir.Value, restore bool) {
	b := s.b
	long := func(v *ir.Value) *ir.Value { return b.OpAs(ir.OpZExt, ir.TI64, v) }
	group, groups := b.Input(ir.ThreadgroupPositionInGrid), b.Input(ir.ThreadgroupsPerGrid)
	row := b.Op(ir.OpMul, long(b.Extract(group, 2)), long(b.Extract(groups, 1)))
	row = b.Op(ir.OpAdd, row, long(b.Extract(group, 1)))
	number := b.Op(ir.OpAdd, b.Op(ir.OpMul, row, long(b.Extract(groups, 0))), long(b.Extract(group, 0)))
	bytes := b.Op(ir.OpMul, s.threads, b.Int(ir.TI64, s.k.ThreadBytes))
	bytes = b.Op(ir.OpAnd, b.Op(ir.OpAdd, bytes, b.Int(ir.TI64, 15)), b.Int(ir.TI64, -16))
	at := b.Offset(b.Offset(s.frame, bytes, 1), number, s.k.GroupBytes)
	before := int64(0)
	for _, base := range s.shared {
		size := int64(s.f.Threadgroup[base.Def.Imm].Size)
		unit := cmp.Or(size%16, 16)
		if unit != 16 {
			if unit = 4; size%4 != 0 {
				unit = 1
			}
		}
		kept := b.Field(at, before)
		before += (size + 15) &^ 15
		loop := b.Loop([]*ir.Value{rank})
		i := loop.Regions[0].Params[0]
		b.In(loop.Regions[0], func() {
			s.when(b.Op(ir.OpULE, b.Int(ir.TI32, size/unit), i), func() { b.Break(loop) })
			to, from := b.Offset(kept, long(i), unit), b.Offset(base, long(i), unit)
			if restore {
				to, from = from, to
			}
			b.OpImm(ir.OpCopy, ir.TVoid, unit, to, from)
			b.Continue(loop, b.Op(ir.OpAdd, i, n))
		})
	}
}
