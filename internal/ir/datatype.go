package ir

import (
	"fmt"
	"sync"
)

// DataType classifies a Metal type for reflection: numeric types exactly, others by category.
// Packed vectors count as vectors; atomics and enums as their integers.
type DataType uint8

// The data types.
const (
	DataNone DataType = iota // void, or a type that no argument has
	DataStruct
	DataArray
	DataPointer
	DataTexture
	DataSampler
	DataRenderPipeline
	DataComputePipeline
	DataIndirectCommandBuffer
	DataVisibleFunctionTable
	DataIntersectionFunctionTable
	DataPrimitiveAccelerationStructure
	DataInstanceAccelerationStructure
	DataDepthStencilState
	DataTensor

	DataBool
	DataBool2
	DataBool3
	DataBool4
	DataChar
	DataChar2
	DataChar3
	DataChar4
	DataUChar
	DataUChar2
	DataUChar3
	DataUChar4
	DataShort
	DataShort2
	DataShort3
	DataShort4
	DataUShort
	DataUShort2
	DataUShort3
	DataUShort4
	DataInt
	DataInt2
	DataInt3
	DataInt4
	DataUInt
	DataUInt2
	DataUInt3
	DataUInt4
	DataLong
	DataLong2
	DataLong3
	DataLong4
	DataULong
	DataULong2
	DataULong3
	DataULong4
	DataHalf
	DataHalf2
	DataHalf3
	DataHalf4
	DataBFloat
	DataBFloat2
	DataBFloat3
	DataBFloat4
	DataFloat
	DataFloat2
	DataFloat3
	DataFloat4

	// Matrices are named by columns and rows: Half4x3 has four columns of three elements.
	DataHalf2x2
	DataHalf2x3
	DataHalf2x4
	DataHalf3x2
	DataHalf3x3
	DataHalf3x4
	DataHalf4x2
	DataHalf4x3
	DataHalf4x4
	DataFloat2x2
	DataFloat2x3
	DataFloat2x4
	DataFloat3x2
	DataFloat3x3
	DataFloat3x4
	DataFloat4x2
	DataFloat4x3
	DataFloat4x4
	NumDataTypes
)

// DataShape describes a numeric or boolean data type: Cols columns of Rows elements each. Cols is 1
// for scalars and vectors, Rows is 1 for scalars.
type DataShape struct {
	Elem       Kind
	Unsigned   bool // of an integer
	Cols, Rows int
}

