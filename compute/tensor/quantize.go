package tensor

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// Quantize computes round(x / scale) + zero as integers of a type of at most 32 bits, rounded to
// the nearest one, ties to even, and saturated; NaN becomes zero. scale is a floating-point tensor,
// zero an integer one, and both are broadcast to x or a [Scalar]; a nil zero is 0. For a scale for
// each channel in dimension 1 of images, its shape is [C, 1, 1].
func (s *Scope) Quantize(x, scale, zero *Tensor, typ Type) *Tensor {
	return s.quantization("quantize", x, scale, zero, typ, (*tensorop.Builder).Quantize)
}

// Dequantize computes (x - zero) * scale as floating-point numbers of a type, for integers x of at
// most 32 bits. scale and zero are as for Quantize.
func (s *Scope) Dequantize(x, scale, zero *Tensor, typ Type) *Tensor {
	return s.quantization("dequantize", x, scale, zero, typ, (*tensorop.Builder).Dequantize)
}

func (s *Scope) quantization(op string, x, scale, zero *Tensor, typ Type,
	build func(b *tensorop.Builder, out, in tensorop.Operand, q tensorop.Quantization)) *Tensor {
	all := []*Tensor{x, scale}
	if zero != nil {
		all = append(all, zero)
	}
	if f, ok := s.begin(op, all...); !ok {
		return f
	}
	if x.number != nil {
		return s.fail(op, all, fmt.Errorf("takes a tensor and no scalar: %w", ErrType))
	}
	integers, floats := x.Type(), typ
	if op == "quantize" {
		integers, floats = typ, x.Type()
	}
	if !integers.IsInteger() || integers.Size() > 4 || !floats.IsFloat() {
		return s.fail(op, all, fmt.Errorf("%v to %v; takes floating-point numbers and integers of at most 32 bits: %w",
			x.Type(), typ, ErrType))
	}
	in := []*Tensor{x}
	var q tensorop.Quantization
	at := [2]int{} // the indices of scale and zero among the operands, 0 for none
	if scale.number != nil {
		q.ScaleValue = float32(scale.number.value)
	} else if at[0] = len(in); !scale.Type().IsFloat() {
		return s.fail(op, all, fmt.Errorf("the scale is %v and not a floating-point number: %w", scale.Type(), ErrType))
	} else {
		in = append(in, scale)
	}
	switch {
	case zero == nil:
	case zero.number != nil:
		v := zero.number.value
		if v != math.Trunc(v) || !inRange(Int32, v) {
			return s.fail(op, all, fmt.Errorf("the zero point %v is not a value of int32: %w", zero.number, ErrType))
		}
		q.ZeroValue = int32(v)
	case !zero.Type().IsInteger():
		return s.fail(op, all, fmt.Errorf("the zero point is %v and not an integer: %w", zero.Type(), ErrType))
	default:
		at[1] = len(in)
		in = append(in, zero)
	}
	for _, t := range in[1:] {
		if _, err := t.view.Broadcast(x.view.Shape...); err != nil {
			return s.fail(op, all, shapeError(err))
		}
	}
	return s.one(op, 2*float64(x.Len()), typ, x.view.Shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			q := q
			if at[0] > 0 {
				q.Scale = &in[at[0]]
			}
			if at[1] > 0 {
				q.ZeroPoint = &in[at[1]]
			}
			build(b, out, in[0], q)
		})
}
