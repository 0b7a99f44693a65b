package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// texture makes a shared texture of two dimensions for kernels.
func (r *rig) texture(f mtl.PixelFormat, w, h uint) mtl.Texture {
	r.Helper()
	d := must(mtl.Texture2DDescriptorWithPixelFormat(f, w, h, false))
	d.SetStorageMode(mtl.StorageModeShared)
	d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite)
	return own(r, must(r.device.NewTexture(d)))
}

// area is a region of a plane.
func area(x, y, w, h uint) mtl.Region {
	return mtl.Region{Origin: mtl.Origin{X: x, Y: y}, Size: size(w, h, 1)}
}

const textureKernels = `
kernel void invert(texture2d<float, access::read> a [[texture(0)]], texture2d<float, access::write> b [[texture(1)]],
                   uint2 at [[thread_position_in_grid]]) { b.write(1.0f - a.read(at), at); }
kernel void ids(texture2d<uint, access::write> b [[texture(0)]], uint2 at [[thread_position_in_grid]]) {
    b.write(uint4(at.y * b.get_width() + at.x), at);
}
kernel void sampled(texture2d<float> a [[texture(0)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]],
                    constant float2* at [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = a.sample(s, at[i]).x; }
`

func textureCases() []aCase {
	return []aCase{
		{"default storage", "Textures are shared on Apple GPUs and managed on others by default.", func(r *rig) {
			want := mtl.StorageModeManaged
			if r.device.HasUnifiedMemory() && r.device.Supports(mtl.GPUFamilyApple7) {
				want = mtl.StorageModeShared
			}
			for _, d := range []mtl.TextureDescriptor{
				own(r, must(mtl.NewTextureDescriptor())),
				must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatRGBA8Unorm, 8, 4, false)),
				must(mtl.TextureCubeDescriptorWithPixelFormat(mtl.PixelFormatRGBA8Unorm, 4, false)),
			} {
				assert.Equal(r, want, d.StorageMode())
				assert.Equal(r, want, d.ResourceOptions().StorageMode())
				assert.Equal(r, want, own(r, must(r.device.NewTexture(d))).StorageMode())
			}
		}},
		{"properties", "A texture has the properties of its descriptor.", func(r *rig) {
			t := r.texture(mtl.PixelFormatRGBA8Unorm, 8, 4)
			assert.Equal(r, uint(8), t.Width())
			assert.Equal(r, uint(4), t.Height())
			assert.Equal(r, uint(1), t.Depth())
			assert.Equal(r, uint(1), t.MipmapLevelCount())
			assert.Equal(r, uint(1), t.ArrayLength())
			assert.Equal(r, uint(1), t.SampleCount())
			assert.Equal(r, mtl.PixelFormatRGBA8Unorm, t.PixelFormat())
			assert.Equal(r, mtl.TextureType2D, t.TextureType())
		}},
		{"label", "A texture keeps the label it is given.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR8Unorm, 4, 4)
			t.SetLabel("picture")
			assert.Equal(r, "picture", t.Label())
		}},
		{"bytes", "A texture gives back the texels that were put into it.", func(r *rig) {
			t := r.texture(mtl.PixelFormatRGBA8Unorm, 2, 2)
			in := []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
			out := make([]byte, 16)
			do(t.ReplaceRegion(area(0, 0, 2, 2), 0, in, 8), t.GetBytes(out, 8, area(0, 0, 2, 2), 0))
			assert.Equal(r, in, out)
		}},
		{"region", "Texels outside of a region stay as they are.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR8Uint, 4, 2)
			out := make([]byte, 8)
			do(t.ReplaceRegion(area(0, 0, 4, 2), 0, make([]byte, 8), 4), t.ReplaceRegion(area(1, 1, 2, 1), 0, []byte{7, 8}, 2),
				t.GetBytes(out, 4, area(0, 0, 4, 2), 0))
			assert.Equal(r, []byte{0, 0, 0, 0, 0, 7, 8, 0}, out)
		}},
		{"region beyond", "A region beyond the edge is refused.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR8Uint, 4, 2)
			r.refused(t.ReplaceRegion(area(3, 0, 2, 1), 0, []byte{1, 2}, 2), mtl.ErrRegion)
		}},
		{"no width", "A texture without width is refused.", func(r *rig) {
			d := must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR8Unorm, 1, 1, false))
			d.SetWidth(0)
			_, err := r.device.NewTexture(d)
			assert.Error(r, err)
		}},
		{"mipmaps", "A texture with mipmaps has a level for each halving.", func(r *rig) {
			d := must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR8Unorm, 16, 4, true))
			assert.Equal(r, uint(5), own(r, must(r.device.NewTexture(d))).MipmapLevelCount())
		}},
		{"kernel", "A kernel reads one texture and writes another.", func(r *rig) {
			a, b := r.texture(mtl.PixelFormatR32Float, 2, 2), r.texture(mtl.PixelFormatR32Float, 2, 2)
			in := append(append(float(0), float(0.25)...), append(float(0.5), float(1)...)...)
			want := append(append(float(1), float(0.75)...), append(float(0.5), float(0)...)...)
			do(a.ReplaceRegion(area(0, 0, 2, 2), 0, in, 8))
			p := r.pipeline(textureKernels, "invert")
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.SetTextures([]mtl.Texture{a, b}, 0),
					e.DispatchThreads(size(2, 2, 1), size(2, 2, 1)))
			})
			out := make([]byte, 16)
			do(b.GetBytes(out, 8, area(0, 0, 2, 2), 0))
			assert.Equal(r, want, out)
		}},
		{"integers", "A kernel writes integers to a texture, and knows its width.", func(r *rig) {
			t, p := r.texture(mtl.PixelFormatR32Uint, 4, 2), r.pipeline(textureKernels, "ids")
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.SetTexture(t, 0), e.DispatchThreads(size(4, 2, 1), size(4, 2, 1)))
			})
			out := make([]byte, 32)
			do(t.GetBytes(out, 16, area(0, 0, 4, 2), 0))
			for i := range uint32(8) {
				assert.Equal(r, word(i), out[4*i:4*i+4])
			}
		}},
		{"copy from buffer", "A blit copies a buffer into a texture, and a texture into a buffer.", func(r *rig) {
			t, a, b := r.texture(mtl.PixelFormatR32Uint, 2, 2), r.uints(1, 2, 3, 4), r.buffer(16)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromBufferToTexture(a, 0, 8, 16, size(2, 2, 1), t, 0, 0, mtl.Origin{}),
					e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(2, 2, 1), b, 0, 8, 16))
			})
			assert.Equal(r, []uint32{1, 2, 3, 4}, r.words(b))
		}},
		{"nearest", "A sampler without a filter takes the nearest texel; by default coordinates are normalized and clamped to the edge.", func(r *rig) {
			assert.Equal(r, []float32{0, 1, 0, 1}, r.sample(nil, 0.25, 0.75, -3, 5))
		}},
		{"linear", "A linear filter mixes the texels beside a coordinate.", func(r *rig) {
			assert.Equal(r, []float32{0, 0.5, 1}, r.sample(func(d mtl.SamplerDescriptor) {
				d.SetMinFilter(mtl.SamplerMinMagFilterLinear)
				d.SetMagFilter(mtl.SamplerMinMagFilterLinear)
			}, 0.25, 0.5, 0.75))
		}},
		{"repeat", "A repeating sampler begins anew beyond the edge.", func(r *rig) {
			assert.Equal(r, []float32{0, 1, 0, 1}, r.sample(func(d mtl.SamplerDescriptor) {
				d.SetSAddressMode(mtl.SamplerAddressModeRepeat)
			}, 1.25, 1.75, -0.75, -0.25))
		}},
		{"texel coordinates", "A sampler without normalized coordinates counts texels.", func(r *rig) {
			assert.Equal(r, []float32{0, 1},
				r.sample(func(d mtl.SamplerDescriptor) { d.SetNormalizedCoordinates(false) }, 0.5, 1.5))
		}},
		{"sampler label", "A sampler has the label of its descriptor.", func(r *rig) {
			d := own(r, must(mtl.NewSamplerDescriptor()))
			d.SetLabel("smooth")
			assert.Equal(r, "smooth", own(r, must(r.device.NewSamplerState(d))).Label())
		}},
	}
}

// sample reads a texture of the texels 0 and 1 at places along its width.
func (r *rig) sample(change func(mtl.SamplerDescriptor), at ...float32) []float32 {
	r.Helper()
	t := r.texture(mtl.PixelFormatR32Float, 2, 1)
	do(t.ReplaceRegion(area(0, 0, 2, 1), 0, append(float(0), float(1)...), 8))
	d := own(r, must(mtl.NewSamplerDescriptor()))
	if change != nil {
		change(d)
	}
	s := own(r, must(r.device.NewSamplerState(d)))
	p := r.pipeline(textureKernels, "sampled")
	places := make([]float32, 0, 2*len(at))
	for _, x := range at {
		places = append(places, x, 0.5)
	}
	out, in := r.buffer(uint(4*len(at))), r.floats(places...)
	r.compute(func(e mtl.ComputeCommandEncoder) {
		set(e, p, out, in)
		do(e.SetTexture(t, 0), e.SetSamplerState(s, 0), e.DispatchThreads(line(uint(len(at))), line(1)))
	})
	return append([]float32(nil), must(mtl.Slice[float32](out))...)
}
