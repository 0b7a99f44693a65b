package rnn

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/bindtest"
)

var bindings = bindtest.Bindings{
	Package: "rnn", Framework: "MetalPerformanceShaders", Prefix: "MPS", Drop: "MPSRNN",
	Methods: zmethods[:], Classes: zclasses[:],
	Wrappers: boundWrappers, Funcs: boundFuncs,
}

// TestBound calls every generated function and compares the resulting message with the declaration.
func TestBound(t *testing.T) { bindtest.Run(t, &bindings) }

func TestABI(t *testing.T) { bindtest.ABI(t, &bindings) }

func TestBoundTable(t *testing.T) { bindtest.Table(t, &bindings) }

// TestBoundShapes sends a message of each encoding through the driver in use.
func TestBoundShapes(t *testing.T) { bindtest.Shapes(t, &bindings) }
