package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// The threadgroups of a row compute many shared numbers from the launch's arguments alone. Those
// before the first jump are computed once, before the first threadgroup. No other instruction
// writes the same variable, and its place is not another's: nothing is live where a program begins
// or ends, so all of its Once variables are private.

// emitInvariants emits the instructions that all threadgroups of a row, and all blocks, can share.
func (c *compiler) emitInvariants() {
	c.invariant = make([]bool, len(c.Program.Code))
	known := plan.NewSet(len(c.Program.Vars))
	for _, s := range c.Segments {
		for _, pc := range s.Shared {
			in := &c.Program.Code[pc]
			if !c.isInvariant(in, known) {
				continue
			}
			known.Add(in.D)
			c.invariant[pc] = true
			c.note(pc)
			c.sharedOnce(in)
		}
		if s.Jump >= 0 {
			return
		}
	}
}

// isInvariant reports whether an instruction yields the same in each threadgroup of a row, if
// the known variables do.
func (c *compiler) isInvariant(in *lir.Inst, known plan.Set) bool {
	if in.D == 0 || c.Class(in.D) != lir.Once || !c.Private.Has(in.D) || len(c.Defs[in.D]) != 1 || len(in.Outs) > 0 {
		return false
	}
	ok := true
	in.Reads(func(r lir.Ref) { ok = ok && (c.Program.Var(r).Const || known.Has(r)) })
	switch op := in.Op.IR(); {
	case !ok:
		return false
	case plan.IsGiven(c.Program, in): // rows do not leave a plane
		return op != ir.OpIn || ir.Input(in.Imm) != ir.ThreadgroupPositionInGrid || in.Disp == 2
	case op == ir.OpLoad:
		at := c.accessed[in]
		return in.Space == ir.Constant &&
			!slices.ContainsFunc(c.r.Objects, func(o Object) bool { return o.At == at && o.Dynamic })
	}
	return plan.SharedUsable(c.Program, in)
}
