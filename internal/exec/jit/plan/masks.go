package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Operations on masks that nothing in their segment needs are deferred: they follow its operations
// on lanes, for all lanes of the block at once. Masks have a bit for each lane, so a general
// register holds many of them.

// findDeferred returns the operations on masks of a segment that follow its operations on lanes.
func (c *Plan) findDeferred(s *Segment) (deferred []int) {
	if !slices.ContainsFunc(s.Lanes, func(pc int) bool { return c.Program.Code[pc].Op.OnMasks() }) {
		return nil
	}
	var read, written []int32 // places of masks, by operations that are not deferred
	var truths []lir.Ref      // that they write
	isMask := func(r lir.Ref) bool { return r != 0 && c.Class(r) == lir.Mask }
	place := func(r lir.Ref) int32 { return c.Program.Var(r).Off }
	for _, pc := range slices.Backward(s.Lanes) {
		in := &c.Program.Code[pc]
		ok := isMask(in.D) && in.Op.OnMasks() && !slices.Contains(read, place(in.D)) &&
			!slices.Contains(written, place(in.D))
		for _, r := range c.Reads(pc) {
			switch {
			case isMask(r):
				ok = ok && !slices.Contains(written, place(r))
			case c.Class(r) != lir.Once:
				ok = ok && c.Class(r) == lir.Lane && !slices.Contains(truths, r)
			}
		}
		if ok {
			deferred = append(deferred, pc)
			continue
		}
		for _, r := range c.Reads(pc) {
			if isMask(r) {
				read = append(read, place(r))
			}
		}
		for _, r := range c.Writes(pc) {
			if isMask(r) {
				written = append(written, place(r))
			} else {
				truths = append(truths, r)
			}
		}
	}
	slices.Reverse(deferred)
	return deferred
}
