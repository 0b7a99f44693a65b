package softmps

import (
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// channelAxis is the dimension of feature channels in the tensors of images.
const channelAxis = 3

// softmax builds a softmax over feature channels, or its logarithm.
func softmax(log bool) func(k *cnnKernel, j *cnnJob) error {
	return func(_ *cnnKernel, j *cnnJob) error {
		in, err := j.aligned()
		if err != nil {
			return err
		}
		return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			if log {
				b.LogSoftmax(out, in[0], channelAxis)
				return
			}
			b.Softmax(out, in[0], channelAxis)
		})
	}
}

// softmaxGradient builds the gradient: the sources are that of the result, g, and the result, y. It
// is y * (g - sum(g*y)), and for the logarithm g - exp(y) * sum(g).
func softmaxGradient(log bool) func(k *cnnKernel, j *cnnJob) error {
	return func(_ *cnnKernel, j *cnnJob) error {
		in, err := j.aligned()
		if err != nil {
			return err
		}
		return j.finish(j.shape(), in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
			terms := in[0]
			if !log {
				terms = b.Temp(tensorop.Float32, in[0].Shape...)
				b.Apply("mul", terms, in[0], in[1])
			}
			sum := b.Temp(tensorop.Float32, in[0].Shape[0], in[0].Shape[1], in[0].Shape[2], 1)
			b.Reduce("sum", sum, terms, channelAxis)
			mapTo(b, out, []tensorop.Operand{in[0], in[1], sum}, func(s *instrs) {
				if log {
					s.add("sub", 0, s.add("mul", s.add("exp", 1), 2))
					return
				}
				s.add("mul", 1, s.add("sub", 0, 2))
			})
		})
	}
}

func softmaxClasses() []adapter.Class {
	var list []adapter.Class
	for i, name := range []string{"MPSCNNSoftMax", "MPSCNNLogSoftMax"} {
		log := i == 1
		list = append(list, adapter.Class{Name: name, Super: "MPSCNNKernel", Methods: adapter.Methods{
			"initWithDevice:": plainCNN(cnnOp{sources: 1, build: softmax(log), state: newGradientState,
				stateClass: "MPSNNGradientState"})}},
			adapter.Class{Name: name + "Gradient", Super: "MPSCNNGradientKernel", Methods: adapter.Methods{
				"initWithDevice:": plainCNN(cnnOp{sources: 2, build: softmaxGradient(log)})}})
	}
	return list
}
