package amd64

// Replacements on numbers of 64 bits. A mask that an instruction on them has set, in K1 or K2, has
// 64 bits for each of four lanes; one that restricts such an instruction has 32, and the lower four
// lanes count. So KSHIFTRW by half of the lanes moves the upper four down.

const signOfWide = 1 << 63

// twoRooms returns both vector registers of masks.
func (l *Legalizer) twoRooms() (a, b uint8) {
	l.FlushMasks()
	l.ForgetMasks()
	return FirstMask, FirstMask + 1
}

// multiplyWide adds the three products of halves that reach the lower 64 bits.
func (l *Legalizer) multiplyWide(x Args) {
	y := l.InRegister(x.Y)
	s, t := l.twoRooms()
	for _, f := range []struct{ to, high, other uint8 }{{s, x.X, y}, {t, y, x.X}} {
		l.Plain(VPSRLQImm, Args{D: f.to, Y: vec(f.high), Imm: 32})
		l.Plain(VPMULUDQ, Args{D: f.to, X: f.to, Y: vec(f.other)})
	}
	l.Plain(VPADDQ, Args{D: s, X: s, Y: vec(t)})
	l.Plain(VPSLLQImm, Args{D: s, Y: vec(s), Imm: 32})
	l.Plain(VPMULUDQ, Args{D: x.D, X: x.X, Y: vec(y)})
	l.Plain(VPADDQ, Args{D: x.D, X: x.D, Y: vec(s)})
}

// shiftSigned shifts the numbers and a sign alone, which is subtracted where the number has it.
func (l *Legalizer) shiftSigned(x Args) {
	y := l.InRegister(x.Y)
	sign := FirstMask + uint8(l.MakeRoom())
	l.Plain(VMOVUPS, Args{D: sign, Y: l.constant64(signOfWide)})
	l.Plain(VPSRLVQ, Args{D: sign, X: sign, Y: vec(y)})
	l.Plain(VPSRLVQ, Args{D: x.D, X: x.X, Y: vec(y)})
	l.Plain(VPXORQ, Args{D: x.D, X: x.D, Y: vec(sign)})
	l.Plain(VPSUBQ, Args{D: x.D, X: x.D, Y: vec(sign)})
}

// chooseBits takes each bit from X where D has it, else from Y.
func (l *Legalizer) chooseBits(op Op, x Args) {
	if x.Imm != 0xca {
		l.memory.Fail("%v with table %#x", op, x.Imm)
	}
	l.Plain(VPANDNQ, Args{D: Spare, X: x.D, Y: x.Y})
	l.Plain(VPANDQ, Args{D: x.D, X: x.D, Y: vec(x.X)})
	l.Plain(VPORQ, Args{D: x.D, X: x.D, Y: vec(Spare)})
}

func (l *Legalizer) upperMask(op Op, x Args) {
	y, _ := x.Y.Mask()
	if x.Imm != 8 {
		l.memory.Fail("%v by %d", op, x.Imm)
	}
	from := l.MaskIn(uint8(y))
	l.Plain(VEXTRACTI32X4, Args{D: l.MaskOut(x.D), Y: vec(from), Imm: 1})
}

// joinMasks makes one mask of two on numbers of 64 bits: Y has the lower lanes, X the upper ones.
func (l *Legalizer) joinMasks(x Args) {
	y, _ := x.Y.Mask()
	low, high := l.MaskIn(uint8(y)), l.MaskIn(x.X)
	to := l.MaskOut(x.D)
	l.LowerHalvesOfBoth(to, low, high)
}

// LowerHalvesOfBoth sets d to the lower halves of the 64-bit numbers of two registers, in order.
func (l *Legalizer) LowerHalvesOfBoth(d, a, b uint8) {
	l.Plain(VSHUFPS, Args{D: d, X: a, Y: vec(b), Imm: 0x88})
	l.Plain(VPERMQImm, Args{D: d, Y: vec(d), Imm: 0xd8})
}

// signedOrder returns registers with operands in the order of signed numbers: Spare and scratch, if
// they are unsigned.
func (l *Legalizer) signedOrder(unsigned bool, x uint8, y Operand, scratch uint8) (a, b uint8) {
	b = l.InRegister(y)
	if !unsigned {
		return x, b
	}
	l.Plain(VPXORQ, Args{D: Spare, X: b, Y: l.constant64(signOfWide)})
	l.Plain(VPXORQ, Args{D: scratch, X: x, Y: l.constant64(signOfWide)})
	return scratch, Spare
}

func (l *Legalizer) compareWide(op Op, x Args) {
	to := l.MaskOut(x.D)
	if x.Imm == 0 || x.Imm == 4 {
		l.Plain(VPCMPEQQ, Args{D: to, X: x.X, Y: x.Y})
	} else {
		a, b := l.signedOrder(op == VPCMPUQ, x.X, x.Y, to)
		if x.Imm == 1 {
			a, b = b, a
		}
		l.Plain(VPCMPGTQ, Args{D: to, X: a, Y: vec(b)})
	}
	if x.Imm != 1 && x.Imm != 0 { // not equal, or not greater
		l.invert(to)
	}
}

func (l *Legalizer) extremeWide(op Op, x Args) {
	greater, other := l.twoRooms()
	l.Plain(VMOVUPS, Args{D: other, Y: x.Y})
	a, b := l.signedOrder(op == VPMINUQ || op == VPMAXUQ, x.X, vec(other), greater)
	l.Plain(VPCMPGTQ, Args{D: greater, X: a, Y: vec(b)})
	if op == VPMINUQ || op == VPMINSQ {
		l.Plain(VBLENDVPD, Args{D: x.D, X: x.X, Y: vec(other), Imm: int64(greater)})
	} else {
		l.Plain(VBLENDVPD, Args{D: x.D, X: other, Y: vec(x.X), Imm: int64(greater)})
	}
}

// maskedWide emits an instruction on numbers of 64 bits that a mask restricts; ok is false if op is
// not one.
func (l *Legalizer) maskedWide(op Op, x Args) (ok bool) {
	switch op {
	case VPBLENDMQ, VPBROADCASTQ:
	default:
		return false
	}
	from := l.MaskIn(uint8(x.K))
	k := FirstMask + uint8(l.MakeRoom())
	l.Plain(VPMOVSXDQ, Args{D: k, Y: vec(from)})
	switch {
	case op == VPBLENDMQ:
		l.Plain(VBLENDVPD, Args{D: x.D, X: x.X, Y: x.Y, Imm: int64(k)})
	case x.Zero:
		l.Plain(op, Args{D: x.D, Y: x.Y})
		l.Plain(VPANDQ, Args{D: x.D, X: x.D, Y: vec(k)})
	default:
		l.memory.Fail("%v with a mask", op)
	}
	return true
}
