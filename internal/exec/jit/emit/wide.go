package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Numbers of 64 bits, addresses among them, have no registers: those of lanes are in the context,
// and an operation works on half of a vector's lanes at a time.

// wideOps are operations on two vectors of 64-bit numbers that are one instruction.
var wideOps = [ir.NumOps]amd64.Op{
	ir.OpAdd: amd64.VPADDQ, ir.OpSub: amd64.VPSUBQ, ir.OpMul: amd64.VPMULLQ, ir.OpAnd: amd64.VPANDQ,
	ir.OpOr: amd64.VPORQ, ir.OpXor: amd64.VPXORQ, ir.OpSMin: amd64.VPMINSQ, ir.OpSMax: amd64.VPMAXSQ,
	ir.OpUMin: amd64.VPMINUQ, ir.OpUMax: amd64.VPMAXUQ,
}

// wideCompares are comparisons of 64-bit integers, into a mask.
var wideCompares = [ir.NumOps]struct {
	op  amd64.Op
	imm int64
}{
	ir.OpEq: {amd64.VPCMPUQ, 0}, ir.OpNe: {amd64.VPCMPUQ, 4}, ir.OpULT: {amd64.VPCMPUQ, 1},
	ir.OpULE: {amd64.VPCMPUQ, 2}, ir.OpSLT: {amd64.VPCMPQ, 1}, ir.OpSLE: {amd64.VPCMPQ, 2},
}

// wideShifts are shifts of 64-bit integers.
var wideShifts = [ir.NumOps]amd64.Op{
	ir.OpShl: amd64.VPSLLVQ, ir.OpLShr: amd64.VPSRLVQ, ir.OpAShr: amd64.VPSRAVQ,
}

// half returns where the 64-bit numbers of half of the lanes are, or the one of all.
func (l *lanes) half(r lir.Ref, h int) amd64.Operand {
	if l.c.Class(r) != lir.Lane {
		return l.c.place(r).Broadcast()
	}
	return ctx(l.c.Column(l.c.WideSlot(r), 4, 2*l.jj+h))
}

// setHalf makes a register the 64-bit numbers of half of the lanes.
func (l *lanes) setHalf(r lir.Ref, h int, x uint8) {
	l.c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: l.half(r, h)})
}

// loadHalf brings the 64-bit numbers of half of the lanes into a register.
func (l *lanes) loadHalf(d uint8, r lir.Ref, h int) {
	if l.c.Class(r) == lir.Lane {
		l.c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: l.half(r, h)})
		return
	}
	l.c.Emit(amd64.VPBROADCASTQ, amd64.Args{D: d, Y: l.c.place(r)})
}

