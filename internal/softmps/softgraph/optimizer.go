package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// adam returns the values, momentum and velocity after a step, and the maximum velocity if there is
// one. rate is that of the step.
func (c *chain) adam(rate, beta1, beta2, epsilon, values, momentum, velocity, maximum, gradient *tensor) []*tensor {
	blend := func(old, beta, new *tensor) *tensor {
		return c.do("add", c.do("mul", old, beta), c.do("mul", new, c.linear(beta, -1, 1)))
	}
	momentum = blend(momentum, beta1, gradient)
	velocity = blend(velocity, beta2, c.do("square", gradient))
	out := []*tensor{nil, momentum, velocity}
	scale := velocity
	if maximum != nil {
		scale = c.do("max", maximum, velocity)
		out = append(out, scale)
	}
	step := c.do("div", c.do("mul", rate, momentum), c.do("add", c.do("sqrt", scale), epsilon))
	out[0] = c.do("sub", values, step)
	return out
}

func optimizerMethods() adapter.Methods {
	return adapter.Methods{
		"adamWithCurrentLearningRateTensor:beta1Tensor:beta2Tensor:epsilonTensor:valuesTensor:momentumTensor:" +
			"velocityTensor:maximumVelocityTensor:gradientTensor:name:": manyMethod(func(g *graph,
			a *args) ([]*tensor, error) {
			c := &chain{g: g}
			return c.adam(a.tensor(0), a.tensor(1), a.tensor(2), a.tensor(3), a.tensor(4), a.tensor(5), a.tensor(6),
				a.optional(7), a.tensor(8)), c.err
		}),
		"adamWithLearningRateTensor:beta1Tensor:beta2Tensor:epsilonTensor:beta1PowerTensor:beta2PowerTensor:" +
			"valuesTensor:momentumTensor:velocityTensor:maximumVelocityTensor:gradientTensor:name:": manyMethod(
			func(g *graph, a *args) ([]*tensor, error) {
				c := &chain{g: g}
				// The rate corrects for averages that begin at zero.
				rate := c.do("mul", a.tensor(0), c.do("sqrt", c.linear(a.tensor(5), -1, 1)))
				rate = c.do("div", rate, c.linear(a.tensor(4), -1, 1))
				return c.adam(rate, a.tensor(1), a.tensor(2), a.tensor(3), a.tensor(6), a.tensor(7), a.tensor(8),
					a.optional(9), a.tensor(10)), c.err
			}),
		"applyStochasticGradientDescentWithLearningRateTensor:variable:gradientTensor:name:": operationMethod(
			func(g *graph, a *args) (*operation, error) {
				v, ok := adapter.PayloadOf[*operation](a.c.RT, a.c.ID(1))
				if !ok || v.def.leaf.variable == nil {
					a.fail("argument 1 is not a variable")
				}
				e := &chain{g: g}
				value := e.do("sub", v.outputs[0], e.do("mul", a.tensor(0), a.tensor(2)))
				if e.err != nil {
					return nil, e.err
				}
				return g.assign(v.outputs[0], value, a.name(3))
			}),
		"stencilWithSourceTensor:weightsTensor:descriptor:name:": method(func(g *graph, a *args) (*tensor, error) {
			s := a.stencilArg(2)
			return g.stencil(a.tensor(0), a.tensor(1), s, a.name(3))
		}),
	}
}

// stencilRank is how many dimensions, the last ones, a stencil moves over.
const stencilRank = 4

// stencil is what a descriptor says of one.
type stencil struct {
	reduce             string
	strides, dilations []int
	padding            []int // before and after for each dimension
	style, mode        uint64
	constant           float64
}

func (a *args) stencilArg(i int) stencil {
	r := a.record(i)
	list := func(name string, n, fallback int) []int {
		v, err := softmps.Integers(a.c.RT, r.ID(name))
		if err == nil && v != nil && len(v) != n {
			err = fmt.Errorf("%d values; there must be %d", len(v), n)
		}
		if err != nil {
			a.fail("the descriptor's %s: %w", name, err)
		}
		if v == nil {
			v = slices.Repeat([]int{fallback}, n)
		}
		return v
	}
	s := stencil{strides: list("strides", stencilRank, 1), dilations: list("dilationRates", stencilRank, 1),
		padding: list("explicitPadding", 2*stencilRank, 0), style: r.Uint("paddingStyle"), mode: r.Uint("boundaryMode"),
		constant: float64(a.recordFloat(r, "paddingConstant"))}
	for _, n := range list("offsets", stencilRank, 0) {
		if n != 0 {
			a.fail("a stencil with offsets is not implemented on the software device")
		}
	}
	modes := map[uint64]string{graphdata.ReductionModeMin: "min", graphdata.ReductionModeMax: "max",
		graphdata.ReductionModeSum: "add", graphdata.ReductionModeProduct: "mul"}
	if s.reduce = modes[r.Uint("reductionMode")]; s.reduce == "" {
		a.fail("a stencil with reduction mode %d is not implemented on the software device", r.Uint("reductionMode"))
	}
	return s
}

// stencil reduces the products of weights and the elements under them at each place. Each weight
// has an instruction of one kernel, so it is for small windows.
func (g *graph) stencil(x, weights *tensor, s stencil, name string) (*tensor, error) {
	if !x.known() || !weights.known() || len(weights.shape) != stencilRank || len(x.shape) < stencilRank {
		return nil,
			fmt.Errorf("stencil: a source %v and weights %v; the weights must have %d dimensions, the source as many",
				x.spec, weights.spec, stencilRank)
	}
	lead := len(x.shape) - stencilRank
	w := tensorop.Window{Size: weights.shape, Strides: s.strides, Dilations: s.dilations,
		Before: make([]int, stencilRank), After: make([]int, stencilRank)}
	if explicit(s.style) {
		for d := range stencilRank {
			w.Before[d], w.After[d] = s.padding[2*d], s.padding[2*d+1]
		}
	}
	w, err := padded(w, s.style, x.shape[lead:])
	if err != nil {
		return nil, err
	}
	before, after := append(make([]int, lead), w.Before...), append(make([]int, lead), w.After...)
	wide, err := g.padded(x, s.mode, before, after, s.constant, "")
	if err != nil {
		return nil, err
	}
	c := &chain{g: g}
	var sum *tensor
	at := make([]int, stencilRank)
	for k := range tensorop.Elements(weights.shape) {
		cuts, one := whole(wide.shape), whole(weights.shape)
		for d := stencilRank - 1; d >= 0; d-- {
			at[d] = k % weights.shape[d]
			k /= weights.shape[d]
			one[d] = cut{at[d], at[d] + 1, 1}
			reach := (weights.shape[d] - 1) * s.dilations[d]
			from := at[d] * s.dilations[d]
			cuts[lead+d] = cut{from, from + wide.shape[lead+d] - reach, s.strides[d]}
			if wide.shape[lead+d] <= reach {
				return nil, fmt.Errorf("stencil: weights %v do not fit the shape %v", weights.shape, wide.shape)
			}
		}
		tap, err := g.slice(wide, cuts, nil, "")
		if err != nil {
			return nil, err
		}
		factor, err := g.slice(weights, one, nil, "")
		if err != nil {
			return nil, err
		}
		product := c.do("mul", tap, factor)
		if sum == nil {
			sum = product
		} else {
			sum = c.do(s.reduce, sum, product)
		}
	}
	if c.err != nil || sum == nil {
		return nil, c.err
	}
	return g.cast(sum, sum.typ, name)
}
