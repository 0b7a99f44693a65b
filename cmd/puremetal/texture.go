package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/cmd/puremetal/internal/value"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd/float16"
)

// texture is a texture of any type of texel. It holds functions, because a generic type's methods
// would be compiled for each of the 24 types of texels, twice.
type texture struct {
	argument         compute.AnyTexture
	close            func()
	upload, download func(context.Context, []byte) error
}

// textureKind is a type of texture in Metal's language.
type textureKind struct {
	metal string // with its article: "a texture2d<float>"
	dims  string // of a value, without brackets: "HEIGHT,WIDTH"
	files string // an example of files that have such a value, or ""
}

// kindOf returns the kind of texture that a parameter takes. ok is false for kinds that a value
// cannot fill.
func kindOf(p *compute.Parameter) (k textureKind, ok bool) {
	switch p.Texture {
	case mtl.TextureType1D:
		k = textureKind{"a texture1d", "WIDTH", ""}
	case mtl.TextureType1DArray:
		k = textureKind{"a texture1d_array", "LAYERS,WIDTH", "@rows.png"}
	case mtl.TextureType2D:
		k = textureKind{"a texture2d", "HEIGHT,WIDTH", "@photo.png"}
	case mtl.TextureType2DArray:
		k = textureKind{"a texture2d_array", "LAYERS,HEIGHT,WIDTH", "[@a.png;@b.png]"}
	case mtl.TextureType3D:
		k = textureKind{"a texture3d", "DEPTH,HEIGHT,WIDTH", "@slices/"}
	case mtl.TextureTypeCube:
		k = textureKind{"a texturecube", "6,SIZE,SIZE", "@faces/"}
	case mtl.TextureTypeCubeArray:
		k = textureKind{"a texturecube_array", "FACES,SIZE,SIZE", "@faces/"}
	default:
		return textureKind{metal: "a texture of type " + strings.TrimPrefix(p.Texture.String(), "TextureType")}, false
	}
	k.metal += "<" + p.Type + ">"
	if p.Count > 1 {
		k.metal = fmt.Sprintf("an array<%s, %d>", strings.TrimPrefix(k.metal, "a "), p.Count)
		k.dims = "COUNT," + k.dims
		switch p.Texture {
		case mtl.TextureType1D:
			k.files = "@rows.png"
		case mtl.TextureType2D:
			k.files = "[@a.png;@b.png]"
		default:
			k.files = ""
		}
	}
	return k, true
}

// values returns values for such a texture, as examples.
func (k textureKind) values(p *compute.Parameter) string {
	zeros := fmt.Sprintf("zeros:%s4[%s]", p.Type, k.dims)
	if k.files == "" || p.Access == mtl.BindingAccessWriteOnly || p.Type == "int" || p.Type == "short" {
		return zeros
	}
	return k.files + " or " + zeros
}

// textureShape returns the shape of the texture that a value fills, and how many such textures
// there are for a parameter that is an array of them.
func textureShape(p *compute.Parameter, v *value.Value) (s compute.TextureShape, n int, err error) {
	k, ok := kindOf(p)
	if !ok {
		return s, 0, usage("%v is %s, which puremetal run does not support", p, k.metal)
	}
	dims := v.Shape
	if v.Struct || len(dims) != 1+strings.Count(k.dims, ",") {
		return s, 0, usage("%v is %s; want a value of TYPE[%s], such as %s, not %s", p, k.metal, k.dims,
			k.values(p), v.Describe())
	}
	n = 1
	if p.Count > 1 {
		if n, dims = dims[0], dims[1:]; uint(n) > p.Count {
			return s, 0, usage("%v is %s; %s has %d textures", p, k.metal, v.Describe(), n)
		}
	}
	s = compute.TextureShape{Type: p.Texture, Width: dims[len(dims)-1]}
	if len(dims) > 1 {
		s.Height = dims[len(dims)-2]
	}
	switch p.Texture {
	case mtl.TextureType1DArray:
		s.Height, s.Elements = 1, dims[0]
	case mtl.TextureType2DArray:
		s.Elements = dims[0]
	case mtl.TextureType3D:
		s.Depth = dims[0]
	case mtl.TextureTypeCube, mtl.TextureTypeCubeArray:
		if s.Elements = dims[0] / 6; dims[0]%6 != 0 || p.Texture == mtl.TextureTypeCube && s.Elements != 1 {
			return s, 0, usage("%v is %s; %s has %d faces, but a cube has 6", p, k.metal, v.Describe(), dims[0])
		}
	}
	return s, n, nil
}

