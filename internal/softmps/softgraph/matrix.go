package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// inverse inverts the matrices in the last two dimensions.
func (g *graph) inverse(t *tensor, name string) (*tensor, error) {
	return g.add1("inverse", name, def{
		infer: func(in []spec) ([]spec, error) {
			n := len(in[0].shape)
			if n < 2 || in[0].shape[n-1] != in[0].shape[n-2] || !in[0].typ.Float() {
				return nil, fmt.Errorf("%v is not square matrices of floating-point numbers", in[0])
			}
			return in[:1:1], nil
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) { b.Inverse(out[0], in[0]) },
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			// With Y the inverse of X, dX = -Yᵀ dY Yᵀ.
			c := &chain{g: g}
			y := op.outputs[0]
			return []*tensor{c.do("neg", c.times(c.times(y, dy[0], true, false), y, false, true))}, c.err
		},
	}, t)
}

// hamming counts the bits in which vectors, along the last dimension, differ: those of x, which is
// [.., M, K], from those of y, [.., N, K].
func (g *graph) hamming(x, y *tensor, typ tensorop.Type, name string) (*tensor, error) {
	if len(x.shape) < 2 || len(y.shape) < 2 || !x.typ.Integer() {
		return nil, fmt.Errorf("HammingDistance: %v and %v; want integers with at least two dimensions", x.spec, y.spec)
	}
	if typ != tensorop.Uint16 && typ != tensorop.Uint32 {
		return nil, fmt.Errorf("HammingDistance: results of type %v; want uint16 or uint32", typ)
	}
	if k, n := x.shape[len(x.shape)-1], y.shape[len(y.shape)-1]; k != n {
		return nil, fmt.Errorf("HammingDistance: vectors of %d and of %d elements; they must be equal", k, n)
	}
	c := &chain{g: g}
	x = c.keep(g.expand(x, []int{len(x.shape) - 1}, ""))
	y = c.keep(g.expand(y, []int{len(y.shape) - 2}, ""))
	bits := c.cast(c.do("popcount", c.do("bit_xor", x, y)), typ)
	if c.err != nil {
		return nil, c.err
	}
	sum := c.keep(g.reduce("sum", bits, []int{-1}, ""))
	if c.err != nil {
		return nil, c.err
	}
	return g.squeeze(sum, []int{-1}, name)
}

