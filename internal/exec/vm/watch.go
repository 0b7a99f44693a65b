package vm

import (
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/ir"
)

// watch makes an operation report to the launch's hook. It is applied when a watched program is
// built, so that other programs pay nothing for hooks.
func (o *op) watch(index indexes) {
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
			if a.From = nil; !f.g.watched.Lean {
				f.values(a, o.d, o.da, o.size)
			} else if a.Rows != nil {
				a.From = noValues{}
			}
			f.hook().Load(a)
		}
	case irop == ir.OpStore:
		o.fn = func(f *frame, o *op) {
			a := f.access(o)
			f.hook().Instruction(&a.Event)
			if a.Rows != nil && f.g.watched.Lean {
				f.watched.stored, a.From = o, f
			} else {
				f.values(a, o.c, o.ca, o.size)
			}
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
			if a.Rows != nil {
				a.From = noValues{}
				a.Fill()
			}
			announced(f, o)
			if o.d >= 0 {
				f.values(a, o.d, o.da, o.size)
			}
			f.hook().Atomic(a)
		}
	case o.code.IR().Exchanges():
		o.fn = func(f *frame, o *op) {
			f.watchShuffle(o)
			fn(f, o)
		}
	case index.of(o) != 0 && o.in.Kind == ir.I32 && o.a >= 0 && o.b >= 0:
		o.fn = watchWraps(o, index.of(o), announced)
	case irop == ir.OpCommandSet:
		o.fn = func(f *frame, o *op) {
			f.watchCommands(o)
			announced(f, o)
		}
	case isTexelOp(irop):
		o.fn = watchTexels(o, announced)
	}
}

// watchShuffle reports a shuffle, before it is executed.
func (f *frame) watchShuffle(o *op) {
	s := &hook.Shuffle{Event: f.newEvent(o)}
	f.hook().Instruction(&s.Event)
	operation, width := simdForm(o)
	fills := operation == ir.OpSimdFillUp || operation == ir.OpSimdFillDown
	for l := range s.Lanes.All {
		first := l &^ (width - 1)
		s.From[l] = -1
		if fills {
			from, _ := f.fillLane(o, operation, l, width)
			s.From[l] = int16(first + from)
			continue
		}
		n := uint32(f.element(o.b, o.ba, 4, l))
		if from := operation.ReadLane(uint32(l-first), n, uint32(width)); from < uint32(width) {
			s.From[l] = int16(first) + int16(from)
		}
	}
	f.hook().Shuffle(s)
}

// watchCopy reports a copy or clear, before it is executed.
func (f *frame) watchCopy(o *op) {
	to := f.place(0, o, o.a, o.aa, o.in.Space)
	var from *hook.Access
	if o.code.IR() == ir.OpCopy {
		from = f.place(1, o, o.b, o.ba, o.in.FromSpace)
	}
	f.hook().Instruction(&to.Event)
	if from != nil {
		f.hook().Load(from)
	}
	f.hook().Store(to)
}

// hook returns the launch's hook.
func (f *frame) hook() hook.Hook { return f.g.r.Launch.Hook }

// watching is the memory of the events that a strip reports. An event is valid until its call
// returns, and no operation has more than two accesses.
type watching struct {
	event    hook.Event
	accesses [2]hook.Access
	rows     [2]hook.Rows
	stored   *op // the store that is reported, for FillValues
	texels   texelEvents
}

func (f *frame) watching() *watching {
	if f.watched == nil {
		f.watched = &watching{}
	}
	return f.watched
}

// event describes an instruction of a strip.
func (f *frame) event(o *op) *hook.Event {
	e := &f.watching().event
	*e = f.newEvent(o)
	return e
}

func (f *frame) newEvent(o *op) hook.Event {
	return hook.Event{Group: f.g.watched, First: f.first, Lanes: hook.Mask(*f.mask(o.m)), Instr: o.in.HIR}
}

// newAccess begins the description of the strip's first or second access.
func (f *frame) newAccess(i int, o *op, space ir.Space, kind ir.Kind, size int) *hook.Access {
	a := &f.watching().accesses[i]
	a.Event, a.Space, a.Kind, a.Size = f.newEvent(o), space, kind, size
	a.Out, a.Rows, a.From, a.Part = hook.Mask{}, nil, nil, 0
	return a
}

// threadgroup returns the contents of an object in threadgroup memory.
func (g *group) threadgroup(object uint64) []byte {
	return g.strips[0].object(ir.Threadgroup, object).Data
}

// report reports the barrier at which first and every other strip that has not ended wait, or the
// end of the threadgroup if first is nil.
func (g *group) report(first *frame) {
	h := g.r.Launch.Hook
	if first == nil {
		h.GroupEnd(g.watched)
		return
	}
	o := &g.p.ops[first.pc-1]
	events := make([]hook.Event, 0, len(g.strips))
	for i := range g.strips {
		if f := &g.strips[i]; f.stopped == atBarrier {
			events = append(events, f.newEvent(o))
		}
	}
	h.Barrier(events)
}
