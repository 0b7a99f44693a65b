package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

const viewKernels = `
kernel void seen(texture2d<float> a [[texture(0)]], device float4* out [[buffer(0)]], constant uint& how [[buffer(1)]]) {
    constexpr sampler s(filter::linear);
    switch (how) {
    case 0: out[0] = a.read(uint2(0)); break;
    case 1: out[0] = a.sample(s, float2(0.5f)); break;
    case 2: out[0] = a.gather(s, float2(0.5f), int2(0), component::x); break;
    }
}
kernel void seenInts(texture2d<uint> a [[texture(0)]], device uint4* out [[buffer(0)]]) { out[0] = a.read(uint2(0)); }
`

// see has a kernel look at a texture of one texel: read, sample or gather its first component.
func (r *rig) see(t mtl.Texture, how uint32) []float32 {
	r.Helper()
	p, out := r.pipeline(viewKernels, "seen"), r.buffer(16)
	r.compute(func(e mtl.ComputeCommandEncoder) {
		do(e.SetComputePipelineState(p), e.SetTexture(t, 0), e.SetBuffer(out, 0, 0), e.SetBytes(word(how), 1),
			e.DispatchThreads(line(1), line(1)))
	})
	return append([]float32(nil), must(mtl.Slice[float32](out))...)
}

// one is all of a texture of one level and slice.
func one() mtl.Range { return mtl.Range{Length: 1} }

