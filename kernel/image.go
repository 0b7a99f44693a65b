package kernel

import (
	"fmt"
	"reflect"

	"github.com/puremetal/puremetal/internal/exec/texel"
)

// Image is the memory of textures for [Run]: pixels in one of Metal's formats. Textures of the same
// Image share it.
type Image struct {
	format string
	bytes  []byte
	texels texel.Image
}

// maxImage is the largest width and height, as in Metal.
const maxImage = 16384

// NewImage returns an image whose memory is the slice: kernels that write to a texture of the image
// change the pixels. They are given row by row without gaps, in types of any size without pointers
// and padding: []byte and []simd.UChar4 are both good for RGBA8Unorm. Width and height are 1 to
// 16384.
//
// The format is Metal's name of a pixel format that is neither compressed nor planar, such as
// R32Float, RGBA8Unorm, BGRA8Unorm_sRGB or RG16Uint. Kernels see the components of Unorm, Snorm and
// Float as floating-point numbers, and those of Uint and Sint as integers. A write converts and
// rounds as the device does. Not every device can write every format.
func NewImage[P any](pixels []P, width, height int, format string) (*Image, error) {
	wrong := func(text string, args ...any) (*Image, error) {
		return nil, fmt.Errorf("kernel: NewImage: "+text, args...)
	}
	f, ok := texel.ParseFormat(format)
	typ := reflect.TypeFor[P]()
	switch {
	case !ok:
		return wrong("pixel format %q is unknown, compressed or planar; use one such as RGBA8Unorm or R32Float", format)
	case width < 1 || width > maxImage || height < 1 || height > maxImage:
		return wrong("%d x %d pixels; want 1 to %d in each dimension", width, height, maxImage)
	case numbersIn(typ) != typ.Size() || typ.Size() == 0:
		return wrong("pixels of type %v; use numbers, and arrays and structures of them without padding", typ)
	}
	bytes := bytesOf(pixels)
	if want := width * height * f.Size(); len(bytes) != want {
		return wrong("%d pixels of %d bytes for %d x %d of format %s; want %d bytes in all", len(pixels), typ.Size(),
			width, height, format, want)
	}
	return &Image{format, bytes, *texel.New(f, width, height, 1, 1, 1, bytes)}, nil
}

// numbersIn returns how many bytes of a type are numbers.
func numbersIn(t reflect.Type) (n uintptr) {
	switch k := t.Kind(); {
	case k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr:
		return t.Size()
	case k == reflect.Array:
		return uintptr(t.Len()) * numbersIn(t.Elem())
	case k == reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Name != "_" {
				n += numbersIn(f.Type)
			}
		}
	}
	return n
}

// Width returns the number of pixels in a row.
func (m *Image) Width() int { return m.texels.Width }

// Height returns the number of rows.
func (m *Image) Height() int { return m.texels.Height }

// Format returns Metal's name of the pixel format.
func (m *Image) Format() string { return m.format }

// Bytes returns the image's memory, row by row without gaps. It is not a copy.
func (m *Image) Bytes() []byte { return m.bytes }

// image returns what textures access; that of no image has no texels.
func (m *Image) image() *texel.Image {
	if m == nil {
		return nil
	}
	return &m.texels
}
