package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
)

// Lanes that have addresses of their own often have them in a row or at a small distance all the
// same: the distance depends on an argument, or each lane has computed its address. Gathers take
// many times as long as loads of all memory between the lanes' elements, so with AVX-512 the code
// finds out how far the first two lanes are apart, and loads the memory if the others continue in
// the same way and all are inside of the object.

// strideLanes are the distances in bytes for which there is code: none, the size of an element, and
// those up to 16 bytes that have whole numbers of 32 bits between elements.
func strideLanes(size int64) (list []int64) {
	list = []int64{size, 0}
	for _, s := range []int64{4, 8, 16} {
		if s > size {
			list = append(list, s)
		}
	}
	return list
}

// laneAddresses prepares a subroutine for lanes with addresses of their own: it sets placeScratch
// and valueScratch to the offsets of the lower and the upper lanes, K1 to the mask, RCX to where
// the object is, and RDX to how many offsets are inside of it.
func (l *lanes) laneAddresses(a *access) {
	i := l.indexOf(a)
	l.start(a)
	l.mask(1, a.in.Mask)
	l.halfOffsets(valueScratch, a, i, 1)
	l.halfOffsets(placeScratch, a, i, 0)
	l.c.load64(amd64.RDX, l.c.bound(a))
}

// gatherLanes loads an element for each lane of the mask into valueScratch, with zeros in the upper
// bits of 32; out of bounds it is 0. Lanes that are not in the mask may have any number.
func (l *lanes) gatherLanes(a *access) {
	size := int64(a.in.Kind.Size())
	if l.rowIndex(a) {
		l.rowAddresses(a)
		l.c.callLeaf(rowKey("gather row", a.in), l.pc, func() {
			l.c.emitRow(size, a.in.Ext, func(first amd64.Operand) { l.c.loadRow(size, first) }, func() { l.c.emitGather(size) })
		})
		return
	}
	l.laneAddresses(a)
	l.c.callLeaf(routine{"gather", [7]int64{size}}, l.pc, func() { l.c.emitGather(size) })
}

// scatterLanes stores an element for each lane of the mask, in ascending order; out of bounds it
// does nothing.
func (l *lanes) scatterLanes(a *access) {
	c, size := l.c, int64(a.in.Kind.Size())
	if l.rowIndex(a) {
		l.rowAddresses(a)
		c.loadSource(indexScratch, l.source(a.in.C), 0)
		c.callLeaf(rowKey("scatter row", a.in), l.pc, func() {
			c.emitRow(size, a.in.Ext, func(first amd64.Operand) { c.storeRow(size, first) }, func() { c.emitScatter(size) })
		})
		return
	}
	l.laneAddresses(a)
	c.loadSource(indexScratch, l.source(a.in.C), 0)
	c.callLeaf(routine{"scatter", [7]int64{size}}, l.pc, func() { c.emitScatter(size) })
}

// atStride jumps to other unless all lanes' offsets are a distance apart and inside of the object,
// with so many bytes behind the last that are no longer part of its element. RAX is the first
// offset. It uses R15 and startScratch.
func (c *compiler) atStride(by, behind int64, other amd64.Label) {
	const s = uint8(startScratch)
	for h, offsets := range []uint8{placeScratch, valueScratch} {
		var expected [plan.MaxWidth]int32
		for i := range c.Width / 2 {
			expected[2*i] = int32(by) * int32(h*c.Width/2+i)
		}
		c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: s, Y: amd64.G(amd64.RAX)})
		c.Emit(amd64.VPSUBQ, amd64.Args{D: s, X: offsets, Y: vec(s)})
		c.Emit(amd64.VPCMPUQ, amd64.Args{D: uint8(2 + h), X: s, Y: ctx(c.vector(expected)), Imm: 0})
	}
	c.Emit(amd64.KUNPCKBW, amd64.Args{D: 2, X: 3, Y: amd64.K(2)})
	c.Emit(amd64.KORTESTW, amd64.Args{X: 2, Y: amd64.K(2)})
	c.Jcc(amd64.AE, other)
	last := amd64.At(amd64.RAX, int32(by*int64(c.Width-1)+behind))
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.R15), Y: last})
	c.compare(amd64.CMP64, amd64.R15, amd64.G(amd64.RDX))
	c.Jcc(amd64.AE, other)
}

// firstOffset sets RAX to the offset of lane 0, and R15 to how far lane 1 is behind it.
func (c *compiler) firstOffset() {
	c.Emit(amd64.VMOVQToReg, amd64.Args{D: uint8(amd64.RAX), Y: vec(placeScratch)})
	c.Emit(amd64.VPEXTRQ, amd64.Args{D: uint8(amd64.R15), Y: vec(placeScratch), Imm: 1})
	c.scalar(amd64.SUB64, amd64.R15, amd64.G(amd64.RAX))
}

