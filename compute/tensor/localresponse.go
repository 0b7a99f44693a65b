package tensor

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// LocalResponseNorm divides each element of x by (bias + alpha/n * s) to the power beta. s is the
// sum of the squares of the n elements in a window around it, which has size elements along each of
// 1 to 4 axes: (size-1)/2 before the element and size/2 after it; those outside of x count as 0.
// The axis of the channels gives the usual normalization across channels. x has a floating-point
// type.
func (s *Scope) LocalResponseNorm(x *Tensor, size int, alpha, beta, bias float32, axes ...int) *Tensor {
	const op = "local response norm"
	in := []*Tensor{x}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	if size < 1 || len(axes) < 1 || len(axes) > 4 {
		return s.fail(op, in, fmt.Errorf("size %d along axes %v; want a size of at least 1 and 1 to 4 axes: %w", size,
			axes,
			ErrShape))
	}
	axes, err := dims(axes, x.Rank())
	if err != nil {
		return s.fail(op, in, err)
	}
	l := tensorop.LocalResponse{Alpha: alpha, Beta: beta, Bias: bias}
	var order []int // the axes last
	for d := range x.Rank() {
		if !slices.Contains(axes, d) {
			order = append(order, d)
		}
	}
	order = append(order, axes...)
	window := 1
	for range axes {
		l.Size = append(l.Size, size)
		if window > maxWindow/size {
			return s.fail(op, in, fmt.Errorf("a window of size %d along %d axes has more than %d elements: %w", size,
				len(axes), maxWindow, ErrShape))
		}
		window *= size
	}
	return s.one(op, float64(2*window+4)*float64(x.Len()), x.Type(), x.view.Shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.LocalResponse(out.With(out.Transpose(order...)), in[0].With(in[0].Transpose(order...)), l)
		})
}

// maxWindow is the largest number of elements in a window.
const maxWindow = 1 << 20
