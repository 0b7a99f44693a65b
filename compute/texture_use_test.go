package compute

import (
	"context"
	"errors"
	"image"
	"image/color"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const textureKernels = `#include <metal_stdlib>
using namespace metal;
kernel void invert(texture2d<float> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]],
                   uint2 at [[thread_position_in_grid]]) {
	out.write(1.0f - in.read(at), at);
}
kernel void add(texture2d<uint> in, texture2d<uint, access::write> out, constant uint &by [[buffer(0)]],
                uint2 at [[thread_position_in_grid]]) {
	out.write(in.read(at) + by, at);
}
kernel void bump(texture2d<uint, access::read_write> image, uint2 at [[thread_position_in_grid]]) {
	image.write(image.read(at) + 1, at);
}
kernel void linear(texture2d<float> in, sampler s, device float *out [[buffer(0)]],
                   uint i [[thread_position_in_grid]]) {
	out[i] = in.sample(s, float2(float(i) / 4, 0.5f)).x;
}
kernel void choose(array<texture2d<uint>, 3> in [[texture(1)]], texture2d<uint> last [[texture(0)]],
                   device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	out[i] = i < 3 ? in[i].read(uint2(0)).x : last.read(uint2(0)).x;
}
kernel void pick(texture2d<float> in, array<sampler, 3> how [[sampler(1)]], sampler one [[sampler(0)]],
                 device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	float2 at = float2(1.25f, 0.5f);
	out[i] = i < 3 ? in.sample(how[i], at).x : in.sample(one, at).x;
}
kernel void two(texture2d<float> in, array<sampler, 2> first [[sampler(0)]], sampler last [[sampler(2)]],
                device float *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	out[i] = i < 2 ? in.sample(first[i], float2(0.5f)).x : in.sample(last, float2(0.5f)).x;
}
kernel void last(texture_buffer<uint> in [[texture(0)]], device uint *out [[buffer(0)]]) {
	uint row = in.get_width() / 2;
	out[0] = in.read(row + 2).x;
}
kernel void bytes(device uint *data [[buffer(0)]], uint i [[thread_position_in_grid]]) { data[i] += 100; }
`

// newTexture makes a texture with texels, which ends with the test.
func newTexture[T any](t testing.TB, a *Accelerator, shape TextureShape, o TextureOptions, data ...T) *Texture[T] {
	t.Helper()
	x, err := NewTexture[T](a, shape, o)
	require.NoError(t, err)
	t.Cleanup(x.Close)
	if len(data) > 0 {
		require.NoError(t, x.Upload(t.Context(), data))
	}
	return x
}

// texelsOf downloads a texture.
func texelsOf[T any](t testing.TB, x *Texture[T]) []T {
	t.Helper()
	data := make([]T, x.Len())
	require.NoError(t, x.Download(t.Context(), data))
	return data
}

// counting returns the numbers from first on.
func counting[T uint8 | uint16 | uint32](first T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = first + T(i)
	}
	return list
}

// TestTexturePictures: a picture of every type goes through a kernel and back, with its stride and
// origin.
func TestTexturePictures(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, textureKernels)("invert"), newStream(t, a)
	inside := image.Rect(2, 1, 7, 4)
	eight := counting[uint8](3, 8*5*4)
	pictures := map[string]struct {
		in  image.Image
		run func(in image.Image) (out image.Image)
	}{
		"Gray": {(&image.Gray{Pix: eight, Stride: 8, Rect: image.Rect(0, 0, 8, 5)}).SubImage(inside),
			inverted[uint8](t, s, k, image.NewGray(image.Rect(0, 0, 5, 3)))},
		"Gray16": {(&image.Gray16{Pix: eight, Stride: 16, Rect: image.Rect(0, 0, 8, 5)}).SubImage(inside),
			inverted[uint16](t, s, k, image.NewGray16(image.Rect(0, 0, 5, 3)))},
		"RGBA": {(&image.RGBA{Pix: eight, Stride: 32, Rect: image.Rect(0, 0, 8, 5)}).SubImage(inside),
			inverted[simd.UChar4](t, s, k, image.NewRGBA(image.Rect(0, 0, 5, 3)))},
		"NRGBA": {(&image.NRGBA{Pix: eight, Stride: 32, Rect: image.Rect(0, 0, 8, 5)}).SubImage(inside),
			inverted[color.NRGBA](t, s, k, image.NewNRGBA(image.Rect(0, 0, 5, 3)))},
		"RGBA64": {(&image.RGBA64{Pix: append(eight, eight...), Stride: 64, Rect: image.Rect(0, 0, 8,
			5)}).SubImage(inside),
			inverted[simd.UShort4](t, s, k, image.NewRGBA64(image.Rect(0, 0, 5, 3)))},
		"Alpha": {(&image.Alpha{Pix: eight, Stride: 8, Rect: image.Rect(0, 0, 8, 5)}).SubImage(inside),
			inverted[uint8](t, s, k, image.NewAlpha(image.Rect(0, 0, 5, 3)))},
	}
	for name, c := range pictures {
		t.Run(name, func(t *testing.T) {
			out := c.run(c.in)
			var in, got pixels
			require.True(t, in.of(c.in) && got.of(out))
			row := 5 * in.lanes * in.wide
			for y := range 3 {
				for x := range row {
					require.Equal(t, 255-in.pix[y*in.stride+x], got.pix[y*got.stride+x], "row %d, byte %d", y, x)
				}
			}
		})
	}
}

