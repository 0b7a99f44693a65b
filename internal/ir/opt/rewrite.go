package opt

import "github.com/puremetal/puremetal/internal/ir"

// rewriter walks a kernel in text order and rebuilds each region. Since a value's uses follow its
// definition in the text, a replaced value has been replaced everywhere when the walk ends.
type rewriter struct {
	*session
	visit func(in *ir.Instr) bool // visits an instruction whose operands have been replaced; true drops it
	after func(in *ir.Instr)      // called for an instruction whose regions have been rewritten, if set
	enter func(r *ir.Region)      // called at the start of each region, if set
	leave func(r *ir.Region)      // called at the end of each region, if set
	now   *ir.Region              // the region being built
	base  int                     // where it starts on the stack
	ended bool                    // it has its terminator
	loc   ir.Loc                  // for new instructions

	prelude []*ir.Instr // the constants, which are moved to the start of the kernel, each once
}

type constKey struct {
	t    ir.Type
	bits [4]uint64
}

// newRewriter returns a rewriter of the session's kernel. A session has one at a time.
func newRewriter(s *session) *rewriter {
	s.begin()
	return s.rewriter()
}

// begin starts a run, which collects the constants at the start of the kernel afresh.
func (s *session) begin() { s.run++ }

// rewriter returns a rewriter for part of a run.
func (s *session) rewriter() *rewriter {
	if n := s.f.NumValues(); n > len(s.subst) {
		s.subst = make([]*ir.Value, n+n/4)
	} else {
		clear(s.subst)
	}
	s.stack = s.stack[:0]
	return &rewriter{session: s}
}

// of returns the current replacement of a value.
func (w *rewriter) of(v *ir.Value) *ir.Value {
	for int(v.ID) < len(w.subst) && w.subst[v.ID] != nil {
		v = w.subst[v.ID]
	}
	return v
}

// replace replaces from with to.
func (w *rewriter) replace(from, to *ir.Value) {
	for int(from.ID) >= len(w.subst) {
		w.subst = append(w.subst, nil)
	}
	w.subst[from.ID], w.changed = to, true
}

// rewrite walks the whole kernel.
func (w *rewriter) rewrite() {
	w.region(w.f.Body)
	w.f.Body.Instrs = append(w.prelude, w.f.Body.Instrs...)
}

func (w *rewriter) region(r *ir.Region) {
	now, base, ended := w.now, w.base, w.ended
	w.now, w.base, w.ended = r, len(w.stack), false
	if w.enter != nil {
		w.enter(r)
	}
	w.list(r.Instrs)
	if w.leave != nil {
		w.leave(r)
	}
	r.Instrs = append(r.Instrs[:0], w.stack[w.base:]...)
	w.stack = w.stack[:w.base]
	w.now, w.base, w.ended = now, base, ended
}

// list walks instructions as if they were in the region being built.
func (w *rewriter) list(ins []*ir.Instr) {
	for _, in := range ins {
		if w.ended {
			return
		}
		if in.Op == ir.OpConst {
			w.share(in)
			continue
		}
		for i, a := range in.Args {
			in.Args[i] = w.of(a)
		}
		w.loc = in.Loc
		if w.visit(in) {
			w.changed = true
			continue
		}
		in.Parent = w.now
		for _, sub := range in.Regions {
			w.region(sub)
		}
		if w.after != nil && len(in.Regions) > 0 {
			w.after(in)
		}
		w.append(in)
	}
}

func (w *rewriter) append(in *ir.Instr) {
	in.Parent = w.now
	w.stack = append(w.stack, in)
	w.ended = in.Op.Info().Has(ir.Terminator)
}

// splice replaces in with the contents of one of its regions.
func (w *rewriter) splice(in *ir.Instr, r *ir.Region) {
	n := len(r.Instrs) - 1
	w.list(r.Instrs[:n])
	if w.ended {
		return
	}
	end := r.Instrs[n]
	if end.Op != ir.OpYield && (end.Op != ir.OpBreak || end.Target != in) {
		w.list(r.Instrs[n:])
		return
	}
	for i, v := range in.Results {
		w.replace(v, w.of(end.Args[i]))
	}
}

