package ir

import (
	"cmp"
	"errors"
)

// Uniformity says which threads share a value, and which reach an instruction together. It is
// conservative: values it calls shared are shared in every launch, provided that threads do not
// race. A thread that has returned does not make the others divergent.
type Uniformity struct {
	Values []Sharing // by Value.ID
	// Flow says, for a Convergent instruction or a return: the threads of that group that have not
	// returned reach it together or not at all.
	Flow map[*Instr]Sharing
	// Returned says, for a barrier of the threadgroup or grid: a return before it that only some
	// threads of a threadgroup take.
	Returned map[*Instr]*Instr
}

// Uniformity determines which values and which control flow threads share. The function must be
// valid.
func (f *Func) Uniformity() *Uniformity { return f.uniformity(false) }

// uniformity is Uniformity; if atomics is set, an atomic load counts like a plain one.
func (f *Func) uniformity(atomics bool) *Uniformity {
	s := &sharer{atomics: atomics, u: &Uniformity{Values: make([]Sharing, f.NumValues()), Flow: map[*Instr]Sharing{},
		Returned: map[*Instr]*Instr{}}, loops: map[*Instr]Sharing{}, returns: map[*Instr]*Instr{}}
	for s.changed = true; s.changed; {
		s.changed = false
		s.region(f.Body, SharedByGrid, nil)
	}
	return s.u
}

// VerifyConvergence reports the barriers that only some threads of a threadgroup may reach, each as
// a *VerifyError. Such a program is valid and may be correct, since control flow can be uniform for
// reasons that no analysis sees, and threads that a barrier passes over may never reach another
// one. If it is incorrect, its launch fails.
func (f *Func) VerifyConvergence() error {
	return f.uneven(f.Uniformity(), OpBarrier, SharedByThreadgroup,
		"barrier in control flow where threads of a threadgroup may have diverged")
}

// VerifyGridBarriers reports the grid barriers that only some threads of the grid may reach, each
// as a *VerifyError. Unlike VerifyConvergence it is a condition for a launch. A value loaded from
// device memory at an address that is the same for the whole grid, plainly or atomically, counts as
// the same for all, since the barriers before and after order the loads with the writes of a
// correct program.
func (f *Func) VerifyGridBarriers() error {
	if !f.HasGridBarrier() {
		return nil
	}
	return f.uneven(f.uniformity(true), OpGridBarrier, SharedByGrid,
		"grid barrier in control flow that may not be the same for the whole grid")
}

// HasGridBarrier reports whether the function waits for the whole grid.
func (f *Func) HasGridBarrier() (found bool) {
	f.Body.Walk(func(in *Instr) bool {
		found = found || in.Op == OpGridBarrier
		return !found
	})
	return found
}

// uneven reports the operations that fewer threads than those of a group reach together.
func (f *Func) uneven(u *Uniformity, op Op, by Sharing, message string) error {
	var errs []error
	n := -1
	f.Body.Walk(func(in *Instr) bool {
		n++
		if in.Op == op && u.Flow[in] > by {
			e := &VerifyError{Func: f.Name, Instr: n, Op: in.Op, Loc: in.Loc, Msg: message}
			if i := int(in.Loc.File) - 1; i >= 0 && i < len(f.Module.Files) {
				e.File = f.Module.Files[i]
			}
			errs = append(errs, e)
		}
		return true
	})
	return errors.Join(errs...)
}

type sharer struct {
	u       *Uniformity
	loops   map[*Instr]Sharing // the threads that begin an iteration together
	atomics bool               // atomic loads count like plain ones
	returns map[*Instr]*Instr  // a return in a loop, before its next iteration, that only some threads take
	changed bool
}

// escapes records, for each loop or block that a break exits or a continue restarts, which threads
// do so together.
type escapes map[*Instr]Sharing

func (s *sharer) of(v *Value) Sharing { return s.u.Values[v.ID] }

// raise records that a value is shared by at most the threads in by.
func (s *sharer) raise(v *Value, by Sharing) {
	if by > s.u.Values[v.ID] {
		s.u.Values[v.ID], s.changed = by, true
	}
}