// inverted returns a function that inverts a picture on the device, into another one.
func inverted[T any](t *testing.T, s *Stream, k *Kernel, to interface {
	image.Image
	Set(x, y int, c color.Color)
}) func(image.Image) image.Image {
	return func(picture image.Image) image.Image {
		ctx := t.Context()
		in, err := TextureOf[T](ctx, s.acc, picture, TextureOptions{Label: "in"})
		require.NoError(t, err)
		defer in.Close()
		out, err := NewTexture[T](s.acc, in.Shape(), TextureOptions{})
		require.NoError(t, err)
		defer out.Close()
		size := in.Bounds().Size()
		require.NoError(t, s.Launch(ctx, k, Threads2D(size.X, size.Y), in, out))
		require.NoError(t, out.DownloadImage(ctx, to))
		return to
	}
}

// TestTextureConversions: pictures of other types become NRGBA, and those that would lose channels
// are refused.
func TestTextureConversions(t *testing.T) {
	a := accelerator(t)
	colors := color.Palette{color.NRGBA{1, 2, 3, 255}, color.NRGBA{9, 8, 7, 255}}
	opaque := image.NewPaletted(image.Rect(0, 0, 2, 1), colors)
	opaque.Pix[1] = 1
	x, err := TextureOf[color.NRGBA](t.Context(), a, opaque, TextureOptions{})
	require.NoError(t, err)
	defer x.Close()
	assert.Equal(t, []color.NRGBA{{1, 2, 3, 255}, {9, 8, 7, 255}}, texelsOf(t, x))
	require.NoError(t, x.UploadImage(t.Context(), image.NewGray(opaque.Rect)))
	assert.Equal(t, []color.NRGBA{{A: 255}, {A: 255}}, texelsOf(t, x))

	for text, do := range map[string]func() error{
		"a *image.NRGBA does not fit texels of 1 uchar": func() error {
			_, err := TextureOf[uint8](t.Context(), a, image.NewNRGBA(opaque.Rect), TextureOptions{})
			return err
		},
		"the image has (3,1) pixels, the texture (2,1)": func() error {
			return x.UploadImage(t.Context(), image.NewNRGBA(image.Rect(0, 0, 3, 1)))
		},
		"a *image.Paletted, want an *image.NRGBA or *image.RGBA": func() error {
			v, err := TextureOf[simd.UChar4](t.Context(), a, opaque, TextureOptions{})
			require.NoError(t, err)
			defer v.Close()
			return v.DownloadImage(t.Context(), opaque)
		},
		"a *image.Paletted does not fit texels of 1 ushort, want an *image.Gray16 or *image.Alpha16": func() error {
			v, err := TextureOf[uint16](t.Context(), a, image.NewGray16(opaque.Rect), TextureOptions{})
			require.NoError(t, err)
			defer v.Close()
			return v.DownloadImage(t.Context(), opaque)
		},
		"the channel order of BGRA8Unorm differs": func() error {
			_, err := TextureOf[simd.UChar4](t.Context(), a, opaque, TextureOptions{Format: mtl.PixelFormatBGRA8Unorm})
			return err
		},
		"width 0, want 1 to 16384 for a 2D texture": func() error {
			_, err := TextureOf[uint8](t.Context(), a, image.NewGray(image.Rect(0, 0, 0, 4)), TextureOptions{})
			return err
		},
		"nil image": func() error { return x.UploadImage(t.Context(), (*image.NRGBA)(nil)) },
	} {
		assert.ErrorContains(t, do(), text)
	}
}