func viewCases() []aCase {
	const red, green, blue, alpha = mtl.TextureSwizzleRed, mtl.TextureSwizzleGreen, mtl.TextureSwizzleBlue,
		mtl.TextureSwizzleAlpha
	const zero, onE = mtl.TextureSwizzleZero, mtl.TextureSwizzleOne
	// texel makes a texture with the texel 0, 1/5, 2/5, 1.
	texel := func(r *rig, change func(mtl.TextureDescriptor)) mtl.Texture {
		t := r.shaped(mtl.PixelFormatRGBA8Unorm, func(d mtl.TextureDescriptor) {
			d.SetUsage(mtl.TextureUsageShaderRead)
			if change != nil {
				change(d)
			}
		})
		do(t.ReplaceRegion(area(0, 0, 1, 1), 0, []byte{0, 51, 102, 255}, 4))
		return t
	}
	var cases []aCase
	for _, k := range []struct {
		name    string
		pattern mtl.TextureSwizzleChannels
		want    []float32
	}{
		{"as it is", mtl.TextureSwizzleChannels{Red: red, Green: green, Blue: blue, Alpha: alpha}, []float32{0, 0.2, 0.4, 1}},
		{"reversed", mtl.TextureSwizzleChannels{Red: alpha, Green: blue, Blue: green, Alpha: red}, []float32{1, 0.4, 0.2, 0}},
		{"constants", mtl.TextureSwizzleChannels{Red: onE, Green: zero, Blue: onE, Alpha: zero}, []float32{1, 0, 1, 0}},
		{"one channel", mtl.TextureSwizzleChannels{Red: green, Green: green, Blue: green, Alpha: onE},
			[]float32{0.2, 0.2, 0.2, 1}},
		{"nothing", mtl.TextureSwizzleChannels{}, []float32{0, 0, 0, 0}},
	} {
		cases = append(cases,
			aCase{"swizzled view " + k.name,
				"A view with a swizzle shows the channels in its order to reads, samples and gathers.", func(r *rig) {
					t := texel(r, nil)
					v := own(r, must(t.NewViewWithSwizzle(mtl.PixelFormatRGBA8Unorm, mtl.TextureType2D, one(), one(), k.pattern)))
					assert.Equal(r, k.pattern, v.Swizzle())
					assert.Equal(r, k.want, r.see(v, 0))
					assert.Equal(r, k.want, r.see(v, 1))
					assert.Equal(r, []float32{k.want[0], k.want[0], k.want[0], k.want[0]}, r.see(v, 2))
					assert.Equal(r, []float32{0, 0.2, 0.4, 1}, r.see(t, 0), "the texture itself is as before")
				}},
			aCase{"swizzled texture " + k.name, "A texture whose descriptor has a swizzle shows its channels in that order.",
				func(r *rig) {
					t := texel(r, func(d mtl.TextureDescriptor) { d.SetSwizzle(k.pattern) })
					assert.Equal(r, k.pattern, t.Swizzle())
					assert.Equal(r, k.want, r.see(t, 0))
					got := make([]byte, 4)
					do(t.GetBytes(got, 4, area(0, 0, 1, 1), 0))
					assert.Equal(r, []byte{0, 51, 102, 255}, got, "the CPU sees the texels as they lie")
				}})
	}
	return append(cases,
		aCase{"swizzled integers", "A swizzle of integers has 0 and 1 as its constants.", func(r *rig) {
			t := r.texture(mtl.PixelFormatRGBA8Uint, 1, 1)
			do(t.ReplaceRegion(area(0, 0, 1, 1), 0, []byte{9, 8, 7, 6}, 4))
			v := own(r, must(t.NewViewWithSwizzle(mtl.PixelFormatRGBA8Uint, mtl.TextureType2D, one(), one(),
				mtl.TextureSwizzleChannels{Red: alpha, Green: onE, Blue: zero, Alpha: red})))
			p, out := r.pipeline(viewKernels, "seenInts"), r.buffer(16)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, out)
				do(e.SetTexture(v, 0), e.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{6, 1, 0, 9}, r.words(out))
		}},
		aCase{"no such channel", "A swizzle of a channel that there is none is refused.", func(r *rig) {
			_, err := texel(r, nil).NewViewWithSwizzle(mtl.PixelFormatRGBA8Unorm, mtl.TextureType2D, one(), one(),
				mtl.TextureSwizzleChannels{Red: 6})
			r.refused(err, mtl.ErrArgument)
		}},
		aCase{"described view", "A view made of a descriptor shows the levels, slices and channels that it says.",
			func(r *rig) {
				t := r.shaped(mtl.PixelFormatRGBA8Unorm, func(d mtl.TextureDescriptor) {
					d.SetTextureType(mtl.TextureType2DArray)
					d.SetWidth(2)
					d.SetHeight(2)
					d.SetMipmapLevelCount(2)
					d.SetArrayLength(3)
				})
				do(t.ReplaceRegionSlice(area(0, 0, 1, 1), 1, 2, []byte{0, 51, 102, 255}, 4, 4))
				d, err := mtl.NewTextureViewDescriptor()
				if err != nil {
					r.Skipf("descriptors of views came with macOS 26: %v", err)
				}
				own(r, d)
				d.SetPixelFormat(mtl.PixelFormatRGBA8Unorm)
				d.SetTextureType(mtl.TextureType2D)
				d.SetLevelRange(mtl.Range{Location: 1, Length: 1})
				d.SetSliceRange(mtl.Range{Location: 2, Length: 1})
				d.SetSwizzle(mtl.TextureSwizzleChannels{Red: blue, Green: green, Blue: red, Alpha: alpha})
				v := own(r, must(t.NewViewWithDescriptor(d)))
				assert.Equal(r, []float32{0.4, 0.2, 0, 1}, r.see(v, 0))
				assert.Equal(r, uint(1), v.ParentRelativeLevel())
				assert.Equal(r, uint(2), v.ParentRelativeSlice())
			}},
		aCase{"other format", "A view in another format shows the same bytes as other numbers.", func(r *rig) {
			t := texel(r, func(d mtl.TextureDescriptor) {
				d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsagePixelFormatView)
			})
			assert.Equal(r, []float32{0.4, 0.2, 0, 1}, r.see(own(r, must(t.NewView(mtl.PixelFormatBGRA8Unorm))), 0))
		}},
		aCase{"without its usage", "A view in another format wants a texture made for it.", func(r *rig) {
			_, err := texel(r, nil).NewView(mtl.PixelFormatBGRA8Unorm)
			r.refused(err, mtl.ErrArgument)
		}},
		aCase{"sRGB needs no usage", "A view that differs in sRGB only can be made of any texture.", func(r *rig) {
			v := own(r, must(texel(r, nil).NewView(mtl.PixelFormatRGBA8Unorm_sRGB)))
			got := r.see(v, 0)
			assert.InDelta(r, 0.0331, float64(got[1]), 1e-4)
			assert.Equal(r, float32(1), got[3], "alpha is linear")
		}},
		aCase{"texels of another size", "A view in a format of larger texels is refused.", func(r *rig) {
			_, err := texel(r, nil).NewView(mtl.PixelFormatRGBA16Float)
			r.refused(err, mtl.ErrArgument)
		}},
		aCase{"view of a level", "A view of a level has the level's size and memory.", func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Uint,
				func(d mtl.TextureDescriptor) { d.SetWidth(8); d.SetHeight(4); d.SetMipmapLevelCount(3) })
			v := own(r, must(t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2D, mtl.Range{Location: 1, Length: 2}, one())))
			assert.Equal(r, []uint{4, 2, 2}, []uint{v.Width(), v.Height(), v.MipmapLevelCount()})
			do(v.ReplaceRegion(area(3, 1, 1, 1), 0, word(77), 4))
			got := make([]byte, 4)
			do(t.GetBytes(got, 4, area(3, 1, 1, 1), 1))
			assert.Equal(r, word(77), got)
		}},
		aCase{"face of a cube", "A face of a cube can be seen as a texture of two dimensions.", func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Uint,
				func(d mtl.TextureDescriptor) { d.SetTextureType(mtl.TextureTypeCube); d.SetWidth(2); d.SetHeight(2) })
			v := own(r, must(t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2D, one(), mtl.Range{Location: 4, Length: 1})))
			do(v.ReplaceRegion(area(1, 1, 1, 1), 0, word(5), 4))
			got := make([]byte, 4)
			do(t.GetBytesSlice(got, 4, 4, area(1, 1, 1, 1), 0, 4))
			assert.Equal(r, word(5), got)
		}},
		aCase{"view of a view", "A view of a view shows a part of the part, and names its parent.", func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Uint,
				func(d mtl.TextureDescriptor) { d.SetTextureType(mtl.TextureType2DArray); d.SetArrayLength(8) })
			a := own(r, must(t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2DArray, one(),
				mtl.Range{Location: 2, Length: 4})))
			b := own(r, must(a.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2D, one(), mtl.Range{Location: 3, Length: 1})))
			do(b.ReplaceRegion(area(0, 0, 1, 1), 0, word(9), 4))
			got := make([]byte, 4)
			do(t.GetBytesSlice(got, 4, 4, area(0, 0, 1, 1), 0, 5))
			assert.Equal(r, word(9), got)
			assert.False(r, b.ParentTexture().IsNil())
		}},
		aCase{"outlives its texture", "A view keeps the texture's memory when the texture is released.", func(r *rig) {
			d := own(r, must(mtl.NewTextureDescriptor()))
			d.SetPixelFormat(mtl.PixelFormatR32Uint)
			d.SetStorageMode(mtl.StorageModeShared)
			t := must(r.device.NewTexture(d))
			do(t.ReplaceRegion(area(0, 0, 1, 1), 0, word(3), 4))
			v := own(r, must(t.NewView(mtl.PixelFormatR32Uint)))
			t.Release()
			got := make([]byte, 4)
			do(v.GetBytes(got, 4, area(0, 0, 1, 1), 0))
			assert.Equal(r, word(3), got)
		}},
		aCase{"slices beyond", "A view of slices or levels that there are none is refused.", func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Uint,
				func(d mtl.TextureDescriptor) { d.SetTextureType(mtl.TextureType2DArray); d.SetArrayLength(4) })
			_, err := t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2DArray, one(), mtl.Range{Location: 3, Length: 2})
			r.refused(err, mtl.ErrIndex)
			_, err = t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2DArray, mtl.Range{Location: 1, Length: 1}, one())
			r.refused(err, mtl.ErrIndex)
			_, err = t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType3D, one(), one())
			r.refused(err, mtl.ErrArgument)
		}},
		aCase{"texture of a buffer",
			"A texture of a buffer's memory shows the buffer, and what is written to it stands in the buffer.", func(r *rig) {
				row := must(r.device.MinimumLinearTextureAlignment(mtl.PixelFormatR32Uint))
				row = max(row, 16)
				b := r.buffer(2 * row)
				d := own(r, must(mtl.NewTextureDescriptor()))
				d.SetPixelFormat(mtl.PixelFormatR32Uint)
				d.SetStorageMode(mtl.StorageModeShared)
				d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite)
				d.SetWidth(4)
				d.SetHeight(2)
				t := own(r, must(b.NewTexture(d, 0, row)))
				p := r.pipeline(textureKernels, "ids")
				r.compute(func(e mtl.ComputeCommandEncoder) {
					do(e.SetComputePipelineState(p), e.SetTexture(t, 0), e.DispatchThreads(size(4, 2, 1), size(4, 2, 1)))
				})
				got := r.words(b)
				assert.Equal(r, []uint32{0, 1, 2, 3}, got[:4])
				assert.Equal(r, []uint32{4, 5, 6, 7}, got[row/4:row/4+4])
				assert.Equal(r, b.ID(), t.Buffer().ID())
			}},
		aCase{"texture buffer", "A texture buffer is a buffer of texels, longer than any row.", func(r *rig) {
			n := uint(20000)
			d := must(mtl.TextureBufferDescriptorWithPixelFormat(mtl.PixelFormatR8Unorm, n, mtl.ResourceStorageModeShared,
				mtl.TextureUsageShaderRead))
			b := r.buffer(n)
			must(b.Bytes())[n-1] = 255
			t := own(r, must(b.NewTexture(d, 0, n+(16-n%16)%16)))
			p := r.pipeline(`kernel void last(texture_buffer<float> t [[texture(0)]], device float* out [[buffer(0)]]) { out[0] = t.read(t.get_width() - 1).x; out[1] = t.read(0u).x; }`, "last")
			out := r.buffer(8)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, out)
				do(e.SetTexture(t, 0), e.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []float32{1, 0}, append([]float32(nil), must(mtl.Slice[float32](out))...))
		}},
	)
}
