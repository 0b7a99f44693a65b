package emit

import (
	"slices"
	"sync/atomic"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// emitInvariants emits the instructions that all threadgroups of a row share.
func (c *compiler) emitInvariants() {
	for _, s := range c.Segments {
		for _, pc := range s.Invariant {
			c.note(pc)
			c.sharedOnce(&c.Program.Code[pc])
		}
	}
}

// segment compiles a segment. ends are those of the block.
func (c *compiler) segment(i int, s *plan.Segment, ends *endLabels) {
	for _, pc := range s.Shared {
		if slices.Contains(s.Invariant, pc) {
			continue
		}
		c.note(pc)
		c.shared(&c.Program.Code[pc])
	}
	if s.Simdgroup != nil {
		c.note(s.From)
		c.simdgroupOp(s.Simdgroup)
	} else {
		c.lanes(s)
	}
	if s.Jump < 0 {
		if i == len(c.Segments)-1 {
			c.Jmp(ends.of(c, s.To))
		}
		return
	}
	in := &c.Program.Code[s.Jump]
	c.note(s.Jump)
	if in.Op == lir.OpEnd {
		c.Jmp(ends.of(c, c.To))
		return
	}
	var target amd64.Label
	if n := c.segmentAt(int(in.Target)); n >= 0 {
		target = c.labels[n]
	} else {
		target = ends.of(c, int(in.Target))
	}
	switch in.Op {
	case lir.OpJump:
		c.Jmp(target)
		return
	case lir.OpJumpNone:
		c.anyLane(in.A)
		c.Jcc(amd64.E, target)
	case lir.OpJumpIf, lir.OpJumpUnless:
		c.scalar(amd64.MOVZX8To32, amd64.RAX, c.place(in.A))
		c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
		cond := amd64.NE
		if in.Op == lir.OpJumpUnless {
			cond = amd64.E
		}
		c.Jcc(cond, target)
	case lir.OpBack:
		over := c.NewLabel()
		if in.A != 0 {
			c.anyLane(in.A)
			c.Jcc(amd64.E, over)
		}
		c.back(s.Jump, target)
		c.Bind(over)
	}
	if i == len(c.Segments)-1 {
		c.Jmp(ends.of(c, s.To))
	}
}

// segmentAt returns the segment that begins at an instruction, or -1.
func (c *compiler) segmentAt(pc int) int {
	for i, s := range c.Segments {
		if s.From == pc {
			return i
		}
	}
	return -1
}

// anyLane sets the zero flag if no lane of the block is in a mask.
func (c *compiler) anyLane(m lir.Ref) {
	at, left := c.Bits(c.Program.Var(m).Off, c.j0), c.Bits(0, c.Block) // bytes
	d := amd64.RAX
	for _, part := range []struct {
		bytes int32
		load  amd64.Op
	}{{8, amd64.MOV64}, {4, amd64.MOV32}, {2, amd64.MOVZX16To32}, {1, amd64.MOVZX8To32}} {
		for ; left >= part.bytes; left -= part.bytes {
			c.scalar(part.load, d, amd64.At(frameReg, at))
			if d != amd64.RAX {
				c.scalar(amd64.OR64, amd64.RAX, amd64.G(d))
			}
			at, d = at+part.bytes, amd64.RCX
		}
	}
	c.compare(amd64.TEST64, amd64.RAX, amd64.G(amd64.RAX))
}

// back compiles a backward jump, which costs fuel. Without any, the code returns to its caller,
// which may continue it.
func (c *compiler) back(pc int, target amd64.Label) {
	work := int64(0)
	for i := int(c.Program.Code[pc].Target); i <= pc; i++ {
		work += c.Program.Work(&c.Program.Code[i])
	}
	work = max(1, work*int64(c.Block)/int64(c.Vectors))
	c.Emit(amd64.SUB64Imm, amd64.Args{Y: ctx(CtxFuel), Imm: min(work, 1<<30)})
	out, resume := c.NewLabel(), c.NewLabel()
	c.Jcc(amd64.S, out)
	c.Bind(resume)
	c.Jmp(target)
	c.cold = append(c.cold, func() {
		c.Bind(out)
		c.MovImm64(amd64.RDX, Suspended)
		c.LeaLabel(amd64.RAX, resume)
		c.Jmp(c.suspend)
	})
}

// Registers that are saved when the code is suspended.
var savedRegs = []amd64.Reg{amd64.RBX, amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12, amd64.R13, amd64.RSI}

// suspension is code that depends on the processor alone.
type suspension struct {
	code   []byte
	resume int // offset in it of what restores the registers
}

// suspensions are without and with AVX-512. They are encoded once.
var suspensions [2]atomic.Pointer[suspension]

// emitSuspend emits what saves all registers and returns the number in EDX, and what restores them.
func (c *compiler) emitSuspend() {
	c.Bind(c.suspend)
	if c.text != nil { // the instructions are for the listing
		c.resume = c.emitSuspension()
		return
	}
	known := &suspensions[0]
	if c.evex() {
		known = &suspensions[1]
	}
	s := known.Load()
	if s == nil {
		s = c.newSuspension()
		known.Store(s)
	}
	c.resume = c.Pos() + s.resume
	c.Data(s.code)
}

func (c *compiler) newSuspension() *suspension {
	before := c.Asm
	defer func() { c.Asm = before }()
	c.Asm = amd64.New(32 * c.Width)
	c.VEX = !c.evex()
	s := &suspension{resume: c.emitSuspension()}
	var err error
	if s.code, err = c.Bytes(); err != nil {
		plan.Fail("%v", err)
	}
	return s
}

// emitSuspension emits the instructions, and returns where those are that restore the registers.
func (c *compiler) emitSuspension() (resume int) {
	c.store64(ctx(CtxResume), amd64.RAX)
	for i, r := range savedRegs {
		c.store64(ctx(ctxRegs+8*int32(i)), r)
	}
	for k := uint8(0); k < 8 && c.evex(); k++ {
		c.Emit(amd64.KMOVWStore, amd64.Args{X: k, Y: ctx(ctxMasks + 8*int32(k))})
	}
	for v := range uint8(c.Registers) {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(ctxVectors + 64*int32(v))})
	}
	c.Vzeroupper()
	c.scalar(amd64.MOV32, amd64.RAX, amd64.G(amd64.RDX))
	c.Ret()
	resume = c.Pos()
	for i, r := range savedRegs {
		c.load64(r, ctx(ctxRegs+8*int32(i)))
	}
	for k := uint8(0); k < 8 && c.evex(); k++ {
		c.Emit(amd64.KMOVWLoad, amd64.Args{D: k, Y: ctx(ctxMasks + 8*int32(k))})
	}
	for v := range uint8(c.Registers) {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(ctxVectors + 64*int32(v))})
	}
	c.load64(amd64.RAX, ctx(CtxResume))
	c.JmpReg(amd64.RAX)
	return resume
}

