package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A select that chooses the lesser or the greater of two floats, as an earlier comparison of both
// says, is one instruction: of two floats it yields the second, unless the first is less or
// greater.

// Extreme is what becomes of a comparison and a select that are one instruction.
type Extreme uint8

// Of a select, and of a comparison that nothing else reads.
const (
	Lesser Extreme = iota + 1
	Greater
	Absorbed
)

// findExtremes returns the comparisons and selects of a segment that are one instruction.
func (c *Plan) findExtremes(s *Segment) (found map[int]Extreme) {
	for i, pc := range s.Lanes {
		in := &c.Program.Code[pc]
		if in.Op.IR() != ir.OpSelect || in.Kind != ir.F32 || c.Class(in.A) != lir.Lane || len(c.Defs[in.A]) != 1 {
			continue
		}
		compare := c.Defs[in.A][0]
		x, which := &c.Program.Code[compare], Greater
		switch {
		case x.Op.IR() != ir.OpFLT || x.Kind != ir.F32:
			continue
		case in.B == x.A && in.C == x.B:
			which = Lesser
		case in.B != x.B || in.C != x.A:
			continue
		}
		if !slices.Contains(s.Lanes[:i], compare) || c.WritesAny(s, compare, pc, x.A, x.B) {
			continue
		}
		if found == nil {
			found = map[int]Extreme{}
		}
		found[pc] = which
		others := slices.ContainsFunc(s.Lanes, func(pc int) bool {
			return found[pc] == 0 && slices.Contains(c.Reads(pc), in.A)
		})
		if lives := c.Index[in.A] != 0; !lives && !others {
			found[compare] = Absorbed
		}
	}
	return found
}
