package types

import "strings"

// DataType is a value of Metal's MTLDataType, with which reflection describes a type.
type DataType uint16

// The data types that are not numbers.
const (
	DataTypeNone                           DataType = 0
	DataTypeStruct                         DataType = 1
	DataTypeArray                          DataType = 2
	DataTypeTexture                        DataType = 58
	DataTypeSampler                        DataType = 59
	DataTypePointer                        DataType = 60
	DataTypeRenderPipeline                 DataType = 78
	DataTypeComputePipeline                DataType = 79
	DataTypeIndirectCommandBuffer          DataType = 80
	DataTypeVisibleFunctionTable           DataType = 115
	DataTypeIntersectionFunctionTable      DataType = 116
	DataTypePrimitiveAccelerationStructure DataType = 117
	DataTypeInstanceAccelerationStructure  DataType = 118
	DataTypeDepthStencilState              DataType = 139
	DataTypeTensor                         DataType = 140
)

// scalarDataTypes are the data types of scalars; those of their vectors of two, three and four follow each.
var scalarDataTypes = [numKinds]DataType{
	FloatKind: 3, HalfKind: 16, IntKind: 29, UIntKind: 33, ShortKind: 37, UShortKind: 41, CharKind: 45, UCharKind: 49,
	BoolKind: 53, LongKind: 81, ULongKind: 85, BFloatKind: 121,
}

// matrixDataTypes are the data types of 2x2 matrices; 2x3, 2x4, 3x2 and so on follow each.
var matrixDataTypes = [numKinds]DataType{FloatKind: 7, HalfKind: 20}

// opaqueDataType is the data type of an opaque type.
func opaqueDataType(name string) DataType {
	switch name {
	case "sampler":
		return DataTypeSampler
	case "render_pipeline_state":
		return DataTypeRenderPipeline
	case "compute_pipeline_state":
		return DataTypeComputePipeline
	case "command_buffer":
		return DataTypeIndirectCommandBuffer
	case "visible_function_table":
		return DataTypeVisibleFunctionTable
	case "intersection_function_table":
		return DataTypeIntersectionFunctionTable
	case "primitive_acceleration_structure":
		return DataTypePrimitiveAccelerationStructure
	case "instance_acceleration_structure":
		return DataTypeInstanceAccelerationStructure
	case "depth_stencil_state":
		return DataTypeDepthStencilState
	case "tensor":
		return DataTypeTensor
	}
	return DataTypeNone
}

// DataTypeOf returns the data type by which reflection describes a type: a packed vector as its vector, an atomic or enum
// as its integer, metal::array as an array. It is DataTypeNone for types that no argument can have.
func DataTypeOf(t Type) DataType {
	switch t := t.(type) {
	case *Basic:
		return scalarDataTypes[t.kind]
	case *Enum:
		return scalarDataTypes[t.Underlying.kind]
	case *Atomic:
		return scalarDataTypes[t.Elem.kind]
	case *Vector:
		return scalarDataTypes[t.Elem.kind] + DataType(t.Len-1)
	case *Packed:
		return scalarDataTypes[t.Elem.kind] + DataType(t.Len-1)
	case *Matrix:
		if first := matrixDataTypes[t.Elem.kind]; first != 0 {
			return first + DataType(3*(t.Cols-2)+t.Rows-2)
		}
	case *Array:
		return DataTypeArray
	case *Struct:
		if t.Template == "metal::array" {
			return DataTypeArray
		}
		return DataTypeStruct
	case *Pointer, *Reference:
		return DataTypePointer
	case *Texture:
		return DataTypeTexture
	case *Opaque:
		return opaqueDataType(t.Name)
	}
	return DataTypeNone
}

// String returns the name without its prefix: "Float3", "Struct".
func (d DataType) String() string {
	for k := BoolKind; k <= FloatKind; k++ {
		name := scalarDataNames[k]
		if first := scalarDataTypes[k]; d >= first && d < first+4 {
			return name + [...]string{"", "2", "3", "4"}[d-first]
		}
		if first := matrixDataTypes[k]; first != 0 && d >= first && d < first+9 {
			n := d - first
			return name + string(rune('2'+n/3)) + "x" + string(rune('2'+n%3))
		}
	}
	if int(d) < len(dataTypeNames) && dataTypeNames[d] != "" {
		return dataTypeNames[d]
	}
	return "None"
}

var scalarDataNames = [numKinds]string{
	FloatKind: "Float", HalfKind: "Half", IntKind: "Int", UIntKind: "UInt", ShortKind: "Short", UShortKind: "UShort", CharKind: "Char",
	UCharKind: "UChar", BoolKind: "Bool", LongKind: "Long", ULongKind: "ULong", BFloatKind: "BFloat",
}

var dataTypeNames = [DataTypeTensor + 1]string{
	DataTypeStruct: "Struct", DataTypeArray: "Array", DataTypeTexture: "Texture", DataTypeSampler: "Sampler", DataTypePointer: "Pointer",
	DataTypeRenderPipeline: "RenderPipeline", DataTypeComputePipeline: "ComputePipeline", DataTypeIndirectCommandBuffer: "IndirectCommandBuffer",
	DataTypeVisibleFunctionTable: "VisibleFunctionTable", DataTypeIntersectionFunctionTable: "IntersectionFunctionTable",
	DataTypePrimitiveAccelerationStructure: "PrimitiveAccelerationStructure", DataTypeInstanceAccelerationStructure: "InstanceAccelerationStructure",
	DataTypeDepthStencilState: "DepthStencilState", DataTypeTensor: "Tensor",
}

// MTLName returns Metal's name of the value: "MTLDataTypeFloat3".
func (d DataType) MTLName() string { return "MTLDataType" + d.String() }

// DataTypeNamed returns the data type with a name, with or without its prefix.
func DataTypeNamed(name string) (DataType, bool) {
	name = strings.TrimPrefix(name, "MTLDataType")
	for d := DataType(0); d <= DataTypeTensor; d++ {
		if d.String() == name && (d != DataTypeNone || name == "None") {
			return d, true
		}
	}
	return DataTypeNone, false
}
