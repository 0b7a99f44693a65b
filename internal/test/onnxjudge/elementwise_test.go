package onnxjudge

import (
	"maps"
	"math"
	"slices"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/graph"
)

// operators returns all operators that are mapped.
func operators() map[string]operator {
	m := map[string]operator{}
	for _, part := range []map[string]operator{unaryOperators(), activations(), binaryOperators(), reductions(),
		shapeOperators(), linearOperators(), spatialOperators(), normOperators()} {
		maps.Copy(m, part)
	}
	return m
}

// unary maps an operator to a method of one tensor.
func unary(f func(graph.Graph, graph.Tensor, string) graph.Tensor) operator {
	return func(n *node) []graph.Tensor { return one(f(n.g, n.in[0], "")) }
}

func unaryOperators() map[string]operator {
	m := map[string]operator{
		"IsInf": func(n *node) []graph.Tensor {
			x := n.in[0]
			out := n.g.IsInfiniteWithTensor(x, "")
			zero := n.scalar(0, x)
			if n.int("detect_negative", 1) == 0 {
				out = n.g.LogicalANDWithPrimaryTensor(out, n.g.GreaterThanWithPrimaryTensor(x, zero, ""), "")
			}
			if n.int("detect_positive", 1) == 0 {
				out = n.g.LogicalANDWithPrimaryTensor(out, n.g.LessThanWithPrimaryTensor(x, zero, ""), "")
			}
			return one(out)
		},
		"Clip": func(n *node) []graph.Tensor {
			x := n.in[0]
			if n.has(1) {
				x = n.g.MaximumWithPrimaryTensor(x, n.in[1], "")
			}
			if n.has(2) {
				x = n.g.MinimumWithPrimaryTensor(x, n.in[2], "")
			}
			if n.has(1) && n.has(2) && n.floats(n.in[1])[0] <= n.floats(n.in[2])[0] {
				x = n.g.ClampWithTensor(n.in[0], n.in[1], n.in[2], "")
			}
			return one(n.g.IdentityWithTensor(x, ""))
		},
		"Cast":     func(n *node) []graph.Tensor { return one(n.cast(n.in[0], Type(n.int("to", 0)))) },
		"CastLike": func(n *node) []graph.Tensor { return one(n.g.CastTensor(n.in[0], n.in[1].DataType(), "")) },
		"BitCast": func(n *node) []graph.Tensor {
			return one(sure(n.g.ReinterpretCastTensor(n.in[0], dataType(Type(n.int("to", 0))), "")))
		},
		"Dropout": func(n *node) []graph.Tensor {
			x := n.in[0]
			if n.has(2) && n.ints(n.in[2])[0] != 0 && (!n.has(1) || n.floats(n.in[1])[0] != 0) {
				noMethod("the random mask of Dropout")
			}
			ones := n.g.ConstantWithScalarShape(1, x.Shape(), mps.DataTypeBool)
			return []graph.Tensor{n.g.IdentityWithTensor(x, ""), ones}
		},
	}
	for name, f := range map[string]func(graph.Graph, graph.Tensor, string) graph.Tensor{
		"Abs": graph.Graph.AbsoluteWithTensor, "Acos": graph.Graph.AcosWithTensor, "Acosh": graph.Graph.AcoshWithTensor,
		"Asin": graph.Graph.AsinWithTensor, "Asinh": graph.Graph.AsinhWithTensor, "Atan": graph.Graph.AtanWithTensor,
		"Atanh": graph.Graph.AtanhWithTensor, "BitwiseNot": graph.Graph.BitwiseNOTWithTensor,
		"Ceil": graph.Graph.CeilWithTensor, "Cos": graph.Graph.CosWithTensor, "Cosh": graph.Graph.CoshWithTensor,
		"Erf": graph.Graph.ErfWithTensor, "Exp": graph.Graph.ExponentWithTensor, "Floor": graph.Graph.FloorWithTensor,
		"Identity": graph.Graph.IdentityWithTensor, "IsNaN": graph.Graph.IsNaNWithTensor,
		"Log": graph.Graph.LogarithmWithTensor, "Neg": graph.Graph.NegativeWithTensor, "Not": graph.Graph.NotWithTensor,
		"Reciprocal": graph.Graph.ReciprocalWithTensor, "Relu": graph.Graph.ReLUWithTensor,
		"Round": graph.Graph.RintWithTensor, "Sigmoid": graph.Graph.SigmoidWithTensor,
		"Sign": graph.Graph.SignWithTensor, "Sin": graph.Graph.SinWithTensor, "Sinh": graph.Graph.SinhWithTensor,
		"Sqrt": graph.Graph.SquareRootWithTensor, "Tan": graph.Graph.TanWithTensor, "Tanh": graph.Graph.TanhWithTensor,
	} {
		m[name] = unary(f)
	}
	return m
}

