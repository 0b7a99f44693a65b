package emit

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec/jit/amd64"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// Samples of a plane at one level are those of texel.Image.Sample, which computes with doubles: a
// vector of lanes is two vectors of them. A subroutine has four registers, so what is computed is
// in the context meanwhile.
//
// If texels outside of the plane are not the nearest inside, the engine is called for vectors that
// have such.

// sample is what an operation that samples has besides a texture and a sampler.
type sample struct {
	lod    uint32 // a float
	layer  int32
	offset [2]int32 // in texels
}

// Look returns the operation, but for the position.
func (x *Texture) Look() texel.Look {
	return texel.Look{Op: ir.OpTexSample, Type: x.Type, Layer: x.Sample.layer,
		LOD: math.Float32frombits(x.Sample.lod), Offset: [3]int32{x.Sample.offset[0], x.Sample.offset[1]}}
}

// sampledViewOf is viewOf for a sample.
func (c *compiler) sampledViewOf(in *lir.Inst, first []int) int32 {
	const maxOffset = 1 << 20 // so that coordinates have 31 bits
	typ, s := in.HIR.Args[0].Type, sample{}
	if d := typ.Dim; d.SampleCoords() != 2 || d.IsCube() || d.IsDepth() || typ.Elem != ir.F32 && typ.Elem != ir.F16 {
		return 0
	}
	for _, r := range in.More[first[3]:first[6]] {
		if !c.Program.Var(r).Const {
			return 0
		}
	}
	number := func(i int) int32 { return int32(c.Program.Var(in.More[i]).Bits) }
	s.layer, s.lod = number(first[3]), uint32(number(first[4]))
	for i := range s.offset {
		if s.offset[i] = number(first[5] + i); s.offset[i] < -maxOffset || s.offset[i] > maxOffset {
			return 0
		}
	}
	handle, sampler := in.More[0], in.More[1]
	if !c.knownHandle(handle) || c.Class(sampler) != lir.Once || !c.knownHandle(sampler) {
		return 0
	}
	return c.view(Texture{Handle: handle, Type: typ, Sampler: sampler, Sample: s})
}

// samplePlaces are where the context has what samples compute: a row of doubles for both axes and
// for four texels, and rows of words.
type samplePlaces struct {
	fractions [2]int32 // doubles: how far positions are behind the first texel
	weights   [4]int32 // doubles
	texels    [2]int32 // coordinates of the first texel
	places    [4]int32 // offsets: of columns and rows first, then of texels
	words     [4]int32 // of packed texels
	values    [4]int32 // of a component: floats, or bytes as integers
	result    int32
	between   [2]int32 // masks: the fraction is not 0
}

// samplePlaces returns where samples compute; all share the places.
func (c *compiler) samplePlaces() *samplePlaces {
	if c.samples == nil {
		p := &samplePlaces{}
		row := func(list []int32, bytes int) {
			for i := range list {
				list[i] = c.Alloc(bytes, 64)
			}
		}
		row(p.fractions[:], 8*c.Width)
		row(p.weights[:], 8*c.Width)
		for _, list := range [][]int32{p.texels[:], p.places[:], p.words[:], p.values[:]} {
			row(list, 4*c.Width)
		}
		p.result = c.Alloc(4*c.Width, 64)
		row(p.between[:], 8)
		c.samples = p
	}
	return c.samples
}

// halves calls emit for each half of the lanes, with where it is in rows of words and of doubles.
func (c *compiler) halves(emit func(words, doubles int32)) {
	for h := range int32(2) {
		emit(2*h*int32(c.Width), 4*h*int32(c.Width))
	}
}

// storeHalf stores half as many bytes as a vector has.
func (c *compiler) storeHalf(at int32, v uint8) {
	c.EmitBits(16*c.Width, amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(at)})
}

