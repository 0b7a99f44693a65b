package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Numbers of 8 and 16 bits are zero-extended to 32 in registers and in the context. Floats of 16
// bits are computed in 32 and rounded: for sums, products and quotients that is the same as
// rounding once, since 24 bits are at least twice as many as theirs and two.

// widen and narrowing are loads into and stores from 32 bits, by the size of an element.
var (
	widen     = [3]amd64.Op{1: amd64.VPMOVZXBD, 2: amd64.VPMOVZXWD}
	narrowing = [3]amd64.Op{1: amd64.VPMOVDBStore, 2: amd64.VPMOVDWStore}
)

// narrowShared returns where a narrow shared number is with 32 bits.
func (c *compiler) narrowShared(r lir.Ref) amd64.Operand {
	v := c.Program.Var(r)
	if v.Const {
		x := uint32(v.Bits) & (1<<(8*v.Kind.Size()) - 1)
		return ctx(c.word(uint64(x) | uint64(x)<<32))
	}
	at := &c.Spots[r].Widened
	if *at == 0 {
		*at = c.Alloc(8, 8)
	}
	c.scalar(zeroExtended[v.Kind.Size()], amd64.RAX, c.place(r))
	c.store64(ctx(*at), amd64.RAX)
	return ctx(*at)
}

// signed returns a register with a variable's number sign-extended: d, unless it has 32 bits.
func (l *lanes) signed(d uint8, r lir.Ref, k ir.Kind) uint8 {
	x := l.reg(r, d)
	if k.Size() == 4 {
		return x
	}
	by := int64(32 - 8*k.Size())
	l.c.Emit(amd64.VPSLLDImm, amd64.Args{D: d, Y: amd64.V(amd64.Vec(x)), Imm: by})
	l.c.Emit(amd64.VPSRADImm, amd64.Args{D: d, Y: amd64.V(amd64.Vec(d)), Imm: by})
	return d
}

// single returns a register with a variable's float with 32 bits: d, unless it has them already.
func (l *lanes) single(d uint8, r lir.Ref, k ir.Kind) uint8 {
	x := l.reg(r, d)
	switch k {
	case ir.F16:
		l.c.Emit(amd64.VPMOVDW, amd64.Args{D: d, Y: amd64.V(amd64.Vec(x))})
		l.c.Emit(amd64.VCVTPH2PS, amd64.Args{D: d, Y: amd64.V(amd64.Vec(d))})
		return d
	case ir.BF16:
		l.c.Emit(amd64.VPSLLDImm, amd64.Args{D: d, Y: amd64.V(amd64.Vec(x)), Imm: 16})
		return d
	}
	return x
}

// setFloat makes a float with 32 bits in valueScratch, rounded to its kind, the value of a
// variable. It uses startScratch.
func (l *lanes) setFloat(r lir.Ref, k ir.Kind) {
	c := l.c
	const v, t = uint8(valueScratch), uint8(startScratch)
	switch k {
	case ir.F16:
		c.Emit(amd64.VCVTPS2PH, amd64.Args{D: v, Y: amd64.V(amd64.Vec(v)), Imm: 0}) // to nearest even
		c.Emit(amd64.VPMOVZXWD, amd64.Args{D: v, Y: amd64.V(amd64.Vec(v))})
	case ir.BF16:
		c.Emit(amd64.VPSRLDImm, amd64.Args{D: t, Y: amd64.V(amd64.Vec(v)), Imm: 16})
		c.Emit(amd64.VPANDD, amd64.Args{D: t, X: t, Y: c.constant32(1)})
		c.Emit(amd64.VPADDD, amd64.Args{D: t, X: t, Y: c.constant32(0x7fff)})
		c.Emit(amd64.VPADDD, amd64.Args{D: t, X: t, Y: amd64.V(amd64.Vec(v))})
		c.Emit(amd64.VPSRLDImm, amd64.Args{D: t, Y: amd64.V(amd64.Vec(t)), Imm: 16})
		c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: v, Y: amd64.V(amd64.Vec(v)), Imm: 3}) // is a NaN
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: t, Y: ctx(c.word(0x7fc0)), K: 1})
		l.set(r, t)
		return
	}
	l.set(r, v)
}

// setInteger makes the lower bits of valueScratch the value of a variable.
func (l *lanes) setInteger(r lir.Ref, k ir.Kind) {
	const v = uint8(valueScratch)
	if size := k.Size(); size < 4 {
		l.c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: l.c.constant32(1<<(8*size) - 1)})
	}
	l.set(r, v)
}