// emitGather emits the subroutine of gatherLanes.
func (c *compiler) emitGather(size int64) {
	done, other := c.NewLabel(), c.NewLabel()
	strides := strideLanes(size)
	c.firstOffset()
	labels := c.jumpByStride(amd64.CMP64Imm, strides, other)
	for i, by := range strides {
		c.Bind(labels[i])
		behind := int64(0)
		if by > size {
			behind = 4 - size
		}
		c.atStride(by, behind, other)
		c.loadStride(size, by)
		c.Jmp(done)
	}
	c.Bind(other)
	c.gatherAny(size)
	c.Bind(done)
}

// jumpByStride jumps to the label for the distance in R15, and to other if that is none of them.
func (c *compiler) jumpByStride(compare amd64.Op, strides []int64, other amd64.Label) (labels []amd64.Label) {
	for _, by := range strides {
		l := c.NewLabel()
		c.Emit(compare, amd64.Args{Y: amd64.G(amd64.R15), Imm: by})
		c.Jcc(amd64.E, l)
		labels = append(labels, l)
	}
	c.Jmp(other)
	return labels
}

// loadStride loads elements at a distance, from the offset in RAX, into valueScratch.
func (c *compiler) loadStride(size, by int64) {
	const v, s, t = uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	at := func(disp int32) amd64.Operand { return amd64.Index(amd64.RCX, amd64.RAX, 1, disp) }
	if by == 0 {
		c.scalar(zeroExtended[size], amd64.RAX, at(0))
		c.Emit(amd64.VPBROADCASTDReg, amd64.Args{D: v, Y: amd64.G(amd64.RAX)})
		return
	}
	if by == size && size < 4 {
		c.Emit(widen[size], amd64.Args{D: v, Y: at(0)})
		return
	}
	// The last vector ends with the last lane's number of 32 bits.
	bytes := int32(4 * c.Width)
	pair := func(d uint8, from int32, lane int) {
		to := min(from+bytes, int32(by)*int32(c.Width-1)+4-bytes)
		var index [plan.MaxWidth]int32
		for i := range index {
			at := int32(by) * int32(lane+i)
			if at < from+bytes {
				index[i] = (at - from) / 4
			} else if at-to < bytes {
				index[i] = int32(c.Width) + (at-to)/4
			}
		}
		c.Emit(amd64.VMOVUPS, amd64.Args{D: s, Y: at(from)})
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(c.vector(index))})
		c.Emit(amd64.VPERMI2PS, amd64.Args{D: d, X: s, Y: at(to)})
	}
	switch by {
	case 4:
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: at(0)})
	case 8:
		pair(v, 0, 0)
	case 16:
		pair(t, 0, 0)
		pair(v, 2*bytes, c.Width/2)
		c.Emit(amd64.VINSERTF64X4, amd64.Args{D: v, X: t, Y: vec(v), Imm: 1})
	}
	if size < 4 {
		c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(1<<(8*size) - 1)})
	}
}

// insideOf sets K2 and K3 to the lower and the upper lanes of the mask whose offsets are less than
// those in a register.
func (c *compiler) insideOf(limit uint8) {
	c.Emit(amd64.VPCMPUQ, amd64.Args{D: 2, X: placeScratch, Y: vec(limit), K: 1, Imm: 1})
	c.Emit(amd64.KSHIFTRW, amd64.Args{D: 3, Y: amd64.K(1), Imm: 8})
	c.Emit(amd64.VPCMPUQ, amd64.Args{D: 3, X: valueScratch, Y: vec(limit), K: 3, Imm: 1})
}

// gatherAny loads elements at any offsets.
func (c *compiler) gatherAny(size int64) {
	const s = uint8(startScratch)
	if size < 4 {
		c.gatherNarrowAny(size)
		return
	}
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: s, Y: amd64.G(amd64.RDX)})
	c.insideOf(s)
	c.gatherInside()
}

// gatherInside loads numbers of 32 bits for the lanes of K2 and K3 into valueScratch.
func (c *compiler) gatherInside() {
	const v, s, t = uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	c.EmitBits(256, amd64.VPXORD, amd64.Args{D: s, X: s, Y: vec(s)})
	c.EmitBits(256, amd64.VPXORD, amd64.Args{D: t, X: t, Y: vec(t)})
	c.Emit(amd64.VPGATHERQD, amd64.Args{D: s, Y: amd64.VIndex(amd64.RCX, placeScratch, 1, 0), K: 2})
	c.Emit(amd64.VPGATHERQD, amd64.Args{D: t, Y: amd64.VIndex(amd64.RCX, valueScratch, 1, 0), K: 3})
	c.Emit(amd64.VINSERTI64X4, amd64.Args{D: v, X: s, Y: vec(t), Imm: 1})
}

