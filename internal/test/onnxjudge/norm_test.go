package onnxjudge

import (
	"fmt"
	"slices"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
)

// rsqrt is 1/sqrt(x + epsilon).
func (m *mapper) rsqrt(x graph.Tensor, epsilon float64) graph.Tensor {
	return sure(m.g.ReciprocalSquareRootWithTensor(m.add(x, m.scalar(epsilon, x)), ""))
}

// from returns the axes from one on.
func (m *mapper) from(x graph.Tensor, axis int) []int {
	var axes []int
	for d := m.axis(x, axis); d < len(x.Shape()); d++ {
		axes = append(axes, d)
	}
	return axes
}

// wide is a tensor in float32, in which normalizations of half types are computed.
func (m *mapper) wide(x graph.Tensor) graph.Tensor {
	if x.DataType() == mps.DataTypeFloat32 {
		return x
	}
	return m.cast(x, Float)
}

// normalized is a tensor with mean 0 and variance 1 along axes.
func (m *mapper) normalized(x graph.Tensor, axes []int, epsilon float64) graph.Tensor {
	mean := m.g.MeanOfTensor(x, axes, "")
	return m.g.NormalizationWithTensor(x, mean, m.g.VarianceOfTensorMeanTensor(x, mean, axes, ""), graph.Tensor{},
		graph.Tensor{}, float32(epsilon), "")
}

