package softgraph

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// layout is the order of a tensor's dimensions: dimension i of a tensor in the order of package
// tensorop is dimension layout[i].
type layout []int

// layoutOf returns the order for a named layout: batch or outputs, then channels, then space.
func layoutOf(named uint64) (layout, error) {
	switch named {
	case graphdata.TensorNamedDataLayoutNCHW, graphdata.TensorNamedDataLayoutOIHW:
		return layout{0, 1, 2, 3}, nil
	case graphdata.TensorNamedDataLayoutNHWC:
		return layout{0, 3, 1, 2}, nil
	case graphdata.TensorNamedDataLayoutHWIO:
		return layout{3, 2, 0, 1}, nil
	case graphdata.TensorNamedDataLayoutNCDHW, graphdata.TensorNamedDataLayoutOIDHW:
		return layout{0, 1, 2, 3, 4}, nil
	case graphdata.TensorNamedDataLayoutNDHWC:
		return layout{0, 4, 1, 2, 3}, nil
	case graphdata.TensorNamedDataLayoutDHWIO:
		return layout{4, 3, 0, 1, 2}, nil
	}
	return nil, fmt.Errorf("layout %d is not one of convolutions", named)
}

// in brings a shape to the order of package tensorop.
func (l layout) in(shape []int) ([]int, error) {
	if len(shape) != len(l) {
		return nil, fmt.Errorf("shape %v has %d dimensions and not %d", shape, len(shape), len(l))
	}
	out := make([]int, len(l))
	for i, from := range l {
		out[i] = shape[from]
	}
	return out, nil
}

// out brings a shape back.
func (l layout) out(shape []int) []int {
	out := make([]int, len(l))
	for i, from := range l {
		out[from] = shape[i]
	}
	return out
}

// view returns an operand with its dimensions in the order of package tensorop.
func (l layout) view(o tensorop.Operand) tensorop.Operand { return o.With(o.Transpose(l...)) }

// convolution is what a descriptor says of one.
type convolution struct {
	data, weights layout
	window        tensorop.Window // without size and, unless padding is explicit, without padding
	style         uint64
	groups        int
	depthwise     bool // the weights' dimensions of inputs and outputs are exchanged, and a channel is a group
}

// convolutionArg reads a descriptor of a convolution with 2 or 3 spatial dimensions.
func (a *args) convolutionArg(i, rank int, depthwise bool) convolution {
	r := a.record(i)
	c := convolution{depthwise: depthwise}
	var err error
	if c.data, err = layoutOf(r.Uint("dataLayout")); err == nil {
		c.weights, err = layoutOf(r.Uint("weightsLayout"))
	}
	if err == nil && (len(c.data) != rank+2 || len(c.weights) != rank+2) {
		err = fmt.Errorf("layouts %d and %d for %d spatial dimensions", r.Uint("dataLayout"), r.Uint("weightsLayout"),
			rank)
	}
	if err != nil {
		a.fail("the descriptor: %w", err)
	}
	c.window, c.style = windowOf(r, rank)
	c.groups = 1
	if r.Has("groups") {
		c.groups = int(r.Uint("groups"))
	}
	return c
}

// windowOf reads strides, dilations and padding by their names: X is the last dimension.
func windowOf(r *adapter.Record, rank int) (tensorop.Window, uint64) {
	var w tensorop.Window
	names := []struct{ axis, before, after string }{{"Z", "Front", "Back"}, {"Y", "Top", "Bottom"}, {"X", "Left",
		"Right"}}
	style := r.Uint("paddingStyle")
	for _, n := range names[3-rank:] {
		w.Strides = append(w.Strides, int(r.Uint("strideIn"+n.axis)))
		w.Dilations = append(w.Dilations, int(r.Uint("dilationRateIn"+n.axis)))
		if explicit(style) {
			w.Before = append(w.Before, int(r.Uint("padding"+n.before)))
			w.After = append(w.After, int(r.Uint("padding"+n.after)))
		}
	}
	return w, style
}

func explicit(style uint64) bool {
	return style == graphdata.PaddingStyleExplicit || style == graphdata.PaddingStyleExplicitOffset
}

// padded returns a window with the padding that a style gives for an input's spatial dimensions.
func padded(w tensorop.Window, style uint64, space []int) (tensorop.Window, error) {
	switch style {
	case graphdata.PaddingStyleTF_SAME:
		return w.Same(space, false)
	case graphdata.PaddingStyleONNX_SAME_LOWER:
		return w.Same(space, true)
	}
	return w, nil
}

