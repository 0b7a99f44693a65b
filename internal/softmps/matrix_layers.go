package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// The properties that limit the sizes of layers.
const (
	vectorLimit  = "sourceNumberOfFeatureVectors"
	inputLimit   = "sourceInputFeatureChannels"
	outputLimit  = "sourceOutputFeatureChannels"
	firstOrigin  = "primarySourceMatrixOrigin"
	secondOrigin = "secondarySourceMatrixOrigin"
	resultOrigin = "resultMatrixOrigin"
)

func (k *Kernel) alpha() float32 { return float32(k.double("alpha", 1)) }

// encodeNeuron encodes neuron(alpha * x + bias), where the bias has an element for each column.
func encodeNeuron(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 3)
	from := l.matrix(1)
	rows := l.rows(from, "sourceMatrixOrigin", vectorLimit)
	columns := l.columns(from, "sourceMatrixOrigin", inputLimit)
	l.input(from, "the source", "sourceMatrixOrigin", rows, columns)
	l.output(to, "the result", resultOrigin, rows, columns)
	bias := l.inputVector(2, "the bias", columns)
	n := sloped{l.k.neuron(), l.slopes(columns)}
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		return n.activate(b, out[0], in, 0, bias, l.k.alpha())
	})
}

// encodeNeuronGradient encodes the gradients of encodeNeuron for its source and for its bias.
func encodeNeuronGradient(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 4)
	gradient, from := l.matrix(1), l.matrix(2)
	rows, columns := l.rows(from, secondOrigin, vectorLimit), l.columns(from, secondOrigin, inputLimit)
	l.input(gradient, "the gradient", firstOrigin, rows, columns)
	l.input(from, "the input", secondOrigin, rows, columns)
	bias := l.inputVector(3, "the bias", columns)
	l.output(to, "the result", resultOrigin, rows, columns)
	sums := l.outputVector(5, "the gradient for the bias", columns)
	n := sloped{l.k.neuron(), l.slopes(columns)}
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		back := b.Temp(tensorop.Float32, in[0].Shape...)
		if err := n.back(b, back, in, 0, 1, bias, l.k.alpha()); err != nil {
			return err
		}
		if sums != none {
			columnSums(b, out[sums], back)
		}
		b.Map(out[0], []tensorop.Operand{back},
			tensorop.Instr{Op: "linear", Type: tensorop.Float32, Args: []int{0}, Scalars: []float32{l.k.alpha(), 0}},
			tensorop.Instr{Op: "cast", Type: out[0].Type, Args: []int{1}})
		return nil
	})
}

// back maps a gradient times the derivative of the neuron at alpha * x + bias.
func (n sloped) back(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand, gradient, x, bias int,
	alpha float32) error {
	p := &program{inputs: len(in)}
	d, err := n.derivative(p, n.argument(p, x, bias, alpha))
	if err == nil {
		p.save(b, out, in, p.do("mul", p.load(gradient), d))
	}
	return err
}

// encodeConnected encodes neuron(alpha * x * weights + bias).
func encodeConnected(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 4)
	from, weights := l.matrix(1), l.matrix(2)
	rows, inner := l.rows(from, firstOrigin, vectorLimit), l.columns(from, firstOrigin, inputLimit)
	columns := l.columns(weights, secondOrigin, outputLimit)
	l.input(from, "the input", firstOrigin, rows, inner)
	l.input(weights, "the weights", secondOrigin, inner, columns)
	bias := l.inputVector(3, "the bias", columns)
	l.output(to, "the result", resultOrigin, rows, columns)
	n := sloped{l.k.neuron(), none}
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		if bias == none && n.kind == mpsdata.CNNNeuronTypeNone {
			multiply(b, out[0], in[0], in[1], l.k.alpha())
			return nil
		}
		sums := b.Temp(tensorop.Float32, out[0].Shape...)
		multiply(b, sums, in[0], in[1], l.k.alpha())
		inputs, at := []tensorop.Operand{sums}, none
		if bias != none {
			inputs, at = append(inputs, in[bias]), 1
		}
		return n.activate(b, out[0], inputs, 0, at, 1)
	})
}

