package emit

import (
	"slices"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A row is a number of threadgroups that one call executes, one after another along x, and then in
// the grid's next row. A range can do that if it is all of its program. It begins at the first
// instruction then, and the numbers that come from outside of the program are given to it.

// Given is a shared number that comes from outside of the program.
type Given struct {
	Inst      *lir.Inst // that yields it
	Moves     bool      // it depends on the threadgroup
	Simdgroup bool      // it is the number of the strip's first simdgroup
	At        int32
}

// given compiles an instruction that yields a given number.
func (c *compiler) given(in *lir.Inst) {
	i := slices.IndexFunc(c.r.Givens, func(g Given) bool { return g.Inst == in })
	if i < 0 {
		i = len(c.r.Givens)
		moves := in.Op.IR() == ir.OpIn && ir.Input(in.Imm) == ir.ThreadgroupPositionInGrid
		c.r.Givens = append(c.r.Givens, Given{in, moves, plan.IsSimdgroup(c.Program, in), c.Alloc(8, 8)})
	}
	c.load64(amd64.RAX, ctx(c.r.Givens[i].At))
	if c.r.Givens[i].Simdgroup {
		c.addConstant(amd64.RAX, int64(c.simdgroup))
		if c.Loop {
			c.load64(amd64.RCX, ctx(c.number))
			c.scale(amd64.RCX, int64(c.Block*c.Width/lir.SimdWidth))
			c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
		}
	}
	c.setShared(in.D, amd64.RAX)
}

// nextGroup ends a threadgroup and begins the next one of the row at a label. Without any, or
// without fuel, it goes on.
func (c *compiler) nextGroup(begin amd64.Label) {
	done := c.NewLabel()
	c.Emit(amd64.SUB64Imm, amd64.Args{Y: ctx(CtxGroups), Imm: 1})
	c.Jcc(amd64.E, done)
	c.load64(amd64.RAX, ctx(CtxFuel))
	c.scalar(amd64.SUB64, amd64.RAX, ctx(CtxGroupWork))
	c.store64(ctx(CtxFuel), amd64.RAX)
	c.compare(amd64.TEST64, amd64.RAX, amd64.G(amd64.RAX))
	c.Jcc(amd64.S, done)
	moved := func(axis int64, to amd64.Reg) {
		for _, g := range c.r.Givens {
			if g.Moves && g.Inst.Disp == axis {
				c.store64(ctx(g.At), to)
			}
		}
	}
	same := c.NewLabel()
	c.load64(amd64.RAX, ctx(CtxColumn))
	c.scalarImm(amd64.ADD64Imm, amd64.RAX, 1)
	c.compare(amd64.CMP64, amd64.RAX, ctx(CtxColumns))
	c.Jcc(amd64.NE, same)
	c.load64(amd64.RCX, ctx(CtxLine))
	c.scalarImm(amd64.ADD64Imm, amd64.RCX, 1)
	c.store64(ctx(CtxLine), amd64.RCX)
	moved(1, amd64.RCX)
	c.MovImm64(amd64.RAX, 0)
	c.Bind(same)
	c.store64(ctx(CtxColumn), amd64.RAX)
	moved(0, amd64.RAX)
	c.clearMemory()
	c.Jmp(begin)
	c.Bind(done)
}

// PieceAlign is the size of the pieces in which memory is cleared.
const PieceAlign = 64

// clearMemory clears the threadgroup memory and the thread memory.
func (c *compiler) clearMemory() {
	isShared := func(a ir.Arg) bool { return a.Kind == ir.ArgThreadgroup }
	if f := c.Program.Func; len(f.Threadgroup) > 0 || slices.ContainsFunc(f.Args, isShared) {
		c.clearPieces(ctx(CtxShared), ctx(CtxShared+8))
	}
	if c.Program.ThreadBytes > 0 {
		m := c.threadMemory()
		c.clearPieces(ctx(m+ThreadFirst), ctx(m+ThreadLength))
	}
}

// clearPieces clears memory at an address, of a length that is a multiple of PieceAlign.
func (c *compiler) clearPieces(address, length amd64.Operand) {
	const zero = valueScratch
	again, done := c.NewLabel(), c.NewLabel()
	c.load64(amd64.RAX, address)
	c.load64(amd64.RCX, length)
	c.Emit(amd64.VPXORD, amd64.Args{D: zero, X: zero, Y: amd64.V(zero)})
	c.Bind(again)
	c.scalarImm(amd64.SUB64Imm, amd64.RCX, PieceAlign)
	c.Jcc(amd64.S, done)
	for at := int32(0); at < PieceAlign; at += int32(4 * c.Width) {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: zero, Y: amd64.At(amd64.RAX, at)})
	}
	c.scalarImm(amd64.ADD64Imm, amd64.RAX, PieceAlign)
	c.Jmp(again)
	c.Bind(done)
}
