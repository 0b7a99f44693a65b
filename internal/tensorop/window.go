package tensorop

import (
	"fmt"
	"slices"
)

// maxReach limits a dimension with its padding and a window, so that kernels can compute places in
// it.
const maxReach = 1 << 30

// Window describes how a kernel of a convolution or a pooling moves over the spatial dimensions.
// Each slice has an element for each of them; nil stands for ones in Strides and Dilations, and for
// zeros in Before and After.
type Window struct {
	Size      []int // of the kernel, in elements
	Strides   []int // elements from one position to the next
	Dilations []int // elements from one tap of the kernel to the next
	Before    []int // padding before the first element
	After     []int // padding after the last element
}

// fill returns the window with all slices set, or an error that names an operation.
func (w Window) fill(op string) (Window, error) {
	rank := len(w.Size)
	for _, f := range []struct {
		name  string
		value *[]int
		zero  int
		least int
	}{
		{"sizes", &w.Size, 1, 1}, {"strides", &w.Strides, 1, 1}, {"dilations", &w.Dilations, 1, 1},
		{"paddings before", &w.Before, 0, 0}, {"paddings after", &w.After, 0, 0},
	} {
		if *f.value == nil {
			*f.value = slices.Repeat([]int{f.zero}, rank)
		}
		if len(*f.value) != rank {
			return w, fmt.Errorf("%s: %d %s for %d spatial dimensions", op, len(*f.value), f.name, rank)
		}
		for _, v := range *f.value {
			if v < f.least || v > maxReach {
				return w, fmt.Errorf("%s: %s %v; each must be at least %d and at most %d", op, f.name, *f.value,
					f.least, maxReach)
			}
		}
	}
	return w, nil
}

// Same returns the window with the padding that makes an output as large as the input divided by
// the stride, rounded up. in are the spatial dimensions. If the padding is odd, the larger half is
// before the input if lower is set, and else after it.
func (w Window) Same(in []int, lower bool) (Window, error) {
	w.Before, w.After = nil, nil
	w, err := w.fill("same padding")
	if err != nil {
		return w, err
	}
	if len(in) != len(w.Size) {
		return w, fmt.Errorf("same padding: a window of %d dimensions for input %v", len(w.Size), in)
	}
	for i, n := range in {
		count := (n + w.Strides[i] - 1) / w.Strides[i]
		total := max((count-1)*w.Strides[i]+w.reach(i)-n, 0)
		w.Before[i], w.After[i] = total/2, total-total/2
		if lower {
			w.Before[i], w.After[i] = w.After[i], w.Before[i]
		}
	}
	return w, nil
}

// reach returns the elements from a window's first tap to its last one.
func (w Window) reach(i int) int { return (w.Size[i]-1)*w.Dilations[i] + 1 }

// positions returns the number of positions of a full window along each dimension. If ceil is set,
// one more window may begin inside the input or its padding before and end beyond the padding.
func (w Window) positions(op string, in []int, ceil bool) ([]int, error) {
	out := make([]int, len(in))
	for i, n := range in {
		if n+w.Before[i]+w.After[i]+w.reach(i) > maxReach {
			return nil, fmt.Errorf("%s: spatial dimension %d has %d elements with padding %d and %d, and a window of %d; "+
				"together they must be at most %d", op, i, n, w.Before[i], w.After[i], w.reach(i), maxReach)
		}
		free := n + w.Before[i] + w.After[i] - w.reach(i)
		if free < 0 && !(ceil && n > 0) {
			return nil, fmt.Errorf("%s: the window spans %d elements of spatial dimension %d, which has %d with "+
				"padding %d and %d", op, w.reach(i), i, n, w.Before[i], w.After[i])
		}
		if ceil {
			out[i] = max((free+w.Strides[i]-1)/w.Strides[i], 0) + 1
			if (out[i]-1)*w.Strides[i] >= n+w.Before[i] {
				out[i]--
			}
			continue
		}
		out[i] = free/w.Strides[i] + 1
	}
	return out, nil
}

// pad gives a window leading dimensions of size 1.
func (w Window) pad(rank int) Window {
	lead := rank - len(w.Size)
	ones, zeros := slices.Repeat([]int{1}, lead), make([]int, lead)
	return Window{
		Size: append(slices.Clone(ones), w.Size...), Strides: append(slices.Clone(ones), w.Strides...),
		Dilations: append(slices.Clone(ones), w.Dilations...),
		Before:    append(slices.Clone(zeros), w.Before...), After: append(slices.Clone(zeros), w.After...),
	}
}

// insertOnes returns an operand with dimensions of size 1 before dimension at.
func insertOnes(o Operand, at, count int) Operand {
	v := o.View
	v.Shape = slices.Insert(slices.Clone(v.Shape), at, slices.Repeat([]int{1}, count)...)
	v.Strides = slices.Insert(slices.Clone(v.Strides), at, make([]int, count)...)
	return o.With(v)
}
