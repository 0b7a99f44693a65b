package softmetal_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newTexture makes a texture of 32-bit numbers.
func newTexture(t *testing.T, d mtl.Device, change func(mtl.TextureDescriptor)) mtl.Texture {
	t.Helper()
	desc, err := mtl.NewTextureDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetPixelFormat(mtl.PixelFormatR32Uint)
	desc.SetStorageMode(mtl.StorageModeShared)
	change(desc)
	x, err := d.NewTexture(desc)
	require.NoError(t, err)
	t.Cleanup(x.Release)
	return x
}

// numbers returns n words that count from first.
func numbers(first, n int) []byte {
	var b []byte
	for i := range n {
		b = binary.LittleEndian.AppendUint32(b, uint32(first+i))
	}
	return b
}

func TestTextureDefaults(t *testing.T) {
	rig(t)
	d, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatRGBA8Unorm, 100, 30, true)
	require.NoError(t, err)
	assert.Equal(t, []uint{100, 30, 1, 7, 1, 1},
		[]uint{d.Width(), d.Height(), d.Depth(), d.MipmapLevelCount(), d.SampleCount(), d.ArrayLength()})
	assert.Equal(t, mtl.TextureType2D, d.TextureType())
	assert.Equal(t, mtl.TextureUsageShaderRead, d.Usage())
	assert.True(t, d.AllowGPUOptimizedContents())
	assert.Equal(t, mtl.TextureSwizzleChannels{Red: mtl.TextureSwizzleRed, Green: mtl.TextureSwizzleGreen,
		Blue: mtl.TextureSwizzleBlue, Alpha: mtl.TextureSwizzleAlpha}, d.Swizzle())
	d, err = mtl.TextureCubeDescriptorWithPixelFormat(mtl.PixelFormatRGBA8Unorm, 64, false)
	require.NoError(t, err)
	assert.Equal(t, []uint{64, 64, 1}, []uint{d.Width(), d.Height(), d.MipmapLevelCount()})
	d, err = mtl.TextureBufferDescriptorWithPixelFormat(mtl.PixelFormatR32Float, 1000, mtl.ResourceStorageModePrivate,
		mtl.TextureUsageShaderWrite)
	require.NoError(t, err)
	assert.Equal(t, mtl.StorageModePrivate, d.StorageMode())
	assert.Equal(t, mtl.TextureUsageShaderWrite, d.Usage())
}

func TestTextureBytes(t *testing.T) {
	a, _, _ := rig(t)
	x := newTexture(t, a, func(d mtl.TextureDescriptor) { d.SetWidth(8); d.SetHeight(4); d.SetMipmapLevelCount(3) })
	assert.EqualValues(t, 8, x.Width())
	assert.NotZero(t, x.GPUResourceID())
	whole := mtl.Region{Size: mtl.Size{Width: 8, Height: 4, Depth: 1}}
	require.NoError(t, x.ReplaceRegion(whole, 0, numbers(0, 32), 32))
	part := mtl.Region{Origin: mtl.Origin{X: 2, Y: 1}, Size: mtl.Size{Width: 3, Height: 2, Depth: 1}}
	got := make([]byte, 40)
	for i := range got {
		got[i] = 0xee
	}
	require.NoError(t, x.GetBytes(got, 20, part, 0))
	assert.Equal(t, numbers(10, 3), got[:12])
	assert.Equal(t, numbers(18, 3), got[20:32])
	assert.Equal(t, []byte{0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee, 0xee}, got[12:20],
		"between the rows nothing is written")
	// The last level is 2 by 1.
	last := mtl.Region{Size: mtl.Size{Width: 2, Height: 1, Depth: 1}}
	require.NoError(t, x.ReplaceRegion(last, 2, numbers(100, 2), 8))
	require.NoError(t, x.GetBytes(got, 8, last, 2))
	assert.Equal(t, numbers(100, 2), got[:8])
	require.NoError(t, x.GetBytes(got, 32, mtl.Region{Size: mtl.Size{Width: 8, Height: 1, Depth: 1}}, 0))
	assert.Equal(t, numbers(0, 8), got[:32], "another level is another memory")
}

