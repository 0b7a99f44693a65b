package emit

import (
	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/jit/plan"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// textureOperand brings an operand of a subroutine into a register.
func (c *compiler) textureOperand(d uint8, t *textureCode, i int) {
	r := t.in.More[i]
	switch {
	case t.slots[i] != 0:
		c.Emit(amd64.VMOVUPS, amd64.Args{D: d, Y: ctx(t.slots[i])})
	case plan.Narrow(c.Program.Var(r).Kind):
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: c.narrowShared(r)})
	default:
		c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: c.place(r)})
	}
}

// each returns a number of a view for all lanes.
func (t *textureCode) each(off int32) amd64.Operand { return ctx(t.view + off).Broadcast() }

// texelOffsets sets placeScratch to the offsets of the lanes' texels, and K1 to the lanes whose
// texels are inside of the texture.
func (c *compiler) texelOffsets(t *textureCode) {
	const at, v = uint8(placeScratch), uint8(valueScratch)
	first := textureArgs(t.in)
	for axis := range first[2] - first[1] {
		c.textureOperand(v, t, first[1]+axis)
		k := uint8(1 + min(axis, 1))
		c.Emit(amd64.VPCMPUD, amd64.Args{D: k, X: v, Y: t.each(ViewSize + 4*int32(axis)), Imm: 1}) // less than
		if axis == 0 {
			c.Emit(amd64.VPSLLVD, amd64.Args{D: at, X: v, Y: t.each(ViewScale)})
			continue
		}
		c.Emit(amd64.KANDW, amd64.Args{D: 1, X: 1, Y: amd64.K(2)})
		c.Emit(amd64.VPMULLD, amd64.Args{D: v, X: v, Y: t.each(ViewRow + 4*int32(axis-1))})
		c.Emit(amd64.VPADDD, amd64.Args{D: at, X: at, Y: vec(v)})
	}
}

// unlessInRow jumps to a label unless the texels of K1 are those of all lanes, have at most 4
// bytes, and are in a row. If they are, RCX is the address of the first.
func (c *compiler) unlessInRow(t *textureCode, l amd64.Label) {
	const at, v = uint8(placeScratch), uint8(valueScratch)
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewSmall), Imm: 0})
	c.Jcc(amd64.E, l)
	c.Emit(amd64.VPBROADCASTD, amd64.Args{D: v, Y: vec(at)})
	c.Emit(amd64.VPADDD, amd64.Args{D: v, X: v, Y: ctx(t.view + ViewSteps)})
	c.Emit(amd64.VPCMPUD, amd64.Args{D: 2, X: v, Y: vec(at), Imm: 0})
	c.Emit(amd64.KANDW, amd64.Args{D: 2, X: 1, Y: amd64.K(2)})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RCX), Y: amd64.K(2)})
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: amd64.G(amd64.RCX), Imm: 1<<c.Width - 1})
	c.Jcc(amd64.NE, l)
	c.Emit(amd64.VMOVDToReg, amd64.Args{D: uint8(amd64.RCX), Y: vec(at)})
	c.scalar(amd64.ADD64, amd64.RCX, ctx(t.view+ViewData))
}

// unlessShape jumps to a label unless a view, which at describes, has a shape.
func (c *compiler) unlessShape(t *textureCode, at int32, s texel.Shape, l amd64.Label) {
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + at), Imm: int64(s)})
	c.Jcc(amd64.NE, l)
}

// gatherWords loads 32 bits for each lane of K2, which it changes, at RCX + index + disp.
func (c *compiler) gatherWords(d, index uint8, disp int32) {
	if c.evex() {
		c.Emit(amd64.VPGATHERDD, amd64.Args{D: d, Y: amd64.VIndex(amd64.RCX, amd64.Vec(index), 1, disp), K: 2})
		return
	}
	c.Plain(amd64.VPGATHERDDVec, amd64.Args{D: amd64.Physical(d), X: c.MaskIn(2),
		Y: amd64.VIndex(amd64.RCX, amd64.Vec(amd64.Physical(index)), 1, disp)})
	c.DropMask(2) // it is empty now
}

// inside sets K2 to the lanes of K1, or to none if the format lacks a component.
func (c *compiler) inside(t *textureCode, component int) {
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: 2, Y: ctx(t.view + ViewPresent + 4*int32(component))})
	c.Emit(amd64.KANDW, amd64.Args{D: 2, X: 1, Y: amd64.K(2)})
}

