package vm

import (
	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// watch makes an operation report to the launch's hook. It is applied when a watched program is
// built, so that other programs pay nothing for hooks.
func (o *op) watch() {
	fn, irop := o.fn, o.code.IR()
	if fn == nil || irop == ir.OpInvalid || o.in.HIR == nil {
		return // added by lowering
	}
	o.fn = func(f *frame, o *op) {
		f.hook().Instruction(f.event(o))
		fn(f, o)
	}
	announced := o.fn
	info := irop.Info()
	switch {
	case irop == ir.OpLoad:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			announced(f, o)
			f.values(a, o.d, o.da, o.size)
			f.hook().Load(a)
		}
	case irop == ir.OpStore:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			f.values(a, o.c, o.ca, o.size)
			f.hook().Instruction(&a.Event)
			f.hook().Store(a)
			fn(f, o)
		}
	case irop == ir.OpCopy, irop == ir.OpClear:
		o.fn = func(f *frame, o *op) {
			f.watchCopy(o)
			fn(f, o)
		}
	case irop == ir.OpMatLoad, irop == ir.OpMatStore:
		o.fn = func(f *frame, o *op) {
			pair := f.matrixAccesses(o)
			f.hook().Instruction(&pair[0].Event)
			if irop == ir.OpMatStore {
				for _, a := range f.matrixValues(pair, o, o.c) {
					f.hook().Store(a)
				}
			}
			fn(f, o)
			if irop == ir.OpMatLoad {
				for _, a := range f.matrixValues(pair, o, o.d) {
					f.hook().Load(a)
				}
			}
		}
	case info.Has(ir.Atomic) && o.in.Space != ir.NoSpace:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			announced(f, o)
			if o.d >= 0 {
				f.values(a, o.d, o.da, o.size)
			}
			f.hook().Atomic(a)
		}
	case readsLane(o):
		o.fn = func(f *frame, o *op) {
			f.watchShuffle(o)
			fn(f, o)
		}
	}
}

// readsLane reports whether an operation reads the value of a lane that an operand names.
func readsLane(o *op) bool {
	switch operation, _ := among(o); operation {
	case ir.OpSimdBroadcast, ir.OpSimdShuffle, ir.OpSimdShuffleXor, ir.OpSimdShuffleUp, ir.OpSimdShuffleDown,
		ir.OpSimdRotateUp, ir.OpSimdRotateDown:
		return true
	}
	return false
}

// watchShuffle reports a shuffle, before it is executed.
func (f *frame) watchShuffle(o *op) {
	s := &hook.Shuffle{Event: *f.event(o)}
	f.hook().Instruction(&s.Event)
	operation, width := among(o)
	for l := range s.Lanes.All {
		n := uint32(f.element(o.b, o.ba, 4, l))
		first := l &^ (width - 1)
		s.From[l] = -1
		if from := readLane(operation, uint32(l-first), n, uint32(width)); from < uint32(width) {
			s.From[l] = int16(first) + int16(from)
		}
	}
	f.hook().Shuffle(s)
}

// watchCopy reports a copy or clear, before it is executed.
func (f *frame) watchCopy(o *op) {
	to := f.place(o, o.a, o.aa, o.in.Space)
	var from *hook.Access
	if o.code.IR() == ir.OpCopy {
		from = f.place(o, o.b, o.ba, o.in.FromSpace)
	}
	f.hook().Instruction(&to.Event)
	if from != nil {
		f.hook().Load(from)
	}
	f.hook().Store(to)
}

// hook returns the launch's hook.
func (f *frame) hook() hook.Hook { return f.g.r.Launch.Hook }

// event describes an instruction of a strip.
func (f *frame) event(o *op) *hook.Event {
	return &hook.Event{Group: &f.g.watched, First: f.first, Lanes: hook.Mask(*f.mask(o.m)), Instr: o.in.HIR}
}

