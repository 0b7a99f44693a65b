package ops

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/compute"
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

// rows mirrors Rows in reduce.metal.
type rows struct {
	Inner         [2]uint32
	In, Out       [maxDims]int32
	Length, Total uint32
}

const (
	reduceFile   = "reduce.metal"
	rowThreads   = 256 // per threadgroup that reduces a row; the minimum, leastThreads, is one simdgroup
	leastThreads = 32
	maxPortions  = 1024 // maximum number of rows in the first round of a whole reduction
	leastRow     = 4096 // minimum number of elements in such a row
)

// rowsOf describes an array as n rows along its last dimension.
func rowsOf[T any](what string, a Array[T]) (n int, r rows, err error) {
	if err := a.counted(what); err != nil {
		return 0, r, err
	}
	shape, strides := a.four()
	r = rows{Inner: [2]uint32{uint32(shape[1]), uint32(shape[2])}, In: narrow(strides), Length: uint32(shape[3]),
		Total: uint32(a.Len())}
	return a.Len() / shape[3], r, nil
}

func narrow(strides [maxDims]int) (s [maxDims]int32) {
	for i, v := range strides {
		s[i] = int32(v)
	}
	return s
}

// groups returns one threadgroup per row. If there are so many rows that the grid would have more
// threads than Metal can count, the threadgroups are smaller, but never less than one simdgroup.
func groups(n int) compute.Threadgroups {
	threads := rowThreads
	for threads > leastThreads && n > math.MaxUint32/threads {
		threads /= 2
	}
	return compute.Threadgroups{Grid: compute.Extent{X: n}, Group: compute.Extent{X: threads}}
}

// Reduce reduces each row of in, its last dimension, to one number. out has the shape of in without
// the last dimension, or with 1 in its place; if out is contiguous, any shape with the right number
// of elements will do.
func Reduce[T Float](ctx context.Context, o *Ops, s *compute.Stream, r Reduction, out, in Array[T]) error {
	if r > Max {
		return fmt.Errorf("ops: %v: %w", r, errKind)
	}
	n, layout, err := rowsOf(r.String()+": operand", in)
	if err == nil {
		layout.Out, err = oneEach(r.String(), out, in.Shape, n)
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

// oneEach checks that a result has one element for each of n rows of an operand, and returns the
// strides that rows have in the result.
func oneEach[T any](what string, out Array[T], operand []int, n int) (strides [maxDims]int32, err error) {
	if err := out.result(what + ": result"); err != nil {
		return strides, err
	}
	shape, outer := out.Shape, operand[:len(operand)-1]
	if last := len(shape) - 1; len(shape) == len(operand) && shape[last] == 1 {
		shape = shape[:last]
	}
	switch {
	case slices.Equal(shape, outer):
		for i := range shape {
			strides[maxDims-1-len(shape)+i] = int32(out.Strides[i])
		}
	case out.Len() == n && out.flat():
		stride := 1
		for i := range outer {
			strides[maxDims-2-i] = int32(stride)
			stride *= outer[len(outer)-1-i]
		}
	default:
		return strides, fmt.Errorf("ops: %s: operand of shape %v, result of shape %v with strides %v: the result must be "+
			"of shape %v, with or without a last 1, or have %d contiguous elements: %w",
			what, operand, out.Shape, out.Strides, outer, n, ErrShape)
	}
	return strides, nil
}

// portions cuts a whole array into rows for the first round. A contiguous array is cut into
// portions; any other into its own rows.
func portions[T any](what string, a Array[T]) (count int, r rows, err error) {
	count, r, err = rowsOf(what+": operand", a)
	if err == nil && a.flat() {
		length := max((a.Len()+maxPortions-1)/maxPortions, leastRow)
		count, r = portion(a.Len(), length)
	}
	r.Out = [maxDims]int32{int32(r.Inner[0] * r.Inner[1]), int32(r.Inner[1]), 1} // the results are contiguous
	return count, r, err
}

// portion describes n contiguous elements as rows of the given length.
func portion(n, length int) (count int, r rows) {
	count = (n + length - 1) / length
	return count, rows{Inner: [2]uint32{1, uint32(count)}, In: [maxDims]int32{0, 0, int32(length), 1},
		Length: uint32(length), Total: uint32(n)}
}

// ReduceAll reduces all elements of in to one number; out has one element. It takes two rounds,
// between which sums are kept as float32.
func ReduceAll[T Float](ctx context.Context, o *Ops, s *compute.Stream, r Reduction, out, in Array[T]) error {
	if r > Max {
		return fmt.Errorf("ops: %v: %w", r, errKind)
	}
	n, layout, err := portions(r.String(), in)
	if err == nil {
		_, err = oneEach(r.String(), out, []int{1}, 1)
	}
	if err != nil {
		return err
	}
	if r == Min || r == Max {
		partial, err := compute.NewBuffer[T](o.accelerator(), n,
			compute.BufferOptions{Intent: compute.Intermediate, Label: "partial " + r.String()})
		if err != nil {
			return err
		}
		defer partial.Close() // its memory is kept until the launches have completed
		k, err := o.kernel(ctx, reduceFile, r.String()+"_rows_"+suffix[T]())
		if err != nil {
			return err
		}
		if err := s.Launch(ctx, k, groups(n), in.Buffer, partial, layout); err != nil {
			return err
		}
		_, whole := portion(n, n)
		return s.Launch(ctx, k, groups(1), partial, out.Buffer, whole)
	}
	partial, err := compute.NewBuffer[float32](o.accelerator(), n,
		compute.BufferOptions{Intent: compute.Intermediate, Label: "partial sums"})
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

// ArgMax computes the index of the first largest element in each row of in, its last dimension. out
// has the shape described at [Reduce]. NaN counts as larger than any number.
func ArgMax[T Float](ctx context.Context, o *Ops, s *compute.Stream, out Array[uint32], in Array[T]) error {
	n, layout, err := rowsOf("argmax: operand", in)
	if err == nil {
		layout.Out, err = oneEach("argmax", out, in.Shape, n)
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

// ArgMaxAll computes the index of the first largest element in all of in, counted in row-major
// order; out has one element.
func ArgMaxAll[T Float](ctx context.Context, o *Ops, s *compute.Stream, out Array[uint32], in Array[T]) error {
	n, layout, err := portions("argmax", in)
	if err == nil {
		_, err = oneEach("argmax", out, []int{1}, 1)
	}
	if err != nil {
		return err
	}
	places, err := compute.NewBuffer[uint32](o.accelerator(), n,
		compute.BufferOptions{Intent: compute.Intermediate, Label: "places"})
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
	return s.Launch(ctx, last, compute.Threads1D(1), in.Buffer, places, out.Buffer, uint32(n), layout)
}

// Softmax computes exp(x - max) / sum over each row of in, its last dimension. out and in have the
// same shape and may be the same array.
func Softmax[T Float](ctx context.Context, o *Ops, s *compute.Stream, out, in Array[T]) error {
	n, layout, err := rowsOf("softmax: operand", in)
	if err = first(err, out.result("softmax: result"), same("softmax", out.Shape, in.Shape)); err != nil {
		return err
	}
	_, strides := out.four()
	layout.Out = narrow(strides)
	k, err := o.kernel(ctx, reduceFile, "softmax_rows_"+suffix[T]())
	if err != nil {
		return err
	}
	return s.Launch(ctx, k, groups(n), in.Buffer, out.Buffer, layout)
}
