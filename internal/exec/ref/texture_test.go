package ref

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/texel"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// onTexture builds a kernel that uses one texture of the given type, runs it on x, and returns what
// it stored.
func onTexture(t *testing.T, typ ir.Type, x *testlaunch.Texture, s ir.SamplerState,
	build func(b *ir.Builder, tex, sampler, out *ir.Value)) []byte {
	m := &ir.Module{}
	f := m.NewFunc("texture")
	f.Args = []ir.Arg{{Kind: ir.ArgTexture, Texture: typ.String()}, {Kind: ir.ArgBuffer}, {Kind: ir.ArgSampler}}
	f.Samplers = []ir.SamplerState{s}
	b := ir.NewBuilder(f)
	build(b, b.Arg(0, typ), b.OpImm(ir.OpSamplerConst, ir.TSampler, 0), b.Arg(1, ir.PointerTo(ir.Device)))
	b.Return()
	out := make([]byte, 256)
	again, err := ir.Parse(m.String())
	require.NoError(t, err, m)
	require.NoError(t, testlaunch.Launch{Textures: map[int]*testlaunch.Texture{0: x},
		Buffers: map[int]testlaunch.Buffer{0: {Data: out}}}.Run(context.Background(), again.Funcs[0], Run), m)
	covered(m)
	return out
}

func floats(out []byte, n int) (v []float64) {
	for i := range n {
		v = append(v, ir.BitsFloat(ir.F32, getBits(ir.F32, out[4*i:])))
	}
	return v
}

