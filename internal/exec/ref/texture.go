package ref

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/exec/num"
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

// Handles of what is bound to slots, and of samplers that the program declares.
const (
	slotTexture  = 1 << 32
	slotSampler  = 2 << 32
	constSampler = 3 << 32
)

// dim returns the texture's size at a level.
func (x *Texture) dim(level int) [3]int {
	return [3]int{max(1, x.Width>>level), max(1, x.Height>>level), max(1, x.Depth>>level)}
}

// texel returns the memory of a texel, or nil where there is none. Coordinates are unsigned.
func (x *Texture) texel(f format, at [3]uint64, layer, level, sample uint64) []byte {
	if x == nil || level >= uint64(len(x.Levels)) || layer >= uint64(max(1, x.Layers)) || sample >= uint64(max(1, x.Samples)) {
		return nil
	}
	size := x.dim(int(level))
	for i, c := range at {
		if c >= uint64(size[i]) {
			return nil
		}
	}
	i := ((layer*uint64(size[2])+at[2])*uint64(size[1])+at[1])*uint64(size[0]) + at[0]
	i = (i*uint64(max(1, x.Samples)) + sample) * uint64(f.size())
	if data := x.Levels[level]; i+uint64(f.size()) <= uint64(len(data)) {
		return data[i:][:f.size()]
	}
	return nil
}

// textureOf returns the texture that a handle means, nil for none.
func (t *thread) textureOf(v *ir.Value) (*Texture, format, error) {
	h := t.get(v, 0)
	x := t.g.m.l.ResidentTextures[h]
	if h >= slotTexture && h < slotSampler {
		x = t.g.m.l.Textures[int(h-slotTexture)]
	}
	if x == nil {
		return nil, format{}, nil
	}
	f, ok := parseFormat(x.Format)
	if !ok {
		return nil, f, fmt.Errorf("%w: pixel format %q", ErrUnsupported, x.Format)
	}
	return x, f, nil
}

// samplerOf returns the sampler that a handle means.
func (t *thread) samplerOf(v *ir.Value) ir.SamplerState {
	switch h := t.get(v, 0); {
	case h >= constSampler && h < constSampler+uint64(len(t.g.m.f.Samplers)):
		return t.g.m.f.Samplers[h-constSampler]
	case h >= slotSampler && h < constSampler:
		return t.g.m.l.Samplers[int(h-slotSampler)]
	}
	return ir.SamplerState{}
}

// texture carries out an operation on a texture.
func (t *thread) texture(in *ir.Instr) error {
	x, f, err := t.textureOf(in.Args[0])
	if err != nil {
		return err
	}
	typ := in.Args[0].Type
	number := func(arg int) uint64 { return t.get(in.Args[arg], 0) }
	switch in.Op {
	case ir.OpTexQuery:
		t.set(in.Results[0], 0, uint64(uint32(property(x, ir.TexProperty(in.Imm), number(1), typ.Dim.IsCube()))))
		return nil
	case ir.OpTexSample, ir.OpTexSampleGrad, ir.OpTexGather, ir.OpTexCompare, ir.OpTexGatherCompare, ir.OpTexLOD:
		return t.sample(in, x, f)
	}
	var at [3]uint64
	for i := range lanes(in.Args[1]) {
		at[i] = t.get(in.Args[1], i)
	}
	var level, sample uint64
	if in.Op == ir.OpTexRead || in.Op == ir.OpTexWrite {
		if level = number(3); typ.Dim.IsMultisample() {
			level, sample = 0, level
		}
	}
	texel := x.texel(f, at, number(2), level, sample)
	switch in.Op {
	case ir.OpTexRead:
		for i := range 4 {
			v := uint64(0)
			if texel != nil {
				c := i
				if typ.Dim.IsDepth() {
					c = 0
				}
				v = f.component(texel, c, typ.Elem)
			}
			t.set(in.Results[0], i, v)
		}
	case ir.OpTexWrite:
		if texel != nil {
			f.store(texel, typ.Elem, [4]uint64{t.get(in.Args[4], 0), t.get(in.Args[4], 1), t.get(in.Args[4], 2), t.get(in.Args[4], 3)})
		}
	case ir.OpTexAtomic, ir.OpTexAtomicCmpXchg:
		t.texelAtomic(in, f, texel)
	}
	return nil
}

// texelAtomic carries out an atomic operation on the first components of a texel.
func (t *thread) texelAtomic(in *ir.Instr, f format, texel []byte) {
	k := in.Args[3].Type.Kind
	if texel == nil || !f.isInt() || f.size() != k.Size() {
		for _, r := range in.Results {
			t.set(r, 0, 0)
		}
		return
	}
	old, v := getBits(k, texel), t.get(in.Args[3], 0)
	if in.Op == ir.OpTexAtomicCmpXchg {
		if old == v {
			putBits(k, texel, t.get(in.Args[4], 0))
		}
		t.set(in.Results[1], 0, num.Truth(old == v))
	} else {
		putBits(k, texel, num.Modify(ir.Op(in.Imm), k, old, v))
	}
	t.set(in.Results[0], 0, old)
}

// property returns what a program may ask about a texture; 0 of none, or at a level that is none.
func property(x *Texture, p ir.TexProperty, level uint64, cube bool) int {
	if x == nil {
		return 0
	}
	switch p {
	case ir.TexMipLevels:
		return len(x.Levels)
	case ir.TexSamples:
		return max(1, x.Samples)
	case ir.TexArraySize:
		if cube {
			return max(1, x.Layers/6)
		}
		return max(1, x.Layers)
	}
	if level >= uint64(len(x.Levels)) {
		return 0
	}
	return x.dim(int(level))[p]
}
