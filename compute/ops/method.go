package ops

import (
	"context"
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// Method is an algorithm for matrix multiplication.
type Method uint8

const (
	// Tiled uses tiles of 16 x 16 in threadgroup memory, with one thread per element of the result. It
	// runs on every device.
	Tiled Method = iota
	// SimdgroupMatrices uses simdgroup matrices of 8 x 8, distributed over the threads of a simdgroup,
	// in tiles of 32 x 32. Apple's GPUs support them in hardware.
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

// MatMulMethod returns the method that [MatMul] uses to multiply an m x k matrix by a k x n matrix
// with elements of type T. It is [SimdgroupMatrices] if the matrices fill its tiles (m and n are at
// least 32, k at least 16) and the device supports simdgroup matrices: the device is of the family
// Apple7 or a later one, its compiler can create the kernel's pipeline, and the pipeline runs
// simdgroups of 32 threads and as many threads per threadgroup as the kernel needs. The software
// device always uses [Tiled], which it computes with the processor's vector instructions.
func MatMulMethod[T Float](ctx context.Context, o *Ops, m, n, k int) (Method, error) {
	if o.missing() || ctx == nil {
		return Tiled, fmt.Errorf("ops: the operations or the context are nil or were never made: %w", compute.ErrNil)
	}
	if m < 32 || n < 32 || k < 16 || !o.matrices {
		return Tiled, nil
	}
	unfit, err := o.simdgroups(ctx, simdgroupKernel[T]())
	if err != nil || unfit != nil {
		return Tiled, err
	}
	return SimdgroupMatrices, nil
}

// The kernel of [SimdgroupMatrices] relies on these.
const (
	simdgroupWidth   = 32
	simdgroupThreads = 128 // four simdgroups
)

func simdgroupKernel[T Float]() string { return "matmul_simdgroup_" + suffix[T]() }

// simdgroups returns the reason why the device cannot run a kernel that uses simdgroup matrices, or
// nil if it can. The answer is cached.
func (o *Ops) simdgroups(ctx context.Context, name string) (unfit, err error) {
	o.mu.Lock()
	unfit, known := o.unfit[name]
	o.mu.Unlock()
	if known {
		return unfit, nil
	}
	program, err := o.program(ctx, matrixFile) // which contains the tiled kernels as well
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
		unfit = err // from the device's compiler
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.unfit[name] = unfit
	return unfit, nil
}

// simdgroupsFit returns the reason why a pipeline cannot run the kernel with its threadgroup size,
// or nil if it can.
func simdgroupsFit(width, most int) error {
	if width != simdgroupWidth || most < simdgroupThreads {
		return fmt.Errorf("ops: the pipeline runs simdgroups of %d, and at most %d threads per threadgroup: want %d and %d",
			width, most, simdgroupWidth, simdgroupThreads)
	}
	return nil
}
