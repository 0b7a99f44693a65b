package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/simd"
)

const matrixFile = "matrix.metal"

// Transpose copies in to out with the last two dimensions exchanged. If both arrays are contiguous,
// it goes through threadgroup memory. [Array.Transposed] does the same without moving data.
func Transpose[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	if err := first(out.result("transpose: result"), in.check("transpose: operand"),
		same("transpose", out.Shape, in.Transposed().Shape)); err != nil {
		return err
	}
	if len(in.Shape) < 2 {
		return fmt.Errorf("ops: transpose: shape %v: want at least 2 dimensions: %w", in.Shape, ErrShape)
	}
	if !in.flat() || !out.flat() {
		return Copy(ctx, o, s, out, in.Transposed())
	}
	k, err := o.kernel(ctx, matrixFile, "transpose_"+suffix[T]())
	if err != nil {
		return err
	}
	shape, _ := in.four()
	grid := compute.Extent{X: tiles(shape[3], 32), Y: tiles(shape[2], 32), Z: shape[0] * shape[1]}
	return s.Launch(ctx, k, compute.Threadgroups{Grid: grid, Group: compute.Extent{X: 32, Y: 8}}, in.Buffer, out.Buffer,
		simd.UInt2{X: uint32(shape[2]), Y: uint32(shape[3])})
}

func tiles(n, side int) int { return (n + side - 1) / side }

// product mirrors Product in matrix.metal.
type product struct {
	M, N, K, Inner uint32
	A, B, Out      [4]int32
}

// productOf checks the shapes of out = a b and describes the product. Leading dimensions are a
// batch. In an operand each must equal that of the result, be 1, or be absent.
func productOf[T, R any](out Array[R], a, b Array[T]) (p product, batch int, err error) {
	if err := first(out.result("matmul: result"), a.check("matmul: first operand"),
		b.check("matmul: second operand")); err != nil {
		return p, 0, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("ops: matmul: %v x %v into %v: %s: %w",
			a.Shape, b.Shape, out.Shape, fmt.Sprintf(format, args...), ErrShape)
	}
	if len(a.Shape) < 2 || len(b.Shape) < 2 || len(out.Shape) < 2 {
		return p, 0, bad("want at least 2 dimensions of each")
	}
	as, at := a.four()
	bs, bt := b.four()
	os, ot := out.four()
	switch {
	case as[3] != bs[2]:
		return p, 0, bad("the first operand has %d columns, the second %d rows, which must be equal; "+
			"Array.Transposed exchanges rows and columns", as[3], bs[2])
	case as[2] != os[2] || bs[3] != os[3]:
		return p, 0, bad("the result must have %d rows and %d columns", as[2], bs[3])
	}
	p = product{M: uint32(os[2]), N: uint32(os[3]), K: uint32(as[3]), Inner: uint32(os[1])}
	for i, m := range []struct {
		shape, strides [maxDims]int
		to             *[4]int32
	}{{as, at, &p.A}, {bs, bt, &p.B}, {os, ot, &p.Out}} {
		*m.to = [4]int32{int32(m.strides[2]), int32(m.strides[3])}
		for d := range 2 {
			switch m.shape[d] {
			case os[d]:
				m.to[3-d] = int32(m.strides[d])
			case 1: // one matrix for all
			default:
				return p, 0, fmt.Errorf("ops: matmul: %s of shape %v: a batch of %dx%d, the result has %dx%d: %w",
					[...]string{"first operand", "second operand"}[i], m.shape, m.shape[0], m.shape[1], os[0], os[1], ErrShape)
			}
		}
	}
	return p, os[0] * os[1], nil
}

// MatMul computes the matrix product out = a b, where a is m x k, b is k x n and out is m x n.
// Dimensions before the last two are a batch; where an operand has none, or 1, its matrices are
// used for all of that dimension. Arrays may have any strides, so [Array.Transposed] costs nothing.
// Products are summed as float32, with the method that [MatMulMethod] returns.
func MatMul[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	p, batch, err := productOf(out, a, b)
	if err != nil {
		return err
	}
	method, err := MatMulMethod[T](ctx, o, int(p.M), int(p.N), int(p.K))
	if err != nil {
		return err
	}
	if method == SimdgroupMatrices {
		group := compute.Extent{X: simdgroupThreads}
		return multiply(ctx, o, s, simdgroupKernel[T](), 32, group, p, batch, out, a, b)
	}
	return multiply(ctx, o, s, "matmul_tiled_"+suffix[T](), 16, compute.Extent{X: 16, Y: 16}, p, batch, out, a, b)
}

// MatMulInt8 is [MatMul] for 8-bit integers, summed with 32 bits.
func MatMulInt8(ctx context.Context, o *Ops, s *compute.Stream, out Array[int32], a, b Array[int8]) error {
	p, batch, err := productOf(out, a, b)
	if err != nil {
		return err
	}
	return multiply(ctx, o, s, "matmul_tiled_i8", 16, compute.Extent{X: 16, Y: 16}, p, batch, out, a, b)
}

// multiply launches a product whose kernel computes square tiles of the given side.
func multiply[T, R any](ctx context.Context, o *Ops, s *compute.Stream, name string, side int, group compute.Extent,
	p product, batch int, out Array[R], a, b Array[T]) error {
	k, err := o.kernel(ctx, matrixFile, name)
	if err != nil {
		return err
	}
	grid := compute.Extent{X: tiles(int(p.N), side), Y: tiles(int(p.M), side), Z: batch}
	return s.Launch(ctx, k, compute.Threadgroups{Grid: grid, Group: group}, a.Buffer, b.Buffer, out.Buffer, p)
}
