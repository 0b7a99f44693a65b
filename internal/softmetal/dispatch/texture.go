package dispatch

import (
	"github.com/puremetal/puremetal/internal/ir"
)

// Texture is what a dispatch compares of a bound texture with the kernel's argument.
type Texture struct {
	Kind    string // an MTLTextureType without its prefix, such as 2DArray
	Format  string // an MTLPixelFormat without its prefix
	Numbers Numbers
	Usage   uint64 // an MTLTextureUsage; 0 allows every use
	Allows  uint64 // the uses that a kernel can make of the format; 0 allows every use
	Remote  bool   // a remote view, which kernels may not use
	Part    Part
}

// Part is what a texture shows of the memory that holds its texels.
type Part struct {
	Memory         any       // the texture that is no view, or the buffer; compared by ==, nil for none
	Offset         uint64    // bytes, in a buffer
	Levels, Slices [2]uint64 // the first, and one past the last
}

// overlaps reports whether two parts have a slice of a level in common. Textures that begin at
// different places of a buffer do not: one may have the left half of each row and the other the
// right half.
func (p *Part) overlaps(q *Part) bool {
	return p.Memory != nil && p.Memory == q.Memory && p.Offset == q.Offset &&
		p.Levels[0] < q.Levels[1] && q.Levels[0] < p.Levels[1] && p.Slices[0] < q.Slices[1] && q.Slices[0] < p.Slices[1]
}

// Uses of textures, as MTLTextureUsage has them.
const (
	UsageRead   = 1
	UsageWrite  = 2
	UsageAtomic = 0x20
)

// UsageReadWrite, in Allows, is for formats that one argument can both read and write.
const UsageReadWrite = 1 << 32

// usageOf returns the uses that an access of an argument takes.
func usageOf(access string) uint64 {
	switch access {
	case "write":
		return UsageWrite
	case "read_write":
		return UsageRead | UsageWrite
	}
	return UsageRead
}

// Numbers is the kind of number that texels are to a kernel.
type Numbers uint8

// The classes of numbers.
const (
	AnyNumbers Numbers = iota
	Fractions
	Unsigned
	Signed
)

// String returns the class as messages have it.
func (n Numbers) String() string {
	return [...]string{"any", "float or half", "unsigned integer", "signed integer"}[n]
}

// readWriteFormats lists the formats of a class that one argument can both read and write on a
// device of MTLReadWriteTextureTier2.
func (n Numbers) readWriteFormats() string {
	switch n {
	case Unsigned:
		return "R8Uint, RGBA8Uint, R16Uint, RGBA16Uint, R32Uint or RGBA32Uint"
	case Signed:
		return "R8Sint, RGBA8Sint, R16Sint, RGBA16Sint, R32Sint or RGBA32Sint"
	}
	return "R8Unorm, RGBA8Unorm, R16Float, RGBA16Float, R32Float or RGBA32Float"
}

// numbersOf returns the class of a component's type.
func numbersOf(data ir.DataType) Numbers {
	switch x := data.Shape(); {
	case x.Rows != 1:
		return AnyNumbers
	case x.Elem == ir.F32 || x.Elem == ir.F16:
		return Fractions
	case x.Unsigned:
		return Unsigned
	case x.Elem == ir.I16 || x.Elem == ir.I32 || x.Elem == ir.I64:
		return Signed
	}
	return AnyNumbers
}

// kindOf returns the name of the texture type that an argument of a shape takes.
func kindOf(d ir.TextureDim) string {
	switch d {
	case ir.Tex1D:
		return "1D"
	case ir.Tex1DArray:
		return "1DArray"
	case ir.Tex2D, ir.TexDepth2D:
		return "2D"
	case ir.Tex2DArray, ir.TexDepth2DArray:
		return "2DArray"
	case ir.Tex2DMS, ir.TexDepth2DMS:
		return "2DMultisample"
	case ir.Tex2DMSArray, ir.TexDepth2DMSArray:
		return "2DMultisampleArray"
	case ir.Tex3D:
		return "3D"
	case ir.TexCube, ir.TexDepthCube:
		return "Cube"
	case ir.TexCubeArray, ir.TexDepthCubeArray:
		return "CubeArray"
	case ir.TexBuffer:
		return "TextureBuffer"
	}
	return ""
}
