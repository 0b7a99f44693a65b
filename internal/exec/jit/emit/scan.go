package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// scan computes running sums or products. Those of integers may be computed in any order: in five
// steps, each lane adds what the one half as many lanes below has. Those of floats are rounded lane
// by lane, in memory.
func (c *compiler) scan(in *lir.Inst, g int) {
	op := in.Op.IR().Repeats(in.Kind)
	if in.Kind == ir.I32 && c.evex() {
		c.scanBySteps(in, g, op)
		return
	}
	free := c.freeRegs()
	at := c.exchangeAt()
	list := c.vectorsIn(g)
	for i, l := range list {
		x := l.active(free[0], in.A, in, neutral[op])
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: ctx(c.Column(at, 4, i))})
	}
	const sum = uint8(valueScratch)
	lane := func(i int) amd64.Operand { return ctx(at + 4*int32(i)) }
	scalar := map[ir.Op]amd64.Op{ir.OpFAdd: amd64.VADDSS, ir.OpFMul: amd64.VMULSS, ir.OpAdd: amd64.ADD32,
		ir.OpMul: amd64.IMUL32}[op]
	if in.Kind == ir.F32 {
		c.Emit(amd64.VMOVSS, amd64.Args{D: sum, Y: lane(0)})
		for i := 1; i < lir.SimdWidth; i++ {
			c.Emit(scalar, amd64.Args{D: sum, X: sum, Y: lane(i)})
			c.Emit(amd64.VMOVSSStore, amd64.Args{X: sum, Y: lane(i)})
		}
	} else {
		c.load32(amd64.RAX, lane(0))
		for i := 1; i < lir.SimdWidth; i++ {
			c.scalar(scalar, amd64.RAX, lane(i))
			c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(amd64.RAX), Y: lane(i)})
		}
	}
	if !plan.Exclusive(in.Op.IR()) {
		for i, l := range list {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: free[0], Y: ctx(c.Column(at, 4, i))})
			l.set(in.D, free[0])
		}
		return
	}
	first := neutral[op]
	if op == ir.OpFAdd {
		first = 0
	}
	c.Emit(amd64.MOV32StoreImm, amd64.Args{Y: lane(-1), Imm: int64(first)})
	zeros := int32(0)
	if op == ir.OpFAdd && c.someLanes(in) { // -0, which is neutral, is not the sum of no lanes
		zeros = c.Alloc(8, 8)
		c.lowestBit(amd64.RAX, c.activeLanes(in, g))
		c.scalar(amd64.ADD32, amd64.RAX, amd64.G(amd64.RAX))
		c.scalarImm(amd64.SUB32Imm, amd64.RAX, 1)
		c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(amd64.RAX), Y: ctx(zeros)})
	}
	for i, l := range list {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: free[0], Y: ctx(c.Column(at, 4, i) - 4)})
		if zeros != 0 {
			c.Emit(amd64.KMOVWLoad, amd64.Args{D: 1, Y: ctx(c.Bits(zeros, i))})
			c.Emit(amd64.VBROADCASTSS, amd64.Args{D: free[0], Y: ctx(c.word(0)), K: 1})
		}
		l.set(in.D, free[0])
	}
}

// scanBySteps computes running sums or products of integers with AVX-512.
func (c *compiler) scanBySteps(in *lir.Inst, g int, op ir.Op) {
	const t, none = uint8(placeScratch), uint8(indexScratch)
	free := c.freeRegs()
	list := c.vectorsIn(g)
	lo, hi := list[0].active(free[0], in.A, in, neutral[op]), list[1].active(free[1], in.A, in, neutral[op])
	n := neutral[op]
	c.Emit(amd64.VBROADCASTSS, amd64.Args{D: none, Y: ctx(c.word(uint64(n) | uint64(n)<<32))})
	// below sets a register to the numbers that lanes have by lanes below those of a vector, which
	// follows another.
	below := func(d, before, x uint8, by int) {
		var index [plan.MaxWidth]int32
		for i := range index {
			index[i] = int32(plan.MaxWidth + i - by)
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(c.vector(index))})
		c.Emit(amd64.VPERMI2PS, amd64.Args{D: d, X: before, Y: vec(x)})
	}
	for by := 1; by < lir.SimdWidth; by *= 2 {
		if by == plan.MaxWidth {
			c.Emit(vectorOps[op].op, amd64.Args{D: free[1], X: hi, Y: vec(lo)})
			hi = free[1]
			break
		}
		below(t, lo, hi, by)
		c.Emit(vectorOps[op].op, amd64.Args{D: free[1], X: hi, Y: vec(t)})
		hi = free[1]
		below(t, none, lo, by)
		c.Emit(vectorOps[op].op, amd64.Args{D: free[0], X: lo, Y: vec(t)})
		lo = free[0]
	}
	if plan.Exclusive(in.Op.IR()) {
		below(t, lo, hi, 1)
		below(valueScratch, none, lo, 1)
		lo, hi = valueScratch, t
	}
	list[0].set(in.D, lo)
	list[1].set(in.D, hi)
}