// encodeConnectedBack encodes the gradient for the input: alpha * gradient * weightsᵀ.
func encodeConnectedBack(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 3)
	gradient, weights := l.matrix(1), l.matrix(2)
	rows, columns := l.rows(gradient, firstOrigin, vectorLimit), l.columns(gradient, firstOrigin, outputLimit)
	inner := l.rows(weights, secondOrigin, inputLimit)
	l.input(gradient, "the gradient", firstOrigin, rows, columns)
	l.input(weights, "the weights", secondOrigin, inner, columns)
	l.output(to, "the result", resultOrigin, rows, inner)
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		multiply(b, out[0], in[0], turned(in[1]), l.k.alpha())
		return nil
	})
}

// encodeConnectedWeights encodes the gradients for the weights, alpha * inputᵀ * gradient, and for
// the bias, the sums of the gradient's columns.
func encodeConnectedWeights(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 3)
	gradient, from := l.matrix(1), l.matrix(2)
	rows, columns := l.rows(gradient, firstOrigin, vectorLimit), l.columns(gradient, firstOrigin, outputLimit)
	inner := l.columns(from, secondOrigin, inputLimit)
	l.input(gradient, "the gradient", firstOrigin, rows, columns)
	l.input(from, "the input", secondOrigin, rows, inner)
	l.output(to, "the gradient for the weights", resultOrigin, inner, columns)
	sums := l.outputVector(4, "the gradient for the bias", columns)
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		multiply(b, out[0], turned(in[1]), in[0], l.k.alpha())
		if sums != none {
			columnSums(b, out[sums], in[0])
		}
		return nil
	})
}

// normal is what batch normalization has besides its source, as numbers of inputs: of outputs for a
// mean and a variance that are computed.
type normal struct{ mean, variance, gamma, beta int }

// operand returns an operand by its number, nil for none.
func operand(list []tensorop.Operand, i int) *tensorop.Operand {
	if i == none {
		return nil
	}
	return &list[i]
}

func (k *Kernel) norm(in []tensorop.Operand, o normal) tensorop.Norm {
	epsilon := float32(math.Float32frombits(smallest))
	if k.words("epsilon") != nil {
		epsilon = k.float("epsilon")
	}
	return tensorop.Norm{Epsilon: epsilon, Scale: operand(in, o.gamma), Bias: operand(in, o.beta)}
}

// smallest is the bits of the smallest normal float, the default of epsilon.
const smallest = 0x00800000

// encodeNormalization encodes neuron(gamma * (x - mean) / sqrt(variance + epsilon) + beta) for each
// column. With computeStatistics the mean and the variance are computed and written to the vectors.
func encodeNormalization(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 6)
	from := l.matrix(1)
	rows := l.rows(from, "sourceMatrixOrigin", vectorLimit)
	columns := l.columns(from, "sourceMatrixOrigin", inputLimit)
	l.input(from, "the input", "sourceMatrixOrigin", rows, columns)
	l.output(to, "the result", resultOrigin, rows, columns)
	vector := l.inputVector
	compute := l.k.number("computeStatistics", 0) != 0
	if compute {
		vector = l.outputVector
	}
	o := normal{mean: vector(2, "the mean", columns), variance: vector(3, "the variance", columns),
		gamma: l.inputVector(4, "gamma", columns), beta: l.inputVector(5, "beta", columns)}
	if o.mean == none || o.variance == none {
		l.fail(fmt.Errorf("the vector of means or of variances is nil"))
		return
	}
	n := sloped{l.k.neuron(), none}
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		statistics := in
		if compute {
			statistics = out
			wide := single(b, in[0])
			sums := b.Temp(tensorop.Float32, out[o.mean].Shape...)
			b.Reduce("mean", sums, wide, 1)
			b.Variance(out[o.variance], wide, sums, 1)
			b.Copy(out[o.mean], sums)
		}
		norm := l.k.norm(in, o)
		if n.kind == mpsdata.CNNNeuronTypeNone {
			b.Normalize(out[0], in[0], &statistics[o.mean], statistics[o.variance], norm)
			return nil
		}
		z := b.Temp(tensorop.Float32, in[0].Shape...)
		b.Normalize(z, in[0], &statistics[o.mean], statistics[o.variance], norm)
		return n.activate(b, out[0], []tensorop.Operand{z}, 0, none, 1)
	})
}

