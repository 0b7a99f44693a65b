package conformance

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// shaped makes a shared texture that kernels read, whose shape a function settles.
func (r *rig) shaped(f mtl.PixelFormat, change func(mtl.TextureDescriptor)) mtl.Texture {
	r.Helper()
	d := own(r, must(mtl.NewTextureDescriptor()))
	d.SetPixelFormat(f)
	d.SetStorageMode(mtl.StorageModeShared)
	d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite)
	change(d)
	return own(r, must(r.device.NewTexture(d)))
}

// box is a region of a volume.
func box(x, y, z, w, h, d uint) mtl.Region {
	return mtl.Region{Origin: mtl.Origin{X: x, Y: y, Z: z}, Size: size(w, h, d)}
}

// packed returns words as bytes.
func packed(v ...uint32) []byte {
	var b []byte
	for _, x := range v {
		b = append(b, word(x)...)
	}
	return b
}

// from returns n words that count up from a number.
func from(first uint32, n int) []byte {
	v := make([]uint32, n)
	for i := range v {
		v[i] = first + uint32(i)
	}
	return packed(v...)
}

// kinds are textures of every type that the CPU reaches, with at least two rows where the type has
// rows.
func kinds() []struct {
	name   string
	slices uint
	level  mtl.Size // of level 0
	change func(mtl.TextureDescriptor)
} {
	set := func(k mtl.TextureType, w, h, d, n uint) func(mtl.TextureDescriptor) {
		return func(x mtl.TextureDescriptor) {
			x.SetTextureType(k)
			x.SetWidth(w)
			x.SetHeight(h)
			x.SetDepth(d)
			x.SetArrayLength(n)
		}
	}
	return []struct {
		name   string
		slices uint
		level  mtl.Size
		change func(mtl.TextureDescriptor)
	}{
		{"1D", 1, size(5, 1, 1), set(mtl.TextureType1D, 5, 1, 1, 1)},
		{"1D array", 3, size(5, 1, 1), set(mtl.TextureType1DArray, 5, 1, 1, 3)},
		{"2D", 1, size(4, 3, 1), set(mtl.TextureType2D, 4, 3, 1, 1)},
		{"2D array", 3, size(4, 2, 1), set(mtl.TextureType2DArray, 4, 2, 1, 3)},
		{"cube", 6, size(4, 4, 1), set(mtl.TextureTypeCube, 4, 4, 1, 1)},
		{"cube array", 12, size(2, 2, 1), set(mtl.TextureTypeCubeArray, 2, 2, 1, 2)},
		{"3D", 1, size(4, 3, 2), set(mtl.TextureType3D, 4, 3, 2, 1)},
	}
}