// loadLive brings what is live at the range's begin from the frame to where the code wants it.
func (c *compiler) loadLive(pc int) {
	for r := range c.Live.At(pc).All {
		if c.Class(r) == lir.Affine && c.Written.Has(r) {
			a := c.affine(r)
			off := c.Program.Var(r).Off
			c.load64(amd64.RAX, amd64.At(frameReg, off+8))
			c.store64(a.base.at, amd64.RAX)
			for i, s := range a.steps {
				if !s.Constant {
					c.load64(amd64.RAX, amd64.At(frameReg, off+16+8*int32(i)))
					c.store64(s.at, amd64.RAX)
				}
			}
		}
		h, ok := c.HomeOf(r)
		if !ok {
			continue
		}
		for jj := range c.Block {
			off, j := c.Program.Var(r).Off, c.j0+jj
			switch {
			case h.Wide:
				if jj == 0 {
					c.moveWide(r, false)
				}
			case h.Matrix:
				if jj == 0 {
					c.copyMatrices(r, false)
				}
			case h.Mask:
				c.packTruths(ctx(c.Bits(h.Offset, j)), amd64.At(frameReg, c.Column(off, 1, j)))
			case plan.Narrow(c.Program.Var(r).Kind):
				size, d := c.Program.Var(r).Kind.Size(), uint8(valueScratch)
				if h.Reg >= 0 {
					d = uint8(h.Reg + jj)
				}
				c.Emit(widen[size], amd64.Args{D: d, Y: amd64.At(frameReg, c.Column(off, size, j))})
				if h.Reg < 0 {
					c.Emit(amd64.VMOVUPSStore, amd64.Args{X: d, Y: ctx(c.Column(h.Offset, 4, jj))})
				}
			case h.Reg >= 0:
				c.Emit(amd64.VMOVUPS, amd64.Args{D: uint8(h.Reg + jj), Y: amd64.At(frameReg, c.Column(off, 4, j))})
			}
		}
	}
}

// storeLive brings what is live at an exit to the frame.
func (c *compiler) storeLive(pc int) {
	for r := range c.Live.At(pc).All {
		if c.Class(r) == lir.Affine && c.Written.Has(r) && c.j0+c.Block >= c.Vectors {
			c.export(r)
		}
		h, ok := c.HomeOf(r)
		if !ok || !c.Written.Has(r) {
			continue
		}
		for jj := range c.Block {
			off, j := c.Program.Var(r).Off, c.j0+jj
			switch {
			case h.Wide:
				if jj == 0 {
					c.moveWide(r, true)
				}
			case h.Matrix:
				if jj == 0 {
					c.copyMatrices(r, true)
				}
			case h.Mask:
				c.spreadTruths(amd64.At(frameReg, c.Column(off, 1, j)), ctx(c.Bits(h.Offset, j)))
			case plan.Narrow(c.Program.Var(r).Kind):
				size, x := c.Program.Var(r).Kind.Size(), uint8(valueScratch)
				if h.Reg >= 0 {
					x = uint8(h.Reg + jj)
				} else {
					c.Emit(amd64.VMOVUPS, amd64.Args{D: x, Y: ctx(c.Column(h.Offset, 4, jj))})
				}
				c.Emit(narrowing[size], amd64.Args{X: x, Y: amd64.At(frameReg, c.Column(off, size, j))})
			case h.Reg >= 0:
				c.Emit(amd64.VMOVUPSStore, amd64.Args{X: uint8(h.Reg + jj), Y: amd64.At(frameReg, c.Column(off, 4, j))})
			}
		}
	}
}
