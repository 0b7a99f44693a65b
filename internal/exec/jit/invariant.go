package jit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// The threadgroups of a row compute many shared numbers from the launch's arguments alone. Those
// before the first jump are computed once, before the first threadgroup. No other instruction
// writes the same variable, and its place is not another's: nothing is live where a program begins
// or ends, so all of its Once variables are private.

// emitInvariants emits the instructions that all threadgroups of a row, and all blocks, can share.
func (c *compiler) emitInvariants() {
	c.invariant = make([]bool, len(c.p.Code))
	known := newSet(len(c.p.Vars))
	for _, s := range c.segs {
		for _, pc := range s.shared {
			in := &c.p.Code[pc]
			if !c.isInvariant(in, known) {
				continue
			}
			known.add(in.D)
			c.invariant[pc] = true
			c.note(pc)
			c.sharedOnce(in)
		}
		if s.jump >= 0 {
			return
		}
	}
}

// isInvariant reports whether an instruction yields the same in each threadgroup of a row, if
// the known variables do.
func (c *compiler) isInvariant(in *lir.Inst, known set) bool {
	if in.D == 0 || c.class(in.D) != lir.Once || !c.private.has(in.D) || len(c.defs[in.D]) != 1 || len(in.Outs) > 0 {
		return false
	}
	ok := true
	in.Reads(func(r lir.Ref) { ok = ok && (c.p.Var(r).Const || known.has(r)) })
	switch op := in.Op.IR(); {
	case !ok:
		return false
	case isGiven(c.p, in): // rows do not leave a plane
		return op != ir.OpIn || ir.Input(in.Imm) != ir.ThreadgroupPositionInGrid || in.Disp == 2
	case op == ir.OpLoad:
		at := c.accessed[in]
		return in.Space == ir.Constant &&
			!slices.ContainsFunc(c.r.Objects, func(o Object) bool { return o.at == at && o.Dynamic })
	}
	return sharedUsable(c.p, in)
}
