package ops

import (
	"context"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// Reduction is an operation that reduces many numbers to one.
type Reduction uint8

// The reductions.
const (
	Sum Reduction = iota
	Mean
	Min
	Max
)

// String returns the reduction's name.
func (r Reduction) String() string {
	names := [...]string{"sum", "mean", "min", "max"}
	if int(r) < len(names) {
		return names[r]
	}
	return fmt.Sprintf("Reduction(%d)", uint8(r))
}

// Reduce reduces each row of in, its last dimension, to one number. out has the shape of in without
// the last dimension, or with 1 in its place; if out is contiguous, any shape with the right number
// of elements will do.
func Reduce[T Float](ctx context.Context, o *Ops, s *compute.Stream, r Reduction, out, in Array[T]) error {
	if r > Max {
		return fmt.Errorf("ops: %v: %w", r, errKind)
	}
	return reduce(ctx, o, s, r.String(), out, in)
}

// reduce reduces each row of in by a reduction of package tensorop.
func reduce[R, T any](ctx context.Context, o *Ops, s *compute.Stream, op string, out Array[R], in Array[T]) error {
	if err := in.counted(op + ": operand"); err != nil {
		return err
	}
	result, err := oneEach(op, out, in.Shape)
	if err != nil {
		return err
	}
	return o.run(ctx, s, op, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.Reduce(op, out, in[0], in[0].Rank()-1)
	}, result, in.operand())
}

// oneEach returns a result, which must have one element for each row of an operand, in the
// operand's shape with 1 for the rows.
func oneEach[T any](what string, out Array[T], of []int) (o operand, err error) {
	if err := out.result(what + ": result"); err != nil {
		return o, err
	}
	o = out.operand()
	last := len(of) - 1
	n, outer := tensorop.Elements(of[:last]), of[:last]
	shape := out.Shape
	if last := len(shape) - 1; len(shape) == len(of) && shape[last] == 1 {
		shape = shape[:last]
	}
	switch {
	case slices.Equal(shape, outer):
		o.shape[last], o.strides[last] = 1, 0
	case out.Len() == n && out.flat():
		o.shape, o.strides = [maxDims]int{}, [maxDims]int{}
		v := tensorop.Dense(o.typ, outer...)
		copy(o.shape[:], v.Shape)
		copy(o.strides[:], v.Strides)
		o.shape[last] = 1
	default:
		return o, fmt.Errorf("ops: %s: operand of shape %v, result of shape %v with strides %v: the result must be "+
			"of shape %v, with or without a last 1, or have %d contiguous elements: %w",
			what, of, out.Shape, out.Strides, outer, n, ErrShape)
	}
	o.rank = len(of)
	return o, nil
}

// ReduceAll reduces all elements of in to one number; out has one element. Parts of the elements
// may be reduced before their results are; sums of parts are kept as float32.
func ReduceAll[T Float](ctx context.Context, o *Ops, s *compute.Stream, r Reduction, out, in Array[T]) error {
	if r > Max {
		return fmt.Errorf("ops: %v: %w", r, errKind)
	}
	return reduceAll(ctx, o, s, r.String(), out, in)
}

// reduceAll reduces all elements of in by a reduction of package tensorop.
func reduceAll[R, T any](ctx context.Context, o *Ops, s *compute.Stream, op string, out Array[R], in Array[T]) error {
	if err := in.counted(op + ": operand"); err != nil {
		return err
	}
	result, err := oneEach(op, out, []int{1})
	if err != nil {
		return err
	}
	return o.run(ctx, s, op+" of all", func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.ReduceAll(op, out, in[0])
	}, result, in.operand())
}

// ArgMax computes the index of the first largest element in each row of in, its last dimension. out
// has the shape described at [Reduce]. NaN counts as larger than any number.
func ArgMax[T Float](ctx context.Context, o *Ops, s *compute.Stream, out Array[uint32], in Array[T]) error {
	return reduce(ctx, o, s, "argmax", out, in)
}

// ArgMaxAll computes the index of the first largest element in all of in, counted in row-major
// order; out has one element.
func ArgMaxAll[T Float](ctx context.Context, o *Ops, s *compute.Stream, out Array[uint32], in Array[T]) error {
	return reduceAll(ctx, o, s, "argmax", out, in)
}

// Softmax computes exp(x - max) / sum over each row of in, its last dimension. out and in have the
// same shape and may be the same array.
func Softmax[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	if err := first(in.counted("softmax: operand"), out.result("softmax: result"),
		same("softmax", out.Shape, in.Shape)); err != nil {
		return err
	}
	return o.run(ctx, s, "softmax", func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		b.Softmax(out, in[0], in[0].Rank()-1)
	}, out.operand(), in.operand())
}
