package ref

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/exec/num"
	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
)

// Texture is an image that the host binds. Level l is max(1, size>>l) wide, and so on; in its data x goes fastest, then y, z, layer, and
// a multisample texture's samples follow each other for each texel. Cubes have six layers for each cube.
type Texture struct {
	Format                        string // as Metal names it, without MTLPixelFormat
	Width, Height, Depth, Samples int    // 0 counts as 1
	Layers                        int
	Levels                        [][]byte
}

// Image returns the texture as package texel has it.
func (x *Texture) Image() (*texel.Image, error) {
	f, ok := texel.ParseFormat(x.Format)
	if !ok {
		return nil, fmt.Errorf("%w: pixel format %q", ErrUnsupported, x.Format)
	}
	return texel.New(f, x.Width, x.Height, x.Depth, x.Layers, x.Samples, x.Levels...), nil
}

// Handles of what is bound to slots, and of samplers that the program declares.
const (
	slotTexture  = 1 << 32
	slotSampler  = 2 << 32
	constSampler = 3 << 32
)

// prepareTextures finds out what handles mean.
func (m *machine) prepareTextures() error {
	m.images, m.samplers = map[uint64]*texel.Image{}, map[uint64]*texel.Sampler{}
	add := func(handle uint64, x *Texture) (err error) {
		if x != nil {
			m.images[handle], err = x.Image()
		}
		return err
	}
	for slot, x := range m.l.Textures {
		if err := add(uint64(slotTexture+slot), x); err != nil {
			return err
		}
	}
	for handle, x := range m.l.ResidentTextures {
		if err := add(handle, x); err != nil {
			return err
		}
	}
	for slot, s := range m.l.Samplers {
		m.samplers[uint64(slotSampler+slot)] = texel.NewSampler(&s)
	}
	for i := range m.f.Samplers {
		m.samplers[uint64(constSampler+i)] = texel.NewSampler(&m.f.Samplers[i])
	}
	return nil
}

// texture carries out an operation on a texture.
func (t *thread) texture(in *ir.Instr) {
	x, typ := t.g.m.images[t.get(in.Args[0], 0)], in.Args[0].Type
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
		old, done := x.CompareExchange(in.Args[3].Type.Kind, coordinates(), number(2), t.get(in.Args[3], 0), t.get(in.Args[4], 0))
		t.set(in.Results[0], 0, old)
		t.set(in.Results[1], 0, num.Truth(done))
	default:
		give(x.Sample(t.g.m.samplers[t.get(in.Args[1], 0)], t.look(in)))
	}
}

// look gathers the operands of an operation with a sampler.
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
