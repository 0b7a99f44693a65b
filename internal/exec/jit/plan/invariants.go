package plan

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// The threadgroups of a row compute many shared numbers from the launch's arguments alone. Those
// before the first jump are computed once, before the first threadgroup. No other instruction
// writes the same variable, and its place is not another's: nothing is live where a program begins
// or ends, so all of its Once variables are private.

// findInvariants finds the instructions that all threadgroups of a row, and all blocks, can share.
func (c *Plan) findInvariants() {
	known := NewSet(len(c.Program.Vars))
	for _, s := range c.Segments {
		for _, pc := range s.Shared {
			if in := &c.Program.Code[pc]; c.isInvariant(pc, in, known) {
				known.Add(in.D)
				s.Invariant = append(s.Invariant, pc)
			}
		}
		if s.Jump >= 0 {
			return
		}
	}
}

// isInvariant reports whether an instruction yields the same in each threadgroup of a row, if
// the known variables do.
func (c *Plan) isInvariant(pc int, in *lir.Inst, known Set) bool {
	if in.D == 0 || c.Class(in.D) != lir.Once || !c.Private.Has(in.D) || len(c.Defs[in.D]) != 1 || len(in.Outs) > 0 {
		return false
	}
	ok := true
	in.Reads(func(r lir.Ref) { ok = ok && (c.Program.Var(r).Const || known.Has(r)) })
	switch op := in.Op.IR(); {
	case !ok:
		return false
	case IsGiven(c.Program, in): // rows do not leave a plane
		return op != ir.OpIn || ir.Input(in.Imm) != ir.ThreadgroupPositionInGrid || in.Disp == 2
	case op == ir.OpLoad:
		_, fixed := c.ObjectOf([2]int{c.From, c.To}, in.A, pc)
		return in.Space == ir.Constant && fixed
	}
	return SharedUsable(c.Program, in)
}
