package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// What strided.go does, with AVX2: if all lanes access the object, and theirs are at equal
// distances, the memory between them is loaded, or a row of elements stored. The subroutines find
// the lanes' offsets in placeScratch, where the object is in RCX, and in R15 a bit for each lane of
// the mask that is inside of the object.

// The registers of intermediate values, with AVX2.
const (
	indexNarrow = indexScratch - 16
	startNarrow = startScratch - 16
	placeNarrow = placeScratch - 16
	valueNarrow = valueScratch - 16
)

// gatherNarrow is gatherLanes with AVX2.
func (l *lanes) gatherNarrow(a *access) {
	c, size := l.c, int64(a.in.Kind.Size())
	done := c.NewLabel()
	if l.rowIndex(a) && c.Class(a.in.B) == lir.Lane {
		l.rowNarrow(a, false, func(first amd64.Operand) { c.loadRow(size, first) }, done)
	}
	i := l.indexOf(a)
	l.start(a)
	l.mask(1, a.in.Mask)
	l.narrowOffsets(a, i)
	k := c.MaskIn(2)
	c.Plain(amd64.VMOVAPS, amd64.Args{D: indexNarrow, Y: vec(k)})
	c.load64(amd64.RDX, c.bound(a))
	c.Plain(amd64.VMOVMSKPS, amd64.Args{D: uint8(laneMask), Y: vec(k)})
	c.callLeaf(routine{"gather", [7]int64{size}}, l.pc, func() { c.emitGatherNarrow(size) })
	c.Bind(done)
}

// scatterNarrow is scatterLanes with AVX2.
func (l *lanes) scatterNarrow(a *access) {
	c, size := l.c, int64(a.in.Kind.Size())
	done := c.NewLabel()
	if l.rowIndex(a) && c.Class(a.in.B) == lir.Lane {
		v := l.reg(a.in.C, valueScratch)
		l.rowNarrow(a, true, func(first amd64.Operand) {
			store := amd64.VMOVUPSStore
			if size < 4 {
				store = narrowing[size]
			}
			c.Emit(store, amd64.Args{X: v, Y: first})
		}, done)
	}
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: l.reg(a.in.C, valueScratch), Y: ctx(c.valuesAt())})
	l.findLanes(a)
	c.callLeaf(routine{"scatter", [7]int64{size}}, l.pc, func() { c.emitScatterNarrow(size) })
	c.Bind(done)
}

// apartNarrow jumps to other unless all lanes' offsets are a distance apart. RAX is the first. It
// uses a register for what it finds.
func (c *compiler) apartNarrow(by int64, other amd64.Label, found amd64.Reg) {
	var expected [plan.MaxWidth]int32
	for i := range c.Width {
		expected[i] = int32(by) * int32(i)
	}
	c.Plain(amd64.VPBROADCASTD, amd64.Args{D: startNarrow, Y: vec(placeNarrow)})
	c.Plain(amd64.VPSUBD, amd64.Args{D: startNarrow, X: placeNarrow, Y: vec(startNarrow)})
	c.Plain(amd64.VPCMPEQD, amd64.Args{D: startNarrow, X: startNarrow, Y: ctx(c.vector(expected))})
	c.Plain(amd64.VMOVMSKPS, amd64.Args{D: uint8(found), Y: vec(startNarrow)})
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(found), Imm: 0xff})
	c.Jcc(amd64.NE, other)
}

// emitGatherNarrow emits the subroutine of gatherNarrow. RDX is how many offsets are inside of the
// object, and indexScratch has the lanes' mask.
func (c *compiler) emitGatherNarrow(size int64) {
	done, other := c.NewLabel(), c.NewLabel()
	strides := strideLanes(size)
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(laneMask), Imm: 0xff})
	c.Jcc(amd64.NE, other)
	c.Half(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RAX), Y: vec(placeNarrow)})
	c.Half(amd64.VPEXTRD, amd64.Args{D: uint8(amd64.R15), Y: vec(placeNarrow), Imm: 1})
	c.scalar(amd64.SUB32, amd64.R15, amd64.G(amd64.RAX))
	labels := c.jumpByStride(amd64.CMP32Imm, strides, other)
	for i, by := range strides {
		c.Bind(labels[i])
		c.apartNarrow(by, other, amd64.R15)
		if by > size && size < 4 { // numbers of 32 bits are loaded
			last := amd64.At(amd64.RAX, int32(by*int64(c.Width-1)+4-size))
			c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.R15), Y: last})
			c.compare(amd64.CMP64, amd64.R15, amd64.G(amd64.RDX))
			c.Jcc(amd64.AE, other)
		}
		c.loadStrideNarrow(size, by)
		c.Jmp(done)
	}
	c.Bind(other)
	const v = valueNarrow
	c.Plain(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
	if size == 4 {
		c.Plain(amd64.VPGATHERDDVec, amd64.Args{D: v, X: indexNarrow, Y: amd64.VIndex(amd64.RCX, placeNarrow, 1, 0)})
		c.Bind(done)
		return
	}
	c.valuesAt()
	c.Plain(amd64.VMOVUPSStore, amd64.Args{X: placeNarrow, Y: ctx(c.offsets)})
	c.Plain(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(c.values)})
	c.Plain(amd64.VMOVMSKPS, amd64.Args{D: uint8(laneMask), Y: vec(indexNarrow)})
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		c.load32(amd64.RAX, amd64.Index(ctxReg, amd64.RDX, 4, c.offsets))
		c.scalar(zeroExtended[size], amd64.RAX, amd64.Index(amd64.RCX, amd64.RAX, 1, 0))
		c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(amd64.RAX), Y: amd64.Index(ctxReg, amd64.RDX, 4, c.values)})
	})
	c.Plain(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(c.values)})
	c.Bind(done)
}

