package tensor

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// Concat joins tensors of one type along an axis; their other dimensions are equal.
func (s *Scope) Concat(axis int, list ...*Tensor) *Tensor {
	const op = "concat"
	if f, ok := s.tensors(op, list...); !ok {
		return f
	}
	if len(list) == 0 {
		return s.fail(op, nil, fmt.Errorf("no tensors: %w", ErrShape))
	}
	axis, err := dimension(axis, list[0].Rank())
	if err != nil {
		return s.fail(op, list, err)
	}
	var shapes [][]int
	for _, t := range list {
		if t.Type() != list[0].Type() {
			return s.fail(op, list, fmt.Errorf("takes tensors of one type: %w", ErrType))
		}
		shapes = append(shapes, t.view.Shape)
	}
	shape, err := tensorop.ConcatShape(axis, shapes...)
	if err != nil {
		return s.fail(op, list, shapeError(err))
	}
	return s.one(op, 0, list[0].Type(), shape, list,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Concat(out, axis, in...) })
}

// Stack joins tensors of one shape along a new axis.
func (s *Scope) Stack(axis int, list ...*Tensor) *Tensor {
	if f, ok := s.tensors("stack", list...); !ok {
		return f
	}
	wide := make([]*Tensor, len(list))
	for i, t := range list {
		wide[i] = t.Unsqueeze(axis)
	}
	return s.Concat(axis, wide...)
}

// PadMode says what Pad adds.
type PadMode uint8

// The modes of Pad: a value, the elements mirrored at those of the edges or at the edges
// themselves, the elements of the edges, and the elements from the other end.
const (
	PadConstant  = PadMode(tensorop.PadConstant)
	PadReflect   = PadMode(tensorop.PadReflect)
	PadSymmetric = PadMode(tensorop.PadSymmetric)
	PadEdge      = PadMode(tensorop.PadEdge)
	PadPeriodic  = PadMode(tensorop.PadPeriodic)
)

// Pad adds elements before and after each dimension; negative numbers remove some. value counts for
// PadConstant.
func (s *Scope) Pad(x *Tensor, before, after []int, mode PadMode, value float32) *Tensor {
	const op = "pad"
	if f, ok := s.tensors(op, x); !ok {
		return f
	}
	shape, err := tensorop.PadShape(x.view.Shape, before, after)
	if err != nil {
		return s.fail(op, []*Tensor{x}, shapeError(err))
	}
	return s.one(op, 0, x.Type(), shape, []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Pad(out, in[0], before, after, tensorop.PadMode(mode), value)
		})
}

// Tile repeats a tensor, so many times for each dimension.
func (s *Scope) Tile(x *Tensor, repeats ...int) *Tensor {
	const op = "tile"
	if f, ok := s.tensors(op, x); !ok {
		return f
	}
	shape, err := tensorop.TileShape(x.view.Shape, repeats)
	if err != nil {
		return s.fail(op, []*Tensor{x}, shapeError(err))
	}
	return s.one(op, 0, x.Type(), shape, []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Tile(out, in[0], repeats) })
}

// Gather takes slices of x along an axis by their indices, an integer tensor: the result has the
// dimensions of indices in place of the axis. An index outside gives zeros.
func (s *Scope) Gather(x, indices *Tensor, axis int) *Tensor {
	const op = "gather"
	in := []*Tensor{x, indices}
	if f, ok := s.indexed(op, indices, in...); !ok {
		return f
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, in, err)
	}
	shape, err := tensorop.GatherShape(x.view.Shape, indices.view.Shape, axis, 0)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, 0, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Gather(out, in[0], in[1], axis, 0)
		})
}

// TakeAlong takes an element of x for each index: the index counts along the axis, and its place is
// that of the element in the other dimensions. An index outside gives zero.
func (s *Scope) TakeAlong(x, indices *Tensor, axis int) *Tensor {
	const op = "take along"
	in := []*Tensor{x, indices}
	if f, ok := s.indexed(op, indices, in...); !ok {
		return f
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, in, err)
	}
	shape, err := tensorop.GatherAlongAxisShape(x.view.Shape, indices.view.Shape, axis)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, 0, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.GatherAlongAxis(out, in[0], in[1], axis)
		})
}

// Scatter returns x with updates put at indices along an axis, the reverse of Gather. mode is "set"
// or an operation such as "add", "mul", "min" and "max", applied in row-major order of the updates;
// indices outside are ignored.
func (s *Scope) Scatter(x, indices, updates *Tensor, axis int, mode string) *Tensor {
	const op = "scatter"
	if f, ok := s.indexed(op, indices, x, indices, updates); !ok {
		return f
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, []*Tensor{x, indices, updates}, err)
	}
	return s.scatter(op, x, indices, updates,
		func() ([]int, error) { return tensorop.GatherShape(x.view.Shape, indices.view.Shape, axis, 0) },
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Scatter(out, in[0], in[1], in[2], axis, mode)
		})
}

