package mps

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
	"github.com/puremetal/puremetal/objc"
)

var bindings = bindtest.Bindings{
	Package: "mps", Framework: "MetalPerformanceShaders", Prefix: "MPS",
	Methods: zmethods[:], Classes: zclasses[:], Functions: zfunctions[:],
	Implementations: []*objc.Implementation{
		&zimplementHandle, &zimplementHeapProvider, &zimplementImageAllocator, &zimplementImageTransformProvider,
		&zimplementNDArrayAllocator,
	},
	Scalars: map[string]string{"MPSShape *": "[]int"},
	Valid: map[string]map[string]any{
		"MatrixDescriptorWithDimensions": {"rows": 3, "columns": 5, "rowBytes": 20, "dataType": DataTypeFloat32},
		"MatrixDescriptorWithRows":       {"rows": 3, "columns": 5, "rowBytes": 20, "dataType": DataTypeFloat32},
		"MatrixDescriptorWithRowsColumnsMatrices": {"rows": 3, "columns": 5, "matrices": 2, "rowBytes": 20,
			"matrixBytes": 64, "dataType": DataTypeFloat32},
		"VectorDescriptorWithLength": {"dataType": DataTypeFloat16},
		"VectorDescriptorWithLengthVectors": {"length": 5, "vectors": 3, "vectorBytes": 16,
			"dataType": DataTypeFloat16},
		"NDArrayDescriptorWithDataType":               {"dataType": DataTypeInt8, "shape": []int{3, 5, 7}},
		"NDArrayDescriptorWithDataTypeDimensionCount": {"dataType": DataTypeInt8, "dimensionSizes": []uint{3, 5, 7}},
		"NewMatrixFindTopKWithDevice":                 {"numberOfTopKValues": 5},
		"NewMatrixWithBufferOffset":                   {"offset": 16},
		"NewVectorWithBufferOffset":                   {"offset": 16},
		"NewNDArrayWithBuffer":                        {"offset": 16},
	},
	Numbers:  map[string]uint64{"mtl.Buffer length": 1 << 20},
	Wrappers: boundWrappers, Funcs: boundFuncs,
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use.
func TestBoundShapes(t *testing.T) { bindtest.Shapes(t, &bindings) }
