package compute

import (
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTextureFormats: each Go type has the format that the documentation says, every format is one
// of Metal's with as many bytes, and types that are no texels are refused.
func TestTextureFormats(t *testing.T) {
	a := accelerator(t)
	for i := range texelFormats {
		f := &texelFormats[i]
		assert.Equal(t, f.format.BytesPerBlock(), f.size(), f.format)
		assert.Equal(t, f, knownFormat(f.format), "listed once")
	}
	assert.Equal(t, mtl.PixelFormatR8Unorm, newTexture[uint8](t, a, Texture1D(1), TextureOptions{}).Format())
	assert.Equal(t, mtl.PixelFormatRGBA16Snorm, newTexture[simd.Short4](t, a, Texture1D(1), TextureOptions{}).Format())
	assert.Equal(t, mtl.PixelFormatRG32Float, newTexture[[2]float32](t, a, Texture1D(1), TextureOptions{}).Format())
	assert.Equal(t, mtl.PixelFormatRGBA16Float, newTexture[simd.Half4](t, a, Texture1D(1), TextureOptions{}).Format())
	assert.Equal(t, mtl.PixelFormatRGB10A2Unorm,
		newTexture[uint32](t, a, Texture1D(1), TextureOptions{Format: mtl.PixelFormatRGB10A2Unorm}).Format())
	_, err := NewTexture[simd.Float3](a, Texture1D(1), TextureOptions{})
	require.ErrorIs(t, err, ErrLayout)
	_, err = NewTexture[float64](a, Texture1D(1), TextureOptions{})
	require.ErrorIs(t, err, ErrLayout)
	_, err = NewTexture[float32](a, Texture1D(1), TextureOptions{Format: mtl.PixelFormatR32Uint})
	require.ErrorIs(t, err, ErrLayout)
	assert.ErrorContains(t, err, "a texel of R32Uint consists of 1 uint; formats for this type: R32Float")
	_, err = NewTexture[uint64](a, Texture1D(1), TextureOptions{Format: mtl.PixelFormatBC1_RGBA})
	require.ErrorIs(t, err, ErrOption)
}

// TestTextureSizes: sizes beyond the device's limits are named, with the limit.
func TestTextureSizes(t *testing.T) {
	a := accelerator(t)
	for text, shape := range map[string]TextureShape{
		"width 16385, want 1 to 16384 for a 1D texture":                 Texture1D(16385),
		"width -1, want 1 to 16384 for a 2D texture":                    Texture2D(-1, 1),
		"height 2, want 1 to 1 for a 1D texture":                        {Type: mtl.TextureType1D, Width: 1, Height: 2},
		"depth 2049, want 1 to 2048 for a 3D texture":                   Texture3D(1, 1, 2049),
		"number of elements 342, want 1 to 341 for a CubeArray texture": TextureCube(1).Array(342),
		"number of elements 2, want 1 to 1 for a 3D texture":            Texture3D(1, 1, 1).Array(2),
		"number of levels 4, want 1 to 3 for a 2D texture":              {Type: mtl.TextureType2D, Width: 7, Levels: 4},
		"number of levels 3, want 1 to 1 for a 1D texture":              Texture1D(4).Mipmapped(),
		"cube faces of 2 by 3 texels":                                   {Type: mtl.TextureTypeCube, Width: 2, Height: 3},
		"width 9223372036854775807, want 1 to 16384 for a 2D texture":   Texture2D(1<<63-1, 1<<63-1),
		"texture type 2DMultisample: kernels can only read":             {Type: mtl.TextureType2DMultisample, Width: 1},
		"a texture buffer needs a buffer":                               TextureBuffer(5),
	} {
		_, err := NewTexture[uint8](a, shape, TextureOptions{Label: "x"})
		assert.ErrorContains(t, err, text)
		assert.ErrorContains(t, err, `compute: texture "x": `)
	}
}

// TestUnsupportedFormats: the error of a format that has no texels in Go says why.
func TestUnsupportedFormats(t *testing.T) {
	a := accelerator(t)
	const compressed = "it is compressed: kernels cannot write it"
	for format, text := range map[mtl.PixelFormat]string{
		mtl.PixelFormatBC1_RGBA:              compressed,
		mtl.PixelFormatETC2_RGB8:             compressed,
		mtl.PixelFormatASTC_4x4_LDR:          compressed,
		mtl.PixelFormatB5G6R5Unorm:           "its texels are not plain numbers",
		mtl.PixelFormatDepth32Float_Stencil8: "its texels are not plain numbers",
	} {
		_, err := NewTexture[uint32](a, Texture2D(4, 4), TextureOptions{Format: format})
		require.ErrorIs(t, err, ErrOption)
		assert.ErrorContains(t, err, formatName(format)+" is not supported, because "+text)
	}
}

// TestTextureArguments: a texture that does not fit the kernel is refused at the launch, and the
// error names both.
func TestTextureArguments(t *testing.T) {
	a := accelerator(t)
	of := kernels(t, a, textureKernels+`
kernel void both(texture2d<float, access::read_write> image) { image.write(1 - image.read(uint2(0)), uint2(0)); }
kernel void solid(texture3d<float> image, device float *out) { out[0] = image.read(uint3(0)).x; }`)
	x := newTexture[uint8](t, a, Texture2D(1, 1), TextureOptions{})
	read := newTexture[uint32](t, a, Texture2D(1, 1), TextureOptions{Usage: mtl.TextureUsageShaderRead})
	wide := newTexture[[2]float32](t, a, Texture2D(1, 1), TextureOptions{})
	numbers := newTexture[uint32](t, a, Texture2D(1, 1), TextureOptions{})
	out := bufferOf[float32](t, a, 0)
	bump, add, both, solid := of("bump"), of("add"), of("both"), of("solid")
	theirs := newTexture[uint32](t, accelerator(t), Texture2D(1, 1), TextureOptions{})
	for text, c := range map[string]struct {
		kernel *Kernel
		args   []any
	}{
		"texture 0 (in): texture": {add, []any{x, numbers, uint32(1)}},
		"has pixel format R8Unorm, which kernels see as float or half; the kernel takes a 2D texture of uint": {bump,
			[]any{x}},
		"has type 2D, the kernel takes a 3D texture of float":                    {solid, []any{x, out}},
		"has usage TextureUsageShaderRead, the kernel needs":                     {add, []any{numbers, read, uint32(1)}},
		"belongs to another accelerator":                                         {bump, []any{theirs}},
		"has pixel format RG32Float, which kernels on":                           {both, []any{wide}},
		"texture 0 (image): no texture; the kernel expects a 2D texture of uint": {bump, []any{(*Texture[uint32])(nil)}},
		"texture of uint that the kernel writes, which NewTexture or TextureOf":  {add, []any{numbers, uint32(1)}},
		"given twice":                            {add, []any{At(0, numbers), At(0, numbers), uint32(1)}},
		"one texture too many":                   {bump, []any{numbers, numbers}},
		"has pixel format R8Unorm, which":        {bump, []any{x.Metal()}},
		"2 textures, the kernel takes at most 1": {bump, []any{Textures(numbers, numbers)}},
	} {
		_, err := c.kernel.Bind(Threads1D(1), c.args...)
		require.ErrorIs(t, err, ErrInvalidLaunch, text)
		assert.ErrorContains(t, err, text)
	}
	_, err := NewTexture[uint8](a, Texture2D(1, 1), TextureOptions{Format: mtl.PixelFormatA8Unorm,
		Usage: mtl.TextureUsageShaderWrite})
	require.ErrorIs(t, err, ErrOption)
	assert.ErrorContains(t, err, "cannot write A8Unorm")
}

// TestFormatAccess: a launch with a texture whose format does not allow the kernel's access is
// refused with the formats that do, also for textures of Metal without a declared usage.
func TestFormatAccess(t *testing.T) {
	a := accelerator(t)
	of := kernels(t, a, `#include <metal_stdlib>
using namespace metal;
kernel void reads(texture2d<float> x, device float *out) { out[0] = x.read(uint2(0)).x; }
kernel void writes(texture2d<float, access::write> x) { x.write(1, uint2(0)); }
kernel void both(texture2d<float, access::read_write> x) { x.write(x.read(uint2(0)), uint2(0)); }
kernel void list(array<texture2d<float, access::write>, 2> x) { x[1].write(1, uint2(0)); }
kernel void ints(texture2d<int, access::read_write> x) { x.write(x.read(uint2(0)), uint2(0)); }`)
	unknown := func(format mtl.PixelFormat) mtl.Texture {
		d, err := mtl.NewTextureDescriptor()
		require.NoError(t, err)
		defer d.Release()
		d.SetPixelFormat(format)
		d.SetWidth(1)
		d.SetUsage(mtl.TextureUsageUnknown)
		d.SetStorageMode(mtl.StorageModePrivate)
		x, err := a.Device().NewTexture(d)
		require.NoError(t, err)
		t.Cleanup(x.Release)
		return x
	}
	alpha := newTexture[uint8](t, a, Texture2D(1, 1), TextureOptions{Format: mtl.PixelFormatA8Unorm})
	out := bufferOf[float32](t, a, 0)
	for _, c := range []struct {
		kernel string
		args   []any
		text   string // "" for none
	}{
		{"reads", []any{alpha, out}, ""},
		{"reads", []any{unknown(mtl.PixelFormatDepth32Float), out}, ""},
		{"writes", []any{unknown(mtl.PixelFormatR8Unorm)}, ""},
		{"both", []any{unknown(mtl.PixelFormatRGBA16Float)}, ""},
		{"writes", []any{alpha}, "texture 0 (x): "},
		{"writes", []any{alpha}, "has pixel format A8Unorm, which kernels on "},
		{"writes", []any{alpha}, " cannot write; allowed: R8Unorm, RG8Unorm, RGBA8Unorm, R8Snorm, "},
		{"writes", []any{unknown(mtl.PixelFormatA8Unorm)}, "has pixel format A8Unorm, which"},
		{"writes", []any{unknown(mtl.PixelFormatDepth32Float)}, "has pixel format Depth32Float, which"},
		{"both", []any{unknown(mtl.PixelFormatDepth32Float)}, " cannot write; allowed: "},
		{"list", []any{Textures(nil, alpha)}, "texture 0 (x): texture 1: texture"},
		{"both", []any{unknown(mtl.PixelFormatBGRA8Unorm)}, "cannot both read and write (read-write tier 2); " +
			"allowed: R8Unorm, RGBA8Unorm, R16Float, RGBA16Float, R32Float, RGBA32Float"},
		{"ints", []any{unknown(mtl.PixelFormatR32Float)}, "which kernels see as float or half; the kernel takes " +
			"a 2D texture of int that the kernel reads and writes; allowed: R32Sint, RGBA32Sint, R8Sint, RGBA8Sint, "},
	} {
		if strings.Contains(c.text, "tier 2") && a.Device().ReadWriteTextureSupport() != mtl.ReadWriteTextureTier2 {
			continue
		}
		_, err := of(c.kernel).Bind(Threads1D(1), c.args...)
		if c.text == "" {
			require.NoError(t, err, c.kernel)
			continue
		}
		require.ErrorIs(t, err, ErrInvalidLaunch, c.text)
		require.ErrorContains(t, err, c.text)
		var format *TextureFormatError
		require.ErrorAs(t, err, &format)
		assert.NotContains(t, format.Allowed, format.Format)
		assert.NotEmpty(t, format.Allowed)
	}
	for format, want := range map[mtl.PixelFormat]bool{
		mtl.PixelFormatBC1_RGBA: true, mtl.PixelFormatASTC_4x4_LDR: true, mtl.PixelFormatGBGR422: true,
		mtl.PixelFormatB5G6R5Unorm: true, mtl.PixelFormatDepth32Float_Stencil8: true, mtl.PixelFormatStencil8: true,
		mtl.PixelFormatBGR10_XR: false, mtl.PixelFormatRGBA8Unorm: false,
	} {
		assert.Equal(t, want, readOnly(format), format)
	}
}

// TestSharedTextures: a launch that would write the texels that another parameter reads is refused;
// views without common texels and parameters that read and write are not.
func TestSharedTextures(t *testing.T) {
	a := accelerator(t)
	of := kernels(t, a, textureKernels+`
kernel void twice(texture2d<uint, access::read_write> a, texture2d<uint, access::read_write> b) {
	a.write(b.read(uint2(0)) + 1, uint2(0));
}
kernel void down(texture2d_array<uint> in, texture2d_array<uint, access::write> out) {
	out.write(in.read(uint2(0), 0), uint2(0), 0);
}`)
	x := newTexture[uint32](t, a, Texture2D(4, 4).Array(2).Mipmapped(), TextureOptions{})
	view := func(o TextureView) *Texture[uint32] {
		v, err := ViewTexture[uint32](x, o)
		require.NoError(t, err)
		return v
	}
	part := func(level, layer int) *Texture[uint32] {
		return view(TextureView{Level: level, Levels: 1, Layer: layer, Layers: 1})
	}
	rows, err := NewBuffer[uint32](a, 256, BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(rows.Close)
	linear := func(columns, row int) *Texture[uint32] {
		v, err := LinearTexture(rows, Texture2D(columns, 2), row, TextureOptions{})
		require.NoError(t, err)
		return v
	}
	add, bump, twice, down := of("add"), of("bump"), of("twice"), of("down")
	for what, c := range map[string]struct {
		kernel *Kernel
		args   []any
	}{
		"one view":                {add, []any{part(1, 0), part(1, 0), uint32(1)}},
		"Metal's texture":         {add, []any{part(0, 0), part(0, 0).Metal(), uint32(1)}},
		"another type of view":    {down, []any{x, view(TextureView{})}},
		"one texture of a buffer": {add, []any{linear(64, 64), linear(64, 64), uint32(1)}},
		"two widths of row":       {add, []any{linear(64, 64), linear(64, 128), uint32(1)}},
	} {
		_, err := c.kernel.Bind(Threads1D(1), c.args...)
		require.ErrorIs(t, err, ErrInvalidLaunch, what)
		assert.ErrorContains(t, err, "texture 0 (in): has the texels of texture 1 (out), which the kernel writes; "+
			"use a second texture", what)
	}
	s := newStream(t, a)
	run := func(k *Kernel, args ...any) {
		t.Helper()
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), args...))
		require.NoError(t, s.Sync(t.Context()))
	}
	run(add, part(0, 0), part(1, 0), uint32(1))
	run(add, part(0, 0), part(0, 1), uint32(1))
	run(bump, part(0, 0))
	run(twice, part(0, 0), part(0, 0))
}

