package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// unlessAll runs one of two pieces of code: the first if an instruction's mask has all lanes of the
// vector. Storing under a mask is slow on many processors with AVX2, and takes more instructions
// where lanes have several elements. The second, which runs when the segment is at another vector,
// is given this one.
func (l *lanes) unlessAll(in *lir.Inst, all func(), some func(l *lanes)) {
	c := l.c
	partly, done := c.NewLabel(), c.NewLabel()
	load, _ := c.bitOps()
	c.scalar(load, amd64.RAX, l.bitsOf(in.Mask))
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(amd64.RAX), Imm: 1<<c.Width - 1})
	c.Jcc(amd64.NE, partly)
	all()
	c.Bind(done)
	here := *l
	c.cold = append(c.cold, func() {
		c.Bind(partly)
		some(&here)
		c.Jmp(done)
	})
}

// narrowOffsets computes the offsets of all lanes, of 32 bits, into placeScratch, and the mask of
// those inside of the object, of the lanes of K1, into K2. Offsets outside may have lost bits. It
// uses valueScratch.
func (l *lanes) narrowOffsets(a *access, i laneIndex) {
	c := l.c
	const p, q = uint8(placeScratch), uint8(valueScratch)
	l.halfOffsets(p, a, i, 0)
	l.halfOffsets(q, a, i, 1)
	c.Plain(amd64.VPBROADCASTQ, amd64.Args{D: amd64.Spare, Y: c.bound(a)})
	c.narrowInside(a.in.Op.IR().Info().Has(ir.Atomic))
}

// narrowInside is what follows where placeScratch and valueScratch have offsets of 64 bits, and the
// register Spare how many are inside of the object. Those of aligned numbers are multiples of 4.
func (c *compiler) narrowInside(aligned bool) {
	const p, q = uint8(placeScratch), uint8(valueScratch)
	to := c.MaskOut(2)
	c.Plain(amd64.VPCMPGTQ, amd64.Args{D: to, X: amd64.Spare, Y: vec(amd64.Physical(p))}) // no number is negative
	c.Plain(amd64.VPCMPGTQ, amd64.Args{D: amd64.Spare, X: amd64.Spare, Y: vec(amd64.Physical(q))})
	c.LowerHalvesOfBoth(to, to, amd64.Spare)
	c.LowerHalvesOfBoth(amd64.Physical(p), amd64.Physical(p), amd64.Physical(q))
	c.Emit(amd64.KANDW, amd64.Args{D: 2, X: 1, Y: amd64.K(2)})
	if aligned {
		c.Plain(amd64.VPSLLDImm, amd64.Args{D: amd64.Physical(q), Y: vec(amd64.Physical(p)), Imm: 30})
		c.Emit(amd64.VPTESTMD, amd64.Args{D: 1, X: q, Y: vec(q)})
		c.Emit(amd64.KANDNW, amd64.Args{D: 2, X: 1, Y: amd64.K(2)})
	}
}

// lanesInside stores the 32-bit offsets of an access's lanes, and sets laneMask to those that are
// inside of the object.
func (l *lanes) lanesInside(a *access, i laneIndex) {
	l.narrowOffsets(a, i)
	l.c.storeNarrowLanes()
}

// storeNarrowLanes is what follows where placeScratch has offsets of 32 bits, and K2 the lanes.
func (c *compiler) storeNarrowLanes() {
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: placeScratch, Y: ctx(c.offsets)})
	c.Plain(amd64.VMOVMSKPS, amd64.Args{D: uint8(laneMask), Y: vec(c.MaskIn(2))})
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
}

// storeSome stores the narrow numbers of a register in the lanes of an instruction's mask, one by
// one. The first is at base + disp.
func (l *lanes) storeSome(base amd64.Reg, disp int32, v uint8, in *lir.Inst) {
	c, size := l.c, in.Kind.Size()
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(c.valuesAt())})
	c.scalar(amd64.MOVZX8To32, laneMask, l.bitsOf(in.Mask))
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		c.load32(amd64.RCX, amd64.Index(ctxReg, amd64.RDX, 4, c.valuesAt()))
		c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RCX), Y: amd64.Index(base, amd64.RDX, uint8(size), disp)})
	})
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
		from := c.MaskIn(2)
		k := amd64.FirstMask + uint8(c.MakeRoom())
		c.Plain(amd64.VPMOVSXDQ, amd64.Args{D: k, Y: vec(from)})
		c.Emit(amd64.VPXORQ, amd64.Args{D: v, X: v, Y: vec(v)})
		c.Plain(amd64.VPGATHERDQVec, amd64.Args{D: amd64.Physical(v), X: k,
			Y: amd64.VIndex(amd64.RCX, amd64.Vec(amd64.Physical(at)), 1, 0)})
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