// dataTypes has a row for each data type. The shape is zero for types that are not numeric or
// boolean.
var dataTypes = [NumDataTypes]struct {
	name  string
	shape DataShape
}{
	DataNone:                           {name: "None"},
	DataStruct:                         {name: "Struct"},
	DataArray:                          {name: "Array"},
	DataPointer:                        {name: "Pointer"},
	DataTexture:                        {name: "Texture"},
	DataSampler:                        {name: "Sampler"},
	DataRenderPipeline:                 {name: "RenderPipeline"},
	DataComputePipeline:                {name: "ComputePipeline"},
	DataIndirectCommandBuffer:          {name: "IndirectCommandBuffer"},
	DataVisibleFunctionTable:           {name: "VisibleFunctionTable"},
	DataIntersectionFunctionTable:      {name: "IntersectionFunctionTable"},
	DataPrimitiveAccelerationStructure: {name: "PrimitiveAccelerationStructure"},
	DataInstanceAccelerationStructure:  {name: "InstanceAccelerationStructure"},
	DataDepthStencilState:              {name: "DepthStencilState"},
	DataTensor:                         {name: "Tensor"},

	DataBool:  {"Bool", DataShape{I1, false, 1, 1}},
	DataBool2: {"Bool2", DataShape{I1, false, 1, 2}},
	DataBool3: {"Bool3", DataShape{I1, false, 1, 3}},
	DataBool4: {"Bool4", DataShape{I1, false, 1, 4}},

	DataChar:  {"Char", DataShape{I8, false, 1, 1}},
	DataChar2: {"Char2", DataShape{I8, false, 1, 2}},
	DataChar3: {"Char3", DataShape{I8, false, 1, 3}},
	DataChar4: {"Char4", DataShape{I8, false, 1, 4}},

	DataUChar:  {"UChar", DataShape{I8, true, 1, 1}},
	DataUChar2: {"UChar2", DataShape{I8, true, 1, 2}},
	DataUChar3: {"UChar3", DataShape{I8, true, 1, 3}},
	DataUChar4: {"UChar4", DataShape{I8, true, 1, 4}},

	DataShort:  {"Short", DataShape{I16, false, 1, 1}},
	DataShort2: {"Short2", DataShape{I16, false, 1, 2}},
	DataShort3: {"Short3", DataShape{I16, false, 1, 3}},
	DataShort4: {"Short4", DataShape{I16, false, 1, 4}},

	DataUShort:  {"UShort", DataShape{I16, true, 1, 1}},
	DataUShort2: {"UShort2", DataShape{I16, true, 1, 2}},
	DataUShort3: {"UShort3", DataShape{I16, true, 1, 3}},
	DataUShort4: {"UShort4", DataShape{I16, true, 1, 4}},

	DataInt:  {"Int", DataShape{I32, false, 1, 1}},
	DataInt2: {"Int2", DataShape{I32, false, 1, 2}},
	DataInt3: {"Int3", DataShape{I32, false, 1, 3}},
	DataInt4: {"Int4", DataShape{I32, false, 1, 4}},

	DataUInt:  {"UInt", DataShape{I32, true, 1, 1}},
	DataUInt2: {"UInt2", DataShape{I32, true, 1, 2}},
	DataUInt3: {"UInt3", DataShape{I32, true, 1, 3}},
	DataUInt4: {"UInt4", DataShape{I32, true, 1, 4}},

	DataLong:  {"Long", DataShape{I64, false, 1, 1}},
	DataLong2: {"Long2", DataShape{I64, false, 1, 2}},
	DataLong3: {"Long3", DataShape{I64, false, 1, 3}},
	DataLong4: {"Long4", DataShape{I64, false, 1, 4}},

	DataULong:  {"ULong", DataShape{I64, true, 1, 1}},
	DataULong2: {"ULong2", DataShape{I64, true, 1, 2}},
	DataULong3: {"ULong3", DataShape{I64, true, 1, 3}},
	DataULong4: {"ULong4", DataShape{I64, true, 1, 4}},

	DataHalf:  {"Half", DataShape{F16, false, 1, 1}},
	DataHalf2: {"Half2", DataShape{F16, false, 1, 2}},
	DataHalf3: {"Half3", DataShape{F16, false, 1, 3}},
	DataHalf4: {"Half4", DataShape{F16, false, 1, 4}},

	DataBFloat:  {"BFloat", DataShape{BF16, false, 1, 1}},
	DataBFloat2: {"BFloat2", DataShape{BF16, false, 1, 2}},
	DataBFloat3: {"BFloat3", DataShape{BF16, false, 1, 3}},
	DataBFloat4: {"BFloat4", DataShape{BF16, false, 1, 4}},

	DataFloat:  {"Float", DataShape{F32, false, 1, 1}},
	DataFloat2: {"Float2", DataShape{F32, false, 1, 2}},
	DataFloat3: {"Float3", DataShape{F32, false, 1, 3}},
	DataFloat4: {"Float4", DataShape{F32, false, 1, 4}},

	DataHalf2x2: {"Half2x2", DataShape{F16, false, 2, 2}},
	DataHalf2x3: {"Half2x3", DataShape{F16, false, 2, 3}},
	DataHalf2x4: {"Half2x4", DataShape{F16, false, 2, 4}},
	DataHalf3x2: {"Half3x2", DataShape{F16, false, 3, 2}},
	DataHalf3x3: {"Half3x3", DataShape{F16, false, 3, 3}},
	DataHalf3x4: {"Half3x4", DataShape{F16, false, 3, 4}},
	DataHalf4x2: {"Half4x2", DataShape{F16, false, 4, 2}},
	DataHalf4x3: {"Half4x3", DataShape{F16, false, 4, 3}},
	DataHalf4x4: {"Half4x4", DataShape{F16, false, 4, 4}},

	DataFloat2x2: {"Float2x2", DataShape{F32, false, 2, 2}},
	DataFloat2x3: {"Float2x3", DataShape{F32, false, 2, 3}},
	DataFloat2x4: {"Float2x4", DataShape{F32, false, 2, 4}},
	DataFloat3x2: {"Float3x2", DataShape{F32, false, 3, 2}},
	DataFloat3x3: {"Float3x3", DataShape{F32, false, 3, 3}},
	DataFloat3x4: {"Float3x4", DataShape{F32, false, 3, 4}},
	DataFloat4x2: {"Float4x2", DataShape{F32, false, 4, 2}},
	DataFloat4x3: {"Float4x3", DataShape{F32, false, 4, 3}},
	DataFloat4x4: {"Float4x4", DataShape{F32, false, 4, 4}},
}

var dataTypesByName = sync.OnceValue(func() map[string]DataType {
	m := make(map[string]DataType, NumDataTypes)
	for d := range NumDataTypes {
		m[dataTypes[d].name] = d
	}
	return m
})

var dataTypesByShape = sync.OnceValue(func() map[DataShape]DataType {
	m := make(map[DataShape]DataType, NumDataTypes)
	for d := range NumDataTypes {
		if s := dataTypes[d].shape; s != (DataShape{}) {
			m[s] = d
		}
	}
	return m
})

// DataTypeOf returns the data type with a given shape, or DataNone if there is none.
func DataTypeOf(s DataShape) DataType { return dataTypesByShape()[s] }

// Shape returns the shape of a data type, or zero if it is not numeric or boolean.
func (d DataType) Shape() DataShape {
	if d < NumDataTypes {
		return dataTypes[d].shape
	}
	return DataShape{}
}

// IsMatrix reports whether the shape is that of a matrix.
func (s DataShape) IsMatrix() bool { return s.Cols > 1 }

// Align returns the alignment of the type in bytes, which is also the stride of a matrix's columns:
// vectors of three are laid out as vectors of four. It is 0 for the zero shape.
func (s DataShape) Align() int {
	n := s.Rows
	if n == 3 {
		n = 4
	}
	return n * s.Elem.Size()
}

// Size returns the size of the type in bytes, 0 for the zero shape.
func (s DataShape) Size() int { return s.Cols * s.Align() }

// String returns the name: Float4, UShort, Struct.
func (d DataType) String() string {
	if d < NumDataTypes {
		return dataTypes[d].name
	}
	return fmt.Sprintf("data(%d)", uint8(d))
}

// MarshalText returns the name.
func (d DataType) MarshalText() ([]byte, error) {
	if d >= NumDataTypes {
		return nil, fmt.Errorf("ir: there is no data type %d", uint8(d))
	}
	return []byte(dataTypes[d].name), nil
}

// UnmarshalText parses a name.
func (d *DataType) UnmarshalText(text []byte) (err error) {
	x, ok := dataTypesByName()[string(text)]
	if !ok {
		return fmt.Errorf("ir: there is no data type %q", text)
	}
	*d = x
	return nil
}
