package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// strides returns how a source of an arithmetic kernel moves along x, y and the channels: 1, or 0
// for a value that serves for all.
func (k *cnnKernel) strides(source int) (s [3]int, err error) {
	for i, name := range [3]string{"strideInPixelsX", "strideInPixelsY", "strideInFeatureChannels"} {
		if s[i] = k.of(source, name, 1); s[i] != 0 && s[i] != 1 {
			return s, fmt.Errorf("%s is %d; it must be 0 or 1", k.name(source, name), s[i])
		}
	}
	return s, nil
}

// spreadSource loads a source for arithmetic. Dimensions with stride 0 have one element.
func (j *cnnJob) spreadSource(source, channels int) (*NDArray, error) {
	s := &j.sources[source]
	stride, err := j.kernel.strides(source)
	if err != nil {
		return nil, err
	}
	n := [3]int{j.out.width, j.out.height, channels}
	for i, v := range stride {
		if v == 0 {
			n[i] = 1
		}
	}
	if s.channels < n[2] {
		return nil, fmt.Errorf("%s has %d feature channels; the result has %d", j.kernel.name(source, "source"), s.channels,
			n[2])
	}
	s.channels = n[2]
	return j.load(source, s.x, s.y, n[0], n[1])
}

// cnnArithmetic is an operator of two images.
type cnnArithmetic struct {
	name string
	op   string // of package tensorop
	// minus is the sign of the second image's gradient.
	minus bool
	// product tells that the gradient of an image has the other one as a factor.
	product bool
}

// arithmeticShape returns the size and the feature channels of a result.
func arithmeticShape(k *cnnKernel, in []*Image) (n [3]int) {
	stride, _ := k.strides(0) // encoding reports other strides
	for i := range n {
		from := in[0]
		if stride[i] == 0 {
			from = in[1]
		}
		n[i] = [3]int{int(from.Texture.Width()), int(from.Texture.Height()), from.channels}[i]
	}
	return n
}

// build computes the clamped result of the scaled images and the bias.
func (a cnnArithmetic) build(k *cnnKernel, j *cnnJob) error {
	var in []*NDArray
	channels := j.out.channels
	for i := range j.sources {
		if stride, err := k.strides(i); err == nil && stride[2] != 0 {
			channels = min(channels, j.sources[i].channels)
		}
	}
	for i := range j.sources {
		t, err := j.spreadSource(i, channels)
		if err != nil {
			return err
		}
		in = append(in, t)
	}
	return j.finish([]int{j.count, j.out.height, j.out.width, channels}, in, func(b *tensorop.Builder,
		out tensorop.Operand, in []tensorop.Operand) {
		mapTo(b, out, in, func(s *instrs) {
			x, y := s.linear(0, k.float("primaryScale"), 0), s.linear(1, k.float("secondaryScale"), 0)
			sum := s.linear(s.add(a.op, x, y), 1, k.float("bias"))
			s.with("clip", []float32{k.float("minimumValue"), k.float("maximumValue")}, sum)
		})
	})
}

// backward computes the gradient of one of the images. Where the forward pass repeated it, the
// gradient is that of each repetition, and the program sums them.
func (a cnnArithmetic) backward(k *cnnKernel, j *cnnJob) error {
	if k.float("minimumValue") != -math.MaxFloat32 || k.float("maximumValue") != math.MaxFloat32 {
		return fmt.Errorf("minimumValue %v and maximumValue %v; the software device has no gradient of clamped values",
			k.float("minimumValue"), k.float("maximumValue"))
	}
	e := &j.sources[0]
	channels := min(e.channels, j.out.channels)
	e.channels = channels
	g, err := j.loadAligned(0)
	if err != nil {
		return err
	}
	in := []*NDArray{g}
	scales := [2]float32{k.float("primaryScale"), k.float("secondaryScale")}
	second := k.number("isSecondarySourceFilter", 0)
	factor := scales[second]
	if a.minus && second == 1 {
		factor = -factor
	}
	if a.product {
		factor = scales[0] * scales[1]
		other, err := j.spreadSource(1, channels)
		if err != nil {
			return err
		}
		in = append(in, other)
	}
	return j.finish(g.Shape, in, func(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand) {
		mapTo(b, out, in, func(s *instrs) {
			y := s.linear(0, factor, 0)
			if len(in) > 1 {
				s.add("mul", y, 1)
			}
		})
	})
}

