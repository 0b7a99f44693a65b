package conformance

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// content returns a level of a slice of a shared texture of 32-bit texels.
func (r *rig) content(t mtl.Texture, level, slice uint, s mtl.Size) []byte {
	r.Helper()
	got := make([]byte, 4*s.Width*s.Height*s.Depth)
	do(t.GetBytesSlice(got, 4*s.Width, 4*s.Width*s.Height, mtl.Region{Size: s}, level, slice))
	return got
}

// fill writes words that count up from a number to a level of a slice of a shared texture.
func (r *rig) fill(t mtl.Texture, level, slice uint, s mtl.Size, first uint32) {
	r.Helper()
	do(t.ReplaceRegionSlice(mtl.Region{Size: s}, level, slice, from(first, int(s.Width*s.Height*s.Depth)), 4*s.Width,
		4*s.Width*s.Height))
}

// copyTextureCases are about copies between textures, and between textures and buffers.
func copyTextureCases() []aCase {
	var cases []aCase
	for _, k := range kinds() {
		n := k.level.Width * k.level.Height * k.level.Depth
		row, image := 4*k.level.Width, 4*k.level.Width*k.level.Height
		cases = append(cases,
			aCase{"buffer to " + k.name, "A copy brings a buffer's bytes to the slice that it names, and to no other.",
				func(r *rig) {
					t, b := r.shaped(mtl.PixelFormatR32Uint, k.change), r.uints(count(int(n))...)
					last := k.slices - 1
					r.copies(func(e mtl.BlitCommandEncoder) {
						do(e.CopyFromBufferToTexture(b, 0, row, image, k.level, t, last, 0, mtl.Origin{}))
					})
					for s := range k.slices {
						want := make([]byte, 4*n)
						if s == last {
							want = from(1, int(n))
						}
						assert.Equal(r, want, r.content(t, 0, s, k.level), "slice %d", s)
					}
				}},
			aCase{k.name + " to buffer", "A copy brings the texels of a slice to a buffer, rows and images apart as it says.",
				func(r *rig) {
					t := r.shaped(mtl.PixelFormatR32Uint, k.change)
					for s := range k.slices {
						r.fill(t, 0, s, k.level, uint32(100*s))
					}
					wide, tall := row+8, (row+8)*k.level.Height+16
					b := r.buffer(4 + tall*k.level.Depth)
					r.copies(func(e mtl.BlitCommandEncoder) {
						do(e.CopyFromTextureToBuffer(t, k.slices-1, 0, mtl.Origin{}, k.level, b, 4, wide, tall))
					})
					want := make([]uint32, (4+tall*k.level.Depth)/4)
					next := uint32(100 * (k.slices - 1))
					for z := range k.level.Depth {
						for y := range k.level.Height {
							for x := range k.level.Width {
								want[1+(z*tall+y*wide)/4+x] = next
								next++
							}
						}
					}
					assert.Equal(r, want, r.words(b))
				}},
			aCase{k.name + " to " + k.name, "A copy of a whole texture brings every slice over.", func(r *rig) {
				a, b := r.shaped(mtl.PixelFormatR32Uint, k.change), r.shaped(mtl.PixelFormatR32Uint, k.change)
				for s := range k.slices {
					r.fill(a, 0, s, k.level, uint32(100*s))
				}
				r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromTexture(a, b)) })
				for s := range k.slices {
					assert.Equal(r, from(uint32(100*s), int(n)), r.content(b, 0, s, k.level), "slice %d", s)
				}
			}})
	}
	plane := func(r *rig, w, h uint) mtl.Texture {
		t := r.texture(mtl.PixelFormatR32Uint, w, h)
		r.fill(t, 0, 0, size(w, h, 1), 0)
		return t
	}
	cases = append(cases,
		aCase{"region to region", "A copy of a region leaves what is beside it as it is.", func(r *rig) {
			a, b := plane(r, 4, 4), r.texture(mtl.PixelFormatR32Uint, 4, 4)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromTextureToTexture(a, 0, 0, mtl.Origin{X: 1, Y: 2}, size(2, 2, 1), b, 0, 0, mtl.Origin{X: 2}))
			})
			assert.Equal(r, packed(0, 0, 9, 10, 0, 0, 13, 14, 0, 0, 0, 0, 0, 0, 0, 0), r.content(b, 0, 0, size(4, 4, 1)))
		}},
		aCase{"region within", "A region is copied to another place of the same texture.", func(r *rig) {
			a := plane(r, 4, 2)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromTextureToTexture(a, 0, 0, mtl.Origin{}, size(2, 2, 1), a, 0, 0, mtl.Origin{X: 2}))
			})
			assert.Equal(r, packed(0, 1, 0, 1, 4, 5, 4, 5), r.content(a, 0, 0, size(4, 2, 1)))
		}},
		aCase{"slice of a volume", "An image of a volume is copied to a slice of an array.", func(r *rig) {
			a := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) {
				d.SetTextureType(mtl.TextureType3D)
				d.SetWidth(2)
				d.SetHeight(2)
				d.SetDepth(3)
			})
			r.fill(a, 0, 0, size(2, 2, 3), 0)
			b := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) {
				d.SetTextureType(mtl.TextureType2DArray)
				d.SetWidth(2)
				d.SetHeight(2)
				d.SetArrayLength(2)
			})
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromTextureToTexture(a, 0, 0, mtl.Origin{Z: 2}, size(2, 2, 1), b, 1, 0, mtl.Origin{}))
			})
			assert.Equal(r, from(8, 4), r.content(b, 0, 1, size(2, 2, 1)))
			assert.Equal(r, make([]byte, 16), r.content(b, 0, 0, size(2, 2, 1)))
		}},
		aCase{"faces to an array", "Slices and levels are copied from a cube to an array.", func(r *rig) {
			shape := func(k mtl.TextureType, n uint) func(mtl.TextureDescriptor) {
				return func(d mtl.TextureDescriptor) {
					d.SetTextureType(k)
					d.SetWidth(4)
					d.SetHeight(4)
					d.SetMipmapLevelCount(2)
					d.SetArrayLength(n)
				}
			}
			a, b := r.shaped(mtl.PixelFormatR32Uint, shape(mtl.TextureTypeCube, 1)),
				r.shaped(mtl.PixelFormatR32Uint, shape(mtl.TextureType2DArray, 4))
			for s := range uint(6) {
				r.fill(a, 0, s, size(4, 4, 1), uint32(1000*s))
				r.fill(a, 1, s, size(2, 2, 1), uint32(1000*s+500))
			}
			r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromTextureSlices(a, 3, 0, b, 1, 0, 2, 2)) })
			for i, first := range []int{-1, 3000, 4000, -1} {
				want, small := make([]byte, 64), make([]byte, 16)
				if first >= 0 {
					want, small = from(uint32(first), 16), from(uint32(first+500), 4)
				}
				assert.Equal(r, want, r.content(b, 0, uint(i), size(4, 4, 1)), "slice %d", i)
				assert.Equal(r, small, r.content(b, 1, uint(i), size(2, 2, 1)), "level 1 of slice %d", i)
			}
		}},
		aCase{"level to level", "A level is copied to a level of the same size at another depth of the pyramid.",
			func(r *rig) {
				a := r.shaped(mtl.PixelFormatR32Uint,
					func(d mtl.TextureDescriptor) { d.SetWidth(8); d.SetHeight(8); d.SetMipmapLevelCount(3) })
				b := r.texture(mtl.PixelFormatR32Uint, 4, 4)
				r.fill(a, 1, 0, size(4, 4, 1), 7)
				r.copies(func(e mtl.BlitCommandEncoder) { do(e.CopyFromTextureSlices(a, 0, 1, b, 0, 0, 1, 1)) })
				assert.Equal(r, from(7, 16), r.content(b, 0, 0, size(4, 4, 1)))
			}},
		aCase{"other format of the same size", "A copy moves the bytes of texels, whatever they mean.", func(r *rig) {
			a, b := plane(r, 2, 2), r.texture(mtl.PixelFormatRGBA8Unorm, 2, 2)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromTextureToTexture(a, 0, 0, mtl.Origin{}, size(2, 2, 1), b, 0, 0, mtl.Origin{}))
			})
			assert.Equal(r, from(0, 4), r.content(b, 0, 0, size(2, 2, 1)))
		}},
		aCase{"through private textures", "A private texture is filled and read by copies.", func(r *rig) {
			p := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) {
				d.SetWidth(4)
				d.SetHeight(2)
				d.SetStorageMode(mtl.StorageModePrivate)
			})
			in, out := r.uints(count(8)...), r.buffer(32)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromBufferToTexture(in, 0, 16, 32, size(4, 2, 1), p, 0, 0, mtl.Origin{}),
					e.CopyFromTextureToBuffer(p, 0, 0, mtl.Origin{}, size(4, 2, 1), out, 0, 16, 32))
			})
			assert.Equal(r, count(8), r.words(out))
		}},
		aCase{"kernel then copy", "A copy sees what a kernel of the same command buffer wrote to a texture.", func(r *rig) {
			t, out, p := r.texture(mtl.PixelFormatR32Uint, 4, 2), r.buffer(32), r.pipeline(textureKernels, "ids")
			b := r.commands()
			r.encode(b, func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.SetTexture(t, 0), e.DispatchThreads(size(4, 2, 1), size(4, 2, 1)))
			})
			r.blit(b, func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(4, 2, 1), out, 0, 16, 32))
			})
			r.finish(b)
			assert.Equal(r, []uint32{0, 1, 2, 3, 4, 5, 6, 7}, r.words(out))
		}},
		aCase{"through a view", "A copy into a view of a slice lands in the slice.", func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) {
				d.SetTextureType(mtl.TextureType2DArray)
				d.SetWidth(2)
				d.SetHeight(2)
				d.SetArrayLength(3)
			})
			v := own(r, must(t.NewViewOf(mtl.PixelFormatR32Uint, mtl.TextureType2D, one(), mtl.Range{Location: 1, Length: 1})))
			b := r.uints(5, 6, 7, 8)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.CopyFromBufferToTexture(b, 0, 8, 16, size(2, 2, 1), v, 0, 0, mtl.Origin{}))
			})
			assert.Equal(r, from(5, 4), r.content(t, 0, 1, size(2, 2, 1)))
			assert.Equal(r, make([]byte, 16), r.content(t, 0, 0, size(2, 2, 1)))
		}},
		aCase{"optimized", "A texture that is arranged for GPU or CPU keeps its texels.", func(r *rig) {
			t := plane(r, 4, 2)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.OptimizeContentsForGPUAccess(t), e.OptimizeContentsForGPUAccessSlice(t, 0, 0),
					e.OptimizeContentsForCPUAccess(t), e.OptimizeContentsForCPUAccessSlice(t, 0, 0))
			})
			assert.Equal(r, from(0, 8), r.content(t, 0, 0, size(4, 2, 1)))
		}},
	)
	// refusals are copies that break a rule.
	for _, k := range []struct {
		name string
		call func(*rig, mtl.BlitCommandEncoder, mtl.Texture, mtl.Buffer) error
		kind error
	}{
		{"source beyond", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{X: 3}, size(2, 1, 1), b, 0, 8, 8)
		}, mtl.ErrRegion},
		{"destination beyond", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromBufferToTexture(b, 0, 16, 32, size(4, 2, 1), t, 0, 0, mtl.Origin{Y: 3})
		}, mtl.ErrRegion},
		{"no such slice", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromBufferToTexture(b, 0, 16, 32, size(4, 2, 1), t, 1, 0, mtl.Origin{})
		}, mtl.ErrIndex},
		{"no such level", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToBuffer(t, 0, 1, mtl.Origin{}, size(2, 1, 1), b, 0, 8, 8)
		}, mtl.ErrIndex},
		{"buffer too short", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(4, 4, 1), b, 16, 16, 64)
		}, mtl.ErrLength},
		{"offset beyond", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(1, 1, 1), b, 68, 4, 4)
		}, mtl.ErrOffset},
		{"offset within a texel", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(1, 1, 1), b, 2, 4, 4)
		}, mtl.ErrAlignment},
		{"rows too close", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromBufferToTexture(b, 0, 12, 64, size(4, 2, 1), t, 0, 0, mtl.Origin{})
		}, mtl.ErrLength},
		{"region overlaps", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToTexture(t, 0, 0, mtl.Origin{}, size(2, 2, 1), t, 0, 0, mtl.Origin{X: 1})
		}, mtl.ErrOverlap},
		{"texels of other sizes", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToTexture(t, 0, 0, mtl.Origin{}, size(1, 1, 1), r.texture(mtl.PixelFormatR8Uint, 4, 4), 0, 0,
				mtl.Origin{})
		}, mtl.ErrArgument},
		{"whole texture of another format", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTexture(t, r.texture(mtl.PixelFormatR32Float, 4, 4))
		}, mtl.ErrArgument},
		{"no source texture", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTexture(mtl.Texture{}, t)
		}, mtl.ErrNil},
		{"no buffer to copy to", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(1, 1, 1), mtl.Buffer{}, 0, 4, 4)
		}, mtl.ErrNil},
		{"mipmaps of one level", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.GenerateMipmapsForTexture(t)
		}, mtl.ErrLength},
		{"mipmaps of integers", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.GenerateMipmapsForTexture(r.shaped(mtl.PixelFormatR32Uint,
				func(d mtl.TextureDescriptor) { d.SetWidth(4); d.SetMipmapLevelCount(2) }))
		}, mtl.ErrArgument},
		{"synchronized shared texture", func(r *rig, e mtl.BlitCommandEncoder, t mtl.Texture, b mtl.Buffer) error {
			return e.SynchronizeTexture(t, 0, 0)
		}, mtl.ErrStorageMode},
	} {
		cases = append(cases, aCase{k.name, "A copy that breaks a rule is refused, and the encoder works on.", func(r *rig) {
			t, b := plane(r, 4, 4), r.buffer(64)
			r.copies(func(e mtl.BlitCommandEncoder) {
				r.refused(k.call(r, e, t, b), k.kind)
				do(e.CopyFromTextureToBuffer(t, 0, 0, mtl.Origin{}, size(4, 4, 1), b, 0, 16, 64))
			})
			assert.Equal(r, count(16)[:15], r.words(b)[1:])
		}})
	}
	return append(cases, mipmapCases()...)
}