func TestFormats(t *testing.T) {
	nan := math.NaN()
	tests := []struct {
		format string
		elem   ir.Kind
		write  [4]float64
		bytes  []byte
		read   [4]float64
	}{
		{"R8Unorm", ir.F32, [4]float64{0.5, 9, 9, 9}, []byte{128}, [4]float64{128.0 / 255, 0, 0, 1}},
		{"RG8Unorm", ir.F32, [4]float64{-1, nan, 0, 0}, []byte{0, 0}, [4]float64{0, 0, 0, 1}},
		{"RGBA8Unorm", ir.F32, [4]float64{1, 2, 0.2, 0}, []byte{255, 255, 51, 0}, [4]float64{1, 1, 0.2, 0}},
		{"BGRA8Unorm", ir.F32, [4]float64{1, 0.6, 0.2, 0}, []byte{51, 153, 255, 0}, [4]float64{1, 0.6, 0.2, 0}},
		{"RGBA8Unorm_sRGB", ir.F32, [4]float64{1, 0, 0.21586050011389926, 0.2}, []byte{255, 0, 128, 51},
			[4]float64{1, 0, 0.21586050011389926, 0.2}},
		{"RGBA8Snorm", ir.F32, [4]float64{1, -1, -2, 0.5}, []byte{127, 0x81, 0x81, 64}, [4]float64{1, -1, -1, 64.0 / 127}},
		{"R16Unorm", ir.F32, [4]float64{1}, []byte{255, 255}, [4]float64{1, 0, 0, 1}},
		{"RG16Snorm", ir.F32, [4]float64{-1, 1}, []byte{1, 0x80, 0xff, 0x7f}, [4]float64{-1, 1, 0, 1}},
		{"R16Float", ir.F16, [4]float64{1.5}, []byte{0, 0x3e}, [4]float64{1.5, 0, 0, 1}},
		{"RGBA16Float", ir.F32, [4]float64{1, 2, 65520, -0.5}, []byte{0, 0x3c, 0, 0x40, 0, 0x7c, 0, 0xb8},
			[4]float64{1, 2, math.Inf(1), -0.5}},
		{"R32Float", ir.F32, [4]float64{1.1}, []byte{0xcd, 0xcc, 0x8c, 0x3f}, [4]float64{float64(float32(1.1)), 0, 0, 1}},
		{"RGBA32Uint", ir.I32, [4]float64{1, 2, 3, 4}, []byte{1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0},
			[4]float64{1, 2, 3, 4}},
		{"RG8Sint", ir.I32, [4]float64{-3, 500}, []byte{0xfd, 127}, [4]float64{-3, 127, 0, 1}},
		{"RG8Uint", ir.I32, [4]float64{3, 500}, []byte{3, 255}, [4]float64{3, 255, 0, 1}},
		{"RGB10A2Unorm", ir.F32, [4]float64{1, 0, 2.0 / 1023, 1.0 / 3}, []byte{0xff, 0x03, 0x20, 0x40},
			[4]float64{1, 0, 2.0 / 1023, 1.0 / 3}},
		{"BGR10A2Unorm", ir.F32, [4]float64{2.0 / 1023, 0, 1, 1}, []byte{0xff, 0x03, 0x20, 0xc0},
			[4]float64{2.0 / 1023, 0, 1, 1}},
		{"RGB10A2Uint", ir.I32, [4]float64{5, 9999, 1, 7}, []byte{0x05, 0xfc, 0x1f, 0xc0}, [4]float64{5, 1023, 1, 3}},
		{"B5G6R5Unorm", ir.F32, [4]float64{1, 0, 3.0 / 31, 0}, []byte{0x03, 0xf8}, [4]float64{1, 0, 3.0 / 31, 1}},
		{"BGR5A1Unorm", ir.F32, [4]float64{0, 1, 0, 1}, []byte{0xe0, 0x83}, [4]float64{0, 1, 0, 1}},
		{"A1BGR5Unorm", ir.F32, [4]float64{1, 0, 0, 1}, []byte{0x01, 0xf8}, [4]float64{1, 0, 0, 1}},
		{"ABGR4Unorm", ir.F32, [4]float64{1, 0, 0.2, 0}, []byte{0x30, 0xf0}, [4]float64{1, 0, 0.2, 0}},
		{"A8Unorm", ir.F32, [4]float64{1, 1, 1, 0.2}, []byte{51}, [4]float64{0, 0, 0, 0.2}},
		{"Depth16Unorm", ir.F32, [4]float64{1}, []byte{255, 255}, [4]float64{1, 0, 0, 1}},
		{"Stencil8", ir.I16, [4]float64{7}, []byte{7}, [4]float64{7, 0, 0, 1}},
		// 1 has exponent 15; the smallest denormal with 6 mantissa bits is 2^-20; 65024 and 64512
		// are the largest numbers.
		{"RG11B10Float", ir.F32, [4]float64{1, 1.0 / (1 << 20), 1.5, 9}, []byte{0xc0, 0x0b, 0x00, 0x7c},
			[4]float64{1, 1.0 / (1 << 20), 1.5, 1}},
		{"RG11B10Float", ir.F32, [4]float64{65500, -1, 65500, 0}, []byte{0xbf, 0x07, 0xc0, 0xf7},
			[4]float64{65024, 0, 64512, 1}},
		{"RG11B10Float", ir.F32, [4]float64{math.Inf(1), math.Inf(-1), 0, 0}, []byte{0xc0, 0x07, 0, 0},
			[4]float64{math.Inf(1), 0, 0, 1}},
		// With 1 as the maximum, the exponent is 16 and mantissas count 1/256.
		{"RGB9E5Float", ir.F32, [4]float64{1, 0.5, -3, 0}, []byte{0x00, 0x01, 0x01, 0x80}, [4]float64{1, 0.5, 0, 1}},
		{"RGB9E5Float", ir.F32, [4]float64{1e9, 0, nan, 0}, []byte{0xff, 0x01, 0, 0xf8}, [4]float64{65408, 0, 0, 1}},
		{"RGB9E5Float", ir.F32, [4]float64{511.9, 0, 0, 0}, []byte{0x00, 0x01, 0, 0xc8}, [4]float64{512, 0, 0, 1}},
		{"RG16Uint", ir.I32, [4]float64{70000, 3}, []byte{255, 255, 3, 0}, [4]float64{65535, 3, 0, 1}},
		{"RGBA16Sint", ir.I32, [4]float64{-1, 2, -40000, 0}, []byte{255, 255, 2, 0, 0, 0x80, 0, 0},
			[4]float64{-1, 2, -32768, 0}},
		{"RG32Float", ir.F32, [4]float64{-0.5, 2}, []byte{0, 0, 0, 0xbf, 0, 0, 0, 0x40}, [4]float64{-0.5, 2, 0, 1}},
		{"BGRA8Unorm_sRGB", ir.F32, [4]float64{1, 0, 0.21586050011389926, 0.2}, []byte{128, 0, 255, 51},
			[4]float64{1, 0, 0.21586050011389926, 0.2}},
		{"R16Sint", ir.I16, [4]float64{-3}, []byte{0xfd, 0xff}, [4]float64{-3, 0, 0, 1}},
	}
	for _, test := range tests {
		t.Run(test.format, func(t *testing.T) {
			f, ok := texel.ParseFormat(test.format)
			require.True(t, ok)
			require.Equal(t, len(test.bytes), f.Size())
			data := make([]byte, 2*f.Size())
			x := &testlaunch.Texture{Format: test.format, Width: 2, Height: 1, Levels: [][]byte{data}}
			typ := ir.TextureOf(ir.Tex2D, test.elem, ir.ReadWrite)
			bits := func(v float64) uint64 {
				if test.elem.IsFloat() {
					return ir.FloatBits(test.elem, v)
				}
				return uint64(int64(v)) & (^uint64(0) >> (64 - test.elem.Bits()))
			}
			out := onTexture(t, typ, x, ir.SamplerState{}, func(b *ir.Builder, tex, _, out *ir.Value) {
				zero := b.Int(ir.TI32, 0)
				val := b.Const(ir.Vector(test.elem, 4), bits(test.write[0]), bits(test.write[1]), bits(test.write[2]),
					bits(test.write[3]))
				at := b.Const(ir.Vector(ir.I32, 2), 1, 0)
				b.Op(ir.OpTexWrite, tex, at, zero, zero, val)
				b.Op(ir.OpTexWrite, tex, b.Const(ir.Vector(ir.I32, 2), 2, 0), zero, zero, val) // discarded
				b.Op(ir.OpTexFence, tex)
				b.Store(out, b.Op(ir.OpTexRead, tex, at, zero, zero))
				b.Store(b.Field(out, 32), b.Op(ir.OpTexRead, tex, at, zero, b.Int(ir.TI32, 1)))
			})
			assert.Equal(t, append(make([]byte, f.Size()), test.bytes...), data)
			for i, want := range test.read {
				assert.Equal(t, bits(want), getBits(test.elem, out[i*test.elem.Size():]), "component %d", i)
				assert.Zero(t, getBits(test.elem, out[32+i*test.elem.Size():]), "component %d out of bounds", i)
			}
		})
	}
	for _, bad := range []string{"", "RGBA", "RGB8Unorm", "R32Unorm", "R8Float", "BGRA16Unorm", "RGB10A2Snorm",
		"RG16Float_sRGB", "RGB9E5Unorm", "B5G6R5Float", "A8Snorm", "RG11B10Uint"} {
		_, ok := texel.ParseFormat(bad)
		assert.False(t, ok, bad)
	}
}

