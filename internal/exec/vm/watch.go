package vm

import (
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// watch makes an instruction tell a hook what it does. It is called when a program is made, so that programs without a hook have nothing to ask.
func (o *op) watch(h hook.Hook) {
	fn, irop := o.fn, o.code.IR()
	if fn == nil || irop == ir.OpInvalid || o.in.HIR == nil {
		return // the lowering's own
	}
	o.fn = func(f *frame, o *op) {
		e := f.event(o)
		h.Instruction(e)
		fn(f, o)
	}
	told := o.fn
	info := irop.Info()
	switch {
	case irop == ir.OpLoad:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			told(f, o)
			f.values(a, o.d, o.da, o.size)
			h.Load(a)
		}
	case irop == ir.OpStore:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			f.values(a, o.c, o.ca, o.size)
			told(f, o)
			h.Store(a)
		}
	case irop == ir.OpCopy, irop == ir.OpClear:
		o.fn = func(f *frame, o *op) {
			to := f.place(o, o.a, o.aa, o.in.Space)
			var from *hook.Access
			if irop == ir.OpCopy {
				from = f.place(o, o.b, o.ba, o.in.FromSpace)
			}
			told(f, o)
			if from != nil {
				h.Load(from)
			}
			h.Store(to)
		}
	case irop == ir.OpMatLoad, irop == ir.OpMatStore:
		o.fn = func(f *frame, o *op) {
			pair := f.matrixAccesses(o)
			if irop == ir.OpMatStore {
				f.matrixValues(pair, o, o.c)
			}
			told(f, o)
			for _, a := range f.matrixValues(pair, o, o.d) {
				if irop == ir.OpMatStore {
					h.Store(a)
				} else {
					h.Load(a)
				}
			}
		}
	case info.Has(ir.Atomic) && o.in.Space != ir.NoSpace:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			told(f, o)
			if o.d >= 0 {
				f.values(a, o.d, o.da, o.size)
			}
			h.Atomic(a)
		}
	}
}

// event describes an instruction of a strip.
func (f *frame) event(o *op) *hook.Event {
	return &hook.Event{Group: &f.g.watched, First: f.first, Lanes: hook.Mask(*f.mask(o.m)), Instr: o.in.HIR}
}

// access describes a load, store or atomic operation before it is done, which may replace what the address came from.
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

// matrixAccesses describes the load or store of a matrix before it is done: the first and the second of each lane's two elements.
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

// matrixValues reads what lanes have of the matrix at off; of none if off is -1.
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

// shared returns which element of a variable of a class a lane has.
func shared(c lir.Class, lane int) int {
	switch c {
	case lir.Once:
		return 0
	case lir.Simd:
		return lane / lir.SimdWidth
	}
	return lane
}

// values reads what lanes have in a variable.
func (f *frame) values(a *hook.Access, off int32, class lir.Class, size int) {
	for l := range a.Lanes.All {
		a.Value[l] = f.bitsAt(off, size, shared(class, l))
	}
}

// bounds notes which lanes are out of bounds.
func (f *frame) bounds(a *hook.Access, o *op) {
	writes := o.code.IR() != ir.OpLoad && o.code.IR() != ir.OpMatLoad && o.code.IR() != ir.OpAtomicLoad && (o.code.IR() != ir.OpCopy || a.Space == o.in.Space)
	for l := range a.Lanes.All {
		addr := a.Addrs[l]
		in := false
		if a.Space == ir.Thread {
			_, in = f.private(addr, a.Size)
		} else {
			obj := f.object(a.Space, addr>>40)
			off, n := addr&offsetMask, uint64(len(obj.Data))
			in = off <= n && uint64(a.Size) <= n-off && !(writes && obj.ReadOnly)
		}
		if !in {
			a.Out[l/lir.SimdWidth] |= 1 << (l % lir.SimdWidth)
		}
	}
}

// tell tells a hook of a barrier at which the first strip waits, as do all that have not ended; or of the end.
func (g *group) tell(first *frame) {
	if first == nil {
		g.p.hook.GroupEnd(&g.watched)
		return
	}
	o := &g.p.ops[first.pc-1]
	for i := range g.strips {
		if f := &g.strips[i]; f.stopped == atBarrier {
			g.p.hook.Barrier(f.event(o))
		}
	}
}