func TestTextureSlices(t *testing.T) {
	a, _, _ := rig(t)
	cube := newTexture(t, a, func(d mtl.TextureDescriptor) {
		d.SetTextureType(mtl.TextureTypeCubeArray)
		d.SetWidth(4)
		d.SetHeight(4)
		d.SetArrayLength(2)
	})
	face := mtl.Region{Size: mtl.Size{Width: 4, Height: 4, Depth: 1}}
	for s := range uint(12) {
		require.NoError(t, cube.ReplaceRegionSlice(face, 0, s, numbers(int(s)*16, 16), 16, 0))
	}
	got := make([]byte, 64)
	require.NoError(t, cube.GetBytesSlice(got, 16, 0, face, 0, 7))
	assert.Equal(t, numbers(7*16, 16), got)

	view, err := cube.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureTypeCube, mtl.Range{Length: 1},
		mtl.Range{Location: 6, Length: 6})
	require.NoError(t, err)
	defer view.Release()
	assert.EqualValues(t, 6, view.ParentRelativeSlice())
	assert.EqualValues(t, 1, view.ArrayLength())
	assert.Equal(t, cube.ID(), view.ParentTexture().ID())
	require.NoError(t, view.GetBytesSlice(got, 16, 0, face, 0, 1))
	assert.Equal(t, numbers(7*16, 16), got, "one memory")

	solid := newTexture(t, a, func(d mtl.TextureDescriptor) {
		d.SetTextureType(mtl.TextureType3D)
		d.SetWidth(2)
		d.SetHeight(3)
		d.SetDepth(4)
	})
	all := mtl.Region{Size: mtl.Size{Width: 2, Height: 3, Depth: 4}}
	require.NoError(t, solid.ReplaceRegionSlice(all, 0, 0, numbers(0, 24), 8, 24))
	got = make([]byte, 8)
	require.NoError(t, solid.GetBytesSlice(got, 8, 8,
		mtl.Region{Origin: mtl.Origin{Y: 2, Z: 3}, Size: mtl.Size{Width: 2, Height: 1, Depth: 1}}, 0, 0))
	assert.Equal(t, numbers(22, 2), got)
}

func TestTextureViews(t *testing.T) {
	a, other, _ := rig(t)
	x := newTexture(t, a, func(d mtl.TextureDescriptor) {
		d.SetWidth(4)
		d.SetHeight(4)
		d.SetMipmapLevelCount(2)
		d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsagePixelFormatView)
	})
	one := mtl.Region{Size: mtl.Size{Width: 1, Height: 1, Depth: 1}}
	require.NoError(t, x.ReplaceRegion(one, 1, []byte{1, 2, 3, 4}, 4))
	view, err := x.NewViewOf(mtl.PixelFormatRGBA8Uint, mtl.TextureType2D, mtl.Range{Location: 1, Length: 1},
		mtl.Range{Length: 1})
	require.NoError(t, err)
	assert.EqualValues(t, 2, view.Width())
	assert.EqualValues(t, 1, view.ParentRelativeLevel())
	assert.NotEqual(t, x.GPUResourceID(), view.GPUResourceID())
	got := make([]byte, 4)
	require.NoError(t, view.GetBytes(got, 4, one, 0))
	assert.Equal(t, []byte{1, 2, 3, 4}, got)
	view.Release()
	_, err = x.NewView(mtl.PixelFormatRG32Float)
	require.ErrorIs(t, err, mtl.ErrArgument)

	private := newTexture(t, a, func(d mtl.TextureDescriptor) { d.SetStorageMode(mtl.StorageModePrivate) })
	far, err := private.NewRemoteTextureView(other)
	require.NoError(t, err)
	assert.Equal(t, other.ID(), far.Device().ID())
	assert.Equal(t, private.ID(), far.RemoteStorageTexture().ID())
	far.Release()
}

func TestTextureOfBuffer(t *testing.T) {
	a, _, _ := rig(t)
	b, err := a.NewBufferWithBytes(numbers(0, 64), 0)
	require.NoError(t, err)
	defer b.Release()
	desc, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Uint, 3, 2, false)
	require.NoError(t, err)
	desc.SetResourceOptions(0)
	x, err := b.NewTexture(desc, 16, 32)
	require.NoError(t, err)
	defer x.Release()
	assert.Equal(t, b.ID(), x.Buffer().ID())
	assert.EqualValues(t, 16, x.BufferOffset())
	assert.EqualValues(t, 32, x.BufferBytesPerRow())
	got := make([]byte, 24)
	require.NoError(t, x.GetBytes(got, 12, mtl.Region{Size: mtl.Size{Width: 3, Height: 2, Depth: 1}}, 0))
	assert.Equal(t, append(numbers(4, 3), numbers(12, 3)...), got)
	_, err = b.NewTexture(desc, 240, 32)
	require.ErrorIs(t, err, mtl.ErrLength)
}

