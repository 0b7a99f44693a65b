package split

import (
	"github.com/puremetal/puremetal/internal/ir"
)

type splitter struct {
	analysis
	f *ir.Func
	k *Kernel
	b *ir.Builder

	bases  []*ir.Value // addresses of variables and arguments, one for each
	shared []*ir.Value // the threadgroup's variables that are kept
	done   *Slot

	frame, control, threads, thread *ir.Value // the grid's number of threads, and this thread's number
	zero                            *ir.Value
	returned                        *ir.Value // where the mark of a thread that has returned is
	exit                            *ir.Instr // the block that threads leave to save the threadgroup's memory, if any
	arrivals                        *ir.Value // counts threads that save the threadgroup's memory, if some may be missing
	now                             map[*ir.Value]*ir.Value
	loops                           map[*ir.Instr]bool // whose last parameter says how far to skip
}

// build makes the new body.
func (s *splitter) build() {
	s.spread(s.f.Body)
	old := s.f.Body.Instrs
	s.f.Body.Instrs = nil
	s.b, s.now, s.loops = ir.NewBuilder(s.f), map[*ir.Value]*ir.Value{}, map[*ir.Instr]bool{}
	b := s.b
	s.f.Body.Instrs = s.take(old)
	s.zero = b.Int(ir.TI32, 0)
	s.control, s.frame = b.Arg(len(s.f.Args)-1, ir.PointerTo(ir.Device)), b.Arg(len(s.f.Args)-2, ir.PointerTo(ir.Device))
	phase := b.Load(ir.TI32, s.control)
	s.when(b.Op(ir.OpEq, phase, s.zero), func() { b.Return() })
	skip := b.Op(ir.OpSub, phase, b.Int(ir.TI32, 1))
	s.numbers()
	resumed := b.Op(ir.OpNe, skip, s.zero)
	if len(s.shared) > 0 {
		s.restoreShared(resumed)
	}
	if len(s.shared) > 0 && s.missing(true) && s.arrivals == nil {
		s.exit = b.Block()
		b.In(s.exit.Regions[0], func() { s.resume(old, skip, resumed) })
		s.saveLast()
		b.Return()
	} else {
		s.resume(old, skip, resumed)
	}
	s.f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpContinue && s.loops[in.Target] {
			in.Args = append(in.Args[:len(in.Args):len(in.Args)], s.zero)
		}
		return true
	})
}

// resume appends what a thread does after the threadgroup's memory is restored.
func (s *splitter) resume(old []*ir.Instr, skip, resumed *ir.Value) {
	b := s.b
	if s.done != nil {
		s.returned = s.slot(s.done)
		s.when(resumed, func() {
			s.when(b.Op(ir.OpNe, b.Load(ir.TI8, s.returned), b.Int(ir.TI8, 0)), s.leave)
			b.Yield()
		})
		first := b.If(resumed)
		b.In(first.Regions[0], func() { b.Yield() })
		b.In(first.Regions[1], func() { b.Store(s.returned, b.Int(ir.TI8, 0)); b.Yield() })
	}
	s.when(resumed, func() {
		for _, base := range s.bases {
			if slot := s.slots[base]; slot != nil && base.Def.Op == ir.OpAlloca {
				b.OpImm(ir.OpCopy, ir.TVoid, base.Def.Imm, base, s.slot(slot))
			}
		}
		b.Yield()
	})
	s.region(b.Region(), old, skip)
}

// leave ends the thread, but for its part in saving the threadgroup's memory.
func (s *splitter) leave() {
	if s.exit != nil {
		s.b.Break(s.exit)
		return
	}
	s.b.Return()
}

// when appends an if without results and with an empty second region.
func (s *splitter) when(cond *ir.Value, then func()) {
	in := s.b.If(cond)
	s.b.In(in.Regions[0], then)
	s.b.In(in.Regions[1], func() { s.b.Yield() })
}