// ramp is a 4x2 texture of one float, 0 1 2 3 above 10 11 12 13, with a second level of 100 and
// 200.
func ramp(layers int) *testlaunch.Texture {
	level := func(vals ...float64) (b []byte) {
		for layer := range layers {
			for _, v := range vals {
				var e [4]byte
				putBits(ir.F32, e[:], ir.FloatBits(ir.F32, v+float64(1000*layer)))
				b = append(b, e[:]...)
			}
		}
		return b
	}
	return &testlaunch.Texture{Format: "R32Float", Width: 4, Height: 2, Layers: layers,
		Levels: [][]byte{level(0, 1, 2, 3, 10, 11, 12, 13), level(100, 200)}}
}

func TestSampling(t *testing.T) {
	linear := ir.SamplerState{MagLinear: true, MinLinear: true}
	repeat := ir.SamplerState{Address: [3]string{"repeat", "repeat"}}
	tests := []struct {
		name   string
		s      ir.SamplerState
		u, v   float64
		layer  int64
		lod    float64
		offset int64 // in x
		want   float64
	}{
		{"nearest", ir.SamplerState{}, 0.3, 0.2, 0, 0, 0, 1},
		{"clamped", ir.SamplerState{}, 7, -3, 0, 0, 0, 3},
		{"offset", ir.SamplerState{}, 0.3, 0.2, 0, 0, 1, 2},
		{"pixel", ir.SamplerState{Unnormalized: true}, 2.9, 1.1, 0, 0, 0, 12},
		{"repeat", repeat, 1.3, -0.8, 0, 0, 0, 1},
		{"mirrored", ir.SamplerState{Address: [3]string{"mirrored_repeat"}}, 1.3, 0, 0, 0, 0, 2},
		{"mirrored below", ir.SamplerState{Address: [3]string{"mirrored_repeat"}}, -0.3, 0, 0, 0, 0, 1},
		{"zero", ir.SamplerState{Address: [3]string{"clamp_to_zero", "clamp_to_zero"}}, 1.3, 0, 0, 0, 0, 0},
		{"white", ir.SamplerState{Address: [3]string{"clamp_to_border"}, Border: "opaque_white"}, 1.3, 0, 0, 0, 0, 1},
		{"linear at a texel", linear, 0.375, 0.25, 0, 0, 0, 1},
		{"linear between", linear, 0.5, 0.5, 0, 0, 0, 6.5},
		{"linear at the edge", linear, 0, 0, 0, 0, 0, 0},
		{"layer", ir.SamplerState{}, 0.3, 0.2, 1, 0, 0, 1001},
		{"last layer", ir.SamplerState{}, 0.3, 0.2, 7, 0, 0, 1001},
		{"level unused", ir.SamplerState{}, 0.3, 0.2, 0, 1, 0, 1},
		{"level", ir.SamplerState{Mip: "nearest"}, 0.9, 0.2, 0, 0.6, 0, 200},
		{"between levels", ir.SamplerState{Mip: "linear"}, 0.1, 0.2, 0, 0.25, 0, 25},
		{"clamped level", ir.SamplerState{Mip: "nearest", LODClamp: [2]float32{0, 0.25}}, 0.1, 0.2, 0, 9, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			typ := ir.TextureOf(ir.Tex2DArray, ir.F32, ir.Sample)
			out := onTexture(t, typ, ramp(2), test.s, func(b *ir.Builder, tex, s, out *ir.Value) {
				pos := b.Const(ir.Vector(ir.F32, 2), ir.FloatBits(ir.F32, test.u), ir.FloatBits(ir.F32, test.v))
				off := b.Const(ir.Vector(ir.I32, 2), uint64(uint32(test.offset)), 0)
				v := b.Op(ir.OpTexSample, tex, s, pos, b.Int(ir.TI32, test.layer), b.Float(ir.TF32, test.lod), off)
				b.Store(out, v)
				b.Store(b.Field(out, 16), b.Op(ir.OpTexGather, tex, s, pos, b.Int(ir.TI32, 0), off))
				for p := range 6 {
					b.Store(b.Field(out, int64(32+4*p)), b.OpImm(ir.OpTexQuery, ir.TI32, int64(p), tex, b.Int(ir.TI32, 0)))
				}
			})
			assert.InDelta(t, test.want, floats(out, 1)[0], 1e-4)
			if test.name == "linear between" {
				assert.Equal(t, []float64{11, 12, 2, 1}, floats(out[16:], 4))
			}
			for p, want := range []uint64{4, 2, 1, 2, 2, 1} {
				assert.Equal(t, want, getBits(ir.I32, out[32+4*p:]), ir.TexProperty(p).String())
			}
		})
	}
}

