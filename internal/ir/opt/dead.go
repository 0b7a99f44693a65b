package opt

import "github.com/puremetal/puremetal/internal/ir"

// dead removes dead code: operations with unused results, stores to variables that are never read,
// unused results and parameters, branches that do nothing, and unreachable code.
func dead(s *session) {
	f := s.f
	s.trim()
	l := &liveness{session: s, live: make([]bool, f.NumValues()), e: endsOf(s), keeps: map[*ir.Instr]bool{},
		held: heldRegisters(f)}
	if s.hasVariables {
		l.unread = unreadVariables(f)
	}
	l.effects(f.Body)
	for len(l.work) > 0 {
		v := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		l.visit(v)
	}
	l.sweep(f.Body)
}

// trim ends regions after constructs that never complete.
func (s *session) trim() {
	left := map[*ir.Instr]bool{}
	var reaches func(r *ir.Region) bool
	reaches = func(r *ir.Region) bool {
		for i, in := range r.Instrs {
			on := len(in.Regions) == 0
			for _, sub := range in.Regions {
				on = reaches(sub) || on
			}
			if !on && !left[in] {
				if next := r.Instrs[i+1]; next.Op != ir.OpUnreachable {
					r.Instrs = append(r.Instrs[:i+1], &ir.Instr{Op: ir.OpUnreachable, Loc: next.Loc, Parent: r})
					s.changed = true
				}
				return false
			}
			if in.Op == ir.OpBreak {
				left[in.Target] = true
			}
		}
		return r.Terminator().Op == ir.OpYield
	}
	reaches(s.f.Body)
}

// unreadVariables returns the allocas that are only ever written to.
func unreadVariables(f *ir.Func) map[*ir.Instr]bool {
	unread := map[*ir.Instr]bool{}
	f.Body.Walk(func(in *ir.Instr) bool {
		if in.Op == ir.OpAlloca {
			unread[in] = true
		}
		for i, a := range in.Args {
			if a.Type.Kind != ir.Pointer || a.Type.Space != ir.Thread {
				continue
			}
			written := i == 0 && in.Flags&ir.Volatile == 0 &&
				(in.Op == ir.OpStore || in.Op == ir.OpClear || in.Op == ir.OpCopy || in.Op == ir.OpField || in.Op == ir.OpOffset)
			if v := variableOf(a); v != nil && !written {
				unread[v] = false
			}
		}
		return true
	})
	return unread
}

// variableOf returns the alloca that an address points into, or nil if that is not known.
func variableOf(v *ir.Value) *ir.Instr {
	if root, _, _ := rootOf(v); root.Def != nil && root.Def.Op == ir.OpAlloca {
		return root.Def
	}
	return nil
}

// heldRegisters returns the registers of lanes that a value in use names.
func heldRegisters(f *ir.Func) map[int64]bool {
	held := map[int64]bool{}
	f.Body.Walk(func(in *ir.Instr) bool {
		for _, a := range in.Args {
			if a.Def != nil && a.Def.Op == ir.OpSimdHold {
				held[a.Def.Imm] = true
			}
		}
		return true
	})
	return held
}

type liveness struct {
	*session
	live   []bool // by Value.ID
	work   []*ir.Value
	e      *ends
	unread map[*ir.Instr]bool
	keeps  map[*ir.Instr]bool // constructs with effects inside
	held   map[int64]bool     // registers of lanes that are read
}

func (l *liveness) use(vs ...*ir.Value) {
	for _, v := range vs {
		if !l.live[v.ID] {
			l.live[v.ID] = true
			l.work = append(l.work, v)
		}
	}
}