// TestTextureSRGB: only a format that says so makes numbers linear.
func TestTextureSRGB(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, readsTexture)("look"), newStream(t, a)
	out := bufferOf[float32](t, a, 0)
	sampler, err := a.Sampler(SamplerOptions{})
	require.NoError(t, err)
	for format, want := range map[mtl.PixelFormat]float64{0: 188. / 255, mtl.PixelFormatRGBA8Unorm_sRGB: 0.5} {
		x := newTexture(t, a, Texture2D(1, 1), TextureOptions{Format: format}, color.NRGBA{188, 188, 188, 255})
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, sampler, out))
		require.NoError(t, s.Sync(t.Context()))
		got, err := out.Data()
		require.NoError(t, err)
		assert.InDelta(t, want, got[0], 0.004, x.Format())
	}
}

// TestTextureOrder: launches, copies, views and buffers that share texels run one after the other,
// and those that do not run without a barrier between them.
func TestTextureOrder(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour}))
	of := kernels(t, a, textureKernels)
	add, s, ctx := of("add"), newStream(t, a), t.Context()
	x, y := newTexture[uint32](t, a, Texture2D(4, 4), TextureOptions{}, make([]uint32, 16)...),
		newTexture[uint32](t, a, Texture2D(4, 4), TextureOptions{})
	for range 10 {
		require.NoError(t, s.Launch(ctx, add, Threads2D(4, 4), x, y, uint32(1)))
		require.NoError(t, s.Launch(ctx, add, Threads2D(4, 4), y, x, uint32(2)))
	}
	z := newTexture[uint32](t, a, Texture2D(4, 4), TextureOptions{})
	require.NoError(t, CopyTexture(ctx, s, z, x))
	b := bufferOf(t, a, make([]uint32, 16)...)
	require.NoError(t, CopyFromTexture(ctx, s, b, z))
	require.NoError(t, s.Launch(ctx, of("bytes"), Threads1D(16), b))
	require.NoError(t, CopyToTexture(ctx, s, y, b))
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, uint32(130), texelsOf(t, y)[15])
	assert.EqualValues(t, 19, s.Stats().Barriers)

	// Two levels have no texel in common, a level and the texture do.
	m := newTexture[uint32](t, a, Texture2D(4, 4).Mipmapped(), TextureOptions{})
	assert.Equal(t, 3, m.Shape().Levels)
	var level [3]*Texture[uint32]
	for i := range level {
		var err error
		level[i], err = m.Level(i)
		require.NoError(t, err)
		require.NoError(t, level[i].Upload(ctx, make([]uint32, level[i].Len())))
	}
	assert.Equal(t, 4, level[1].Len())
	bump, before := of("bump"), s.Stats().Barriers
	for i, x := range level {
		require.NoError(t, s.Launch(ctx, bump, Threads2D(4>>i, 4>>i), x))
	}
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, before, s.Stats().Barriers)
	for range 5 {
		require.NoError(t, s.Launch(ctx, bump, Threads2D(4, 4), m))
		require.NoError(t, s.Launch(ctx, bump, Threads2D(4, 4), level[0]))
	}
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, uint32(11), texelsOf(t, m)[15])
	assert.Equal(t, before+9, s.Stats().Barriers)
}

