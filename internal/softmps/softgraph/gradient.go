package softgraph

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// chain builds expressions of tensors and keeps the first error.
type chain struct {
	g   *graph
	err error
}

// do adds an elementwise operation. After an error it returns its first input.
func (c *chain) do(op string, in ...*tensor) *tensor { return c.with(op, nil, in...) }

// with adds an elementwise operation with parameters.
func (c *chain) with(op string, scalars []float32, in ...*tensor) *tensor {
	if c.err != nil {
		return in[0]
	}
	t, err := c.g.applyWith(op, "", scalars, in...)
	if err != nil {
		c.err = err
		return in[0]
	}
	return t
}

// number returns a constant of the type of a tensor.
func (c *chain) number(v float64, like *tensor) *tensor {
	t, err := c.g.constant(v, spec{like.typ, nil})
	if err != nil && c.err == nil {
		c.err = err
	}
	return t
}

// linear returns a*x + b.
func (c *chain) linear(x *tensor, a, b float32) *tensor { return c.with("linear", []float32{a, b}, x) }

// unaryGradients has, for operations of one argument x with the result y, the gradient with respect
// to x where that of y is d.
func unaryGradients() map[string]func(c *chain, x, y, d *tensor) *tensor {
	type f = func(c *chain, x, y, d *tensor) *tensor
	zeroAt := func(c *chain, x *tensor) *tensor { return c.do("mul", x, c.number(0, x)) }
	inverse := func(c *chain, d, x *tensor) *tensor { return c.do("div", d, x) }
	none := func(c *chain, x, _, _ *tensor) *tensor { return zeroAt(c, x) }
	return map[string]f{
		"neg":    func(c *chain, _, _, d *tensor) *tensor { return c.do("neg", d) },
		"abs":    func(c *chain, x, _, d *tensor) *tensor { return c.do("mul", d, c.do("sign", x)) },
		"square": func(c *chain, x, _, d *tensor) *tensor { return c.do("mul", d, c.linear(x, 2, 0)) },
		"reciprocal": func(c *chain, _, y, d *tensor) *tensor {
			return c.do("neg", c.do("mul", d, c.do("square", y)))
		},
		"sqrt": func(c *chain, _, y, d *tensor) *tensor { return inverse(c, d, c.linear(y, 2, 0)) },
		"rsqrt": func(c *chain, x, y, d *tensor) *tensor {
			return c.linear(c.do("mul", d, inverse(c, y, x)), -0.5, 0)
		},
		"exp":   func(c *chain, _, y, d *tensor) *tensor { return c.do("mul", d, y) },
		"exp2":  func(c *chain, _, y, d *tensor) *tensor { return c.linear(c.do("mul", d, y), 0.6931471805599453, 0) },
		"exp10": func(c *chain, _, y, d *tensor) *tensor { return c.linear(c.do("mul", d, y), 2.302585092994046, 0) },
		"log":   func(c *chain, x, _, d *tensor) *tensor { return inverse(c, d, x) },
		"log2":  func(c *chain, x, _, d *tensor) *tensor { return c.linear(inverse(c, d, x), 1.4426950408889634, 0) },
		"log10": func(c *chain, x, _, d *tensor) *tensor { return c.linear(inverse(c, d, x), 0.4342944819032518, 0) },
		"sin":   func(c *chain, x, _, d *tensor) *tensor { return c.do("mul", d, c.do("cos", x)) },
		"cos":   func(c *chain, x, _, d *tensor) *tensor { return c.do("neg", c.do("mul", d, c.do("sin", x))) },
		"tan":   func(c *chain, _, y, d *tensor) *tensor { return c.do("mul", d, c.linear(c.do("square", y), 1, 1)) },
		"asin": func(c *chain, x, _, d *tensor) *tensor {
			return c.do("mul", d, c.do("rsqrt", c.linear(c.do("square", x), -1, 1)))
		},
		"acos": func(c *chain, x, _, d *tensor) *tensor {
			return c.do("neg", c.do("mul", d, c.do("rsqrt", c.linear(c.do("square", x), -1, 1))))
		},
		"atan": func(c *chain, x, _, d *tensor) *tensor { return inverse(c, d, c.linear(c.do("square", x), 1, 1)) },
		"sinh": func(c *chain, x, _, d *tensor) *tensor { return c.do("mul", d, c.do("cosh", x)) },
		"cosh": func(c *chain, x, _, d *tensor) *tensor { return c.do("mul", d, c.do("sinh", x)) },
		"tanh": func(c *chain, _, y, d *tensor) *tensor { return c.do("mul", d, c.linear(c.do("square", y), -1, 1)) },
		"asinh": func(c *chain, x, _, d *tensor) *tensor {
			return c.do("mul", d, c.do("rsqrt", c.linear(c.do("square", x), 1, 1)))
		},
		"acosh": func(c *chain, x, _, d *tensor) *tensor {
			return c.do("mul", d, c.do("rsqrt", c.linear(c.do("square", x), 1, -1)))
		},
		"atanh": func(c *chain, x, _, d *tensor) *tensor { return inverse(c, d, c.linear(c.do("square", x), -1, 1)) },
		"erf": func(c *chain, x, _, d *tensor) *tensor {
			return c.linear(c.do("mul", d, c.do("exp", c.do("neg", c.do("square", x)))), 1.1283791670955126, 0)
		},
		"sigmoid": func(c *chain, _, y, d *tensor) *tensor {
			return c.do("mul", d, c.do("mul", y, c.linear(y, -1, 1)))
		},
		"relu": func(c *chain, x, _, d *tensor) *tensor {
			return c.do("select", c.do("greater", x, c.number(0, x)), d, c.number(0, d))
		},
		"ceil": none, "floor": none, "round": none, "rint": none, "trunc": none, "sign": none,
	}
}

