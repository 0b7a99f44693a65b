package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Quads are four lanes of one vector, so operations among their lanes are like those of each lane.

// quadOp compiles an operation among the lanes of quads.
func (l *lanes) quadOp(in *lir.Inst) {
	c := l.c
	const x, y, t, v = uint8(indexScratch), uint8(startScratch), uint8(placeScratch), uint8(valueScratch)
	op := in.Op.IR().OfSimdgroup()
	repeats := op.Repeats(in.Kind)
	// pick sets a register to the values of lanes of each quad, two bits for each.
	pick := func(d, from uint8, order int64) {
		c.Emit(amd64.VPSHUFD, amd64.Args{D: d, Y: vec(from), Imm: order})
	}
	switch {
	case plan.Reduces(op):
		a := l.active(x, in.A, in, neutral[repeats])
		pick(t, a, 0x4e) // lanes 2, 3, 0, 1
		l.combine(repeats, y, a, t)
		pick(t, y, 0xb1) // lanes 1, 0, 3, 2
		l.combine(repeats, v, y, t)
		pick(v, v, 0)
		l.set(in.D, v)
	case plan.Scans(op):
		a := l.active(x, in.A, in, neutral[repeats])
		c.Emit(amd64.VMOVAPS, amd64.Args{D: y, Y: vec(a)})
		for lane := 1; lane < ir.QuadWidth; lane++ {
			pick(t, y, int64(0x55*(lane-1)))
			l.combine(repeats, v, t, a)
			l.laneOfQuads(lane)
			c.Emit(amd64.VMOVAPS, amd64.Args{D: y, Y: vec(v), K: 1})
		}
		if plan.Exclusive(op) {
			first := neutral[repeats]
			if repeats == ir.OpFAdd {
				first = 0
			}
			pick(y, y, 0x90) // lanes 0, 0, 1, 2
			l.laneOfQuads(0)
			c.Emit(amd64.VBROADCASTSS, amd64.Args{D: y, Y: ctx(c.word(uint64(first))), K: 1})
		}
		l.set(in.D, y)
	case op == ir.OpSimdFirst:
		pick(v, l.reg(in.A, x), 0)
		l.set(in.D, v)
	case plan.Shuffles(op):
		l.quadShuffle(in, op)
	default: // whether it is true in any active lane, or is not false in any
		l.mask(1, in.Mask)
		k, and := l.truth(in.A, 2), amd64.KANDW
		a, b := uint8(1), k
		if op == ir.OpSimdAll {
			and, a, b = amd64.KANDNW, k, 1 // not the first, and the second
		}
		c.Emit(and, amd64.Args{D: 1, X: a, Y: amd64.K(amd64.Mask(b))})
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: v, Y: ctx(c.word(1)), K: 1, Zero: true})
		for _, order := range []int64{0x4e, 0xb1} {
			pick(t, v, order)
			c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(t)})
		}
		want := int64(4) // not equal to 0
		if op == ir.OpSimdAll {
			want = 0
		}
		c.Emit(amd64.VPXORD, amd64.Args{D: t, X: t, Y: vec(t)})
		d := l.defTruth(in.D)
		c.Emit(amd64.VPCMPUD, amd64.Args{D: d, X: v, Y: vec(t), Imm: want})
		l.doneTruth(in.D, d)
	}
}

// laneOfQuads sets K1 to one lane of each quad.
func (l *lanes) laneOfQuads(lane int) {
	l.c.Emit(amd64.MOV32Imm, amd64.Args{D: uint8(amd64.RAX), Imm: 0x1111 << lane})
	l.c.Emit(amd64.KMOVWFromReg, amd64.Args{D: 1, Y: amd64.G(amd64.RAX)})
}

// quadShuffle moves values between the lanes of quads.
func (l *lanes) quadShuffle(in *lir.Inst, op ir.Op) {
	c := l.c
	const v = uint8(valueScratch)
	if n := c.Program.Var(in.B); n.Const {
		var within [plan.MaxWidth]int32
		order, zeros := int64(0), false
		for i := range within {
			from := op.ReadLane(uint32(i%ir.QuadWidth), uint32(n.Bits), ir.QuadWidth)
			if from < ir.QuadWidth {
				within[i] = -1
				order |= int64(from) << (2 * (i % ir.QuadWidth))
			} else {
				zeros = true
			}
		}
		c.Emit(amd64.VPSHUFD, amd64.Args{D: v, Y: vec(l.active(v, in.A, in, 0)), Imm: order})
		if zeros {
			c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: ctx(c.vector(within))})
		}
		l.set(in.D, v)
		return
	}
	l.laneNumbers(op, in.B, 0, ir.QuadWidth)
	x := l.active(v, in.A, in, 0)
	c.Emit(amd64.VPERMILPS, amd64.Args{D: v, X: x, Y: vec(indexScratch)})
	l.onlyExisting(op, v, ir.QuadWidth)
	l.set(in.D, v)
}