// sampleTexels emits a sample. The code jumps to done after it, and to other if the engine must do
// it.
func (c *compiler) sampleTexels(t *textureCode, done, other amd64.Label) {
	const at, v = uint8(placeScratch), uint8(valueScratch)
	p := c.samplePlaces()
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewRead), Imm: 0})
	c.Jcc(amd64.E, other)
	c.samplePositions(t, p)
	c.sampleOffsets(t, p, other)
	linear := c.NewLabel()
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewNext), Imm: 0})
	c.Jcc(amd64.NE, linear)
	c.Emit(amd64.VMOVUPS, amd64.Args{D: at, Y: ctx(p.places[0])})
	c.Emit(amd64.KXNORW, amd64.Args{D: 1, X: 1, Y: amd64.K(1)})
	c.texelsAt(t, done)

	c.Bind(linear)
	c.sampleWeights(p)
	words, halves, curved := c.NewLabel(), c.NewLabel(), c.NewLabel()
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewRead), Imm: int64(texel.Words)})
	c.Jcc(amd64.E, words)
	c.packedTexels(t, p, 0)
	c.unlessShape(t, ViewRead, texel.Bytes, curved)
	// each emits the results of texels whose components value brings into valueScratch.
	each := func(s texel.Shape, value func(corner, component int)) {
		for out, component := range t.components {
			c.sampled(t, out, component, func() {
				for corner, place := range p.values {
					value(corner, component)
					c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(place)})
				}
				if s == texel.CurvedBytes && component == 3 { // alpha has no curve
					c.weigh(t, p, texel.Bytes)
				} else {
					c.weigh(t, p, s)
				}
			})
		}
		c.Jmp(done)
	}
	fromWord := func(corner, component int) {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(p.words[corner])})
		c.Emit(amd64.VPSRLVD, amd64.Args{D: v, X: v, Y: t.each(ViewShift + 4*int32(component))})
	}
	fromByte := func(corner, component int) {
		fromWord(corner, component)
		c.Emit(amd64.VPANDD, amd64.Args{D: v, X: v, Y: c.constant32(0xff)})
	}
	each(texel.Bytes, fromByte)

	c.Bind(curved)
	c.unlessShape(t, ViewRead, texel.CurvedBytes, halves)
	each(texel.CurvedBytes, fromByte)

	c.Bind(halves)
	second := false
	each(texel.Halves, func(corner, component int) {
		if component >= 2 && !second { // in a second word
			second = true
			c.packedTexels(t, p, 4)
		}
		fromWord(corner, component)
		c.halfToFloat(v)
	})

	c.Bind(words)
	each(texel.Words, func(corner, component int) {
		c.sampledLanes(p, corner)
		c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
		c.Emit(amd64.VMOVUPS, amd64.Args{D: at, Y: ctx(p.places[corner])})
		c.load64(amd64.RCX, ctx(t.view+ViewData))
		c.Emit(amd64.VPXORD, amd64.Args{D: v, X: v, Y: vec(v)})
		c.gatherWords(v, at, 4*int32(component))
	})
}

// samplePositions computes which texel is the first, and how far the position is behind it.
func (c *compiler) samplePositions(t *textureCode, p *samplePlaces) {
	const v, s, x = uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	first := textureArgs(t.in)
	for axis := range 2 {
		offset := int32(c.Program.Var(t.in.More[first[5]+axis]).Bits)
		c.textureOperand(v, t, first[2]+axis)
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(p.result)})
		c.halves(func(words, doubles int32) {
			const most = 1 << 30 // so that integers have room
			c.Emit(amd64.VCVTPS2PD, amd64.Args{D: x, Y: ctx(p.result + words)})
			c.Emit(amd64.VMULPD, amd64.Args{D: x, X: x, Y: t.each(ViewFactor + 8*int32(axis))})
			// It is the result for a NaN too, which is at 0: both are nearest to the first texel.
			c.Emit(amd64.VMAXPD, amd64.Args{D: x, X: x, Y: c.double(-most)})
			c.Emit(amd64.VMINPD, amd64.Args{D: x, X: x, Y: c.double(most)})
			if offset != 0 {
				c.Emit(amd64.VADDPD, amd64.Args{D: x, X: x, Y: c.double(float64(offset))})
			}
			c.Emit(amd64.VSUBPD, amd64.Args{D: x, X: x, Y: t.each(ViewHalf)})
			c.Emit(amd64.VRNDSCALEPD, amd64.Args{D: s, Y: vec(x), Imm: vectorRounds[ir.OpFloor]})
			c.Emit(amd64.VSUBPD, amd64.Args{D: x, X: x, Y: vec(s)})
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: ctx(p.fractions[axis] + doubles)})
			c.Emit(amd64.VCVTTPD2DQ, amd64.Args{D: s, Y: vec(s)})
			c.storeHalf(p.texels[axis]+words, s)
		})
	}
}