// give records that values are passed to results or parameters, at a point that the threads of flow
// reach together.
func (s *sharer) give(to, from []*Value, flow Sharing) {
	for i, v := range to {
		s.raise(v, max(s.of(from[i]), flow))
	}
}

// region analyzes a region that the threads of flow reach together, and returns the escapes from
// it. left is a preceding return taken by only some threads of a threadgroup; region also returns
// the one in effect after it.
func (s *sharer) region(r *Region, flow Sharing, left *Instr) (escapes, *Instr) {
	out := escapes{}
	for _, in := range r.Instrs {
		switch in.Op {
		case OpIf:
			inner, before := max(flow, s.of(in.Args[0])), left
			for _, sub := range in.Regions {
				escaped, returned := s.region(sub, inner, before)
				left = cmp.Or(left, returned)
				for target, by := range escaped {
					out[target] = max(out[target], by)
					flow = max(flow, by)
				}
				if end := sub.Terminator(); end.Op == OpYield {
					s.give(in.Results, end.Args, inner)
				}
			}
		case OpBlock, OpLoop:
			inner, before := flow, left
			if in.Op == OpLoop {
				inner = max(flow, s.loops[in])
				before = cmp.Or(left, s.returns[in])
				s.give(in.Regions[0].Params, in.Args, SharedByGrid)
			}
			escaped, returned := s.region(in.Regions[0], inner, before)
			if left = cmp.Or(left, returned); in.Op == OpLoop && s.returns[in] != left {
				s.returns[in], s.changed = left, true
			}
			for target, by := range escaped {
				if target == in {
					continue
				}
				out[target] = max(out[target], by)
				flow = max(flow, by)
				s.begin(in, by)
			}
			if end := in.Regions[0].Terminator(); end.Op == OpYield {
				s.give(in.Results, end.Args, SharedByGrid)
			}
		case OpBreak:
			s.give(in.Target.Results, in.Args, flow)
			s.begin(in.Target, flow)
			out[in.Target] = max(out[in.Target], flow)
		case OpContinue:
			s.give(in.Target.Regions[0].Params, in.Args, flow)
			out[in.Target] = max(out[in.Target], flow)
		case OpReturn:
			s.u.Flow[in] = max(s.u.Flow[in], flow)
			if left = nil; flow > SharedByThreadgroup { // otherwise no thread continues here
				left = in
			}
		case OpYield, OpUnreachable:
		default:
			by := s.instr(in)
			for _, v := range in.Results {
				s.raise(v, by)
			}
			if in.Op.Info().Has(Convergent) {
				s.u.Flow[in] = max(s.u.Flow[in], flow)
			}
			if in.Op.IsBarrier() && left != nil {
				s.u.Returned[in] = left
			}
		}
	}
	return out, left
}

// begin records that only the threads of a group exit a loop together, so that its next iteration
// begins without some.
func (s *sharer) begin(loop *Instr, by Sharing) {
	if loop.Op == OpLoop && by > s.loops[loop] {
		s.loops[loop], s.changed = by, true
	}
}

// instr returns which threads share an instruction's results.
func (s *sharer) instr(in *Instr) Sharing {
	by := SharedByGrid
	for _, a := range in.Args {
		by = max(by, s.of(a))
	}
	info := in.Op.Info()
	switch {
	case in.Op == OpIn:
		return Input(in.Imm).Sharing()
	case in.Op == OpSharedAddr:
		return SharedByThreadgroup
	case in.Op == OpArg && in.Result().Type.Space == Threadgroup:
		return SharedByThreadgroup
	case in.Op == OpLoad, in.Op == OpTexRead && in.Imm != TexReadAtomic, in.Op == OpTexQuery,
		s.atomics && (in.Op == OpAtomicLoad || in.Op == OpTexRead):
		if a := in.Args[0].Type; a.Kind == Pointer && a.Space == Thread {
			return NotShared
		}
		if a := in.Args[0].Type; a.Kind == Pointer && a.Space == Threadgroup {
			by = max(by, SharedByThreadgroup)
		}
		return by
	case info.Has(UniformResult), info.Has(Pure):
		return by
	case info.Has(SimdUniform):
		return SharedBySimdgroup
	}
	return NotShared
}