// TestTextureOfBuffer: a texture of a buffer has its memory, and launches with either are ordered.
func TestTextureOfBuffer(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour}))
	of, s, ctx := kernels(t, a, textureKernels), newStream(t, a), t.Context()
	row, err := TextureRow[uint32](a, 3, 0)
	require.NoError(t, err)
	require.GreaterOrEqual(t, row, 3)
	b, err := NewBuffer[uint32](a, 2*row, BufferOptions{Intent: DeviceOnly})
	require.NoError(t, err)
	defer b.Close()
	require.NoError(t, b.Upload(ctx, counting[uint32](0, 2*row)))
	x, err := LinearTexture(b, Texture2D(3, 2), 0, TextureOptions{})
	require.NoError(t, err)
	again, err := LinearTexture(b, Texture2D(3, 2), row, TextureOptions{})
	require.NoError(t, err)
	assert.Equal(t, x.Metal(), again.Metal(), "one texture of Metal's for both")
	bump, bytes := of("bump"), of("bytes")
	for range 3 {
		require.NoError(t, s.Launch(ctx, bump, Threads2D(3, 2), x))
		require.NoError(t, s.Launch(ctx, bytes, Threads1D(2*row), b))
	}
	require.NoError(t, s.Sync(ctx))
	r := uint32(row)
	assert.Equal(t, []uint32{303, 304, 305, r + 303, r + 304, r + 305}, texelsOf(t, x))
	assert.EqualValues(t, 5, s.Stats().Barriers)
	require.NoError(t, x.Upload(ctx, counting[uint32](7, 6)))
	got := make([]uint32, 2*row)
	require.NoError(t, b.Download(ctx, got))
	assert.Equal(t, []uint32{7, 8, 9}, got[:3])
	assert.Equal(t, []uint32{10, 11, 12}, got[row:row+3])

	_, err = LinearTexture(b, Texture2D(3, 3), 0, TextureOptions{})
	require.ErrorIs(t, err, ErrRange)
	_, err = LinearTexture(b, Texture2D(3, 1), 3, TextureOptions{})
	require.ErrorIs(t, err, ErrRange)
	assert.ErrorContains(t, err, "rows are 3 elements of 4 bytes apart; the device requires")
	require.ErrorIs(t, CopyToTexture(ctx, s, x, b), ErrRange)
	fixed, err := LinearTexture(b.ReadOnly(), Texture2D(3, 2), 0, TextureOptions{})
	require.NoError(t, err)
	assert.Equal(t, counting[uint32](7, 6), texelsOf(t, fixed))
	require.ErrorIs(t, fixed.Upload(ctx, counting[uint32](7, 6)), ErrStorage)
	require.ErrorIs(t, CopyTexture(ctx, s, fixed, newTexture[uint32](t, a, Texture2D(3, 2), TextureOptions{})),
		ErrStorage)
	require.ErrorIs(t, s.Launch(ctx, bump, Threads2D(3, 2), fixed), ErrInvalidLaunch)
	line, err := LinearTexture(b, TextureBuffer(2*row), 0, TextureOptions{})
	require.NoError(t, err)
	out := bufferOf[uint32](t, a, 0)
	require.NoError(t, s.Launch(ctx, of("last"), Threads1D(1), line, out))
	require.NoError(t, s.Sync(ctx))
	got, err = out.Data()
	require.NoError(t, err)
	assert.Equal(t, uint32(12), got[0], "the last texel of the last row")
	require.ErrorIs(t, line.Upload(ctx, make([]uint32, 2*row)), ErrOption)
	b.Close()
	require.ErrorIs(t, s.Launch(ctx, bump, Threads2D(3, 2), x), ErrClosed)
}

// TestTextureArrays: a kernel gets an array of textures, shorter ones too, and no texture of an
// earlier launch.
func TestTextureArrays(t *testing.T) {
	a := accelerator(t)
	k, s, ctx := kernels(t, a, textureKernels)("choose"), newStream(t, a), t.Context()
	var x [3]AnyTexture
	for i := range x {
		x[i] = newTexture(t, a, Texture2D(1, 1), TextureOptions{}, uint32(10+i))
	}
	last := newTexture(t, a, Texture2D(1, 1), TextureOptions{}, uint32(99))
	out := bufferOf[uint32](t, a, 0, 0, 0, 0)
	require.NoError(t, s.Launch(ctx, k, Threads1D(4), last, Textures(x[:]...), out))
	require.NoError(t, s.Sync(ctx))
	got, err := out.Data()
	require.NoError(t, err)
	assert.Equal(t, []uint32{10, 11, 12, 99}, got)

	require.NoError(t, s.Launch(ctx, k, Threads1D(2), last, Textures(x[2], x[0]), out))
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, []uint32{12, 10}, got[:2])

	for text, list := range map[string][]any{
		"texture 1 (in): 4 textures, the kernel takes at most 3":    {last, Textures(x[0], x[1], x[2], x[0]), out},
		"is a single texture, the kernel takes an array of 3":       {last, last, out},
		"texture 1 (in): missing; the kernel expects an array of 3": {last, out},
		"texture 2: no texture": {last, Textures(x[0], nil,
			(*Texture[uint8])(nil)), out},
	} {
		_, err := k.Bind(Threads1D(1), list...)
		require.ErrorIs(t, err, ErrInvalidLaunch)
		assert.ErrorContains(t, err, text)
	}
}