// cast converts to a type that the graph can have; double is not one.
func (m *mapper) cast(x graph.Tensor, to Type) graph.Tensor {
	return m.g.CastTensor(x, dataType(to), "")
}

func (m *mapper) add(a, b graph.Tensor) graph.Tensor { return m.g.AdditionWithPrimaryTensor(a, b, "") }
func (m *mapper) sub(a, b graph.Tensor) graph.Tensor {
	return m.g.SubtractionWithPrimaryTensor(a, b, "")
}
func (m *mapper) mul(a, b graph.Tensor) graph.Tensor {
	return m.g.MultiplicationWithPrimaryTensor(a, b, "")
}
func (m *mapper) div(a, b graph.Tensor) graph.Tensor { return m.g.DivisionWithPrimaryTensor(a, b, "") }
func (m *mapper) exp(a graph.Tensor) graph.Tensor    { return m.g.ExponentWithTensor(a, "") }
func (m *mapper) log(a graph.Tensor) graph.Tensor    { return m.g.LogarithmWithTensor(a, "") }
func (m *mapper) sqrt(a graph.Tensor) graph.Tensor   { return m.g.SquareRootWithTensor(a, "") }
func (m *mapper) square(a graph.Tensor) graph.Tensor { return m.g.SquareWithTensor(a, "") }

// scaled is a tensor times a number.
func (m *mapper) scaled(x graph.Tensor, by float64) graph.Tensor { return m.mul(x, m.scalar(by, x)) }

// where selects by a condition.
func (m *mapper) where(p, yes, no graph.Tensor) graph.Tensor {
	return m.g.SelectWithPredicateTensor(p, yes, no, "")
}

// above tells which elements are above a limit.
func (m *mapper) above(x graph.Tensor, limit float64) graph.Tensor {
	return m.g.GreaterThanWithPrimaryTensor(x, m.scalar(limit, x), "")
}

// softplus is log(1 + exp(x)) without overflow.
func (m *mapper) softplus(x graph.Tensor) graph.Tensor {
	small := m.exp(m.g.NegativeWithTensor(m.g.AbsoluteWithTensor(x, ""), ""))
	return m.add(m.g.ReLUWithTensor(x, ""), m.log(m.add(small, m.scalar(1, x))))
}

// hardSigmoid is max(0, min(1, alpha*x + beta)).
func (m *mapper) hardSigmoid(x graph.Tensor, alpha, beta float64) graph.Tensor {
	return m.g.ClampWithTensor(m.add(m.scaled(x, alpha), m.scalar(beta, x)), m.scalar(0, x), m.scalar(1, x), "")
}

// elu is x above 0 and alpha*(exp(x/scale)-1) below.
func (m *mapper) elu(x graph.Tensor, alpha, scale float64) graph.Tensor {
	below := m.scaled(m.sub(m.exp(m.scaled(x, 1/scale)), m.scalar(1, x)), alpha)
	return m.where(m.above(x, 0), x, below)
}