// numbers computes the number of threads and the thread's own.
func (s *splitter) numbers() {
	b := s.b
	long := func(v *ir.Value, i int) *ir.Value { return b.OpAs(ir.OpZExt, ir.TI64, b.Extract(v, i)) }
	size, pos := b.Input(ir.ThreadsPerGrid), b.Input(ir.ThreadPositionInGrid)
	s.threads = b.Op(ir.OpMul, b.Op(ir.OpMul, long(size, 0), long(size, 1)), long(size, 2))
	row := b.Op(ir.OpAdd, b.Op(ir.OpMul, long(pos, 2), long(size, 1)), long(pos, 1))
	s.thread = b.Op(ir.OpAdd, b.Op(ir.OpMul, row, long(size, 0)), long(pos, 0))
}

// slot returns the address of this thread's slot, or of the grid's in this launch.
func (s *splitter) slot(x *Slot) *ir.Value {
	if x.Grid {
		return s.b.Field(s.control, x.Before)
	}
	return s.b.Offset(s.b.Offset(s.frame, s.threads, x.Before), s.thread, x.Size)
}

// take removes the hoisted instructions of a list and of all regions inside, and returns them.
func (s *splitter) take(list []*ir.Instr) (out []*ir.Instr) {
	for _, in := range list {
		if s.hoisted[in] {
			in.Parent = s.f.Body
			out = append(out, in)
		}
		for _, r := range in.Regions {
			out = append(out, s.take(r.Instrs)...)
			rest := r.Instrs[:0:0]
			for _, in := range r.Instrs {
				if !s.hoisted[in] {
					rest = append(rest, in)
				}
			}
			r.Instrs = rest
		}
	}
	return out
}

// parts calls each for the instructions in front of each one with barriers, and for those behind
// the last one, with nil.
func (s *splitter) parts(list []*ir.Instr, each func(before []*ir.Instr, in *ir.Instr)) {
	start := 0
	for i, in := range list {
		if _, ok := s.inside[in]; ok {
			each(list[start:i], in)
			start = i + 1
		}
	}
	each(list[start:], nil)
}

// used returns the results of some instructions that others use.
func (s *splitter) used(list []*ir.Instr) (out []*ir.Value) {
	if len(list) == 0 {
		return nil
	}
	first, last := s.pos[list[0]], s.end[list[len(list)-1]]
	for _, in := range list {
		for _, v := range in.Results {
			for _, user := range s.uses[v] {
				if at := s.pos[user]; at < first || at > last {
					out = append(out, v)
					break
				}
			}
		}
	}
	return out
}

// spread has values computed again that parts of a region share.
func (s *splitter) spread(r *ir.Region) {
	s.parts(r.Instrs, func(before []*ir.Instr, in *ir.Instr) {
		if in == nil {
			return
		}
		for _, v := range s.used(before) {
			if _, ok := s.cost[v]; ok {
				s.hoist(v)
			}
		}
		for _, sub := range in.Regions {
			s.spread(sub)
		}
	})
}

// put appends instructions of the old body.
func (s *splitter) put(list []*ir.Instr) {
	r := s.b.Region()
	for _, in := range list {
		if s.hoisted[in] {
			continue
		}
		s.substitute(in)
		in.Parent = r
		if in.Op == ir.OpReturn && s.done != nil {
			if r != s.f.Body && (s.exit == nil || r != s.exit.Regions[0]) {
				s.b.Store(s.returned, s.b.Int(ir.TI8, 1))
			}
			s.leave()
			continue
		}
		r.Instrs = append(r.Instrs, in)
	}
}

// substitute makes an instruction, and those inside, use the current values.
func (s *splitter) substitute(in *ir.Instr) {
	for i, a := range in.Args {
		in.Args[i] = s.current(a)
	}
	for _, r := range in.Regions {
		list := r.Instrs
		r.Instrs = nil
		s.b.In(r, func() { s.put(list) })
	}
}

func (s *splitter) current(v *ir.Value) *ir.Value {
	if to := s.now[v]; to != nil {
		return to
	}
	return v
}

// without returns the values that are not hoisted.
func (s *splitter) without(vs []*ir.Value) (out []*ir.Value) {
	for _, v := range vs {
		if !s.hoisted[v.Def] {
			out = append(out, v)
		}
	}
	return out
}

