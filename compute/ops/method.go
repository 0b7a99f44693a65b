package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// Method is an algorithm for matrix multiplication.
type Method uint8

const (
	// Tiled uses tiles in threadgroup memory, in which a thread computes elements of the result one by
	// one. It runs on every device.
	Tiled Method = iota
	// SimdgroupMatrices uses simdgroup matrices of 8 x 8, distributed over the threads of a simdgroup,
	// in tiles of 32 x 32. Apple's GPUs support them in hardware.
	SimdgroupMatrices
	// MPS uses Metal Performance Shaders, in programs that import package mpsbackend and pass its
	// ForOps to [New].
	MPS
)

// String returns the method's name.
func (m Method) String() string {
	switch m {
	case Tiled:
		return "tiled"
	case SimdgroupMatrices:
		return "simdgroup matrices"
	case MPS:
		return "MPS"
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// MatMulMethod returns the method by which [MatMul] computes out = a b, the product of an m x k
// matrix and a k x n matrix. It is [MPS] if that was added, takes the types and strides, and the
// product has at least 2^24 floating-point operations, two for each of m*n*k. Otherwise it is
// [SimdgroupMatrices] if the matrices fill its tiles (m and n are at least 32, k at least 16) and
// the device supports simdgroup matrices: the device is of the family Apple7 or a later one, its
// compiler can create the kernel's pipeline, and the pipeline runs simdgroups of 32 threads and as
// many threads per threadgroup as the kernel needs. The software device always uses [Tiled], which
// it computes with the processor's vector instructions.
func MatMulMethod[T Float](ctx context.Context, o *Ops, out, a, b Array[T]) (Method, error) {
	if o.missing() || ctx == nil {
		return Tiled, fmt.Errorf("ops: the operations or the context are nil or were never made: %w", compute.ErrNil)
	}
	all, err := product(out, a, b)
	if err != nil {
		return Tiled, err
	}
	if b, _ := o.otherProduct(&all); b != nil {
		return MPS, nil
	}
	p, err := o.plan(newCall(matmulOp, all[0], all[1:]...), 2, multiply)
	if err != nil {
		return Tiled, err
	}
	step, err := o.own.Choose(ctx, &p.Steps[0])
	if err == nil && step.Matrices {
		return SimdgroupMatrices, nil
	}
	return Tiled, err
}
