package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// Method is a way to multiply matrices.
type Method uint8

const (
	// Tiled goes through tiles of 16 x 16 in threadgroup memory, one element of the result a thread.
	// Every device can.
	Tiled Method = iota
	// SimdgroupMatrices multiplies matrices of 8 x 8 that the threads of a simdgroup hold together,
	// in tiles of 32 x 32. On Apple's GPUs the hardware does that.
	SimdgroupMatrices
)

// String returns the method's name.
func (m Method) String() string {
	switch m {
	case Tiled:
		return "tiled"
	case SimdgroupMatrices:
		return "simdgroup matrices"
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// MatMulMethod returns the method of [MatMul] for an m x k matrix times a k x n one of Ts:
// [SimdgroupMatrices] if the result fills its tiles and the device has such matrices. That is, it
// belongs to the family Apple7 or a later one, its compiler makes the kernel's pipeline, and that
// runs simdgroups of 32 and as many threads in a threadgroup as the kernel needs.
func MatMulMethod[T Float](ctx context.Context, o *Ops, m, n, k int) (Method, error) {
	if m < 32 || n < 32 || k < 16 || !o.matrices {
		return Tiled, nil
	}
	unfit, err := o.simdgroups(ctx, simdgroupKernel[T]())
	if err != nil || unfit != nil {
		return Tiled, err
	}
	return SimdgroupMatrices, nil
}

// The kernel of [SimdgroupMatrices] counts on these.
const (
	simdgroupWidth   = 32
	simdgroupThreads = 128 // four simdgroups
)

func simdgroupKernel[T Float]() string { return "matmul_simdgroup_" + suffix[T]() }

// simdgroups returns why the device does not run a kernel of simdgroup matrices, nil if it does. It
// asks once.
func (o *Ops) simdgroups(ctx context.Context, name string) (unfit, err error) {
	o.mu.Lock()
	unfit, known := o.unfit[name]
	o.mu.Unlock()
	if known {
		return unfit, nil
	}
	program, err := o.program(ctx, matrixFile) // which has the tiled kernels as well
	if err != nil {
		return nil, err
	}
	k, err := program.KernelContext(ctx, name)
	switch {
	case err == nil:
		unfit = simdgroupsFit(k.ExecutionWidth(), k.MaxThreads())
	case ctx.Err() != nil || errors.Is(err, compute.ErrClosed):
		return nil, err
	default:
		unfit = err // of the device's compiler
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unfit[name] = unfit
	return unfit, nil
}

// simdgroupsFit returns why a pipeline cannot run the kernel as it is launched, nil if it can.
func simdgroupsFit(width, most int) error {
	if width != simdgroupWidth || most < simdgroupThreads {
		return fmt.Errorf("ops: simdgroups of %d, threadgroups of at most %d threads: want %d, and at least %d",
			width, most, simdgroupWidth, simdgroupThreads)
	}
	return nil
}
