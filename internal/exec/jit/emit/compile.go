package emit

import (
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Registers. RDI and RSI hold their addresses throughout; the others hold values for an instruction
// or, those of accesses, for a segment.
const (
	ctxReg   = amd64.RDI
	frameReg = amd64.RSI
)

var accessRegs = [plan.MaxAccesses]amd64.Reg{amd64.RBX, amd64.R8, amd64.R9, amd64.R10, amd64.R11, amd64.R12, amd64.R13}

// compiler compiles a range. Its state is divided by what needs it; each part is described where it
// is used.
type compiler struct {
	*plan.Plan
	*amd64.Legalizer
	*contextMemory
	*workspace // while code is emitted
	r          *Description
	forced     Options
	text       *strings.Builder // the listing, or nil
	resume     int              // offset in the code

	position
	deferredCode
	subroutineState
	textureState
	objectState
	laneState
	threadState
}

// position is where in the range code is emitted.
type position struct {
	j0        int           // the first vector of the current block
	number    int32         // where the number of the iteration is
	simdgroup int           // whose element of Simd variables place returns
	affs      []affine      // of the current block, by their numbers, as far as they were needed
	labels    []amd64.Label // of segments
	suspend   amd64.Label
	assumed   *plan.Assumed // what the current code of a segment assumes, or nil
}

// place returns where a Once variable is, or the element of a Simd variable for the current
// simdgroup.
func (c *compiler) place(r lir.Ref) amd64.Operand {
	if c.Class(r) == lir.Simd {
		return c.element(r, c.simdgroup)
	}
	if c.Private.Has(r) {
		return ctx(c.PrivateSlot(r))
	}
	return amd64.At(frameReg, c.Program.Var(r).Off)
}

// element returns where the element of a Simd variable is for a simdgroup of the strip.
func (c *compiler) element(r lir.Ref, simdgroup int) amd64.Operand {
	v := c.Program.Var(r)
	return amd64.At(frameReg, v.Off+int32(v.ElemSize()*simdgroup))
}

// newCompiler returns a compiler of a range that has a plan.
func newCompiler(p *plan.Plan, o Options) *compiler {
	return &compiler{Plan: p, forced: o, r: &Description{From: p.From, To: p.To, Lanes: p.Width, Row: p.Row}}
}

// compile compiles the range.
func (c *compiler) compile() (out Code) {
	c.contextMemory = newContextMemory(c.Plan)
	c.Legalizer = amd64.NewLegalizer(!c.evex(), c.contextMemory)
	defer c.borrowWorkspace()()
	c.accessed = map[*lir.Inst]int32{}
	c.findObjects()
	c.ChooseForms(c.forced.Solo)
	c.list()
	c.emit()
	if c.Pos() > c.MaxCode {
		plan.Fail("%d bytes of code, more than %d", c.Pos(), c.MaxCode)
	}
	var parts []int
	if c.forced.Cold || c.forced.Whole || c.partsAreSmall() {
		parts = c.emitParts()
	}
	out = c.finish(parts)
	if parts == nil {
		c.Clash = nil
	}
	if c.text != nil {
		c.r.Listing = c.text.String()
	}
	for pc := c.From; pc < c.To; pc++ {
		c.r.Work += c.Program.Work(&c.Program.Code[pc])
		c.r.Waits = c.r.Waits || c.Program.Code[pc].Op.IR() == ir.OpBarrier
	}
	for r := range c.Live.At(c.From).All {
		if c.Class(r) == lir.Affine && c.Touched.Has(r) {
			c.r.Affine = append(c.r.Affine, r)
		}
	}
	return out
}

// endLabels are the labels of ends of the range or of a block, by the instruction to continue at.
type endLabels []endLabel

type endLabel struct {
	pc    int
	label amd64.Label
}

// of returns the label of an end, a new one the first time.
func (e *endLabels) of(c *compiler, pc int) amd64.Label {
	for _, x := range *e {
		if x.pc == pc {
			return x.label
		}
	}
	*e = append(*e, endLabel{pc, c.NewLabel()})
	return (*e)[len(*e)-1].label
}

func (e endLabels) sorted() endLabels {
	slices.SortFunc(e, func(a, b endLabel) int { return a.pc - b.pc })
	return e
}

// emit emits the code of the range.
func (c *compiler) emit() {
	c.findCalls()
	c.suspend = c.NewLabel()
	c.Emit(amd64.MOV64, amd64.Args{D: uint8(frameReg), Y: ctx(CtxFrame)})
	begin, block := c.NewLabel(), c.NewLabel()
	if c.r.Row {
		c.emitInvariants()
	}
	c.Bind(begin)
	c.keepShared()
	if c.Loop {
		c.beginBlocks(block)
	}
	var ends, blockEnds endLabels
	solo := c.soloLoops()
	for c.j0 = 0; c.j0 < c.Vectors; c.j0 += c.Block {
		if c.j0 > 0 {
			c.restoreShared()
		}
		c.affs = make([]affine, len(c.Strides.List))
		c.labels = c.labels[:0]
		for range c.Segments {
			c.labels = append(c.labels, c.NewLabel())
		}
		c.loadLive(c.From)
		blockEnds = blockEnds[:0]
		for i, s := range c.Segments {
			loop := solo[i]
			if loop != nil {
				c.enterSolo(loop)
			}
			c.Bind(c.labels[i])
			if loop != nil {
				c.soloLoop(loop)
			}
			c.segment(i, s, &blockEnds)
		}
		next := c.NewLabel()
		for _, end := range blockEnds.sorted() {
			pc := end.pc
			c.Bind(end.label)
			c.storeLive(pc)
			if c.r.Row {
				pc = c.To // all exits are ends
			}
			if !c.Loop && c.j0+c.Block < c.Vectors {
				c.Jmp(next)
				continue
			}
			c.Jmp(ends.of(c, pc))
		}
		c.emitCold()
		c.Bind(next)
		if c.Pos() > c.MaxCode {
			plan.Fail("more than %d bytes of code", c.MaxCode)
		}
		if c.Loop {
			break
		}
	}
	for _, end := range ends.sorted() {
		c.Bind(end.label)
		if c.Loop {
			c.nextBlock(block)
		}
		if c.r.Row {
			c.nextGroup(begin)
		}
		c.Vzeroupper()
		c.Emit(amd64.MOV32Imm, amd64.Args{D: uint8(amd64.RAX), Imm: int64(len(c.r.Exits))})
		c.r.Exits = append(c.r.Exits, end.pc)
		c.Ret()
	}
	c.emitSubroutines(0)
	c.emitSuspend()
	c.emitWants()
}

// emitCold emits the cold code so far.
func (c *compiler) emitCold() {
	for len(c.cold) > 0 {
		f := c.cold[0]
		c.cold = c.cold[1:]
		f()
	}
}
