package softgraph

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// indexConstant adds a constant of indices.
func (g *graph) indexConstant(values []int) (*tensor, error) {
	var b []byte
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	m, err := newMemory(spec{tensorop.Int32, []int{len(values)}}, b)
	if err != nil {
		return nil, err
	}
	return g.add1("constant", "", leafDef(m.spec, leaf{constant: m}))
}

// padSource returns the element of n that a padding takes at place i, which may be outside.
func padSource(mode uint64, i, n int) int {
	switch mode {
	case graphdata.PaddingModeReflect:
		period := max(2*n-2, 1)
		i = (i%period + period) % period
		return min(i, period-i)
	case graphdata.PaddingModeSymmetric:
		i = (i%(2*n) + 2*n) % (2 * n)
		return min(i, 2*n-1-i)
	case graphdata.PaddingModePeriodic:
		return (i%n + n) % n
	}
	return min(max(i, 0), n-1)
}

// padGradient is the gradient of a padding of a tensor of a shape: an element of padding that
// copies another adds to the gradient of that.
func (g *graph) padGradient(dy *tensor, shape []int, mode uint64, before, after []int) (*tensor, error) {
	if len(before) != len(shape) || len(after) != len(shape) {
		return nil, fmt.Errorf("pad: paddings %v and %v for the shape %v", before, after, shape)
	}
	if mode == graphdata.PaddingModeConstant || mode == graphdata.PaddingModeZero {
		cuts := make([]cut, len(before))
		for d, n := range shape {
			cuts[d] = cut{before[d], before[d] + n, 1}
		}
		return g.slice(dy, cuts, nil, "")
	}
	if mode == graphdata.PaddingModeAntiPeriodic {
		return nil, fmt.Errorf("pad: an anti-periodic padding has no gradient on the software device")
	}
	for d, n := range shape {
		if before[d] == 0 && after[d] == 0 {
			continue
		}
		var from []int
		for i := range before[d] + n + after[d] {
			from = append(from, padSource(mode, i-before[d], n))
		}
		indices, err := g.indexConstant(from)
		if err != nil {
			return nil, err
		}
		to := slices.Clone(dy.shape)
		to[d] = n
		zero, err := g.constant(0, spec{dy.typ, to})
		if err != nil {
			return nil, err
		}
		dy, err = g.scattering("", zero, dy, indices, "add",
			func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
				b.Scatter(out, data, indices, updates, d, "add")
			})
		if err != nil {
			return nil, err
		}
	}
	return dy, nil
}

// normalized returns (x - mean) / sqrt(variance + epsilon) and the factor of that.
func (c *chain) normalized(x, mean, variance *tensor, epsilon float32) (*tensor, *tensor) {
	factor := c.do("rsqrt", c.linear(variance, 1, epsilon))
	return c.do("mul", c.do("sub", x, mean), factor), factor
}

// reduced reduces along axes.
func (c *chain) reduced(op string, t *tensor, list []int) *tensor {
	if c.err != nil {
		return t
	}
	out, err := c.g.reduce(op, t, list, "")
	if err != nil {
		c.err = err
		return t
	}
	return out
}

// topGradient scatters the gradient of the largest elements, or the least, to the places where they
// were.
func (g *graph) topGradient(dy, x *tensor, dim, k int, smallest bool) (*tensor, error) {
	dim, err := axis(x, dim)
	if err != nil {
		return nil, fmt.Errorf("top k: %w", err)
	}
	top, err := g.top(x, dim, k, smallest, "")
	if err != nil {
		return nil, err
	}
	return g.scatterAdd(x, dy, top[1], func(b *tensorop.Builder, out, data, indices, updates tensorop.Operand) {
		b.ScatterAlongAxis(out, data, indices, updates, dim, "add")
	})
}

// crossEntropyGradient is dy * (softmax(x) * sum(labels) - labels).
func (g *graph) crossEntropyGradient(dy, x, labels *tensor, along int, reduction uint64) (*tensor, error) {
	y, err := g.softmax(x, along, "")
	if err != nil {
		return nil, err
	}
	c := &chain{g: g}
	d := c.do("sub", c.do("mul", y, c.reduced("sum", labels, []int{along})), labels)
	if reduction == graphdata.LossReductionTypeMean {
		dim, err := axis(x, along)
		if err != nil || !x.known() {
			return nil, fmt.Errorf("softMaxCrossEntropy: axis %d of shape %v, which must be known", along, x.shape)
		}
		losses := tensorop.Elements(x.shape) / max(x.shape[dim], 1)
		d = c.linear(d, 1/float32(max(losses, 1)), 0)
	}
	return c.do("mul", d, dy), c.err
}