// lacking sets a register to what the lanes of K1 read of a component that the format lacks, and
// the others of any component.
func (c *compiler) lacking(d uint8, t *textureCode, component int) {
	c.Emit(amd64.VBROADCASTSS, amd64.Args{D: d, Y: ctx(t.view + ViewLacking + 4*int32(component)), K: 1, Zero: true})
}

// readTexels emits a read. The code jumps to done after it, and to other if the engine must do it.
func (c *compiler) readTexels(t *textureCode, done, other amd64.Label) {
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewRead), Imm: 0})
	c.Jcc(amd64.E, other)
	c.texelOffsets(t)
	c.texelsAt(t, done)
}

// components returns an iterator of the results that are needed, with the components that they are.
func (t *textureCode) components(yield func(out, component int) bool) {
	for i, slot := range t.outs {
		component := i
		if t.in.HIR.Args[0].Type.Dim.IsDepth() {
			component = 0
		}
		if slot != 0 && !yield(i, component) {
			return
		}
	}
}

// texelsAt emits the reading of the texels at the offsets in placeScratch, for the lanes of K1. The
// code jumps to done after it.
func (c *compiler) texelsAt(t *textureCode, done amd64.Label) {
	const at, v, x = uint8(placeScratch), uint8(valueScratch), uint8(indexScratch)
	typ := t.in.HIR.Args[0].Type
	apart, packedRow, packed, decode, halves := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	curved := c.NewLabel()
	integers := typ.Elem == ir.I32 // then there are words only
	c.unlessInRow(t, apart)
	if !integers {
		c.unlessShape(t, ViewRead, texel.Words, packedRow)
	}
	for out, component := range t.components {
		if component == 0 {
			c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: amd64.At(amd64.RCX, 0)})
		} else {
			c.lacking(v, t, component)
		}
		c.setTexels(t, out, v)
	}
	c.Jmp(done)

	c.Bind(apart)
	if !integers {
		c.unlessShape(t, ViewRead, texel.Words, packed)
	}
	c.load64(amd64.RCX, ctx(t.view+ViewData))
	for out, component := range t.components {
		c.lacking(v, t, component)
		c.inside(t, component)
		c.gatherWords(v, at, 4*int32(component))
		c.setTexels(t, out, v)
	}
	c.Jmp(done)
	if integers {
		return
	}

	c.Bind(packedRow)
	c.loadTexels(at, t)
	c.Jmp(decode)

	c.Bind(packed)
	offsets := c.textureOffsets()
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: at, Y: ctx(offsets)})
	c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
	c.texelWords(t, 0)
	c.Emit(amd64.VMOVAPS, amd64.Args{D: at, Y: vec(v)})

	c.Bind(decode)
	c.unlessShape(t, ViewRead, texel.Bytes, curved)
	for out, component := range t.components {
		c.linearByte(t, out, component)
	}
	c.Jmp(done)

	c.Bind(curved)
	c.unlessShape(t, ViewRead, texel.CurvedBytes, halves)
	c.load64(amd64.RCX, ctx(t.view+ViewCurve))
	for out, component := range t.components {
		if component == 3 {
			c.linearByte(t, out, component)
			continue
		}
		c.byteOf(t, component)
		c.Emit(amd64.VPSLLDImm, amd64.Args{D: v, Y: vec(v), Imm: 2})
		c.lacking(x, t, component)
		c.inside(t, component)
		c.gatherWords(x, v, 0)
		c.setTexels(t, out, x)
	}
	c.Jmp(done)

	c.Bind(halves)
	second := false
	for out, component := range t.components {
		if component >= 2 && !second { // in a second word
			second = true
			c.Emit(amd64.VMOVUPS, amd64.Args{D: at, Y: ctx(offsets)})
			c.inside(t, 2)
			c.texelWords(t, 4)
			c.Emit(amd64.VMOVAPS, amd64.Args{D: at, Y: vec(v)})
		}
		c.Emit(amd64.VPSRLVD, amd64.Args{D: v, X: at, Y: t.each(ViewShift + 4*int32(component))})
		c.halfToFloat(v)
		c.lacking(x, t, component)
		c.inside(t, component)
		c.Emit(amd64.VMOVAPS, amd64.Args{D: x, Y: vec(v), K: 2})
		c.setTexels(t, out, x)
	}
	c.Jmp(done)
}

