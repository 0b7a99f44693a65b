package texel

import "github.com/puremetal/puremetal/internal/ir"

// Image is the memory of a texture. Level l is max(1, size>>l) wide, and so on. The samples of a
// texel in a multisample texture are consecutive. Operations on a nil Image find no texel.
type Image struct {
	Format                        Format
	Width, Height, Depth, Samples int // each at least 1
	Layers                        int // at least 1; six for each cube
	Levels                        []Level
	Swizzle                       *Swizzle // nil: the components of the format
	ReadOnly                      bool     // writes are discarded
}

// Level is the memory of a mipmap level. Texels, rows, planes and layers outside Data do not exist.
type Level struct {
	Data              []byte
	Row, Plane, Layer int // bytes from one to the next
}

// New returns an image whose levels have no gaps: x varies fastest, then y, z, layer. Sizes of 0
// count as 1.
func New(f Format, width, height, depth, layers, samples int, levels ...[]byte) *Image {
	x := &Image{Format: f, Width: max(1, width), Height: max(1, height), Depth: max(1, depth), Layers: max(1, layers),
		Samples: max(1, samples)}
	for l, data := range levels {
		size := x.Size(l)
		row := size[0] * x.Samples * f.bytes
		x.Levels = append(x.Levels, Level{data, row, row * size[1], row * size[1] * size[2]})
	}
	return x
}

// Size returns the image's size at a level, in texels.
func (x *Image) Size(level int) [3]int {
	return [3]int{max(1, x.Width>>level), max(1, x.Height>>level), max(1, x.Depth>>level)}
}

// texel returns the memory of a texel, or nil if there is none.
func (x *Image) texel(at [3]uint32, layer, level, sample uint32) []byte {
	if x == nil || uint64(level) >= uint64(len(x.Levels)) || uint64(layer) >= uint64(x.Layers) ||
		uint64(sample) >= uint64(x.Samples) {
		return nil
	}
	size := x.Size(int(level))
	for i, c := range at {
		if uint64(c) >= uint64(size[i]) {
			return nil
		}
	}
	l := &x.Levels[level]
	i := int(layer)*l.Layer + int(at[2])*l.Plane + int(at[1])*l.Row + (int(at[0])*x.Samples+int(sample))*x.Format.bytes
	if i < 0 || i > len(l.Data)-x.Format.bytes {
		return nil
	}
	return l.Data[i:][:x.Format.bytes:x.Format.bytes]
}

// Texel returns the memory of the texel addressed by a read or write, or nil if there is none. For
// a multisample texture, level is the sample.
func (x *Image) Texel(t ir.Type, at [3]uint32, layer, level uint32) []byte {
	if t.Dim.IsMultisample() {
		return x.texel(at, layer, 0, level)
	}
	return x.texel(at, layer, level, 0)
}

// Read returns a texel for a program that declares the image as type t: four numbers of kind
// t.Elem.
func (x *Image) Read(t ir.Type, at [3]uint32, layer, level uint32) (v [4]uint64) {
	texel := x.Texel(t, at, layer, level)
	if texel == nil {
		return v
	}
	return x.Show(t, texel)
}

// Show returns what Read returns of a texel with some contents.
func (x *Image) Show(t ir.Type, texel []byte) [4]uint64 {
	v := x.Format.read(texel, t.Elem)
	if x.Swizzle != nil {
		v = x.Swizzle.bits(t.Elem, v)
	}
	if t.Dim.IsDepth() {
		v[1], v[2], v[3] = v[0], v[0], v[0]
	}
	return v
}

// Write replaces a texel by four numbers of kind t.Elem.
func (x *Image) Write(t ir.Type, at [3]uint32, layer, level uint32, v *[4]uint64) {
	if texel := x.Texel(t, at, layer, level); texel != nil && !x.ReadOnly {
		x.Format.write(texel, t.Elem, v)
	}
}

// MaxTexel is the number of bytes of the largest texel.
const MaxTexel = 16

// Written returns what a write of four numbers of kind t.Elem would make of a texel.
func (x *Image) Written(t ir.Type, texel []byte, v *[4]uint64) (b [MaxTexel]byte) {
	copy(b[:], texel)
	x.Format.write(b[:len(texel)], t.Elem, v)
	return b
}

// Query returns a property, or 0 if there is no image or no such level.
func (x *Image) Query(t ir.Type, p ir.TexProperty, level uint32) uint32 {
	if x == nil {
		return 0
	}
	switch p {
	case ir.TexMipLevels:
		return uint32(len(x.Levels))
	case ir.TexSamples:
		return uint32(x.Samples)
	case ir.TexArraySize:
		if t.Dim.IsCube() {
			return uint32(max(1, x.Layers/6))
		}
		return uint32(x.Layers)
	}
	if uint64(level) >= uint64(len(x.Levels)) {
		return 0
	}
	return uint32(x.Size(int(level))[p])
}
