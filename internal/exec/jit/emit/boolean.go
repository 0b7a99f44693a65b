package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// truthOp compiles an operation whose result is a truth value of each lane.
func (l *lanes) truthOp(in *lir.Inst) {
	c, op := l.c, in.Op.IR()
	const s = uint8(placeScratch)
	switch {
	case in.Op == lir.OpMerge:
		l.mask(1, in.Mask)
		l.blend(in.D, 1, in.A, in.D)
	case in.Op == lir.OpMov:
		k := l.truth(in.A, 1)
		d := l.defTruth(in.D)
		c.Emit(amd64.KMOVW, amd64.Args{D: d, Y: amd64.K(amd64.Mask(k))})
		l.doneTruth(in.D, d)
	case op == ir.OpAnd, op == ir.OpOr, op == ir.OpXor:
		a, b := l.truth(in.A, 1), l.truth(in.B, 2)
		d := l.defTruth(in.D)
		c.Emit(map[ir.Op]amd64.Op{ir.OpAnd: amd64.KANDW, ir.OpOr: amd64.KORW, ir.OpXor: amd64.KXORW}[op],
			amd64.Args{D: d, X: a, Y: amd64.K(amd64.Mask(b))})
		l.doneTruth(in.D, d)
	case op == ir.OpSelect:
		l.blend(in.D, l.truth(in.A, 1), in.B, in.C)
	case op == ir.OpNot:
		a := l.truth(in.A, 1)
		d := l.defTruth(in.D)
		c.Emit(amd64.KNOTW, amd64.Args{D: d, Y: amd64.K(amd64.Mask(a))})
		l.doneTruth(in.D, d)
	default:
		x := &vectorCompares[op]
		if x.op == 0 {
			plan.Fail("%v of truth values", in.Op)
		}
		v, y := l.reg(in.A, s), l.in(in.B)
		d := l.defTruth(in.D)
		c.Emit(x.op, amd64.Args{D: d, X: v, Y: y, Imm: x.imm})
		l.doneTruth(in.D, d)
	}
}

// blend sets a truth value to yes in the lanes of mask register k, which is not K2 or K3, and to no
// in the others.
func (l *lanes) blend(d lir.Ref, k uint8, yes, no lir.Ref) {
	c := l.c
	y := l.truth(yes, 2)
	c.Emit(amd64.KANDW, amd64.Args{D: 2, X: k, Y: amd64.K(amd64.Mask(y))})
	n := l.truth(no, 3)
	c.Emit(amd64.KANDNW, amd64.Args{D: 1, X: k, Y: amd64.K(amd64.Mask(n))})
	to := l.defTruth(d)
	c.Emit(amd64.KORW, amd64.Args{D: to, X: 1, Y: amd64.K(2)})
	l.doneTruth(d, to)
}

// maskOp compiles an operation on masks.
func (l *lanes) maskOp(in *lir.Inst) {
	c := l.c
	switch in.Op {
	case lir.OpMaskAnd, lir.OpMaskAndNot:
		l.mask(1, in.A)
		k := l.truth(in.B, 2)
		op := amd64.KANDW
		x, y := uint8(1), k
		if in.Op == lir.OpMaskAndNot {
			op, x, y = amd64.KANDNW, k, 1 // not the first, and the second
		}
		c.Emit(op, amd64.Args{D: 1, X: x, Y: amd64.K(amd64.Mask(y))})
	case lir.OpMaskOr:
		l.mask(1, in.A)
		l.mask(2, in.B)
		c.Emit(amd64.KORW, amd64.Args{D: 1, X: 1, Y: amd64.K(2)})
	case lir.OpMaskSub:
		l.mask(1, in.A)
		l.mask(2, in.B)
		c.Emit(amd64.KANDNW, amd64.Args{D: 1, X: 2, Y: amd64.K(1)})
	case lir.OpMaskCopy:
		l.mask(1, in.A)
	case lir.OpMaskClear:
		c.Emit(amd64.KXORW, amd64.Args{D: 1, X: 1, Y: amd64.K(1)})
	default:
		plan.Fail("%v", in.Op)
	}
	c.Emit(amd64.KMOVWStore, amd64.Args{X: 1, Y: l.maskBits(in.D)})
	c.MaskIs(1, c.bitsAt(in.D, l.j))
}

// packTruths stores a bit for each lane's truth value, which is a byte in the frame.
func (c *compiler) packTruths(to, from amd64.Operand) {
	const s, zero = uint8(placeScratch), uint8(valueScratch)
	if c.evex() {
		c.EmitBits(128, amd64.VMOVDQU8, amd64.Args{D: s, Y: from})
		c.EmitBits(128, amd64.VPTESTMB, amd64.Args{D: 1, X: s, Y: amd64.V(amd64.Vec(s))})
		c.Emit(amd64.KMOVWStore, amd64.Args{X: 1, Y: to})
		return
	}
	c.EmitBits(128, amd64.VMOVQ, amd64.Args{D: s, Y: from})
	c.EmitBits(128, amd64.VPXORD, amd64.Args{D: zero, X: zero, Y: vec(zero)})
	c.EmitBits(128, amd64.VPCMPEQB, amd64.Args{D: s, X: s, Y: vec(zero)})
	c.EmitBits(128, amd64.VPMOVMSKB, amd64.Args{D: uint8(amd64.RAX), Y: vec(s)})
	c.Emit(amd64.NOT32, amd64.Args{Y: amd64.G(amd64.RAX)})
	c.Emit(amd64.MOV8Store, amd64.Args{X: uint8(amd64.RAX), Y: to})
}

// spreadTruths stores a byte for each lane's truth value, which is a bit in the context.
func (c *compiler) spreadTruths(to, from amd64.Operand) {
	const s = uint8(placeScratch)
	ones := ctx(c.vector([plan.MaxWidth]int32{0x01010101, 0x01010101, 0x01010101, 0x01010101}))
	if c.evex() {
		c.Emit(amd64.KMOVWLoad, amd64.Args{D: 1, Y: from})
		c.EmitBits(128, amd64.VMOVDQU8, amd64.Args{D: s, Y: ones, K: 1, Zero: true})
		c.EmitBits(128, amd64.VMOVDQU8Store, amd64.Args{X: s, Y: to})
		return
	}
	each := ctx(c.vector([plan.MaxWidth]int32{0x08040201, -0x7fbfdff0}))
	c.EmitBits(128, amd64.VPBROADCASTB, amd64.Args{D: s, Y: from})
	c.EmitBits(128, amd64.VPANDD, amd64.Args{D: s, X: s, Y: each})
	c.EmitBits(128, amd64.VPCMPEQB, amd64.Args{D: s, X: s, Y: each})
	c.EmitBits(128, amd64.VPANDD, amd64.Args{D: s, X: s, Y: ones})
	c.EmitBits(128, amd64.VMOVQStore, amd64.Args{X: s, Y: to})
}
