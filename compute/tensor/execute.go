package tensor

import (
	"context"
	"errors"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
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
type own struct {
	acc *compute.Accelerator

	// The lock is held for reading from the choice of a kernel to the end of its launch, so that
	// programs are not closed between the two.
	mu      sync.RWMutex
	kernels map[kernelKey]kernel
	closed  bool
}

type kernelKey struct{ source, name string }

type kernel struct {
	program *compute.Program
	kernel  *compute.Kernel
}

// maxKernels is how many kernels an executor keeps open. Those that it closes stay in the
// accelerator's cache, which has a limit of its own.
const maxKernels = 1024

func newOwn(acc *compute.Accelerator) *own {
	return &own{acc: acc, kernels: map[kernelKey]kernel{}}
}

func (x *own) name() string { return "own" }

func (x *own) close(context.Context) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	x.drop()
	return nil
}

// drop closes the kernels. The lock is held.
func (x *own) drop() {
	for _, k := range x.kernels {
		k.program.Close()
	}
	clear(x.kernels)
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

func (x *own) run(ctx context.Context, s *compute.Stream, o *operation) error {
	p, err := o.plan()
	if err != nil {
		return shapeError(err)
	}
	buffers := o.buffers
	for _, size := range p.Temps {
		// The launches keep the memory until they have ended.
		t, err := compute.NewBuffer[uint8](x.acc, size, compute.BufferOptions{Label: "tensor",
			Intent: compute.Intermediate})
		if err != nil {
			return err
		}
		defer t.Close()
		buffers = append(buffers[:len(buffers):len(buffers)], t)
	}
	// Compile everything first, so that a failure leaves the results as they were.
	for i := range p.Steps {
		if err := x.compile(ctx, &p.Steps[i]); err != nil {
			return err
		}
	}
	for i := range p.Steps {
		if err := x.launch(ctx, s, &p.Steps[i], buffers); err != nil {
			return err
		}
	}
	return nil
}

// compile makes the kernel of a step unless it is open.
func (x *own) compile(ctx context.Context, step *tensorop.Step) error {
	key := kernelKey{step.Source, step.Kernel}
	x.mu.RLock()
	_, ok := x.kernels[key]
	x.mu.RUnlock()
	if ok {
		return nil
	}
	safe := mtl.MathModeSafe
	p, err := x.acc.Compile(ctx, step.Source, compute.CompileOptions{Name: "tensor_" + step.Kernel, Math: &safe,
		PreciseFunctions: true})
	if err != nil {
		return err
	}
	k, err := p.KernelContext(ctx, step.Kernel)
	if err != nil {
		p.Close()
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, ok := x.kernels[key]; ok || x.closed {
		p.Close() // another goroutine was first, or launch will find no kernel
		return nil
	}
	if len(x.kernels) == maxKernels {
		x.drop()
	}
	x.kernels[key] = kernel{p, k}
	return nil
}

func (x *own) launch(ctx context.Context, s *compute.Stream, step *tensorop.Step,
	buffers []*compute.Buffer[uint8]) error {
	args := make([]any, 0, len(step.Buffers)+1)
	for i, n := range step.Buffers {
		args = append(args, compute.At(uint(i), buffers[n]))
	}
	if len(step.Arguments) > 0 {
		args = append(args, compute.At(uint(len(step.Buffers)), compute.Bytes(step.Arguments)))
	}
	grid := compute.Threads3D(step.Threads[0], step.Threads[1], step.Threads[2])
	if g := step.Group; g[0] > 0 {
		grid = grid.In(compute.Extent{X: g[0], Y: g[1], Z: g[2]})
	}
	for {
		launched, err := x.tryLaunch(ctx, s, step, grid, args)
		if launched || err != nil {
			return err
		}
		// Meanwhile other goroutines needed the kernel's place.
		if err := x.compile(ctx, step); err != nil {
			return err
		}
	}
}

// tryLaunch launches a step if its kernel is open.
func (x *own) tryLaunch(ctx context.Context, s *compute.Stream, step *tensorop.Step, grid compute.Grid,
	args []any) (bool, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return false, errEngineClosed()
	}
	k, ok := x.kernels[kernelKey{step.Source, step.Kernel}]
	if !ok {
		return false, nil
	}
	return true, s.Launch(ctx, k.kernel, grid, args...)
}
