package ray

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
	"github.com/puremetal/puremetal/objc"
)

var bindings = bindtest.Bindings{
	Package: "ray", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSRay",
	Methods: zmethods[:], Classes: zclasses[:],
	Implementations: []*objc.Implementation{
		&zimplementSVGFTextureAllocator,
	},
	Scalars:  map[string]string{"MPSAccelerationStructureCompletionHandler": "func(AccelerationStructure)"},
	Wrappers: boundWrappers, Funcs: boundFuncs,
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use.
func TestBoundShapes(t *testing.T) { bindtest.Shapes(t, &bindings) }