// TestTextureRegions: transfers of parts, at their edges and beyond.
func TestTextureRegions(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	solid := newTexture(t, a, Texture3D(3, 2, 2), TextureOptions{}, counting[uint16](0, 12)...)
	got := make([]uint16, 2)
	require.NoError(t, solid.DownloadRegion(ctx, Region{X: 2, Y: 1, Z: 0, Width: 1, Depth: 2}, got))
	assert.Equal(t, []uint16{5, 11}, got)
	require.NoError(t, solid.UploadRegion(ctx, Region{X: 1, Y: 1, Z: 1, Width: 2}, []uint16{90, 91}))
	assert.Equal(t, []uint16{6, 7, 8, 9, 90, 91}, texelsOf(t, solid)[6:])

	cube := newTexture(t, a, TextureCube(2).Array(2), TextureOptions{}, counting[uint8](0, 48)...)
	face, err := cube.Layer(7)
	require.NoError(t, err)
	assert.Equal(t, mtl.TextureType2D, face.Shape().Type)
	assert.Equal(t, counting[uint8](28, 4), texelsOf(t, face))
	require.NoError(t, face.Upload(ctx, []uint8{1, 2, 3, 4}))
	one := make([]uint8, 2)
	require.NoError(t, cube.DownloadRegion(ctx, Region{Layer: 7, Y: 1, Width: 2}, one))
	assert.Equal(t, []uint8{3, 4}, one)
	second, err := ViewTexture[uint8](cube, TextureView{Layer: 6})
	require.NoError(t, err)
	assert.Equal(t, TextureShape{Type: mtl.TextureTypeCube, Width: 2, Height: 2, Depth: 1, Elements: 1, Levels: 1},
		second.Shape())
	assert.Equal(t, "Cube 2x2x1", second.Shape().String())
	assert.Equal(t, uint8(1), texelsOf(t, second)[4])

	for text, r := range map[string]Region{
		"2 columns starting at 2, the texture has 3": {X: 2, Width: 2},
		"0 columns starting at 1, the texture has 3": {X: 1},
		"1 rows starting at -1, the texture has 2":   {Y: -1, Width: 1},
		"3 images starting at 0, the texture has 2":  {Width: 1, Depth: 3},
		"1 layers starting at 1, the texture has 1":  {Layer: 1, Width: 1},
		"1 texels, want 12 for texture":              {},
		"-5 rows starting at 0, the texture has 2":   {Width: 1, Height: -5},
		"1 columns starting at 9223372036854775807":  {X: 1<<63 - 1, Width: 1},
	} {
		err := solid.DownloadRegion(ctx, r, got[:1])
		require.ErrorIs(t, err, ErrRange, text)
		assert.ErrorContains(t, err, text)
	}
	for _, v := range []TextureView{{Level: 1}, {Layer: 12}, {Layers: 13}, {Layer: -1}, {Levels: 1<<63 - 1, Level: 0}} {
		_, err := ViewTexture[uint8](cube, v)
		require.ErrorIs(t, err, ErrRange, v)
	}
}

