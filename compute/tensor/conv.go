package tensor

import (
	"fmt"

	"github.com/puremetal/puremetal/compute/internal/backend"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// Window describes how a kernel moves over the spatial dimensions, the last ones of a tensor, with
// an element of each slice for each of them. Nil stands for ones in Strides and Dilations and for
// zeros in Before and After.
type Window struct {
	Size      []int // of the window of a pooling; convolutions have their weights'
	Strides   []int // from one position to the next
	Dilations []int // from one tap of the kernel to the next
	Before    []int // padding before the first element
	After     []int // padding after the last element
	// Same pads so that there is an output for each stride of the input, instead of Before and
	// After.
	Same bool
}

// of returns the window for spatial dimensions and a kernel's size.
func (w Window) of(space, size []int) (tensorop.Window, error) {
	o := tensorop.Window{Size: size, Strides: w.Strides, Dilations: w.Dilations, Before: w.Before, After: w.After}
	if !w.Same {
		return o, nil
	}
	return o.Same(space, false)
}

// Conv computes the convolution of x with weights: x is batch, channels and 1 to 3 spatial
// dimensions, weights are output channels, input channels of a group and the kernel's size. groups
// is 1 for ordinary convolutions, and the number of channels for depthwise ones. Other layouts are
// transposed views. Numbers are added in float32.
func (s *Scope) Conv(x, weights *Tensor, w Window, groups int) *Tensor {
	const op = "conv"
	in := []*Tensor{x, weights}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	win, err := s.convWindow(x.view.Shape, weights, w)
	var shape []int
	if err == nil {
		shape, err = tensorop.ConvShape(x.view.Shape, weights.view.Shape, win, groups)
	}
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	flops := 2 * float64(tensorop.Elements(shape)) * float64(tensorop.Elements(weights.view.Shape[1:]))
	return s.oneOf(op, flops, backend.Conv{Window: win, Groups: groups}, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			b.Conv(out, in[0], in[1], win, groups)
		})
}

func (s *Scope) convWindow(shape []int, weights *Tensor, w Window) (tensorop.Window, error) {
	if len(shape) < 3 || weights.Rank() != len(shape) {
		return tensorop.Window{}, fmt.Errorf("tensor of shape %v and weights of shape %v; both have 3 to 5 dimensions",
			shape, weights.view.Shape)
	}
	return w.of(shape[2:], weights.view.Shape[2:])
}

// ConvTranspose computes the transpose of Conv with the same weights and window, which is also its
// gradient with respect to x: x is batch, output channels of the convolution and spatial
// dimensions. The result is the smallest input with such an output. w.Same is not allowed.
func (s *Scope) ConvTranspose(x, weights *Tensor, w Window, groups int) *Tensor {
	const op = "conv transpose"
	in := []*Tensor{x, weights}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	win, err := s.convWindow(x.view.Shape, weights, w)
	if w.Same {
		err = fmt.Errorf("padding Same does not say which input it means; use Before and After")
	}
	var shape []int
	if err == nil {
		shape, err = tensorop.ConvTransposeShape(x.view.Shape, weights.view.Shape, win, groups, nil)
	}
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	flops := 2 * float64(x.Len()) * float64(tensorop.Elements(weights.view.Shape[1:]))
	return s.one(op, flops, x.Type(), shape, in, func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		b.ConvInputGradient(out, in[0], in[1], win, groups)
	})
}

// MaxPool computes the maximum of each window over the last dimensions, as many as w.Size has; NaN
// if there is one.
func (s *Scope) MaxPool(x *Tensor, w Window) *Tensor {
	return s.pool("max pool", x, w, tensorop.PoolMax)
}

// AvgPool computes the mean of each window over the last dimensions, as many as w.Size has, without
// the padding.
func (s *Scope) AvgPool(x *Tensor, w Window) *Tensor {
	return s.pool("avg pool", x, w, tensorop.PoolAverage)
}

func (s *Scope) pool(op string, x *Tensor, w Window, kind tensorop.PoolKind) *Tensor {
	in := []*Tensor{x}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	n := len(w.Size)
	if n == 0 || n > x.Rank() {
		return s.fail(op, in, fmt.Errorf("a window of size %v: %w", w.Size, ErrShape))
	}
	win, err := w.of(x.view.Shape[x.Rank()-n:], w.Size)
	p := tensorop.Pool{Window: win, Kind: kind}
	var shape []int
	if err == nil {
		shape, err = tensorop.PoolShape(x.view.Shape, p)
	}
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, float64(tensorop.Elements(shape)*tensorop.Elements(w.Size)), x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Pool(out, in[0], p) })
}