func normOperators() map[string]operator {
	return map[string]operator{
		"BatchNormalization": func(n *node) []graph.Tensor {
			x := n.in[0]
			rank := len(x.Shape())
			var c []graph.Tensor
			for _, t := range n.in[1:5] {
				c = append(c, n.channelled(t, rank))
			}
			mean, variance := c[2], c[3]
			var out []graph.Tensor
			if n.int("training_mode", 0) != 0 {
				axes := append([]int{0}, spaceOf(x)...)
				mean = n.g.MeanOfTensor(x, axes, "")
				variance = n.g.VarianceOfTensor(x, axes, "")
				old := n.float("momentum", 0.9)
				for i, t := range []graph.Tensor{mean, variance} {
					moved := n.add(n.scaled(c[2+i], old), n.scaled(t, 1-old))
					out = append(out, n.reshape(moved, n.in[3].Shape()...))
				}
			}
			y := n.g.NormalizationWithTensor(x, mean, variance, c[0], c[1], float32(n.float("epsilon", 1e-5)), "")
			return append(one(y), out...)
		},
		"InstanceNormalization": func(n *node) []graph.Tensor {
			x := n.in[0]
			rank := len(x.Shape())
			y := n.normalized(x, spaceOf(x), n.float("epsilon", 1e-5))
			return one(n.add(n.mul(y, n.channelled(n.in[1], rank)), n.channelled(n.in[2], rank)))
		},
		"GroupNormalization": func(n *node) []graph.Tensor {
			x := n.wide(n.in[0])
			s := x.Shape()
			y := n.normalized(n.reshape(x, s[0], n.int("num_groups", 1), -1), []int{2}, n.float("epsilon", 1e-5))
			y = n.mul(n.reshape(y, s...), n.channelled(n.wide(n.in[1]), len(s)))
			return one(n.g.CastTensor(n.add(y, n.channelled(n.wide(n.in[2]), len(s))), n.in[0].DataType(), ""))
		},
		"LayerNormalization": func(n *node) []graph.Tensor {
			x := n.wide(n.in[0])
			axes := n.from(x, n.int("axis", -1))
			mean := n.g.MeanOfTensor(x, axes, "")
			inverse := n.rsqrt(n.g.VarianceOfTensorMeanTensor(x, mean, axes, ""), n.float("epsilon", 1e-5))
			y := n.mul(n.mul(n.sub(x, mean), inverse), n.wide(n.in[1]))
			if n.has(2) {
				y = n.add(y, n.wide(n.in[2]))
			}
			return []graph.Tensor{n.g.CastTensor(y, n.in[0].DataType(), ""), mean, inverse}
		},
		"RMSNormalization": func(n *node) []graph.Tensor {
			x := n.wide(n.in[0])
			mean := n.g.MeanOfTensor(n.square(x), n.from(x, n.int("axis", -1)), "")
			y := n.mul(x, n.rsqrt(mean, n.float("epsilon", 1e-5)))
			return one(n.mul(n.g.CastTensor(y, n.in[0].DataType(), ""), n.in[1]))
		},
		"LpNormalization": func(n *node) []graph.Tensor {
			x, axes := n.in[0], []int{n.axis(n.in[0], n.int("axis", -1))}
			norm := n.sqrt(n.sum(n.square(x), axes))
			if n.int("p", 2) == 1 {
				norm = n.sum(n.g.AbsoluteWithTensor(x, ""), axes)
			}
			return one(n.g.DivisionNoNaNWithPrimaryTensor(x, norm, ""))
		},
		"MeanVarianceNormalization": func(n *node) []graph.Tensor {
			axes := n.list("axes")
			if axes == nil {
				axes = []int{0, 2, 3}
			}
			return one(n.normalized(n.in[0], axes, 1e-9))
		},
		"NegativeLogLikelihoodLoss": func(n *node) []graph.Tensor { return one(n.loss(n.in[0])) },
		"SoftmaxCrossEntropyLoss": func(n *node) []graph.Tensor {
			p := n.logSoftmax(n.in[0], 1)
			return []graph.Tensor{n.loss(p), p}
		},
		"QuantizeLinear": func(n *node) []graph.Tensor {
			t := Uint8
			if to := n.int("output_dtype", 0); to != 0 {
				t = Type(to)
			}
			if n.has(2) {
				t = onnxType(n.in[2].DataType())
			}
			if n.int("block_size", 0) != 0 {
				noMethod("QuantizeLinear of blocks")
			}
			axis, scale := n.scaleAxis(), n.vector(n.in[1])
			if !n.has(2) {
				return one(sure(n.g.QuantizeTensorScaleTensor(n.in[0], scale, 0, dataType(t), axis, "")))
			}
			return one(sure(n.g.QuantizeTensorScaleTensorZeroPointTensor(n.in[0], scale, n.vector(n.in[2]), dataType(t),
				axis, "")))
		},
		"DequantizeLinear": func(n *node) []graph.Tensor {
			axis, scale := n.scaleAxis(), n.vector(n.in[1])
			t := scale.DataType()
			switch {
			case n.int("block_size", 0) != 0 && n.has(2):
				return one(sure(n.g.DequantizeTensorScaleTensorZeroPointTensorDataType(n.in[0], scale, n.in[2], t, "")))
			case n.int("block_size", 0) != 0:
				return one(sure(n.g.DequantizeTensorScaleTensorDataType(n.in[0], scale, t, "")))
			case !n.has(2):
				return one(sure(n.g.DequantizeTensorScaleTensor(n.in[0], scale, 0, t, axis, "")))
			}
			return one(sure(n.g.DequantizeTensorScaleTensorZeroPointTensor(n.in[0], scale, n.vector(n.in[2]), t, axis, "")))
		},
		"DynamicQuantizeLinear": func(n *node) []graph.Tensor {
			x := n.in[0]
			flat := n.reshape(x, -1)
			zero := n.scalar(0, x)
			low := n.g.MinimumWithPrimaryTensor(n.g.ReductionMinimumWithTensorAxis(flat, 0, ""), zero, "")
			high := n.g.MaximumWithPrimaryTensor(n.g.ReductionMaximumWithTensorAxis(flat, 0, ""), zero, "")
			scale := n.scaled(n.sub(high, low), 1.0/255)
			point := n.saturated(n.g.NegativeWithTensor(n.div(low, scale), ""), zero, Uint8)
			return []graph.Tensor{n.saturated(n.div(x, scale), n.cast(point, Float), Uint8), n.reshape(scale),
				n.reshape(point)}
		},
		"QLinearMatMul": func(n *node) []graph.Tensor {
			product := n.matmul(n.centered(0, 2), n.centered(3, 5))
			ratio := n.div(n.mul(n.wide(n.in[1]), n.wide(n.in[4])), n.wide(n.in[6]))
			return one(n.saturated(n.mul(product, ratio), n.cast(n.in[7], Float), onnxType(n.in[7].DataType())))
		},
		"LSTM": lstm, "GRU": gru, "RNN": rnn,
	}
}

