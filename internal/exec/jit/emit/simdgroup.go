package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Operations among the lanes of a simdgroup are segments of their own, so that their operands are
// where values are that live across segments, in all vectors. A simdgroup has two vectors with
// AVX-512 and four with AVX2, all in one block.
//
// Values of inactive lanes must not matter: an operation first replaces them by a number that
// leaves its result unchanged.

// neutral are the numbers that reductions and scans of 32-bit numbers ignore, by the operation that
// they repeat.
var neutral = [ir.NumOps]uint32{
	ir.OpMul: 1, ir.OpSMin: 1<<31 - 1, ir.OpUMin: 1<<32 - 1, ir.OpSMax: 1 << 31, ir.OpAnd: 1<<32 - 1,
	ir.OpFAdd: 1 << 31, ir.OpFMul: 0x3f800000, ir.OpFMin: 0x7fc00000, ir.OpFMax: 0x7fc00000,
}

// simdgroupOp compiles an operation among lanes.
func (c *compiler) simdgroupOp(in *lir.Inst) {
	for g := range c.simdgroups() {
		c.simdgroup = g
		switch op := in.Op.IR(); {
		case plan.Reduces(op):
			c.reduce(in, g)
		case plan.Scans(op):
			c.scan(in, g)
		case plan.Shuffles(op):
			c.shuffle(in, g)
		case plan.Fills(op):
			c.shiftAndFill(in, g)
		case op == ir.OpSimdFirst:
			c.first(in, g)
		case op == ir.OpSimdIsFirst:
			c.isFirst(in, g)
		case op == ir.OpStore:
			c.storeSimd(in, g)
		case op == ir.OpMatLoad, op == ir.OpMatStore:
			c.moveMatrix(in, g)
		case plan.OnMatrices(in):
			c.multiply(in, g)
		default:
			c.vote(in, g)
		}
		for k := range uint8(scratchMasks) {
			c.DropMask(k + 1)
		}
	}
}

// vectorsIn returns the vectors of a simdgroup.
func (c *compiler) vectorsIn(g int) (list []*lanes) {
	for i := range c.VectorsOfSimdgroup() {
		list = append(list, c.apart(g*c.VectorsOfSimdgroup()+i, i))
	}
	return list
}

// someLanes reports whether there may be lanes that do not execute an instruction.
func (c *compiler) someLanes(in *lir.Inst) bool { return in.Mask != 0 || c.Partial() }

// activeLanes returns where a bit for each lane of a simdgroup is that an instruction's mask has.
func (c *compiler) activeLanes(in *lir.Inst, g int) amd64.Operand {
	if in.Mask == 0 {
		return ctx(CtxFull + 4*int32(g))
	}
	return amd64.At(frameReg, c.Program.Var(in.Mask).Off+4*int32(g))
}

// active returns a register with an operand of an instruction among lanes: its own, or d. Lanes
// that do not execute the instruction have another value instead, unless it reads what they hold.
// It uses K1.
func (l *lanes) active(d uint8, r lir.Ref, in *lir.Inst, instead uint32) uint8 {
	c, mask := l.c, in.Mask
	if in.Held {
		mask = 0
	}
	if mask == 0 && !c.Partial() {
		return l.reg(r, d)
	}
	l.mask(1, mask)
	c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: ctx(c.word(uint64(instead) | uint64(instead)<<32))})
	c.loadSource(d, l.source(r), 1)
	return d
}

// storeSimd stores the number of a simdgroup if a lane of it is active.
func (c *compiler) storeSimd(in *lir.Inst, g int) {
	over := c.NewLabel()
	if c.someLanes(in) {
		c.load32(amd64.RAX, c.activeLanes(in, g))
		c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
		c.Jcc(amd64.E, over)
	}
	c.sharedStore(in)
	c.Bind(over)
}

// combine sets a register to what a reduction or scan makes of two others, neither of which is
// valueScratch.
func (l *lanes) combine(op ir.Op, d, x, y uint8) {
	if op != ir.OpFMin && op != ir.OpFMax {
		l.c.Emit(vectorOps[op].op, amd64.Args{D: d, X: x, Y: vec(y)})
		return
	}
	l.extremeOf(op, x, y)
	if d != valueScratch {
		l.c.Emit(amd64.VMOVAPS, amd64.Args{D: d, Y: vec(valueScratch)})
	}
}

