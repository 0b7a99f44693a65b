package resource

import (
	"strings"

	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// textureKind returns the name of a texture type in reflection.
func textureKind(kind uint64) string {
	switch kind {
	case metal.TextureType1D:
		return "1D"
	case metal.TextureType1DArray:
		return "1DArray"
	case metal.TextureType2D:
		return "2D"
	case metal.TextureType2DArray:
		return "2DArray"
	case metal.TextureType2DMultisample:
		return "2DMultisample"
	case metal.TextureType2DMultisampleArray:
		return "2DMultisampleArray"
	case metal.TextureTypeCube:
		return "Cube"
	case metal.TextureTypeCubeArray:
		return "CubeArray"
	case metal.TextureType3D:
		return "3D"
	case metal.TextureTypeTextureBuffer:
		return "TextureBuffer"
	}
	return ""
}

// NumbersOfFormat returns the class of a pixel format.
func NumbersOfFormat(format uint64) dispatch.Numbers {
	switch name := FormatName(format); {
	case strings.HasSuffix(name, "Uint") || name == "Stencil8":
		return dispatch.Unsigned
	case strings.HasSuffix(name, "Sint"):
		return dispatch.Signed
	}
	return dispatch.Fractions
}

// usesOfFormat returns the uses that kernels can make of a format: those of Apple's GPUs since
// family 3 in Apple's Metal feature set tables, and the formats of MTLReadWriteTextureTier2.
// Sources disagree on writing A8Unorm; it is refused, so that a program also works where it cannot
// be written.
func usesOfFormat(format uint64) uint64 {
	if IsDepth(format) {
		return dispatch.UsageRead
	}
	switch FormatName(format) {
	case "A8Unorm", "B5G6R5Unorm", "A1BGR5Unorm", "ABGR4Unorm", "BGR5A1Unorm":
		return dispatch.UsageRead
	case "R32Float", "R32Uint", "R32Sint",
		"RGBA32Float", "RGBA32Uint", "RGBA32Sint", "RGBA16Float", "RGBA16Uint", "RGBA16Sint",
		"RGBA8Unorm", "RGBA8Uint", "RGBA8Sint", "R16Float", "R16Uint", "R16Sint", "R8Unorm", "R8Uint", "R8Sint":
		return dispatch.UsageRead | dispatch.UsageWrite | dispatch.UsageReadWrite
	}
	return dispatch.UsageRead | dispatch.UsageWrite
}

// factsOf returns what dispatches compare of the texture with a kernel's argument.
func (t *Texture) factsOf() dispatch.Texture {
	return dispatch.Texture{
		Kind: textureKind(t.kind), Format: FormatName(t.Format), Numbers: NumbersOfFormat(t.Format), Usage: t.usage,
		Allows: usesOfFormat(t.Format), Remote: t.IsRemote(), Part: t.part(),
	}
}

// part returns what the texture shows of the memory that holds its texels.
func (t *Texture) part() dispatch.Part {
	p := dispatch.Part{Levels: [2]uint64{0, t.Levels}, Slices: [2]uint64{0, t.textureShape.Slices()}}
	root := t
	for ; root.parent != nil; root = root.parent {
		for i := range 2 {
			p.Levels[i] += root.firstLevel
			p.Slices[i] += root.firstSlice
		}
	}
	if p.Memory = root; root.buffer != nil {
		p.Memory, p.Offset = root.buffer, root.bufferOffset
	}
	return p
}

// IsRemote reports whether the texture is a view of one on another device, or a view of such a
// view.
func (t *Texture) IsRemote() bool {
	return t.remote != nil || t.parent != nil && t.parent.IsRemote()
}

// DispatchFacts returns what dispatches compare of the texture.
func (t *Texture) DispatchFacts() *dispatch.Texture { return &t.facts }