func TestTextureInHeap(t *testing.T) {
	a, _, _ := rig(t)
	h := newHeap(t, a, 1<<16, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
	desc, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatRGBA8Unorm, 10, 10, true)
	require.NoError(t, err)
	need, err := a.HeapTextureSizeAndAlign(desc)
	require.NoError(t, err)
	assert.Equal(t, mtl.SizeAndAlign{Size: 768, Align: 256}, need, "100+25+4+1 texels")
	x, err := h.NewTexture(desc)
	require.NoError(t, err)
	assert.EqualValues(t, need.Size, h.UsedSize())
	assert.Equal(t, h.ID(), x.Heap().ID())
	x.Release()
	assert.Zero(t, h.UsedSize())
}

// TestTextureMisuse: what the bindings let through for other devices and this one cannot do is
// refused in words.
func TestTextureMisuse(t *testing.T) {
	a, _, f := rig(t)
	desc, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatBC1_RGBA, 16, 16, false)
	require.NoError(t, err)
	_, err = a.NewTexture(desc)
	require.Error(t, err)
	requireFault(t, f, "newTextureWithDescriptor:", "BC1_RGBA", "one pixel to a block")
	desc, err = mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatRGBA8Unorm, 16, 16, false)
	require.NoError(t, err)
	desc.SetUsage(mtl.TextureUsageRenderTarget)
	desc.SetSwizzle(mtl.TextureSwizzleChannels{Red: mtl.TextureSwizzleBlue})
	_, err = a.NewTexture(desc)
	require.ErrorIs(t, err, mtl.ErrArgument, "the bindings know this one")
}

// texturePass returns a function that runs a kernel of a source over 2 x 1 threads, with textures
// as its arguments.
func texturePass(t *testing.T, d mtl.Device, source string) func(kernel string, list ...mtl.Texture) error {
	t.Helper()
	l, err := d.NewLibrary(source, mtl.CompileOptions{})
	require.NoError(t, err)
	t.Cleanup(l.Release)
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	t.Cleanup(q.Release)
	return func(kernel string, list ...mtl.Texture) error {
		t.Helper()
		f, err := l.NewFunction(kernel)
		require.NoError(t, err)
		defer f.Release()
		p, err := d.NewComputePipelineState(f)
		require.NoError(t, err)
		defer p.Release()
		b, err := q.CommandBuffer()
		require.NoError(t, err)
		e, err := b.ComputeCommandEncoder()
		require.NoError(t, err)
		require.NoError(t, e.SetComputePipelineState(p))
		for i, x := range list {
			require.NoError(t, e.SetTexture(x, uint(i)))
		}
		two := mtl.Size{Width: 2, Height: 1, Depth: 1}
		require.NoError(t, e.DispatchThreads(two, two))
		require.NoError(t, e.EndEncoding())
		require.NoError(t, b.Commit())
		return b.Wait(t.Context())
	}
}

// TestTextureFormats: a dispatch fails if the kernel writes a format that GPUs of Apple cannot
// write, or if one argument reads and writes a format outside the second tier.
func TestTextureFormats(t *testing.T) {
	a, _, _ := rig(t)
	run := texturePass(t, a, `#include <metal_stdlib>
using namespace metal;
kernel void reads(texture2d<float> x, texture2d<float, access::write> out, uint2 at [[thread_position_in_grid]]) {
	out.write(x.read(at), at);
}
kernel void writes(texture2d<float, access::write> x, uint2 at [[thread_position_in_grid]]) { x.write(0.5f, at); }
kernel void both(texture2d<float, access::read_write> x, uint2 at [[thread_position_in_grid]]) {
	x.write(x.read(at) + 0.25f, at);
}`)
	const written, twice = "which kernels cannot write", "which one argument cannot both read and write"
	out := newTexture(t, a, func(d mtl.TextureDescriptor) {
		d.SetPixelFormat(mtl.PixelFormatR32Float)
		d.SetWidth(4)
		d.SetUsage(mtl.TextureUsageShaderWrite)
	})
	for format, errs := range map[mtl.PixelFormat][2]string{
		mtl.PixelFormatR32Float:        {"", ""},
		mtl.PixelFormatRGBA16Float:     {"", ""},
		mtl.PixelFormatR8Unorm:         {"", ""},
		mtl.PixelFormatRG8Unorm:        {"", twice},
		mtl.PixelFormatRG32Float:       {"", twice},
		mtl.PixelFormatRGBA8Unorm_sRGB: {"", twice},
		mtl.PixelFormatBGRA8Unorm:      {"", twice},
		mtl.PixelFormatA8Unorm:         {written, written},
		mtl.PixelFormatB5G6R5Unorm:     {written, written},
		mtl.PixelFormatDepth32Float:    {written, written},
	} {
		x := newTexture(t, a, func(d mtl.TextureDescriptor) {
			d.SetPixelFormat(format)
			d.SetWidth(4)
			d.SetUsage(mtl.TextureUsageUnknown)
			d.SetStorageMode(mtl.StorageModePrivate)
		})
		require.NoError(t, run("reads", x, out), format)
		for i, kernel := range []string{"writes", "both"} {
			err := run(kernel, x)
			if errs[i] == "" {
				require.NoError(t, err, "%s %v", kernel, format)
				continue
			}
			require.ErrorIs(t, err, mtl.CommandBufferErrorInvalidResource, "%s %v", kernel, format)
			assert.ErrorContains(t, err, `argument "x", has the pixel format `+
				strings.TrimPrefix(format.String(), "PixelFormat")+", "+errs[i])
		}
	}
}