// TestTexturePortions: a transfer larger than the staging memory is divided into images or rows,
// and no byte is lost or doubled.
func TestTexturePortions(t *testing.T) {
	f := knownFormat(mtl.PixelFormatR8Unorm)
	shape, err := Texture3D(5, 4, 3).checked()
	require.NoError(t, err)
	s := &surface{format: f, shape: shape, row: 5, layer: 60}
	boxes, n, err := s.boxes(Region{})
	require.NoError(t, err)
	require.Equal(t, 60, n)
	for most, want := range map[uint]int{1: 12, 5: 12, 11: 6, 20: 3, 40: 2, 59: 2, 60: 1, 1000: 1} {
		list, end := s.portions(boxes, most), uint(0)
		assert.Len(t, list, want, "at most %d", most)
		for i := range list {
			place, partial := list[i].place()
			assert.Equal(t, end, place.Offset)
			assert.Equal(t, list[i].length, place.Length)
			assert.False(t, partial)
			end += place.Length
		}
		assert.EqualValues(t, 60, end)
	}
	boxes, _, err = s.boxes(Region{X: 1, Width: 3, Height: 2})
	require.NoError(t, err)
	place, partial := s.portions(boxes, 100)[0].place()
	assert.True(t, partial)
	assert.Equal(t, stream.ViewOf(nil, 1, 8), place)
}

