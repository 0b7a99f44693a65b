package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Replacements on numbers of 64 bits. A mask that an instruction on them has set, in K1 or K2, has
// 64 bits for each of four lanes; one that restricts such an instruction has 32, and the lower four
// lanes count. So KSHIFTRW by half of the lanes moves the upper four down.

const signOfWide = 1 << 63

// twoRooms returns both vector registers of masks.
func (c *compiler) twoRooms() (a, b uint8) {
	c.flushMasks()
	c.forgetMasks()
	return maskFirst, maskFirst + 1
}

// multiplyWide adds the three products of halves that reach the lower 64 bits.
func (c *compiler) multiplyWide(x amd64.Args) {
	y := c.inRegister(x.Y)
	s, t := c.twoRooms()
	for _, f := range []struct{ to, high, other uint8 }{{s, x.X, y}, {t, y, x.X}} {
		c.plain(amd64.VPSRLQImm, amd64.Args{D: f.to, Y: vec(f.high), Imm: 32})
		c.plain(amd64.VPMULUDQ, amd64.Args{D: f.to, X: f.to, Y: vec(f.other)})
	}
	c.plain(amd64.VPADDQ, amd64.Args{D: s, X: s, Y: vec(t)})
	c.plain(amd64.VPSLLQImm, amd64.Args{D: s, Y: vec(s), Imm: 32})
	c.plain(amd64.VPMULUDQ, amd64.Args{D: x.D, X: x.X, Y: vec(y)})
	c.plain(amd64.VPADDQ, amd64.Args{D: x.D, X: x.D, Y: vec(s)})
}

// shiftSigned shifts the numbers and a sign alone, which is subtracted where the number has it.
func (c *compiler) shiftSigned(x amd64.Args) {
	y := c.inRegister(x.Y)
	sign := maskFirst + uint8(c.makeRoom())
	c.plain(amd64.VMOVUPS, amd64.Args{D: sign, Y: c.constant64(signOfWide)})
	c.plain(amd64.VPSRLVQ, amd64.Args{D: sign, X: sign, Y: vec(y)})
	c.plain(amd64.VPSRLVQ, amd64.Args{D: x.D, X: x.X, Y: vec(y)})
	c.plain(amd64.VPXORQ, amd64.Args{D: x.D, X: x.D, Y: vec(sign)})
	c.plain(amd64.VPSUBQ, amd64.Args{D: x.D, X: x.D, Y: vec(sign)})
}

// chooseBits takes each bit from X where D has it, else from Y.
func (c *compiler) chooseBits(op amd64.Op, x amd64.Args) {
	if x.Imm != 0xca {
		plan.Fail("%v with table %#x", op, x.Imm)
	}
	c.plain(amd64.VPANDNQ, amd64.Args{D: spare, X: x.D, Y: x.Y})
	c.plain(amd64.VPANDQ, amd64.Args{D: x.D, X: x.D, Y: vec(x.X)})
	c.plain(amd64.VPORQ, amd64.Args{D: x.D, X: x.D, Y: vec(spare)})
}

func (c *compiler) upperMask(op amd64.Op, x amd64.Args) {
	y, _ := x.Y.Mask()
	if x.Imm != 8 {
		plan.Fail("%v by %d", op, x.Imm)
	}
	from := c.maskIn(uint8(y))
	c.plain(amd64.VEXTRACTI32X4, amd64.Args{D: c.maskOut(x.D), Y: vec(from), Imm: 1})
}

// joinMasks makes one mask of two on numbers of 64 bits: Y has the lower lanes, X the upper ones.
func (c *compiler) joinMasks(x amd64.Args) {
	y, _ := x.Y.Mask()
	low, high := c.maskIn(uint8(y)), c.maskIn(x.X)
	to := c.maskOut(x.D)
	c.lowerHalvesOfBoth(to, low, high)
}

// lowerHalvesOfBoth sets d to the lower halves of the 64-bit numbers of two registers, in order.
func (c *compiler) lowerHalvesOfBoth(d, a, b uint8) {
	c.plain(amd64.VSHUFPS, amd64.Args{D: d, X: a, Y: vec(b), Imm: 0x88})
	c.plain(amd64.VPERMQImm, amd64.Args{D: d, Y: vec(d), Imm: 0xd8})
}

// signedOrder returns registers with operands in the order of signed numbers: spare and scratch, if
// they are unsigned.
func (c *compiler) signedOrder(unsigned bool, x uint8, y amd64.Operand, scratch uint8) (a, b uint8) {
	b = c.inRegister(y)
	if !unsigned {
		return x, b
	}
	c.plain(amd64.VPXORQ, amd64.Args{D: spare, X: b, Y: c.constant64(signOfWide)})
	c.plain(amd64.VPXORQ, amd64.Args{D: scratch, X: x, Y: c.constant64(signOfWide)})
	return scratch, spare
}

