package tensor

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// MatMul computes the product of matrices in the last two dimensions. The dimensions before them
// are a batch, which is broadcast. A vector is a row on the left and a column on the right, and the
// result lacks that dimension. Both have one numeric type, which is the result's; 16-bit
// floating-point numbers are added in float32. Transposed views take no copy.
func (s *Scope) MatMul(a, b *Tensor) *Tensor { return s.matmul(a, b, 0) }

// MatMulInt8 is MatMul for matrices of Int8 with a result of Int32.
func (s *Scope) MatMulInt8(a, b *Tensor) *Tensor { return s.matmul(a, b, Int32) }

func (s *Scope) matmul(a, b *Tensor, result Type) *Tensor {
	const op = "matmul"
	in := []*Tensor{a, b}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	typ := a.Type()
	if result != 0 && typ != Int8 {
		return s.fail(op, in, fmt.Errorf("takes Int8: %w", ErrType))
	}
	if typ != b.Type() || typ == Bool {
		return s.fail(op, in, fmt.Errorf("takes two tensors of one numeric type: %w", ErrType))
	}
	if result != 0 {
		typ = result
	}
	shape, err := tensorop.MatMulShape(a.view.Shape, b.view.Shape)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	flops := 2 * float64(tensorop.Elements(shape)) * float64(a.view.Shape[a.Rank()-1])
	return s.oneOf(op, flops, backend.MatMul{}, typ, shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.MatMul(out, in[0], in[1], 1, 0)
		})
}

// Softmax computes exp(x) / sum(exp(x)) along an axis, for floating-point numbers, without
// overflow.
func (s *Scope) Softmax(x *Tensor, axis int) *Tensor {
	return s.softmax("softmax", x, axis, 5, false, (*tensorop.Builder).Softmax)
}

// LogSoftmax computes the logarithm of Softmax, more exactly than in two steps.
func (s *Scope) LogSoftmax(x *Tensor, axis int) *Tensor {
	return s.softmax("log softmax", x, axis, 6, true, (*tensorop.Builder).LogSoftmax)
}

// softmax enqueues a softmax or its logarithm; flops are for each element.
func (s *Scope) softmax(op string, x *Tensor, axis int, flops float64, log bool,
	build func(b *tensorop.Builder, out, in tensorop.Operand, axis int)) *Tensor {
	if f, ok := s.floats(op, x); !ok {
		return f
	}
	axis, err := dimension(axis, x.Rank())
	if err != nil {
		return s.fail(op, []*Tensor{x}, err)
	}
	spec := backend.Softmax{Axis: axis, Log: log}
	return s.oneOf(op, flops*float64(x.Len()), spec, x.Type(), x.view.Shape, []*Tensor{x},
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { build(b, out, in[0], axis) })
}

// LayerNorm computes (x - mean) / sqrt(variance + epsilon) * scale + bias, with mean and variance
// over the axes; none stand for the last one. scale and bias are broadcast to x and may be nil. It
// is layer, instance and group normalization, depending on the axes; for groups of channels,
// Reshape x first. 16-bit floating-point numbers are computed in float32.
func (s *Scope) LayerNorm(x, scale, bias *Tensor, epsilon float32, axes ...int) *Tensor {
	return s.norm("layer norm", x, scale, bias, epsilon, axes, (*tensorop.Builder).LayerNorm)
}

// RMSNorm computes x / sqrt(mean(x*x) + epsilon) * scale, with the mean over the axes; none stand
// for the last one. scale is broadcast to x and may be nil.
func (s *Scope) RMSNorm(x, scale *Tensor, epsilon float32, axes ...int) *Tensor {
	return s.norm("rms norm", x, scale, nil, epsilon, axes, (*tensorop.Builder).RMSNorm)
}