// wideOp compiles an operation on numbers of 64 bits.
func (l *lanes) wideOp(in *lir.Inst) {
	c, op := l.c, in.Op.IR()
	const a, b, t, v = uint8(placeScratch), uint8(indexScratch), uint8(startScratch), uint8(valueScratch)
	switch {
	case in.Op == lir.OpMov && c.Class(in.A) == lir.Affine: // an address whose offset may wrap
		l.startOf(in)
		for h := range 2 {
			c.Emit(amd64.VMOVAPS, amd64.Args{D: a, Y: vec(t)})
			l.addLanes(a, in.A, 1, h)
			c.Emit(amd64.VPBROADCASTQ, amd64.Args{D: v, Y: ctx(c.word(offsetMask))})
			c.Emit(amd64.VPTERNLOGQ, amd64.Args{D: v, X: a, Y: c.pointer(in.A).Broadcast(), Imm: 0xca}) // v ? a : A
			l.setHalf(in.D, h, v)
		}
	case in.Op == lir.OpMov:
		for h := range 2 {
			l.loadHalf(v, in.A, h)
			l.setHalf(in.D, h, v)
		}
	case in.Op == lir.OpMerge:
		l.mask(1, in.Mask)
		for h := range 2 {
			l.loadHalf(v, in.D, h)
			l.loadHalf(a, in.A, h)
			c.Emit(amd64.VPBLENDMQ, amd64.Args{D: v, X: v, Y: vec(a), K: 1})
			l.setHalf(in.D, h, v)
			c.Emit(amd64.KSHIFTRW, amd64.Args{D: 1, Y: amd64.K(1), Imm: 8})
		}
	case op == ir.OpSelect:
		c.Emit(amd64.KMOVW, amd64.Args{D: 1, Y: amd64.K(amd64.Mask(l.truth(in.A, 1)))})
		for h := range 2 {
			l.loadHalf(v, in.C, h)
			c.Emit(amd64.VPBLENDMQ, amd64.Args{D: v, X: v, Y: l.half(in.B, h), K: 1})
			l.setHalf(in.D, h, v)
			c.Emit(amd64.KSHIFTRW, amd64.Args{D: 1, Y: amd64.K(1), Imm: 8})
		}
	case op == ir.OpOffset:
		l.wideOffset(in)
	case op == ir.OpZExt && in.From == ir.I1:
		c.Emit(amd64.KMOVW, amd64.Args{D: 1, Y: amd64.K(amd64.Mask(l.truth(in.A, 1)))})
		for h := range 2 {
			c.Emit(amd64.VPBROADCASTQ, amd64.Args{D: v, Y: ctx(c.word(1)), K: 1, Zero: true})
			l.setHalf(in.D, h, v)
			c.Emit(amd64.KSHIFTRW, amd64.Args{D: 1, Y: amd64.K(1), Imm: 8})
		}
	case op == ir.OpZExt, op == ir.OpSExt:
		extend, x := amd64.VPMOVZXDQ, uint8(0)
		if op == ir.OpSExt {
			extend = amd64.VPMOVSXDQ
		}
		if c.Class(in.A) == lir.Affine {
			c.materialize(b, c.affine(in.A), l.j)
			x = b
		} else if op == ir.OpSExt {
			x = l.signed(a, in.A, in.From)
		} else {
			x = l.reg(in.A, a)
		}
		c.Emit(extend, amd64.Args{D: v, Y: vec(x)})
		c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: b, Y: vec(x), Imm: 1})
		c.Emit(extend, amd64.Args{D: b, Y: vec(b)})
		l.setHalf(in.D, 0, v)
		l.setHalf(in.D, 1, b)
	case op == ir.OpTrunc:
		for h, d := range []uint8{v, b} {
			l.loadHalf(d, in.A, h)
			c.Emit(amd64.VPMOVQD, amd64.Args{D: d, Y: vec(d)})
		}
		c.Emit(amd64.VINSERTI64X4, amd64.Args{D: v, X: v, Y: vec(b), Imm: 1})
		l.setInteger(in.D, in.Kind)
	case op == ir.OpNot, op == ir.OpNeg: // the difference from -1 or 0
		for h := range 2 {
			from := uint64(0)
			if op == ir.OpNot {
				from = ^from
			}
			c.Emit(amd64.VPBROADCASTQ, amd64.Args{D: v, Y: ctx(c.word(from))})
			c.Emit(amd64.VPSUBQ, amd64.Args{D: v, X: v, Y: l.half(in.A, h)})
			l.setHalf(in.D, h, v)
		}
	case wideOps[op] != 0:
		for h := range 2 {
			l.loadHalf(v, in.A, h)
			c.Emit(wideOps[op], amd64.Args{D: v, X: v, Y: l.half(in.B, h)})
			l.setHalf(in.D, h, v)
		}
	case wideShifts[op] != 0:
		for h := range 2 {
			l.loadHalf(b, in.B, h)
			c.Emit(amd64.VPANDQ, amd64.Args{D: b, X: b, Y: c.constant64(63)})
			l.loadHalf(v, in.A, h)
			c.Emit(wideShifts[op], amd64.Args{D: v, X: v, Y: vec(b)})
			l.setHalf(in.D, h, v)
		}
	case wideCompares[op].op != 0:
		x := &wideCompares[op]
		for h := range 2 {
			l.loadHalf(v, in.A, h)
			c.Emit(x.op, amd64.Args{D: uint8(1 + h), X: v, Y: l.half(in.B, h), Imm: x.imm})
		}
		d := l.defTruth(in.D)
		c.Emit(amd64.KUNPCKBW, amd64.Args{D: d, X: 2, Y: amd64.K(1)})
		l.doneTruth(in.D, d)
	default:
		plan.Fail("%v of %v", in.Op, in.Kind)
	}
}