// setArithmetic sets the defaults of the scales and limits.
func setArithmetic(k *cnnKernel) {
	k.setFloats(map[string]float32{"primaryScale": 1, "secondaryScale": 1, "minimumValue": -math.MaxFloat32,
		"maximumValue": math.MaxFloat32})
}

// init makes initWithDevice:.
func (a cnnArithmetic) init(c *objcsoft.Call) {
	k := &cnnKernel{cnnOp: cnnOp{sources: 2, build: a.build, state: newGradientState,
		stateClass: "MPSCNNArithmeticGradientState",
		channels:   func(k *cnnKernel, in []*Image) int { return arithmeticShape(k, in)[2] },
		size: func(k *cnnKernel, in []*Image, _ []cnnState) (int, int) {
			n := arithmeticShape(k, in)
			return n[0], n[1]
		}}}
	setArithmetic(k)
	initCNN(c, k)
}

// initGradient makes initWithDevice:isSecondarySourceFilter:.
func (a cnnArithmetic) initGradient(c *objcsoft.Call) {
	k := &cnnKernel{cnnOp: cnnOp{sources: 2, build: a.backward,
		channels: func(_ *cnnKernel, in []*Image) int { return in[0].channels },
		size: func(_ *cnnKernel, in []*Image, _ []cnnState) (int, int) {
			return int(in[0].Texture.Width()), int(in[0].Texture.Height())
		}}}
	setArithmetic(k)
	k.set("isSecondarySourceFilter", c.Word(1)&1)
	initCNN(c, k)
}

func arithmeticClasses() []adapter.Class {
	strides := map[string]uintptr{"primaryStrideInFeatureChannels": 1, "secondaryStrideInFeatureChannels": 1}
	const single, batch = "encodeToCommandBuffer:primaryImage:secondaryImage:destinationState:destinationImage:",
		"encodeBatchToCommandBuffer:primaryImages:secondaryImages:destinationStates:destinationImages:"
	given := cnnArguments{sources: []int{1, 2}, states: 3, dest: 4, out: -1}
	batches := given
	batches.batch = true
	list := []adapter.Class{
		withProperties(adapter.Class{Name: "MPSCNNArithmetic", Super: "MPSCNNBinaryKernel", Methods: adapter.Methods{
			single: encodeCNN(given), batch: encodeCNN(batches)}}, strides),
		withProperties(adapter.Class{Name: "MPSCNNArithmeticGradient", Super: "MPSCNNGradientKernel"}, strides),
		{Name: "MPSCNNArithmeticGradientState", Super: "MPSNNBinaryGradientState"},
	}
	for _, a := range []cnnArithmetic{{name: "Add", op: "add"}, {name: "Subtract", op: "sub", minus: true},
		{name: "Multiply", op: "mul", product: true}, {name: "Divide", op: "div"}} {
		list = append(list, adapter.Class{Name: "MPSCNN" + a.name, Super: "MPSCNNArithmetic",
			Methods: adapter.Methods{"initWithDevice:": a.init}})
		if a.op == "div" { // there is no class for its gradient
			continue
		}
		list = append(list, adapter.Class{Name: "MPSCNN" + a.name + "Gradient", Super: "MPSCNNArithmeticGradient",
			Methods: adapter.Methods{"initWithDevice:isSecondarySourceFilter:": a.initGradient}})
	}
	return list
}