// indexed begins an operation with a tensor of indices.
func (s *Scope) indexed(op string, indices *Tensor, in ...*Tensor) (*Tensor, bool) {
	if f, ok := s.tensors(op, in...); !ok {
		return f, false
	}
	if !indices.Type().IsInteger() {
		return s.fail(op, in, fmt.Errorf("the indices are %v and not integers: %w", indices.Type(), ErrType)), false
	}
	return nil, true
}

// OneHot computes a tensor with a new axis of a length: 1 where its index is the element of
// indices, and else 0.
func (s *Scope) OneHot(indices *Tensor, depth, axis int, typ Type) *Tensor {
	const op = "one hot"
	in := []*Tensor{indices}
	if f, ok := s.indexed(op, indices, in...); !ok {
		return f
	}
	axis, err := dimension(axis, indices.Rank()+1)
	if err != nil {
		return s.fail(op, in, err)
	}
	shape, err := tensorop.OneHotShape(indices.view.Shape, depth, axis)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, 0, typ, shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.OneHot(out, in[0], axis, 1, 0)
		})
}

// BandPart computes a copy of the matrices in the last two dimensions of x with zeros outside of a
// band: it keeps lower diagonals below the main one and upper ones above it; a negative number
// keeps all of them. BandPart(x, -1, 0) is the lower triangle, BandPart(x, 0, -1) the upper one.
func (s *Scope) BandPart(x *Tensor, lower, upper int) *Tensor {
	const op = "band part"
	in := []*Tensor{x}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	if x.Rank() < 2 {
		return s.fail(op, in, fmt.Errorf("shape %v; want at least two dimensions: %w", x.view.Shape, ErrShape))
	}
	lower, upper = min(lower, math.MaxInt32), min(upper, math.MaxInt32)
	return s.one(op, 0, x.Type(), x.view.Shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.BandPart(out, in[0], max(lower, -1), max(upper, -1))
		})
}

// CumSum computes the sums of the elements up to each one along an axis.
func (s *Scope) CumSum(x *Tensor, axis int) *Tensor { return s.cumulative("sum", x, axis) }

// CumProd computes the products of the elements up to each one along an axis.
func (s *Scope) CumProd(x *Tensor, axis int) *Tensor { return s.cumulative("product", x, axis) }

// CumMin computes the least of the elements up to each one along an axis; NaN from the first one
// on.
func (s *Scope) CumMin(x *Tensor, axis int) *Tensor { return s.cumulative("min", x, axis) }

// CumMax computes the largest of the elements up to each one along an axis; NaN from the first one
// on.
func (s *Scope) CumMax(x *Tensor, axis int) *Tensor { return s.cumulative("max", x, axis) }

func (s *Scope) cumulative(name string, x *Tensor, axis int) *Tensor {
	op := "cumulative " + name
	if f, ok := s.tensors(op, x); !ok {
		return f
	}
	if !x.Type().IsFloat() && !x.Type().IsInteger() {
		return s.fail(op, []*Tensor{x}, fmt.Errorf("takes numbers: %w", ErrType))
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, []*Tensor{x}, err)
	}
	return s.one(op, float64(x.Len()), x.Type(), x.view.Shape, []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Cumulative(name, out, in[0], axis, false, false)
		})
}

// Sort sorts along an axis; equal elements keep their order, and NaN comes last.
func (s *Scope) Sort(x *Tensor, axis int, descending bool) *Tensor {
	return s.sorted("sort", x, axis, x.Type(), func(b *tensorop.Builder, out, in tensorop.Operand, axis int) {
		b.Sort(out, in, axis, descending)
	})
}

// ArgSort computes the indices that Sort takes the elements from; the result is an Int32.
func (s *Scope) ArgSort(x *Tensor, axis int, descending bool) *Tensor {
	return s.sorted("arg sort", x, axis, Int32, func(b *tensorop.Builder, out, in tensorop.Operand, axis int) {
		b.ArgSort(out, in, axis, descending)
	})
}

func (s *Scope) sorted(op string, x *Tensor, axis int, typ Type,
	build func(b *tensorop.Builder, out, in tensorop.Operand, axis int)) *Tensor {
	if f, ok := s.tensors(op, x); !ok {
		return f
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, []*Tensor{x}, err)
	}
	return s.one(op, 0, typ, x.view.Shape, []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { build(b, out, in[0], axis) })
}

// TopK computes the k largest elements along an axis, the largest first, and their indices, an
// Int32 tensor. Of equal elements the first comes first, and NaN comes last.
func (s *Scope) TopK(x *Tensor, axis, k int) (values, indices *Tensor) {
	const op = "top k"
	if f, ok := s.tensors(op, x); !ok {
		return f, f
	}
	in := []*Tensor{x}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		f := s.fail(op, in, err)
		return f, f
	}
	shape, err := tensorop.TopKShape(x.view.Shape, axis, k)
	if err != nil {
		f := s.fail(op, in, shapeError(err))
		return f, f
	}
	made, err := s.run(op, 0, []shaped{{x.Type(), shape}, {Int32, shape}}, in,
		func(b *tensorop.Builder, out, in []tensorop.Operand) { b.TopK(out[0], out[1], in[0], axis, false) })
	if err != nil {
		f := s.fail(op, in, err)
		return f, f
	}
	return made[0], made[1]
}