// weightShape returns the weights' shape in the order of package tensorop and the number of groups
// for an input with so many channels.
func (c convolution) weightShape(shape []int, channels int) ([]int, int, error) {
	w, err := c.weights.in(shape)
	if err != nil || !c.depthwise {
		return w, c.groups, err
	}
	// Depthwise weights are multiplier, channels, space: output channel c*multiplier + m.
	if w[1] != channels {
		return nil, 0, fmt.Errorf("weights of shape %v for %d channels", shape, channels)
	}
	w[0], w[1] = w[0]*w[1], 1
	return w, channels, nil
}

// weightView returns the weights in the order of package tensorop; depthwise ones may need a copy.
func (c convolution) weightView(b *tensorop.Builder, o tensorop.Operand) tensorop.Operand {
	v := c.weights.view(o)
	if !c.depthwise {
		return v
	}
	order := []int{1, 0}
	for d := 2; d < v.Rank(); d++ {
		order = append(order, d)
	}
	turned := v.Transpose(order...) // channels, multiplier, space
	shape := append([]int{turned.Shape[0] * turned.Shape[1], 1}, turned.Shape[2:]...)
	if r, ok := turned.Reshape(shape...); ok {
		return o.With(r)
	}
	dense := b.Temp(o.Type, turned.Shape...)
	b.Copy(dense, o.With(turned))
	r, _ := dense.Reshape(shape...)
	return dense.With(r)
}

// resolved returns the shapes in the order of package tensorop, the window, and the groups.
func (c convolution) resolved(source, weights []int) (in, w []int, win tensorop.Window, groups int, err error) {
	if in, err = c.data.in(source); err != nil {
		return
	}
	if w, groups, err = c.weightShape(weights, in[1]); err != nil {
		return
	}
	win = c.window
	win.Size = w[2:]
	win, err = padded(win, c.style, in[2:])
	return
}

// convolve convolves x with weights.
func (g *graph) convolve(x, weights *tensor, c convolution, name string) (*tensor, error) {
	return g.add1("convolution", name, def{
		infer: func(in []spec) ([]spec, error) {
			shape, w, win, groups, err := c.resolved(in[0].shape, in[1].shape)
			if err != nil {
				return nil, err
			}
			out, err := tensorop.ConvShape(shape, w, win, groups)
			if err != nil {
				return nil, err
			}
			return []spec{{in[0].typ, c.data.out(out)}}, nil
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			_, _, win, groups, err := c.resolved(in[0].Shape, in[1].Shape)
			if err != nil {
				b.Fail(err)
				return
			}
			b.Conv(c.data.view(out[0]), c.data.view(in[0]), c.weightView(b, in[1]), win, groups)
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			x, w := op.inputs[0], op.inputs[1]
			dx, err := g.convolutionInput(dy[0], w, x, nil, c, "")
			if err != nil {
				return nil, err
			}
			dw, err := g.convolutionWeights(dy[0], x, w, nil, c, "")
			return []*tensor{dx, dw}, err
		},
	}, x, weights)
}

// convolutionInput is the gradient of a convolution with respect to its input, which has the shape
// of a tensor, or a given one if that is nil. It is also the transpose convolution.
func (g *graph) convolutionInput(dy, weights, like *tensor, shape []int, c convolution, name string) (*tensor, error) {
	inputs := []*tensor{dy, weights}
	if like != nil {
		inputs = append(inputs, like)
	}
	result := func(in []spec) []int {
		if like != nil {
			return in[2].shape
		}
		return shape
	}
	return g.add1("convolutionDataGradient", name, def{
		infer: func(in []spec) ([]spec, error) {
			out := result(in)
			source, w, win, groups, err := c.resolved(out, in[1].shape)
			if err != nil {
				return nil, err
			}
			forward, err := tensorop.ConvShape(source, w, win, groups)
			if err != nil {
				return nil, err
			}
			if have := c.data.out(forward); fmt.Sprint(have) != fmt.Sprint(in[0].shape) {
				return nil, fmt.Errorf("the convolution of shape %v has the shape %v and the gradient %v", out, have,
					in[0].shape)
			}
			return []spec{{in[0].typ, out}}, nil
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			_, _, win, groups, err := c.resolved(out[0].Shape, in[1].Shape)
			if err != nil {
				b.Fail(err)
				return
			}
			b.ConvInputGradient(c.data.view(out[0]), c.data.view(in[0]), c.weightView(b, in[1]), win, groups)
		},
		grad: func(g *graph, op *operation, dz []*tensor) ([]*tensor, error) {
			// The transpose of this linear map is the convolution.
			dy, err := g.convolve(dz[0], op.inputs[1], c, "")
			if err != nil {
				return nil, err
			}
			dw, err := g.convolutionWeights(op.inputs[0], dz[0], op.inputs[1], nil, c, "")
			return []*tensor{dy, dw, nil}[:len(op.inputs)], err
		},
	}, inputs...)
}