// TestSamplerArrays: a kernel gets an array of samplers, and each element acts as its own sampler.
func TestSamplerArrays(t *testing.T) {
	a := accelerator(t)
	named := kernels(t, a, textureKernels)
	k, s, ctx := named("pick"), newStream(t, a), t.Context()
	x := newTexture[float32](t, a, Texture2D(2, 1), TextureOptions{}, 2, 8)
	var all []*Sampler
	for _, o := range []SamplerOptions{
		{S: mtl.SamplerAddressModeClampToZero},
		{S: mtl.SamplerAddressModeRepeat},
		{S: mtl.SamplerAddressModeClampToEdge},
		{S: mtl.SamplerAddressModeRepeat, Filter: mtl.SamplerMinMagFilterLinear},
	} {
		one, err := a.Sampler(o)
		require.NoError(t, err)
		all = append(all, one)
	}
	out := bufferOf[float32](t, a, 0, 0, 0, 0)
	// At 1.25, the middle of the first texel of the second repetition: 0 beyond the edge, the first
	// texel, and the last one.
	require.NoError(t, s.Launch(ctx, k, Threads1D(4), x, At(1, Samplers(all[:3]...)), At(0, all[3]), out))
	require.NoError(t, s.Sync(ctx))
	got, err := out.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{0, 2, 8, 2}, got)

	require.NoError(t, s.Launch(ctx, k, Threads1D(2), x, At(1, Samplers(all[2], all[1])), At(0, all[3]), out))
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, []float32{8, 2}, got[:2])

	var none *Sampler
	for text, list := range map[string][]any{
		"sampler 1 (how): 0 samplers, want 1 to 15 from sampler index 1": {x, At(1, Samplers()), At(0, all[0]), out},
		"sampler 1 (how): sampler 1: no sampler": {x, At(1, Samplers(all[0], none)), At(0,
			all[0]), out},
		"sampler 1 (how): missing; the kernel expects sampler": {x, At(0, all[0]), out},
	} {
		_, err := k.Bind(Threads1D(1), list...)
		require.ErrorIs(t, err, ErrInvalidLaunch)
		assert.ErrorContains(t, err, text)
	}
	_, err = named("two").Bind(Threads1D(1), x, Samplers(all[:3]...), all[3], out)
	require.ErrorIs(t, err, ErrRange)
	assert.ErrorContains(t, err, "sampler 0 (first): 3 samplers, want 1 to 2 from sampler index 0")
}

// TestSamplers: a sampler filters, and equal options have one sampler.
func TestSamplers(t *testing.T) {
	a := accelerator(t)
	k, s, ctx := kernels(t, a, textureKernels)("linear"), newStream(t, a), t.Context()
	x := newTexture[float32](t, a, Texture2D(2, 1), TextureOptions{}, 0, 8)
	soft, err := a.Sampler(SamplerOptions{Filter: mtl.SamplerMinMagFilterLinear})
	require.NoError(t, err)
	again, err := a.Sampler(SamplerOptions{Filter: mtl.SamplerMinMagFilterLinear})
	require.NoError(t, err)
	assert.Same(t, soft, again)
	hard, err := a.Sampler(SamplerOptions{})
	require.NoError(t, err)
	out := bufferOf[float32](t, a, 0, 0, 0, 0)
	for sampler, want := range map[*Sampler][]float32{soft: {0, 0, 4, 8}, hard: {0, 0, 8, 8}} {
		require.NoError(t, s.Launch(ctx, k, Threads1D(4), x, sampler, out))
		require.NoError(t, s.Sync(ctx))
		got, err := out.Data()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, err = a.Sampler(SamplerOptions{Anisotropy: 17})
	require.ErrorIs(t, err, ErrRange)
	_, err = a.Sampler(SamplerOptions{Texels: true, S: mtl.SamplerAddressModeRepeat})
	require.ErrorIs(t, err, ErrOption)

	other := accelerator(t)
	theirs, err := other.Sampler(SamplerOptions{})
	require.NoError(t, err)
	require.ErrorIs(t, s.Launch(ctx, k, Threads1D(4), x, theirs, out), ErrAccelerator)
	require.ErrorIs(t, s.Launch(ctx, k, Threads1D(4), x, (*Sampler)(nil), out), ErrInvalidLaunch)
}

// TestTexturesClosed: what is closed is refused, runs what was recorded, and what is open at the
// accelerator's Close is a leak that the error names.
func TestTexturesClosed(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Hour}))
	of, s, ctx := kernels(t, a, textureKernels), newStream(t, a), t.Context()
	before := a.Allocated()
	x, err := NewTexture[uint32](a, Texture2D(4, 4).Mipmapped(), TextureOptions{Label: "x"})
	require.NoError(t, err)
	assert.EqualValues(t, 4*(16+4+1), a.Allocated()-before)
	require.NoError(t, x.Upload(ctx, make([]uint32, 16)))
	view, err := x.Level(0)
	require.NoError(t, err)
	y := newTexture[uint32](t, a, Texture2D(4, 4), TextureOptions{})
	add := of("add")
	l, err := add.Bind(Threads2D(4, 4), view, y, uint32(5))
	require.NoError(t, err)
	require.NoError(t, s.Run(ctx, l))
	view.Close()
	require.NoError(t, s.Run(ctx, l), "the texture is open")
	x.Close()
	x.Close()
	require.ErrorIs(t, s.Run(ctx, l), ErrClosed)
	assert.ErrorContains(t, s.Run(ctx, l), `texture`)
	require.NoError(t, s.Sync(ctx))
	assert.Equal(t, uint32(5), texelsOf(t, y)[0])
	require.ErrorIs(t, x.Upload(ctx, make([]uint32, 16)), ErrClosed)
	_, err = x.Level(1)
	require.ErrorIs(t, err, ErrClosed)

	objects := strings.Builder{}
	leaky, err := Open(WithLogger(slog.New(slog.NewTextHandler(&objects, nil))))
	require.NoError(t, err)
	forgotten, err := NewTexture[float32](leaky, Texture3D(2, 3, 4), TextureOptions{Label: "forgotten"})
	require.NoError(t, err)
	var leak *LeakError
	require.ErrorAs(t, leaky.Close(context.Background()), &leak)
	require.Len(t, leak.Objects, 1)
	assert.Regexp(t, `^texture \d+ "forgotten" \(3D 2x3x4 R32Float, 96 bytes\)$`, leak.Objects[0])
	require.ErrorIs(t, forgotten.Upload(ctx, make([]float32, 24)), ErrClosed)
}

