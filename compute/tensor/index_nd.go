package tensor

import (
	"fmt"
	"math"
	"slices"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// GatherND takes slices of x at vectors of indices: the last dimension of indices, an integer
// tensor, has a vector of k indices for the first k dimensions of x. The result has the other
// dimensions of indices, followed by the other dimensions of x. A vector with an index outside
// gives zeros.
func (s *Scope) GatherND(x, indices *Tensor) *Tensor {
	const op = "gather nd"
	in := []*Tensor{x, indices}
	if f, ok := s.indexed(op, indices, in...); !ok {
		return f
	}
	shape, err := tensorop.GatherNDShape(x.view.Shape, indices.view.Shape, 0)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, 0, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.GatherND(out, in[0], in[1], 0)
		})
}

// ScatterND returns x with updates put at vectors of indices, the reverse of GatherND. mode is as
// for Scatter; indices outside are ignored.
func (s *Scope) ScatterND(x, indices, updates *Tensor, mode string) *Tensor {
	return s.scatter("scatter nd", x, indices, updates,
		func() ([]int, error) { return tensorop.GatherNDShape(x.view.Shape, indices.view.Shape, 0) },
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.ScatterND(out, in[0], in[1], in[2], 0, mode)
		})
}

// PutAlong returns x with an update put at each index along an axis, the reverse of TakeAlong. mode
// is as for Scatter; indices outside are ignored.
func (s *Scope) PutAlong(x, indices, updates *Tensor, axis int, mode string) *Tensor {
	const op = "put along"
	if f, ok := s.indexed(op, indices, x, indices, updates); !ok {
		return f
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, []*Tensor{x, indices, updates}, err)
	}
	return s.scatter(op, x, indices, updates,
		func() ([]int, error) {
			return tensorop.GatherAlongAxisShape(x.view.Shape, indices.view.Shape, axis)
		},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.ScatterAlongAxis(out, in[0], in[1], in[2], axis, mode)
		})
}

// scatter enqueues a scatter whose updates have the shape of a gather.
func (s *Scope) scatter(op string, x, indices, updates *Tensor, shape func() ([]int, error),
	build func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand)) *Tensor {
	in := []*Tensor{x, indices, updates}
	if f, ok := s.indexed(op, indices, in...); !ok {
		return f
	}
	want, err := shape()
	if err == nil && !slices.Equal(want, updates.view.Shape) {
		err = fmt.Errorf("updates of shape %v; x of shape %v and indices of shape %v take %v", updates.view.Shape,
			x.view.Shape, indices.view.Shape, want)
	}
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	if updates.Type() != x.Type() {
		return s.fail(op, in, fmt.Errorf("updates are %v and x is %v: %w", updates.Type(), x.Type(), ErrType))
	}
	return s.one(op, float64(updates.Len()), x.Type(), x.view.Shape, in, build)
}

// Range makes a tensor of one dimension with n numbers: start, start+step, start+2*step and so on.
// Floating-point numbers are computed in float32 with one rounding; for integers start and step
// must be whole numbers, and results wrap around.
func (s *Scope) Range(typ Type, n int, start, step float64) *Tensor {
	const op = "range"
	if f, ok := s.begin(op); !ok {
		return f
	}
	if !typ.IsFloat() && !typ.IsInteger() {
		return s.fail(op, nil, fmt.Errorf("of %v, which is no type of numbers: %w", typ, ErrType))
	}
	if whole := start == math.Trunc(start) && step == math.Trunc(step); typ.IsInteger() && !whole {
		return s.fail(op, nil, fmt.Errorf("start %v and step %v for %v; want whole numbers: %w", start, step, typ,
			ErrType))
	}
	if err := checkShape(typ, []int{n}); err != nil {
		return s.fail(op, nil, err)
	}
	return s.one(op, 2*float64(n), typ, []int{n}, nil,
		func(b *tensorop.Builder, out tensorop.Operand, _ []tensorop.Operand) { b.Range(out, start, step) })
}
