package compute

import (
	"fmt"
	"math/bits"
	"strings"

	"github.com/puremetal/puremetal/mtl"
)

// TextureShape is the type and size of a texture. [Texture2D] and similar functions make one. A
// size of zero means one.
type TextureShape struct {
	Type                 mtl.TextureType
	Width, Height, Depth int // of level 0, in texels
	Elements             int // of an array; an element is six layers of a cube, one layer of other types
	Levels               int // of detail (mipmaps); each is half the size of the previous one
}

// Texture1D is the shape of a row of texels, at most [mtl.MaxTextureSize2D].
func Texture1D(width int) TextureShape { return TextureShape{Type: mtl.TextureType1D, Width: width} }

// Texture2D is the shape of a rectangle of texels, at most [mtl.MaxTextureSize2D] on each side.
func Texture2D(width, height int) TextureShape {
	return TextureShape{Type: mtl.TextureType2D, Width: width, Height: height}
}

// Texture3D is the shape of a box of texels, at most [mtl.MaxTextureSize3D] on each side.
func Texture3D(width, height, depth int) TextureShape {
	return TextureShape{Type: mtl.TextureType3D, Width: width, Height: height, Depth: depth}
}

// TextureCube is the shape of six squares, which are the layers +X, -X, +Y, -Y, +Z and -Z.
func TextureCube(size int) TextureShape {
	return TextureShape{Type: mtl.TextureTypeCube, Width: size, Height: size}
}

// TextureBuffer is the shape of a row of texels in a buffer: Metal's texture_buffer, which can be
// longer than a 1D texture and cannot be sampled. Only [LinearTexture] makes one.
func TextureBuffer(width int) TextureShape {
	return TextureShape{Type: mtl.TextureTypeTextureBuffer, Width: width}
}

// Array is the shape of an array of n such textures, with at most [mtl.MaxTextureArrayLength]
// layers. Metal has no arrays of 3D textures or texture buffers; [NewTexture] returns an error for
// them.
func (s TextureShape) Array(n int) TextureShape {
	switch s.Type {
	case mtl.TextureType1D:
		s.Type = mtl.TextureType1DArray
	case mtl.TextureType2D:
		s.Type = mtl.TextureType2DArray
	case mtl.TextureTypeCube:
		s.Type = mtl.TextureTypeCubeArray
	}
	s.Elements = n
	return s
}

// Mipmapped is the same shape with all mipmap levels, down to one texel. [GenerateMipmaps] computes
// them.
func (s TextureShape) Mipmapped() TextureShape {
	s.Levels = bits.Len(uint(max(s.Width, s.Height, s.Depth, 1)))
	return s
}

// String returns "2D 640x480x1", followed by the number of elements or levels if there are several.
func (s TextureShape) String() string {
	text := fmt.Sprintf("%s %v", textureKind(s.Type), Extent{s.Width, s.Height, s.Depth})
	if s.Elements > 1 {
		text += fmt.Sprintf(" of %d elements", s.Elements)
	}
	if s.Levels > 1 {
		text += fmt.Sprintf(" with %d levels", s.Levels)
	}
	return text
}

// textureKind returns "2DArray".
func textureKind(t mtl.TextureType) string { return strings.TrimPrefix(t.String(), "TextureType") }

// isCube and isArray classify texture types.
func isCube(t mtl.TextureType) bool { return t == mtl.TextureTypeCube || t == mtl.TextureTypeCubeArray }

func isArray(t mtl.TextureType) bool {
	return t == mtl.TextureType1DArray || t == mtl.TextureType2DArray || t == mtl.TextureTypeCubeArray
}

// faces is how many layers an element has.
func (s TextureShape) faces() int {
	if isCube(s.Type) {
		return 6
	}
	return 1
}

// layers is the number of layers, which Metal calls slices.
func (s TextureShape) layers() int { return s.Elements * s.faces() }

// checked returns the shape with zeros replaced by ones, or an error if no device supports it.
func (s TextureShape) checked() (TextureShape, error) {
	for _, n := range []*int{&s.Height, &s.Depth, &s.Elements, &s.Levels} {
		if *n == 0 {
			*n = 1
		}
	}
	widest, tallest, deepest, longest := mtl.MaxTextureSize2D, mtl.MaxTextureSize2D, 1, 1
	switch s.Type {
	case mtl.TextureType1D, mtl.TextureType1DArray:
		tallest = 1
	case mtl.TextureTypeTextureBuffer:
		widest, tallest = mtl.MaxTextureBufferWidth, 1
	case mtl.TextureType3D:
		widest, tallest, deepest = mtl.MaxTextureSize3D, mtl.MaxTextureSize3D, mtl.MaxTextureSize3D
	case mtl.TextureType2D, mtl.TextureType2DArray, mtl.TextureTypeCube, mtl.TextureTypeCubeArray:
	default:
		return s,
			fmt.Errorf("texture type %s: kernels can only read such textures, and this package has no way to fill them: %w",
				textureKind(s.Type), ErrOption)
	}
	if isArray(s.Type) {
		longest = mtl.MaxTextureArrayLength / s.faces()
	}
	most := bits.Len(uint(max(s.Width, s.Height, s.Depth, 1)))
	if tallest == 1 {
		most = 1
	}
	for _, n := range []struct {
		what     string
		is, most int
	}{
		{"width", s.Width, widest}, {"height", s.Height, tallest}, {"depth", s.Depth, deepest},
		{"number of elements", s.Elements, longest}, {"number of levels", s.Levels, most},
	} {
		if n.is < 1 || n.is > n.most {
			return s, fmt.Errorf("%s %d, want 1 to %d for a %s texture: %w", n.what, n.is, n.most, textureKind(s.Type), ErrRange)
		}
	}
	if isCube(s.Type) && s.Width != s.Height {
		return s, fmt.Errorf("cube faces of %d by %d texels, want squares: %w", s.Width, s.Height, ErrRange)
	}
	return s, nil
}

// level returns the size of a level.
func (s TextureShape) level(n int) (width, height, depth uint) {
	return max(uint(s.Width)>>n, 1), max(uint(s.Height)>>n, 1), max(uint(s.Depth)>>n, 1)
}

// levelBytes returns the bytes of the first n levels of one layer, for texels of the given size.
func (s TextureShape) levelBytes(n int, texel uint) (bytes uint) {
	for i := range n {
		w, h, d := s.level(i)
		bytes += w * h * d * texel
	}
	return bytes
}

// descriptor describes a texture to Metal, +1.
func (s TextureShape) descriptor(format mtl.PixelFormat, usage mtl.TextureUsage,
	options mtl.ResourceOptions) (mtl.TextureDescriptor, error) {
	d, err := mtl.NewTextureDescriptor()
	if err != nil {
		return d, err
	}
	d.SetTextureType(s.Type)
	d.SetPixelFormat(format)
	d.SetWidth(uint(s.Width))
	d.SetHeight(uint(s.Height))
	d.SetDepth(uint(s.Depth))
	d.SetArrayLength(uint(s.Elements))
	d.SetMipmapLevelCount(uint(s.Levels))
	d.SetUsage(usage)
	d.SetResourceOptions(options)
	return d, nil
}
