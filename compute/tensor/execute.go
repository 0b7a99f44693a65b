package tensor

import (
	"context"
	"errors"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// operation is one call of an operation.
type operation struct {
	name            string
	inputs, outputs []*Tensor
	buffers         []*compute.Buffer[uint8] // of the inputs and outputs
	// build describes the operation to this library's own kernels.
	build func(b *tensorop.Builder, out, in []tensorop.Operand)
	flops float64
	spec  any    // of package backend, for other backends; nil if they do not have the operation
	trial *trial // nil but for Calibrate
}

// executor runs operations on a stream.
type executor interface {
	name() string
	run(ctx context.Context, s *compute.Stream, o *operation) error
	// close waits for nothing that is recorded on a stream of the program.
	close(ctx context.Context) error
}

// ownsStream closes the engine's stream with the executor.
type ownsStream struct {
	executor
	stream *compute.Stream
}

func (o ownsStream) close(ctx context.Context) error {
	err := o.stream.Close(ctx)
	if errors.Is(err, compute.ErrStaysOpen) {
		return err
	}
	return errors.Join(err, o.executor.close(ctx)) // the work has failed, and has ended
}

// own is the executor with the kernels of package tensorop.
type own struct{ *backend.Own }

func (own) name() string { return "own" }

func (x own) close(context.Context) error {
	x.Close()
	return nil
}

// plan returns the launches of an operation.
func (o *operation) plan() (*tensorop.Plan, error) {
	views := func(list []*Tensor) (v []tensorop.View) {
		for _, t := range list {
			v = append(v, t.view)
		}
		return v
	}
	b, in, out := tensorop.NewBuilder(views(o.inputs), views(o.outputs))
	o.build(b, out, in)
	return b.Plan()
}

func (x own) run(ctx context.Context, s *compute.Stream, o *operation) error {
	p, err := o.plan()
	if err != nil {
		return shapeError(err)
	}
	buffers := make([]backend.Buffer, len(o.buffers))
	for i, b := range o.buffers {
		buffers[i] = b
	}
	return x.Run(ctx, s, p, buffers)
}
