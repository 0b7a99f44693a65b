// Package backend is what packages tensor and ops have in common: what runs this library's own
// kernels on streams, and the interface of other backends, which compute some operations in another
// way. The package is internal, so that the interface may change with the operations.
package backend

import (
	"context"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// Backend computes some operations. It is safe for concurrent use.
type Backend interface {
	// Refuse returns why the backend does not compute a call, or "" if it does. It is a rule, which
	// names no sizes, so that there are few different ones.
	Refuse(c *Call) string
	// Run enqueues a call that is not refused. Its result does not depend on work that is enqueued
	// later, and the memory of its operands stays open until Run returns.
	Run(ctx context.Context, s *compute.Stream, c *Call) error
	// Close releases what the backend keeps. Work that it has enqueued still runs.
	Close()
}

// Maker makes a backend for an accelerator. Its error says why the machine does not have it.
type Maker struct {
	Name string
	Make func(*compute.Accelerator) (Backend, error)
	// SameOnSoftware says that on the software device the backend would run this library's own
	// kernels. They are run without it then.
	SameOnSoftware bool
}

// Same reports whether the backend would run this library's own kernels on a device.
func (m Maker) Same(acc *compute.Accelerator) bool { return m.SameOnSoftware && acc.Info().Software }

// Call is an operation with its operands.
type Call struct {
	Spec    any // a MatMul, Softmax or Conv
	In, Out []Operand
}

// Operand is a view of a buffer.
type Operand struct {
	tensorop.View
	Buffer Buffer
}

// Buffer is a buffer of any type.
type Buffer interface {
	compute.AnyBuffer
	Metal() (memory mtl.Buffer, offset uint)
}

// MatMul is the product of matrices, as of [tensorop.Builder.MatMul]; both have a type, and the
// result may have another one.
type MatMul struct{}

// Softmax is the softmax along an axis, or its logarithm.
type Softmax struct {
	Axis int
	Log  bool
}

// Conv is a convolution, as of [tensorop.Builder.Conv].
type Conv struct {
	Window tensorop.Window
	Groups int
}
