package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/exec/num/fast"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A sine and a cosine of the same number have most of their steps in common, as other functions may
// have. Two of them in a segment are computed together, where the first is due.

// pair is two functions of the same numbers.
type pair struct {
	second int // the instruction of the other function
	both   *fast.Both
}

// minShared is how many steps the functions of a pair have in common: they keep a register for
// longer.
const minShared = 8

// pairAt returns the pair that is due, if there are registers for it, or it needs no more of them
// than one of its functions.
func (l *lanes) pairAt() (p pair, ok bool) {
	p, ok = l.pairs[l.pc]
	n := len(l.free)
	return p, ok && n > 0 && (p.both.Room < n+scratchRegs || p.both.Room == p.both.Alone)
}

// findPairs returns the pairs of a segment by their first instructions.
func (c *compiler) findPairs(s *plan.Segment) (pairs map[int]pair) {
	var calls []int
	for _, pc := range s.Lanes {
		if in := &c.Program.Code[pc]; in.Kind == ir.F32 && c.Class(in.D) == lir.Lane && plan.FunctionOf(in) != nil {
			calls = append(calls, pc)
		}
	}
	for len(calls) > 1 {
		first, x := calls[0], &c.Program.Code[calls[0]]
		calls = calls[1:]
		for i, second := range calls {
			y := &c.Program.Code[second]
			if y.A != x.A || y.B != x.B || c.writesAny(s, first, second, x.A, x.B) {
				continue
			}
			if b := fast.Of2(plan.FunctionOf(x), plan.FunctionOf(y)); b.Shared >= minShared && b.Truths <= scratchMasks {
				if pairs == nil {
					pairs = map[int]pair{}
				}
				pairs[first] = pair{second, b}
				calls = slices.Delete(calls, i, i+1)
				break
			}
		}
	}
	return pairs
}

// writesAny reports whether the operations on lanes of a segment from one to another write one of
// two variables.
func (c *compiler) writesAny(s *plan.Segment, from, to int, a, b lir.Ref) bool {
	for _, pc := range s.Lanes {
		if from <= pc && pc < to && slices.ContainsFunc(c.Writes(pc), func(r lir.Ref) bool { return r == a || r == b }) {
			return true
		}
	}
	return false
}

// wait keeps a value in a register until an instruction of the segment is due.
func (l *lanes) wait(pc int, x uint8) {
	if l.pending == nil {
		l.pending = map[int]uint8{}
	}
	l.pending[pc] = x
}

// keep brings a function's second result into a register that the function does not free. The first
// result stays where it is.
func (f *function) keep(second, first uint8) uint8 {
	i := slices.Index(f.taken, second)
	if i < 0 {
		i = slices.IndexFunc(f.taken, func(x uint8) bool { return x != first })
	}
	x := second
	if i < 0 {
		x = f.lanes.take()
	} else {
		x = f.taken[i]
		f.taken = slices.Delete(f.taken, i, i+1)
	}
	if x != second {
		f.c.Emit(amd64.VMOVAPS, amd64.Args{D: x, Y: vec(second)})
	}
	return x
}
