package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
)

// convolutionState is the payload of an MPSCNNConvolutionGradientState and of that of a transpose
// convolution: the forward pass, and the gradients of weights and biases.
type convolutionState struct {
	*gradientState
	convolution     objcsoft.ID // retained
	weights, biases mtl.Buffer  // float32, those of the resources
	layer           layer
	transposed      bool
}

func (s *convolutionState) setOwner(id objcsoft.ID) { s.convolution = id }

func (s *convolutionState) freeState(o *objcsoft.Object) { o.Drop(s.convolution) }

// gradientState makes the state of a forward pass.
func (k *convolution) gradientState(_ *cnnKernel, in []*Image, out *Image) (cnnState, error) {
	s := &convolutionState{gradientState: rememberForward(&k.cnnKernel, in, out), layer: k.layer,
		transposed: k.transposed}
	var err error
	if s.weights, err = s.buffer(k.Device, 4*k.layer.weights()); err == nil {
		s.biases, err = s.buffer(k.Device, 4*k.out)
	}
	return s, err
}

// total returns where the window of a transpose convolution is for the first result, in pixels of
// the source with zeros between them.
func (k *convolution) total(j *cnnJob, axis int) int {
	o := [2]int{j.sources[0].x, j.sources[0].y}[axis]
	return o*k.windows[axis].stride + k.number([2]string{"kernelOffsetX", "kernelOffsetY"}[axis], 0)
}

// turned returns the weights of a transpose convolution as those of the convolution whose input
// gradient it is: inputs, outputs of a group, and the window rotated by 180 degrees.
func (k *convolution) turned(b *tensorop.Builder, weights tensorop.Operand) tensorop.Operand {
	g, rows, columns := k.groups, k.windows[1].size, k.windows[0].size
	v := tensorop.Dense(tensorop.Float32, g, k.out/g, rows, columns, k.perGroup())
	from := reverse(b, weights.With(v.Transpose(0, 4, 1, 2, 3)), 3, 4)
	to := b.Temp(tensorop.Float32, g, k.perGroup(), k.out/g, rows, columns)
	b.Copy(to, from)
	return to.With(tensorop.Dense(tensorop.Float32, k.in, k.out/g, rows, columns))
}

// transpose encodes a transpose convolution.
func (k *convolution) transpose(j *cnnJob) error {
	if err := k.input(j, 0, k.in); err != nil {
		return err
	}
	in, err := j.loadAll(0)
	if err != nil {
		return err
	}
	sum, err := j.tensor(j.count, j.out.height, j.out.width, k.out)
	if err != nil {
		return err
	}
	var at [2]int // where the first result is in all results
	for i, w := range k.windows {
		at[i] = k.total(j, i) - w.center() + w.reach() - 1
	}
	err = j.compute([]*NDArray{in, k.weightTensor()}, []*NDArray{sum}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		k.spread(b, out[0], in[0], k.turned(b, in[1]), k.groups, at)
	})
	if err == nil {
		err = k.finish(j, sum)
	}
	return err
}

// spread writes the part of the input gradient of a convolution that begins at a place. All of it
// is what its windows reach; beyond is 0.
func (k *convolution) spread(b *tensorop.Builder, out, in, weights tensorop.Operand, groups int, at [2]int) {
	all := b.Temp(tensorop.Float32, in.Shape[0], k.windows[1].span(in.Shape[1]), k.windows[0].span(in.Shape[2]),
		out.Shape[3])
	b.ConvInputGradient(imageLayout(all), imageLayout(in), weights, k.steps(true), groups)
	copyFrom(b, out, all, at[0], at[1])
}

// newTranspose makes the payload of a transpose convolution.
func newTranspose() *convolution {
	k := &convolution{transposed: true}
	k.cnnOp = cnnOp{sources: 1, shared: true, stateClass: "MPSCNNConvolutionTransposeGradientState",
		channels: k.resultChannels, state: k.gradientState,
		build: func(_ *cnnKernel, j *cnnJob) error { return k.transpose(j) }}
	k.place = k.placeTranspose
	return k
}