// backwardMethods are gradients that have methods of their own.
func backwardMethods() adapter.Methods {
	m := adapter.Methods{
		"leakyReLUGradientWithIncomingGradient:sourceTensor:alphaTensor:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				dy, x, alpha := a.tensor(0), a.tensor(1), a.tensor(2)
				c := &chain{g: g}
				return c.do("select", c.do("greater", x, c.number(0, x)), dy, c.do("mul", dy, alpha)), c.err
			}),
		"normalizationBetaGradientWithIncomingGradientTensor:sourceTensor:reductionAxes:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.reduce("sum", a.tensor(0), a.ints(2), a.name(3))
			}),
		"normalizationGammaGradientWithIncomingGradientTensor:sourceTensor:meanTensor:varianceTensor:reductionAxes:" +
			"epsilon:name:": method(func(g *graph, a *args) (*tensor, error) {
			c := &chain{g: g}
			x, _ := c.normalized(a.tensor(1), a.tensor(2), a.tensor(3), a.c.F32(5))
			return c.reduced("sum", c.do("mul", a.tensor(0), x), a.ints(4)), c.err
		}),
		// The gradients of gamma and beta are not used: the sums that they stand for are those of
		// the gradient times gamma, which also holds if gamma varies along the axes.
		"normalizationGradientWithIncomingGradientTensor:sourceTensor:meanTensor:varianceTensor:gammaTensor:" +
			"gammaGradientTensor:betaGradientTensor:reductionAxes:epsilon:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				c := &chain{g: g}
				x, factor := c.normalized(a.tensor(1), a.tensor(2), a.tensor(3), a.c.F32(8))
				d, list := a.tensor(0), a.ints(7)
				if gamma := a.optional(4); gamma != nil {
					d = c.do("mul", d, gamma)
				}
				d = c.do("sub", d, c.do("add", c.reduced("mean", d, list),
					c.do("mul", x, c.reduced("mean", c.do("mul", d, x), list))))
				return c.do("mul", factor, d), c.err
			}),
		"padGradientWithIncomingGradientTensor:sourceTensor:paddingMode:leftPadding:rightPadding:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				if x := a.tensor(1); x.known() {
					return g.padGradient(a.tensor(0), x.shape, a.c.Uint(2), a.ints(3), a.ints(4))
				}
				return nil, fmt.Errorf("pad: the gradient needs the shape of the tensor")
			}),
		"tileGradientWithIncomingGradientTensor:sourceTensor:withMultiplier:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.tileGradient(a.tensor(0), a.tensor(1), a.ints(2), a.name(3))
			}),
		"softMaxCrossEntropyGradientWithIncomingGradientTensor:sourceTensor:labelsTensor:axis:reductionType:" +
			"name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.crossEntropyGradient(a.tensor(0), a.tensor(1), a.tensor(2), a.int(3), a.c.Uint(4))
			}),
		"topKWithGradientTensor:source:k:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.topGradient(a.tensor(0), a.tensor(1), -1, a.int(2), false)
		}),
		"topKWithGradientTensor:source:kTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.topGradient(a.tensor(0), a.tensor(1), -1, a.constantInt(2), false)
		}),
		"topKWithSourceTensor:kTensor:name:": manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.top(a.tensor(0), -1, a.constantInt(1), false, a.name(2))
		}),
	}
	for name, smallest := range map[string]bool{"topK": false, "bottomK": true} {
		m[name+"WithGradientTensor:source:axis:k:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			return g.topGradient(a.tensor(0), a.tensor(1), a.int(2), a.int(3), smallest)
		})
		m[name+"WithGradientTensor:source:axisTensor:kTensor:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			return g.topGradient(a.tensor(0), a.tensor(1), a.constantInt(2), a.constantInt(3), smallest)
		})
		m[name+"WithSourceTensor:axisTensor:kTensor:name:"] = manyMethod(func(g *graph, a *args) ([]*tensor, error) {
			return g.top(a.tensor(0), a.constantInt(1), a.constantInt(2), smallest, a.name(3))
		})
	}
	for label, get := range map[string]func(*args, int) []int{"outputShape": (*args).ints,
		"outputShapeTensor": (*args).constantInts} {
		const prefix = "convolutionTranspose2D"
		rest := label + ":forwardConvolutionDescriptor:name:"
		m[prefix+"DataGradientWithIncomingGradientTensor:weightsTensor:"+rest] = method(
			func(g *graph, a *args) (*tensor, error) {
				// The transpose convolution is the transpose of the convolution, and so is its
				// gradient.
				dx, err := g.convolve(a.tensor(0), a.tensor(1), a.convolutionArg(3, 2, false), a.name(4))
				if want := get(a, 2); err == nil && dx.known() && !slices.Equal(dx.shape, want) {
					err = fmt.Errorf("convolutionTranspose2D: the gradient has the shape %v and not %v", dx.shape, want)
				}
				return dx, err
			})
		m[prefix+"WeightsGradientWithIncomingGradientTensor:sourceTensor:"+rest] = method(
			func(g *graph, a *args) (*tensor, error) {
				return g.convolutionWeights(a.tensor(1), a.tensor(0), nil, get(a, 2), a.convolutionArg(3, 2, false),
					a.name(4))
			})
	}
	return m
}
