package graph

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
	"github.com/puremetal/puremetal/mps"
)

var bindings = bindtest.Bindings{
	Package: "graph", Framework: "MetalPerformanceShadersGraph", Prefix: "MPSGraph",
	Methods: zmethods[:], Classes: zclasses[:],
	Numbers:  map[string]uint64{"mtl.Buffer length": 1 << 20},
	Wrappers: boundWrappers, Funcs: boundFuncs,
	Valid: map[string]map[string]any{
		"Graph.ConstantWithData":     {"data": make([]byte, 24), "shape": []int{6}, "dataType": mps.DataTypeFloat32},
		"Graph.VariableWithData":     {"data": make([]byte, 24), "shape": []int{6}, "dataType": mps.DataTypeFloat32},
		"NewTensorDataWithDevice":    {"data": make([]byte, 24), "shape": []int{6}, "dataType": mps.DataTypeFloat32},
		"NewTensorDataWithMTLBuffer": {"shape": []int{6}, "dataType": mps.DataTypeFloat32},
		"NewTensorDataWithMTLBufferShapeDataTypeRowBytes": {"shape": []int{2, 6}, "dataType": mps.DataTypeFloat32,
			"rowBytes": 32},
		"Graph.PlaceholderWithShapeDataType": {"shape": []int{2, -1}, "dataType": mps.DataTypeFloat32},
	},
	Scalars: map[string]string{
		"MPSShape *": "[]int", "MPSGraphCallableMap *": "map[string]Executable",
		"MPSGraphTensorShapedTypeDictionary *": "map[Tensor]ShapedType",
		"MPSGraphTensorDataDictionary *":       "map[Tensor]TensorData",

		"MPSGraphCompilationCompletionHandler": "func(Executable, error)",
		"MPSGraphExecutableScheduledHandler":   "func([]TensorData, error)",
		"MPSGraphExecutableCompletionHandler":  "func([]TensorData, error)",
		"MPSGraphScheduledHandler":             "func(map[Tensor]TensorData, error)",
		"MPSGraphCompletionHandler":            "func(map[Tensor]TensorData, error)",
		"MPSGraphControlFlowDependencyBlock":   "func() []Tensor",
		"MPSGraphIfThenElseBlock":              "func() []Tensor",
		"MPSGraphWhileBeforeBlock":             "func([]Tensor, *[]Tensor) Tensor",
		"MPSGraphWhileAfterBlock":              "func([]Tensor) []Tensor",
		"MPSGraphForLoopBodyBlock":             "func(Tensor, []Tensor) []Tensor",
	},
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use. It does so twice, as
// with the flag -count: the class that gets the messages stays registered.
func TestBoundShapes(t *testing.T) {
	for range 2 {
		bindtest.Shapes(t, &bindings)
	}
}
