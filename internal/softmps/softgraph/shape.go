package softgraph

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// broadcast repeats a tensor to a shape, without a copy.
func (g *graph) broadcast(t *tensor, shape []int, name string) (*tensor, error) {
	return g.add1("broadcast", name, def{
		infer: func(in []spec) ([]spec, error) {
			_, err := tensorop.Dense(in[0].typ, in[0].shape...).Broadcast(shape...)
			return []spec{{in[0].typ, shape}}, err
		},
		view: func(in tensorop.Operand, out spec) (tensorop.View, bool) {
			v, err := in.Broadcast(out.shape...)
			return v, err == nil
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.sumTo(dy[0], op.inputs[0])
			return []*tensor{dx}, err
		},
	}, t)
}

// reshape gives a tensor another shape; a dimension of -1 follows from the others.
func (g *graph) reshape(t *tensor, shape []int, name string) (*tensor, error) {
	return g.add1("reshape", name, def{
		infer: func(in []spec) ([]spec, error) {
			out, err := resolve(in[0].shape, shape)
			return []spec{{in[0].typ, out}}, err
		},
		view: func(in tensorop.Operand, out spec) (tensorop.View, bool) { return in.Reshape(out.shape...) },
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.reshapeLike(dy[0], op.inputs[0])
			return []*tensor{dx}, err
		},
	}, t)
}

// reshapeLike gives a tensor the shape of another, which may be known only at the run.
func (g *graph) reshapeLike(t, like *tensor) (*tensor, error) {
	return g.add1("reshape", "", def{
		infer: func(in []spec) ([]spec, error) {
			if tensorop.Elements(in[0].shape) != tensorop.Elements(in[1].shape) && in[0].known() && in[1].known() &&
				t.known() && like.known() {
				return nil, fmt.Errorf("%v to the shape of %v", in[0], in[1])
			}
			return []spec{{in[0].typ, in[1].shape}}, nil
		},
		view: func(in tensorop.Operand, out spec) (tensorop.View, bool) { return in.Reshape(out.shape...) },
	}, t, like)
}

// resolve replaces a dimension of -1.
func resolve(from, to []int) ([]int, error) {
	out := slices.Clone(to)
	at, n := -1, 1
	for i, d := range to {
		switch {
		case d >= 0:
			n *= d
		case at >= 0 || d < -1:
			return nil, fmt.Errorf("shape %v: one dimension may be -1 and none less", to)
		default:
			at = i
		}
	}
	have := tensorop.Elements(from)
	if at >= 0 && n > 0 {
		out[at] = have / n
		n *= out[at]
	}
	if n != have {
		return nil, fmt.Errorf("shape %v has %d elements and %v %d", from, have, to, n)
	}
	return out, nil
}

// transpose changes the order of dimensions: dimension i of the result is dimension order[i].
func (g *graph) transpose(t *tensor, order []int, name string) (*tensor, error) {
	return g.add1("transpose", name, def{
		infer: func(in []spec) ([]spec, error) {
			if len(order) != len(in[0].shape) {
				return nil, fmt.Errorf("the permutation %v for the shape %v", order, in[0].shape)
			}
			shape := make([]int, len(order))
			seen := make([]bool, len(order))
			for i, from := range order {
				if from < 0 || from >= len(order) || seen[from] {
					return nil, fmt.Errorf("%v is not a permutation of %d dimensions", order, len(order))
				}
				seen[from] = true
				shape[i] = in[0].shape[from]
			}
			return []spec{{in[0].typ, shape}}, nil
		},
		view: func(in tensorop.Operand, _ spec) (tensorop.View, bool) { return in.Transpose(order...), true },
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			back := make([]int, len(order))
			for i, from := range order {
				back[from] = i
			}
			dx, err := g.transpose(dy[0], back, "")
			return []*tensor{dx}, err
		},
	}, t)
}

// shapeMethods are those that change the shape and nothing else.
func shapeMethods() adapter.Methods {
	return adapter.Methods{
		"broadcastTensor:toShape:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.broadcast(a.tensor(0), a.ints(1), a.name(2))
		}),
		"broadcastTensor:toShapeTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.broadcast(a.tensor(0), a.constantInts(1), a.name(2))
		}),
		"reshapeTensor:withShape:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.reshape(a.tensor(0), a.ints(1), a.name(2))
		}),
		"reshapeTensor:withShapeTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.reshape(a.tensor(0), a.constantInts(1), a.name(2))
		}),
		"transposeTensor:permutation:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.transpose(a.tensor(0), a.ints(1), a.name(2))
		}),
		"transposeTensor:dimension:withDimension:name:": method(func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			i, err := axis(t, a.int(1))
			if err != nil {
				return nil, err
			}
			j, err := axis(t, a.int(2))
			if err != nil {
				return nil, err
			}
			order := make([]int, max(len(t.shape), i+1, j+1))
			for k := range order {
				order[k] = k
			}
			order[i], order[j] = j, i
			return g.transpose(t, order, a.name(3))
		}),
		"shapeOfTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			t := a.tensor(0)
			return g.add1("shapeOf", a.name(1), def{
				infer: func(in []spec) ([]spec, error) {
					return []spec{{tensorop.Int32, []int{len(in[0].shape)}}}, nil
				},
				kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
					for i, n := range in[0].Shape {
						one, err := out[0].Slice(0, i, i+1, 1)
						if err != nil {
							b.Fail(err)
							return
						}
						b.Fill(out[0].With(one), float32(n))
					}
				},
			}, t)
		}),
	}
}