// double returns a double that all lanes share.
func (c *compiler) double(x float64) amd64.Operand { return c.constant64(math.Float64bits(x)) }

// sampleOffsets computes the offsets of the four texels.
func (c *compiler) sampleOffsets(t *textureCode, p *samplePlaces, other amd64.Label) {
	const at, v, s, x = uint8(placeScratch), uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	c.Emit(amd64.VPXORD, amd64.Args{D: x, X: x, Y: vec(x)}) // bits in which coordinates differ from those inside
	for axis := range int32(2) {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(p.texels[axis])})
		for n := range int32(2) {
			if n == 1 {
				c.Emit(amd64.VPADDD, amd64.Args{D: v, X: v, Y: t.each(ViewNext)})
			}
			c.Emit(amd64.VPMAXSD, amd64.Args{D: s, X: v, Y: c.constant32(0)})
			c.Emit(amd64.VPMINSD, amd64.Args{D: s, X: s, Y: t.each(ViewLast + 4*axis)})
			c.Emit(amd64.VPXORD, amd64.Args{D: at, X: v, Y: vec(s)})
			c.Emit(amd64.VPORD, amd64.Args{D: x, X: x, Y: vec(at)})
			if axis == 0 {
				c.Emit(amd64.VPSLLVD, amd64.Args{D: s, X: s, Y: t.each(ViewScale)})
			} else {
				c.Emit(amd64.VPMULLD, amd64.Args{D: s, X: s, Y: t.each(ViewRow)})
			}
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: s, Y: ctx(p.places[2*axis+n])})
		}
	}
	c.Emit(amd64.VPANDD, amd64.Args{D: x, X: x, Y: t.each(ViewStrict)})
	c.Emit(amd64.VPTESTMD, amd64.Args{D: 1, X: x, Y: vec(x)})
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: 2, Y: ctx(t.mask)})
	c.Emit(amd64.KANDW, amd64.Args{D: 1, X: 1, Y: amd64.K(2)})
	c.Emit(amd64.KMOVWToReg, amd64.Args{D: uint8(amd64.RAX), Y: amd64.K(1)})
	c.compare(amd64.TEST32, amd64.RAX, amd64.G(amd64.RAX))
	c.Jcc(amd64.NE, other)
	column, row := [2]uint8{at, s}, [2]amd64.Operand{ctx(p.places[2]), ctx(p.places[3])}
	for n, r := range column {
		c.Emit(amd64.VMOVUPS, amd64.Args{D: r, Y: ctx(p.places[n])})
	}
	for n, r := range column {
		c.Emit(amd64.VPADDD, amd64.Args{D: v, X: r, Y: row[0]})
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: v, Y: ctx(p.places[n])})
	}
	for _, r := range column {
		c.Emit(amd64.VPADDD, amd64.Args{D: r, X: r, Y: row[1]})
	}
	for n, r := range column {
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: r, Y: ctx(p.places[2+n])})
	}
}