// binaryGradients has the gradients with respect to both arguments.
func binaryGradients() map[string]func(c *chain, x, y, z, d *tensor) (*tensor, *tensor) {
	type f = func(c *chain, x, y, z, d *tensor) (*tensor, *tensor)
	choose := func(op string) f {
		return func(c *chain, x, y, _, d *tensor) (*tensor, *tensor) {
			first, zero := c.do(op, x, y), c.number(0, d)
			return c.do("select", first, d, zero), c.do("select", first, zero, d)
		}
	}
	return map[string]f{
		"add": func(_ *chain, _, _, _, d *tensor) (*tensor, *tensor) { return d, d },
		"sub": func(c *chain, _, _, _, d *tensor) (*tensor, *tensor) { return d, c.do("neg", d) },
		"mul": func(c *chain, x, y, _, d *tensor) (*tensor, *tensor) { return c.do("mul", d, y), c.do("mul", d, x) },
		"div": func(c *chain, _, y, z, d *tensor) (*tensor, *tensor) {
			dx := c.do("div", d, y)
			return dx, c.do("neg", c.do("mul", dx, z))
		},
		"div_nan": func(c *chain, _, y, z, d *tensor) (*tensor, *tensor) {
			dx := c.do("div_nan", d, y)
			return dx, c.do("neg", c.do("mul", dx, z))
		},
		"pow": func(c *chain, x, y, z, d *tensor) (*tensor, *tensor) {
			dx := c.do("mul", d, c.do("mul", y, c.do("pow", x, c.linear(y, 1, -1))))
			zero := c.number(0, x)
			// The logarithm counts where x is above 0.
			log := c.do("select", c.do("greater", x, zero), c.do("log", x), zero)
			return dx, c.do("mul", d, c.do("mul", z, log))
		},
		"atan2": func(c *chain, x, y, _, d *tensor) (*tensor, *tensor) {
			s := c.do("div", d, c.do("add", c.do("square", x), c.do("square", y)))
			return c.do("mul", s, y), c.do("neg", c.do("mul", s, x))
		},
		"min": choose("less_equal"), "min_number": choose("less_equal"),
		"max": choose("greater_equal"), "max_number": choose("greater_equal"),
	}
}

// gradientOf returns the gradient of an elementwise operation, nil if it has none.
func gradientOf(op string) gradientFunc {
	if unary := unaryGradients()[op]; unary != nil {
		return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
			c := &chain{g: g}
			dx := unary(c, o.inputs[0], o.outputs[0], dy[0])
			return []*tensor{dx}, c.err
		}
	}
	if binary := binaryGradients()[op]; binary != nil {
		return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
			c := &chain{g: g}
			dx, dw := binary(c, o.inputs[0], o.inputs[1], o.outputs[0], dy[0])
			if c.err != nil {
				return nil, c.err
			}
			return g.sumAll(o, dx, dw)
		}
	}
	switch op {
	case "select":
		return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
			c := &chain{g: g}
			zero := c.number(0, dy[0])
			yes, no := c.do("select", o.inputs[0], dy[0], zero), c.do("select", o.inputs[0], zero, dy[0])
			if c.err != nil {
				return nil, c.err
			}
			return g.sumAll(o, nil, yes, no)
		}
	case "clamp":
		return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
			c := &chain{g: g}
			x, zero := o.inputs[0], c.number(0, dy[0])
			inside := c.do("and", c.do("greater_equal", x, o.inputs[1]), c.do("less_equal", x, o.inputs[2]))
			dx := c.do("select", inside, dy[0], zero)
			if c.err != nil {
				return nil, c.err
			}
			return g.sumAll(o, dx, nil, nil)
		}
	case "linear":
		return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.applyWith("linear", "", []float32{o.def.instr.Scalars[0], 0}, dy[0])
			return []*tensor{dx}, err
		}
	case "leaky_relu":
		return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
			c := &chain{g: g}
			x := o.inputs[0]
			dx := c.do("select", c.do("greater", x, c.number(0, x)), dy[0], c.linear(dy[0], o.def.instr.Scalars[0], 0))
			return []*tensor{dx}, c.err
		}
	}
	return nil
}