// encodeNormalizationGradient encodes the gradients of encodeNormalization for its source, through
// the mean and the variance of the source's columns too, and for gamma and beta.
func encodeNormalizationGradient(k kernelState, c *objcsoft.Call) {
	l, to := newMatrixLayer(k, c, 7)
	gradient, from := l.matrix(1), l.matrix(2)
	rows, columns := l.rows(from, secondOrigin, vectorLimit), l.columns(from, secondOrigin, inputLimit)
	l.input(gradient, "the gradient", firstOrigin, rows, columns)
	l.input(from, "the input", secondOrigin, rows, columns)
	l.output(to, "the result", resultOrigin, rows, columns)
	o := normal{mean: l.inputVector(3, "the mean", columns), variance: l.inputVector(4, "the variance", columns),
		gamma: l.inputVector(5, "gamma", columns), beta: l.inputVector(6, "beta", columns)}
	gammas := l.outputVector(8, "the gradient for gamma", columns)
	betas := l.outputVector(9, "the gradient for beta", columns)
	if o.mean == none || o.variance == none {
		l.fail(fmt.Errorf("the vector of means or of variances is nil"))
		return
	}
	n := sloped{l.k.neuron(), none}
	l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		norm := l.k.norm(in, o)
		mean, variance, back := in[o.mean], in[o.variance], in[0]
		if n.kind != mpsdata.CNNNeuronTypeNone {
			z := b.Temp(tensorop.Float32, in[0].Shape...)
			b.Normalize(z, in[1], &mean, variance, norm)
			back = b.Temp(tensorop.Float32, in[0].Shape...)
			if err := n.back(b, back, []tensorop.Operand{in[0], z}, 0, 1, none, 1); err != nil {
				return err
			}
		}
		if gammas != none {
			b.NormalizeScaleGradient(out[gammas], back, in[1], mean, variance, norm.Epsilon, 1)
		}
		if betas != none {
			columnSums(b, out[betas], back)
		}
		b.NormalizeGradient(out[0], back, in[1], mean, variance, norm, 1)
		return nil
	})
}

// encodeSoftmaxGradient encodes the gradient of softmax, y * (g - sum of g * y), or of its
// logarithm, g - exp(y) * sum of g, where y is the result of the forward kernel and sums are of
// rows.
func encodeSoftmaxGradient(logarithm bool) objcsoft.Imp {
	return adapter.Method(func(k kernelState, c *objcsoft.Call) {
		l, to := newMatrixLayer(k, c, 3)
		gradient, y := l.matrix(1), l.matrix(2)
		rows, columns := l.rows(y, secondOrigin, "sourceRows"), l.columns(y, secondOrigin, "sourceColumns")
		l.input(gradient, "the gradient", firstOrigin, rows, columns)
		l.input(y, "the forward output", secondOrigin, rows, columns)
		l.output(to, "the result", resultOrigin, rows, columns)
		l.encode(func(b *tensorop.Builder, in, out []tensorop.Operand) error {
			summed := single(b, in[0])
			if !logarithm {
				summed = b.Temp(tensorop.Float32, in[0].Shape...)
				p := &program{inputs: 2}
				p.save(b, summed, in[:2], p.do("mul", p.load(0), p.load(1)))
			}
			sums := b.Temp(tensorop.Float32, in[0].Shape[0], in[0].Shape[1], 1)
			b.Reduce("sum", sums, summed, 2)
			p := &program{inputs: 3}
			g, v := p.load(0), p.load(1)
			if logarithm {
				v = p.do("sub", g, p.do("mul", p.do("exp", v), 2))
			} else {
				v = p.do("mul", v, p.do("sub", g, 2))
			}
			p.save(b, out[0], []tensorop.Operand{in[0], in[1], sums}, v)
			return nil
		})
	})
}