// sampleWeights computes the weights of the four texels.
func (c *compiler) sampleWeights(p *samplePlaces) {
	const at, v, x = uint8(placeScratch), uint8(valueScratch), uint8(indexScratch)
	one := ctx(c.word(math.Float64bits(1)))
	for axis := range 2 {
		c.halves(func(words, doubles int32) { // no fraction is so small that it becomes 0
			c.Emit(amd64.VCVTPD2PS, amd64.Args{D: x, Y: ctx(p.fractions[axis] + doubles)})
			c.storeHalf(p.result+words, x)
		})
		c.Emit(amd64.VPXORD, amd64.Args{D: x, X: x, Y: vec(x)})
		c.Emit(amd64.VCMPPS, amd64.Args{D: 1, X: x, Y: ctx(p.result), Imm: 4}) // are unequal
		c.Emit(amd64.KMOVWStore, amd64.Args{X: 1, Y: ctx(p.between[axis])})
	}
	c.halves(func(_, doubles int32) {
		column, row := ctx(p.fractions[0]+doubles), ctx(p.fractions[1]+doubles)
		product := func(corner int, a uint8, b amd64.Operand) {
			c.Emit(amd64.VMULPD, amd64.Args{D: x, X: a, Y: b})
			c.Emit(amd64.VMOVUPSStore, amd64.Args{X: x, Y: ctx(p.weights[corner] + doubles)})
		}
		c.Emit(amd64.VBROADCASTSD, amd64.Args{D: v, Y: one})
		c.Emit(amd64.VSUBPD, amd64.Args{D: at, X: v, Y: column})
		c.Emit(amd64.VSUBPD, amd64.Args{D: v, X: v, Y: row})
		product(0, at, vec(v))
		product(1, v, column)
		product(2, at, row)
		c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: column})
		product(3, v, row)
	})
}

// sampledLanes sets K1 to the lanes for which a texel has a weight.
func (c *compiler) sampledLanes(p *samplePlaces, corner int) {
	if corner == 0 {
		c.Emit(amd64.KXNORW, amd64.Args{D: 1, X: 1, Y: amd64.K(1)})
		return
	}
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: 1, Y: ctx(p.between[(corner-1)&1])})
	if corner == 3 {
		c.Emit(amd64.KMOVWLoad, amd64.Args{D: 2, Y: ctx(p.between[1])})
		c.Emit(amd64.KANDW, amd64.Args{D: 1, X: 1, Y: amd64.K(2)})
	}
}

// packedTexels loads the words of the four texels at a distance from their begin, 0 for those
// without a weight.
func (c *compiler) packedTexels(t *textureCode, p *samplePlaces, disp int32) {
	for corner, place := range p.words {
		c.sampledLanes(p, corner)
		c.Emit(amd64.KMOVW, amd64.Args{D: 2, Y: amd64.K(1)})
		c.Emit(amd64.VMOVUPS, amd64.Args{D: placeScratch, Y: ctx(p.places[corner])})
		c.texelWords(t, disp)
		c.Emit(amd64.VMOVUPSStore, amd64.Args{X: valueScratch, Y: ctx(place)})
	}
}

// sampled emits a component of the result: what emit leaves in valueScratch, or a constant if the
// format lacks the component.
func (c *compiler) sampled(t *textureCode, out, component int, emit func()) {
	const v = uint8(valueScratch)
	lacking, next := c.NewLabel(), c.NewLabel()
	c.Emit(amd64.CMP32Imm, amd64.Args{Y: ctx(t.view + ViewPresent + 4*int32(component)), Imm: 0})
	c.Jcc(amd64.E, lacking)
	emit()
	c.setTexels(t, out, v)
	c.Jmp(next)
	c.Bind(lacking)
	c.Emit(amd64.VBROADCASTSS, amd64.Args{D: v, Y: ctx(t.view + ViewLacking + 4*int32(component))})
	c.setTexels(t, out, v)
	c.Bind(next)
}