// sumAll sums each gradient to the shape of its input.
func (g *graph) sumAll(op *operation, list ...*tensor) ([]*tensor, error) {
	for i, d := range list {
		if d == nil {
			continue
		}
		var err error
		if list[i], err = g.sumTo(d, op.inputs[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// reductionGradient returns the gradient of a reduction, nil if it has none.
func reductionGradient(op string) gradientFunc {
	return func(g *graph, o *operation, dy []*tensor) ([]*tensor, error) {
		x, y := o.inputs[0], o.outputs[0]
		wide, err := g.broadcastLike(dy[0], x)
		if err != nil {
			return nil, err
		}
		c := &chain{g: g}
		switch op {
		case "sum":
			return []*tensor{wide}, nil
		case "mean":
			count, err := g.add1("count", "", def{ // of elements, which may be known only at the run
				infer: func(in []spec) ([]spec, error) { return []spec{{in[0].typ, []int{}}}, nil },
				kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
					b.Fill(out[0], float32(in[0].Elements())/float32(max(in[1].Elements(), 1)))
				},
			}, x, y)
			if err != nil {
				return nil, err
			}
			return []*tensor{c.do("div", wide, count)}, c.err
		case "max", "max_number", "min", "min_number":
			dx := c.do("select", c.do("equal", x, y), wide, c.number(0, x))
			return []*tensor{dx}, c.err
		case "product":
			return []*tensor{c.do("mul", wide, c.do("div", y, x))}, c.err
		}
		return nil, fmt.Errorf("%s has no gradient", op)
	}
}

// gradients returns the gradient of the sum of y's elements with respect to each tensor of a list.
func (g *graph) gradients(y *tensor, list []*tensor) ([]*tensor, error) {
	out, err := g.partials(y, list)
	if err != nil {
		return nil, err
	}
	for i, t := range list {
		if out[i] == nil {
			return nil, fmt.Errorf("gradientForPrimaryTensor: the tensor does not depend on tensor %d, a %s", i,
				t.op.kind)
		}
	}
	return out, nil
}

// partials is gradients with nil for tensors that y does not depend on.
func (g *graph) partials(y *tensor, list []*tensor) ([]*tensor, error) {
	order, _ := needed(&request{targets: []*tensor{y}})
	depends := map[*tensor]bool{}
	for _, t := range list {
		depends[t] = true
	}
	for _, op := range order {
		for _, in := range op.inputs {
			if depends[in] {
				for _, out := range op.outputs {
					depends[out] = true
				}
			}
		}
	}
	one, err := g.constant(1, spec{y.typ, nil})
	if err != nil {
		return nil, err
	}
	if one, err = g.broadcastLike(one, y); err != nil {
		return nil, err
	}
	total := map[*tensor]*tensor{y: one}
	for i := len(order) - 1; i >= 0; i-- {
		op := order[i]
		reach := false
		for _, in := range op.inputs {
			reach = reach || depends[in]
		}
		dy := make([]*tensor, len(op.outputs))
		any := false
		for k, out := range op.outputs {
			dy[k] = total[out]
			any = any || dy[k] != nil
		}
		if !reach || !any {
			continue
		}
		if op.def.grad == nil {
			return nil, fmt.Errorf("%s has no gradient on the software device", op.kind)
		}
		dx, err := op.def.grad(g, op, dy)
		if err != nil {
			return nil, err
		}
		for k, d := range dx {
			in := op.inputs[k]
			if d == nil || !depends[in] {
				continue
			}
			if have := total[in]; have != nil {
				if d, err = g.apply("add", "", have, d); err != nil {
					return nil, err
				}
			}
			total[in] = d
		}
	}
	out := make([]*tensor, len(list))
	for i, t := range list {
		out[i] = total[t]
	}
	return out, nil
}

func gradientMethods() adapter.Methods {
	activation := func(op string) func(g *graph, a *args) (*tensor, error) {
		return func(g *graph, a *args) (*tensor, error) {
			c := &chain{g: g}
			x := a.tensor(1)
			dx := unaryGradients()[op](c, x, c.do(op, x), a.tensor(0))
			return dx, c.err
		}
	}
	return adapter.Methods{
		"gradientForPrimaryTensor:withTensors:name:": adapter.Method(func(g *graph, c *objcsoft.Call) {
			var list, out []*tensor
			err := read(c, g, func(a *args) (err error) {
				list = a.tensors(1)
				out, err = g.gradients(a.tensor(0), list)
				return err
			})
			if err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
			keys, values := make([]objcsoft.ID, len(list)), make([]objcsoft.ID, len(list))
			for i := range list {
				keys[i], values[i] = list[i].id, out[i].id
			}
			dict, err := c.RT.NewDictionaryOf(keys, values)
			if err != nil {
				c.Fail(err)
				return
			}
			c.ReturnAutoreleased(dict)
		}),
		"reLUGradientWithIncomingGradient:sourceTensor:name:":    method(activation("relu")),
		"sigmoidGradientWithIncomingGradient:sourceTensor:name:": method(activation("sigmoid")),
		"stochasticGradientDescentWithLearningRateTensor:valuesTensor:gradientTensor:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				c := &chain{g: g}
				step := c.do("mul", a.tensor(0), a.tensor(2))
				return c.do("sub", a.tensor(1), step), c.err
			}),
	}
}
