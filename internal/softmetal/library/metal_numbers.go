package library

import (
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/metal"
)

// The compiler describes arguments with its own enumerations. The tables in this file map them to
// Metal's numbers.

// metalDataTypes has the MTLDataType of each data type.
var metalDataTypes = [ir.NumDataTypes]uint64{
	ir.DataNone:                           metal.DataTypeNone,
	ir.DataStruct:                         metal.DataTypeStruct,
	ir.DataArray:                          metal.DataTypeArray,
	ir.DataPointer:                        metal.DataTypePointer,
	ir.DataTexture:                        metal.DataTypeTexture,
	ir.DataSampler:                        metal.DataTypeSampler,
	ir.DataRenderPipeline:                 metal.DataTypeRenderPipeline,
	ir.DataComputePipeline:                metal.DataTypeComputePipeline,
	ir.DataIndirectCommandBuffer:          metal.DataTypeIndirectCommandBuffer,
	ir.DataVisibleFunctionTable:           metal.DataTypeVisibleFunctionTable,
	ir.DataIntersectionFunctionTable:      metal.DataTypeIntersectionFunctionTable,
	ir.DataPrimitiveAccelerationStructure: metal.DataTypePrimitiveAccelerationStructure,
	ir.DataInstanceAccelerationStructure:  metal.DataTypeInstanceAccelerationStructure,
	ir.DataDepthStencilState:              metal.DataTypeDepthStencilState,
	ir.DataTensor:                         metal.DataTypeTensor,
	ir.DataBool:                           metal.DataTypeBool,
	ir.DataBool2:                          metal.DataTypeBool2,
	ir.DataBool3:                          metal.DataTypeBool3,
	ir.DataBool4:                          metal.DataTypeBool4,
	ir.DataChar:                           metal.DataTypeChar,
	ir.DataChar2:                          metal.DataTypeChar2,
	ir.DataChar3:                          metal.DataTypeChar3,
	ir.DataChar4:                          metal.DataTypeChar4,
	ir.DataUChar:                          metal.DataTypeUChar,
	ir.DataUChar2:                         metal.DataTypeUChar2,
	ir.DataUChar3:                         metal.DataTypeUChar3,
	ir.DataUChar4:                         metal.DataTypeUChar4,
	ir.DataShort:                          metal.DataTypeShort,
	ir.DataShort2:                         metal.DataTypeShort2,
	ir.DataShort3:                         metal.DataTypeShort3,
	ir.DataShort4:                         metal.DataTypeShort4,
	ir.DataUShort:                         metal.DataTypeUShort,
	ir.DataUShort2:                        metal.DataTypeUShort2,
	ir.DataUShort3:                        metal.DataTypeUShort3,
	ir.DataUShort4:                        metal.DataTypeUShort4,
	ir.DataInt:                            metal.DataTypeInt,
	ir.DataInt2:                           metal.DataTypeInt2,
	ir.DataInt3:                           metal.DataTypeInt3,
	ir.DataInt4:                           metal.DataTypeInt4,
	ir.DataUInt:                           metal.DataTypeUInt,
	ir.DataUInt2:                          metal.DataTypeUInt2,
	ir.DataUInt3:                          metal.DataTypeUInt3,
	ir.DataUInt4:                          metal.DataTypeUInt4,
	ir.DataLong:                           metal.DataTypeLong,
	ir.DataLong2:                          metal.DataTypeLong2,
	ir.DataLong3:                          metal.DataTypeLong3,
	ir.DataLong4:                          metal.DataTypeLong4,
	ir.DataULong:                          metal.DataTypeULong,
	ir.DataULong2:                         metal.DataTypeULong2,
	ir.DataULong3:                         metal.DataTypeULong3,
	ir.DataULong4:                         metal.DataTypeULong4,
	ir.DataHalf:                           metal.DataTypeHalf,
	ir.DataHalf2:                          metal.DataTypeHalf2,
	ir.DataHalf3:                          metal.DataTypeHalf3,
	ir.DataHalf4:                          metal.DataTypeHalf4,
	ir.DataBFloat:                         metal.DataTypeBFloat,
	ir.DataBFloat2:                        metal.DataTypeBFloat2,
	ir.DataBFloat3:                        metal.DataTypeBFloat3,
	ir.DataBFloat4:                        metal.DataTypeBFloat4,
	ir.DataFloat:                          metal.DataTypeFloat,
	ir.DataFloat2:                         metal.DataTypeFloat2,
	ir.DataFloat3:                         metal.DataTypeFloat3,
	ir.DataFloat4:                         metal.DataTypeFloat4,
	ir.DataHalf2x2:                        metal.DataTypeHalf2x2,
	ir.DataHalf2x3:                        metal.DataTypeHalf2x3,
	ir.DataHalf2x4:                        metal.DataTypeHalf2x4,
	ir.DataHalf3x2:                        metal.DataTypeHalf3x2,
	ir.DataHalf3x3:                        metal.DataTypeHalf3x3,
	ir.DataHalf3x4:                        metal.DataTypeHalf3x4,
	ir.DataHalf4x2:                        metal.DataTypeHalf4x2,
	ir.DataHalf4x3:                        metal.DataTypeHalf4x3,
	ir.DataHalf4x4:                        metal.DataTypeHalf4x4,
	ir.DataFloat2x2:                       metal.DataTypeFloat2x2,
	ir.DataFloat2x3:                       metal.DataTypeFloat2x3,
	ir.DataFloat2x4:                       metal.DataTypeFloat2x4,
	ir.DataFloat3x2:                       metal.DataTypeFloat3x2,
	ir.DataFloat3x3:                       metal.DataTypeFloat3x3,
	ir.DataFloat3x4:                       metal.DataTypeFloat3x4,
	ir.DataFloat4x2:                       metal.DataTypeFloat4x2,
	ir.DataFloat4x3:                       metal.DataTypeFloat4x3,
	ir.DataFloat4x4:                       metal.DataTypeFloat4x4,
}

