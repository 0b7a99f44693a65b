package nn

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
)

var bindings = bindtest.Bindings{
	Package: "nn", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSNN",
	Methods: zmethods[:], Classes: zclasses[:],
	Scalars: map[string]string{
		"MPSNNGraphCompletionHandler": "func(mps.Image, error)",
		"MPSGradientNodeBlock":        "func(FilterNode, FilterNode, ImageNode, ImageNode)",
	},
	Objects: map[string]string{"cnn.ConvolutionDataSource descriptor": "cnn.ConvolutionDescriptor"},
	Numbers: map[string]uint64{"cnn.ConvolutionDescriptor outputFeatureChannels": 1,
		"cnn.ConvolutionDescriptor inputFeatureChannels": 1},
	Wrappers: boundWrappers, Funcs: boundFuncs,
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use.
func TestBoundShapes(t *testing.T) { bindtest.Shapes(t, &bindings) }
