package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// An affine number of 64 bits that only addresses are computed from is an index. It stays affine,
// in contrast to those that lift makes numbers of each lane: the frame has it in the same form, so
// ranges share it with the rest of the program, and lanes whose elements are in a row need no
// gather. Its steps are constant. Sums of 64 bits may wrap, since addresses do too.

// sharedIndex compiles an operation that yields an index, in lane 0 of the threadgroup.
func (c *compiler) sharedIndex(in *lir.Inst) {
	a := c.affine(in.A)
	switch op := in.Op.IR(); op {
	case ir.OpZExt, ir.OpSExt: // of a number that is not negative
		c.load32(amd64.RAX, a.base.at)
	case ir.OpNeg:
		c.MovImm64(amd64.RAX, 0)
		c.scalar(amd64.SUB64, amd64.RAX, a.base.at)
	case ir.OpShl:
		c.load64(amd64.RAX, a.base.at)
		c.scalarImm(amd64.SHL64Imm, amd64.RAX, int64(c.Program.Var(in.B).Bits&63))
	default:
		c.load64(amd64.RAX, a.base.at)
		c.scalar(sharedOps[op][1], amd64.RAX, c.affine(in.B).base.at)
	}
	c.store64(c.affine(in.D).base.at, amd64.RAX)
}

// addIndex adds the index of an access, in the strip's first lane and scaled, to RAX. It uses RCX.
func (c *compiler) addIndex(in *lir.Inst) {
	x := c.affine(in.B)
	c.load64(amd64.RCX, x.base.at)
	c.scale(amd64.RCX, in.Scale)
	c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
	if !c.moves() {
		return
	}
	for axis, s := range x.steps {
		if by := s.Value * in.Scale; by != 0 {
			c.load64(amd64.RCX, ctx(CtxFirst+8*int32(axis)))
			c.scale(amd64.RCX, by)
			c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
		}
	}
}
