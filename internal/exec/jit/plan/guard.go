package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// findGuards finds the guards of segments. The segment after a jump over code that no lane needs is
// guarded by the jump's mask, and so are later ones before its target that are expensive.
func findGuards(p *lir.Program, from, to int, list []*Segment) {
	if !slices.ContainsFunc(list, func(s *Segment) bool { return s.Jump >= 0 && p.Code[s.Jump].Op == lir.OpJumpNone }) {
		return
	}
	var jumps [][2]int // from one instruction to another
	for pc := from; pc < to; pc++ {
		if in := &p.Code[pc]; in.Op.IsJump() {
			jumps = append(jumps, [2]int{pc, int(in.Target)})
		}
	}
	for i, s := range list {
		if i == 0 || list[i-1].Jump < 0 || p.Code[list[i-1].Jump].Op != lir.OpJumpNone ||
			slices.ContainsFunc(jumps, func(j [2]int) bool { return j[1] == s.From }) {
			continue
		}
		jump := &p.Code[list[i-1].Jump]
		end := int(jump.Target)
		inside := func(pc int) bool { return pc >= s.From && pc < end }
		// Nothing changes the mask, and nothing jumps into the middle.
		closed := !slices.ContainsFunc(jumps, func(j [2]int) bool { return inside(j[1]) && !inside(j[0]) })
		for pc := s.From; pc < min(end, to); pc++ { // nor its place, once nothing else reads it
			d := p.Code[pc].D
			closed = closed && !(d != 0 && p.Var(d).Class == lir.Mask && p.Var(d).Off == p.Var(jump.A).Off)
		}
		s.guardBy(p, jump.A)
		costs := func(pc int) bool { return expensive(p, &p.Code[pc]) }
		for _, later := range list[i+1:] {
			if !closed || later.To > end {
				break
			}
			if slices.ContainsFunc(later.Lanes, costs) {
				later.guardBy(p, jump.A)
			}
		}
	}
}

// guardBy makes a mask the guard of a segment, if it can be.
func (s *Segment) guardBy(p *lir.Program, m lir.Ref) {
	before := *s
	s.Guard = m
	var ok bool
	if s.Empty, ok = SkippedMasks(p, s); !ok {
		*s = before
	}
}

// expensive reports whether an instruction costs much more for a vector than to find out whether
// the vector has lanes that need it.
func expensive(p *lir.Program, in *lir.Inst) bool {
	return FunctionOf(in) != nil || IsDivision(in.Op.IR()) || AccessesMemory(in) && OwnAddresses(p, in) ||
		CopiesShared(in)
}

// SkippedMasks returns the masks that a segment leaves empty in a vector without a lane in its
// guard. The others that it writes must keep their lanes in such a vector: ok is false if that is
// not sure, and then no vector may be skipped.
func SkippedMasks(p *lir.Program, s *Segment) (empty []lir.Ref, ok bool) {
	within := map[lir.Ref]bool{s.Guard: true} // masks that have only lanes of the guard
	for _, pc := range s.Lanes {
		in := &p.Code[pc]
		if in.D == 0 || p.Var(in.D).Class != lir.Mask {
			continue
		}
		a, b := within[in.A], within[in.B]
		keeps := false // the lanes that are not the guard's
		switch in.Op {
		case lir.OpMaskClear:
			a = true
		case lir.OpMaskOr:
			keeps = in.D == in.A && b || in.D == in.B && a
			a = a && b
		case lir.OpMaskSub:
			keeps = in.D == in.A && b
		}
		switch {
		case a:
			within[in.D] = true
			if !slices.Contains(empty, in.D) {
				empty = append(empty, in.D)
			}
		case !keeps:
			return nil, false
		}
	}
	return empty, true
}