// TestTextureLarge: a texture larger than the staging memory goes there and back.
func TestTextureLarge(t *testing.T) {
	a := accelerator(t)
	in := make([]uint16, 8192*2100)
	for i := range in {
		in[i] = uint16(i ^ i>>13)
	}
	require.Greater(t, 2*len(in), maxStaging)
	x := newTexture(t, a, Texture2D(8192, 2100), TextureOptions{}, in...)
	assert.Equal(t, in[8192*2000:], texelsOf(t, x)[8192*2000:])
	s, out := newStream(t, a), make([]uint16, len(in))
	y := newTexture[uint16](t, a, Texture2D(8192, 2100), TextureOptions{})
	require.NoError(t, UploadTextureAsync(t.Context(), s, y, Region{}, in, nil))
	require.NoError(t, DownloadTextureAsync(t.Context(), s, out, y, Region{}, nil))
	require.NoError(t, s.Sync(t.Context()))
	assert.True(t, slices.Equal(in, out))
}

// TestTextureMipmaps: levels are computed, by every stream command that a view of a level sees.
func TestTextureMipmaps(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	s := newStream(t, a)
	x := newTexture[float32](t, a, Texture2D(4, 2).Mipmapped(), TextureOptions{}, 1, 3, 5, 7, 1, 3, 5, 7)
	require.NoError(t, GenerateMipmaps(ctx, s, x))
	require.NoError(t, s.Sync(ctx))
	for i, want := range [][]float32{{1, 3, 5, 7, 1, 3, 5, 7}, {2, 6}, {4}} {
		level, err := x.Level(i)
		require.NoError(t, err)
		assert.Equal(t, want, texelsOf(t, level))
	}
	flat := newTexture[float32](t, a, Texture2D(4, 2), TextureOptions{})
	require.ErrorIs(t, GenerateMipmaps(ctx, s, flat), ErrOption)
	whole := newTexture[uint32](t, a, Texture2D(4, 2).Mipmapped(), TextureOptions{})
	require.ErrorIs(t, GenerateMipmaps(ctx, s, whole), ErrOption)
	require.ErrorIs(t, GenerateMipmaps(ctx, s, nil), ErrNil)
	require.ErrorIs(t, CopyTexture(ctx, s, x, x), ErrRange)
	require.ErrorIs(t, CopyTexture(ctx, s, flat, newTexture[float32](t, a, Texture2D(2, 4), TextureOptions{})), ErrRange)
}

