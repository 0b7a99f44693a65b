package lower

import (
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl/types"
)

// DataType returns the data type that describes a type in reflection: a packed vector is described
// as its vector, an atomic or enum as its integer, metal::array as an array. Types that no argument
// can have are DataNone.
func DataType(t types.Type) ir.DataType {
	switch t := t.(type) {
	case *types.Basic:
		return numbers(t, 1, 1)
	case *types.Enum:
		return numbers(t.Underlying, 1, 1)
	case *types.Atomic:
		return numbers(t.Elem, 1, 1)
	case *types.Vector:
		return numbers(t.Elem, 1, t.Len)
	case *types.Packed:
		return numbers(t.Elem, 1, t.Len)
	case *types.Matrix:
		return numbers(t.Elem, t.Cols, t.Rows)
	case *types.Array:
		return ir.DataArray
	case *types.Struct:
		if t.Template == "metal::array" {
			return ir.DataArray
		}
		return ir.DataStruct
	case *types.Pointer, *types.Reference:
		return ir.DataPointer
	case *types.Texture:
		return ir.DataTexture
	case *types.Opaque:
		return opaqueDataType(t.Name)
	}
	return ir.DataNone
}

func numbers(elem *types.Basic, cols, rows int) ir.DataType {
	unsigned := elem.IsInteger() && !elem.IsSigned() && elem != types.Bool
	return ir.DataTypeOf(ir.DataShape{Elem: kindOf(elem), Unsigned: unsigned, Cols: cols, Rows: rows})
}

// opaqueDataType returns the data type of an opaque library type.
func opaqueDataType(name string) ir.DataType {
	switch name {
	case "sampler":
		return ir.DataSampler
	case "render_pipeline_state":
		return ir.DataRenderPipeline
	case "compute_pipeline_state":
		return ir.DataComputePipeline
	case "command_buffer":
		return ir.DataIndirectCommandBuffer
	case "visible_function_table":
		return ir.DataVisibleFunctionTable
	case "intersection_function_table":
		return ir.DataIntersectionFunctionTable
	case "primitive_acceleration_structure":
		return ir.DataPrimitiveAccelerationStructure
	case "instance_acceleration_structure":
		return ir.DataInstanceAccelerationStructure
	case "depth_stencil_state":
		return ir.DataDepthStencilState
	case "tensor":
		return ir.DataTensor
	}
	return ir.DataNone
}
