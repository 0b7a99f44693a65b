package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// behind returns how far an instruction's address is behind that of the first of its group.
func (c *compiler) behind(in *lir.Inst) int64 {
	if c.assumed == nil {
		return 0
	}
	return c.assumed.Apart[in]
}

// sameBase reports whether two accesses have the same address, or ones at a assumed distance.
func (c *compiler) sameBase(a, b *lir.Inst) bool {
	if a.A == b.A {
		return true
	}
	lead := func(in *lir.Inst) *lir.Inst {
		if x := c.assumed.First[in]; x != nil {
			return x
		}
		return in
	}
	return c.assumed != nil && lead(a).A == lead(b).A
}

// checkAssumed jumps to other unless what the code of a segment assumes is so.
func (c *compiler) checkAssumed(g *plan.Assumed, other amd64.Label) {
	done := map[lir.Ref]bool{}
	compare := func(x int64) {
		c.Emit(amd64.CMP64Imm, amd64.Args{Y: amd64.G(amd64.RAX), Imm: x})
		c.Jcc(amd64.NE, other)
	}
	for _, in := range g.Order {
		if first := g.First[in]; first != nil {
			c.load64(amd64.RAX, c.place(in.A))
			c.scalar(amd64.SUB64, amd64.RAX, c.place(first.A))
			compare(g.Apart[in])
		}
		if !done[in.B] {
			done[in.B] = true
			c.load64(amd64.RAX, c.affine(in.B).steps[0].at)
			compare(g.Steps[in.B])
		}
	}
}
