package plan

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A sine and a cosine of the same number have most of their steps in common, as other functions may
// have. Two of them in a segment are computed together, where the first is due.

// Pair is two functions of the same numbers.
type Pair struct {
	Second int // the instruction of the other function
	Both   *fast.Both
}

// minShared is how many steps the functions of a pair have in common: they keep a register for
// longer.
const minShared = 8

// findPairs returns the pairs of a segment by their first instructions.
func (c *Plan) findPairs(s *Segment) (pairs map[int]Pair) {
	var calls []int
	for _, pc := range s.Lanes {
		if in := &c.Program.Code[pc]; in.Kind == ir.F32 && c.Class(in.D) == lir.Lane && FunctionOf(in) != nil {
			calls = append(calls, pc)
		}
	}
	for len(calls) > 1 {
		first, x := calls[0], &c.Program.Code[calls[0]]
		calls = calls[1:]
		for i, second := range calls {
			y := &c.Program.Code[second]
			if y.A != x.A || y.B != x.B || c.WritesAny(s, first, second, x.A, x.B) {
				continue
			}
			if b := fast.Of2(FunctionOf(x), FunctionOf(y)); b.Shared >= minShared && b.Truths <= c.ScratchMasks {
				if pairs == nil {
					pairs = map[int]Pair{}
				}
				pairs[first] = Pair{second, b}
				calls = slices.Delete(calls, i, i+1)
				break
			}
		}
	}
	return pairs
}

// WritesAny reports whether the operations on lanes of a segment from one to another write one of
// two variables.
func (c *Plan) WritesAny(s *Segment, from, to int, a, b lir.Ref) bool {
	for _, pc := range s.Lanes {
		if from <= pc && pc < to && slices.ContainsFunc(c.Writes(pc), func(r lir.Ref) bool { return r == a || r == b }) {
			return true
		}
	}
	return false
}
