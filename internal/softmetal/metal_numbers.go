package softmetal

import (
	"sync"

	"github.com/puremetal/puremetal/internal/ir"
)

// The compiler describes arguments in enumerations of its own. The tables of this file give Metal's
// numbers for them.

// metalDataTypes has the MTLDataType of each data type.
var metalDataTypes = [ir.NumDataTypes]uint64{
	ir.DataNone:                           mtlDataTypeNone,
	ir.DataStruct:                         mtlDataTypeStruct,
	ir.DataArray:                          mtlDataTypeArray,
	ir.DataPointer:                        mtlDataTypePointer,
	ir.DataTexture:                        mtlDataTypeTexture,
	ir.DataSampler:                        mtlDataTypeSampler,
	ir.DataRenderPipeline:                 mtlDataTypeRenderPipeline,
	ir.DataComputePipeline:                mtlDataTypeComputePipeline,
	ir.DataIndirectCommandBuffer:          mtlDataTypeIndirectCommandBuffer,
	ir.DataVisibleFunctionTable:           mtlDataTypeVisibleFunctionTable,
	ir.DataIntersectionFunctionTable:      mtlDataTypeIntersectionFunctionTable,
	ir.DataPrimitiveAccelerationStructure: mtlDataTypePrimitiveAccelerationStructure,
	ir.DataInstanceAccelerationStructure:  mtlDataTypeInstanceAccelerationStructure,
	ir.DataDepthStencilState:              mtlDataTypeDepthStencilState,
	ir.DataTensor:                         mtlDataTypeTensor,
	ir.DataBool:                           mtlDataTypeBool,
	ir.DataBool2:                          mtlDataTypeBool2,
	ir.DataBool3:                          mtlDataTypeBool3,
	ir.DataBool4:                          mtlDataTypeBool4,
	ir.DataChar:                           mtlDataTypeChar,
	ir.DataChar2:                          mtlDataTypeChar2,
	ir.DataChar3:                          mtlDataTypeChar3,
	ir.DataChar4:                          mtlDataTypeChar4,
	ir.DataUChar:                          mtlDataTypeUChar,
	ir.DataUChar2:                         mtlDataTypeUChar2,
	ir.DataUChar3:                         mtlDataTypeUChar3,
	ir.DataUChar4:                         mtlDataTypeUChar4,
	ir.DataShort:                          mtlDataTypeShort,
	ir.DataShort2:                         mtlDataTypeShort2,
	ir.DataShort3:                         mtlDataTypeShort3,
	ir.DataShort4:                         mtlDataTypeShort4,
	ir.DataUShort:                         mtlDataTypeUShort,
	ir.DataUShort2:                        mtlDataTypeUShort2,
	ir.DataUShort3:                        mtlDataTypeUShort3,
	ir.DataUShort4:                        mtlDataTypeUShort4,
	ir.DataInt:                            mtlDataTypeInt,
	ir.DataInt2:                           mtlDataTypeInt2,
	ir.DataInt3:                           mtlDataTypeInt3,
	ir.DataInt4:                           mtlDataTypeInt4,
	ir.DataUInt:                           mtlDataTypeUInt,
	ir.DataUInt2:                          mtlDataTypeUInt2,
	ir.DataUInt3:                          mtlDataTypeUInt3,
	ir.DataUInt4:                          mtlDataTypeUInt4,
	ir.DataLong:                           mtlDataTypeLong,
	ir.DataLong2:                          mtlDataTypeLong2,
	ir.DataLong3:                          mtlDataTypeLong3,
	ir.DataLong4:                          mtlDataTypeLong4,
	ir.DataULong:                          mtlDataTypeULong,
	ir.DataULong2:                         mtlDataTypeULong2,
	ir.DataULong3:                         mtlDataTypeULong3,
	ir.DataULong4:                         mtlDataTypeULong4,
	ir.DataHalf:                           mtlDataTypeHalf,
	ir.DataHalf2:                          mtlDataTypeHalf2,
	ir.DataHalf3:                          mtlDataTypeHalf3,
	ir.DataHalf4:                          mtlDataTypeHalf4,
	ir.DataBFloat:                         mtlDataTypeBFloat,
	ir.DataBFloat2:                        mtlDataTypeBFloat2,
	ir.DataBFloat3:                        mtlDataTypeBFloat3,
	ir.DataBFloat4:                        mtlDataTypeBFloat4,
	ir.DataFloat:                          mtlDataTypeFloat,
	ir.DataFloat2:                         mtlDataTypeFloat2,
	ir.DataFloat3:                         mtlDataTypeFloat3,
	ir.DataFloat4:                         mtlDataTypeFloat4,
	ir.DataHalf2x2:                        mtlDataTypeHalf2x2,
	ir.DataHalf2x3:                        mtlDataTypeHalf2x3,
	ir.DataHalf2x4:                        mtlDataTypeHalf2x4,
	ir.DataHalf3x2:                        mtlDataTypeHalf3x2,
	ir.DataHalf3x3:                        mtlDataTypeHalf3x3,
	ir.DataHalf3x4:                        mtlDataTypeHalf3x4,
	ir.DataHalf4x2:                        mtlDataTypeHalf4x2,
	ir.DataHalf4x3:                        mtlDataTypeHalf4x3,
	ir.DataHalf4x4:                        mtlDataTypeHalf4x4,
	ir.DataFloat2x2:                       mtlDataTypeFloat2x2,
	ir.DataFloat2x3:                       mtlDataTypeFloat2x3,
	ir.DataFloat2x4:                       mtlDataTypeFloat2x4,
	ir.DataFloat3x2:                       mtlDataTypeFloat3x2,
	ir.DataFloat3x3:                       mtlDataTypeFloat3x3,
	ir.DataFloat3x4:                       mtlDataTypeFloat3x4,
	ir.DataFloat4x2:                       mtlDataTypeFloat4x2,
	ir.DataFloat4x3:                       mtlDataTypeFloat4x3,
	ir.DataFloat4x4:                       mtlDataTypeFloat4x4,
}