// byteOf sets valueScratch to a component of the texels in placeScratch.
func (c *compiler) byteOf(t *textureCode, component int) {
	const at, v = uint8(placeScratch), uint8(valueScratch)
	c.Emit(amd64.VPSRLVD, amd64.Args{D: v, X: at, Y: t.each(ViewShift + 4*int32(component))})
	c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(0xff)})
}

// linearByte emits the reading of a component of bytes without a curve.
func (c *compiler) linearByte(t *textureCode, out, component int) {
	const v, x = uint8(valueScratch), uint8(indexScratch)
	c.byteOf(t, component)
	c.Emit(amd64.VCVTDQ2PS, amd64.Args{D: v, Y: vec(v)})
	c.Emit(amd64.VDIVPS, amd64.Args{D: v, X: v, Y: c.constant32(0x437f0000)}) // 255
	c.lacking(x, t, component)
	c.inside(t, component)
	c.Emit(amd64.VMOVAPS, amd64.Args{D: x, Y: vec(v), K: 2})
	c.setTexels(t, out, x)
}

// halfToFloat converts the lower halves of a register's words.
func (c *compiler) halfToFloat(v uint8) {
	c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(0xffff)})
	c.Emit(amd64.VPMOVDW, amd64.Args{D: v, Y: vec(v)})
	c.Emit(amd64.VCVTPH2PS, amd64.Args{D: v, Y: vec(v)})
}

// textureOffsets returns where subroutines keep the offsets of the lanes' texels.
func (c *compiler) textureOffsets() int32 {
	c.valuesAt()
	return c.offsets
}

// bySize emits code for texels of 4, 2 and 1 bytes, and a branch to the one of the texture's size.
func (c *compiler) bySize(t *textureCode, emit func(size int)) {
	two, one, end := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewScale), Imm: 1})
	c.Jcc(amd64.E, two)
	c.Jcc(amd64.B, one)
	emit(4)
	c.Jmp(end)
	c.Bind(two)
	emit(2)
	c.Jmp(end)
	c.Bind(one)
	emit(1)
	c.Bind(end)
}

// loadTexels loads texels of 1, 2 or 4 bytes in a row at RCX.
func (c *compiler) loadTexels(d uint8, t *textureCode) {
	load := [5]amd64.Op{1: widen[1], 2: widen[2], 4: amd64.VMOVUPS}
	c.bySize(t, func(size int) { c.Emit(load[size], amd64.Args{D: d, Y: amd64.At(amd64.RCX, 0)}) })
}

// texelWords sets valueScratch to the word of each texel at a distance from its begin, for the
// lanes of K2; others have 0. Texels of less than 4 bytes are a part of a word that may begin
// before them, since a word that has a byte of the memory is in its page.
func (c *compiler) texelWords(t *textureCode, disp int32) {
	const at, v, s, x = uint8(placeScratch), uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	c.Emit(amd64.VPADDD, amd64.Args{D: s, X: at, Y: t.each(ViewSkew)})
	c.Emit(amd64.VPANDD, amd64.Args{D: x, X: s, Y: t.each(ViewKeep)})
	c.Emit(amd64.VPSUBD, amd64.Args{D: s, X: s, Y: vec(x)})
	c.Emit(amd64.VPSLLDImm, amd64.Args{D: s, Y: vec(s), Imm: 3})
	c.load64(amd64.RCX, ctx(t.view+ViewAligned))
	c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
	c.gatherWords(v, x, disp)
	c.Emit(amd64.VPSRLVD, amd64.Args{D: v, X: v, Y: vec(s)})
}

// quietNaNs replaces the NaNs of a register by the default one.
func (c *compiler) quietNaNs(v uint8) {
	c.Emit(amd64.VCMPPS, amd64.Args{D: 2, X: v, Y: vec(v), Imm: 3})
	c.Emit(amd64.VBROADCASTSS, amd64.Args{D: v, Y: ctx(c.word(0x7fc00000)), K: 2})
}

// setTexels makes a register the result of a read: an integer, or a float that it rounds.
func (c *compiler) setTexels(t *textureCode, out int, v uint8) {
	elem := t.in.HIR.Args[0].Type.Elem
	if elem != ir.I32 {
		c.quietNaNs(v)
	}
	if elem == ir.F16 {
		c.Emit(amd64.VCVTPS2PH, amd64.Args{D: v, Y: vec(v), Imm: 0})
		c.Emit(amd64.VPMOVZXWD, amd64.Args{D: v, Y: vec(v)})
	}
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(t.outs[out])})
}

