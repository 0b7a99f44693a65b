package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Conversions of floats to integers, and roundings, of floats of 16 and 32 bits.

// belowOne returns the largest float below 1 of a kind, as a float of 32 bits.
func belowOne(k ir.Kind) uint32 {
	switch k {
	case ir.F16:
		return 0x3f7fe000
	case ir.BF16:
		return 0x3f7f0000
	}
	return 0x3f7fffff
}

// convert compiles a conversion or rounding.
func (l *lanes) convert(in *lir.Inst) {
	c, op := l.c, in.Op.IR()
	const a, b, t, v = uint8(placeScratch), uint8(indexScratch), uint8(startScratch), uint8(valueScratch)
	if op == ir.OpFToSI || op == ir.OpFToUI {
		l.toInteger(in)
		return
	}
	x := l.single(a, in.A, in.Kind)
	round := func(d, from uint8, how ir.Op) {
		c.Emit(amd64.VRNDSCALEPS, amd64.Args{D: d, Y: vec(from), Imm: vectorRounds[how]})
	}
	switch op {
	case ir.OpSqrt:
		c.Emit(amd64.VSQRTPS, amd64.Args{D: v, Y: vec(x)})
	case ir.OpCopySign:
		c.Emit(amd64.VPANDD, amd64.Args{D: v, X: x, Y: c.constant32(1<<31 - 1)})
		c.Emit(amd64.VPANDD, amd64.Args{D: b, X: l.single(b, in.B, in.Kind), Y: c.constant32(1 << 31)})
		c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(b)})
	case ir.OpFract:
		round(b, x, ir.OpFloor)
		c.Emit(amd64.VSUBPS, amd64.Args{D: v, X: x, Y: vec(b)})
		c.Emit(amd64.VMOVUPS, amd64.Args{D: b, Y: ctx(c.same(belowOne(in.Kind)))})
		c.Emit(amd64.VMINPS, amd64.Args{D: v, X: b, Y: vec(v)}) // a NaN stays
		c.Emit(amd64.VPANDD, amd64.Args{D: b, X: x, Y: c.constant32(1<<31 - 1)})
		c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: b, Y: ctx(c.same(0x7f800000)), Imm: 0}) // is infinite
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: v, Y: ctx(c.word(0)), K: 1})
	case ir.OpRound: // toward zero, and one further if at least a half is lost
		round(v, x, ir.OpFTrunc)
		c.Emit(amd64.VSUBPS, amd64.Args{D: b, X: x, Y: vec(v)})
		c.Emit(amd64.VPANDD, amd64.Args{D: b, X: b, Y: c.constant32(1<<31 - 1)})
		c.Emit(amd64.VMOVUPS, amd64.Args{D: t, Y: ctx(c.same(0x3f000000))})
		c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: t, Y: vec(b), Imm: 0x12}) // at most
		c.Emit(amd64.VPANDD, amd64.Args{D: b, X: x, Y: c.constant32(1 << 31)})
		c.Emit(amd64.VPORD, amd64.Args{D: b, X: b, Y: c.constant32(0x3f800000)})
		c.Emit(amd64.VADDPS, amd64.Args{D: b, X: b, Y: vec(v)})
		c.Emit(amd64.VMOVAPS, amd64.Args{D: v, Y: vec(b), K: 1})
	default:
		round(v, x, op)
	}
	l.setFloat(in.D, in.Kind)
}

// same returns the place of a constant vector of equal numbers.
func (c *compiler) same(x uint32) int32 {
	var v [plan.MaxWidth]int32
	for i := range c.Width {
		v[i] = int32(x)
	}
	return c.vector(v)
}

// toInteger converts a float to an integer, clamped to its range; 0 for a NaN.
func (l *lanes) toInteger(in *lir.Inst) {
	c, size := l.c, in.Kind.Size()
	const a, b, t, v = uint8(placeScratch), uint8(indexScratch), uint8(startScratch), uint8(valueScratch)
	x := l.single(a, in.A, in.From)
	// The lanes of a comparison in K1 are set to a constant.
	set := func(to uint32) {
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: v, Y: ctx(c.word(uint64(to))), K: 1})
	}
	least := func(limit uint32) { // x is at least a float
		c.Emit(amd64.VMOVUPS, amd64.Args{D: t, Y: ctx(c.same(limit))})
		c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: t, Y: vec(x), Imm: 0x12})
	}
	const twoTo31, twoTo32 = 0x4f000000, 0x4f800000
	if in.Op.IR() == ir.OpFToUI && size == 4 {
		c.Emit(amd64.VPXORD, amd64.Args{D: b, X: b, Y: vec(b)})
		c.Emit(amd64.VMAXPS, amd64.Args{D: a, X: x, Y: vec(b)}) // 0 for a NaN
		x = a
		least(twoTo31)
		c.Emit(amd64.VMOVAPS, amd64.Args{D: b, Y: vec(t), K: 1}) // 2^31 or 0
		c.Emit(amd64.VSUBPS, amd64.Args{D: v, X: x, Y: vec(b)})
		c.Emit(amd64.VCVTTPS2DQ, amd64.Args{D: v, Y: vec(v)})
		c.Emit(amd64.VCVTTPS2DQ, amd64.Args{D: b, Y: vec(b)}) // the upper bit or 0
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(b)})
		least(twoTo32)
		set(1<<32 - 1)
		l.set(in.D, v)
		return
	}
	c.Emit(amd64.VCVTTPS2DQ, amd64.Args{D: v, Y: vec(x)}) // the smallest number if it does not fit
	least(twoTo31)
	set(1<<31 - 1)
	c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: x, Y: vec(x), Imm: 3}) // is a NaN
	set(0)
	if size < 4 {
		low, high := int32(-1)<<(8*size-1), int32(1)<<(8*size-1)-1
		if in.Op.IR() == ir.OpFToUI {
			low, high = 0, int32(1)<<(8*size)-1
		}
		c.Emit(amd64.VPMAXSD, amd64.Args{D: v, X: v, Y: ctx(c.same(uint32(low)))})
		c.Emit(amd64.VPMINSD, amd64.Args{D: v, X: v, Y: ctx(c.same(uint32(high)))})
	}
	l.setInteger(in.D, in.Kind)
}
