package jit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Operations among the lanes of a simdgroup are segments of their own, so that their operands are
// where values are that live across segments, in all vectors. They need whole simdgroups without a
// mask, and vectors of half a simdgroup.

// isAmong reports whether an instruction works among the lanes of a simdgroup.
func isAmong(in *lir.Inst) bool {
	op := in.Op.IR()
	return reductions[op] || votes[op] || shuffles[op] || op == ir.OpMatMac || op == ir.OpMatMul ||
		op == ir.OpMatLoad || op == ir.OpMatStore || op == ir.OpStore && in.Per == lir.Simd
}

// reductions are those that are compiled.
var reductions = [ir.NumOps]bool{
	ir.OpSimdAdd: true, ir.OpSimdMul: true, ir.OpSimdSMin: true, ir.OpSimdUMin: true, ir.OpSimdSMax: true,
	ir.OpSimdUMax: true, ir.OpSimdFMin: true, ir.OpSimdFMax: true, ir.OpSimdAnd: true, ir.OpSimdOr: true,
	ir.OpSimdXor: true,
}

var votes = [ir.NumOps]bool{ir.OpSimdBallot: true, ir.OpSimdAny: true, ir.OpSimdAll: true}

var shuffles = [ir.NumOps]bool{
	ir.OpSimdBroadcast: true, ir.OpSimdShuffle: true, ir.OpSimdShuffleXor: true, ir.OpSimdShuffleUp: true,
	ir.OpSimdShuffleDown: true, ir.OpSimdRotateUp: true, ir.OpSimdRotateDown: true,
}

// amongUsable reports whether among compiles an instruction.
func (f *facts) amongUsable(in *lir.Inst) bool {
	p := f.p
	if in.Op.IR() == ir.OpStore {
		return sharedStoreUsable(p, in)
	}
	if in.Mask != 0 || !f.wholeSimdgroups() {
		return false
	}
	lane := func(r lir.Ref) bool { return p.Var(r).Class == lir.Lane }
	word := in.Kind == ir.I32 || in.Kind == ir.F32
	switch op := in.Op.IR(); {
	case reductions[op]:
		return word && lane(in.A) && p.Var(in.D).Class == lir.Simd
	case votes[op]:
		return in.A != 0 && lane(in.A) && p.Var(in.D).Class == lir.Simd
	case shuffles[op]:
		n := p.Var(in.B)
		return word && lane(in.A) && lane(in.D) && n.Const && uint32(n.Bits) < lir.SimdWidth
	}
	return matrixUsable(p, in)
}

// wholeSimdgroups reports whether all simdgroups have two vectors of lanes.
func (f *facts) wholeSimdgroups() bool {
	p := f.p
	threads := p.Shape[0] * p.Shape[1] * p.Shape[2]
	return f.width == lir.SimdWidth/2 && p.Lanes%lir.SimdWidth == 0 && threads%p.Lanes == 0
}

// among compiles an operation among lanes.
func (c *compiler) among(in *lir.Inst) {
	for g := range c.simdgroups() {
		switch op := in.Op.IR(); {
		case reductions[op]:
			c.reduce(in, g)
		case votes[op]:
			c.vote(in, g)
		case shuffles[op]:
			c.shuffle(in, g)
		case op == ir.OpStore:
			c.storeSimd(in, g)
		case op == ir.OpMatLoad, op == ir.OpMatStore:
			c.moveMatrix(in, g)
		default:
			c.multiply(in, g)
		}
	}
}

// halves returns the vectors of a simdgroup.
func (c *compiler) halves(g int) (lo, hi *lanes) {
	return c.apart(2 * g), c.apart(2*g + 1)
}

// storeSimd stores the number of a simdgroup if a lane of it is in the mask.
func (c *compiler) storeSimd(in *lir.Inst, g int) {
	c.simdgroup = g
	over := c.NewLabel()
	if in.Mask != 0 {
		c.load32(amd64.RAX, amd64.At(frameReg, c.p.Var(in.Mask).Off+4*int32(g)))
		c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
		c.Jcc(amd64.E, over)
	}
	c.sharedStore(in)
	c.Bind(over)
}

// reduce combines the lanes of a simdgroup with those half as many lanes further, then the first
// half of them, and so on, as package ir specifies.
func (c *compiler) reduce(in *lir.Inst, g int) {
	const v, t = uint8(valueScratch), uint8(placeScratch)
	op := in.Op.IR().Repeats(in.Kind)
	lo, hi := c.halves(g)
	combine := func(x, y uint8) {
		if op == ir.OpFMin || op == ir.OpFMax {
			lo.extremeOf(op, x, y)
			return
		}
		c.Emit(vectorOps[op].op, amd64.Args{D: v, X: x, Y: amd64.V(amd64.Vec(y))})
	}
	combine(lo.reg(in.A, indexScratch), hi.reg(in.A, t))
	for _, x := range []struct {
		op  amd64.Op
		imm int64
	}{{amd64.VEXTRACTF64X4, 1}, {amd64.VEXTRACTF32X4, 1}, {amd64.VPSHUFD, 0xe}, {amd64.VPSHUFD, 1}} {
		c.Emit(x.op, amd64.Args{D: t, Y: amd64.V(amd64.Vec(v)), Imm: x.imm})
		if op == ir.OpFMin || op == ir.OpFMax {
			c.Emit(amd64.VMOVAPS, amd64.Args{D: indexScratch, Y: amd64.V(amd64.Vec(v))})
			combine(indexScratch, t)
			continue
		}
		combine(v, t)
	}
	c.Emit(amd64.VMOVSSStore, amd64.Args{X: v, Y: c.element(in.D, g)})
}

// vote computes a query about a truth value.
func (c *compiler) vote(in *lir.Inst, g int) {
	lo, hi := c.halves(g)
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(amd64.Mask(hi.truth(in.A, 1)))})
	c.scalarImm(amd64.SHL32Imm, amd64.RAX, 16)
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RCX), Y: amd64.K(amd64.Mask(lo.truth(in.A, 1)))})
	c.scalar(amd64.OR32, amd64.RAX, amd64.G(amd64.RCX))
	switch in.Op.IR() {
	case ir.OpSimdBallot:
		c.store64(c.element(in.D, g), amd64.RAX)
		return
	case ir.OpSimdAny:
		c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
		c.SetCC(amd64.NE, amd64.RAX)
	default:
		c.scalarImm(amd64.ADD32Imm, amd64.RAX, 1) // all ones become 0
		c.SetCC(amd64.E, amd64.RAX)
	}
	c.Emit(amd64.MOV8Store, amd64.Args{X: uint8(amd64.RAX), Y: c.element(in.D, g)})
}

// shuffle moves values between the lanes of a simdgroup, all by the same number.
func (c *compiler) shuffle(in *lir.Inst, g int) {
	const x, y = uint8(indexScratch), uint8(startScratch)
	lo, hi := c.halves(g)
	n := uint32(c.p.Var(in.B).Bits)
	a, b := lo.reg(in.A, x), hi.reg(in.A, y)
	results := [2]uint8{valueScratch, placeScratch}
	for half, d := range results {
		var index [maxWidth]int32
		for i := range index {
			index[i] = int32(in.Op.IR().ReadLane(uint32(half*maxWidth+i), n, lir.SimdWidth))
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(c.vector(index))})
		c.Emit(amd64.VPERMI2PS, amd64.Args{D: d, X: a, Y: amd64.V(amd64.Vec(b))})
	}
	lo.set(in.D, results[0])
	hi.set(in.D, results[1])
}
