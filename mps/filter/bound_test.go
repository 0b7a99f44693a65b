package filter

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
)

var bindings = bindtest.Bindings{
	Package: "filter", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSImage",
	Methods: zmethods[:], Classes: zclasses[:],
	Valid: map[string]map[string]any{
		"NewBoxWithDevice":                        {"kernelWidth": 3, "kernelHeight": 5},
		"NewAreaMaxWithDevice":                    {"kernelWidth": 3, "kernelHeight": 5},
		"NewAreaMinWithDevice":                    {"kernelWidth": 3, "kernelHeight": 5},
		"NewMedianWithDevice":                     {"kernelDiameter": 7},
		"NewTentWithDevice":                       {"kernelWidth": 3, "kernelHeight": 5},
		"NewConvolutionWithDeviceKernelWidth":     {"kernelWidth": 3, "kernelHeight": 5},
		"NewGaussianPyramidWithDeviceKernelWidth": {"kernelWidth": 3, "kernelHeight": 5},
		"NewDilateWithDevice":                     {"kernelWidth": 3, "kernelHeight": 5},
		"NewErodeWithDevice":                      {"kernelWidth": 3, "kernelHeight": 5},
	},
	Wrappers: boundWrappers, Funcs: boundFuncs,
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use.
func TestBoundShapes(t *testing.T) { bindtest.Shapes(t, &bindings) }
