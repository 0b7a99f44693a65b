package tensor

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// tensors begins an operation whose operands must have an element type: no scalars.
func (s *Scope) tensors(op string, in ...*Tensor) (*Tensor, bool) {
	if f, ok := s.begin(op, in...); !ok {
		return f, false
	}
	for _, t := range in {
		if t.number != nil {
			return s.fail(op, in, fmt.Errorf("takes tensors and no scalars: %w", ErrType)), false
		}
	}
	return nil, true
}

// dims returns axes as numbers from 0, ascending; none stand for all.
func dims(axes []int, rank int) ([]int, error) {
	if len(axes) == 0 {
		for i := range rank {
			axes = append(axes, i)
		}
		return axes, nil
	}
	out := make([]int, len(axes))
	for i, a := range axes {
		var err error
		if out[i], err = dimension(a, rank); err != nil {
			return nil, err
		}
		if slices.Contains(out[:i], out[i]) {
			return nil, fmt.Errorf("dimension %d is named twice: %w", a, ErrShape)
		}
	}
	slices.Sort(out)
	return out, nil
}

// without returns a shape without some of its dimensions.
func without(shape, axes []int) []int {
	out := []int{}
	for i, n := range shape {
		if !slices.Contains(axes, i) {
			out = append(out, n)
		}
	}
	return out
}

// reduce reduces along axes, which the result does not have.
func (s *Scope) reduce(op string, x *Tensor, axes []int) *Tensor {
	if f, ok := s.tensors(op, x); !ok {
		return f
	}
	typ, err := tensorop.Reduction(op, x.view.Type)
	if err != nil {
		return s.fail(op, []*Tensor{x}, typeError(err))
	}
	return s.reduced(op, Type(typ), x, axes, func(b *tensorop.Builder, out, in tensorop.Operand, axes []int) {
		b.Reduce(op, out, in, axes...)
	})
}

// reduced enqueues an operation whose result lacks axes; build gets it with those dimensions 1.
func (s *Scope) reduced(op string, typ Type, x *Tensor, axes []int,
	build func(b *tensorop.Builder, out, in tensorop.Operand, axes []int)) *Tensor {
	axes, err := dims(axes, x.Rank())
	if err != nil {
		return s.fail(op, []*Tensor{x}, err)
	}
	kept, err := tensorop.ReduceShape(op, x.view.Shape, axes)
	if err != nil {
		return s.fail(op, []*Tensor{x}, shapeError(err))
	}
	return s.one(op, float64(x.Len()), typ, without(x.view.Shape, axes), []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			v, _ := out.Reshape(kept...) // the result is dense
			build(b, out.With(v), in[0], axes)
		})
}

// Reductions. The result lacks the axes along which they reduce; negative axes count from the end,
// and none stand for all. Unsqueeze gives an axis back with size 1, for broadcasting. Of no
// elements sums are 0 and products 1, and minima and maxima an error.

// Sum computes the sum along axes. 16-bit floating-point numbers are added in float32; integers
// wrap around.
func (s *Scope) Sum(x *Tensor, axes ...int) *Tensor { return s.reduce("sum", x, axes) }

// Mean computes the mean along axes, for floating-point numbers.
func (s *Scope) Mean(x *Tensor, axes ...int) *Tensor { return s.reduce("mean", x, axes) }

// Prod computes the product along axes.
func (s *Scope) Prod(x *Tensor, axes ...int) *Tensor { return s.reduce("product", x, axes) }

// MinOf computes the least element along axes; NaN if there is one.
func (s *Scope) MinOf(x *Tensor, axes ...int) *Tensor { return s.reduce("min", x, axes) }

// MaxOf computes the largest element along axes; NaN if there is one.
func (s *Scope) MaxOf(x *Tensor, axes ...int) *Tensor { return s.reduce("max", x, axes) }

// All tells whether all elements along axes differ from 0; the result is a Bool.
func (s *Scope) All(x *Tensor, axes ...int) *Tensor { return s.reduce("all", x, axes) }

// Any tells whether an element along axes differs from 0; the result is a Bool.
func (s *Scope) Any(x *Tensor, axes ...int) *Tensor { return s.reduce("any", x, axes) }

// ArgMin computes the index along an axis of the least element, the first of equal ones, or of the
// first NaN; the result is an Int32.
func (s *Scope) ArgMin(x *Tensor, axis int) *Tensor { return s.reduce("argmin", x, []int{axis}) }

// ArgMax computes the index along an axis of the largest element, the first of equal ones, or of
// the first NaN; the result is an Int32.
func (s *Scope) ArgMax(x *Tensor, axis int) *Tensor { return s.reduce("argmax", x, []int{axis}) }

// Norm computes the L2 norm along axes, for floating-point numbers: the root of the sum of squares.
func (s *Scope) Norm(x *Tensor, axes ...int) *Tensor {
	return s.floatReduction("norm", x, axes, func(b *tensorop.Builder, out, in tensorop.Operand, axes []int) {
		b.L2Norm(out, in, axes...)
	})
}

// LogSumExp computes log(sum(exp(x))) along axes, for floating-point numbers, without overflow.
func (s *Scope) LogSumExp(x *Tensor, axes ...int) *Tensor {
	return s.floatReduction("log sum exp", x, axes, func(b *tensorop.Builder, out, in tensorop.Operand, axes []int) {
		b.LogSumExp(out, in, axes...)
	})
}

// Var computes the mean of the squares of the differences to the mean along axes, for
// floating-point numbers.
func (s *Scope) Var(x *Tensor, axes ...int) *Tensor {
	return s.floatReduction("var", x, axes, func(b *tensorop.Builder, out, in tensorop.Operand, axes []int) {
		mean := b.Temp(tensorop.Float32, out.Shape...)
		wide := b.Temp(tensorop.Float32, in.Shape...)
		b.Copy(wide, in)
		b.Reduce("mean", mean, wide, axes...)
		b.Variance(out, wide, mean, axes...)
	})
}

func (s *Scope) floatReduction(op string, x *Tensor, axes []int,
	build func(b *tensorop.Builder, out, in tensorop.Operand, axes []int)) *Tensor {
	if f, ok := s.floats(op, x); !ok {
		return f
	}
	return s.reduced(op, x.Type(), x, axes, build)
}

// floats begins an operation on floating-point numbers of one type.
func (s *Scope) floats(op string, in ...*Tensor) (*Tensor, bool) {
	if f, ok := s.tensors(op, in...); !ok {
		return f, false
	}
	for _, t := range in {
		if !t.Type().IsFloat() || t.Type() != in[0].Type() {
			return s.fail(op, in, fmt.Errorf("takes floating-point numbers of one type: %w", ErrType)), false
		}
	}
	return nil, true
}