// region appends old instructions to a region. skip is 0, or the barrier among them to begin at.
func (s *splitter) region(r *ir.Region, list []*ir.Instr, skip *ir.Value) {
	b := s.b
	last := len(s.barriers) + 1
	for _, in := range list {
		if n, ok := s.inside[in]; ok {
			last = n[1]
		}
	}
	old := b.Enter(r)
	defer b.Leave(old)
	s.parts(list, func(before []*ir.Instr, in *ir.Instr) {
		if in == nil {
			s.put(before)
			return
		}
		n := s.inside[in]
		more := n[1] < last
		begun := b.Op(ir.OpEq, skip, s.zero)
		outs := s.without(s.used(before))
		if in.Op == ir.OpGridBarrier {
			s.either(begun, outs, func() {
				s.put(before)
				s.wait(n[0])
			})
		} else {
			if len(s.instrs(before)) > 0 {
				s.either(begun, outs, func() {
					s.put(before)
					b.Yield(outs...)
				})
			}
			if more {
				outs := s.used([]*ir.Instr{in})
				s.either(b.Op(ir.OpULT, skip, b.Int(ir.TI32, int64(n[1]))), outs, func() {
					s.item(in, skip, begun)
					b.Yield(outs...)
				})
			} else {
				s.item(in, skip, begun)
			}
		}
		if more {
			skip = b.Op(ir.OpSelect, b.Op(ir.OpULT, skip, b.Int(ir.TI32, int64(n[1]))), s.zero, skip)
		}
	})
}

// instrs returns the instructions that are not hoisted.
func (s *splitter) instrs(list []*ir.Instr) (out []*ir.Instr) {
	for _, in := range list {
		if !s.hoisted[in] {
			out = append(out, in)
		}
	}
	return out
}

// either appends an if that computes values, or else gets them from the frame.
func (s *splitter) either(cond *ir.Value, outs []*ir.Value, compute func()) {
	b := s.b
	types := make([]ir.Type, len(outs))
	for i, v := range outs {
		types[i] = v.Type
	}
	in := b.If(cond, types...)
	b.In(in.Regions[0], compute)
	b.In(in.Regions[1], func() {
		var vs []*ir.Value
		for _, v := range outs {
			vs = append(vs, s.restored(v))
		}
		b.Yield(vs...)
	})
	for i, v := range outs {
		s.now[v] = in.Results[i]
	}
}

// restored returns a value from the frame. One that is not there has no use if the thread resumes.
func (s *splitter) restored(v *ir.Value) *ir.Value {
	b := s.b
	slot := s.slots[v]
	t := v.Type
	switch {
	case slot == nil && s.root(v) != nil:
		return s.root(v)
	case slot == nil && t.Kind == ir.Pointer:
		return b.OpAs(ir.OpIntToPtr, t, b.Int(ir.TI64, 0))
	case slot == nil && t.Kind == ir.Matrix:
		return b.OpAs(ir.OpMatFill, t, b.Int(ir.Scalar(t.Elem), 0))
	case slot == nil:
		return b.Const(t, 0)
	case t.Kind == ir.Matrix:
		return b.OpAs(ir.OpMatSet, t, b.Load(slot.Type, s.slot(slot)))
	case slot.Type != t:
		return b.Offset(s.root(v), b.Load(ir.TI64, s.slot(slot)), 1)
	}
	return b.Load(t, s.slot(slot))
}

// save stores a value in the frame, or in the control record of the next launch.
func (s *splitter) save(v *ir.Value) {
	b := s.b
	slot, x := s.slots[v], s.current(v)
	switch {
	case v.Type.Kind == ir.Matrix:
		x = b.Op(ir.OpMatGet, x)
	case slot.Type != v.Type:
		x = b.Op(ir.OpSub, b.Op(ir.OpPtrToInt, x), b.Op(ir.OpPtrToInt, s.root(v)))
	}
	to := s.slot(slot)
	if slot.Grid {
		to = b.Field(to, s.k.ControlBytes)
	}
	b.Store(to, x)
}