// writeTexels emits a write. The code jumps to done after it, and to other if the engine must do
// it.
func (c *compiler) writeTexels(t *textureCode, done, other amd64.Label) {
	const v = uint8(valueScratch)
	integers := t.in.HIR.Args[0].Type.Elem == ir.I32
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewWrite), Imm: 0})
	c.Jcc(amd64.E, other)
	c.texelOffsets(t)
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: 2, Y: ctx(t.mask)})
	c.Emit(amd64.KANDW, amd64.Args{D: 1, X: 1, Y: amd64.K(2)})
	apart, packedRow, packed, halvesRow, halves := c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel(), c.NewLabel()
	curvedRow, curved := c.NewLabel(), c.NewLabel()
	c.unlessInRow(t, apart)
	if !integers {
		c.unlessShape(t, ViewWrite, texel.Words, packedRow)
	}
	c.texelValue(v, t, 0)
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: amd64.At(amd64.RCX, 0)})
	c.Jmp(done)

	c.Bind(apart)
	if !integers {
		c.unlessShape(t, ViewWrite, texel.Words, packed)
	}
	c.storeOffsets()
	for i := range 4 {
		c.texelValue(v, t, i)
		c.inside(t, i)
		c.scatterTexels(t, 4, 4*int32(i))
	}
	c.Jmp(done)
	if integers {
		return
	}

	c.Bind(packedRow)
	c.unlessShape(t, ViewWrite, texel.Bytes, curvedRow)
	c.packBytes(t, false)
	c.storeTexels(t)
	c.Jmp(done)
	c.Bind(curvedRow)
	c.unlessShape(t, ViewWrite, texel.CurvedBytes, halvesRow)
	c.storeOffsets()
	c.packBytes(t, true)
	c.load32(amd64.RCX, ctx(c.textureOffsets()))
	c.scalar(amd64.ADD64, amd64.RCX, ctx(t.view+ViewData))
	c.storeTexels(t)
	c.Jmp(done)
	c.Bind(halvesRow)
	c.packHalves(t, 0)
	c.storeTexels(t)
	c.Jmp(done)

	c.Bind(packed)
	c.storeOffsets()
	c.unlessShape(t, ViewWrite, texel.Bytes, curved)
	c.packBytes(t, false)
	c.scatterPacked(t, done)
	c.Bind(curved)
	c.unlessShape(t, ViewWrite, texel.CurvedBytes, halves)
	c.packBytes(t, true)
	c.Emit(amd64.VMOVUPS, amd64.Args{D: placeScratch, Y: ctx(c.textureOffsets())})
	c.scatterPacked(t, done)
	c.Bind(halves)
	two := c.NewLabel()
	c.packHalves(t, 0)
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewScale), Imm: 3})
	c.Jcc(amd64.E, two)
	c.scatterPacked(t, done)
	c.Bind(two)
	c.inside(t, 0)
	c.scatterTexels(t, 4, 0)
	c.packHalves(t, 2)
	c.inside(t, 2)
	c.scatterTexels(t, 4, 4)
	c.Jmp(done)
}

// texelValue sets a register to the component of a write, as an integer or a float of 32 bits
// without NaNs other than the default one.
func (c *compiler) texelValue(d uint8, t *textureCode, component int) {
	first := textureArgs(t.in)
	c.textureOperand(d, t, first[4]+component)
	switch t.in.HIR.Args[0].Type.Elem {
	case ir.F16:
		c.halfToFloat(d)
		c.quietNaNs(d)
	case ir.F32:
		c.quietNaNs(d)
	}
}