func (c *compiler) compareWide(op amd64.Op, x amd64.Args) {
	to := c.maskOut(x.D)
	if x.Imm == 0 || x.Imm == 4 {
		c.plain(amd64.VPCMPEQQ, amd64.Args{D: to, X: x.X, Y: x.Y})
	} else {
		a, b := c.signedOrder(op == amd64.VPCMPUQ, x.X, x.Y, to)
		if x.Imm == 1 {
			a, b = b, a
		}
		c.plain(amd64.VPCMPGTQ, amd64.Args{D: to, X: a, Y: vec(b)})
	}
	if x.Imm != 1 && x.Imm != 0 { // not equal, or not greater
		c.invert(to)
	}
}

func (c *compiler) extremeWide(op amd64.Op, x amd64.Args) {
	greater, other := c.twoRooms()
	c.plain(amd64.VMOVUPS, amd64.Args{D: other, Y: x.Y})
	a, b := c.signedOrder(op == amd64.VPMINUQ || op == amd64.VPMAXUQ, x.X, vec(other), greater)
	c.plain(amd64.VPCMPGTQ, amd64.Args{D: greater, X: a, Y: vec(b)})
	if op == amd64.VPMINUQ || op == amd64.VPMINSQ {
		c.plain(amd64.VBLENDVPD, amd64.Args{D: x.D, X: x.X, Y: vec(other), Imm: int64(greater)})
	} else {
		c.plain(amd64.VBLENDVPD, amd64.Args{D: x.D, X: other, Y: vec(x.X), Imm: int64(greater)})
	}
}

// maskedWide emits an instruction on numbers of 64 bits that a mask restricts; ok is false if op is
// not one.
func (c *compiler) maskedWide(op amd64.Op, x amd64.Args) (ok bool) {
	switch op {
	case amd64.VPBLENDMQ, amd64.VPBROADCASTQ:
	default:
		return false
	}
	from := c.maskIn(uint8(x.K))
	k := maskFirst + uint8(c.makeRoom())
	c.plain(amd64.VPMOVSXDQ, amd64.Args{D: k, Y: vec(from)})
	switch {
	case op == amd64.VPBLENDMQ:
		c.plain(amd64.VBLENDVPD, amd64.Args{D: x.D, X: x.X, Y: x.Y, Imm: int64(k)})
	case x.Zero:
		c.plain(op, amd64.Args{D: x.D, Y: x.Y})
		c.plain(amd64.VPANDQ, amd64.Args{D: x.D, X: x.D, Y: vec(k)})
	default:
		plan.Fail("%v with a mask", op)
	}
	return true
}

// gatherWide is loadWide with AVX2.
func (l *lanes) gatherWide(a *access) {
	c := l.c
	const v, p, q = uint8(valueScratch), uint8(placeScratch), uint8(indexScratch)
	i := l.indexOf(a)
	l.start(a)
	l.mask(1, a.in.Mask)
	l.narrowOffsets(a, i)
	c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: q, Y: vec(p), Imm: 1})
	for h, at := range []uint8{p, q} {
		from := c.maskIn(2)
		k := maskFirst + uint8(c.makeRoom())
		c.plain(amd64.VPMOVSXDQ, amd64.Args{D: k, Y: vec(from)})
		c.Emit(amd64.VPXORQ, amd64.Args{D: v, X: v, Y: vec(v)})
		c.plain(amd64.VPGATHERDQVec, amd64.Args{D: physical(v), X: k,
			Y: amd64.VIndex(amd64.RCX, amd64.Vec(physical(at)), 1, 0)})
		l.setHalf(a.in.D, h, v)
		if h == 0 {
			c.Emit(amd64.KSHIFTRW, amd64.Args{D: 2, Y: amd64.K(2), Imm: 8})
		}
	}
}

// scatterWide is storeWide with AVX2.
func (l *lanes) scatterWide(a *access) {
	c := l.c
	l.eachLane(a, func(address amd64.Operand) {
		from := c.place
		if c.Class(a.in.C) == lir.Lane {
			from = func(r lir.Ref) amd64.Operand {
				return amd64.Index(ctxReg, amd64.RDX, 8, c.Column(c.WideSlot(r), 8, l.jj))
			}
		}
		c.load64(amd64.RCX, from(a.in.C))
		c.store64(address, amd64.RCX)
	})
}