// dataTypesOfMetal is metalDataTypes the other way round.
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
	return mtlDataTypeNone
}

// dataTypeOfMetal returns the data type of an MTLDataType, DataNone for those that the language has no
// type for, such as the formats of vertices.
func dataTypeOfMetal(n uint64) ir.DataType { return dataTypesOfMetal()[n] }

// metalBindingType returns the MTLBindingType of an argument.
func metalBindingType(k ir.ArgKind) uint64 {
	switch k {
	case ir.ArgThreadgroup:
		return mtlBindingTypeThreadgroupMemory
	case ir.ArgTexture:
		return mtlBindingTypeTexture
	case ir.ArgSampler:
		return mtlBindingTypeSampler
	case ir.ArgFunctionTable:
		return mtlBindingTypeVisibleFunctionTable
	}
	return mtlBindingTypeBuffer
}

// metalAccess returns the MTLBindingAccess of an access. A texture that is sampled is read.
func metalAccess(access string) uint64 {
	switch access {
	case "read_write":
		return mtlBindingAccessReadWrite
	case "write":
		return mtlBindingAccessWriteOnly
	}
	return mtlBindingAccessReadOnly
}

// metalTextureType returns the MTLTextureType of a shape, false for one that no texture has. Depth textures
// have the type of their shape.
func metalTextureType(d ir.TextureDim) (kind uint64, ok bool) {
	switch d {
	case ir.Tex1D:
		return mtlTextureType1D, true
	case ir.Tex1DArray:
		return mtlTextureType1DArray, true
	case ir.Tex2D, ir.TexDepth2D:
		return mtlTextureType2D, true
	case ir.Tex2DArray, ir.TexDepth2DArray:
		return mtlTextureType2DArray, true
	case ir.Tex2DMS, ir.TexDepth2DMS:
		return mtlTextureType2DMultisample, true
	case ir.Tex2DMSArray, ir.TexDepth2DMSArray:
		return mtlTextureType2DMultisampleArray, true
	case ir.Tex3D:
		return mtlTextureType3D, true
	case ir.TexCube, ir.TexDepthCube:
		return mtlTextureTypeCube, true
	case ir.TexCubeArray, ir.TexDepthCubeArray:
		return mtlTextureTypeCubeArray, true
	case ir.TexBuffer:
		return mtlTextureTypeTextureBuffer, true
	}
	return 0, false
}