// scaleAxis is the axis of a scale, which does not matter to a scale of one element.
func (n *node) scaleAxis() int {
	if len(n.in[1].Shape()) == 0 {
		return 0
	}
	return n.axis(n.in[0], n.int("axis", 1))
}

// vector gives scalars a dimension.
func (n *node) vector(x graph.Tensor) graph.Tensor {
	if len(x.Shape()) == 0 {
		return n.reshape(x, 1)
	}
	return x
}

// saturated rounds to the nearest integer, adds a zero point and converts to a type of 8 bits.
func (n *node) saturated(x, zero graph.Tensor, to Type) graph.Tensor {
	low, high := 0.0, 255.0
	if to == Int8 {
		low, high = -128, 127
	}
	y := n.add(n.g.RintWithTensor(x, ""), zero)
	return n.cast(n.g.ClampWithTensor(y, n.scalar(low, y), n.scalar(high, y), ""), to)
}

// loss is the negative log likelihood of targets, weighted and reduced as the node says.
func (n *node) loss(p graph.Tensor) graph.Tensor {
	target := n.in[1]
	shape := slices.Insert(slices.Clone(target.Shape()), 1, 1)
	index := n.reshape(target, shape...)
	weight := n.g.ConstantWithScalarShape(1, shape, p.DataType())
	ignored := graph.Tensor{}
	if a := n.Attributes["ignore_index"]; a != nil {
		ignored = n.g.EqualWithPrimaryTensor(index, n.scalar(float64(a.Int), index), "")
		index = n.where(ignored, n.scalar(0, index), index)
	}
	if n.has(2) {
		weight = n.reshape(n.g.GatherWithUpdatesTensor(n.in[2], n.reshape(index, -1), 0, 0, ""), shape...)
	}
	if !ignored.IsNil() {
		weight = n.where(ignored, n.scalar(0, weight), weight)
	}
	y := n.g.NegativeWithTensor(n.mul(n.g.GatherAlongAxis(1, p, index, ""), weight), "")
	total := func(x graph.Tensor) graph.Tensor {
		return n.reshape(n.g.ReductionSumWithTensorAxis(n.reshape(x, -1), 0, ""))
	}
	switch n.text("reduction", "mean") {
	case "none":
		return n.reshape(y, target.Shape()...)
	case "sum":
		return total(y)
	}
	return n.div(total(y), total(weight))
}

// recurrent is what a network's node has, for MPSGraph: the gates are in MPSGraph's order.
type recurrent struct {
	source, weights, recurrent, bias, second, state graph.Tensor
	batchFirst                                      bool
}

// gates reorders the gates in a dimension.
func (n *node) gates(x graph.Tensor, order []int, axis int) graph.Tensor {
	parts := n.g.SplitTensor(x, uint(len(order)), axis, "")
	out := make([]graph.Tensor, len(order))
	for i, k := range order {
		out[i] = parts[k]
	}
	if len(out) == 1 {
		return x
	}
	return n.g.ConcatTensors(out, axis, "")
}