// packBytes sets valueScratch to the texels of a format with components of 8 bits. Added to a
// number whose last bit is worth 1, a product is rounded once, to an integer. For an sRGB format it
// uses placeScratch, K2 and RCX.
func (c *compiler) packBytes(t *textureCode, curved bool) {
	const v, s, x = uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	const shifter = 0x4b400000 // 1.5 * 2^23
	c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
	for i := range 4 {
		c.texelValue(s, t, i)
		c.Emit(amd64.VPXORD, amd64.Args{D: x, X: x, Y: vec(x)})
		c.Emit(amd64.VMAXPS, amd64.Args{D: s, X: s, Y: vec(x)}) // 0 for a NaN
		c.Emit(amd64.VMINPS, amd64.Args{D: s, X: s, Y: c.constant32(0x3f800000)})
		if curved && i < 3 {
			c.curvedBytes(t)
		} else {
			c.Emit(amd64.VBROADCASTSS, amd64.Args{D: x, Y: ctx(c.word(0x437f0000))}) // 255
			c.Emit(amd64.VFMADD213PS, amd64.Args{D: s, X: x, Y: c.constant32(shifter)})
			c.Emit(amd64.VPANDD, amd64.Args{D: s, X: s, Y: c.constant32(0xff)})
		}
		c.Emit(amd64.VPSLLVD, amd64.Args{D: s, X: s, Y: t.each(ViewShift + 4*int32(i))})
		c.Emit(amd64.VPANDD, amd64.Args{D: s, X: s, Y: t.each(ViewPresent + 4*int32(i))})
		c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(s)})
	}
}

// curvedBytes sets startScratch, with numbers from 0 to 1, to the bytes of an sRGB format that they
// become: see texel.Curve.
func (c *compiler) curvedBytes(t *textureCode) {
	const at, s, x = uint8(placeScratch), uint8(startScratch), uint8(indexScratch)
	c.Emit(amd64.VMAXPS, amd64.Args{D: s, X: s, Y: c.constant32(texel.CurveLeast)})
	c.Emit(amd64.VPSRLDImm, amd64.Args{D: x, Y: vec(s), Imm: 16})
	c.Emit(amd64.VPSUBD, amd64.Args{D: x, X: x, Y: c.constant32(texel.CurveBucket)})
	c.Emit(amd64.VPSLLDImm, amd64.Args{D: x, Y: vec(x), Imm: 2})
	c.load64(amd64.RCX, ctx(t.view+ViewCurve+8))
	c.Emit(amd64.KXNORW, amd64.Args{D: 2, X: 2, Y: amd64.K(2)})
	c.gatherWords(at, x, 0)
	c.Emit(amd64.VPANDD, amd64.Args{D: s, X: s, Y: c.constant32(0xffff)})
	c.Emit(amd64.VPADDD, amd64.Args{D: s, X: s, Y: vec(at)})
	c.Emit(amd64.VPSRLDImm, amd64.Args{D: s, Y: vec(s), Imm: 16})
}

// packHalves sets valueScratch to two components of the texels of a format with those of 16 bits.
func (c *compiler) packHalves(t *textureCode, component int) {
	const v, s = uint8(valueScratch), uint8(startScratch)
	for i, d := range []uint8{v, s} {
		c.texelValue(d, t, component+i)
		c.Emit(amd64.VCVTPS2PH, amd64.Args{D: d, Y: vec(d), Imm: 0}) // to nearest even
		c.Emit(amd64.VPMOVZXWD, amd64.Args{D: d, Y: vec(d)})
	}
	c.Emit(amd64.VPSLLDImm, amd64.Args{D: s, Y: vec(s), Imm: 16})
	c.Emit(amd64.VPANDD, amd64.Args{D: s, X: s, Y: t.each(ViewPresent + 4*int32(component+1))})
	c.Emit(amd64.VPORD, amd64.Args{D: v, X: v, Y: vec(s)})
}

// storeTexels stores texels of 1, 2 or 4 bytes in a row at RCX.
func (c *compiler) storeTexels(t *textureCode) {
	store := [5]amd64.Op{1: narrowing[1], 2: narrowing[2], 4: amd64.VMOVUPSStore}
	c.bySize(t, func(size int) { c.Emit(store[size], amd64.Args{X: valueScratch, Y: amd64.At(amd64.RCX, 0)}) })
}

// storeOffsets keeps the offsets in placeScratch for scatterNumbers.
func (c *compiler) storeOffsets() {
	c.Emit(amd64.VMOVUPSStore, amd64.Args{X: placeScratch, Y: ctx(c.textureOffsets())})
}

// scatterPacked stores texels of 1, 2 or 4 bytes from valueScratch for the lanes of K1.
func (c *compiler) scatterPacked(t *textureCode, done amd64.Label) {
	c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
	c.bySize(t, func(size int) { c.scatterTexels(t, size, 0) })
	c.Jmp(done)
}

// scatterTexels stores bytes of valueScratch at a distance from each texel's begin for the lanes of
// K2, in ascending order.
func (c *compiler) scatterTexels(t *textureCode, size int, disp int32) {
	c.scatterNumbers(size, t.view+ViewData, disp)
}
