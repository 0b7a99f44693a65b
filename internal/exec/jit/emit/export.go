package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// A range leaves affine variables in the frame in the interpreter's form: as a header, if its sum
// wraps in no lane of the threadgroup, otherwise as a column.

// export leaves an affine variable in the frame. It uses RAX, RCX, RDX, R8 and R9.
func (c *compiler) export(r lir.Ref) {
	const lo, hi = amd64.R8, amd64.R9
	a, off := c.affine(r), c.Program.Var(r).Off
	column, done := c.NewLabel(), c.NewLabel()
	if plan.Wide(c.Program.Var(r).Kind) {
		c.load64(amd64.RAX, a.base.at)
	} else {
		c.scalar(amd64.MOVSX32To64, amd64.RAX, a.base.at)
	}
	c.store64(amd64.At(frameReg, off+8), amd64.RAX)
	var low, high int64 // of constant steps
	c.scalar(amd64.MOV64, lo, amd64.G(amd64.RAX))
	c.scalar(amd64.MOV64, hi, amd64.G(amd64.RAX))
	for axis, s := range a.steps {
		far := int64(c.Program.Shape[axis] - 1)
		c.loadNumber(amd64.RAX, s)
		c.store64(amd64.At(frameReg, off+16+8*int32(axis)), amd64.RAX)
		if s.Constant {
			low, high = low+min(s.Value*far, 0), high+max(s.Value*far, 0)
			continue
		}
		c.jumpUnless32(amd64.RAX, column)
		c.MovImm64(amd64.RCX, far)
		c.scalar(amd64.IMUL64, amd64.RAX, amd64.G(amd64.RCX))
		up, both := c.NewLabel(), c.NewLabel()
		c.compare(amd64.TEST64, amd64.RAX, amd64.G(amd64.RAX))
		c.Jcc(amd64.NS, up)
		c.scalar(amd64.ADD64, lo, amd64.G(amd64.RAX))
		c.Jmp(both)
		c.Bind(up)
		c.scalar(amd64.ADD64, hi, amd64.G(amd64.RAX))
		c.Bind(both)
	}
	c.addConstant(lo, low)
	c.addConstant(hi, high)
	if plan.Wide(c.Program.Var(r).Kind) { // the interpreter's limit for sums of 64 bits is 2^61
		for _, x := range []amd64.Reg{lo, hi} {
			c.scalar(amd64.ADD64, x, ctx(c.word(1<<60)))
			c.compare(amd64.CMP64, x, ctx(c.word(1<<61)))
			c.Jcc(amd64.AE, column)
		}
	} else {
		c.jumpUnless32(lo, column)
		c.jumpUnless32(hi, column)
	}
	c.MovImm64(amd64.RAX, 1)
	c.Bind(done)
	c.store64(amd64.At(frameReg, off), amd64.RAX)
	c.cold = append(c.cold, func() {
		c.Bind(column)
		c.exportColumn(r, a)
		c.MovImm64(amd64.RAX, 0)
		c.Jmp(done)
	})
}

// jumpUnless32 jumps to a label unless a register has a number of 32 bits, with its sign. It uses
// RCX.
func (c *compiler) jumpUnless32(x amd64.Reg, other amd64.Label) {
	c.scalar(amd64.MOVSX32To64, amd64.RCX, amd64.G(x))
	c.compare(amd64.CMP64, amd64.RCX, amd64.G(x))
	c.Jcc(amd64.NE, other)
}

// exportColumn leaves the numbers of all lanes of an affine variable in the frame.
func (c *compiler) exportColumn(r lir.Ref, a affine) {
	const v, sum = uint8(valueScratch), uint8(startScratch)
	at := c.Program.Var(r).Off + lir.AffineBytes
	if !plan.Wide(c.Program.Var(r).Kind) {
		for j := range (c.Program.Lanes + c.Width - 1) / c.Width {
			c.materialize(v, a, j)
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: amd64.At(frameReg, c.Column(at, 4, j))})
		}
		return
	}
	c.load64(amd64.RAX, a.base.at)
	if c.moves() {
		for axis, s := range a.steps {
			if s.Value != 0 {
				c.load64(amd64.RCX, ctx(CtxFirst+8*int32(axis)))
				c.scale(amd64.RCX, s.Value)
				c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.RCX))
			}
		}
	}
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: sum, Y: amd64.G(amd64.RAX)})
	n := c.Width / 2
	for i := range (c.Program.Lanes + n - 1) / n {
		l := &lanes{c: c, j: i / 2, laneOps: &noOps}
		c.Emit(amd64.VMOVAPS, amd64.Args{D: v, Y: vec(sum)})
		l.addLanes(v, r, 1, i%2)
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: amd64.At(frameReg, c.Column(at, 4, i))})
	}
}