// convolutionWeights is the gradient of a convolution with respect to its weights, which have the
// shape of a tensor, or a given one if that is nil.
func (g *graph) convolutionWeights(dy, x, like *tensor, shape []int, c convolution, name string) (*tensor, error) {
	inputs := []*tensor{dy, x}
	if like != nil {
		inputs = append(inputs, like)
	}
	return g.add1("convolutionWeightsGradient", name, def{
		infer: func(in []spec) ([]spec, error) {
			out := shape
			if like != nil {
				out = in[2].shape
			}
			if _, _, _, _, err := c.resolved(in[1].shape, out); err != nil {
				return nil, err
			}
			return []spec{{in[0].typ, out}}, nil
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			_, w, win, groups, err := c.resolved(in[1].Shape, out[0].Shape)
			if err != nil {
				b.Fail(err)
				return
			}
			to := c.weights.view(out[0])
			if !c.depthwise {
				b.ConvWeightsGradient(to, c.data.view(in[0]), c.data.view(in[1]), win, groups)
				return
			}
			temp := b.Temp(to.Type, w...)
			b.ConvWeightsGradient(temp, c.data.view(in[0]), c.data.view(in[1]), win, groups)
			order := []int{1, 0}
			for d := 2; d < to.Rank(); d++ {
				order = append(order, d)
			}
			turned := to.Transpose(order...)
			v, _ := temp.Reshape(turned.Shape...)
			b.Copy(to.With(turned), temp.With(v))
		},
	}, inputs...)
}

// convolutionMethods are those of convolutions with 2 and 3 spatial dimensions.
func convolutionMethods() adapter.Methods {
	m := adapter.Methods{}
	for _, kind := range []struct {
		name       string
		rank       int
		depthwise  bool
		descriptor string
	}{
		{"convolution2D", 2, false, "forwardConvolutionDescriptor"}, {"convolution3D", 3, false,
			"forwardConvolutionDescriptor"},
		{"depthwiseConvolution2D", 2, true, "descriptor"},
	} {
		gradient := "GradientWithIncomingGradientTensor:"
		m[kind.name+"WithSourceTensor:weightsTensor:descriptor:name:"] = method(func(g *graph, a *args) (*tensor,
			error) {
			return g.convolve(a.tensor(0), a.tensor(1), a.convolutionArg(2, kind.rank, kind.depthwise), a.name(3))
		})
		for _, shape := range []struct {
			label string
			get   func(a *args, i int) []int
		}{{"outputShape", (*args).ints}, {"outputShapeTensor", (*args).constantInts}} {
			if kind.depthwise && shape.label != "outputShape" {
				continue
			}
			rest := shape.label + ":" + kind.descriptor + ":name:"
			m[kind.name+"Data"+gradient+"weightsTensor:"+rest] = method(
				func(g *graph, a *args) (*tensor, error) {
					return g.convolutionInput(a.tensor(0), a.tensor(1), nil, shape.get(a, 2),
						a.convolutionArg(3, kind.rank, kind.depthwise), a.name(4))
				})
			m[kind.name+"Weights"+gradient+"sourceTensor:"+rest] = method(
				func(g *graph, a *args) (*tensor, error) {
					return g.convolutionWeights(a.tensor(0), a.tensor(1), nil, shape.get(a, 2),
						a.convolutionArg(3, kind.rank, kind.depthwise), a.name(4))
				})
			if kind.name == "convolution2D" {
				m["convolutionTranspose2DWithSourceTensor:weightsTensor:"+shape.label+":descriptor:name:"] = method(
					func(g *graph, a *args) (*tensor, error) {
						return g.convolutionInput(a.tensor(0), a.tensor(1), nil, shape.get(a, 2), a.convolutionArg(3,
							2, false),
							a.name(4))
					})
			}
		}
	}
	return m
}