// levelCases are about the CPU's ways into levels, slices and images of textures.
func levelCases() []aCase {
	var cases []aCase
	for _, k := range kinds() {
		n := int(k.level.Width * k.level.Height * k.level.Depth)
		row, image := 4*k.level.Width, 4*k.level.Width*k.level.Height
		cases = append(cases, aCase{"slices of " + k.name,
			"Each slice of a texture is memory of its own, and all of them begin as nothing or what was put there.",
			func(r *rig) {
				t := r.shaped(mtl.PixelFormatR32Uint, k.change)
				whole := mtl.Region{Size: k.level}
				for s := range k.slices {
					do(t.ReplaceRegionSlice(whole, 0, s, from(uint32(100*s), n), row, image))
				}
				for s := range k.slices {
					got := make([]byte, 4*n)
					do(t.GetBytesSlice(got, row, image, whole, 0, s))
					assert.Equal(r, from(uint32(100*s), n), got, "slice %d", s)
				}
				r.refused(t.GetBytesSlice(make([]byte, 4*n), row, image, whole, 0, k.slices), mtl.ErrIndex)
				r.refused(t.ReplaceRegionSlice(whole, 1, 0, from(0, n), row, image), mtl.ErrIndex)
			}})
	}
	for _, k := range []struct {
		name   string
		w, h   uint
		levels []mtl.Size
	}{
		{"square", 4, 4, []mtl.Size{size(4, 4, 1), size(2, 2, 1), size(1, 1, 1)}},
		{"flat", 8, 2, []mtl.Size{size(8, 2, 1), size(4, 1, 1), size(2, 1, 1), size(1, 1, 1)}},
		{"odd", 5, 3, []mtl.Size{size(5, 3, 1), size(2, 1, 1), size(1, 1, 1)}},
	} {
		cases = append(cases, aCase{"levels " + k.name,
			"A mipmap level has half the size of the one above, rounded down and at least 1, and memory of its own.",
			func(r *rig) {
				t := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) {
					d.SetWidth(k.w)
					d.SetHeight(k.h)
					d.SetMipmapLevelCount(uint(len(k.levels)))
				})
				for l, s := range k.levels {
					do(t.ReplaceRegion(mtl.Region{Size: s}, uint(l), from(uint32(1000*l), int(s.Width*s.Height)), 4*s.Width))
					r.refused(t.ReplaceRegion(mtl.Region{Size: size(s.Width+1, s.Height, 1)}, uint(l), from(0, 100), 4*s.Width+4),
						mtl.ErrRegion)
				}
				for l, s := range k.levels {
					got := make([]byte, 4*s.Width*s.Height)
					do(t.GetBytes(got, 4*s.Width, mtl.Region{Size: s}, uint(l)))
					assert.Equal(r, from(uint32(1000*l), int(s.Width*s.Height)), got, "level %d", l)
				}
			}})
	}
	return append(cases,
		aCase{"gaps between rows", "Bytes between the rows of what is read stay as they are.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR8Uint, 2, 2)
			do(t.ReplaceRegion(area(0, 0, 2, 2), 0, []byte{1, 2, 99, 99, 3, 4}, 4))
			got := []byte{7, 7, 7, 7, 7, 7}
			do(t.GetBytes(got, 4, area(0, 0, 2, 2), 0))
			assert.Equal(r, []byte{1, 2, 7, 7, 3, 4}, got)
		}},
		aCase{"part of a volume", "A region of a volume is read and written at its place in all three directions.",
			func(r *rig) {
				t := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) {
					d.SetTextureType(mtl.TextureType3D)
					d.SetWidth(3)
					d.SetHeight(3)
					d.SetDepth(3)
				})
				do(t.ReplaceRegionSlice(box(0, 0, 0, 3, 3, 3), 0, 0, from(0, 27), 12, 36),
					t.ReplaceRegionSlice(box(1, 1, 1, 2, 1, 2), 0, 0, packed(101, 102, 103, 104), 8, 8))
				got := make([]byte, 16)
				do(t.GetBytesSlice(got, 8, 8, box(1, 1, 1, 2, 1, 2), 0, 0))
				assert.Equal(r, packed(101, 102, 103, 104), got)
				do(t.GetBytesSlice(got[:8], 8, 8, box(0, 1, 1, 2, 1, 1), 0, 0))
				assert.Equal(r, packed(12, 101), got[:8], "beside it nothing has changed")
			}},
		aCase{"row too short", "Rows closer together than a row is long are refused, with both lengths.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR32Uint, 4, 2)
			r.beyond(t.ReplaceRegion(area(0, 0, 4, 2), 0, make([]byte, 32), 12), mtl.ErrLength, 12, 16)
		}},
		aCase{"row not of texels", "Rows are whole texels apart.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR32Uint, 4, 2)
			r.beyond(t.GetBytes(make([]byte, 64), 18, area(0, 0, 4, 2), 0), mtl.ErrAlignment, 18, 4)
		}},
		aCase{"too few bytes", "Memory that does not hold the region is refused, with both lengths.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR32Uint, 4, 2)
			r.beyond(t.GetBytes(make([]byte, 31), 16, area(0, 0, 4, 2), 0), mtl.ErrLength, 31, 32)
		}},
		aCase{"private texture", "The CPU does not reach a private texture.", func(r *rig) {
			t := r.shaped(mtl.PixelFormatR32Uint, func(d mtl.TextureDescriptor) { d.SetStorageMode(mtl.StorageModePrivate) })
			r.refused(t.GetBytes(make([]byte, 4), 4, area(0, 0, 1, 1), 0), mtl.ErrStorageMode)
			r.refused(t.ReplaceRegion(area(0, 0, 1, 1), 0, make([]byte, 4), 4), mtl.ErrStorageMode)
		}},
		aCase{"empty region", "A region of no texels is refused.", func(r *rig) {
			t := r.texture(mtl.PixelFormatR32Uint, 4, 2)
			r.refused(t.GetBytes(make([]byte, 4), 4, area(0, 0, 0, 1), 0), mtl.ErrRegion)
		}},
	)
}

