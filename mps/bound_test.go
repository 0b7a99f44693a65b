package mps

import (
	"testing"

	"github.com/puremetal/puremetal/internal/bindtest"
	"github.com/puremetal/puremetal/objc"
)

var bindings = bindtest.Bindings{
	Package: "mps", Framework: "MetalPerformanceShaders", Prefix: "MPS",
	Methods: zmethods[:], Classes: zclasses[:], Functions: zfunctions[:],
	Implementations: []*objc.Implementation{
		&zimplementCNNBatchNormalizationDataSource, &zimplementCNNConvolutionDataSource,
		&zimplementCNNGroupNormalizationDataSource, &zimplementCNNInstanceNormalizationDataSource, &zimplementHandle,
		&zimplementHeapProvider, &zimplementImageAllocator, &zimplementImageTransformProvider,
		&zimplementNDArrayAllocator, &zimplementNNGramMatrixCallback, &zimplementNNLossCallback, &zimplementNNPadding,
		&zimplementSVGFTextureAllocator,
	},
	Scalars: map[string]string{
		"MPSShape *": "[]int", "MPSNNGraphCompletionHandler": "func(Image, error)",
		"MPSGradientNodeBlock":                      "func(NNFilterNode, NNFilterNode, NNImageNode, NNImageNode)",
		"MPSAccelerationStructureCompletionHandler": "func(AccelerationStructure)",
	},
	Wrappers: boundWrappers, Funcs: boundFuncs,
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }
