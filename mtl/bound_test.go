package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
)

var bindings = bindtest.Bindings{
	Package: "mtl", Framework: "Metal", Prefix: "MTL",
	Methods: zmethods[:], Classes: zclasses[:], Functions: zfunctions[:], Constants: zconstants[:],
	Wrappers: boundWrappers, Funcs: boundFuncs,
	Scalars: map[string]string{
		"kern_return_t": "int32", "task_id_token_t": "uint32", "MTLTimestamp": "uint64", "MTLGPUAddress": "uint64",
		"NSRange": "Range", "MTLAutoreleasedComputePipelineReflection *": "ComputePipelineReflection",
		"MTLAutoreleasedArgument *": "Argument", "MTLCommonCounterSet": "string", "MTLCommonCounter": "string",
		"MTLIOCompressionContext": "IOCompressionContext",

		"MTLCommandBufferHandler": "func(CommandBuffer)", "MTLIOCommandBufferHandler": "func(IOCommandBuffer)",
		"MTL4CommitFeedbackHandler":                   "func(CommitFeedback4)",
		"MTLNewLibraryCompletionHandler":              "func(Library, error)",
		"MTLNewDynamicLibraryCompletionHandler":       "func(DynamicLibrary, error)",
		"MTLNewComputePipelineStateCompletionHandler": "func(ComputePipelineState, error)",
		"MTLNewComputePipelineStateWithReflectionCompletionHandler": "func(ComputePipelineState, " +
			"ComputePipelineReflection, error)",
		"MTL4NewBinaryFunctionCompletionHandler":               "func(BinaryFunction4, error)",
		"MTL4NewMachineLearningPipelineStateCompletionHandler": "func(MachineLearningPipelineState4, error)",
		"MTLSharedEventNotificationBlock":                      "func(SharedEvent, uint64)",
	},
	PlainConstants: map[string]string{"TensorMaxRank": "MTL_TENSOR_MAX_RANK"},
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use.
func TestBoundShapes(t *testing.T) { bindtest.Shapes(t, &bindings) }