// TestTextureViews: a view in another format and one with its channels rearranged show the
// texture's texels.
func TestTextureViews(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	s, of := newStream(t, a), kernels(t, a, textureKernels)
	x := newTexture(t, a, Texture2D(1, 1), TextureOptions{
		Usage: mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite | mtl.TextureUsagePixelFormatView,
	}, simd.UChar4{X: 1, Y: 2, Z: 3, W: 4})
	word, err := ViewTexture[uint32](x, TextureView{Format: mtl.PixelFormatR32Uint})
	require.NoError(t, err)
	assert.Equal(t, []uint32{0x04030201}, texelsOf(t, word))
	require.NoError(t, s.Launch(ctx, of("bump"), Threads2D(1, 1), word))
	assert.Equal(t, []simd.UChar4{{X: 2, Y: 2, Z: 3, W: 4}}, texelsOf(t, x))
	_, err = ViewTexture[uint32](newTexture[simd.UChar4](t, a, Texture2D(1, 1), TextureOptions{}),
		TextureView{Format: mtl.PixelFormatR32Uint})
	assert.ErrorContains(t, err, "TextureUsagePixelFormatView")

	order := mtl.TextureSwizzleChannels{Red: mtl.TextureSwizzleAlpha, Green: mtl.TextureSwizzleOne,
		Blue: mtl.TextureSwizzleZero, Alpha: mtl.TextureSwizzleRed}
	turned, err := ViewTexture[simd.UChar4](x, TextureView{Swizzle: &order})
	require.NoError(t, err)
	y := newTexture[simd.UChar4](t, a, Texture2D(1, 1), TextureOptions{})
	require.NoError(t, s.Launch(ctx, of("invert"), Threads2D(1, 1), turned, y))
	assert.Equal(t, []simd.UChar4{{X: 251, Y: 0, Z: 255, W: 253}}, texelsOf(t, y))
}