// hasEffect reports whether an instruction without regions has effects other than its results.
func (l *liveness) hasEffect(in *ir.Instr) bool {
	info := in.Op.Info()
	switch in.Op {
	case ir.OpStore, ir.OpClear, ir.OpCopy:
		if v := variableOf(in.Args[0]); v != nil && l.unread[v] && in.Flags&ir.Volatile == 0 {
			return false
		}
	case ir.OpSimdHold: // another instruction that sets the register may be the one that is used
		return l.held[in.Imm]
	}
	return info.Has(ir.WritesMemory) || info.Has(ir.Atomic) || in.Flags&ir.Volatile != 0 || info.Has(ir.Convergent) &&
		len(in.Results) == 0
}

// effects marks the values that the effects in a region use, and reports whether there are any
// effects, or branches out of it.
func (l *liveness) effects(r *ir.Region) bool {
	found := false
	for _, in := range r.Instrs {
		inside := false
		for _, sub := range in.Regions {
			inside = l.effects(sub) || inside
		}
		switch {
		case in.Op == ir.OpYield:
		case len(in.Regions) > 0:
			if inside {
				l.keeps[in], found = true, true
				if in.Op == ir.OpIf {
					l.use(in.Args[0])
				}
			}
		case in.Op.Info().Has(ir.Terminator):
			found = true
		case l.hasEffect(in):
			l.use(in.Args...)
			found = true
		}
	}
	return found
}

// visit marks the operands of a value as used.
func (l *liveness) visit(v *ir.Value) {
	in := v.Def
	if in == nil { // the parameter of a loop
		in = v.Region.Owner
		l.use(in.Args[v.Index])
		for _, c := range l.e.continues[in] {
			l.use(c.Args[v.Index])
		}
		return
	}
	if len(in.Regions) == 0 {
		l.use(in.Args...)
		return
	}
	if in.Op == ir.OpIf {
		l.use(in.Args[0])
	}
	for _, t := range l.e.results[in] {
		l.use(t.Args[v.Index])
	}
}

func (l *liveness) any(vs []*ir.Value) bool {
	for _, v := range vs {
		if l.live[v.ID] {
			return true
		}
	}
	return false
}

// sweep removes the instructions of a region that are not live.
func (l *liveness) sweep(r *ir.Region) {
	kept := r.Instrs[:0]
	for _, in := range r.Instrs {
		switch {
		case len(in.Regions) > 0:
			if !l.keeps[in] && !l.any(in.Results) {
				in.Parent = nil
				continue
			}
			l.shrink(in)
			for _, sub := range in.Regions {
				l.sweep(sub)
			}
		case in.Op.Info().Has(ir.Terminator):
		case !l.hasEffect(in) && !l.any(in.Results):
			in.Parent = nil
			continue
		}
		kept = append(kept, in)
	}
	l.changed = l.changed || len(kept) < len(r.Instrs)
	clear(r.Instrs[len(kept):])
	r.Instrs = kept
}

// shrink drops the results and parameters of a construct that are not live, and the terminators'
// operands for them.
func (l *liveness) shrink(in *ir.Instr) {
	if !l.all(in.Results) {
		for _, t := range l.e.results[in] {
			t.Args = l.only(t.Args, in.Results)
		}
		in.Results = l.only(in.Results, in.Results)
		for i, v := range in.Results {
			v.Index = int32(i)
		}
	}
	if in.Op != ir.OpLoop || l.all(in.Regions[0].Params) {
		return
	}
	params := in.Regions[0].Params
	in.Args = l.only(in.Args, params)
	for _, t := range l.e.continues[in] {
		t.Args = l.only(t.Args, params)
	}
	in.Regions[0].Params = l.only(params, params)
	for i, v := range in.Regions[0].Params {
		v.Index = int32(i)
	}
}

func (l *liveness) all(vs []*ir.Value) bool {
	for _, v := range vs {
		if !l.live[v.ID] {
			return false
		}
	}
	return true
}

// only returns the values of a list whose counterparts in by are live.
func (l *liveness) only(list, by []*ir.Value) []*ir.Value {
	l.changed = true
	kept := make([]*ir.Value, 0, len(list))
	for i, v := range list {
		if l.live[by[i].ID] {
			kept = append(kept, v)
		}
	}
	return kept
}
