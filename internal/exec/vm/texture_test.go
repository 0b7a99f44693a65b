package vm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// texture returns a texture of a shape, filled with noise.
func texture(r *rand.Rand, d ir.TextureDim, format string, size int) *testlaunch.Texture {
	x := &testlaunch.Texture{Format: format, Width: 8, Layers: 1}
	levels := 1
	if d.SampleCoords() > 0 {
		levels = 3
	}
	if d.TexelCoords() > 1 {
		x.Height = 8
	}
	if d.TexelCoords() > 2 {
		x.Depth = 4
	}
	if d.IsCube() {
		x.Layers = 6
	}
	if d.IsArray() {
		x.Layers *= 2
	}
	if d.IsMultisample() {
		x.Samples = 4
	}
	for l := range levels {
		data := make([]byte, max(1, x.Width>>l)*max(1, x.Height>>l)*max(1, x.Depth>>l)*max(1, x.Layers)*max(1,
			x.Samples)*size)
		for i := range data {
			data[i] = byte(r.Uint32()) & 0x7f
		}
		x.Levels = append(x.Levels, data)
	}
	return x
}

// TestTextures: each operation on each shape of texture, with operands that differ by lane, through
// bound handles and handles stored in a buffer.
func TestTextures(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 9))
	states := []ir.SamplerState{{},
		{MagLinear: true, MinLinear: true, Mip: "linear", Address: [3]string{"repeat", "mirrored_repeat", "clamp_to_zero"}},
		{MagLinear: true, Mip: "nearest", Address: [3]string{"clamp_to_border", "repeat", "repeat"}, Border: "opaque_white",
			Compare: "less", LODBias: 0.5},
		{Unnormalized: true, Reduction: "maximum", MagLinear: true, Compare: "greater_equal"},
		{MinLinear: true, Mip: "linear", Anisotropy: 4, LODClamp: [2]float32{0.5, 1.5}}}
	for d := ir.Tex1D; d <= ir.TexDepthCubeArray; d++ {
		for n, format := range []string{"RGBA8Unorm", "R32Float", "RGBA16Float", "RG8Snorm", "R32Uint", "RG32Uint"} {
			elem := [...]ir.Kind{ir.F32, ir.F32, ir.F16, ir.F32, ir.I32, ir.I64}[n]
			if d.IsDepth() && n != 1 {
				continue
			}
			size := [...]int{4, 4, 8, 2, 4, 8}[n]
			for s, state := range states {
				t.Run(fmt.Sprint(d, format, s), func(t *testing.T) {
					m := &ir.Module{}
					f := m.NewFunc("textures")
					typ, looked := ir.TextureOf(d, elem, ir.ReadWrite), ir.TextureOf(d, elem, ir.Sample)
					f.Args = []ir.Arg{{Kind: ir.ArgBuffer}, {Kind: ir.ArgBuffer, Index: 1},
						{Kind: ir.ArgTexture, Index: 3, Texture: typ.String()}, {Kind: ir.ArgSampler, Index: 2},
						{Kind: ir.ArgTexture, Index: 4, Texture: looked.String()}}
					f.Samplers = []ir.SamplerState{states[0], state}
					b := ir.NewBuilder(f)
					in, out, written, smp, tex := b.Arg(0, ir.PointerTo(ir.Device)), b.Arg(1, ir.PointerTo(ir.Device)), b.Arg(2, typ),
						b.Arg(3, ir.TSampler), b.Arg(4, looked)
					if s%2 == 1 {
						smp = b.OpImm(ir.OpSamplerConst, ir.TSampler, 1)
					}
					index := b.OpAs(ir.OpZExt, ir.TI64, b.Input(ir.ThreadIndexInThreadgroup))
					if n%2 == 1 { // every other lane uses other textures, whose handles are at the end of the buffer
						tex = b.Load(looked, b.Offset(b.Field(in, 8192), b.Op(ir.OpAnd, index, b.Int(ir.TI64, 1)), 8))
						written = b.Load(typ, b.Offset(b.Field(in, 8208), b.Op(ir.OpAnd, index, b.Int(ir.TI64, 1)), 8))
					}
					mine, place := b.Offset(in, index, 64), b.Offset(out, index, 128)
					put := func(v *ir.Value) {
						b.Store(place, v)
						place = b.Field(place, int64(v.Type.Size()))
					}
					word := func(i int) *ir.Value { return b.Load(ir.TI32, b.Field(mine, int64(32+4*i))) }
					cond := b.Op(ir.OpNe, word(0), b.Int(ir.TI32, 3))
					branch := b.If(cond)
					b.In(branch.Regions[0], func() {
						put(b.OpImm(ir.OpTexQuery, ir.TI32, int64(n), tex, word(1)))
						at := b.Load(ir.Vector(ir.I32, d.TexelCoords()), b.Field(mine, 36))
						if elem == ir.I32 || elem == ir.I64 {
							if !d.IsMultisample() && !d.IsCube() {
								v := b.OpAs(ir.OpZExt, ir.TI64, word(2))
								if elem == ir.I32 {
									v = word(2)
								}
								b.OpImm(ir.OpTexAtomic, ir.Scalar(elem), int64(ir.OpAtomicUMax), written, at, b.Int(ir.TI32, 0), v)
							}
						}
						put(b.Op(ir.OpTexRead, tex, at, word(0), b.Int(ir.TI32, 0)))
						c := d.SampleCoords()
						if c == 0 || elem == ir.I64 {
							b.Yield()
							return
						}
						pos := func(at int64) *ir.Value { return b.Load(ir.Vector(ir.F32, c), b.Field(mine, at)) }
						off := b.Load(ir.Vector(ir.I32, d.TexelCoords()), b.Field(mine, 48))
						layer, lod := word(0), b.Load(ir.TF32, b.Field(mine, 12))
						switch {
						case d.IsDepth():
							put(b.Op(ir.OpTexCompare, tex, smp, pos(0), layer, b.Load(ir.TF32, b.Field(mine, 16)), lod, off))
							put(b.Op(ir.OpTexGatherCompare, tex, smp, pos(0), layer, b.Load(ir.TF32, b.Field(mine, 16)), off))
						case n%2 == 0:
							put(b.Op(ir.OpTexSampleGrad, tex, smp, pos(0), layer, pos(4), pos(12), lod, off))
							put(b.Op(ir.OpTexLOD, tex, smp, pos(0), pos(4), pos(12)))
						default:
							put(b.Op(ir.OpTexSample, tex, smp, pos(0), layer, lod, off))
							if c > 1 && d != ir.Tex3D {
								put(b.OpImm(ir.OpTexGather, ir.Vector(elem, 4), 1, tex, smp, pos(0), layer, off))
							}
						}
						b.Yield()
					})
					b.In(branch.Regions[1], func() { b.Yield() })
					at := b.Load(ir.Vector(ir.I32, d.TexelCoords()), b.Field(mine, 36))
					if elem != ir.I32 && elem != ir.I64 && !d.IsDepth() && !d.IsMultisample() {
						// Lanes that write the same texel would race.
						only := b.If(b.Op(ir.OpEq, index, b.Int(ir.TI64, 7)))
						b.In(only.Regions[0], func() {
							b.Op(ir.OpTexWrite, written, at, word(0), b.Int(ir.TI32, 1), b.Splat(b.Float(ir.Scalar(elem), 0.7), 4))
							b.Yield()
						})
						b.In(only.Regions[1], func() { b.Yield() })
					}
					b.Return()
					require.NoError(t, f.Verify(), m)
					const threads = 40
					data := make([]byte, 8192+32)
					for i := 0; i < 8192; i += 4 {
						x := math.Float32bits(float32(r.NormFloat64()) * []float32{0.5, 1, 8}[s%3])
						if i%64 >= 32 {
							x = r.Uint32N(9) - uint32(i/4%2)
						}
						data[i], data[i+1], data[i+2], data[i+3] = byte(x), byte(x>>8), byte(x>>16), byte(x>>24)
					}
					data[8192], data[8208] = 5, 6
					noise := func() *testlaunch.Texture { return texture(r, d, format, size) }
					exectest.Run(t, f, testlaunch.Launch{Grid: [3]int{threads}, Group: [3]int{threads},
						Buffers:          map[int]testlaunch.Buffer{0: {Data: data}, 1: {Data: make([]byte, 128*threads)}},
						Textures:         map[int]*testlaunch.Texture{3: noise(), 4: noise()},
						ResidentTextures: map[uint64]*testlaunch.Texture{5: noise(), 6: noise()},
						Samplers:         map[int]ir.SamplerState{2: state}})
				})
			}
		}
	}
}
