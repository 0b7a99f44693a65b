package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// reduce reduces along axes, all of them for nil; their dimensions become 1.
func (g *graph) reduce(op string, t *tensor, list []int, name string) (*tensor, error) {
	along := func(s spec) ([]int, error) { return axes(&tensor{spec: s}, list) }
	return g.add1(op, name, def{
		infer: func(in []spec) ([]spec, error) {
			typ, err := tensorop.Reduction(op, in[0].typ)
			if err != nil {
				return nil, err
			}
			list, err := along(in[0])
			if err != nil {
				return nil, err
			}
			shape, err := tensorop.ReduceShape(op, in[0].shape, list)
			return []spec{{typ, shape}}, err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			list, err := along(spec{in[0].Type, in[0].Shape})
			if err != nil {
				b.Fail(err)
				return
			}
			b.Reduce(op, out[0], in[0], list...)
		},
		grad: reductionGradient(op),
	}, t)
}

// broadcastLike repeats a tensor to the shape of another, which may be known only at the run.
func (g *graph) broadcastLike(t, like *tensor) (*tensor, error) {
	return g.add1("broadcast", "", def{
		infer: func(in []spec) ([]spec, error) {
			_, err := tensorop.Dense(in[0].typ, in[0].shape...).Broadcast(in[1].shape...)
			return []spec{{in[0].typ, in[1].shape}}, err
		},
		view: func(in tensorop.Operand, out spec) (tensorop.View, bool) {
			v, err := in.Broadcast(out.shape...)
			return v, err == nil
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.sumTo(dy[0], op.inputs[0])
			return []*tensor{dx, nil}, err
		},
	}, t, like)
}

// sumTo sums a gradient over the dimensions in which a tensor was broadcast.
func (g *graph) sumTo(dy, x *tensor) (*tensor, error) {
	if x.known() && slices.Equal(dy.shape, x.shape) {
		return dy, nil
	}
	return g.add1("sumTo", "", def{
		infer: func(in []spec) ([]spec, error) { return []spec{{in[0].typ, in[1].shape}}, nil },
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			lead := in[0].Rank() - out[0].Rank()
			var list []int
			for d, n := range in[0].Shape {
				if d < lead || n != 1 && out[0].Shape[d-lead] == 1 {
					list = append(list, d)
				}
			}
			shape, err := tensorop.ReduceShape("sum", in[0].Shape, list)
			if err != nil {
				b.Fail(err)
				return
			}
			v, ok := out[0].Reshape(shape...)
			if !ok {
				b.Fail(fmt.Errorf("the sum of shape %v has the shape %v and not %v", in[0].Shape, shape, out[0].Shape))
				return
			}
			b.Reduce("sum", out[0].With(v), in[0], list...)
		},
	}, dy, x)
}

// variance returns the mean of squares of differences to the mean.
func (g *graph) variance(t, mean *tensor, list []int, name string) (*tensor, error) {
	if mean == nil {
		var err error
		if mean, err = g.reduce("mean", t, list, ""); err != nil {
			return nil, err
		}
	}
	d, err := g.apply("sub", "", t, mean)
	if err != nil {
		return nil, err
	}
	if d, err = g.apply("square", "", d); err != nil {
		return nil, err
	}
	return g.reduce("mean", d, list, name)
}

func reduceMethods() adapter.Methods {
	m := adapter.Methods{
		"meanOfTensor:axes:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.reduce("mean", a.tensor(0), a.ints(1), a.name(2))
		}),
		"varianceOfTensor:axes:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.variance(a.tensor(0), nil, a.ints(1), a.name(2))
		}),
		"varianceOfTensor:meanTensor:axes:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.variance(a.tensor(0), a.tensor(1), a.ints(2), a.name(3))
		}),
	}
	for name, op := range map[string]string{"And": "all", "Or": "any", "Maximum": "max_number", "Minimum": "min_number",
		"MaximumPropagateNaN": "max", "MinimumPropagateNaN": "min", "Product": "product", "Sum": "sum"} {
		m["reduction"+name+"WithTensor:axis:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			return g.reduce(op, a.tensor(0), []int{a.int(1)}, a.name(2))
		})
		m["reduction"+name+"WithTensor:axes:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			return g.reduce(op, a.tensor(0), a.ints(1), a.name(2))
		})
	}
	for name, op := range map[string]string{"Maximum": "argmax", "Minimum": "argmin"} {
		m["reductionArg"+name+"WithTensor:axis:name:"] = method(func(g *graph, a *args) (*tensor, error) {
			return g.reduce(op, a.tensor(0), []int{a.int(1)}, a.name(2))
		})
	}
	return m
}