// access describes a load, store or atomic operation before it is executed, since that may
// overwrite the variables the address comes from.
func (f *frame) access(o *op) *hook.Access {
	a := &hook.Access{Event: *f.event(o), Space: o.in.Space, Kind: o.in.Kind, Size: o.size}
	per := o.per
	f.pointers(o, f.counts[per])
	for l := range a.Lanes.All {
		a.Addrs[l] = f.addrs[shared(per, l)]
	}
	f.bounds(a, o)
	return a
}

// place describes one side of a copy.
func (f *frame) place(o *op, off int32, class lir.Class, space ir.Space) *hook.Access {
	a := &hook.Access{Event: *f.event(o), Space: space, Size: int(o.in.Imm)}
	for l := range a.Lanes.All {
		a.Addrs[l] = uint64(f.element(off, class, 8, l))
	}
	f.bounds(a, o)
	return a
}

// matrixAccesses describes the load or store of a matrix before it is executed: the first and the
// second of each lane's two elements.
func (f *frame) matrixAccesses(o *op) [2]*hook.Access {
	var pair [2]*hook.Access
	for i := range pair {
		pair[i] = &hook.Access{Event: *f.event(o), Space: o.in.Space, Kind: o.in.Kind, Size: o.size}
	}
	for s := range f.simds {
		f.eachElement(o, s, func(lane, i int, id, off uint64) { pair[i%2].Addrs[lane] = id<<40 | off })
	}
	f.bounds(pair[0], o)
	f.bounds(pair[1], o)
	return pair
}

// matrixValues reads the lanes' elements of the matrix at off, or nothing if off is -1.
func (f *frame) matrixValues(pair [2]*hook.Access, o *op, off int32) [2]*hook.Access {
	for i, a := range pair {
		for l := range a.Lanes.All {
			if off >= 0 {
				a.Value[l] = f.bitsAt(off, o.size, l/lir.SimdWidth*matrixElements+2*pairOf(l%lir.SimdWidth)+i)
			}
		}
	}
	return pair
}

// shared returns the index of a lane's element in a variable of a class.
func shared(c lir.Class, lane int) int {
	switch c {
	case lir.Once:
		return 0
	case lir.Simd:
		return lane / lir.SimdWidth
	}
	return lane
}

// values reads the lanes' elements of a variable.
func (f *frame) values(a *hook.Access, off int32, class lir.Class, size int) {
	for l := range a.Lanes.All {
		a.Value[l] = f.bitsAt(off, size, shared(class, l))
	}
}

// bounds records which lanes are out of bounds.
func (f *frame) bounds(a *hook.Access, o *op) {
	writes := o.code.IR() != ir.OpLoad && o.code.IR() != ir.OpMatLoad && o.code.IR() != ir.OpAtomicLoad &&
		(o.code.IR() != ir.OpCopy || a.Space == o.in.Space)
	for l := range a.Lanes.All {
		addr := a.Addrs[l]
		in := false
		if a.Space == ir.Thread {
			_, in = f.private(addr, a.Size)
		} else {
			obj := f.object(a.Space, addr>>40)
			off, n := addr&exec.OffsetMask, uint64(len(obj.Data))
			in = off <= n && uint64(a.Size) <= n-off && !(writes && obj.ReadOnly)
		}
		if !in {
			a.Out[l/lir.SimdWidth] |= 1 << (l % lir.SimdWidth)
		}
	}
}

// report reports the barrier at which first and every other strip that has not ended wait, or the
// end of the threadgroup if first is nil.
func (g *group) report(first *frame) {
	h := g.r.Launch.Hook
	if first == nil {
		h.GroupEnd(&g.watched)
		return
	}
	o := &g.p.ops[first.pc-1]
	events := make([]hook.Event, 0, len(g.strips))
	for i := range g.strips {
		if f := &g.strips[i]; f.stopped == atBarrier {
			events = append(events, *f.event(o))
		}
	}
	h.Barrier(events)
}