// wait appends the end of a phase, at a barrier.
func (s *splitter) wait(n int) {
	b := s.b
	for _, v := range s.kept[n-1] {
		if !s.slots[v].Grid {
			s.save(v)
		}
	}
	shared := false
	for _, base := range s.memory[n-1] {
		if slot := s.slots[base]; slot != nil {
			b.OpImm(ir.OpCopy, ir.TVoid, base.Def.Imm, s.slot(slot), base)
		} else {
			shared = true
		}
	}
	if shared && s.exit == nil {
		s.saveShared()
	}
	s.once(n, func(next *ir.Value) {
		groups := b.Input(ir.ThreadgroupsPerGrid)
		for i := range 3 {
			b.Store(b.Field(next, int64(ControlGroups+4*i)), b.Extract(groups, i))
		}
		for _, v := range s.kept[n-1] {
			if s.slots[v].Grid {
				s.save(v)
			}
		}
	})
	s.leave()
}

// once has one of the threads that wait at a barrier write the next launch's control record. The
// first thread of the grid does, unless threads may have returned before.
func (s *splitter) once(n int, write func(next *ir.Value)) {
	b := s.b
	next, phase := b.Field(s.control, s.k.ControlBytes), b.Int(ir.TI32, int64(n+1))
	if s.done == nil {
		pos := b.Input(ir.ThreadPositionInGrid)
		any := b.Op(ir.OpOr, b.Op(ir.OpOr, b.Extract(pos, 0), b.Extract(pos, 1)), b.Extract(pos, 2))
		s.when(b.Op(ir.OpEq, any, s.zero), func() {
			b.Store(next, phase)
			write(next)
			b.Yield()
		})
		return
	}
	none := func(op ir.Op, args ...*ir.Value) *ir.Value {
		return b.Op(ir.OpEq, b.Atomic(op, ir.TI32, ir.Relaxed, args...).Results[0], s.zero)
	}
	s.when(b.Op(ir.OpSimdIsFirst), func() {
		s.when(none(ir.OpAtomicLoad, next), func() { // loads do not wait for each other
			s.when(none(ir.OpAtomicXchg, next, phase), func() {
				write(next)
				b.Yield()
			})
			b.Yield()
		})
		b.Yield()
	})
}

// item appends an instruction with barriers inside.
func (s *splitter) item(in *ir.Instr, skip, begun *ir.Value) {
	b := s.b
	for i, a := range in.Args {
		in.Args[i] = s.current(a)
	}
	switch in.Op {
	case ir.OpIf:
		between := s.inside[in][1] // the first barrier of the second region
		in.Regions[1].Walk(func(in *ir.Instr) bool {
			if n, ok := s.inside[in]; ok {
				between = min(between, n[0])
			}
			return true
		})
		there := b.Op(ir.OpULT, skip, b.Int(ir.TI32, int64(between)))
		in.Args[0] = b.Op(ir.OpSelect, begun, in.Args[0], there)
	case ir.OpLoop:
		params := in.Regions[0].Params
		args := append([]*ir.Value(nil), in.Args...)
		if len(params) > 0 {
			types := make([]ir.Type, len(params))
			for i, v := range params {
				types[i] = v.Type
			}
			start := b.If(begun, types...)
			b.In(start.Regions[0], func() { b.Yield(args...) })
			b.In(start.Regions[1], func() {
				var vs []*ir.Value
				for _, v := range params {
					vs = append(vs, s.restored(v))
				}
				b.Yield(vs...)
			})
			args = append([]*ir.Value(nil), start.Results...)
		}
		in.Args = append(args, skip)
		skip = s.f.AddParam(in.Regions[0], ir.TI32)
		s.loops[in] = true
		in.Imm = 0 // its body is no longer worth unrolling
	}
	in.Parent = b.Region()
	b.Region().Instrs = append(b.Region().Instrs, in)
	for _, r := range in.Regions {
		list := r.Instrs
		r.Instrs = nil
		s.region(r, list, skip)
	}
}