// AddRMSNorm computes the sum of two tensors of one floating-point type and shape, and what
// [Scope.RMSNorm] makes of the sum along its last dimension, with the same bits: a residual and the
// norm behind it in one pass. The errors are [ErrShape] and [ErrType].
func (s *Scope) AddRMSNorm(x, y, scale *Tensor, epsilon float32) (sum, normal *Tensor) {
	const op = "add rms norm"
	in := []*Tensor{x, y, scale}
	if f, ok := s.floats(op, in...); !ok {
		return f, f
	}
	shape := x.view.Shape
	var err error
	if len(shape) == 0 || !slices.Equal(shape, y.view.Shape) {
		err = fmt.Errorf("shapes %v and %v; they are equal, and have at least one dimension: %w", shape, y.view.Shape,
			ErrShape)
	} else if _, e := scale.view.Broadcast(shape...); e != nil {
		err = shapeError(e)
	}
	var made []*Tensor
	if err == nil {
		one := shaped{x.Type(), shape}
		made, err = s.run(op, 9*float64(x.Len()), []shaped{one, one}, in,
			func(b *tensorop.Builder, out, in []tensorop.Operand) {
				b.AddRMSNorm(out[1], out[0], in[0], in[1], tensorop.Norm{Epsilon: epsilon, Scale: &in[2]})
			})
	}
	if err != nil {
		f := s.fail(op, in, err)
		return f, f
	}
	return made[0], made[1]
}

func (s *Scope) norm(op string, x, scale, bias *Tensor, epsilon float32, axes []int,
	build func(b *tensorop.Builder, out, in tensorop.Operand, n tensorop.Norm, axes ...int)) *Tensor {
	in := []*Tensor{x}
	for _, t := range []*Tensor{scale, bias} {
		if t != nil {
			in = append(in, t)
		}
	}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	if len(axes) == 0 {
		axes = []int{-1}
	}
	axes, err := dims(axes, x.Rank())
	if err != nil {
		return s.fail(op, in, err)
	}
	for _, t := range in[1:] {
		if _, err := t.view.Broadcast(x.view.Shape...); err != nil {
			return s.fail(op, in, shapeError(err))
		}
	}
	return s.one(op, 8*float64(x.Len()), x.Type(), x.view.Shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			n := tensorop.Norm{Epsilon: epsilon}
			if scale != nil {
				n.Scale = &in[1]
			}
			if bias != nil {
				n.Bias = &in[len(in)-1]
			}
			build(b, out, in[0], n, axes...)
		})
}

// BatchNorm computes (x - mean) / sqrt(variance + epsilon) * scale + bias with a given mean and
// variance. All are broadcast to x; scale and bias may be nil. For channels in dimension 1 of x
// their shapes are [C, 1, 1].
func (s *Scope) BatchNorm(x, mean, variance, scale, bias *Tensor, epsilon float32) *Tensor {
	const op = "batch norm"
	in := []*Tensor{x, mean, variance}
	for _, t := range []*Tensor{scale, bias} {
		if t != nil {
			in = append(in, t)
		}
	}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	for _, t := range in[1:] {
		if _, err := t.view.Broadcast(x.view.Shape...); err != nil {
			return s.fail(op, in, shapeError(err))
		}
	}
	return s.one(op, 5*float64(x.Len()), x.Type(), x.view.Shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			n := tensorop.Norm{Epsilon: epsilon}
			if scale != nil {
				n.Scale = &in[3]
			}
			if bias != nil {
				n.Bias = &in[len(in)-1]
			}
			b.Normalize(out, in[0], &in[1], in[2], n)
		})
}

// Attention computes softmax(scale * query keyᵀ + mask) value over the last two dimensions: a
// position and its features. The dimensions before them are a batch, which is broadcast. The mask
// is added, or is a Bool that is true where a key counts; nil for none. A query without any key
// that counts gives NaN. Numbers are computed in float32.
func (s *Scope) Attention(query, key, value, mask *Tensor, scale float32) *Tensor {
	const op = "attention"
	in := []*Tensor{query, key, value}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	if mask != nil {
		if f, ok := s.tensors(op, mask); !ok {
			return f
		}
		in = append(in, mask)
	}
	shape, err := tensorop.AttentionShape(query.view.Shape, key.view.Shape, value.view.Shape)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	rank := query.Rank()
	flops := 2 * float64(tensorop.Elements(shape)) * float64(key.view.Shape[key.Rank()-2]) *
		(1 + float64(query.view.Shape[rank-1])/float64(max(shape[len(shape)-1], 1)))
	return s.one(op, flops, query.Type(), shape, in, func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		var m *tensorop.Operand
		if mask != nil {
			m = &in[3]
		}
		b.Attention(out, in[0], in[1], in[2], m, scale)
	})
}