// TestSharedTextures: a dispatch that reads the texels it writes fails, unless the argument is both
// read and written or the views have different levels.
func TestSharedTextures(t *testing.T) {
	a, _, _ := rig(t)
	run := texturePass(t, a, `#include <metal_stdlib>
using namespace metal;
kernel void copy(texture2d<uint> in, texture2d<uint, access::write> out, uint2 at [[thread_position_in_grid]]) {
	out.write(in.read(at), at);
}
kernel void both(texture2d<uint, access::read_write> x, texture2d<uint, access::write> out,
                 uint2 at [[thread_position_in_grid]]) {
	out.write(x.read(at), at);
}`)
	usage := mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite
	x := newTexture(t, a, func(d mtl.TextureDescriptor) {
		d.SetWidth(4)
		d.SetHeight(4)
		d.SetMipmapLevelCount(3)
		d.SetUsage(usage)
	})
	view := func(of mtl.Texture, level, levels uint) mtl.Texture {
		v, err := of.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2D, mtl.Range{Location: level, Length: levels},
			mtl.Range{Length: 1})
		require.NoError(t, err)
		t.Cleanup(v.Release)
		return v
	}
	lower := view(x, 1, 2)
	refused := func(err error) {
		t.Helper()
		require.ErrorIs(t, err, mtl.CommandBufferErrorInvalidResource)
		assert.ErrorContains(t, err, `kernel "copy": the texture at index 0, argument "in", which the kernel reads, `+
			`has the texels of the one at index 1, argument "out", which it writes; use a second texture`)
	}
	refused(run("copy", x, x))
	refused(run("copy", x, lower))
	refused(run("copy", view(lower, 1, 1), view(x, 2, 1)))
	require.NoError(t, run("copy", view(x, 0, 1), lower))
	require.NoError(t, run("copy", view(lower, 0, 1), view(lower, 1, 1)))
	require.NoError(t, run("both", x, x))

	rows, err := a.NewBuffer(4096, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer rows.Release()
	d, err := mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Uint, 4, 2, false)
	require.NoError(t, err)
	d.SetStorageMode(mtl.StorageModeShared)
	d.SetUsage(usage)
	linear := func(offset uint) mtl.Texture {
		v, err := rows.NewTexture(d, offset, 256)
		require.NoError(t, err)
		t.Cleanup(v.Release)
		return v
	}
	refused(run("copy", linear(256), view(linear(256), 0, 1)))
	require.NoError(t, run("copy", linear(0), linear(64)), "beside each other")
}

func TestSamplers(t *testing.T) {
	a, _, _ := rig(t)
	d, err := mtl.NewSamplerDescriptor()
	require.NoError(t, err)
	defer d.Release()
	assert.True(t, d.NormalizedCoordinates())
	assert.EqualValues(t, 1, d.MaxAnisotropy())
	assert.Greater(t, d.LodMaxClamp(), float32(3e38))
	d.SetLabel("soft")
	d.SetSupportArgumentBuffers(true)
	s, err := a.NewSamplerState(d)
	require.NoError(t, err)
	defer s.Release()
	again, err := a.NewSamplerState(d)
	require.NoError(t, err)
	defer again.Release()
	assert.Equal(t, "soft", s.Label())
	assert.NotZero(t, s.GPUResourceID())
	assert.NotEqual(t, s.GPUResourceID(), again.GPUResourceID())
}
