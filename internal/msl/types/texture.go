package types

// TextureKind is the shape of a texture type.
type TextureKind uint8

// The texture types of the language.
const (
	Texture1D TextureKind = iota
	Texture1DArray
	Texture2D
	Texture2DArray
	Texture3D
	TextureCube
	TextureCubeArray
	Texture2DMS
	Texture2DMSArray
	TextureBuffer
	Depth2D
	Depth2DArray
	DepthCube
	DepthCubeArray
	Depth2DMS
	Depth2DMSArray
	NumTextureKinds
)

var textureNames = [NumTextureKinds]string{
	"texture1d", "texture1d_array", "texture2d", "texture2d_array", "texture3d", "texturecube", "texturecube_array",
	"texture2d_ms", "texture2d_ms_array", "texture_buffer",
	"depth2d", "depth2d_array", "depthcube", "depthcube_array", "depth2d_ms", "depth2d_ms_array",
}

// String returns the name of the class template: "texture2d_array".
func (k TextureKind) String() string { return textureNames[k] }

// TextureKindOf returns the kind for the name of a class template.
func TextureKindOf(name string) (TextureKind, bool) {
	for k, n := range textureNames {
		if n == name {
			return TextureKind(k), true
		}
	}
	return 0, false
}

// IsDepth reports whether k is a depth texture.
func (k TextureKind) IsDepth() bool { return k >= Depth2D }

// IsArray reports whether k has layers.
func (k TextureKind) IsArray() bool {
	switch k {
	case Texture1DArray, Texture2DArray, TextureCubeArray, Texture2DMSArray, Depth2DArray, DepthCubeArray, Depth2DMSArray:
		return true
	}
	return false
}

// IsMultisampled reports whether k has several samples per pixel.
func (k TextureKind) IsMultisampled() bool {
	switch k {
	case Texture2DMS, Texture2DMSArray, Depth2DMS, Depth2DMSArray:
		return true
	}
	return false
}

// IsCube reports whether k has six faces.
func (k TextureKind) IsCube() bool {
	switch k {
	case TextureCube, TextureCubeArray, DepthCube, DepthCubeArray:
		return true
	}
	return false
}

// Dims returns the number of pixel coordinates: 2 for a face of a cube, 1 for a texture buffer.
func (k TextureKind) Dims() int {
	switch k {
	case Texture1D, Texture1DArray, TextureBuffer:
		return 1
	case Texture3D:
		return 3
	}
	return 2
}

// Access is how a texture may be used.
type Access uint8

// The values of access::.
const (
	AccessSample Access = iota
	AccessRead
	AccessWrite
	AccessReadWrite
	numAccesses
)

var accessNames = [numAccesses]string{"sample", "read", "write", "read_write"}

func (a Access) String() string { return accessNames[a] }

// CanRead reports whether the access allows read and the methods that go with it.
func (a Access) CanRead() bool { return a != AccessWrite }

// CanWrite reports whether the access allows write.
func (a Access) CanWrite() bool { return a >= AccessWrite }

// Texture is a texture type. Its values are eight-byte handles.
type Texture struct {
	Kind     TextureKind
	Elem     *Basic // float, half, int, uint, short, ushort, ulong
	Access   Access
	Coherent bool // memory_coherence_device, from Metal 3.2
}

// Size returns the size of a handle in bytes.
func (t *Texture) Size() int { return 8 }

// Align returns the alignment of a handle.
func (t *Texture) Align() int { return 8 }
func (t *Texture) String() string {
	s := t.Kind.String() + "<" + t.Elem.name + ", access::" + t.Access.String()
	if t.Coherent {
		s += ", memory_coherence::memory_coherence_device"
	}
	return s + ">"
}
func (t *Texture) isType() {}

// DefaultAccess returns the access of a texture type that does not specify one.
func (k TextureKind) DefaultAccess() Access {
	if k.IsMultisampled() || k == TextureBuffer {
		return AccessRead
	}
	return AccessSample
}

// TextureElem reports whether elem is allowed as the component type of a texture of this kind.
func (k TextureKind) TextureElem(elem *Basic) bool {
	switch elem.kind {
	case FloatKind:
		return true
	case HalfKind, IntKind, UIntKind, ShortKind, UShortKind:
		return !k.IsDepth()
	case ULongKind:
		return !k.IsDepth() && !k.IsMultisampled() && !k.IsCube()
	}
	return false
}

// Allows reports whether textures of this kind support an access: multisampled textures can only be
// read, texture buffers cannot be sampled, and depth textures cannot be written.
func (k TextureKind) Allows(a Access) bool {
	switch {
	case k.IsMultisampled():
		return a == AccessRead || a == AccessWrite && !k.IsDepth()
	case k == TextureBuffer:
		return a != AccessSample
	case k.IsDepth():
		return a <= AccessRead
	}
	return a < numAccesses
}
