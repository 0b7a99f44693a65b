package jit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// An affine number of 64 bits that only addresses are computed from is an index. It stays affine,
// in contrast to those that lift makes numbers of each lane: the frame has it in the same form, so
// ranges share it with the rest of the program, and lanes whose elements are in a row need no
// gather. Its steps are constant. Sums of 64 bits may wrap, since addresses do too.

// indices returns the affine variables of 64 bits that have numbers, and not addresses.
func indices(p *lir.Program) map[lir.Ref]bool {
	list := map[lir.Ref]bool{}
	for changed := true; changed; {
		changed = false
		for pc := range p.Code {
			in := &p.Code[pc]
			if in.D == 0 || list[in.D] || p.Var(in.D).Class != lir.Affine || !wide(p.Var(in.D).Kind) {
				continue
			}
			if !isAffineAddress(in) || in.Op == lir.OpMov && list[in.A] {
				list[in.D], changed = true, true
			}
		}
	}
	return list
}

// indexUsable reports whether sharedIndex computes an index.
func (f *facts) indexUsable(in *lir.Inst) bool {
	p := f.p
	shared := func(r lir.Ref) bool { return p.Var(r).Class == lir.Once || p.Var(r).Class == lir.Affine }
	steps, known := f.s.of(in.D)
	if !known || p.Var(in.D).Class != lir.Affine || !steps[0].constant || !steps[1].constant || !steps[2].constant {
		return false
	}
	switch op := in.Op.IR(); op {
	case ir.OpZExt, ir.OpSExt:
		return f.isBounded(in.A) && in.From == ir.I32
	case ir.OpAdd, ir.OpSub, ir.OpMul:
		return in.Kind == ir.I64 && shared(in.A) && shared(in.B)
	case ir.OpNeg:
		return in.Kind == ir.I64 && shared(in.A)
	case ir.OpShl:
		return in.Kind == ir.I64 && shared(in.A) && p.Var(in.B).Const
	}
	return in.Op == lir.OpMov && shared(in.A)
}

// takesIndex reports whether an instruction may read an index as it is.
func (f *facts) takesIndex(in *lir.Inst, r lir.Ref) bool {
	if in.D != 0 && f.p.Var(in.D).Class == lir.Affine {
		switch {
		case in.Op.IR() == ir.OpTrunc:
			return truncates(f.p, in)
		case in.Op.IR() == ir.OpOffset:
			return f.affineAddressUsable(in)
		}
		return f.indexUsable(in)
	}
	op := in.Op.IR()
	return (op == ir.OpLoad || op == ir.OpStore) && r == in.B && in.Ext == lir.NoExt && in.Per == lir.Lane &&
		in.Space != ir.Thread
}

// truncates reports whether an instruction makes an index an affine number of 32 bits.
func truncates(p *lir.Program, in *lir.Inst) bool {
	return in.Op.IR() == ir.OpTrunc && in.Kind == ir.I32 && in.From == ir.I64 && p.Var(in.A).Class == lir.Affine
}

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
		c.scalarImm(amd64.SHL64Imm, amd64.RAX, int64(c.p.Var(in.B).Bits&63))
	default:
		c.load64(amd64.RAX, a.base.at)
		c.scalar(sharedOps[op][1], amd64.RAX, c.affine(in.B).base.at)
	}
	c.store64(c.affine(in.D).base.at, amd64.RAX)
}

// hasIndex reports whether an access counts from an index.
func (c *compiler) hasIndex(in *lir.Inst) bool {
	return in.B != 0 && in.Ext == lir.NoExt && c.class(in.B) == lir.Affine
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
		if by := s.value * in.Scale; by != 0 {
			c.load64(amd64.RCX, ctx(ctxFirst+8*int32(axis)))
			c.scale(amd64.RCX, by)
			c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
		}
	}
}
