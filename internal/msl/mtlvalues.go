package msl

import (
	"slices"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// Reflection names things by words. The functions of this file give the numbers of Metal's enumerations for them; they
// stand here as numbers so that the compiler does not depend on the bindings.

// DataTypeValue returns the MTLDataType of that name, 0 (none) for others.
func DataTypeValue(d ir.DataType) uint {
	t, _ := types.DataTypeNamed(string(d))
	return uint(t)
}

// BindingTypeValue returns the MTLBindingType of an argument.
func BindingTypeValue(k ir.ArgKind) uint {
	switch k {
	case ir.ArgThreadgroup:
		return 1
	case ir.ArgTexture:
		return 2
	case ir.ArgSampler:
		return 3
	case ir.ArgFunctionTable:
		return 24
	}
	return 0
}

// AccessValue returns the MTLBindingAccess for an access: a texture that is sampled is read.
func AccessValue(access string) uint {
	switch access {
	case "read_write":
		return 1
	case "write":
		return 2
	}
	return 0
}

// TextureTypeValue returns the MTLTextureType of that name, such as "2DArray".
func TextureTypeValue(name string) (value uint, ok bool) {
	i := slices.Index(textureTypes[:], name)
	return uint(max(i, 0)), i >= 0
}

// textureTypes are the names of the values of MTLTextureType, which count from 0.
var textureTypes = [...]string{"1D", "1DArray", "2D", "2DArray", "2DMultisample", "Cube", "CubeArray", "3D", "2DMultisampleArray", "TextureBuffer"}