// mipmapCases are about levels that the GPU makes.
func mipmapCases() []aCase {
	floats := func(v ...float32) []byte {
		var b []byte
		for _, x := range v {
			b = append(b, float(x)...)
		}
		return b
	}
	var cases []aCase
	for _, k := range []struct {
		name          string
		typ           mtl.TextureType
		w, h, d, n    uint
		levels        uint
		first, second []float32 // level 0, and what level 1 has to be, of slice 0
	}{
		{"2D", mtl.TextureType2D, 4, 2, 1, 1, 3, []float32{0, 2, 4, 4, 4, 2, 0, 0}, []float32{2, 2}},
		{"2D array", mtl.TextureType2DArray, 2, 2, 1, 3, 2, []float32{1, 2, 3, 6}, []float32{3}},
		{"cube", mtl.TextureTypeCube, 2, 2, 1, 1, 2, []float32{4, 4, 0, 0}, []float32{2}},
		{"3D", mtl.TextureType3D, 2, 2, 2, 1, 2, []float32{0, 0, 0, 0, 8, 8, 8, 8}, []float32{4}},
	} {
		cases = append(cases, aCase{"mipmaps of " + k.name, "A generated level has the means of the texels above it.",
			func(r *rig) {
				t := r.shaped(mtl.PixelFormatR32Float, func(d mtl.TextureDescriptor) {
					d.SetTextureType(k.typ)
					d.SetWidth(k.w)
					d.SetHeight(k.h)
					d.SetDepth(k.d)
					d.SetArrayLength(k.n)
					d.SetMipmapLevelCount(k.levels)
				})
				slices := k.n
				if k.typ == mtl.TextureTypeCube {
					slices = 6
				}
				whole, half := size(k.w, k.h, k.d), size(max(k.w/2, 1), max(k.h/2, 1), max(k.d/2, 1))
				for s := range slices {
					v := make([]float32, len(k.first))
					for i, x := range k.first {
						v[i] = x + float32(s)
					}
					do(t.ReplaceRegionSlice(mtl.Region{Size: whole}, 0, s, floats(v...), 4*k.w, 4*k.w*k.h))
				}
				r.copies(func(e mtl.BlitCommandEncoder) { do(e.GenerateMipmapsForTexture(t)) })
				for s := range slices {
					want := make([]float32, len(k.second))
					for i, x := range k.second {
						want[i] = x + float32(s)
					}
					assert.Equal(r, floats(want...), r.content(t, 1, s, half), "slice %d", s)
				}
			}})
	}
	for _, f := range []struct {
		format mtl.PixelFormat
		least  byte
		most   byte
	}{{mtl.PixelFormatRGBA8Unorm, 127, 128}, {mtl.PixelFormatRGBA8Unorm_sRGB, 186, 189}} {
		cases = append(cases, aCase{fmt.Sprintf("mipmaps of %v", f.format),
			"Means are of the colors, which sRGB keeps by another measure.", func(r *rig) {
				t := r.shaped(f.format, func(d mtl.TextureDescriptor) {
					d.SetWidth(2)
					d.SetHeight(2)
					d.SetMipmapLevelCount(2)
					d.SetUsage(mtl.TextureUsageShaderRead)
				})
				black, white := []byte{0, 0, 0, 255}, []byte{255, 255, 255, 255}
				pixels := append(append(append(append([]byte(nil), black...), white...), white...), black...)
				do(t.ReplaceRegion(area(0, 0, 2, 2), 0, pixels, 8))
				r.copies(func(e mtl.BlitCommandEncoder) { do(e.GenerateMipmapsForTexture(t)) })
				got := r.content(t, 1, 0, size(1, 1, 1))
				for _, c := range got[:3] {
					assert.True(r, c >= f.least && c <= f.most, "%d, want %d to %d", c, f.least, f.most)
				}
				assert.Equal(r, byte(255), got[3])
			}})
	}
	return append(cases, aCase{"mipmaps are sampled", "A sampler with a mip filter mixes the levels that were generated.",
		func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Float,
				func(d mtl.TextureDescriptor) { d.SetWidth(4); d.SetHeight(4); d.SetMipmapLevelCount(3) })
			v := make([]float32, 16)
			for i := range v {
				v[i] = 8 * float32(i%2)
			}
			do(t.ReplaceRegion(area(0, 0, 4, 4), 0, floats(v...), 16))
			p := r.pipeline(`kernel void at(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device float* out [[buffer(0)]], constant float* lod [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = t.sample(s, float2(0.125f), level(lod[i])).x; }`, "at")
			d := own(r, must(mtl.NewSamplerDescriptor()))
			d.SetMipFilter(mtl.SamplerMipFilterLinear)
			s := own(r, must(r.device.NewSamplerState(d)))
			out, lods := r.buffer(12), r.floats(0, 0.5, 2)
			b := r.commands()
			r.blit(b, func(e mtl.BlitCommandEncoder) { do(e.GenerateMipmapsForTexture(t)) })
			r.encode(b, func(e mtl.ComputeCommandEncoder) {
				set(e, p, out, lods)
				do(e.SetTexture(t, 0), e.SetSamplerState(s, 0), e.DispatchThreads(line(3), line(3)))
			})
			r.finish(b)
			for i, want := range []float64{0, 2, 4} {
				assert.InDelta(r, want, float64(must(mtl.Slice[float32](out))[i]), 8.0/math.Exp2(8), "level %d", i)
			}
		}})
}