// wideOffset compiles an address of each lane. Only its lower 40 bits are computed.
func (l *lanes) wideOffset(in *lir.Inst) {
	c := l.c
	const p, v = uint8(placeScratch), uint8(valueScratch)
	l.startOf(in)
	var x affine
	if in.B != 0 && c.Class(in.B) == lir.Affine {
		x = c.affine(in.B)
	}
	i := l.indicesOf(in, x)
	for h := range 2 {
		sum := uint8(startScratch)
		if !i.none {
			l.index(p, in, i, h)
			c.Emit(amd64.VPADDQ, amd64.Args{D: p, X: p, Y: amd64.V(startScratch)})
			sum = p
		}
		if c.Class(in.A) == lir.Lane {
			c.Emit(amd64.VPADDQ, amd64.Args{D: p, X: sum, Y: l.half(in.A, h)})
			sum = p
		}
		c.Emit(amd64.VPBROADCASTQ, amd64.Args{D: v, Y: ctx(c.word(offsetMask))})
		c.Emit(amd64.VPTERNLOGQ, amd64.Args{D: v, X: sum, Y: l.half(in.A, h), Imm: 0xca}) // v ? sum : A
		l.setHalf(in.D, h, v)
	}
}

// loadWide compiles a load of 64-bit numbers; out of bounds they are 0.
func (l *lanes) loadWide(a *access) {
	c := l.c
	if !c.evex() {
		l.gatherWide(a)
		return
	}
	const v = uint8(valueScratch)
	i := l.indexOf(a)
	l.start(a)
	l.mask(1, a.in.Mask)
	for h := range 2 {
		l.offsets(a, i, h)
		c.Emit(amd64.VPXORQ, amd64.Args{D: v, X: v, Y: amd64.V(amd64.Vec(v))})
		c.Emit(amd64.VPGATHERQQ, amd64.Args{D: v, Y: amd64.VIndex(amd64.RCX, placeScratch, 1, 0), K: 2})
		l.setHalf(a.in.D, h, v)
	}
}

// storeWide compiles a store of 64-bit numbers, in ascending order; out of bounds it does nothing.
func (l *lanes) storeWide(a *access) {
	c := l.c
	if !c.evex() {
		l.scatterWide(a)
		return
	}
	const v = uint8(valueScratch)
	i := l.indexOf(a)
	l.start(a)
	l.mask(1, a.in.Mask)
	for h := range 2 {
		l.offsets(a, i, h)
		l.loadHalf(v, a.in.C, h)
		c.Emit(amd64.VPSCATTERQQ, amd64.Args{X: v, Y: amd64.VIndex(amd64.RCX, placeScratch, 1, 0), K: 2})
	}
}

// moveWide brings the 64-bit numbers of a block's lanes from the frame, or back. Half of the last
// vector may not have a place there.
func (c *compiler) moveWide(r lir.Ref, back bool) {
	const s = uint8(valueScratch)
	for i := range min(2*c.Block, (c.Program.Lanes+c.Width/2-1)/(c.Width/2)-2*c.j0) {
		frame := amd64.At(frameReg, c.Column(c.Program.Var(r).Off, 4, 2*c.j0+i))
		here := ctx(c.Column(c.WideSlot(r), 4, i))
		if back {
			frame, here = here, frame
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: s, Y: frame})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: s, Y: here})
	}
}
