package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// Transpose copies in to out with the last two dimensions exchanged. If the rows of both arrays are
// contiguous, large matrices go through threadgroup memory. [Array.Transposed] does the same
// without moving data.
func Transpose[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	if err := first(out.result("transpose: result"), in.check("transpose: operand"),
		same("transpose", out.Shape, in.Transposed().Shape)); err != nil {
		return err
	}
	if len(in.Shape) < 2 {
		return fmt.Errorf("ops: transpose: shape %v: want at least 2 dimensions: %w", in.Shape, ErrShape)
	}
	return o.run(ctx, s, "transpose", func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.Transposed(out, in[0])
	}, out.operand(), in.Transposed().operand())
}

// product checks the arrays of out = a b and returns them as operands. Leading dimensions are a
// batch. In an operand each must equal that of the result, be 1, or be absent.
func product[T, R any](out Array[R], a, b Array[T]) (all [3]operand, err error) {
	if err := first(out.result("matmul: result"), a.check("matmul: first operand"),
		b.check("matmul: second operand")); err != nil {
		return all, err
	}
	bad := func(format string, args ...any) error {
		return fmt.Errorf("ops: matmul: %v x %v into %v: %s: %w",
			a.Shape, b.Shape, out.Shape, fmt.Sprintf(format, args...), ErrShape)
	}
	if len(a.Shape) < 2 || len(b.Shape) < 2 || len(out.Shape) < 2 {
		return all, bad("want at least 2 dimensions of each")
	}
	all = [3]operand{out.four(), a.four(), b.four()}
	os, as, bs := all[0].shape, all[1].shape, all[2].shape
	switch {
	case as[3] != bs[2]:
		return all, bad("the first operand has %d columns, the second %d rows, which must be equal; "+
			"Array.Transposed exchanges rows and columns", as[3], bs[2])
	case as[2] != os[2] || bs[3] != os[3]:
		return all, bad("the result must have %d rows and %d columns", as[2], bs[3])
	}
	for i := range 2 {
		in := &all[i+1]
		for d := range 2 {
			if in.shape[d] == os[d] {
				continue
			}
			if in.shape[d] != 1 {
				return all, fmt.Errorf("ops: matmul: %s of shape %v: a batch of %dx%d, the result has %dx%d: %w",
					[...]string{"first operand", "second operand"}[i], in.shape, in.shape[0], in.shape[1], os[0], os[1],
					ErrShape)
			}
			in.shape[d], in.strides[d] = os[d], 0 // one matrix for all
		}
	}
	return all, nil
}

// MatMul computes the matrix product out = a b, where a is m x k, b is k x n and out is m x n.
// Dimensions before the last two are a batch; where an operand has none, or 1, its matrices are
// used for all of that dimension. Arrays may have any strides, so [Array.Transposed] costs nothing.
// Products are summed as float32, with the method that [MatMulMethod] returns.
func MatMul[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, a, b Array[T]) error {
	return matmul(ctx, o, s, out, a, b)
}

// MatMulInt8 is [MatMul] for 8-bit integers, summed with 32 bits.
func MatMulInt8(ctx context.Context, o *Ops, s *compute.Stream, out Array[int32], a, b Array[int8]) error {
	return matmul(ctx, o, s, out, a, b)
}

func matmul[T, R any](ctx context.Context, o *Ops, s *compute.Stream, out Array[R], a, b Array[T]) error {
	all, err := product(out, a, b)
	if err != nil {
		return err
	}
	if b, c := o.otherProduct(&all); b != nil {
		if o.closed.Load() {
			return errClosed()
		}
		if err := b.Run(ctx, s, c); err != nil {
			return fmt.Errorf("ops: matmul: %s: %w", b.name, err)
		}
		return nil
	}
	return o.run(ctx, s, matmulOp, multiply, all[0], all[1:]...)
}

// otherProduct returns the backend that computes a product by the rule of package backend, and the
// call for it; nil means the kernels of package tensorop.
func (o *Ops) otherProduct(all *[3]operand) (*other, *backend.Call) {
	if o.missing() || len(o.others) == 0 {
		return nil, nil
	}
	c := &backend.Call{Spec: backend.MatMul{}, Out: []backend.Operand{{View: all[0].view(), Buffer: all[0].buffer}}}
	for i := range all[1:] {
		c.In = append(c.In, backend.Operand{View: all[i+1].view(), Buffer: all[i+1].buffer})
	}
	var names []string
	for i := range o.others {
		if o.others[i].Refuse(c) == "" {
			names = append(names, o.others[i].name)
		}
	}
	flops := 2 * float64(c.Out[0].Elements()) * float64(all[1].shape[maxDims-1])
	name, _ := backend.Rule(matmulOp, backend.Log2(flops), names)
	for i := range o.others {
		if o.others[i].name == name {
			return &o.others[i], c
		}
	}
	return nil, nil
}

const matmulOp = "matmul"

func multiply(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
	b.MatMul(out, in[0], in[1], 1, 0)
}