// narrowOp compiles an instruction on narrow numbers.
func (l *lanes) narrowOp(in *lir.Inst) {
	c, op, k := l.c, in.Op.IR(), in.Kind
	const a, b, v = uint8(placeScratch), uint8(indexScratch), uint8(valueScratch)
	bits := uint32(8 * k.Size())
	switch op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpAnd, ir.OpOr, ir.OpXor, ir.OpUMin, ir.OpUMax:
		x, y := l.reg(in.A, a), l.reg(in.B, b)
		c.Emit(vectorOps[op].op, amd64.Args{D: v, X: x, Y: vec(y)})
		l.setInteger(in.D, k)
	case ir.OpSMin, ir.OpSMax:
		x, y := l.signed(a, in.A, k), l.signed(b, in.B, k)
		c.Emit(vectorOps[op].op, amd64.Args{D: v, X: x, Y: vec(y)})
		l.setInteger(in.D, k)
	case ir.OpShl, ir.OpLShr, ir.OpAShr:
		x := l.reg(in.A, a)
		if op == ir.OpAShr {
			x = l.signed(a, in.A, k)
		}
		y := l.reg(in.B, b)
		c.Emit(amd64.VPANDD, amd64.Args{D: b, X: y, Y: c.constant32(bits - 1)})
		c.Emit(vectorShifts[op][0], amd64.Args{D: v, X: x, Y: vec(b)})
		l.setInteger(in.D, k)
	case ir.OpNot:
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: l.reg(in.A, a), Y: c.constant32(^uint32(0))})
		l.setInteger(in.D, k)
	case ir.OpNeg:
		x := l.reg(in.A, a)
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
		c.Emit(amd64.VPSUBD, amd64.Args{D: v, X: v, Y: vec(x)})
		l.setInteger(in.D, k)
	case ir.OpEq, ir.OpNe, ir.OpULT, ir.OpULE:
		l.compareTo(in, l.reg(in.A, a), l.reg(in.B, b))
	case ir.OpSLT, ir.OpSLE:
		l.compareTo(in, l.signed(a, in.A, k), l.signed(b, in.B, k))
	case ir.OpFEq, ir.OpFNe, ir.OpFLT, ir.OpFLE:
		l.compareTo(in, l.single(a, in.A, k), l.single(b, in.B, k))
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv:
		x, y := l.single(a, in.A, k), l.single(b, in.B, k)
		c.Emit(vectorOps[op].op, amd64.Args{D: v, X: x, Y: vec(y)})
		l.setFloat(in.D, k)
	case ir.OpFMin, ir.OpFMax:
		l.extremeOf(op, l.single(a, in.A, k), l.single(b, in.B, k))
		l.setFloat(in.D, k)
	case ir.OpFNeg:
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: l.reg(in.A, a), Y: c.constant32(1 << 15)})
		l.set(in.D, v)
	case ir.OpFAbs:
		c.Emit(amd64.VPANDD, amd64.Args{D: v, X: l.reg(in.A, a), Y: c.constant32(0x7fff)})
		l.set(in.D, v)
	case ir.OpZExt:
		if in.From == ir.I1 {
			c.Emit(amd64.VBROADCASTSS, amd64.Args{D: v, Y: ctx(c.word(1)), K: amd64.Mask(l.truth(in.A, 1)), Zero: true})
			l.set(in.D, v)
			return
		}
		l.set(in.D, l.reg(in.A, a))
	case ir.OpSExt, ir.OpTrunc:
		x := l.signed(a, in.A, in.From)
		c.Emit(amd64.VMOVAPS, amd64.Args{D: v, Y: vec(x)})
		l.setInteger(in.D, k)
	case ir.OpFConv:
		x := l.single(a, in.A, in.From)
		c.Emit(amd64.VMOVAPS, amd64.Args{D: v, Y: vec(x)})
		l.setFloat(in.D, k)
	case ir.OpSIToF:
		c.Emit(amd64.VCVTDQ2PS, amd64.Args{D: v, Y: vec(l.signed(a, in.A, in.From))})
		l.setFloat(in.D, k)
	case ir.OpUIToF:
		c.Emit(amd64.VCVTUDQ2PS, amd64.Args{D: v, Y: vec(l.reg(in.A, a))})
		l.setFloat(in.D, k)
	default:
		plan.Fail("%v of %v", in.Op, k)
	}
}

// compareTo sets the truth value of a comparison of two registers.
func (l *lanes) compareTo(in *lir.Inst, x, y uint8) {
	cmp := &vectorCompares[in.Op.IR()]
	d := l.defTruth(in.D)
	l.c.Emit(cmp.op, amd64.Args{D: d, X: x, Y: amd64.V(amd64.Vec(y)), Imm: cmp.imm})
	l.doneTruth(in.D, d)
}

// loadNarrow compiles a load of narrow numbers.
func (l *lanes) loadNarrow(a *access) {
	c, size := l.c, a.in.Kind.Size()
	if a.gather || l.cold {
		l.gather(a)
		return
	}
	from := c.at(a, l.jj)
	d := l.def(a.in.D)
	if a.same {
		c.scalar(zeroExtended[size], amd64.RAX, from)
		c.Emit(amd64.VPBROADCASTDReg, amd64.Args{D: d, Y: amd64.G(amd64.RAX)})
	} else {
		c.Emit(widen[size], amd64.Args{D: d, Y: from})
	}
	l.done(a.in.D, d)
}