// shapeCases are texture descriptors that Metal rejects.
func shapeCases() []aCase {
	var cases []aCase
	type desc = mtl.TextureDescriptor
	for _, k := range []struct {
		name   string
		change func(desc)
		kind   error
	}{
		{"too wide", func(d desc) { d.SetWidth(16385) }, mtl.ErrLength},
		{"too high", func(d desc) { d.SetHeight(16385) }, mtl.ErrLength},
		{"depth of 2D", func(d desc) { d.SetDepth(2) }, mtl.ErrLength},
		{"height of 1D", func(d desc) { d.SetTextureType(mtl.TextureType1D); d.SetHeight(2) }, mtl.ErrLength},
		{"volume too wide", func(d desc) { d.SetTextureType(mtl.TextureType3D); d.SetWidth(2049) }, mtl.ErrLength},
		{"array too long", func(d desc) { d.SetTextureType(mtl.TextureType2DArray); d.SetArrayLength(2049) }, mtl.ErrLength},
		{"array of one type only", func(d desc) { d.SetArrayLength(2) }, mtl.ErrLength},
		{"cube not square", func(d desc) { d.SetTextureType(mtl.TextureTypeCube); d.SetWidth(4); d.SetHeight(8) },
			mtl.ErrLength},
		{"too many levels", func(d desc) { d.SetWidth(8); d.SetMipmapLevelCount(5) }, mtl.ErrLength},
		{"levels of 1D", func(d desc) { d.SetTextureType(mtl.TextureType1D); d.SetWidth(8); d.SetMipmapLevelCount(2) },
			mtl.ErrLength},
		{"no levels", func(d desc) { d.SetMipmapLevelCount(0) }, mtl.ErrLength},
		{"samples of 2D", func(d desc) { d.SetSampleCount(4) }, mtl.ErrArgument},
		{"three samples", func(d desc) {
			d.SetTextureType(mtl.TextureType2DMultisample)
			d.SetStorageMode(mtl.StorageModePrivate)
			d.SetSampleCount(3)
		}, mtl.ErrArgument},
		{"no format", func(d desc) { d.SetPixelFormat(mtl.PixelFormatInvalid) }, mtl.ErrArgument},
		{"no such type", func(d desc) { d.SetTextureType(mtl.TextureType(77)) }, mtl.ErrArgument},
		{"no such usage", func(d desc) { d.SetUsage(1 << 20) }, mtl.ErrArgument},
		{"shared depth", func(d desc) { d.SetPixelFormat(mtl.PixelFormatDepth32Float) }, mtl.ErrStorageMode},
		{"volume of depth", func(d desc) {
			d.SetTextureType(mtl.TextureType3D)
			d.SetPixelFormat(mtl.PixelFormatDepth32Float)
			d.SetStorageMode(mtl.StorageModePrivate)
		}, mtl.ErrArgument},
		{"written depth", func(d desc) {
			d.SetPixelFormat(mtl.PixelFormatDepth32Float)
			d.SetStorageMode(mtl.StorageModePrivate)
			d.SetUsage(mtl.TextureUsageShaderWrite)
		}, mtl.ErrArgument},
		{"atomics on floats", func(d desc) { d.SetPixelFormat(mtl.PixelFormatR32Float); d.SetUsage(mtl.TextureUsageShaderAtomic) }, mtl.ErrArgument},
		{"swizzled render target", func(d desc) {
			d.SetUsage(mtl.TextureUsageRenderTarget)
			d.SetSwizzle(mtl.TextureSwizzleChannels{Red: mtl.TextureSwizzleBlue})
		}, mtl.ErrArgument},
		{"memoryless for kernels", func(d desc) { d.SetStorageMode(mtl.StorageModeMemoryless) }, mtl.ErrStorageMode},
	} {
		cases = append(cases, aCase{k.name, fmt.Sprintf("A texture is refused for: %s.", k.name), func(r *rig) {
			d := own(r, must(mtl.NewTextureDescriptor()))
			d.SetStorageMode(mtl.StorageModeShared)
			k.change(d)
			_, err := r.device.NewTexture(d)
			r.refused(err, k.kind)
			_, err = r.device.HeapTextureSizeAndAlign(d)
			r.refused(err, k.kind)
		}})
	}
	for _, k := range []struct {
		name   string
		change func(mtl.SamplerDescriptor)
	}{
		{"no anisotropy", func(d mtl.SamplerDescriptor) { d.SetMaxAnisotropy(0) }},
		{"too much anisotropy", func(d mtl.SamplerDescriptor) { d.SetMaxAnisotropy(17) }},
		{"levels upside down", func(d mtl.SamplerDescriptor) { d.SetLodMinClamp(3); d.SetLodMaxClamp(2) }},
	} {
		cases = append(cases, aCase{"sampler: " + k.name, fmt.Sprintf("A sampler is refused for: %s.", k.name), func(r *rig) {
			d := own(r, must(mtl.NewSamplerDescriptor()))
			k.change(d)
			_, err := r.device.NewSamplerState(d)
			assert.Error(r, err)
		}})
	}
	return cases
}