// textureFormat returns the pixel format that stores a value in the kernel's texture parameter: the
// one that --pixel-format names, or by default the one of the value's type.
func textureFormat(p *compute.Parameter, v *value.Value, chosen option) (mtl.PixelFormat, error) {
	_, name, _ := strings.Cut(chosen.text, "=")
	if name != "" && !strings.EqualFold(name, "sRGB") {
		return namedFormat(chosen, name)
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
	format := formats[v.Type.Lanes/2]
	switch {
	case v.Type.Lanes == 3 || format == 0:
		return 0,
			usage("%v is a texture of %s, which cannot have pixels of type %v; textures of float and half take uchar, "+
				"ushort, half and float, integer textures take integers of the same signedness, all with 1, 2 or 4 channels",
				p, p.Type, v.Type)
	case name == "":
		return format, nil
	case format == mtl.PixelFormatR8Unorm:
		return mtl.PixelFormatR8Unorm_sRGB, nil
	case format == mtl.PixelFormatRG8Unorm:
		return mtl.PixelFormatRG8Unorm_sRGB, nil
	case format == mtl.PixelFormatRGBA8Unorm:
		return mtl.PixelFormatRGBA8Unorm_sRGB, nil
	}
	return 0, usage("%v: %s in a texture of %s cannot be sRGB; only uchar, uchar2 and uchar4 in textures of float and "+
		"half can", chosen, v.Describe(), p.Type)
}

// namedFormat returns the pixel format with a name such as RGBA8Unorm_sRGB.
func namedFormat(chosen option, name string) (mtl.PixelFormat, error) {
	var names []string
	for f := mtl.PixelFormat(1); f < lastFormat; f++ {
		known, ok := strings.CutPrefix(f.String(), "PixelFormat")
		if !ok || strings.Contains(known, "(") {
			continue
		}
		if strings.EqualFold(known, name) {
			return f, nil
		}
		names = append(names, known)
	}
	text := "want sRGB, or a name such as RGBA8Unorm_sRGB, RGBA16Snorm or R32Float"
	if near := diag.Suggest(name, slices.Values(names)); near != "" {
		text = fmt.Sprintf("did you mean %s?", near)
	}
	return 0, usage("%v: Metal has no pixel format %s; %s", chosen, name, text)
}

// lastFormat is above all of Metal's pixel formats.
const lastFormat = 1024

// texture creates the textures of a value.
func (j *job) texture(m *memory) error {
	shape, n, err := textureShape(m.first, m.value)
	if err != nil {
		return err
	}
	if m.format, err = textureFormat(m.first, m.value, m.chosen); err != nil {
		return err
	}
	data := make([]byte, m.value.Size())
	m.value.Fill(data, m.seed)
	j.placed = append(j.placed, m)
	for i := range n {
		label := m.name
		if n > 1 {
			label = fmt.Sprintf("%s[%d]", m.name, i)
		}
		t, err := newTexture(j.acc, m.value.Type, shape, compute.TextureOptions{Label: label, Format: m.format})
		if err != nil {
			return err
		}
		m.textures = append(m.textures, t)
		if err := t.upload(j.ctx, data[i*len(data)/n:][:len(data)/n]); err != nil {
			return err
		}
	}
	return nil
}

// newTexture creates a texture whose texels are of a value's type.
func newTexture(a *compute.Accelerator, t value.Type, s compute.TextureShape, o compute.TextureOptions) (texture,
	error) {
	switch t.Scalar {
	case value.Char:
		return newTexels[int8](a, t.Lanes, s, o)
	case value.UChar:
		return newTexels[uint8](a, t.Lanes, s, o)
	case value.Short:
		return newTexels[int16](a, t.Lanes, s, o)
	case value.UShort:
		return newTexels[uint16](a, t.Lanes, s, o)
	case value.Int:
		return newTexels[int32](a, t.Lanes, s, o)
	case value.UInt:
		return newTexels[uint32](a, t.Lanes, s, o)
	case value.Half:
		return newTexels[float16.Half](a, t.Lanes, s, o)
	case value.Float:
		return newTexels[float32](a, t.Lanes, s, o)
	}
	return texture{},
		usage("%v cannot be the type of a texture's pixels; want char, uchar, short, ushort, int, uint, half or "+
			"float, or vectors of 2 or 4 of them", t)
}

// newTexels creates a texture with texels of one, two or four numbers.
func newTexels[T any](a *compute.Accelerator, lanes int, s compute.TextureShape, o compute.TextureOptions) (texture,
	error) {
	switch lanes {
	case 1:
		return texels(compute.NewTexture[T](a, s, o))
	case 2:
		return texels(compute.NewTexture[[2]T](a, s, o))
	case 4:
		return texels(compute.NewTexture[[4]T](a, s, o))
	}
	return texture{}, usage("textures have 1, 2 or 4 numbers in a pixel, not %d", lanes)
}

// argument returns the textures as a launch takes them.
func (m *memory) argument(p *compute.Parameter) any {
	if p.Count <= 1 {
		return m.textures[0].argument
	}
	var list []compute.AnyTexture
	for _, t := range m.textures {
		list = append(list, t.argument)
	}
	return compute.Textures(list...)
}

// fits checks that a parameter takes textures that were made for another one.
func (m *memory) fits(p *compute.Parameter) error {
	format, err := textureFormat(p, m.value, m.chosen)
	if err != nil {
		return err
	}
	if format != m.format || p.Texture != m.first.Texture || (p.Count > 1) != (m.first.Count > 1) {
		was, _ := kindOf(m.first)
		is, _ := kindOf(p)
		return usage("%s is %s in an earlier step, and %v takes %s", m.name, was.metal, p, is.metal)
	}
	return nil
}

// readTexture copies the pixels of all textures.
func readTexture(ctx context.Context, m *memory, to []byte) error {
	n := len(to) / len(m.textures)
	for i, t := range m.textures {
		if err := t.download(ctx, to[i*n:][:n]); err != nil {
			return err
		}
	}
	return nil
}