func matrixLayerClasses() []adapter.Class {
	all := map[string]uintptr{"sourceRows": math.MaxUint, "sourceColumns": math.MaxUint, vectorLimit: math.MaxUint,
		inputLimit: math.MaxUint, outputLimit: math.MaxUint, "alpha": doubleOne, "epsilon": smallest}
	class := func(name, super string, methods map[string]func(k kernelState, c *objcsoft.Call)) adapter.Class {
		c := adapter.Class{Name: name, Super: super, Methods: adapter.Methods{
			"initWithDevice:": func(c *objcsoft.Call) { initKernel(c, &Kernel{}) }}}
		for sel, f := range methods {
			c.Methods[sel] = adapter.Method(f)
		}
		return withProperties(c, all)
	}
	type methods = map[string]func(k kernelState, c *objcsoft.Call)
	const unary, binary = "MPSMatrixUnaryKernel", "MPSMatrixBinaryKernel"
	const neurons = "setNeuronType:parameterA:parameterB:parameterC:"
	const slopes = "setNeuronToPReLUWithParametersA:"
	softmax := class("MPSMatrixSoftMaxGradient", binary, nil)
	const encodeSoftmax = "encodeToCommandBuffer:gradientMatrix:forwardOutputMatrix:resultMatrix:"
	softmax.Methods[encodeSoftmax] = encodeSoftmaxGradient(false)
	logarithm := class("MPSMatrixLogSoftMaxGradient", "MPSMatrixSoftMaxGradient", nil)
	logarithm.Methods[encodeSoftmax] = encodeSoftmaxGradient(true)
	return []adapter.Class{softmax, logarithm,
		class("MPSMatrixNeuron", unary, methods{neurons: setNeuron, slopes: setSlopes,
			"encodeToCommandBuffer:inputMatrix:biasVector:resultMatrix:": encodeNeuron}),
		class("MPSMatrixNeuronGradient", binary, methods{neurons: setNeuron, slopes: setSlopes,
			"encodeToCommandBuffer:gradientMatrix:inputMatrix:biasVector:resultGradientForDataMatrix:" +
				"resultGradientForBiasVector:": encodeNeuronGradient}),
		class("MPSMatrixFullyConnected", binary, methods{neurons: setNeuron,
			"encodeToCommandBuffer:inputMatrix:weightMatrix:biasVector:resultMatrix:": encodeConnected}),
		class("MPSMatrixFullyConnectedGradient", binary, methods{
			"encodeGradientForDataToCommandBuffer:gradientMatrix:weightMatrix:" +
				"resultGradientForDataMatrix:": encodeConnectedBack,
			"encodeGradientForWeightsAndBiasToCommandBuffer:gradientMatrix:inputMatrix:" +
				"resultGradientForWeightMatrix:resultGradientForBiasVector:": encodeConnectedWeights}),
		class("MPSMatrixBatchNormalization", unary, methods{neurons: setNeuron,
			"encodeToCommandBuffer:inputMatrix:meanVector:varianceVector:gammaVector:betaVector:" +
				"resultMatrix:": encodeNormalization}),
		class("MPSMatrixBatchNormalizationGradient", binary, methods{neurons: setNeuron,
			"encodeToCommandBuffer:gradientMatrix:inputMatrix:meanVector:varianceVector:gammaVector:betaVector:" +
				"resultGradientForDataMatrix:resultGradientForGammaVector:" +
				"resultGradientForBetaVector:": encodeNormalizationGradient}),
	}
}