// weigh sets valueScratch to the sum of the four values of a component, each multiplied by its
// weight, as floats; those of bytes are integers. For an sRGB format it uses placeScratch,
// K2 and RCX.
func (c *compiler) weigh(t *textureCode, p *samplePlaces, shape texel.Shape) {
	const v, s, x = uint8(valueScratch), uint8(startScratch), uint8(indexScratch)
	c.halves(func(words, doubles int32) {
		c.Emit(amd64.VPXORD, amd64.Args{D: x, X: x, Y: vec(x)})
		for corner, place := range p.values {
			switch shape {
			case texel.Bytes:
				c.Emit(amd64.VCVTDQ2PD, amd64.Args{D: s, Y: ctx(place + words)})
				c.Emit(amd64.VDIVPD, amd64.Args{D: s, X: s, Y: c.double(255)})
			case texel.CurvedBytes:
				c.curvedDoubles(t, place+words)
			default:
				c.Emit(amd64.VCVTPS2PD, amd64.Args{D: s, Y: ctx(place + words)})
			}
			c.Emit(amd64.VMULPD, amd64.Args{D: s, X: s, Y: ctx(p.weights[corner] + doubles)})
			c.Emit(amd64.VADDPD, amd64.Args{D: x, X: x, Y: vec(s)})
		}
		if t.in.HIR.Args[0].Type.Elem == ir.F16 {
			c.roundToOdd(x)
		}
		c.Emit(amd64.VCVTPD2PS, amd64.Args{D: x, Y: vec(x)})
		c.storeHalf(p.result+words, x)
	})
	c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(p.result)})
	if shape == texel.Bytes || shape == texel.CurvedBytes {
		return
	}
	// A single texel is the result as it is: -0 is not 0.
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: 1, Y: ctx(p.between[0])})
	c.Emit(amd64.KMOVWLoad, amd64.Args{D: 2, Y: ctx(p.between[1])})
	c.Emit(amd64.KORW, amd64.Args{D: 1, X: 1, Y: amd64.K(2)})
	c.Emit(amd64.KNOTW, amd64.Args{D: 1, Y: amd64.K(1)})
	c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: ctx(p.values[0]), K: 1})
}

// curvedDoubles sets startScratch to the doubles that bytes of an sRGB format stand for.
func (c *compiler) curvedDoubles(t *textureCode, words int32) {
	const at, v, s = uint8(placeScratch), uint8(valueScratch), uint8(startScratch)
	c.load64(amd64.RCX, ctx(t.view+ViewSampled))
	c.Emit(amd64.VMOVUPS, amd64.Args{D: at, Y: ctx(words)})
	if c.evex() {
		c.Emit(amd64.KXNORW, amd64.Args{D: 2, X: 2, Y: amd64.K(2)})
		c.Emit(amd64.VGATHERDPD, amd64.Args{D: s, Y: amd64.VIndex(amd64.RCX, amd64.Vec(at), 8, 0), K: 2})
		return
	}
	c.Emit(amd64.VMOVUPS, amd64.Args{D: v, Y: c.constant64(math.MaxUint64)})
	c.Plain(amd64.VGATHERDPDVec, amd64.Args{D: amd64.Physical(s), X: amd64.Physical(v),
		Y: amd64.VIndex(amd64.RCX, amd64.Vec(amd64.Physical(at)), 8, 0)})
}

// roundToOdd rounds doubles to numbers that floats can be, such that a number between two of these
// becomes the odd one. To round it again to a half is to round it once.
func (c *compiler) roundToOdd(x uint8) {
	const s, lost = uint8(startScratch), 1<<29 - 1
	c.Emit(amd64.VPANDQ, amd64.Args{D: s, X: x, Y: c.constant64(lost)})
	c.Emit(amd64.VPADDQ, amd64.Args{D: s, X: s, Y: c.constant64(lost)}) // bit 29 is 1 if something is lost
	c.Emit(amd64.VPORQ, amd64.Args{D: x, X: x, Y: vec(s)})
	c.Emit(amd64.VPANDQ, amd64.Args{D: x, X: x, Y: c.constant64(^uint64(lost))})
}