// placeTranspose returns the size of a transpose convolution's result and sets its offsets: those
// that undo the convolution of a state, and without one those of the padding policy.
func (k *convolution) placeTranspose(in []*Image, states []cnnState, method uint64) (size [2]int, err error) {
	n := [2]int{int(in[0].Texture.Width()), int(in[0].Texture.Height())}
	var of *convolutionState
	for _, s := range states {
		if c, ok := s.(*convolutionState); ok {
			of = c
		}
	}
	k.set("offset", 0, 0, uintptr(k.offsetOf("offset")[2]))
	for i, w := range k.windows {
		name := [2]string{"kernelOffsetX", "kernelOffsetY"}[i]
		if of != nil {
			size[i] = [2]int{of.sources[0].width, of.sources[0].height}[i]
			k.set(name, uintptr(2*w.center()-w.reach()+1-of.forward.offset("offset")[i]))
			continue
		}
		if size[i], err = paddedSize(w, n[i], method, true); err != nil {
			return size, err
		}
		expanded := (n[i]-1)*w.stride + 1
		k.set(name, uintptr(paddedOffset(cnnWindow{w.size, 1, w.dilation}, expanded, size[i], method, i)))
	}
	return size, nil
}

// offsetOf is offset, which the batch normalization's terms hide.
func (k *convolution) offsetOf(name string) [3]int { return k.cnnKernel.Kernel.offset(name) }

// forwardPass is the forward pass that a gradient belongs to.
type forwardPass struct {
	state  *convolutionState
	offset [2]int
	edge   uint64
}

// forwardOf returns the forward pass: that of the state, with the offset of the kernel's secondary
// source if it was set.
func (k *convolution) forwardOf(j *cnnJob) (p forwardPass, err error) {
	if len(j.states) > 0 {
		s, ok := j.states[0].(*convolutionState)
		if !ok || s.transposed != k.transposed {
			return p, fmt.Errorf("the state is not that of such a convolution")
		}
		for _, other := range j.states {
			if other != j.states[0] {
				return p, fmt.Errorf("the batch has several states; the convolution makes one for all images")
			}
		}
		p.state = s
	}
	if p.state == nil {
		return p, fmt.Errorf("the gradient state is nil")
	}
	if s := p.state.layer; s.weights() != k.layer.weights() || s.in != k.in || s.out != k.out || s.windows != k.windows {
		return p, fmt.Errorf("the state is that of a convolution of %d to %d channels with other sizes", s.in, s.out)
	}
	f := &p.state.forward
	p.edge = uint64(f.number("edgeMode", 0))
	offset := f.offset("offset")
	if k.words("secondaryOffset") != nil {
		offset = k.offsetOf("secondaryOffset")
	}
	copy(p.offset[:], offset[:2])
	if k.transposed {
		for i, w := range k.windows {
			p.offset[i] = offset[i]*w.stride + f.number([2]string{"kernelOffsetX", "kernelOffsetY"}[i], 0)
		}
	}
	return p, nil
}

// backward encodes the gradients: source 0 is that of the result, source 1 the forward source.
func (k *convolution) backward(j *cnnJob) error {
	p, err := k.forwardOf(j)
	if err == nil {
		err = k.input(j, 0, k.out)
	}
	if err == nil {
		err = k.input(j, 1, k.in)
	}
	if err != nil {
		return err
	}
	e := &j.sources[0]
	if k.full {
		p.offset = [2]int{k.windows[0].center(), k.windows[1].center()}
	}
	weights := k.option&mpsdata.CNNConvolutionGradientOptionGradientWithWeightsAndBias != 0
	data := k.option&mpsdata.CNNConvolutionGradientOptionGradientWithData != 0
	if k.transposed {
		return k.backwardTranspose(j, &p, data, weights)
	}
	gradient, err := j.loadAll(0)
	if err != nil {
		return err
	}
	if data {
		if p.edge != mpsdata.ImageEdgeModeZero {
			return fmt.Errorf("the forward pass had edge mode %d; there is only a gradient for zero (0)", p.edge)
		}
		if err := k.dataGradient(j, &p, gradient); err != nil {
			return err
		}
	}
	if !weights {
		return nil
	}
	w := k.windows
	in, err := j.loadEdge(1, p.offset[0]-w[0].center()+e.x*w[0].stride, p.offset[1]-w[1].center()+e.y*w[1].stride,
		w[0].span(e.width), w[1].span(e.height), p.edge, 0)
	if err != nil {
		return err
	}
	return j.compute([]*NDArray{gradient, in}, p.state.gradients(k.Device), func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		b.ConvWeightsGradient(imageLayout(out[0]), imageLayout(in[0]), imageLayout(in[1]), k.steps(true), k.groups)
		sumBiases(b, out[1], in[0])
	})
}

