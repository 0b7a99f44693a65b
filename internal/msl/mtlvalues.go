package msl

import (
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
	value, ok = textureTypes[name]
	return value, ok
}

var textureTypes = map[string]uint{"1D": 0, "1DArray": 1, "2D": 2, "2DArray": 3, "2DMultisample": 4, "Cube": 5, "CubeArray": 6, "3D": 7,
	"2DMultisampleArray": 8, "TextureBuffer": 9}
