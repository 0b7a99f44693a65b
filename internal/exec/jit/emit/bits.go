package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Operations on integers of 32 bits that are several instructions with AVX2.

// bitOp compiles an operation on the bits of integers.
func (l *lanes) bitOp(in *lir.Inst) {
	c, op := l.c, in.Op.IR()
	const a, b, t, v = uint8(placeScratch), uint8(indexScratch), uint8(startScratch), uint8(valueScratch)
	x := l.reg(in.A, a)
	shift := func(op amd64.Op, d, from uint8, by int64) {
		c.Emit(op, amd64.Args{D: d, Y: vec(from), Imm: by})
	}
	switch op {
	case ir.OpSAbs:
		c.Emit(amd64.VPABSD, amd64.Args{D: v, Y: vec(x)})
	case ir.OpRotL:
		if n := c.Program.Var(in.B); n.Const {
			shift(amd64.VPSLLDImm, v, x, int64(n.Bits&31))
			shift(amd64.VPSRLDImm, t, x, int64(32-n.Bits&31))
		} else {
			c.Emit(amd64.VPANDD, amd64.Args{D: b, X: l.reg(in.B, b), Y: c.constant32(31)})
			c.Emit(amd64.VPSLLVD, amd64.Args{D: v, X: x, Y: vec(b)})
			c.Emit(amd64.VMOVUPS, amd64.Args{D: t, Y: ctx(c.same(32))})
			c.Emit(amd64.VPSUBD, amd64.Args{D: t, X: t, Y: vec(b)})
			c.Emit(amd64.VPSRLVD, amd64.Args{D: t, X: x, Y: vec(t)})
		}
		c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(t)})
	case ir.OpPopcount:
		l.popcount(x)
	case ir.OpCtz: // the bits below the lowest
		c.Emit(amd64.VPADDD, amd64.Args{D: v, X: x, Y: c.constant32(1<<32 - 1)})
		c.Emit(amd64.VPANDND, amd64.Args{D: v, X: x, Y: vec(v)})
		l.popcount(v)
	case ir.OpClz: // the bits above the highest
		from := x
		for _, by := range []int64{1, 2, 4, 8, 16} {
			shift(amd64.VPSRLDImm, t, from, by)
			c.Emit(amd64.VPORD, amd64.Args{D: v, X: from, Y: vec(t)})
			from = v
		}
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: c.constant32(1<<32 - 1)})
		l.popcount(v)
	case ir.OpSMulHi, ir.OpUMulHi: // of even lanes, then of odd ones
		multiply := amd64.VPMULUDQ
		if op == ir.OpSMulHi {
			multiply = amd64.VPMULDQ
		}
		y := l.reg(in.B, b)
		c.Emit(multiply, amd64.Args{D: v, X: x, Y: vec(y)})
		shift(amd64.VPSRLQImm, v, v, 32)
		shift(amd64.VPSRLQImm, a, x, 32)
		shift(amd64.VPSRLQImm, b, y, 32)
		c.Emit(multiply, amd64.Args{D: t, X: a, Y: vec(b)})
		c.Emit(amd64.VPANDQ, amd64.Args{D: t, X: t, Y: c.constant64(0xffffffff << 32)})
		c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(t)})
	default:
		first := int64(c.Program.Var(in.B).Bits & 31)
		n := min(int64(uint32(c.Program.Var(in.C).Bits)), 32-first)
		if n == 0 {
			c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
			break
		}
		right := amd64.VPSRLDImm
		if op == ir.OpSExtract {
			right = amd64.VPSRADImm
		}
		shift(amd64.VPSLLDImm, v, x, 32-first-n)
		shift(right, v, v, 32-n)
	}
	l.set(in.D, v)
}

// popcount sets valueScratch to the numbers of one bits in a register: those of each half of a byte
// are looked up, and their sums added.
func (l *lanes) popcount(x uint8) {
	c := l.c
	const a, b, v = uint8(placeScratch), uint8(indexScratch), uint8(valueScratch)
	counts := [4]int32{0x02010100, 0x03020201, 0x03020201, 0x04030302}
	var table [plan.MaxWidth]int32
	for i := range c.Width {
		table[i] = counts[i%4]
	}
	low := c.constant32(0x0f0f0f0f)
	c.Emit(amd64.VPSRLDImm, amd64.Args{D: b, Y: vec(x), Imm: 4})
	c.Emit(amd64.VPANDD, amd64.Args{D: b, X: b, Y: low})
	c.Emit(amd64.VPANDD, amd64.Args{D: v, X: x, Y: low})
	c.Emit(amd64.VMOVUPS, amd64.Args{D: a, Y: ctx(c.vector(table))})
	c.Emit(amd64.VPSHUFB, amd64.Args{D: b, X: a, Y: vec(b)})
	c.Emit(amd64.VPSHUFB, amd64.Args{D: v, X: a, Y: vec(v)})
	c.Emit(amd64.VPADDB, amd64.Args{D: v, X: v, Y: vec(b)})
	c.Emit(amd64.VPMULLD, amd64.Args{D: v, X: v, Y: c.constant32(0x01010101)})
	c.Emit(amd64.VPSRLDImm, amd64.Args{D: v, Y: vec(v), Imm: 24})
}