// gradients returns those of weights and biases as tensors.
func (s *convolutionState) gradients(d mtl.Device) []*NDArray {
	return []*NDArray{tensorOf(d, s.weights, 0, s.layer.shape()...), tensorOf(d, s.biases, 0, s.layer.out)}
}

// sumBiases writes the gradient of biases: the sum of all pixels.
func sumBiases(b *tensorop.Builder, out, gradient tensorop.Operand) {
	v, _ := out.Reshape(1, 1, 1, out.Shape[0])
	b.Reduce("sum", out.With(v), gradient, 0, 1, 2)
}

// dataGradient writes the gradient of the forward source under the clip rectangle.
func (k *convolution) dataGradient(j *cnnJob, p *forwardPass, gradient *NDArray) error {
	result, err := j.tensor(j.count, j.out.height, j.out.width, k.in)
	if err != nil {
		return err
	}
	e := &j.sources[0]
	var at [2]int
	for i, w := range k.windows {
		at[i] = [2]int{j.out.x, j.out.y}[i] - p.offset[i] + w.center() - [2]int{e.x, e.y}[i]*w.stride
	}
	err = j.compute([]*NDArray{gradient, k.weightTensor()}, []*NDArray{result}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		k.spread(b, out[0], in[0], imageLayout(in[1]), k.groups, at)
	})
	if err == nil {
		err = j.save(result)
	}
	return err
}

// backwardTranspose encodes the gradients of a transpose convolution: a convolution of the gradient
// with the weights that the forward pass spreads.
func (k *convolution) backwardTranspose(j *cnnJob, p *forwardPass, data, weights bool) error {
	e, s := &j.sources[0], &j.sources[1]
	// first is where the windows of the forward source's pixel 0 begin in the gradient.
	var first [2]int
	for i, w := range k.windows {
		first[i] = w.center() - w.reach() + 1 - p.offset[i] - [2]int{e.x, e.y}[i]
	}
	w := k.windows
	gradient := func(x, y, width, height int) (*NDArray, error) {
		return j.loadEdge(0, first[0]+x*w[0].stride, first[1]+y*w[1].stride, w[0].span(width), w[1].span(height),
			mpsdata.ImageEdgeModeZero, 0)
	}
	if data {
		g, err := gradient(j.out.x, j.out.y, j.out.width, j.out.height)
		if err != nil {
			return err
		}
		result, err := j.tensor(j.count, j.out.height, j.out.width, k.in)
		if err != nil {
			return err
		}
		err = j.compute([]*NDArray{g, k.weightTensor()}, []*NDArray{result}, func(b *tensorop.Builder, in,
			out []tensorop.Operand) {
			b.Conv(imageLayout(out[0]), imageLayout(in[0]), k.turned(b, in[1]), k.steps(true), k.groups)
		})
		if err == nil {
			err = j.save(result)
		}
		if err != nil {
			return err
		}
	}
	if !weights {
		return nil
	}
	g, err := gradient(0, 0, s.width, s.height)
	if err != nil {
		return err
	}
	all, err := j.loadAll(0)
	if err != nil {
		return err
	}
	in, err := j.loadAll(1)
	if err != nil {
		return err
	}
	return j.compute([]*NDArray{g, in, all}, p.state.gradients(k.Device), func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		groups, rows, columns := k.groups, w[1].size, w[0].size
		turned := b.Temp(tensorop.Float32, k.in, k.out/groups, rows, columns)
		b.ConvWeightsGradient(turned, imageLayout(in[1]), imageLayout(in[0]), k.steps(true), groups)
		v := tensorop.Dense(tensorop.Float32, groups, k.perGroup(), k.out/groups, rows, columns)
		from := reverse(b, turned.With(v.Transpose(0, 2, 3, 4, 1)), 2, 3)
		b.Copy(out[0].With(tensorop.Dense(tensorop.Float32, from.Shape...)), from)
		sumBiases(b, out[1], in[2])
	})
}

// newConvolutionGradient makes the payload of a gradient.
func newConvolutionGradient(full, transposed bool) *convolution {
	k := &convolution{full: full, transposed: transposed, option: mpsdata.CNNConvolutionGradientOptionAll}
	k.cnnOp = cnnOp{sources: 2, whole: true,
		channels: func(*cnnKernel, []*Image) int { return k.in },
		size: func(_ *cnnKernel, in []*Image, _ []cnnState) (int, int) {
			return int(in[1].Texture.Width()), int(in[1].Texture.Height())
		},
		build: func(_ *cnnKernel, j *cnnJob) error { return k.backward(j) }}
	return k
}

