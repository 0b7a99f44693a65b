package ops

import (
	"context"
	"fmt"

	"github.com/puremetal/puremetal/compute"
)

// Reduction makes one number of many.
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

// rows is Rows of reduce.metal.
type rows struct{ Length, Stride, Total uint32 }

const (
	reduceFile  = "reduce.metal"
	rowThreads  = 256  // of a threadgroup that reduces a row
	maxPortions = 1024 // rows that the first round of a whole reduction makes
	leastRow    = 4096 // elements that such a row has at least
)

// rowsOf sees an array as rows along its last dimension.
func rowsOf[T any](what string, a Array[T]) (n int, r rows, err error) {
	if err := a.check(what); err != nil {
		return 0, r, err
	}
	if !a.flat() {
		return 0, r, fmt.Errorf("ops: %s: strides %v: rows must lie one after the other without gaps: %w", what, a.Strides, ErrShape)
	}
	length := a.Shape[len(a.Shape)-1]
	n = a.Len() / length
	return n, rows{uint32(length), uint32(length), uint32(a.Len())}, nil
}

// groups is one threadgroup a row.
func groups(n int) compute.Groups {
	return compute.Groups{Grid: compute.Extent{X: n}, Group: compute.Extent{X: rowThreads}}
}

// Reduce computes one number of each row of in, which are its last dimension: out has as many elements as in has rows. Both lie without gaps.
func Reduce[T Float](ctx context.Context, o *Ops, s *compute.Stream, r Reduction, out, in Array[T]) error {
	if r > Max {
		return fmt.Errorf("ops: %v: %w", r, errKind)
	}
	n, layout, err := rowsOf(r.String()+": operand", in)
	if err == nil {
		err = oneEach(r.String(), out, n)
	}
	if err != nil {
		return err
	}
	k, err := o.kernel(ctx, reduceFile, r.String()+"_rows_"+suffix[T]())
	if err != nil {
		return err
	}
	return s.Launch(ctx, k, groups(n), in.Buffer, out.Buffer, layout)
}

// oneEach checks that a result has one element for each row.
func oneEach[T any](what string, out Array[T], n int) error {
	if err := out.result(what + ": result"); err != nil {
		return err
	}
	if out.Len() != n || !out.flat() {
		return fmt.Errorf("ops: %s: result of shape %v with strides %v for %d rows: %w", what, out.Shape, out.Strides, n, ErrShape)
	}
	return nil
}

// portions cuts a whole array into rows for the first round.
func portions(n int) (count int, r rows) {
	length := max((n+maxPortions-1)/maxPortions, leastRow)
	return (n + length - 1) / length, rows{uint32(length), uint32(length), uint32(n)}
}

// ReduceAll computes one number of all elements of in, which lies without gaps; out has one element. Sums are kept as float32 between the two rounds.
func ReduceAll[T Float](ctx context.Context, o *Ops, s *compute.Stream, r Reduction, out, in Array[T]) error {
	if r > Max {
		return fmt.Errorf("ops: %v: %w", r, errKind)
	}
	if _, _, err := rowsOf(r.String()+": operand", in); err != nil {
		return err
	}
	if err := oneEach(r.String(), out, 1); err != nil {
		return err
	}
	n, layout := portions(in.Len())
	if r == Min || r == Max {
		partial, err := compute.NewBuffer[T](o.acc, n, compute.BufferOptions{Intent: compute.Intermediate, Label: "partial " + r.String()})
		if err != nil {
			return err
		}
		defer partial.Close() // it stays until the launches have ended
		k, err := o.kernel(ctx, reduceFile, r.String()+"_rows_"+suffix[T]())
		if err != nil {
			return err
		}
		if err := s.Launch(ctx, k, groups(n), in.Buffer, partial, layout); err != nil {
			return err
		}
		return s.Launch(ctx, k, groups(1), partial, out.Buffer, rows{uint32(n), uint32(n), uint32(n)})
	}
	partial, err := compute.NewBuffer[float32](o.acc, n, compute.BufferOptions{Intent: compute.Intermediate, Label: "partial sums"})
	if err != nil {
		return err
	}
	defer partial.Close()
	round, err := o.kernel(ctx, reduceFile, "sum_partial_"+suffix[T]())
	if err != nil {
		return err
	}
	last, err := o.kernel(ctx, reduceFile, "sum_final_"+suffix[T]())
	if err != nil {
		return err
	}
	if err := s.Launch(ctx, round, groups(n), in.Buffer, partial, layout); err != nil {
		return err
	}
	count := float32(1)
	if r == Mean {
		count = float32(in.Len())
	}
	return s.Launch(ctx, last, groups(1), partial, out.Buffer, uint32(n), count)
}

// ArgMax computes the index of the first largest element of each row of in, which are its last dimension. A NaN counts as larger than any number.
func ArgMax[T Float](ctx context.Context, o *Ops, s *compute.Stream, out Array[uint32], in Array[T]) error {
	n, layout, err := rowsOf("argmax: operand", in)
	if err == nil {
		err = oneEach("argmax", out, n)
	}
	if err != nil {
		return err
	}
	k, err := o.kernel(ctx, reduceFile, "argmax_rows_"+suffix[T]())
	if err != nil {
		return err
	}
	return s.Launch(ctx, k, groups(n), in.Buffer, out.Buffer, layout)
}

// ArgMaxAll computes the index of the first largest element of all of in, which lies without gaps; out has one element.
func ArgMaxAll[T Float](ctx context.Context, o *Ops, s *compute.Stream, out Array[uint32], in Array[T]) error {
	if _, _, err := rowsOf("argmax: operand", in); err != nil {
		return err
	}
	if err := oneEach("argmax", out, 1); err != nil {
		return err
	}
	n, layout := portions(in.Len())
	places, err := compute.NewBuffer[uint32](o.acc, n, compute.BufferOptions{Intent: compute.Intermediate, Label: "places"})
	if err != nil {
		return err
	}
	defer places.Close()
	round, err := o.kernel(ctx, reduceFile, "argmax_rows_"+suffix[T]())
	if err != nil {
		return err
	}
	last, err := o.kernel(ctx, reduceFile, "argmax_final_"+suffix[T]())
	if err != nil {
		return err
	}
	if err := s.Launch(ctx, round, groups(n), in.Buffer, places, layout); err != nil {
		return err
	}
	return s.Launch(ctx, last, compute.Threads1D(1), in.Buffer, places, out.Buffer, uint32(n), layout.Stride)
}

// Softmax computes exp(x - max) / sum over each row of in, which are its last dimension. Both arrays have one shape and lie without gaps; they may be the
// same.
func Softmax[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	n, layout, err := rowsOf("softmax: operand", in)
	if err == nil {
		_, _, err = rowsOf("softmax: result", out)
	}
	if err = first(err, out.result("softmax: result"), same("softmax", out.Shape, in.Shape)); err != nil {
		return err
	}
	k, err := o.kernel(ctx, reduceFile, "softmax_rows_"+suffix[T]())
	if err != nil {
		return err
	}
	return s.Launch(ctx, k, groups(n), in.Buffer, out.Buffer, layout)
}