// op appends an operation with one result.
func (w *rewriter) op(op ir.Op, t ir.Type, imm int64, args ...*ir.Value) *ir.Value {
	in := &ir.Instr{Op: op, Imm: imm, Loc: w.loc, Args: args}
	v := w.f.AddResult(in, t)
	w.append(in)
	w.changed = true
	return v
}

// share uses one instruction for all equal constants.
func (w *rewriter) share(in *ir.Instr) {
	v := in.Results[0]
	if w.lastSeen(v) != 0 {
		w.keep(v)
		return
	}
	key := constKey{t: v.Type}
	for i := range v.Type.Lanes() {
		key.bits[i] = in.Lane(i)
	}
	if old := w.consts[key]; old != nil {
		w.keep(old)
		w.replace(v, old)
		return
	}
	w.consts[key] = v
	w.keep(v)
}

// lastSeen returns the run that last saw a constant of the session, or 0 for other values.
func (s *session) lastSeen(v *ir.Value) int32 {
	if int(v.ID) < len(s.known) {
		return s.known[v.ID]
	}
	return 0
}

// keep moves a constant to the start of the kernel, if this run has not done so yet.
func (w *rewriter) keep(v *ir.Value) {
	for int(v.ID) >= len(w.known) {
		w.known = append(w.known, make([]int32, max(64, len(w.subst)-len(w.known)))...)
	}
	if w.known[v.ID] != w.run {
		w.known[v.ID] = w.run
		v.Def.Parent = w.f.Body
		w.prelude = append(w.prelude, v.Def)
	}
}

// constant returns a constant with the given bits in its lanes; one for all if only one is given.
func (w *rewriter) constant(t ir.Type, lanes ...uint64) *ir.Value {
	mask := ^uint64(0)
	if n := t.Kind.Bits(); n < 64 {
		mask = 1<<n - 1
	}
	key := constKey{t: t}
	for i := range t.Lanes() {
		key.bits[i] = lanes[min(i, len(lanes)-1)] & mask
	}
	if old := w.consts[key]; old != nil {
		w.keep(old)
		return old
	}
	in := &ir.Instr{Op: ir.OpConst, Loc: w.loc}
	if n := t.Lanes(); n == 1 {
		in.Imm = int64(key.bits[0])
	} else {
		in.Bits = append([]uint64(nil), key.bits[:n]...)
	}
	v := w.f.AddResult(in, t)
	w.consts[key] = v
	w.keep(v)
	return v
}

// isConst reports whether a value is a constant.
func isConst(v *ir.Value) bool { return v.Def != nil && v.Def.Op == ir.OpConst }

// allLanes returns the bits that a constant has in each lane.
func allLanes(v *ir.Value) (bits uint64, ok bool) {
	if !isConst(v) {
		return 0, false
	}
	bits = v.Def.Lane(0)
	for i := 1; i < v.Type.Lanes(); i++ {
		if v.Def.Lane(i) != bits {
			return 0, false
		}
	}
	return bits, true
}

// visible reports whether a value used inside in may also be used before it, that is, whether it is
// defined outside.
func visible(v *ir.Value, in *ir.Instr) bool {
	home := v.Region
	if v.Def != nil {
		home = v.Def.Parent
	}
	for r := in.Parent; ; r = r.Owner.Parent {
		if r == home {
			return true
		}
		if r == nil || r.Owner == nil {
			return false
		}
	}
}

// movable reports whether an instruction gives the same result wherever it is, and has no side
// effects.
func movable(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpArg, ir.OpFConst, ir.OpFConstDefined, ir.OpIn, ir.OpGlobalAddr, ir.OpSharedAddr, ir.OpSamplerConst:
		return true
	case ir.OpLoad:
		return in.Flags&ir.Volatile == 0 && in.Args[0].Type.Space == ir.Constant
	}
	return in.Op.Info().Has(ir.Pure)
}
