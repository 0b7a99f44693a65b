package tensorop

import (
	"fmt"
	"math"
	"slices"
)

// MaxRank is the most dimensions that a tensor has.
const MaxRank = 16

// View describes elements in a buffer: element (i, j, ...) is Offset + i*Strides[0] +
// j*Strides[1] + ... elements from its start. Strides may be zero, which repeats elements, or
// negative, which reverses their order.
type View struct {
	Type    Type
	Shape   []int
	Strides []int // in elements
	Offset  int   // in elements
}

// Dense returns a view of the elements of a shape in row-major order, without gaps.
func Dense(t Type, shape ...int) View {
	v := View{Type: t, Shape: slices.Clone(shape), Strides: make([]int, len(shape))}
	n := 1
	for i := len(shape) - 1; i >= 0; i-- {
		v.Strides[i] = n
		n *= shape[i]
	}
	return v
}

// Rank returns the number of dimensions.
func (v View) Rank() int { return len(v.Shape) }

// Elements returns the number of elements, repeated ones included.
func (v View) Elements() int { return Elements(v.Shape) }

// Elements returns the number of elements of a shape; a shape without dimensions has one.
func Elements(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// IsDense tells whether the elements are in row-major order without gaps.
func (v View) IsDense() bool {
	n := 1
	for i := len(v.Shape) - 1; i >= 0; i-- {
		if v.Shape[i] != 1 && v.Strides[i] != n {
			return false
		}
		n *= v.Shape[i]
	}
	return true
}

// Span returns the first element that the view reaches and the one after the last.
func (v View) Span() (first, end int) {
	first, end = v.Offset, v.Offset
	for i, d := range v.Shape {
		if d == 0 {
			return v.Offset, v.Offset
		}
		if reach := (d - 1) * v.Strides[i]; reach < 0 {
			first += reach
		} else {
			end += reach
		}
	}
	return first, end + 1
}

// Check returns an error if the view is malformed, or reaches before its buffer's start or beyond
// what kernels can address, which is 2^31-1 elements.
func (v View) Check() error {
	if !v.Type.Valid() {
		return fmt.Errorf("tensorop: %v is no type of elements", v.Type)
	}
	if len(v.Shape) > MaxRank {
		return fmt.Errorf("tensorop: %d dimensions; the limit is %d", len(v.Shape), MaxRank)
	}
	if len(v.Shape) != len(v.Strides) {
		return fmt.Errorf("tensorop: %d dimensions and %d strides", len(v.Shape), len(v.Strides))
	}
	n := 1
	for _, d := range v.Shape {
		if d < 0 {
			return fmt.Errorf("tensorop: shape %v has a negative dimension", v.Shape)
		}
		if d > 0 && n > math.MaxInt32/d {
			return fmt.Errorf("tensorop: shape %v has more than %d elements", v.Shape, math.MaxInt32)
		}
		n *= max(d, 1)
	}
	if first, end := v.Span(); first < 0 || end > math.MaxInt32 {
		return fmt.Errorf("tensorop: the view reaches from element %d to %d; the limits are 0 and %d",
			first, end, math.MaxInt32)
	}
	return nil
}

// Transpose returns the view with its dimensions in another order: dimension i of the result is
// dimension order[i] of v.
func (v View) Transpose(order ...int) View {
	out := View{Type: v.Type, Offset: v.Offset, Shape: make([]int, len(order)), Strides: make([]int, len(order))}
	for i, from := range order {
		out.Shape[i], out.Strides[i] = v.Shape[from], v.Strides[from]
	}
	return out
}

// Broadcast returns the view repeated to a shape. Its dimensions are the last ones of the shape;
// each is as large as the shape's or 1.
func (v View) Broadcast(shape ...int) (View, error) {
	out := View{Type: v.Type, Offset: v.Offset, Shape: slices.Clone(shape), Strides: make([]int, len(shape))}
	lead := len(shape) - len(v.Shape)
	if lead < 0 {
		return out, fmt.Errorf("tensorop: shape %v cannot be broadcast to %v, which has fewer dimensions",
			v.Shape, shape)
	}
	for i, d := range v.Shape {
		switch {
		case d == shape[lead+i]:
			out.Strides[lead+i] = v.Strides[i]
		case d != 1:
			return out, fmt.Errorf("tensorop: shape %v cannot be broadcast to %v: dimension %d is %d and not 1 or %d",
				v.Shape, shape, i, d, shape[lead+i])
		}
	}
	return out, nil
}

// Reshape returns a view of the same elements with another shape, false if that needs a copy.
func (v View) Reshape(shape ...int) (View, bool) {
	out := Dense(v.Type, shape...)
	out.Offset = v.Offset
	if out.Elements() != v.Elements() {
		return out, false
	}
	if v.IsDense() || v.Elements() == 0 {
		return out, true
	}
	// Runs of dimensions with equal numbers of elements correspond. One in v must have no gaps
	// inside.
	i, j := 0, 0
	for i < len(v.Shape) || j < len(shape) {
		first, from := i, j
		have, want := 1, 1
		if i < len(v.Shape) {
			have = v.Shape[i]
			i++
		}
		if j < len(shape) {
			want = shape[j]
			j++
		}
		for have != want {
			if have < want {
				have *= v.Shape[i]
				i++
			} else {
				want *= shape[j]
				j++
			}
		}
		stride, set := 0, false
		for k := i - 1; k >= first; k-- {
			if v.Shape[k] == 1 {
				continue
			}
			if !set {
				stride, set = v.Strides[k], true
			} else if v.Strides[k] != runStride(v, k+1, i) {
				return out, false
			}
		}
		for k := j - 1; k >= from; k-- {
			out.Strides[k] = stride
			stride *= shape[k]
		}
	}
	return out, true
}

// runStride returns the stride that a dimension before dimensions from to end needs in order to
// continue them without a gap.
func runStride(v View, from, end int) int {
	for k := from; k < end; k++ {
		if v.Shape[k] != 1 {
			return v.Strides[k] * v.Shape[k]
		}
	}
	return 0
}

// Slice returns elements start, start+step, ... before stop of a dimension. A negative step goes
// down from start to the element above stop, which may be -1.
func (v View) Slice(dim, start, stop, step int) (View, error) {
	out := View{Type: v.Type, Offset: v.Offset, Shape: slices.Clone(v.Shape), Strides: slices.Clone(v.Strides)}
	if dim < 0 || dim >= len(v.Shape) {
		return out, fmt.Errorf("tensorop: dimension %d of shape %v", dim, v.Shape)
	}
	n := v.Shape[dim]
	if step == 0 {
		return out, fmt.Errorf("tensorop: slice of dimension %d with step 0", dim)
	}
	count := 0
	if step > 0 && start < stop {
		count = (stop - start + step - 1) / step
	} else if step < 0 && start > stop {
		count = (start - stop - step - 1) / -step
	}
	if last := start + (count-1)*step; count > 0 && (min(start, last) < 0 || max(start, last) >= n) {
		return out, fmt.Errorf("tensorop: elements %d to %d of dimension %d, which has %d", start, last, dim, n)
	}
	out.Shape[dim] = count
	if count > 0 {
		out.Offset += start * v.Strides[dim]
	}
	out.Strides[dim] = v.Strides[dim] * step
	return out, nil
}

// BroadcastShapes returns the shape to which shapes can be broadcast together: dimensions are
// compared from the last one, and each is equal in all shapes or 1.
func BroadcastShapes(op string, shapes ...[]int) ([]int, error) {
	rank := 0
	for _, s := range shapes {
		rank = max(rank, len(s))
	}
	out := make([]int, rank)
	for i := range out {
		out[i] = 1
		for _, s := range shapes {
			k := i - (rank - len(s))
			if k < 0 || s[k] == 1 {
				continue
			}
			if out[i] != 1 && out[i] != s[k] {
				return nil,
					fmt.Errorf("%s: shapes %v cannot be broadcast together: dimension %d is %d and %d, neither 1",
						op, shapes, i, out[i], s[k])
			}
			out[i] = s[k]
		}
	}
	return out, nil
}

// merge joins neighboring dimensions of views of one shape where all of them continue without a
// gap, and drops dimensions of size 1. At least one dimension stays.
func merge(views []View) []View {
	rank := views[0].Rank()
	out := make([]View, len(views))
	for i, v := range views {
		out[i] = View{Type: v.Type, Offset: v.Offset}
	}
	for d := range rank {
		n := views[0].Shape[d]
		if n == 1 {
			continue
		}
		last := len(out[0].Shape) - 1
		joins := last >= 0
		for i, v := range views {
			joins = joins && out[i].Strides[last] == v.Strides[d]*n
		}
		for i, v := range views {
			if joins {
				out[i].Shape[last] *= n
				out[i].Strides[last] = v.Strides[d]
			} else {
				out[i].Shape = append(out[i].Shape, n)
				out[i].Strides = append(out[i].Strides, v.Strides[d])
			}
		}
	}
	for i := range out {
		if len(out[i].Shape) == 0 {
			out[i].Shape, out[i].Strides = []int{1}, []int{0}
		}
	}
	return out
}
