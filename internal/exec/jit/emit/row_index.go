package emit

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Indices of 32 bits that count up by one from lane to lane are recognized as they are, before they
// become offsets of 64 bits: see strided.go.

// rowIndex reports whether the lanes of an access have indices of 32 bits, of elements, in memory
// that they share.
func (l *lanes) rowIndex(a *access) bool {
	c, in := l.c, a.in
	return in.B != 0 && in.Ext != lir.NoExt && c.Class(in.B) > lir.Simd && !c.HasIndex(in) && c.Class(in.A) <= lir.Simd &&
		in.Scale == int64(in.Kind.Size())
}

// rowAddresses prepares a subroutine for an access with indices: it sets placeScratch to them,
// startScratch to the offset where they count from, K1 to the mask, RCX to where the object is, and
// RDX to how many offsets are inside of it.
func (l *lanes) rowAddresses(a *access) {
	c := l.c
	if c.Class(a.in.B) == lir.Lane {
		c.loadSource(placeScratch, l.source(a.in.B), 0)
	} else {
		i := l.indexOf(a)
		c.Emit(amd64.VMOVAPS, amd64.Args{D: placeScratch, Y: vec(i.reg)})
	}
	l.start(a)
	l.mask(1, a.in.Mask)
	c.load64(amd64.RDX, c.bound(a))
}

// rowKey is the key of a subroutine for an access with indices.
func rowKey(does string, in *lir.Inst) routine {
	return routine{does, [7]int64{int64(in.Kind.Size()), int64(in.Ext)}}
}

// emitRow emits a subroutine for elements of a size with extended indices. If they count up and all
// elements are inside of the object, it runs row with where the first is, otherwise rest, which
// finds the offsets of the lower and the upper lanes in placeScratch and valueScratch.
func (c *compiler) emitRow(size int64, ext lir.Ext, row func(first amd64.Operand), rest func()) {
	const x, t = uint8(placeScratch), uint8(valueScratch)
	other, done := c.NewLabel(), c.NewLabel()
	var up [plan.MaxWidth]int32
	for i := range up {
		up[i] = int32(i)
	}
	c.Emit(amd64.VPBROADCASTD, amd64.Args{D: t, Y: vec(x)})
	c.Emit(amd64.VPSUBD, amd64.Args{D: t, X: x, Y: vec(t)})
	c.Emit(amd64.VPCMPUD, amd64.Args{D: 2, X: t, Y: ctx(c.vector(up)), Imm: 0})
	c.Emit(amd64.KORTESTW, amd64.Args{X: 2, Y: amd64.K(2)})
	c.Jcc(amd64.AE, other)
	c.Emit(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.R15), Y: vec(x)})
	behind := int64(c.Width - 1)
	c.unlessWraps(ext, other)
	c.scale(amd64.R15, size)
	c.Emit(amd64.VMOVQToReg, amd64.Args{D: uint8(amd64.RAX), Y: vec(startScratch)})
	c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.R15))
	c.scalar(amd64.AND64, amd64.RAX, ctx(c.word(offsetMask)))
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.R15), Y: amd64.At(amd64.RAX, int32(size*behind))})
	c.compare(amd64.CMP64, amd64.R15, amd64.G(amd64.RDX))
	c.Jcc(amd64.AE, other)
	row(amd64.Index(amd64.RCX, amd64.RAX, 1, 0))
	c.Jmp(done)
	c.Bind(other)
	c.rowOffsets(size, ext)
	rest()
	c.Bind(done)
}

// rowOffsets sets placeScratch and valueScratch to the offsets of the lower and the upper lanes, of
// elements of a size with extended indices, where rowAddresses has put what they depend on.
func (c *compiler) rowOffsets(size int64, ext lir.Ext) {
	const x, t = uint8(placeScratch), uint8(valueScratch)
	extend := amd64.VPMOVZXDQ
	if ext == lir.SExt {
		extend = amd64.VPMOVSXDQ
	}
	c.Emit(amd64.VEXTRACTI64X4, amd64.Args{D: t, Y: vec(x), Imm: 1})
	for _, d := range []uint8{t, x} {
		c.Emit(extend, amd64.Args{D: d, Y: vec(d)})
		if size > 1 {
			c.Emit(amd64.VPSLLQImm, amd64.Args{D: d, Y: vec(d), Imm: int64(bits.TrailingZeros64(uint64(size)))})
		}
		c.Emit(amd64.VPADDQ, amd64.Args{D: d, X: d, Y: vec(startScratch)})
		c.Emit(amd64.VPANDQ, amd64.Args{D: d, X: d, Y: c.constant64(offsetMask)})
	}
}

