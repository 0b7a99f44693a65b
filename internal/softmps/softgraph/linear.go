package softgraph

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// matmul multiplies matrices in the last two dimensions.
func (g *graph) matmul(x, y *tensor, name string) (*tensor, error) {
	return g.add1("matrixMultiplication", name, def{
		infer: func(in []spec) ([]spec, error) {
			if in[0].typ != in[1].typ {
				return nil, fmt.Errorf("%v by %v: the types must be equal", in[0], in[1])
			}
			shape, err := tensorop.MatMulShape(in[0].shape, in[1].shape)
			return []spec{{in[0].typ, shape}}, err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) { b.MatMul(out[0], in[0], in[1], 1, 0) },
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			x, y := op.inputs[0], op.inputs[1]
			if len(x.shape) < 2 || len(y.shape) < 2 {
				return nil, fmt.Errorf("matrixMultiplication: the gradient of %v by %v, which are not matrices",
					x.spec, y.spec)
			}
			dx, err := g.product(dy[0], y, false, true, x)
			if err != nil {
				return nil, err
			}
			dw, err := g.product(x, dy[0], true, false, y)
			return []*tensor{dx, dw}, err
		},
	}, x, y)
}

// product multiplies matrices, transposed or not, and sums the batch to that of another tensor.
func (g *graph) product(x, y *tensor, turnX, turnY bool, like *tensor) (*tensor, error) {
	var err error
	if turnX {
		if x, err = g.turn(x); err != nil {
			return nil, err
		}
	}
	if turnY {
		if y, err = g.turn(y); err != nil {
			return nil, err
		}
	}
	p, err := g.matmul(x, y, "")
	if err != nil {
		return nil, err
	}
	return g.sumTo(p, like)
}

// turn exchanges the last two dimensions.
func (g *graph) turn(t *tensor) (*tensor, error) {
	order := make([]int, len(t.shape))
	for i := range order {
		order[i] = i
	}
	n := len(order)
	order[n-1], order[n-2] = n-2, n-1
	return g.transpose(t, order, "")
}

// softmax is the softmax along an axis.
func (g *graph) softmax(t *tensor, along int, name string) (*tensor, error) {
	return g.add1("softMax", name, def{
		infer: func(in []spec) ([]spec, error) {
			if !in[0].typ.Float() {
				return nil, fmt.Errorf("takes floating-point numbers and not %v", in[0].typ)
			}
			_, err := axis(&tensor{spec: in[0]}, along)
			return in[:1], err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			b.Softmax(out[0], in[0], (along+in[0].Rank())%in[0].Rank())
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			dx, err := g.softmaxGradient(dy[0], op.outputs[0], along)
			return []*tensor{dx}, err
		},
	}, t)
}

// softmaxGradient is y * (dy - sum(dy*y)), where y is the softmax.
func (g *graph) softmaxGradient(dy, y *tensor, along int) (*tensor, error) {
	p, err := g.apply("mul", "", dy, y)
	if err != nil {
		return nil, err
	}
	sum, err := g.reduce("sum", p, []int{along}, "")
	if err != nil {
		return nil, err
	}
	d, err := g.apply("sub", "", dy, sum)
	if err != nil {
		return nil, err
	}
	return g.apply("mul", "", y, d)
}

// attention is softmax(scale * q kᵀ + mask) v.
func (g *graph) attention(q, k, v, mask *tensor, scale float32, name string) (*tensor, error) {
	if len(q.shape) < 2 || len(k.shape) < 2 {
		return nil, fmt.Errorf("scaledDotProductAttention: query %v and key %v need two dimensions", q.spec, k.spec)
	}
	kt, err := g.turn(k)
	if err != nil {
		return nil, err
	}
	s, err := g.matmul(q, kt, "")
	if err != nil {
		return nil, err
	}
	if s, err = g.applyWith("linear", "", []float32{scale, 0}, s); err != nil {
		return nil, err
	}
	if mask != nil {
		if mask.typ == tensorop.Bool {
			zero, err := g.constant(0, spec{s.typ, nil})
			if err != nil {
				return nil, err
			}
			low, err := g.constant(math.Inf(-1), spec{s.typ, nil})
			if err != nil {
				return nil, err
			}
			if mask, err = g.apply("select", "", mask, zero, low); err != nil {
				return nil, err
			}
		}
		if s, err = g.apply("add", "", s, mask); err != nil {
			return nil, err
		}
	}
	if s, err = g.softmax(s, -1, ""); err != nil {
		return nil, err
	}
	return g.matmul(s, v, name)
}