func TestCube(t *testing.T) {
	x := &testlaunch.Texture{Format: "R8Uint", Width: 1, Height: 1, Layers: 12,
		Levels: [][]byte{{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15}}}
	typ := ir.TextureOf(ir.TexCubeArray, ir.I32, ir.Sample)
	for face, dir := range [][3]float64{{1, 0.2, -0.3}, {-1, 0, 0}, {0.1, 2, 0}, {0, -1, 0.5}, {0, 0, 3}, {0.5, 0.5, -1}} {
		out := onTexture(t, typ, x, ir.SamplerState{}, func(b *ir.Builder, tex, s, out *ir.Value) {
			pos := b.Const(ir.Vector(ir.F32, 3), ir.FloatBits(ir.F32, dir[0]), ir.FloatBits(ir.F32, dir[1]),
				ir.FloatBits(ir.F32, dir[2]))
			b.Store(out, b.Op(ir.OpTexSample, tex, s, pos, b.Int(ir.TI32, 6), b.Float(ir.TF32, 0),
				b.Int(ir.Vector(ir.I32, 2), 0)))
		})
		assert.EqualValues(t, 10+face, getBits(ir.I32, out))
	}
}

func TestCompare(t *testing.T) {
	x := ramp(1)
	typ := ir.TextureOf(ir.TexDepth2D, ir.F32, ir.Sample)
	for fn, want := range map[string][]float64{"less": {0.25, 1, 1, 0, 0}, "greater_equal": {0.75, 0, 0, 1, 1},
		"": {0, 0, 0, 0, 0}, "always": {1, 1, 1, 1, 1}} {
		out := onTexture(t, typ, x, ir.SamplerState{MagLinear: true, Compare: fn},
			func(b *ir.Builder, tex, s, out *ir.Value) {
				pos := b.Float(ir.Vector(ir.F32, 2), 0.5)
				zero, off := b.Int(ir.TI32, 0), b.Int(ir.Vector(ir.I32, 2), 0)
				b.Store(out, b.Op(ir.OpTexCompare, tex, s, pos, zero, b.Float(ir.TF32, 11), b.Float(ir.TF32, 0), off))
				b.Store(b.Field(out, 4), b.Op(ir.OpTexGatherCompare, tex, s, pos, zero, b.Float(ir.TF32, 10), off))
			})
		if fn == "less" || fn == "greater_equal" {
			// reference 11 among 1 2 11 12: only 12 is greater
			assert.Equal(t, want, floats(out, 5), fn)
		} else {
			assert.Equal(t, want, floats(out, 5), fn)
		}
	}
}