// rowLanes is findLanes in a subroutine for aligned numbers of 32 bits with extended indices.
func (c *compiler) rowLanes(ext lir.Ext) {
	const x, t, limit = uint8(placeScratch), uint8(valueScratch), uint8(startScratch)
	c.valuesAt() // there is room for the offsets too
	c.rowOffsets(4, ext)
	if !c.evex() {
		c.Half(amd64.VMOVQ, amd64.Args{D: amd64.Spare, Y: amd64.G(amd64.RDX)})
		c.Plain(amd64.VPBROADCASTQ, amd64.Args{D: amd64.Spare, Y: vec(amd64.Spare)})
		c.narrowInside(true)
		c.storeNarrowLanes()
		return
	}
	c.Emit(amd64.VPBROADCASTQReg, amd64.Args{D: limit, Y: amd64.G(amd64.RDX)})
	c.insideOf(limit)
	for half, at := range []uint8{x, t} {
		k := uint8(2 + half)
		c.Emit(amd64.VPTESTNMQ, amd64.Args{D: k, X: at, Y: c.constant64(3), K: amd64.Mask(k)})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: at, Y: ctx(c.Column(c.offsets, 4, half))})
	}
	c.Emit(amd64.KUNPCKBW, amd64.Args{D: 2, X: 3, Y: amd64.K(2)})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(laneMask), Y: amd64.K(2)})
}

// loadRow loads elements of a size in a row into valueScratch.
func (c *compiler) loadRow(size int64, first amd64.Operand) {
	load := amd64.VMOVUPS
	if size < 4 {
		load = widen[size]
	}
	c.Emit(load, amd64.Args{D: valueScratch, Y: first})
}

// storeRow stores elements of a size in a row, those of the lanes of K1.
func (c *compiler) storeRow(size int64, first amd64.Operand) {
	store := amd64.VMOVUPSStore
	if size < 4 {
		store = narrowing[size]
	}
	c.Emit(store, amd64.Args{X: indexScratch, Y: first, K: 1})
}

// rowNarrow is emitRow with AVX2, in the place of the access: if not all is as row needs it, or, if
// full is true, the mask lacks a lane, the code goes on behind it, otherwise at done.
func (l *lanes) rowNarrow(a *access, full bool, row func(first amd64.Operand), done amd64.Label) {
	c, in, size := l.c, a.in, int64(a.in.Kind.Size())
	other := c.NewLabel()
	all := func(found amd64.Reg) {
		c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(found), Imm: 0xff})
		c.Jcc(amd64.NE, other)
	}
	if full && (in.Mask != 0 || c.Partial()) {
		c.scalar(amd64.MOVZX8To32, amd64.RAX, l.bitsOf(in.Mask))
		all(amd64.RAX)
	}
	var up [plan.MaxWidth]int32
	for i := range c.Width {
		up[i] = int32(i)
	}
	c.loadSource(placeScratch, l.source(in.B), 0)
	c.Plain(amd64.VPBROADCASTD, amd64.Args{D: startNarrow, Y: vec(placeNarrow)})
	c.Plain(amd64.VPSUBD, amd64.Args{D: startNarrow, X: placeNarrow, Y: vec(startNarrow)})
	c.Plain(amd64.VPCMPEQD, amd64.Args{D: startNarrow, X: startNarrow, Y: ctx(c.vector(up))})
	c.Plain(amd64.VMOVMSKPS, amd64.Args{D: uint8(amd64.RAX), Y: vec(startNarrow)})
	all(amd64.RAX)
	c.Half(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.R15), Y: vec(placeNarrow)})
	c.unlessWraps(in.Ext, other)
	c.scale(amd64.R15, size)
	c.load64(amd64.RAX, c.place(in.A))
	c.addConstant(amd64.RAX, in.Disp)
	c.scalar(amd64.ADD64, amd64.RAX, amd64.G(amd64.R15))
	c.scalar(amd64.AND64, amd64.RAX, ctx(c.word(offsetMask)))
	c.Emit(amd64.LEA64, amd64.Args{D: uint8(amd64.R15), Y: amd64.At(amd64.RAX, int32(size)*int32(c.Width-1))})
	c.compare(amd64.CMP64, amd64.R15, c.bound(a))
	c.Jcc(amd64.AE, other)
	c.load64(amd64.RCX, ctx(a.obj))
	row(amd64.Index(amd64.RCX, amd64.RAX, 1, 0))
	c.Jmp(done)
	c.Bind(other)
}

// unlessWraps extends the first index of a row, in R15, or jumps to other if the last would wrap.
func (c *compiler) unlessWraps(ext lir.Ext, other amd64.Label) {
	behind := int64(c.Width - 1)
	if ext == lir.SExt {
		c.scalar(amd64.MOVSX32To64, amd64.R15, amd64.G(amd64.R15))
		c.Emit(amd64.CMP64Imm, amd64.Args{Y: amd64.G(amd64.R15), Imm: math.MaxInt32 - behind})
		c.Jcc(amd64.GT, other)
		return
	}
	c.compare(amd64.CMP64, amd64.R15, ctx(c.word(uint64(math.MaxUint32-behind))))
	c.Jcc(amd64.A, other)
}