func activations() map[string]operator {
	x := func(f func(n *node, x graph.Tensor) graph.Tensor) operator {
		return func(n *node) []graph.Tensor { return one(f(n, n.in[0])) }
	}
	return map[string]operator{
		"Elu": x(func(n *node, x graph.Tensor) graph.Tensor { return n.elu(x, n.float("alpha", 1), 1) }),
		"Celu": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.elu(x, n.float("alpha", 1), n.float("alpha", 1))
		}),
		"Selu": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.scaled(n.elu(x, n.float("alpha", 1.67326319217681884765625), 1),
				n.float("gamma", 1.05070102214813232421875))
		}),
		"Gelu": x(func(n *node, x graph.Tensor) graph.Tensor {
			t := n.g.ErfWithTensor(n.scaled(x, math.Sqrt2/2), "")
			if n.text("approximate", "none") == "tanh" {
				cube := n.mul(n.square(x), x)
				t = n.g.TanhWithTensor(n.scaled(n.add(x, n.scaled(cube, 0.044715)), math.Sqrt(2/math.Pi)), "")
			}
			return n.scaled(n.mul(x, n.add(t, n.scalar(1, x))), 0.5)
		}),
		"HardSigmoid": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.hardSigmoid(x, n.float("alpha", 0.2), n.float("beta", 0.5))
		}),
		"HardSwish": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.mul(x, n.hardSigmoid(x, 1.0/6, 0.5))
		}),
		"Softplus": x(func(n *node, x graph.Tensor) graph.Tensor { return n.softplus(x) }),
		"Softsign": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.div(x, n.add(n.g.AbsoluteWithTensor(x, ""), n.scalar(1, x)))
		}),
		"Mish": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.mul(x, n.g.TanhWithTensor(n.softplus(x), ""))
		}),
		"Swish": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.mul(x, n.g.SigmoidWithTensor(n.scaled(x, n.float("alpha", 1)), ""))
		}),
		"ThresholdedRelu": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.where(n.above(x, n.float("alpha", 1)), x, n.scalar(0, x))
		}),
		"LeakyRelu": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.g.LeakyReLUWithTensor(x, n.float("alpha", 0.01), "")
		}),
		"Shrink": x(func(n *node, x graph.Tensor) graph.Tensor {
			limit, bias := n.float("lambd", 0.5), n.scalar(n.float("bias", 0), x)
			low := n.g.LessThanWithPrimaryTensor(x, n.scalar(-limit, x), "")
			return n.where(low, n.add(x, bias), n.where(n.above(x, limit), n.sub(x, bias), n.scalar(0, x)))
		}),
		"PRelu": func(n *node) []graph.Tensor {
			return one(n.g.LeakyReLUWithTensorAlphaTensor(n.in[0], n.in[1], ""))
		},
		"Softmax": x(func(n *node, x graph.Tensor) graph.Tensor { return n.g.SoftMaxWithTensor(x, n.int("axis", -1), "") }),
		"LogSoftmax": x(func(n *node, x graph.Tensor) graph.Tensor {
			return n.logSoftmax(x, n.int("axis", -1))
		}),
		"Hardmax": x(func(n *node, x graph.Tensor) graph.Tensor {
			axis := n.axis(x, n.int("axis", -1))
			top := n.g.ReductionArgMaximumWithTensor(x, axis, "")
			places := n.g.CoordinateAlongAxis(axis, x.Shape(), "")
			return n.g.CastTensor(n.g.EqualWithPrimaryTensor(places, top, ""), x.DataType(), "")
		}),
	}
}

func (m *mapper) logSoftmax(x graph.Tensor, axis int) graph.Tensor {
	d := m.sub(x, m.g.ReductionMaximumWithTensorAxis(x, axis, ""))
	return m.sub(d, m.log(m.g.ReductionSumWithTensorAxis(m.exp(d), axis, "")))
}