func convolutionGradientClasses() []adapter.Class {
	type kernel = *convolution
	groups := func(k kernel) int {
		if k.depthwise {
			return 1
		}
		return k.groups
	}
	gradient := func(full, transposed bool) adapter.Methods {
		m := weightMethods(adapter.Methods{
			"initWithDevice:weights:": initWeights(func() *convolution { return newConvolutionGradient(full, transposed) }),
			"gradientOption":          adapter.Method(func(k kernel, c *objcsoft.Call) { c.ReturnUint(k.option) }),
			"setGradientOption:": adapter.Method(func(k kernel, c *objcsoft.Call) {
				if v := c.Uint(0); v < 1 || v > mpsdata.CNNConvolutionGradientOptionAll {
					adapter.Misuse(c, "gradient option %d; there are data (1), weights and biases (2), and all (3)", v)
					return
				}
				k.option = c.Uint(0)
			}),
		}, map[string]func(k kernel) int{"groups": groups,
			"sourceGradientFeatureChannels": func(k kernel) int { return k.out },
			"sourceImageFeatureChannels":    func(k kernel) int { return k.in }})
		if !transposed {
			m["channelMultiplier"] = adapter.Method(func(k kernel, c *objcsoft.Call) {
				c.ReturnUint(uint64(k.multiplier()))
			})
		}
		return m
	}
	transpose := weightMethods(adapter.Methods{
		"initWithDevice:weights:": initWeights(newTranspose),
		"exportWeightsAndBiasesWithCommandBuffer:resultStateCanBeTemporary:": adapter.Method(kernel.export),
	}, map[string]func(k kernel) int{"inputFeatureChannels": func(k kernel) int { return k.in },
		"outputFeatureChannels": func(k kernel) int { return k.out }, "groups": groups})
	encodeMethods(transpose, "convolutionGradientState:", "sourceImage:", cnnArguments{sources: []int{1}, states: 2})
	return []adapter.Class{
		withProperties(adapter.Class{Name: "MPSCNNConvolutionTranspose", Super: "MPSCNNKernel", Methods: transpose},
			map[string]uintptr{"accumulatorPrecisionOption": 1}),
		withProperties(adapter.Class{Name: "MPSCNNConvolutionGradient", Super: "MPSCNNGradientKernel",
			Methods: gradient(false, false)}, nil),
		{Name: "MPSCNNFullyConnectedGradient", Super: "MPSCNNConvolutionGradient", Methods: adapter.Methods{
			"initWithDevice:weights:": initWeights(func() *convolution { return newConvolutionGradient(true, false) })}},
		{Name: "MPSCNNConvolutionTransposeGradient", Super: "MPSCNNGradientKernel", Methods: gradient(false, true)},
		convolutionStateClass("MPSCNNConvolutionGradientState", "MPSNNGradientState"),
		{Name: "MPSCNNConvolutionTransposeGradientState", Super: "MPSCNNConvolutionGradientState",
			Methods: adapter.Methods{"convolutionTranspose": adapter.Method(func(s *convolutionState, c *objcsoft.Call) {
				c.ReturnShared(s.convolution)
			})}},
	}
}

func convolutionStateClass(name, super string) adapter.Class {
	type state = *convolutionState
	id := func(get func(s state) objcsoft.ID) objcsoft.Imp {
		return adapter.Method(func(s state, c *objcsoft.Call) { c.ReturnShared(get(s)) })
	}
	return adapter.Class{Name: name, Super: super, Protocols: []string{"MPSImageSizeEncodingState"},
		Methods: adapter.Methods{
			"convolution":              id(func(s state) objcsoft.ID { return s.convolution }),
			"gradientForWeights":       id(func(s state) objcsoft.ID { return objcsoft.ID(s.weights.ID()) }),
			"gradientForBiases":        id(func(s state) objcsoft.ID { return objcsoft.ID(s.biases.ID()) }),
			"gradientForWeightsLayout": adapter.Constantly(mpsdata.CNNConvolutionWeightsLayoutOHWI),
			"sourceWidth": adapter.Method(func(s state, c *objcsoft.Call) {
				c.ReturnUint(uint64(s.sources[0].width))
			}),
			"sourceHeight": adapter.Method(func(s state, c *objcsoft.Call) {
				c.ReturnUint(uint64(s.sources[0].height))
			}),
		}}
}
