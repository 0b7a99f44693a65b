package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/mtl"
)

// textureFormat returns the pixel format that stores a value in the kernel's texture parameter.
func textureFormat(p *compute.Parameter, v *value.Value) (mtl.PixelFormat, error) {
	if p.Texture != mtl.TextureType2D || p.Count > 1 {
		return 0, usage("%v is not a single texture2d; puremetal run supports no other textures", p)
	}
	if v.Struct || len(v.Shape) != 2 {
		return 0,
			usage("%v is a texture; want an image or a two-dimensional array such as zeros:%s4[HEIGHT,WIDTH], not %s",
				p, p.Type, v.Describe())
	}
	var formats [3]mtl.PixelFormat // for 1, 2 and 4 channels
	switch s := v.Type.Scalar; p.Type {
	case "float", "half":
		switch s {
		case value.UChar:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR8Unorm, mtl.PixelFormatRG8Unorm, mtl.PixelFormatRGBA8Unorm}
		case value.UShort:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR16Unorm, mtl.PixelFormatRG16Unorm,
				mtl.PixelFormatRGBA16Unorm}
		case value.Half:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR16Float, mtl.PixelFormatRG16Float,
				mtl.PixelFormatRGBA16Float}
		case value.Float:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR32Float, mtl.PixelFormatRG32Float,
				mtl.PixelFormatRGBA32Float}
		}
	case "uint", "ushort":
		switch s {
		case value.UChar:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR8Uint, mtl.PixelFormatRG8Uint, mtl.PixelFormatRGBA8Uint}
		case value.UShort:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR16Uint, mtl.PixelFormatRG16Uint, mtl.PixelFormatRGBA16Uint}
		case value.UInt:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR32Uint, mtl.PixelFormatRG32Uint, mtl.PixelFormatRGBA32Uint}
		}
	case "int", "short":
		switch s {
		case value.Char:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR8Sint, mtl.PixelFormatRG8Sint, mtl.PixelFormatRGBA8Sint}
		case value.Short:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR16Sint, mtl.PixelFormatRG16Sint, mtl.PixelFormatRGBA16Sint}
		case value.Int:
			formats = [...]mtl.PixelFormat{mtl.PixelFormatR32Sint, mtl.PixelFormatRG32Sint, mtl.PixelFormatRGBA32Sint}
		}
	}
	if v.Type.Lanes == 3 || formats[0] == 0 {
		return 0,
			usage("%v is a texture of %s, which cannot have pixels of type %v; textures of float and half take uchar, "+
				"ushort, half and float, integer textures take integers of the same signedness, all with 1, 2 or 4 channels",
				p, p.Type, v.Type)
	}
	return formats[v.Type.Lanes/2], nil
}

// texture creates the texture of a value.
func (j *job) texture(m *memory) error {
	var err error
	if m.format, err = textureFormat(m.first, m.value); err != nil {
		return err
	}
	if !j.acc.Info().Limits.UnifiedMemory {
		return errors.New("textures need a GPU with unified memory, which this one does not have")
	}
	d, err := mtl.NewTextureDescriptor()
	if err != nil {
		return err
	}
	defer d.Release()
	d.SetPixelFormat(m.format)
	d.SetWidth(uint(m.value.Shape[1]))
	d.SetHeight(uint(m.value.Shape[0]))
	d.SetStorageMode(mtl.StorageModeShared)
	d.SetUsage(mtl.TextureUsageShaderRead | mtl.TextureUsageShaderWrite)
	if m.texture, err = j.acc.Device().NewTexture(d); err != nil {
		return err
	}
	j.placed = append(j.placed, m)
	data := make([]byte, m.value.Size())
	m.value.Fill(data, m.seed)
	if err := m.texture.ReplaceRegion(m.region(), 0, data, m.row()); err != nil {
		return fmt.Errorf("filling the texture: %w", err)
	}
	return nil
}

// fits checks that a parameter takes the memory's texture, which may have been made for another.
func (m *memory) fits(p *compute.Parameter) error {
	format, err := textureFormat(p, m.value)
	if err == nil && format != m.format {
		return usage("%s is a texture of %s in an earlier step, and %v takes %s", m.name, m.first.Type, p, p.Type)
	}
	return err
}

// region returns the whole texture.
func (m *memory) region() mtl.Region {
	return mtl.Region{Size: mtl.Size{Width: uint(m.value.Shape[1]), Height: uint(m.value.Shape[0]), Depth: 1}}
}

// row returns the bytes of a row of the texture.
func (m *memory) row() uint { return uint(m.value.Shape[1] * m.value.Type.Size()) }

// readTexture copies a texture's pixels.
func readTexture(m *memory, to []byte) error {
	return m.texture.GetBytes(to, m.row(), m.region(), 0)
}

// sampler creates a sampler from "sampler:" and words that are separated by commas. Without words
// it filters linearly, clamps to the edge and takes coordinates from 0 to 1.
func (j *job) sampler(text string) (mtl.SamplerState, error) {
	words, ok := strings.CutPrefix(text, "sampler:")
	if !ok {
		return mtl.SamplerState{},
			usage("%q is no sampler; want sampler: and linear or nearest, clamp or repeat, texels",
				text)
	}
	d, err := mtl.NewSamplerDescriptor()
	if err != nil {
		return mtl.SamplerState{}, err
	}
	defer d.Release()
	filter, address, texels := mtl.SamplerMinMagFilterLinear, mtl.SamplerAddressModeClampToEdge, false
	for _, word := range strings.Split(words, ",") {
		switch word {
		case "", "linear", "clamp":
		case "nearest":
			filter = mtl.SamplerMinMagFilterNearest
		case "repeat":
			address = mtl.SamplerAddressModeRepeat
		case "texels":
			texels = true
		default:
			return mtl.SamplerState{},
				usage("%q: samplers have no %q; want linear or nearest, clamp or repeat, texels", text,
					word)
		}
	}
	if texels && address == mtl.SamplerAddressModeRepeat {
		return mtl.SamplerState{}, usage("%q: a sampler that takes texels cannot repeat", text)
	}
	d.SetMinFilter(filter)
	d.SetMagFilter(filter)
	d.SetSAddressMode(address)
	d.SetTAddressMode(address)
	d.SetNormalizedCoordinates(!texels)
	s, err := j.acc.Device().NewSamplerState(d)
	if err == nil {
		j.samplers = append(j.samplers, s)
	}
	return s, err
}
