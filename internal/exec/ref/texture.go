package ref

import (
	"math"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// image returns the image of a texture handle, or nil if there is none.
func (m *machine) image(handle uint64) *texel.Image {
	if m.l.Space == nil {
		return nil
	}
	return m.l.Space.Texture(handle)
}

// sampler returns the sampler of a handle, or nil for the default one.
func (m *machine) sampler(handle uint64) *texel.Sampler {
	if i := handle - exec.FirstSampler; i < uint64(len(m.samplers)) {
		return m.samplers[i]
	}
	if m.l.Space == nil {
		return nil
	}
	return m.l.Space.Sampler(handle)
}

// texture executes an operation on a texture.
func (t *thread) texture(in *ir.Instr) {
	x, typ := t.g.m.image(t.get(in.Args[0], 0)), in.Args[0].Type
	number := func(arg int) uint32 { return uint32(t.get(in.Args[arg], 0)) }
	var at [3]uint32
	coordinates := func() [3]uint32 {
		for i := range lanes(in.Args[1]) {
			at[i] = uint32(t.get(in.Args[1], i))
		}
		return at
	}
	give := func(v [4]uint64) {
		for i := range lanes(in.Results[0]) {
			t.set(in.Results[0], i, v[i])
		}
	}
	switch in.Op {
	case ir.OpTexQuery:
		t.set(in.Results[0], 0, uint64(x.Query(typ, ir.TexProperty(in.Imm), number(1))))
	case ir.OpTexRead:
		give(x.Read(typ, coordinates(), number(2), number(3)))
	case ir.OpTexWrite:
		var v [4]uint64
		for i := range v {
			v[i] = t.get(in.Args[4], i)
		}
		x.Write(typ, coordinates(), number(2), number(3), &v)
	case ir.OpTexAtomic:
		t.set(in.Results[0], 0, x.Atomic(ir.Op(in.Imm), in.Args[3].Type.Kind, coordinates(), number(2), t.get(in.Args[3], 0)))
	case ir.OpTexAtomicCmpXchg:
		old, done := x.CompareExchange(in.Args[3].Type.Kind, coordinates(), number(2), t.get(in.Args[3], 0),
			t.get(in.Args[4], 0))
		t.set(in.Results[0], 0, old)
		t.set(in.Results[1], 0, num.Truth(done))
	default:
		give(x.Sample(t.g.m.sampler(t.get(in.Args[1], 0)), t.look(in)))
	}
}

// look collects the operands of an operation with a sampler.
func (t *thread) look(in *ir.Instr) *texel.Look {
	k := &texel.Look{Op: in.Op, Type: in.Args[0].Type, Component: int(in.Imm)}
	number := func(arg, i int) float32 { return math.Float32frombits(uint32(t.get(in.Args[arg], i))) }
	position := func(to *[3]float32, arg int) {
		for i := range lanes(in.Args[arg]) {
			to[i] = number(arg, i)
		}
	}
	position(&k.Position, 2)
	if in.Op == ir.OpTexLOD {
		position(&k.DX, 3)
		position(&k.DY, 4)
		return k
	}
	k.Layer = int32(t.get(in.Args[3], 0))
	switch in.Op {
	case ir.OpTexSample:
		k.LOD = number(4, 0)
	case ir.OpTexSampleGrad:
		position(&k.DX, 4)
		position(&k.DY, 5)
		k.LOD = number(6, 0)
	case ir.OpTexCompare:
		k.Reference, k.LOD = number(4, 0), number(5, 0)
	case ir.OpTexGatherCompare:
		k.Reference = number(4, 0)
	}
	offset := in.Args[len(in.Args)-1]
	for i := range lanes(offset) {
		k.Offset[i] = int32(t.get(offset, i))
	}
	return k
}