func (n *node) network(order []int) recurrent {
	if d := n.text("direction", "forward"); d != "forward" {
		panic(fmt.Errorf("a network of direction %s is not mapped", d))
	}
	r := recurrent{source: n.in[0], batchFirst: n.int("layout", 0) != 0}
	if r.batchFirst {
		r.source = n.permute(r.source, 1, 0, 2)
	}
	s := r.source.Shape()
	if n.has(4) {
		for _, k := range n.ints(n.in[4]) {
			if k != s[0] {
				noMethod("sequences of different lengths")
			}
		}
	}
	r.weights = n.gates(n.g.SqueezeTensorAxis(n.in[1], 0, ""), order, 0)
	r.recurrent = n.gates(n.g.SqueezeTensorAxis(n.in[2], 0, ""), order, 0)
	if n.has(3) {
		halves := n.g.SplitTensor(n.reshape(n.in[3], -1), 2, 0, "")
		r.bias, r.second = n.gates(halves[0], order, 0), n.gates(halves[1], order, 0)
	}
	r.state = n.initial(5, r.batchFirst)
	return r
}

// initial is a first state [n h]; zeros without one.
func (n *node) initial(i int, batchFirst bool) graph.Tensor {
	s := n.in[0].Shape()
	batch := s[1]
	if batchFirst {
		batch = s[0]
	}
	h := n.in[2].Shape()[2]
	if n.has(i) {
		return n.reshape(n.in[i], batch, h)
	}
	return n.g.ConstantWithScalarShape(0, []int{batch, h}, n.in[0].DataType())
}

// states returns a network's outputs: all states with a dimension for directions, and the last one.
func (n *node) states(all graph.Tensor, batchFirst bool) (y, last graph.Tensor) {
	s := all.Shape()
	last = n.g.SliceTensor(all, 0, s[0]-1, 1, "")
	if batchFirst {
		return n.reshape(n.permute(all, 1, 0, 2), s[1], s[0], 1, s[2]), n.reshape(last, s[1], 1, s[2])
	}
	return n.reshape(all, s[0], 1, s[1], s[2]), last
}

// joined is the sum of both biases; nil without any.
func (n *node) joined(r recurrent) graph.Tensor {
	if r.bias.IsNil() {
		return r.bias
	}
	return n.add(r.bias, r.second)
}

func lstm(n *node) []graph.Tensor {
	r := n.network([]int{0, 2, 3, 1}) // of i, o, f, c
	d := sure(graph.MakeLSTMDescriptor())
	d.SetProduceCell(true)
	peephole := graph.Tensor{}
	if n.has(7) { // of i, o, f
		p := n.g.SplitTensor(n.reshape(n.in[7], -1), 3, 0, "")
		peephole = n.g.ConcatTensors([]graph.Tensor{p[0], p[2], n.scaled(p[0], 0), p[1]}, 0, "")
	}
	out := n.g.LSTMWithSourceTensorInputWeightBias(r.source, r.recurrent, r.weights, n.joined(r), r.state,
		n.initial(6, r.batchFirst), graph.Tensor{}, peephole, d, "")
	y, last := n.states(out[0], r.batchFirst)
	_, cell := n.states(out[1], r.batchFirst)
	return []graph.Tensor{y, last, cell}
}

func gru(n *node) []graph.Tensor {
	r := n.network([]int{0, 1, 2}) // z, r, h
	d := sure(graph.MakeGRUDescriptor())
	after := n.int("linear_before_reset", 0) != 0
	bias, second := n.joined(r), graph.Tensor{}
	if after {
		d.SetResetAfter(true)
		bias, second = r.bias, r.second
	}
	out := n.g.GRUWithSourceTensorInitStateMask(r.source, r.recurrent, r.weights, bias, r.state, graph.Tensor{}, second, d,
		"")
	y, last := n.states(out[0], r.batchFirst)
	return []graph.Tensor{y, last}
}

func rnn(n *node) []graph.Tensor {
	r := n.network([]int{0})
	d := sure(graph.MakeSingleGateRNNDescriptor())
	d.SetActivation(graph.RNNActivationTanh)
	out := n.g.SingleGateRNNWithSourceTensorInputWeight(r.source, r.recurrent, r.weights, n.joined(r), r.state, d, "")
	y, last := n.states(out[0], r.batchFirst)
	return []graph.Tensor{y, last}
}