func binaryOperators() map[string]operator {
	m := map[string]operator{
		"Pow": func(n *node) []graph.Tensor {
			x, y := n.in[0], n.in[1]
			t := x.DataType()
			if t == y.DataType() {
				return one(n.g.PowerWithPrimaryTensor(x, y, ""))
			}
			if isFloat(t) {
				return one(n.g.PowerWithPrimaryTensor(x, n.g.CastTensor(y, t, ""), ""))
			}
			if isFloat(y.DataType()) {
				return one(n.g.CastTensor(n.g.PowerWithPrimaryTensor(n.g.CastTensor(x, y.DataType(), ""), y, ""), t, ""))
			}
			return one(n.g.PowerWithPrimaryTensor(x, n.g.CastTensor(y, t, ""), ""))
		},
		"Mod": func(n *node) []graph.Tensor {
			if n.int("fmod", 0) != 0 {
				return one(n.g.ModuloWithPrimaryTensor(n.in[0], n.in[1], ""))
			}
			return one(n.g.FloorModuloWithPrimaryTensor(n.in[0], n.in[1], ""))
		},
		"BitShift": func(n *node) []graph.Tensor {
			if n.text("direction", "") == "LEFT" {
				return one(n.g.BitwiseLeftShiftWithPrimaryTensor(n.in[0], n.in[1], ""))
			}
			return one(n.g.BitwiseRightShiftWithPrimaryTensor(n.in[0], n.in[1], ""))
		},
		"Mean": func(n *node) []graph.Tensor {
			sum := n.in[0]
			for _, t := range n.in[1:] {
				sum = n.add(sum, t)
			}
			return one(n.div(sum, n.scalar(float64(len(n.in)), sum)))
		},
		"Where": func(n *node) []graph.Tensor { return one(n.where(n.in[0], n.in[1], n.in[2])) },
	}
	for name, f := range map[string]func(g graph.Graph, a, b graph.Tensor, name string) graph.Tensor{
		"Add": graph.Graph.AdditionWithPrimaryTensor, "And": graph.Graph.LogicalANDWithPrimaryTensor,
		"BitwiseAnd": graph.Graph.BitwiseANDWithPrimaryTensor, "BitwiseOr": graph.Graph.BitwiseORWithPrimaryTensor,
		"BitwiseXor": graph.Graph.BitwiseXORWithPrimaryTensor, "Div": graph.Graph.DivisionWithPrimaryTensor,
		"Equal": graph.Graph.EqualWithPrimaryTensor, "Greater": graph.Graph.GreaterThanWithPrimaryTensor,
		"GreaterOrEqual": graph.Graph.GreaterThanOrEqualToWithPrimaryTensor,
		"Less":           graph.Graph.LessThanWithPrimaryTensor,
		"LessOrEqual":    graph.Graph.LessThanOrEqualToWithPrimaryTensor,
		"Max":            graph.Graph.MaximumWithNaNPropagationWithPrimaryTensor,
		"Min":            graph.Graph.MinimumWithNaNPropagationWithPrimaryTensor,
		"Mul":            graph.Graph.MultiplicationWithPrimaryTensor, "Or": graph.Graph.LogicalORWithPrimaryTensor,
		"Sub": graph.Graph.SubtractionWithPrimaryTensor, "Sum": graph.Graph.AdditionWithPrimaryTensor,
		"Xor": graph.Graph.LogicalXORWithPrimaryTensor,
	} {
		m[name] = func(n *node) []graph.Tensor {
			x := n.in[0]
			for _, y := range n.in[1:] {
				x = f(n.g, x, y, "")
			}
			return one(n.g.IdentityWithTensor(x, ""))
		}
	}
	return m
}

func isFloat(t mps.DataType) bool {
	return slices.Contains([]mps.DataType{mps.DataTypeFloat32, mps.DataTypeFloat16, mps.DataTypeBFloat16}, t)
}