// reduce combines the lanes of a simdgroup with those half as many lanes further, then the first
// half of them, and so on, as package ir specifies.
func (c *compiler) reduce(in *lir.Inst, g int) {
	const t = uint8(placeScratch)
	op := in.Op.IR().Repeats(in.Kind)
	free := c.freeRegs()
	list := c.vectorsIn(g)
	var x []uint8
	for i, l := range list {
		x = append(x, l.active(free[i], in.A, in, neutral[op]))
	}
	l := list[0]
	for n := len(x) / 2; n > 0; n /= 2 {
		for i := range n {
			l.combine(op, free[i], x[i], x[i+n])
			x[i] = free[i]
		}
	}
	v := x[0]
	for _, f := range []struct {
		op  amd64.Op
		imm int64
	}{{amd64.VEXTRACTF64X4, 1}, {amd64.VEXTRACTF32X4, 1}, {amd64.VPSHUFD, 0xe}, {amd64.VPSHUFD, 1}} {
		if f.op == amd64.VEXTRACTF64X4 && !c.evex() {
			continue
		}
		c.Emit(f.op, amd64.Args{D: t, Y: vec(v), Imm: f.imm})
		l.combine(op, v, v, t)
	}
	c.Emit(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RAX), Y: vec(v)})
	c.setShared(in.D, amd64.RAX)
}

// truthsOf returns where a bit for each lane of a simdgroup is that a truth value has.
func (c *compiler) truthsOf(r lir.Ref, g int) amd64.Operand {
	return ctx(c.Bits(c.truthSlot(r), g*c.VectorsOfSimdgroup()))
}

// vote computes a query about a truth value.
func (c *compiler) vote(in *lir.Inst, g int) {
	op := in.Op.IR()
	switch {
	case op == ir.OpSimdActive:
		c.scalarImm(amd64.OR32Imm, amd64.RAX, -1)
	case c.Class(in.A) == lir.Lane:
		c.load32(amd64.RAX, c.truthsOf(in.A, g))
	default:
		c.scalar(amd64.MOVZX8To32, amd64.RAX, c.place(in.A))
		c.Emit(amd64.NEG32, amd64.Args{Y: amd64.G(amd64.RAX)})
	}
	some := c.someLanes(in)
	if some {
		c.scalar(amd64.AND32, amd64.RAX, c.activeLanes(in, g))
	}
	cond := amd64.NE
	switch {
	case op == ir.OpSimdBallot, op == ir.OpSimdActive:
		c.setShared(in.D, amd64.RAX)
		return
	case op == ir.OpSimdAny:
		c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
	case some:
		c.compare(amd64.CMP32, amd64.RAX, c.activeLanes(in, g))
		cond = amd64.E
	default:
		c.scalarImm(amd64.ADD32Imm, amd64.RAX, 1) // all ones become 0
		cond = amd64.E
	}
	c.SetCC(cond, amd64.RAX)
	c.scalar(amd64.MOVZX8To32, amd64.RAX, amd64.G(amd64.RAX))
	c.setShared(in.D, amd64.RAX)
}

// first sets a shared number to that of the first active lane.
func (c *compiler) first(in *lir.Inst, g int) {
	free := c.freeRegs()
	if !c.someLanes(in) {
		x := c.vectorsIn(g)[0].reg(in.A, free[0])
		c.Emit(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RAX), Y: vec(x)})
		c.setShared(in.D, amd64.RAX)
		return
	}
	at := c.exchangeAt()
	for i, l := range c.vectorsIn(g) {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.reg(in.A, free[0]), Y: ctx(c.Column(at, 4, i))})
	}
	c.scalar(amd64.TZCNT32, amd64.RCX, c.activeLanes(in, g))
	c.scalarImm(amd64.AND32Imm, amd64.RCX, lir.SimdWidth-1) // no lane, no matter which
	c.load32(amd64.RAX, amd64.Index(ctxReg, amd64.RCX, 4, at))
	c.setShared(in.D, amd64.RAX)
}

// isFirst sets the truth value of the first active lane.
func (c *compiler) isFirst(in *lir.Inst, g int) {
	if !c.someLanes(in) {
		c.MovImm64(amd64.RAX, 1)
	} else {
		c.lowestBit(amd64.RAX, c.activeLanes(in, g))
	}
	c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(amd64.RAX), Y: c.truthsOf(in.D, g)})
}

// lowestBit sets a register to the lowest bit of a number of 32 bits. It uses RCX.
func (c *compiler) lowestBit(d amd64.Reg, of amd64.Operand) {
	c.load32(d, of)
	c.scalar(amd64.MOV64, amd64.RCX, amd64.G(d))
	c.Emit(amd64.NEG32, amd64.Args{Y: amd64.G(amd64.RCX)})
	c.scalar(amd64.AND32, d, amd64.G(amd64.RCX))
}

// exchangeAt returns where the numbers of a simdgroup's lanes are between an operation's steps,
// after room for one vector.
func (c *compiler) exchangeAt() int32 {
	if c.exchange == 0 {
		c.exchange = c.Alloc(4*(plan.MaxWidth+lir.SimdWidth), 64) + 4*plan.MaxWidth
	}
	return c.exchange
}