func TestTextureAtomics(t *testing.T) {
	data := make([]byte, 16)
	x := &testlaunch.Texture{Format: "R32Uint", Width: 4, Height: 1, Levels: [][]byte{data}}
	typ := ir.TextureOf(ir.Tex2D, ir.I32, ir.ReadWrite)
	out := onTexture(t, typ, x, ir.SamplerState{}, func(b *ir.Builder, tex, _, out *ir.Value) {
		zero, at := b.Int(ir.TI32, 0), b.Const(ir.Vector(ir.I32, 2), 2, 0)
		b.OpImm(ir.OpTexAtomic, ir.TI32, int64(ir.OpAtomicAdd), tex, at, zero, b.Int(ir.TI32, 7))
		b.Store(out, b.OpImm(ir.OpTexAtomic, ir.TI32, int64(ir.OpAtomicUMax), tex, at, zero, b.Int(ir.TI32, 9)))
		old, ok := b.Op2(ir.OpTexAtomicCmpXchg, tex, at, zero, b.Int(ir.TI32, 9), b.Int(ir.TI32, 20))
		b.Store(b.Field(out, 4), old)
		b.Store(b.Field(out, 8), ok)
		b.Store(b.Field(out, 12), b.OpImm(ir.OpTexAtomic, ir.TI32, int64(ir.OpAtomicXchg), tex,
			b.Int(ir.Vector(ir.I32, 2), 9), zero, b.Int(ir.TI32, 9)))
	})
	assert.Equal(t, []byte{7, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}, out[:16])
	assert.EqualValues(t, 20, data[8])
}

