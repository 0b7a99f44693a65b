package tensor

import (
	"fmt"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// Tensor is an array of up to [MaxRank] dimensions in device memory: an element type, a shape, and
// strides that say where each element is. A tensor without dimensions is one element.
//
// A tensor is either a result, which owns memory, or a view of one. A result is closed by its
// [Scope] or by Close; a view has nothing to close and ends with the tensor that it was made from.
// Operations that are enqueued already still run after Close.
//
// A tensor may have failed: it then stands for the error of the operation or view that it should be
// the result of, which Err returns, and every use of it gives the same error. Methods of a failed
// or nil tensor that return sizes return zero values.
//
// The methods of Tensor make views. They move no data and need no scope.
type Tensor struct {
	engine *Engine
	view   tensorop.View
	owner  *owner
	isView bool
	err    error
	number *number // of a scalar without a type; see Scalar
}

// failed returns a tensor that stands for an error.
func failed(err error) *Tensor { return &Tensor{err: err} }

// missing reports whether the tensor is nil or was not made by an operation.
func (t *Tensor) missing() bool {
	return t == nil || t.engine == nil && t.number == nil && t.err == nil
}

// Err returns the error of a failed tensor, else nil.
func (t *Tensor) Err() error {
	if t.missing() {
		return errNil()
	}
	return t.err
}

// Type returns the element type, or 0 for a failed tensor and for a [Scalar].
func (t *Tensor) Type() Type {
	if t == nil {
		return 0
	}
	return Type(t.view.Type)
}

// Shape returns a copy of the sizes of the dimensions.
func (t *Tensor) Shape() []int {
	if t == nil {
		return nil
	}
	return slices.Clone(t.view.Shape)
}

// Strides returns the distances between neighbors along each dimension, in elements. They are 0
// where a broadcast repeats elements, and negative where elements are in reverse order.
func (t *Tensor) Strides() []int {
	if t == nil {
		return nil
	}
	return slices.Clone(t.view.Strides)
}

// Rank returns the number of dimensions.
func (t *Tensor) Rank() int {
	if t == nil {
		return 0
	}
	return t.view.Rank()
}

// Len returns the number of elements, those included that a broadcast repeats.
func (t *Tensor) Len() int {
	if t == nil || t.err != nil {
		return 0
	}
	return t.view.Elements()
}

// IsContiguous reports whether the elements are in memory in row-major order, without gaps.
func (t *Tensor) IsContiguous() bool { return t != nil && t.err == nil && t.view.IsDense() }

// Close releases the tensor's memory unless a tensor of [Scope.Keep] shares it; views of the tensor
// are then unusable. Closing a view or a closed tensor does nothing.
func (t *Tensor) Close() {
	if t != nil && t.owner != nil && !t.isView {
		t.owner.close()
	}
}

// String describes the tensor without its elements: "float32[2 3]".
func (t *Tensor) String() string {
	switch {
	case t == nil:
		return "nil"
	case t.err != nil:
		return "failed: " + t.err.Error()
	case t.number != nil:
		return "scalar " + t.number.String()
	}
	return fmt.Sprintf("%v%v", t.Type(), t.view.Shape)
}

// derive returns a view of t, or one that failed.
func (t *Tensor) derive(what string, v tensorop.View, err error) *Tensor {
	if err == nil {
		err = v.Check()
	}
	if err != nil {
		return failed(t.failure(what, shapeError(err)))
	}
	return &Tensor{engine: t.engine, view: v, owner: t.owner, isView: true}
}

// failure is the error of a view: it names the operation and the tensor.
func (t *Tensor) failure(what string, err error) error {
	return fmt.Errorf("tensor: %s of %v%s: %w", what, t, callSite(), err)
}

// usable returns nil if a view of t can be made, or the tensor to return instead.
func (t *Tensor) usable(what string) *Tensor {
	switch {
	case t.missing():
		return failed(fmt.Errorf("tensor: %s%s: %w", what, callSite(), errNil()))
	case t.err != nil:
		return t
	case t.number != nil:
		return failed(t.failure(what, fmt.Errorf("a scalar has no views: %w", ErrShape)))
	}
	return nil
}

// dimension returns the index of a dimension, which may be counted from the end: -1 is the last
// one.
func dimension(dim, rank int) (int, error) {
	if dim < -rank || dim >= rank {
		return 0, fmt.Errorf("dimension %d; there are %d: %w", dim, rank, ErrShape)
	}
	if dim < 0 {
		dim += rank
	}
	return dim, nil
}

// Slice returns elements from to to-1 of a dimension: a[from:to] in Go. Dimensions may be counted
// from the end, as -1.
func (t *Tensor) Slice(dim, from, to int) *Tensor { return t.Step(dim, from, to, 1) }

// Step returns every step-th element of from to to-1 of a dimension. A negative step goes down from
// from to the element above to, which may be -1.
func (t *Tensor) Step(dim, from, to, step int) *Tensor {
	if f := t.usable("slice"); f != nil {
		return f
	}
	d, err := dimension(dim, t.view.Rank())
	if err != nil {
		return failed(t.failure("slice", err))
	}
	if n := t.view.Shape[d]; step > 0 && (from < 0 || to < from || to > n) ||
		step < 0 && (to < -1 || from < to || from >= n) {
		return failed(t.failure("slice", fmt.Errorf("elements %d to %d by %d of dimension %d, which has %d: %w", from,
			to,
			step, d, n, ErrShape)))
	}
	v, err := t.view.Slice(d, from, to, step)
	return t.derive("slice", v, err)
}

// Index returns element i of a dimension, without that dimension.
func (t *Tensor) Index(dim, i int) *Tensor {
	v := t.Slice(dim, i, i+1)
	if v.err != nil {
		return v
	}
	return v.Squeeze(dim)
}

// Flip returns the elements of a dimension in reverse order.
func (t *Tensor) Flip(dim int) *Tensor {
	if f := t.usable("flip"); f != nil {
		return f
	}
	d, err := dimension(dim, t.view.Rank())
	if err != nil {
		return failed(t.failure("flip", err))
	}
	return t.Step(d, t.view.Shape[d]-1, -1, -1)
}

// Split returns consecutive parts of a dimension, of the given sizes. They must add up to its size.
// If they do not, the result has one tensor for each size, which failed.
func (t *Tensor) Split(dim int, sizes ...int) []*Tensor {
	parts := make([]*Tensor, len(sizes))
	all := func(f *Tensor) []*Tensor {
		for i := range parts {
			parts[i] = f
		}
		return parts
	}
	if f := t.usable("split"); f != nil {
		return all(f)
	}
	d, err := dimension(dim, t.view.Rank())
	if err != nil {
		return all(failed(t.failure("split", err)))
	}
	sum := 0
	for i, n := range sizes {
		if n < 0 || n > t.view.Shape[d]-sum {
			sum = -1
			break
		}
		v, err := t.view.Slice(d, sum, sum+n, 1)
		parts[i] = t.derive("split", v, err)
		sum += n
	}
	if sum != t.view.Shape[d] {
		return all(failed(t.failure("split", fmt.Errorf("parts %v of dimension %d, which has %d: %w", sizes, d,
			t.view.Shape[d], ErrShape))))
	}
	return parts
}

// Transpose returns the tensor with its dimensions in another order: dimension i of the result is
// dimension order[i]. Without an order the dimensions are reversed.
func (t *Tensor) Transpose(order ...int) *Tensor {
	if f := t.usable("transpose"); f != nil {
		return f
	}
	rank := t.view.Rank()
	if len(order) == 0 {
		for d := rank - 1; d >= 0; d-- {
			order = append(order, d)
		}
	}
	seen := make([]bool, rank)
	for _, d := range order {
		if len(order) != rank || d < 0 || d >= rank || seen[d] {
			return failed(t.failure("transpose", fmt.Errorf("order %v is not a permutation of %d dimensions: %w",
				order, rank,
				ErrShape)))
		}
		seen[d] = true
	}
	return t.derive("transpose", t.view.Transpose(order...), nil)
}

// T returns the tensor with its last two dimensions exchanged: the transposed matrices of a batch.
func (t *Tensor) T() *Tensor {
	if f := t.usable("transpose"); f != nil {
		return f
	}
	rank := t.view.Rank()
	if rank < 2 {
		return failed(t.failure("transpose", fmt.Errorf("%d dimensions; T needs two: %w", rank, ErrShape)))
	}
	order := make([]int, rank)
	for d := range order {
		order[d] = d
	}
	order[rank-1], order[rank-2] = rank-2, rank-1
	return t.Transpose(order...)
}

// Broadcast returns the tensor repeated to a shape, by NumPy's rule: dimensions are compared from
// the last one, and a dimension of size 1, or a missing one, is repeated. Operations on several
// tensors broadcast them by themselves.
func (t *Tensor) Broadcast(shape ...int) *Tensor {
	if f := t.usable("broadcast"); f != nil {
		return f
	}
	v, err := t.view.Broadcast(shape...)
	return t.derive("broadcast", v, err)
}

// Reshape returns the same elements, in row-major order, with another shape. One size may be -1,
// and is then computed. It fails if elements would have to move, as in most transposed tensors:
// then use [Scope.Reshape], which copies.
func (t *Tensor) Reshape(shape ...int) *Tensor {
	v, ok, f := t.reshape(shape)
	if f != nil {
		return f
	}
	if !ok {
		return failed(t.failure("reshape", fmt.Errorf("to %v with strides %v needs a copy, as Scope.Reshape makes: %w",
			v.Shape, t.view.Strides, ErrShape)))
	}
	return t.derive("reshape", v, nil)
}

// reshape returns a view with another shape, and whether no copy is needed for it, or a failed
// tensor.
func (t *Tensor) reshape(shape []int) (tensorop.View, bool, *Tensor) {
	if f := t.usable("reshape"); f != nil {
		return tensorop.View{}, false, f
	}
	full, err := inferShape(shape, t.view.Elements())
	if err != nil {
		return tensorop.View{}, false, failed(t.failure("reshape", err))
	}
	v, ok := t.view.Reshape(full...)
	return v, ok, nil
}

// inferShape replaces a size of -1.
func inferShape(shape []int, elements int) ([]int, error) {
	out := slices.Clone(shape)
	known, unknown := 1, -1
	for i, d := range shape {
		switch {
		case d == -1 && unknown < 0:
			unknown = i
		case d < 0:
			return nil, fmt.Errorf("shape %v: sizes are at least 0, and one may be -1: %w", shape, ErrShape)
		case d > 0 && known > elements && elements > 0:
			return nil, fmt.Errorf("to %v, which does not have %d elements: %w", shape, elements, ErrShape)
		default:
			known *= d
		}
	}
	if unknown >= 0 && known > 0 && elements%known == 0 {
		out[unknown] = elements / known
		return out, nil
	}
	if unknown >= 0 || known != elements {
		return nil, fmt.Errorf("to %v, which does not have %d elements: %w", shape, elements, ErrShape)
	}
	return out, nil
}

// Squeeze returns the tensor without the given dimensions, which must have size 1; without any
// given, without all dimensions of size 1.
func (t *Tensor) Squeeze(dims ...int) *Tensor {
	if f := t.usable("squeeze"); f != nil {
		return f
	}
	drop := make([]bool, t.view.Rank())
	for _, dim := range dims {
		d, err := dimension(dim, len(drop))
		if err == nil && t.view.Shape[d] != 1 {
			err = fmt.Errorf("dimension %d has size %d and not 1: %w", d, t.view.Shape[d], ErrShape)
		}
		if err != nil {
			return failed(t.failure("squeeze", err))
		}
		drop[d] = true
	}
	v := tensorop.View{Type: t.view.Type, Offset: t.view.Offset, Shape: []int{}, Strides: []int{}}
	for d, n := range t.view.Shape {
		if !drop[d] && (n != 1 || len(dims) > 0) {
			v.Shape, v.Strides = append(v.Shape, n), append(v.Strides, t.view.Strides[d])
		}
	}
	return t.derive("squeeze", v, nil)
}

// Unsqueeze returns the tensor with a new dimension of size 1 before dimension dim. -1 adds one at
// the end.
func (t *Tensor) Unsqueeze(dim int) *Tensor {
	if f := t.usable("unsqueeze"); f != nil {
		return f
	}
	d, err := dimension(dim, t.view.Rank()+1)
	if err != nil {
		return failed(t.failure("unsqueeze", err))
	}
	v := tensorop.View{Type: t.view.Type, Offset: t.view.Offset, Shape: slices.Insert(slices.Clone(t.view.Shape), d, 1),
		Strides: slices.Insert(slices.Clone(t.view.Strides), d, 0)}
	return t.derive("unsqueeze", v, nil)
}

// describe lists tensors for an error.
func describe(list []*Tensor) string {
	var s []string
	for _, t := range list {
		s = append(s, t.String())
	}
	return strings.Join(s, ", ")
}
