package tensor

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/tensorop"
)

// ResizeMode says how Resize computes an element between those of its input.
type ResizeMode uint8

// The modes of Resize: the nearest element, of two equally near ones the later, and linear
// interpolation between neighbors along each dimension.
const (
	ResizeNearest ResizeMode = iota
	ResizeLinear
)

// Resize resizes the last dimensions of x, 1 to 3 of them, to sizes, such as the height and width
// of a batch of images. The centers of both ranges match, and positions outside of x take the
// element at the edge. x has a floating-point type. The error wraps [ErrShape] if there are other
// numbers of sizes, a negative one, or no elements to take.
func (s *Scope) Resize(x *Tensor, mode ResizeMode, sizes ...int) *Tensor {
	const op = "resize"
	in := []*Tensor{x}
	if f, ok := s.floats(op, in...); !ok {
		return f
	}
	lead := x.Rank() - len(sizes)
	if len(sizes) < 1 || len(sizes) > 3 || lead < 0 {
		return s.fail(op, in, fmt.Errorf("%d sizes %v for shape %v; give 1 to 3, at most one for each dimension: %w",
			len(sizes), sizes, x.view.Shape, ErrShape))
	}
	if mode > ResizeLinear {
		return s.fail(op, in, fmt.Errorf("mode %d; want ResizeNearest or ResizeLinear: %w", mode, ErrShape))
	}
	r := tensorop.Resize{Linear: mode == ResizeLinear}
	shape := x.Shape()
	for i, n := range sizes {
		have := shape[lead+i]
		if n < 0 || n > 0 && have == 0 {
			return s.fail(op, in, fmt.Errorf("dimension %d from %d to %d elements; sizes must be at least 0, "+
				"and 0 where x has none: %w", lead+i, have, n, ErrShape))
		}
		r.Maps = append(r.Maps, tensorop.NewResizeMap(have, max(n, 1), true, false))
		shape[lead+i] = n
	}
	return s.one(op, 0, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { b.Resize(out, in[0], r) })
}

// SpaceToDepth moves blocks of size by size elements of the last two dimensions into the channels:
// x is [..., C, H*size, W*size] and the result [..., C*size*size, H, W]. A channel's block is in
// row-major order, as in a pixel unshuffle.
func (s *Scope) SpaceToDepth(x *Tensor, size int) *Tensor {
	return s.blocks("space to depth", x, size, tensorop.Blocks.DeepShape, (*tensorop.Builder).SpaceToDepth)
}

// DepthToSpace undoes SpaceToDepth, as a pixel shuffle: x is [..., C*size*size, H, W] and the
// result [..., C, H*size, W*size].
func (s *Scope) DepthToSpace(x *Tensor, size int) *Tensor {
	return s.blocks("depth to space", x, size, tensorop.Blocks.ShallowShape, (*tensorop.Builder).DepthToSpace)
}

func (s *Scope) blocks(op string, x *Tensor, size int, result func(tensorop.Blocks, []int) ([]int, error),
	build func(b *tensorop.Builder, out, in tensorop.Operand, blocks tensorop.Blocks)) *Tensor {
	in := []*Tensor{x}
	if f, ok := s.tensors(op, in...); !ok {
		return f
	}
	n := x.Rank()
	if n < 3 {
		return s.fail(op, in, fmt.Errorf("shape %v; want channels, height and width last: %w", x.view.Shape, ErrShape))
	}
	blocks := tensorop.Blocks{Spatial: []int{n - 2, n - 1}, Depth: n - 3, Size: []int{size, size}, ChannelsFirst: true}
	shape, err := result(blocks, x.view.Shape)
	if err != nil {
		return s.fail(op, in, shapeError(err))
	}
	return s.one(op, 0, x.Type(), shape, in,
		func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) { build(b, out, in[0], blocks) })
}
