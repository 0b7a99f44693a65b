// Package mpsbackend adds Metal Performance Shaders and MPSGraph to engines of package tensor, as
// the backends "mps" and "mpsgraph", and the products of the former to package ops:
//
//	engine, err := tensor.New(acc, mpsbackend.With())
//	o := ops.New(acc, mpsbackend.ForOps())
//
// Programs that do not import it contain neither framework's bindings. On the software device, MPS
// and MPSGraph have the kernels of tensors and of package ops, which run there without a detour
// through the frameworks, even if a program forces a backend.
//
// # What they compute
//
//	mps       products of matrices, one or a batch with equal strides, whose rows or columns are
//	          contiguous; Softmax and LogSoftmax along the last axis
//	mpsgraph  products of matrices, Softmax along any axis, convolutions of two spatial dimensions;
//	          of tensors that are contiguous and begin their memory
//
// Both take Float32 and Float16. All else is computed by the engine's own kernels;
// [tensor.Engine.Explain] tells why. Results of backends may differ in the last bits.
//
// Backend mps encodes into the engine's stream, as the engine's own kernels do. MPSGraph may commit
// command buffers by itself, so backend mpsgraph has a queue of its own and waits, first for the
// stream and then for the graph: its operations are not asynchronous. Graphs are kept by types,
// shapes and parameters, the last [MaxGraphs] of them.
//
// Misuse that the frameworks themselves report goes to the handler of objc.OnFault, as with
// packages mps and graph. Neither backend has been run on a Mac.
package mpsbackend

import (
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/compute/ops"
	"github.com/puremetal/puremetal/compute/tensor"
)

// Names of the backends, for [tensor.WithBackend].
const (
	MPS      = backend.MPSName
	MPSGraph = backend.MPSGraphName
)

// With returns the option that adds both backends to an engine. A machine may lack one of them:
// that is an error only if the program forces it.
func With() tensor.Option { return tensor.AddBackends(makers()...) }

// ForOps returns the option that lets MPS compute products of package ops: those that
// [ops.MatMulMethod] names.
func ForOps() ops.Option { return ops.AddBackends(makers()[0]) }

func makers() []backend.Maker {
	return []backend.Maker{{Name: MPS, Make: newMatrices, SameOnSoftware: true},
		{Name: MPSGraph, Make: newGraphs, SameOnSoftware: true}}
}
