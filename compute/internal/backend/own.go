package backend

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// Own runs plans of package tensorop with this library's own kernels, which it compiles at first
// use. It is safe for concurrent use.
type Own struct {
	acc        *compute.Accelerator
	whenClosed error
	// GPU says whether the kernels for GPUs are used where a plan has them, and Matrices whether those
	// of them that use simdgroup matrices are. NewOwn sets both as suits the device; tests set them
	// before the first plan.
	GPU, Matrices bool

	// The lock is held for reading from the choice of a kernel to the end of its launch, so that
	// programs are not closed between the two.
	mu      sync.RWMutex
	kernels map[kernelKey]kernel
	drops   int // how often all kernels were closed
	closed  bool
}

type kernelKey struct{ source, name string }

// kernel is an open kernel, or the reason why the device cannot run one with simdgroup matrices.
type kernel struct {
	program *compute.Program
	kernel  *compute.Kernel
	unfit   error
	drops   int // it is open while there are as many
}

// maxKernels is how many kernels are kept open. Those that are closed stay in the accelerator's
// cache, which has a limit of its own.
const maxKernels = 1024

// NewOwn returns what runs plans on an accelerator. Close it when done; plans then fail with an
// error.
func NewOwn(acc *compute.Accelerator, whenClosed error) *Own {
	info := acc.Info()
	return &Own{acc: acc, whenClosed: whenClosed, GPU: !info.Software,
		Matrices: info.HasSimdgroupMatrices() && !info.Software, kernels: map[kernelKey]kernel{}}
}

// Close releases the kernels. What is enqueued already still runs.
func (x *Own) Close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	x.drop()
}

// drop closes the kernels. The lock is held.
func (x *Own) drop() {
	for _, k := range x.kernels {
		k.program.Close()
	}
	clear(x.kernels)
	x.drops++
}

// Run enqueues a plan with the buffers of its inputs and outputs. A kernel that does not compile
// leaves the outputs as they were.
func (x *Own) Run(ctx context.Context, s *compute.Stream, p *tensorop.Plan, buffers []Buffer) error {
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
	type compiled struct {
		*tensorop.Step
		kernel
	}
	var few [4]compiled
	steps := few[:0]
	for i := range p.Steps {
		step, err := x.Choose(ctx, &p.Steps[i])
		var k kernel
		if err == nil {
			k, err = x.compile(ctx, step)
		}
		if err != nil {
			return err
		}
		steps = append(steps, compiled{step, k})
	}
	for _, step := range steps {
		if err := x.launch(ctx, s, step.Step, step.kernel, buffers); err != nil {
			return err
		}
	}
	return nil
}

// Choose returns the step that the device runs: the one itself, or that for GPUs. A device that is
// to use simdgroup matrices is asked once for each kernel whether it can run it: its compiler must
// make a pipeline of it that suits the threadgroups.
func (x *Own) Choose(ctx context.Context, step *tensorop.Step) (*tensorop.Step, error) {
	fast := step.GPU
	if fast == nil || !x.GPU || fast.Matrices && !x.Matrices {
		return step, nil
	}
	k, err := x.compile(ctx, fast)
	if k.unfit != nil {
		return step, nil
	}
	return fast, err
}

// The size of the simdgroups that kernels with simdgroup matrices rely on.
const simdgroupWidth = 32

// fits returns the reason why a pipeline cannot run a kernel with simdgroup matrices in a
// threadgroup, or nil if it can.
func fits(width, most int, group [3]int) error {
	threads := group[0] * group[1] * group[2]
	if width != simdgroupWidth || most < threads {
		return fmt.Errorf("the pipeline runs simdgroups of %d, and at most %d threads per threadgroup: want %d and %d",
			width, most, simdgroupWidth, threads)
	}
	return nil
}

// compile makes the kernel of a step unless it is open.
func (x *Own) compile(ctx context.Context, step *tensorop.Step) (kernel, error) {
	key := kernelKey{step.Source, step.Kernel}
	x.mu.RLock()
	k, ok := x.kernels[key]
	closed := x.closed
	x.mu.RUnlock()
	if ok {
		return k, nil
	}
	if closed {
		return k, x.whenClosed
	}
	safe := mtl.MathModeSafe
	p, err := x.acc.Compile(ctx, step.Source, compute.CompileOptions{Name: "tensor_" + step.Kernel, Math: &safe,
		PreciseFunctions: true})
	if err == nil {
		k.program = p
		k.kernel, err = p.KernelContext(ctx, step.Kernel)
	}
	if err == nil && step.Matrices {
		k.unfit = fits(k.kernel.ExecutionWidth(), k.kernel.MaxThreads(), step.Group)
	}
	if err != nil && step.Matrices && ctx.Err() == nil && !errors.Is(err, compute.ErrClosed) {
		k.unfit, err = err, nil // from the device's compiler
	}
	if err != nil {
		k.program.Close()
		return k, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if other, ok := x.kernels[key]; ok || x.closed {
		k.program.Close() // another goroutine was first, or launch will find no kernel
		return other, nil
	}
	if len(x.kernels) == maxKernels {
		x.drop()
	}
	k.drops = x.drops
	x.kernels[key] = k
	return k, nil
}

func (x *Own) launch(ctx context.Context, s *compute.Stream, step *tensorop.Step, k kernel, buffers []Buffer) error {
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
		launched, err := x.tryLaunch(ctx, s, k, grid, args)
		if launched || err != nil {
			return err
		}
		// Meanwhile other goroutines needed the kernel's place.
		if k, err = x.compile(ctx, step); err != nil {
			return err
		}
	}
}

// tryLaunch launches a kernel if it is still open.
func (x *Own) tryLaunch(ctx context.Context, s *compute.Stream, k kernel, grid compute.Grid, args []any) (bool, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.closed {
		return false, x.whenClosed
	}
	if k.kernel == nil || k.drops != x.drops {
		return false, nil
	}
	return true, s.Launch(ctx, k.kernel, grid, args...)
}