// gatherNarrowAny loads numbers of 32 bits that begin with the elements, unless one of them exceeds
// the object: then it loads the elements one after the other.
func (c *compiler) gatherNarrowAny(size int64) {
	const v, s = uint8(valueScratch), uint8(startScratch)
	each, done := c.NewLabel(), c.NewLabel()
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: s, Y: amd64.G(amd64.RDX)})
	c.insideOf(s)
	c.Emit(amd64.KUNPCKBW, amd64.Args{D: 2, X: 3, Y: amd64.K(2)})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(2)})
	c.scalarImm(amd64.SUB64Imm, amd64.RDX, 4-size)
	c.Jcc(amd64.B, each)
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: s, Y: amd64.G(amd64.RDX)})
	c.insideOf(s)
	c.Emit(amd64.KUNPCKBW, amd64.Args{D: 1, X: 3, Y: amd64.K(2)})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(1)})
	c.compare(amd64.CMP32, amd64.RAX, amd64.G(laneMask))
	c.Jcc(amd64.NE, each)
	c.gatherInside()
	c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(1<<(8*size) - 1)})
	c.Jmp(done)
	c.Bind(each)
	c.Emit(amd64.VPXORD, amd64.Args{D: s, X: s, Y: vec(s)})
	c.eachOffset(s, func(address amd64.Operand) {
		c.scalar(zeroExtended[size], amd64.RAX, address)
		c.Emit(amd64.MOV32Store, amd64.Args{X: uint8(amd64.RAX), Y: amd64.Index(ctxReg, amd64.RDX, 4, c.values)})
	})
	c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(c.values)})
	c.Bind(done)
}

// emitScatter emits the subroutine of scatterLanes.
func (c *compiler) emitScatter(size int64) {
	const s, t = uint8(startScratch), uint8(indexScratch)
	done, other := c.NewLabel(), c.NewLabel()
	store := amd64.VMOVUPSStore
	if size < 4 {
		store = narrowing[size]
	}
	c.firstOffset()
	c.Emit(amd64.CMP64Imm, amd64.Args{Y: amd64.G(amd64.R15), Imm: size})
	c.Jcc(amd64.NE, other)
	c.atStride(size, 0, other)
	c.Emit(store, amd64.Args{X: t, Y: amd64.Index(amd64.RCX, amd64.RAX, 1, 0), K: 1})
	c.Jmp(done)
	c.Bind(other)
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: s, Y: amd64.G(amd64.RDX)})
	c.insideOf(s)
	if size < 4 {
		c.Emit(amd64.KUNPCKBW, amd64.Args{D: 2, X: 3, Y: amd64.K(2)})
		c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(2)})
		c.eachOffset(t, func(address amd64.Operand) {
			c.load32(amd64.RDX, amd64.Index(ctxReg, amd64.RDX, 4, c.values))
			c.Emit(storesOf[size], amd64.Args{X: uint8(amd64.RDX), Y: address})
		})
		c.Bind(done)
		return
	}
	c.Emit(amd64.VPSCATTERQD, amd64.Args{X: t, Y: amd64.VIndex(amd64.RCX, placeScratch, 1, 0), K: 2})
	c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: t, Y: vec(t), Imm: 1})
	c.Emit(amd64.VPSCATTERQD, amd64.Args{X: t, Y: amd64.VIndex(amd64.RCX, valueScratch, 1, 0), K: 3})
	c.Bind(done)
}

// eachOffset runs code for each lane of laneMask, whose number is in RDX, with the address of its
// element, in ascending order. The numbers of a register are in the context then.
func (c *compiler) eachOffset(values uint8, code func(address amd64.Operand)) {
	c.valuesAt()
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: placeScratch, Y: ctx(c.offsets)})
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: valueScratch, Y: ctx(c.Column(c.offsets, 4, 1))})
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: values, Y: ctx(c.values)})
	c.compare(amd64.TEST32, laneMask, amd64.G(laneMask))
	c.eachBit(func() {
		c.load64(amd64.RAX, amd64.Index(ctxReg, amd64.RDX, 8, c.offsets))
		code(amd64.Index(amd64.RCX, amd64.RAX, 1, 0))
	})
}
