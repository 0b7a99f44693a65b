package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// blocks moves blocks of space into a dimension, or with back out of it.
func (g *graph) blocks(t *tensor, s tensorop.Blocks, back bool, name string) (*tensor, error) {
	for _, d := range append(slices.Clone(s.Spatial), s.Depth) {
		if _, err := axis(t, d); err != nil {
			return nil, fmt.Errorf("blocks: %w", err)
		}
	}
	return g.kernelOp("blocks", name, func(in []spec) (spec, error) {
		shape := s.DeepShape
		if back {
			shape = s.ShallowShape
		}
		out, err := shape(in[0].shape)
		return spec{in[0].typ, out}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		if back {
			b.DepthToSpace(out, in[0], s)
		} else {
			b.SpaceToDepth(out, in[0], s)
		}
	}, func(g *graph, _ *operation, dy []*tensor) ([]*tensor, error) {
		dx, err := g.blocks(dy[0], s, !back, "")
		return []*tensor{dx}, err
	}, t)
}

// columnsArg reads a descriptor of columns.
func (a *args) columnsArg(i int) (tensorop.Window, layout) {
	r := a.record(i)
	l, err := layoutOf(r.Uint("dataLayout"))
	if err != nil || len(l) != 4 {
		a.fail("the descriptor: layout %d is not NCHW or NHWC", r.Uint("dataLayout"))
		return tensorop.Window{}, nil
	}
	w := tensorop.Window{Size: []int{int(r.Uint("kernelHeight")), int(r.Uint("kernelWidth"))},
		Before: []int{int(r.Uint("paddingTop")), int(r.Uint("paddingLeft"))},
		After:  []int{int(r.Uint("paddingBottom")), int(r.Uint("paddingRight"))}}
	for _, n := range []string{"Y", "X"} {
		w.Strides = append(w.Strides, int(r.Uint("strideIn"+n)))
		w.Dilations = append(w.Dilations, int(r.Uint("dilationRateIn"+n)))
	}
	return w, l
}

// columns adds the elements under a window at each of its positions: batch, channels times the
// window's elements, positions. Without a shape it takes them from an image; with one it adds them
// up to an image of that shape.
func (g *graph) columns(t *tensor, w tensorop.Window, l layout, shape []int, name string) (*tensor, error) {
	back := shape != nil
	return g.kernelOp("columns", name, func(in []spec) (spec, error) {
		image := in[0].shape
		if back {
			image = shape
		}
		order, err := l.in(image)
		if err != nil {
			return spec{}, err
		}
		out, err := tensorop.ColumnsShape(order, w)
		if err == nil && back {
			if !slices.Equal(out, in[0].shape) {
				err = fmt.Errorf("columns of shape %v for the image %v; they must be %v", in[0].shape, shape, out)
			}
			out = shape
		}
		return spec{in[0].typ, out}, err
	}, func(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand) {
		if back {
			b.FromColumns(l.view(out), in[0], w)
		} else {
			b.Columns(out, l.view(in[0]), w)
		}
	}, func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
		var to []int
		if !back {
			if !op.inputs[0].known() {
				return nil, fmt.Errorf("columns: the gradient needs the shape of the image")
			}
			to = op.inputs[0].shape
		}
		dx, err := g.columns(dy[0], w, l, to, "")
		return []*tensor{dx}, err
	}, t)
}

// blockMethods are rearrangements of space. The pixel shuffle's order has the channel before the
// place in the block.
func blockMethods() adapter.Methods {
	m := adapter.Methods{
		"imToColWithSourceTensor:descriptor:name:": method(func(g *graph, a *args) (*tensor, error) {
			w, l := a.columnsArg(1)
			return g.columns(a.tensor(0), w, l, nil, a.name(2))
		}),
		"colToImWithSourceTensor:outputShape:descriptor:name:": method(func(g *graph, a *args) (*tensor, error) {
			w, l := a.columnsArg(2)
			shape := append([]int{}, a.ints(1)...)
			return g.columns(a.tensor(0), w, l, shape, a.name(3))
		}),
	}
	for _, form := range []struct {
		suffix string
		one    func(*args, int) int
		list   func(*args, int) []int
	}{{"", (*args).int, (*args).ints}, {"Tensor", (*args).constantInt, (*args).constantInts}} {
		for _, back := range []bool{false, true} {
			depth, batch := "spaceToDepth2DTensor:", "spaceToBatchTensor:"
			if back {
				depth, batch = "depthToSpace2DTensor:", "batchToSpaceTensor:"
			}
			m[depth+"widthAxis"+form.suffix+":heightAxis"+form.suffix+":depthAxis"+form.suffix+
				":blockSize:usePixelShuffleOrder:name:"] = method(func(g *graph, a *args) (*tensor, error) {
				size := a.int(4)
				s := tensorop.Blocks{Spatial: []int{form.one(a, 2), form.one(a, 1)}, Depth: form.one(a, 3),
					Size: []int{size, size}, ChannelsFirst: a.c.Bool(5)}
				return g.blocks(a.tensor(0), s, back, a.name(6))
			})
			m[batch+"spatialAxes"+form.suffix+":batchAxis"+form.suffix+":blockDimensions"+form.suffix+
				":usePixelShuffleOrder:name:"] = method(func(g *graph, a *args) (*tensor, error) {
				s := tensorop.Blocks{Depth: form.one(a, 2), Size: form.list(a, 3), ChannelsFirst: a.c.Bool(4)}
				for _, d := range form.list(a, 1) {
					k, err := axis(a.tensor(0), d)
					if err != nil {
						return nil, fmt.Errorf("blocks: %w", err)
					}
					s.Spatial = append(s.Spatial, k)
				}
				var err error
				if s.Depth, err = axis(a.tensor(0), s.Depth); err != nil {
					return nil, fmt.Errorf("blocks: %w", err)
				}
				return g.blocks(a.tensor(0), s, back, a.name(5))
			})
		}
	}
	return m
}
