// Package backend is what package tensor and its backends have in common. A backend computes some
// operations in another way than with this library's own kernels. The package is internal, so that
// the interface may change with the operations.
package backend

import (
	"context"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
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
}

// Call is an operation with its operands.
type Call struct {
	Spec    any // a MatMul, Softmax or Conv
	In, Out []Operand
}

// Operand is a view of a buffer.
type Operand struct {
	tensorop.View
	Buffer *compute.Buffer[uint8]
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