// nonZero returns the indices of elements that are not 0, a row for each. As their number is not
// known before, the operation is one of control flow: the CPU reads the elements.
func (g *graph) nonZero(t *tensor, name string) (*tensor, error) {
	if t.shape == nil || t.typ.Complex() {
		return nil, fmt.Errorf("nonZeroIndices: %v; want a known number of dimensions, and not complex numbers", t.spec)
	}
	rank := len(t.shape)
	out, err := g.control("nonZeroIndices", name, []spec{{tensorop.Int32, []int{-1, rank}}}, len(g.ops), []*tensor{t},
		nil, func(x *execution, in map[*tensor]*softmps.NDArray) ([]result, error) {
			a := in[t]
			b, err := a.Bytes()
			if err != nil {
				return nil, err
			}
			var found []int32
			index := make([]int, rank)
			for range a.Elements() {
				at := a.View.Offset
				for d, i := range index {
					at += i * a.Strides[d]
				}
				if !isZero(a.Type, b[at*a.Type.Size():][:a.Type.Size()]) {
					for _, i := range index {
						found = append(found, int32(i))
					}
				}
				for d := rank - 1; d >= 0; d-- {
					if index[d]++; index[d] < a.Shape[d] {
						break
					}
					index[d] = 0
				}
			}
			rows := len(found) / max(rank, 1)
			id, array, err := softmps.NewNDArray(x.g.rt, x.queue.Device(), tensorop.Dense(tensorop.Int32, rows, rank))
			if err != nil {
				return nil, err
			}
			memory, err := array.Bytes()
			if err != nil {
				x.drop([]result{{id, array}})
				return nil, err
			}
			for i, v := range found {
				copy(memory[4*i:], softmps.Element(tensorop.Int32, float64(v), 0))
			}
			return []result{{id, array}}, nil
		})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// isZero reports whether an element is 0; a negative zero is.
func isZero(t tensorop.Type, b []byte) bool {
	for i, c := range b {
		if t.Float() && i == len(b)-1 {
			c &= 0x7f
		}
		if c != 0 {
			return false
		}
	}
	return true
}

// depthwise3DArg reads a descriptor of a depthwise convolution with three spatial dimensions and
// one filter for each channel. Dimensions before the last four are a batch.
func (a *args) depthwise3DArg(i int) (c convolution) {
	r := a.record(i)
	channel := int(int64(r.Uint("channelDimensionIndex")))
	if channel < -4 || channel > -1 {
		a.fail("the descriptor's channelDimensionIndex is %d; want -4 to -1", channel)
		return c
	}
	order := layout{0, 5 + channel}
	for d := 1; d < 5; d++ {
		if d != 5+channel {
			order = append(order, d)
		}
	}
	c = convolution{data: order, weights: order, groups: 1, depthwise: true, style: r.Uint("paddingStyle")}
	list := func(name string, n, otherwise int) []int {
		v, err := softmps.Integers(a.c.RT, r.ID(name))
		if err == nil && v == nil {
			v = slices.Repeat([]int{otherwise}, n)
		}
		if err == nil && len(v) != n {
			err = fmt.Errorf("%d numbers and not %d", len(v), n)
		}
		if err != nil {
			a.fail("the descriptor's %s: %w", name, err)
			v = make([]int, n)
		}
		return v
	}
	c.window.Strides, c.window.Dilations = list("strides", 3, 1), list("dilationRates", 3, 1)
	if pads := list("paddingValues", 6, 0); explicit(c.style) { // before and after for each dimension
		for d := range 3 {
			c.window.Before, c.window.After = append(c.window.Before, pads[2*d]), append(c.window.After, pads[2*d+1])
		}
	}
	return c
}

// tile gives a tensor five dimensions: a batch, and its last four.
func (c *chain) tile(t *tensor) *tensor {
	shape, err := tileShape(t.shape)
	if err == nil && !t.known() {
		err = fmt.Errorf("depthwiseConvolution3D: the software device needs a known shape, not %v", t.spec)
	}
	if err != nil {
		return c.keep(nil, err)
	}
	return c.reshape(t, shape...)
}

func tileShape(shape []int) ([]int, error) {
	n := len(shape) - 4
	if n < 0 {
		return nil, fmt.Errorf("depthwiseConvolution3D: shape %v; want at least four dimensions", shape)
	}
	batch := 1
	for _, k := range shape[:n] {
		batch *= k
	}
	return append([]int{batch}, shape[n:]...), nil
}

func (g *graph) depthwise3D(a *args) (*tensor, error) {
	x, w, conv, name := a.tensor(0), a.tensor(1), a.depthwise3DArg(2), a.name(3)
	c := &chain{g: g}
	y := c.keep(g.convolve(c.tile(x), c.tile(w), conv, name))
	if c.err != nil {
		return nil, c.err
	}
	return g.reshape(y, append(slices.Clone(x.shape[:len(x.shape)-4]), y.shape[1:]...), name)
}

// depthwise3DGradient adds the gradient with respect to the source or to the weights.
func depthwise3DGradient(weights bool) func(g *graph, a *args) (*tensor, error) {
	return func(g *graph, a *args) (*tensor, error) {
		dy, other, shape, conv, name := a.tensor(0), a.tensor(1), a.ints(2), a.depthwise3DArg(3), a.name(4)
		c := &chain{g: g}
		dy, other = c.tile(dy), c.tile(other)
		wide, err := tileShape(shape)
		if err != nil && c.err == nil {
			c.err = err
		}
		if c.err != nil {
			return nil, c.err
		}
		f := g.convolutionInput
		if weights {
			f = g.convolutionWeights
		}
		d, err := f(dy, other, nil, wide, conv, name)
		if err != nil {
			return nil, err
		}
		return g.reshape(d, shape, name)
	}
}

func matrixMethods() adapter.Methods {
	const gradient = "GradientWithIncomingGradientTensor:"
	return adapter.Methods{
		"inverseOfTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.inverse(a.tensor(0), a.name(1))
		}),
		"HammingDistanceWithPrimaryTensor:secondaryTensor:resultDataType:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.hamming(a.tensor(0), a.tensor(1), a.dataType(2), a.name(3))
			}),
		"nonZeroIndicesOfTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.nonZero(a.tensor(0), a.name(1))
		}),
		"depthwiseConvolution3DWithSourceTensor:weightsTensor:descriptor:name:": method((*graph).depthwise3D),
		"depthwiseConvolution3DData" + gradient + "weightsTensor:outputShape:descriptor:name:": method(
			depthwise3DGradient(false)),
		"depthwiseConvolution3DWeights" + gradient + "sourceTensor:outputShape:descriptor:name:": method(
			depthwise3DGradient(true)),
	}
}
