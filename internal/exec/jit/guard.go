package jit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// skippedMasks returns the masks that a segment leaves empty in a vector without a lane in its
// guard. The others that it writes must keep their lanes in such a vector: ok is false if that is
// not sure, and then no vector may be skipped.
func skippedMasks(p *lir.Program, s *segment) (empty []lir.Ref, ok bool) {
	within := map[lir.Ref]bool{s.guard: true} // masks that have only lanes of the guard
	for _, pc := range s.lanes {
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