// loadStrideNarrow is loadStride with AVX2.
func (c *compiler) loadStrideNarrow(size, by int64) {
	const v, s, t = valueNarrow, startNarrow, indexNarrow
	at := func(disp int32) amd64.Operand { return amd64.Index(amd64.RCX, amd64.RAX, 1, disp) }
	load := func(d uint8, disp int32) { c.Plain(amd64.VMOVUPS, amd64.Args{D: d, Y: at(disp)}) }
	// In each half of the result: two numbers of the half of x, and two of y.
	shuffle := func(d, x uint8, y amd64.Operand, how int64) {
		c.Plain(amd64.VSHUFPS, amd64.Args{D: d, X: x, Y: y, Imm: how})
	}
	switch {
	case by == 0:
		c.scalar(zeroExtended[size], amd64.RAX, at(0))
		c.Half(amd64.VMOVD, amd64.Args{D: v, Y: amd64.G(amd64.RAX)})
		c.Plain(amd64.VPBROADCASTD, amd64.Args{D: v, Y: vec(v)})
		return
	case by == size && size < 4:
		c.Plain(widen[size], amd64.Args{D: v, Y: at(0)})
		return
	case by == 4:
		load(v, 0)
	case by == 8: // the second vector ends with the last lane's number
		load(s, 0)
		shuffle(v, s, at(28), 0xd8)
		c.Plain(amd64.VPERMQImm, amd64.Args{D: v, Y: vec(v), Imm: 0xd8})
	case by == 16:
		load(s, 0)
		shuffle(s, s, at(32), 0)
		load(v, 64)
		shuffle(v, v, at(84), 0xf0)
		shuffle(s, s, vec(v), 0x88)
		c.Plain(amd64.VMOVUPS, amd64.Args{D: t, Y: ctx(c.vector([plan.MaxWidth]int32{0, 4, 1, 5, 2, 6, 3, 7}))})
		c.Plain(amd64.VPERMD, amd64.Args{D: v, X: t, Y: vec(s)})
	}
	if size < 4 {
		c.Emit(amd64.VPANDD, amd64.Args{D: valueScratch, X: valueScratch, Y: c.constant32(1<<(8*size) - 1)})
	}
}

// emitScatterNarrow emits the subroutine of scatterNarrow. The offsets and the values are in the
// context, too.
func (c *compiler) emitScatterNarrow(size int64) {
	done, other := c.NewLabel(), c.NewLabel()
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(laneMask), Imm: 0xff})
	c.Jcc(amd64.NE, other)
	c.Half(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RAX), Y: vec(placeNarrow)})
	c.apartNarrow(size, other, amd64.RDX)
	store := amd64.VMOVUPSStore
	if size < 4 {
		store = narrowing[size]
	}
	c.Emit(amd64.VMOVUPS, amd64.Args{D: indexScratch, Y: ctx(c.values)})
	c.Emit(store, amd64.Args{X: indexScratch, Y: amd64.Index(amd64.RCX, amd64.RAX, 1, 0)})
	c.Jmp(done)
	c.Bind(other)
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		c.load32(amd64.RAX, amd64.Index(ctxReg, amd64.RDX, 4, c.offsets))
		c.load32(amd64.RDX, amd64.Index(ctxReg, amd64.RDX, 4, c.values))
		c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RDX), Y: amd64.Index(amd64.RCX, amd64.RAX, 1, 0)})
	})
	c.Bind(done)
}
