package emit

import (
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// division is how a division of 32-bit integers is computed.
type division struct{ toDouble, toInt amd64.Op }

// divisions are the divisions and remainders. The quotient of two doubles is exact once it is
// truncated: it is off by less than 2^-21 of the divisor's inverse, and a quotient of integers that
// is not whole is at least that inverse away from the next whole number.
var divisions = [ir.NumOps]division{
	ir.OpUDiv: {amd64.VCVTUDQ2PD, amd64.VCVTTPD2UDQ}, ir.OpURem: {amd64.VCVTUDQ2PD, amd64.VCVTTPD2UDQ},
	ir.OpSDiv: {amd64.VCVTDQ2PD, amd64.VCVTTPD2DQ}, ir.OpSRem: {amd64.VCVTDQ2PD, amd64.VCVTTPD2DQ},
}

// divide compiles a quotient, which is 0 if the divisor is, or a remainder, then the dividend.
func (l *lanes) divide(in *lir.Inst) {
	c, op := l.c, in.Op.IR()
	rest := op == ir.OpURem || op == ir.OpSRem
	if b := c.Program.Var(in.B); b.Const && op != ir.OpSDiv && op != ir.OpSRem && uint32(b.Bits)&uint32(b.Bits-1) == 0 &&
		uint32(b.Bits) != 0 {
		l.divideByPower(in, uint32(b.Bits))
		return
	}
	const a, q, hi, b = indexScratch, startScratch, placeScratch, valueScratch
	x := &divisions[op]
	dividend, divisor := l.reg(in.A, a), l.reg(in.B, b)
	c.Emit(amd64.VPTESTMD, amd64.Args{D: 1, X: divisor, Y: amd64.V(amd64.Vec(divisor))})
	c.Emit(x.toDouble, amd64.Args{D: q, Y: amd64.V(amd64.Vec(dividend))})
	c.Emit(x.toDouble, amd64.Args{D: hi, Y: amd64.V(amd64.Vec(divisor))})
	c.Emit(amd64.VDIVPD, amd64.Args{D: q, X: q, Y: amd64.V(hi)})
	c.Emit(x.toInt, amd64.Args{D: q, Y: amd64.V(q)})
	c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: hi, Y: amd64.V(amd64.Vec(dividend)), Imm: 1})
	c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: b, Y: amd64.V(amd64.Vec(divisor)), Imm: 1})
	c.Emit(x.toDouble, amd64.Args{D: hi, Y: amd64.V(hi)})
	c.Emit(x.toDouble, amd64.Args{D: b, Y: amd64.V(b)})
	c.Emit(amd64.VDIVPD, amd64.Args{D: hi, X: hi, Y: amd64.V(b)})
	c.Emit(x.toInt, amd64.Args{D: hi, Y: amd64.V(hi)})
	c.Emit(amd64.VINSERTI64X4, amd64.Args{D: q, X: q, Y: amd64.V(hi), Imm: 1})
	c.Emit(amd64.VMOVAPS, amd64.Args{D: q, Y: amd64.V(q), K: 1, Zero: true})
	if rest {
		c.Emit(amd64.VPMULLD, amd64.Args{D: q, X: q, Y: l.in(in.B)})
		c.Emit(amd64.VPSUBD, amd64.Args{D: q, X: dividend, Y: amd64.V(q)})
	}
	l.set(in.D, q)
}

// divideByPower compiles an unsigned quotient or remainder of a power of two.
func (l *lanes) divideByPower(in *lir.Inst, by uint32) {
	c := l.c
	v := l.reg(in.A, placeScratch)
	d := l.def(in.D)
	if in.Op.IR() == ir.OpUDiv {
		c.Emit(amd64.VPSRLDImm, amd64.Args{D: d, Y: amd64.V(amd64.Vec(v)), Imm: int64(bits.TrailingZeros32(by))})
	} else {
		c.Emit(amd64.VPANDD, amd64.Args{D: d, X: v, Y: c.constant32(by - 1)})
	}
	l.done(in.D, d)
}