// storeNarrow compiles a store of narrow numbers.
func (l *lanes) storeNarrow(a *access) {
	c, size := l.c, a.in.Kind.Size()
	if a.gather || l.cold {
		l.scatter(a)
		return
	}
	to, v := c.at(a, l.jj), l.reg(a.in.C, valueScratch)
	some := a.in.Mask != 0 || c.Partial()
	switch {
	case some && c.evex():
		l.mask(1, a.in.Mask)
		c.Emit(narrowing[size], amd64.Args{X: v, Y: to, K: 1})
	case some:
		l.unlessAll(a.in, func() { c.Emit(narrowing[size], amd64.Args{X: v, Y: to}) }, func(l *lanes) {
			l.storeSome(a.reg, int32(c.displacement(a, l.jj)), v, a.in)
		})
	default:
		c.Emit(narrowing[size], amd64.Args{X: v, Y: to})
	}
}

// laneState are places in the context for the numbers of a vector's lanes, while an operation or a
// segment needs them; 0 before the first use.
type laneState struct {
	values     int32    // see valuesAt
	offsets    int32    // of memory
	exchange   int32    // see exchangeAt
	factors    [2]int32 // see converted
	atomics    atomicPlaces
	groupRows  int32         // of a group's lanes
	groupSlots map[int]int32 // of elements of a group that have no registers, by its first load
	waitSlots  map[int]int32 // of values that have lost their registers, by when they are due
}

// valuesAt returns where the numbers of a vector's lanes are between vectors and general registers.
func (c *compiler) valuesAt() int32 {
	if c.values == 0 {
		c.values = c.Alloc(4*c.Width, 64)
		c.offsets = c.Alloc(8*c.Width, 64)
	}
	return c.values
}

// laneMask is a register that only loops over lanes use.
const laneMask = amd64.R15

// eachLane runs code for each lane whose access is inside of the object, in ascending order. RDX is
// the lane; the code may change RAX and RCX.
func (l *lanes) eachLane(a *access, code func(address amd64.Operand)) {
	c := l.c
	l.findLanes(a)
	c.eachBit(func() {
		if c.evex() {
			c.load64(amd64.RAX, amd64.Index(ctxReg, amd64.RDX, 8, c.offsets))
		} else {
			c.load32(amd64.RAX, amd64.Index(ctxReg, amd64.RDX, 4, c.offsets))
		}
		c.scalar(amd64.ADD64, amd64.RAX, ctx(a.obj))
		code(amd64.At(amd64.RAX, 0))
	})
}

// findLanes sets laneMask to the lanes of the mask whose access is inside of the object, and
// aligned if it is atomic, and puts their offsets into the context, with 64 bits or, with AVX2, 32.
func (l *lanes) findLanes(a *access) {
	c := l.c
	c.valuesAt() // there is room for the offsets too
	i := l.indexOf(a)
	l.start(a)
	l.mask(1, a.in.Mask)
	if !c.evex() {
		l.lanesInside(a, i)
		return
	}
	offsets := func(half int) {
		l.offsets(a, i, half)
		if a.in.Op.IR().Info().Has(ir.Atomic) {
			three := c.constant64(3)
			c.Emit(amd64.VPTESTNMQ, amd64.Args{D: 2, X: placeScratch, Y: three, K: 2})
		}
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: placeScratch, Y: ctx(c.Column(c.offsets, 4, half))})
	}
	offsets(0)
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(2)})
	offsets(1)
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(2)})
	c.scalarImm(amd64.SHL32Imm, amd64.RAX, 8)
	c.scalar(amd64.OR32, laneMask, amd64.G(amd64.RAX))
}

// scatterNumbers stores numbers of 1, 2 or 4 bytes from valueScratch for the lanes of K2, in
// ascending order, at offsets from an address in the context, and a distance further. The offsets
// are in placeScratch and, unless AVX-512 stores words, where storeOffsets keeps them.
func (c *compiler) scatterNumbers(size int, base, disp int32) {
	const at, v = uint8(placeScratch), uint8(valueScratch)
	if c.evex() && size == 4 {
		c.load64(amd64.RCX, ctx(base))
		c.Emit(amd64.VPSCATTERDD, amd64.Args{X: v, Y: amd64.VIndex(amd64.RCX, amd64.Vec(at), 1, disp), K: 2})
		return
	}
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(c.valuesAt())})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(2)})
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		c.load32(amd64.RAX, amd64.Index(ctxReg, amd64.RDX, 4, c.offsets))
		c.scalar(amd64.ADD64, amd64.RAX, ctx(base))
		c.load32(amd64.RCX, amd64.Index(ctxReg, amd64.RDX, 4, c.valuesAt()))
		c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RCX), Y: amd64.At(amd64.RAX, disp)})
	})
}

// eachBit runs code for each bit of laneMask, whose number is in RDX. The zero flag says whether
// there is none.
func (c *compiler) eachBit(code func()) {
	next, end := c.NewLabel(), c.NewLabel()
	c.Jcc(amd64.E, end)
	c.Bind(next)
	c.scalar(amd64.TZCNT32, amd64.RDX, amd64.G(laneMask))
	code()
	c.scalar(amd64.BLSR32, laneMask, amd64.G(laneMask))
	c.Jcc(amd64.NE, next)
	c.Bind(end)
}
