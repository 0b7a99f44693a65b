package softmetal

import (
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
)

// textureKind returns the name of a texture type in reflection.
func textureKind(kind uint64) string {
	switch kind {
	case mtlTextureType1D:
		return "1D"
	case mtlTextureType1DArray:
		return "1DArray"
	case mtlTextureType2D:
		return "2D"
	case mtlTextureType2DArray:
		return "2DArray"
	case mtlTextureType2DMultisample:
		return "2DMultisample"
	case mtlTextureType2DMultisampleArray:
		return "2DMultisampleArray"
	case mtlTextureTypeCube:
		return "Cube"
	case mtlTextureTypeCubeArray:
		return "CubeArray"
	case mtlTextureType3D:
		return "3D"
	case mtlTextureTypeTextureBuffer:
		return "TextureBuffer"
	}
	return ""
}

// numbersOfFormat returns the class of a pixel format.
func numbersOfFormat(format uint64) dispatch.Numbers {
	switch name := formatName(format); {
	case strings.HasSuffix(name, "Uint") || name == "Stencil8":
		return dispatch.Unsigned
	case strings.HasSuffix(name, "Sint"):
		return dispatch.Signed
	}
	return dispatch.Fractions
}

// factsOf returns what dispatches compare of the texture with a kernel's argument.
func (t *texture) factsOf() dispatch.Texture {
	return dispatch.Texture{
		Kind: textureKind(t.kind), Format: formatName(t.format), Numbers: numbersOfFormat(t.format), Usage: t.usage, Remote: t.isRemote(),
	}
}

// isRemote reports whether the texture is a view of one on another device, or a view of such a view.
func (t *texture) isRemote() bool {
	return t.remote != nil || t.parent != nil && t.parent.isRemote()
}

// DispatchFacts returns what dispatches compare of the texture.
func (t *texture) DispatchFacts() *dispatch.Texture { return &t.facts }