// TestTextureMemoryLimit: textures count against the limit, and give back what they counted.
func TestTextureMemoryLimit(t *testing.T) {
	a := accelerator(t, WithMemoryLimit(1000))
	x, err := NewTexture[uint8](a, Texture2D(30, 30), TextureOptions{})
	require.NoError(t, err)
	_, err = NewTexture[uint8](a, Texture2D(11, 10), TextureOptions{})
	require.ErrorIs(t, err, ErrOutOfMemory)
	_, err = NewBuffer[uint8](a, 101, BufferOptions{})
	require.ErrorIs(t, err, ErrOutOfMemory)
	x.Close()
	assert.Zero(t, a.Allocated())
	_, err = NewTexture[simd.Float4](a, TextureCube(16384).Array(341), TextureOptions{})
	require.ErrorIs(t, err, ErrOutOfMemory)
}

// TestTextureAsync: async copies are commands of the stream.
func TestTextureAsync(t *testing.T) {
	a := accelerator(t)
	of, s, ctx := kernels(t, a, textureKernels), newStream(t, a), t.Context()
	x := newTexture[uint32](t, a, Texture2D(4, 2), TextureOptions{})
	done, err := a.NewEvent(EventOptions{})
	require.NoError(t, err)
	defer done.Close()
	in, out, part := counting[uint32](0, 8), make([]uint32, 8), make([]uint32, 2)
	require.NoError(t, UploadTextureAsync(ctx, s, x, Region{}, in, nil))
	require.NoError(t, UploadTextureAsync(ctx, s, x, Region{X: 1, Y: 1, Width: 2}, []uint32{50, 51}, nil))
	require.NoError(t, s.Launch(ctx, of("bump"), Threads2D(4, 2), x))
	require.NoError(t, DownloadTextureAsync(ctx, s, out, x, Region{}, nil))
	require.NoError(t, DownloadTextureAsync(ctx, s, part, x, Region{X: 2, Width: 1, Height: 2}, done))
	require.NoError(t, done.Wait(ctx))
	assert.Equal(t, []uint32{1, 2, 3, 4, 5, 51, 52, 8}, out)
	assert.Equal(t, []uint32{3, 52}, part)
	require.NoError(t, s.Sync(ctx))
	assert.Contains(t, strings.Join(s.History(), "\n"), "texture copy (texture_use_test.go:")
	require.ErrorIs(t, UploadTextureAsync(ctx, s, x, Region{}, in[:7], nil), ErrRange)
	require.ErrorIs(t, DownloadTextureAsync(ctx, s, out, (*Texture[uint32])(nil), Region{}, nil), ErrNil)
	ended, cancel := context.WithCancelCause(ctx)
	cancel(errors.New("enough"))
	assert.ErrorContains(t, x.Upload(ended, in), "enough")
}
