package onnxjudge

import (
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
)

// axis returns an axis counted from the front.
func (m *mapper) axis(x graph.Tensor, axis int) int {
	if axis < 0 {
		return axis + len(x.Shape())
	}
	return axis
}

// reducing maps a reduction: f reduces along axes and keeps their dimensions.
func reducing(f func(n *node, x graph.Tensor, axes []int) graph.Tensor) operator {
	return func(n *node) []graph.Tensor {
		x := n.in[0]
		axes := n.argument("axes", 1)
		if len(axes) == 0 && n.int("noop_with_empty_axes", 0) == 0 {
			axes = nil
			for d := range x.Shape() {
				axes = append(axes, d)
			}
		}
		for i, a := range axes {
			axes[i] = n.axis(x, a)
		}
		return one(n.unkept(f(n, x, axes), axes))
	}
}

// unkept removes reduced dimensions unless the node keeps them.
func (n *node) unkept(y graph.Tensor, axes []int) graph.Tensor {
	if n.int("keepdims", 1) != 0 || len(axes) == 0 {
		return y
	}
	return n.g.SqueezeTensorAxes(y, axes, "")
}

func (n *node) sum(x graph.Tensor, axes []int) graph.Tensor {
	if len(axes) == 0 {
		return n.g.IdentityWithTensor(x, "")
	}
	return n.g.ReductionSumWithTensor(x, axes, "")
}

func reductions() map[string]operator {
	m := map[string]operator{
		"ReduceSum": reducing((*node).sum),
		"ReduceL1": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
			return n.sum(n.g.AbsoluteWithTensor(x, ""), axes)
		}),
		"ReduceL2": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
			return n.sqrt(n.sum(n.square(x), axes))
		}),
		"ReduceLogSum": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor { return n.log(n.sum(x, axes)) }),
		"ReduceLogSumExp": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
			return n.log(n.sum(n.exp(x), axes))
		}),
		"ReduceSumSquare": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
			return n.sum(n.square(x), axes)
		}),
		"ReduceMean": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
			if len(axes) == 0 {
				return n.g.IdentityWithTensor(x, "")
			}
			return n.g.MeanOfTensor(x, axes, "")
		}),
		"ReduceMax": extreme(graph.Graph.ReductionMaximumPropagateNaNWithTensor, graph.Graph.ReductionOrWithTensor),
		"ReduceMin": extreme(graph.Graph.ReductionMinimumPropagateNaNWithTensor, graph.Graph.ReductionAndWithTensor),
		"ReduceProd": reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
			if len(axes) == 0 {
				return n.g.IdentityWithTensor(x, "")
			}
			return n.g.ReductionProductWithTensor(x, axes, "")
		}),
		"ArgMax": arg(graph.Graph.ReductionArgMaximumWithTensor),
		"ArgMin": arg(graph.Graph.ReductionArgMinimumWithTensor),
		"CumSum": func(n *node) []graph.Tensor {
			return one(n.g.CumulativeSumWithTensorExclusive(n.in[0], n.ints(n.in[1])[0], n.int("exclusive", 0) != 0,
				n.int("reverse", 0) != 0, ""))
		},
		"CumProd": func(n *node) []graph.Tensor {
			return one(n.g.CumulativeProductWithTensorExclusive(n.in[0], n.ints(n.in[1])[0], n.int("exclusive", 0) != 0,
				n.int("reverse", 0) != 0, ""))
		},
		"TopK": func(n *node) []graph.Tensor {
			x, k := n.in[0], uint(n.ints(n.in[1])[0])
			axis := n.axis(x, n.int("axis", -1))
			f := n.g.TopKWithSourceTensorAxis
			if n.int("largest", 1) == 0 {
				f = n.g.BottomKWithSourceTensor
			}
			out := sure(f(x, axis, k, ""))
			if len(out) == 2 {
				out[1] = n.cast(out[1], Int64)
			}
			return out
		},
	}
	return m
}

// extreme maps ReduceMax or ReduceMin, which of booleans is a logical reduction.
func extreme(f, logical func(g graph.Graph, x graph.Tensor, axes []int, name string) graph.Tensor) operator {
	return reducing(func(n *node, x graph.Tensor, axes []int) graph.Tensor {
		switch {
		case len(axes) == 0:
			return n.g.IdentityWithTensor(x, "")
		case x.DataType() == mps.DataTypeBool:
			return logical(n.g, x, axes, "")
		}
		return f(n.g, x, axes, "")
	})
}

// arg maps ArgMax or ArgMin. The last of equal elements is the first in reverse.
func arg(f func(g graph.Graph, x graph.Tensor, axis int, name string) graph.Tensor) operator {
	return func(n *node) []graph.Tensor {
		x := n.in[0]
		axis := n.axis(x, n.int("axis", 0))
		last := n.int("select_last_index", 0) != 0
		if last {
			x = n.g.ReverseTensorAxes(x, []int{axis}, "")
		}
		y := n.cast(f(n.g, x, axis, ""), Int64)
		if last {
			y = n.sub(n.scalar(float64(x.Shape()[axis]-1), y), y)
		}
		return one(n.unkept(y, []int{axis}))
	}
}