// dataTypesOfMetal is the inverse of metalDataTypes.
var dataTypesOfMetal = sync.OnceValue(func() map[uint64]ir.DataType {
	m := make(map[uint64]ir.DataType, len(metalDataTypes))
	for d, n := range metalDataTypes {
		m[n] = ir.DataType(d)
	}
	return m
})

// metalDataType returns the MTLDataType of a data type.
func metalDataType(d ir.DataType) uint64 {
	if d < ir.NumDataTypes {
		return metalDataTypes[d]
	}
	return metal.DataTypeNone
}

// dataTypeOfMetal returns the data type of an MTLDataType, DataNone for those that the language has
// no type for, such as the formats of vertices.
func dataTypeOfMetal(n uint64) ir.DataType { return dataTypesOfMetal()[n] }

// metalBindingType returns the MTLBindingType of an argument.
func metalBindingType(k ir.ArgKind) uint64 {
	switch k {
	case ir.ArgThreadgroup:
		return metal.BindingTypeThreadgroupMemory
	case ir.ArgTexture:
		return metal.BindingTypeTexture
	case ir.ArgSampler:
		return metal.BindingTypeSampler
	case ir.ArgFunctionTable:
		return metal.BindingTypeVisibleFunctionTable
	}
	return metal.BindingTypeBuffer
}

// metalAccess returns the MTLBindingAccess of an access. A texture that is sampled is read.
func metalAccess(access string) uint64 {
	switch access {
	case "read_write":
		return metal.BindingAccessReadWrite
	case "write":
		return metal.BindingAccessWriteOnly
	}
	return metal.BindingAccessReadOnly
}

// metalTextureType returns the MTLTextureType of a shape, false for one that no texture has. Depth
// textures have the type of their shape.
func metalTextureType(d ir.TextureDim) (kind uint64, ok bool) {
	switch d {
	case ir.Tex1D:
		return metal.TextureType1D, true
	case ir.Tex1DArray:
		return metal.TextureType1DArray, true
	case ir.Tex2D, ir.TexDepth2D:
		return metal.TextureType2D, true
	case ir.Tex2DArray, ir.TexDepth2DArray:
		return metal.TextureType2DArray, true
	case ir.Tex2DMS, ir.TexDepth2DMS:
		return metal.TextureType2DMultisample, true
	case ir.Tex2DMSArray, ir.TexDepth2DMSArray:
		return metal.TextureType2DMultisampleArray, true
	case ir.Tex3D:
		return metal.TextureType3D, true
	case ir.TexCube, ir.TexDepthCube:
		return metal.TextureTypeCube, true
	case ir.TexCubeArray, ir.TexDepthCubeArray:
		return metal.TextureTypeCubeArray, true
	case ir.TexBuffer:
		return metal.TextureTypeTextureBuffer, true
	}
	return 0, false
}