// pyramid is a square texture of one float, with levels of sizes 4, 2 and 1 that hold 0, 10 and 20,
// except for the first texel of level 0.
func pyramid() *testlaunch.Texture {
	x := &testlaunch.Texture{Format: "R32Float", Width: 4, Height: 4}
	for level, n := range []int{16, 4, 1} {
		data := make([]byte, 4*n)
		for i := range n {
			putBits(ir.F32, data[4*i:], ir.FloatBits(ir.F32, float64(10*level)))
		}
		x.Levels = append(x.Levels, data)
	}
	putBits(ir.F32, x.Levels[0], ir.FloatBits(ir.F32, 1))
	return x
}

func TestGradients(t *testing.T) {
	tests := []struct {
		name             string
		s                ir.SamplerState
		u, dx, dy, least float64 // dx is the derivative of x, dy that of y
		want, lod        float64
	}{
		{"a texel a step", ir.SamplerState{Mip: "linear"}, 0.6, 0.25, 0.1, 0, 0, 0},
		{"two texels a step", ir.SamplerState{Mip: "linear"}, 0.6, 0.1, 0.5, 0, 10, 1},
		{"between levels", ir.SamplerState{Mip: "linear"}, 0.6, 0.25 * math.Sqrt2, 0, 0, 5, 0.5},
		{"nearest level", ir.SamplerState{Mip: "nearest"}, 0.6, 0.7, 0, 0, 10, math.Log2(2.8)},
		{"at least", ir.SamplerState{Mip: "linear"}, 0.6, 0.25, 0, 1.5, 15, 0},
		{"no change", ir.SamplerState{Mip: "linear"}, 0.6, 0, 0, 0, 0, math.Inf(-1)},
		{"bias", ir.SamplerState{Mip: "linear", LODBias: 0.25}, 0.6, 0.25, 0, 0, 2.5, 0},
		{"clamped", ir.SamplerState{Mip: "linear", LODClamp: [2]float32{0, 0.5}}, 0.6, 4, 0, 0, 5, 4},
		{"pixels", ir.SamplerState{Unnormalized: true, Mip: "linear"}, 2, 2, 0, 0, 10, 1},
		// Four texels by one: four samples at level 0, of which the one around u = 0.125 hits the
		// first texel.
		{"anisotropic", ir.SamplerState{Mip: "linear", Anisotropy: 4}, 0.5, 1, 0.25, 0, 0.25, 2},
		// With two samples, each covers two texels.
		{"less anisotropic", ir.SamplerState{Mip: "linear", Anisotropy: 2}, 0.5, 1, 0.25, 0, 10, 2},
		{"isotropic", ir.SamplerState{Mip: "linear", Anisotropy: 16}, 0.5, 0.5, 0.5, 0, 10, 1},
		{"minimum", ir.SamplerState{Mip: "linear", Reduction: "minimum"}, 0.6, 0.25 * math.Sqrt2, 0, 0, 0, 0.5},
		{"maximum", ir.SamplerState{Mip: "linear", Reduction: "maximum"}, 0.6, 0.25 * math.Sqrt2, 0, 0, 10, 0.5},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			out := onTexture(t, ir.TextureOf(ir.Tex2D, ir.F32, ir.Sample), pyramid(), test.s,
				func(b *ir.Builder, tex, s, out *ir.Value) {
					f := func(v float64) uint64 { return ir.FloatBits(ir.F32, v) }
					two := ir.Vector(ir.F32, 2)
					pos, dx, dy := b.Const(two, f(test.u), f(0.1)), b.Const(two, f(test.dx), 0), b.Const(two, 0, f(test.dy))
					b.Store(out, b.Op(ir.OpTexSampleGrad, tex, s, pos, b.Int(ir.TI32, 0), dx, dy, b.Float(ir.TF32, test.least),
						b.Int(ir.Vector(ir.I32, 2), 0)))
					b.Store(b.Field(out, 16), b.Op(ir.OpTexLOD, tex, s, pos, dx, dy))
					b.Store(b.Field(out, 24), b.Op(ir.OpPtrToInt, tex))
				})
			assert.InDelta(t, test.want, floats(out, 1)[0], 1e-5)
			if lod := floats(out[16:], 1)[0]; math.IsInf(test.lod, 0) {
				assert.Equal(t, test.lod, lod)
			} else {
				assert.InDelta(t, test.lod, lod, 1e-6)
			}
			assert.NotZero(t, getBits(ir.I64, out[24:]))
		})
	}
	// On a face of a cube with 4 texels per side, u = (y/x+1)/2: a step of 1 in y at x = 2 is 1/4
	// of the face, or one texel, and half of that at x = 4.
	cube := &testlaunch.Texture{Format: "R8Unorm", Width: 4, Height: 4, Layers: 6, Levels: [][]byte{make([]byte, 96)}}
	for _, test := range [][3]float64{{2, 1, 0}, {-4, 1, -1}, {1, 1, 1}} {
		out := onTexture(t, ir.TextureOf(ir.TexCube, ir.F32, ir.Sample), cube, ir.SamplerState{},
			func(b *ir.Builder, tex, s, out *ir.Value) {
				v := func(x, y float64) *ir.Value {
					return b.Const(ir.Vector(ir.F32, 3), ir.FloatBits(ir.F32, x), ir.FloatBits(ir.F32, y), 0)
				}
				b.Store(out, b.Op(ir.OpTexLOD, tex, s, v(test[0], 0), v(0, test[1]), v(0.5, 0)))
			})
		assert.InDelta(t, test[2], floats(out, 1)[0], 1e-6)
	}
}