// crossEntropy is the loss -sum(labels * log(softmax(x))) along an axis.
func (g *graph) crossEntropy(x, labels *tensor, along int, reduction uint64, name string) (*tensor, error) {
	logs, err := g.add1("logSoftMax", "", def{
		infer: func(in []spec) ([]spec, error) {
			_, err := axis(&tensor{spec: in[0]}, along)
			return in[:1], err
		},
		kernels: func(b *tensorop.Builder, in, out []tensorop.Operand) {
			b.LogSoftmax(out[0], in[0], (along+in[0].Rank())%in[0].Rank())
		},
		grad: func(g *graph, op *operation, dy []*tensor) ([]*tensor, error) {
			// dy - softmax * sum(dy)
			y, err := g.softmax(op.inputs[0], along, "")
			if err != nil {
				return nil, err
			}
			sum, err := g.reduce("sum", dy[0], []int{along}, "")
			if err != nil {
				return nil, err
			}
			p, err := g.apply("mul", "", y, sum)
			if err != nil {
				return nil, err
			}
			dx, err := g.apply("sub", "", dy[0], p)
			return []*tensor{dx}, err
		},
	}, x)
	if err != nil {
		return nil, err
	}
	p, err := g.apply("mul", "", logs, labels)
	if err != nil {
		return nil, err
	}
	loss, err := g.reduce("sum", p, []int{along}, "")
	if err != nil {
		return nil, err
	}
	switch reduction {
	case 0: // MPSGraphLossReductionTypeNone
		return g.apply("neg", name, loss)
	case 1: // MPSGraphLossReductionTypeSum
		loss, err = g.reduce("sum", loss, nil, "")
	default:
		loss, err = g.reduce("mean", loss, nil, "")
	}
	if err != nil {
		return nil, err
	}
	if loss, err = g.reshape(loss, []int{}, ""); err != nil {
		return nil, err
	}
	return g.apply("neg", name, loss)
}

// normalize is (x - mean) / sqrt(variance + epsilon) * gamma + beta.
func (g *graph) normalize(x, mean, variance, gamma, beta *tensor, epsilon float32, name string) (*tensor, error) {
	d, err := g.apply("sub", "", x, mean)
	if err != nil {
		return nil, err
	}
	v, err := g.applyWith("linear", "", []float32{1, epsilon}, variance)
	if err != nil {
		return nil, err
	}
	if v, err = g.apply("rsqrt", "", v); err != nil {
		return nil, err
	}
	if gamma != nil {
		if v, err = g.apply("mul", "", v, gamma); err != nil {
			return nil, err
		}
	}
	last := name
	if beta != nil {
		last = ""
	}
	if d, err = g.apply("mul", last, d, v); err != nil || beta == nil {
		return d, err
	}
	return g.apply("add", name, d, beta)
}

func linearMethods() adapter.Methods {
	return adapter.Methods{
		"matrixMultiplicationWithPrimaryTensor:secondaryTensor:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.matmul(a.tensor(0), a.tensor(1), a.name(2))
		}),
		"softMaxWithTensor:axis:name:": method(func(g *graph, a *args) (*tensor, error) {
			return g.softmax(a.tensor(0), a.int(1), a.name(2))
		}),
		"softMaxGradientWithIncomingGradient:sourceTensor:axis:name:": method(func(g *graph, a *args) (*tensor, error) {
			y, err := g.softmax(a.tensor(1), a.int(2), "")
			if err != nil {
				return nil, err
			}
			return g.softmaxGradient(a.tensor(0), y, a.int(2))
		}),
		"scaledDotProductAttentionWithQueryTensor:keyTensor:valueTensor:maskTensor:scale:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.attention(a.tensor(0), a.tensor(1), a.tensor(2), a.optional(3), a.c.F32(4), a.name(5))
			}),
		"scaledDotProductAttentionWithQueryTensor:keyTensor:valueTensor:scale:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.attention(a.tensor(0), a.tensor(1), a.tensor(2), nil, a.c.F32(3), a.name(4))
			}),
		"softMaxCrossEntropyWithSourceTensor:labelsTensor:axis:reductionType:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.crossEntropy(a.tensor(0), a.tensor(1), a.int(2), a.c.Uint(3), a.name(4))
			}),
		"normalizationWithTensor:meanTensor:varianceTensor:gammaTensor:betaTensor:epsilon:name:": method(
			func(g *graph, a *args) (*tensor, error) {
				return g.normalize(a.tensor(0), a.tensor(1), a.tensor(2), a.optional(3), a.optional(4), a.c.F32(5),
					a.name(6))
			}),
	}
}