// TestTextureTypes: kernels find the texels of every type of texture where Upload has put them, and
// Download where kernels have.
func TestTextureTypes(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	of, s := kernels(t, a, `#include <metal_stdlib>
using namespace metal;
#define X (at % 2)
#define Y (at / 2 % 2)
kernel void line(texture1d<uint> in, texture1d<uint, access::write> out, uint at [[thread_position_in_grid]]) {
	out.write(in.read(at) + 100, at);
}
kernel void lines(texture1d_array<uint> in, texture1d_array<uint, access::write> out,
                  uint at [[thread_position_in_grid]]) {
	out.write(in.read(X, at / 2) + 100, X, at / 2);
}
kernel void sheets(texture2d_array<uint> in, texture2d_array<uint, access::write> out,
                   uint at [[thread_position_in_grid]]) {
	out.write(in.read(uint2(X, Y), at / 4) + 100, uint2(X, Y), at / 4);
}
kernel void solid(texture3d<uint> in, texture3d<uint, access::write> out, uint at [[thread_position_in_grid]]) {
	out.write(in.read(uint3(X, Y, at / 4)) + 100, uint3(X, Y, at / 4));
}
kernel void cube(texturecube<uint> in, texturecube<uint, access::write> out, uint at [[thread_position_in_grid]]) {
	out.write(in.read(uint2(X, Y), at / 4) + 100, uint2(X, Y), at / 4);
}
kernel void cubes(texturecube_array<uint> in, texturecube_array<uint, access::write> out,
                  uint at [[thread_position_in_grid]]) {
	out.write(in.read(uint2(X, Y), at / 4 % 6, at / 24) + 100, uint2(X, Y), at / 4 % 6, at / 24);
}`), newStream(t, a)
	for name, shape := range map[string]TextureShape{
		"line": Texture1D(5), "lines": Texture1D(2).Array(3), "sheets": Texture2D(2, 2).Array(3),
		"solid": Texture3D(2, 2, 3), "cube": TextureCube(2), "cubes": TextureCube(2).Array(2),
	} {
		t.Run(name, func(t *testing.T) {
			in := newTexture[uint32](t, a, shape, TextureOptions{})
			require.NoError(t, in.Upload(ctx, counting[uint32](0, in.Len())))
			out := newTexture[uint32](t, a, in.Shape(), TextureOptions{})
			require.NoError(t, s.Launch(ctx, of(name), Threads1D(in.Len()), Named("out", out), Named("in", in)))
			assert.Equal(t, counting[uint32](100, in.Len()), texelsOf(t, out))
			b, err := NewBuffer[uint32](a, in.Len(), BufferOptions{})
			require.NoError(t, err)
			defer b.Close()
			require.NoError(t, CopyFromTexture(ctx, s, b, out))
			got := make([]uint32, in.Len())
			require.NoError(t, b.Download(ctx, got))
			assert.Equal(t, counting[uint32](100, in.Len()), got)
		})
	}
}