// TestReduction: minimum or maximum of the texels that a linear filter would read.
func TestReduction(t *testing.T) {
	for word, want := range map[string]float64{"": 6.5, "weighted_average": 6.5, "minimum": 1, "maximum": 12} {
		s := ir.SamplerState{MagLinear: true, Reduction: word}
		out := onTexture(t, ir.TextureOf(ir.Tex2D, ir.F32, ir.Sample), ramp(1), s,
			func(b *ir.Builder, tex, s, out *ir.Value) {
				b.Store(out, b.Op(ir.OpTexSample, tex, s, b.Float(ir.Vector(ir.F32, 2), 0.5), b.Int(ir.TI32, 0),
					b.Float(ir.TF32, 0), b.Int(ir.Vector(ir.I32, 2), 0)))
			})
		assert.Equal(t, want, floats(out, 1)[0], word)
	}
}

// TestUnsupported: unsupported features are rejected by name.
func TestUnsupported(t *testing.T) {
	m := &ir.Module{}
	f := m.NewFunc("texture")
	typ := ir.TextureOf(ir.Tex2D, ir.F32, ir.Sample)
	f.Args = []ir.Arg{{Kind: ir.ArgTexture, Texture: typ.String()}, {Kind: ir.ArgSampler}}
	b := ir.NewBuilder(f)
	pos := b.Float(ir.Vector(ir.F32, 2), 0)
	zero, off := b.Int(ir.TI32, 0), b.Int(ir.Vector(ir.I32, 2), 0)
	b.Op(ir.OpTexSample, b.Arg(0, typ), b.Arg(1, ir.TSampler), pos, zero, b.Float(ir.TF32, 0), off)
	b.Return()
	covered(m)
	require.NoError(t, testlaunch.Launch{Textures: map[int]*testlaunch.Texture{0: ramp(1)}}.Run(context.Background(), f,
		Run))
	err := testlaunch.Launch{Textures: map[int]*testlaunch.Texture{0: {Format: "ASTC4x4"}}}.Run(context.Background(), f,
		Run)
	assert.ErrorContains(t, err, `pixel format "ASTC4x4"`, fmt.Sprint(err))
}
