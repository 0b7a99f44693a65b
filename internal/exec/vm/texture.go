package vm

import (
	"math"
	"math/bits"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/ir/lir"
)

// textureOp is an operation on a texture, with the indices of its operands in the instruction.
type textureOp struct {
	op    ir.Op
	imm   int64
	typ   ir.Type
	first [9]int // index of each operand's first component
	outs  int    // index of the first result
}

func newTextureOp(hir *ir.Instr) *textureOp {
	t := &textureOp{op: hir.Op, imm: hir.Imm, typ: hir.Args[0].Type}
	for i, a := range hir.Args {
		t.first[i+1] = t.first[i] + a.Type.Lanes()
	}
	return t
}

func chooseTexture(o *op) func(*frame, *op) {
	t := newTextureOp(o.in.HIR)
	t.outs = len(o.in.More)
	if (t.op == ir.OpTexRead || t.op == ir.OpTexWrite) && t.hasColumns(o) {
		return t.columns
	}
	if t.hasSamples(o) {
		return t.sampleColumns
	}
	return t.run
}

func (t *textureOp) run(f *frame, o *op) {
	l := textureLane{textureOp: t, f: f, o: o, handle: ^uint64(0), sampler: ^uint64(0)}
	if o.per != lir.Lane {
		for i := range f.counts[o.per] {
			l.one(i)
		}
		return
	}
	for w, word := range f.mask(o.m) {
		for word &= f.full[w]; word != 0; word &= word - 1 {
			l.one(w*lir.SimdWidth + bits.TrailingZeros32(word))
		}
	}
}

// textureLane executes the operation for one lane after another.
type textureLane struct {
	*textureOp
	f               *frame
	o               *op
	lane            int
	handle, sampler uint64 // handles of the image and the sampler used by the previous lane
	image           *texel.Image
	through         *texel.Sampler
}

// operand returns component i of an operand.
func (l *textureLane) operand(arg, i int) uint64 {
	p := &l.o.more[l.first[arg]+i]
	return l.f.operand(p.off, p.class, p.size, l.lane)
}

func (l *textureLane) number(arg int) uint32 { return uint32(l.operand(arg, 0)) }

func (l *textureLane) float(arg, i int) float32 {
	return math.Float32frombits(uint32(l.operand(arg, i)))
}

func (l *textureLane) coordinates() (at [3]uint32) {
	for i := range l.first[2] - l.first[1] {
		at[i] = uint32(l.operand(1, i))
	}
	return at
}

func (l *textureLane) position(arg int) (p [3]float32) {
	for i := range l.first[arg+1] - l.first[arg] {
		p[i] = l.float(arg, i)
	}
	return p
}

// give sets result i.
func (l *textureLane) give(i int, x uint64) {
	if l.outs+i < len(l.o.more) {
		if p := &l.o.more[l.outs+i]; p.off >= 0 {
			l.f.setBits(p.off, p.size, l.lane, x)
		}
	}
}

func (l *textureLane) giveAll(v [4]uint64) {
	for i, x := range v {
		l.give(i, x)
	}
}

func (l *textureLane) one(lane int) {
	l.lane = lane
	if h := l.operand(0, 0); h != l.handle {
		l.handle, l.image = h, l.f.image(h)
	}
	switch x, elem := l.image, l.typ.Elem; l.op {
	case ir.OpTexQuery:
		l.give(0, uint64(x.Query(l.typ, ir.TexProperty(l.imm), l.number(1))))
	case ir.OpTexRead:
		l.giveAll(x.Read(l.typ, l.coordinates(), l.number(2), l.number(3)))
	case ir.OpTexWrite:
		var v [4]uint64
		for i := range v {
			v[i] = l.operand(4, i)
		}
		x.Write(l.typ, l.coordinates(), l.number(2), l.number(3), &v)
	case ir.OpTexAtomic:
		l.give(0, x.Atomic(ir.Op(l.imm), elem, l.coordinates(), l.number(2), l.operand(3, 0)))
	case ir.OpTexAtomicCmpXchg:
		old, done := x.CompareExchange(elem, l.coordinates(), l.number(2), l.operand(3, 0), l.operand(4, 0))
		l.give(0, old)
		l.give(1, truthOf(done))
	default:
		if h := l.operand(1, 0); h != l.sampler {
			l.sampler, l.through = h, l.f.samplerOf(h)
		}
		k := l.look()
		l.giveAll(x.Sample(l.through, &k))
	}
}

// look collects the operands of an operation with a sampler.
func (l *textureLane) look() texel.Look {
	k := texel.Look{Op: l.op, Type: l.typ, Component: int(l.imm), Position: l.position(2)}
	if l.op == ir.OpTexLOD {
		k.DX, k.DY = l.position(3), l.position(4)
		return k
	}
	k.Layer = int32(l.number(3))
	offset := 4
	switch l.op {
	case ir.OpTexSample:
		k.LOD, offset = l.float(4, 0), 5
	case ir.OpTexSampleGrad:
		k.DX, k.DY, k.LOD, offset = l.position(4), l.position(5), l.float(6, 0), 7
	case ir.OpTexCompare:
		k.Reference, k.LOD, offset = l.float(4, 0), l.float(5, 0), 6
	case ir.OpTexGatherCompare:
		k.Reference, offset = l.float(4, 0), 5
	}
	for i := range l.first[offset+1] - l.first[offset] {
		k.Offset[i] = int32(l.operand(offset, i))
	}
	return k
}

// image returns the image of a texture handle, or nil if there is none.
func (f *frame) image(handle uint64) *texel.Image {
	if sp := f.g.r.Launch.Space; sp != nil {
		return sp.Texture(handle)
	}
	return nil
}

// samplerOf returns the sampler of a handle, or nil for the default one.
func (f *frame) samplerOf(handle uint64) *texel.Sampler {
	if i := handle - exec.FirstSampler; i < uint64(len(f.g.p.samplers)) {
		return f.g.p.samplers[i]
	}
	if sp := f.g.r.Launch.Space; sp != nil {
		return sp.Sampler(handle)
	}
	return nil
}
