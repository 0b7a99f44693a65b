package ir

import "fmt"

// Kind is the kind of one element of a value.
type Kind uint8

// The kinds. Integers have no signedness; operations do.
const (
	Void    Kind = iota // no value
	I1                  // a truth value; one byte in memory, 0 or 1
	I8                  // an integer of 8 bits
	I16                 // an integer of 16 bits
	I32                 // an integer of 32 bits
	I64                 // an integer of 64 bits
	F16                 // IEEE binary16
	BF16                // bfloat16: the upper half of a binary32
	F32                 // IEEE binary32
	Pointer             // an address in Type.Space; 8 bytes in memory
	Texture             // the handle of a texture; 8 bytes in memory
	Sampler             // the handle of a sampler; 8 bytes in memory
	Matrix              // this lane's two elements of an 8x8 simdgroup matrix; never in memory
	numKinds
)

var kindNames = [numKinds]string{"void", "i1", "i8", "i16", "i32", "i64", "f16", "bf16", "f32", "ptr", "tex", "sampler",
	"mat"}

var kindSizes = [numKinds]uint8{0, 1, 1, 2, 4, 8, 2, 2, 4, 8, 8, 8, 0}

func (k Kind) String() string {
	if k < numKinds {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Size returns the size of one element in memory in bytes, or 0 for kinds that are never in memory.
func (k Kind) Size() int {
	if k < numKinds {
		return int(kindSizes[k])
	}
	return 0
}

// Bits returns the width of a number or truth value, or 0 for other kinds.
func (k Kind) Bits() int {
	switch {
	case k == I1:
		return 1
	case k >= I8 && k <= F32:
		return 8 * k.Size()
	}
	return 0
}

// IsInt reports whether k is an integer of 8 bits or more.
func (k Kind) IsInt() bool { return k >= I8 && k <= I64 }

// IsFloat reports whether k is a floating-point kind.
func (k Kind) IsFloat() bool { return k >= F16 && k <= F32 }

// Space is an address space.
type Space uint8

// The address spaces.
const (
	NoSpace     Space = iota
	Thread            // private to a thread
	Threadgroup       // shared by a threadgroup
	Device            // writable buffers
	Constant          // read-only buffers and program data
	numSpaces
)

var spaceNames = [numSpaces]string{"none", "thread", "threadgroup", "device", "constant"}

func (s Space) String() string {
	if s < numSpaces {
		return spaceNames[s]
	}
	return fmt.Sprintf("space(%d)", uint8(s))
}

// TextureDim is the shape of a texture.
type TextureDim uint8

// The shapes of textures.
const (
	NoTexture TextureDim = iota
	Tex1D
	Tex1DArray
	Tex2D
	Tex2DArray
	Tex2DMS
	Tex2DMSArray
	Tex3D
	TexCube
	TexCubeArray
	TexBuffer
	TexDepth2D
	TexDepth2DArray
	TexDepth2DMS
	TexDepth2DMSArray
	TexDepthCube
	TexDepthCubeArray
	numTextureDims
)

// textureDims holds, for each shape, its name, the number of integer coordinates of a texel and of
// float coordinates of a sample, and its properties.
var textureDims = [numTextureDims]struct {
	name                            string
	texel, sample                   uint8
	array, multi, cube, depthFormat bool
}{
	{name: "none"},
	{name: "1d", texel: 1, sample: 1},
	{name: "1d_array", texel: 1, sample: 1, array: true},
	{name: "2d", texel: 2, sample: 2},
	{name: "2d_array", texel: 2, sample: 2, array: true},
	{name: "2d_ms", texel: 2, multi: true},
	{name: "2d_ms_array", texel: 2, array: true, multi: true},
	{name: "3d", texel: 3, sample: 3},
	{name: "cube", texel: 2, sample: 3, cube: true},
	{name: "cube_array", texel: 2, sample: 3, array: true, cube: true},
	{name: "buffer", texel: 1},
	{name: "depth2d", texel: 2, sample: 2, depthFormat: true},
	{name: "depth2d_array", texel: 2, sample: 2, array: true, depthFormat: true},
	{name: "depth2d_ms", texel: 2, multi: true, depthFormat: true},
	{name: "depth2d_ms_array", texel: 2, array: true, multi: true, depthFormat: true},
	{name: "depthcube", texel: 2, sample: 3, cube: true, depthFormat: true},
	{name: "depthcube_array", texel: 2, sample: 3, array: true, cube: true, depthFormat: true},
}

func (d TextureDim) String() string {
	if d < numTextureDims {
		return textureDims[d].name
	}
	return fmt.Sprintf("texture(%d)", uint8(d))
}

// MarshalText returns the name of the shape.
func (d TextureDim) MarshalText() ([]byte, error) {
	if d >= numTextureDims {
		return nil, fmt.Errorf("ir: there is no texture shape %d", uint8(d))
	}
	return []byte(textureDims[d].name), nil
}

// UnmarshalText reads the name of a shape.
func (d *TextureDim) UnmarshalText(text []byte) error {
	for i := range textureDims {
		if textureDims[i].name == string(text) {
			*d = TextureDim(i)
			return nil
		}
	}
	return fmt.Errorf("ir: there is no texture shape %q", text)
}

// TexelCoords returns the number of integer coordinates of a texel within a layer.
func (d TextureDim) TexelCoords() int { return int(textureDims[d%numTextureDims].texel) }

// SampleCoords returns the number of float coordinates of a sample, 0 for a shape that cannot be
// sampled.
func (d TextureDim) SampleCoords() int { return int(textureDims[d%numTextureDims].sample) }

// IsArray reports whether the shape has array layers; the faces of a cube do not count.
func (d TextureDim) IsArray() bool { return textureDims[d%numTextureDims].array }

// IsMultisample reports whether texels hold several samples.
func (d TextureDim) IsMultisample() bool { return textureDims[d%numTextureDims].multi }

// IsCube reports whether a layer is a face: layer = 6*array index + face.
func (d TextureDim) IsCube() bool { return textureDims[d%numTextureDims].cube }

// IsDepth reports whether the texture holds depths: reads and samples give one value in all four
// components.
func (d TextureDim) IsDepth() bool { return textureDims[d%numTextureDims].depthFormat }

// Access is how a program uses a buffer or texture.
type Access uint8

// The accesses.
const (
	NoAccess  Access = iota
	Read             // read_only
	Write            // write_only
	ReadWrite        // read_write
	Sample           // sample: read, and filtered through a sampler
	numAccesses
)

var accessNames = [numAccesses]string{"none", "read", "write", "read_write", "sample"}

func (a Access) String() string {
	if a < numAccesses {
		return accessNames[a]
	}
	return fmt.Sprintf("access(%d)", uint8(a))
}

// Type is the type of a value. Types are compared with ==; create them with the functions below, so
// that fields unused by a kind are zero.
type Type struct {
	Kind   Kind
	N      uint8      // lanes of a vector, 2 to 4; 1 for everything else, 0 for Void
	Space  Space      // of a Pointer
	Elem   Kind       // element kind of a Matrix or Texture
	Dim    TextureDim // of a Texture
	Access Access     // of a Texture
}

// The most common types.
var (
	TVoid    = Type{}
	TI1      = Type{Kind: I1, N: 1}
	TI8      = Type{Kind: I8, N: 1}
	TI16     = Type{Kind: I16, N: 1}
	TI32     = Type{Kind: I32, N: 1}
	TI64     = Type{Kind: I64, N: 1}
	TF16     = Type{Kind: F16, N: 1}
	TBF16    = Type{Kind: BF16, N: 1}
	TF32     = Type{Kind: F32, N: 1}
	TSampler = Type{Kind: Sampler, N: 1}
)

// Scalar returns a scalar type.
func Scalar(k Kind) Type { return Type{Kind: k, N: 1} }

// Vector returns a type with n lanes, 1 to 4.
func Vector(k Kind, n int) Type { return Type{Kind: k, N: uint8(n)} }

// PointerTo returns the type of addresses in a space. Pointers have no pointee type; loads and
// stores specify a type instead.
func PointerTo(s Space) Type { return Type{Kind: Pointer, N: 1, Space: s} }

// MatrixOf returns the type of an 8x8 simdgroup matrix of F16, BF16 or F32 elements.
func MatrixOf(elem Kind) Type { return Type{Kind: Matrix, N: 1, Elem: elem} }

// TextureOf returns the type of a texture handle. Elem is the kind returned by a read: I16, I32,
// I64, F16 or F32.
func TextureOf(dim TextureDim, elem Kind, access Access) Type {
	return Type{Kind: Texture, N: 1, Elem: elem, Dim: dim, Access: access}
}

// IsVector reports whether t has two lanes or more.
func (t Type) IsVector() bool { return t.N > 1 }

// Lanes returns the number of lanes, which is 1 unless t is a vector.
func (t Type) Lanes() int { return int(t.N) }

// Element returns the type of one lane.
func (t Type) Element() Type {
	if t.N > 1 {
		t.N = 1
	}
	return t
}

// With returns the type of kind k with as many lanes as t.
func (t Type) With(k Kind) Type { return Type{Kind: k, N: t.N} }

// Widen returns the type of t's kind with n lanes.
func (t Type) Widen(n int) Type { return Type{Kind: t.Kind, N: uint8(n)} }

// Size returns the number of bytes that a load of t reads. Lanes are contiguous, so a vector of
// three floats has 12 bytes. It is 0 for types that are never in memory.
func (t Type) Size() int { return int(t.N) * t.Kind.Size() }

// Valid reports whether a value can have type t.
func (t Type) Valid() bool {
	switch k := t.Kind; {
	case k >= I1 && k <= F32:
		return t.N >= 1 && t.N <= 4 && t == Type{Kind: k, N: t.N}
	case k == Pointer:
		return t.Space > NoSpace && t.Space < numSpaces && t == PointerTo(t.Space)
	case k == Sampler:
		return t == TSampler
	case k == Matrix:
		return t.Elem.IsFloat() && t == MatrixOf(t.Elem)
	case k == Texture:
		elem := t.Elem >= I16 && t.Elem <= I64 || t.Elem == F16 || t.Elem == F32
		return elem && t.Dim > NoTexture && t.Dim < numTextureDims && t.Access > NoAccess && t.Access < numAccesses &&
			t == TextureOf(t.Dim, t.Elem, t.Access)
	}
	return false
}

// String returns the text form: i32, f32x4, ptr.device, mat.f16, tex.2d.f32.sample, sampler.
func (t Type) String() string {
	switch t.Kind {
	case Pointer:
		return "ptr." + t.Space.String()
	case Matrix:
		return "mat." + t.Elem.String()
	case Texture:
		return "tex." + t.Dim.String() + "." + t.Elem.String() + "." + t.Access.String()
	}
	if t.N > 1 {
		return fmt.Sprintf("%vx%d", t.Kind, t.N)
	}
	return t.Kind.String()
}
