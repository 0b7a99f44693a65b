package softmps

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// convolution is the payload of convolutions, transpose convolutions, fully connected layers and
// their gradients.
type convolution struct {
	cnnKernel
	layer
	activation
	scale, offset []float32   // of a batch normalization after the sum; nil: none
	neuron        objcsoft.ID // the fused neuron's descriptor, retained
	filter        objcsoft.ID // or the filter in its place, retained
	data          objcsoft.ID // the data source, 0 for weights that the initializer got
	weights       mtl.Buffer  // float32: outputs, rows, columns, inputs of a group
	biases        mtl.Buffer  // float32, zeros without biases
	full          bool        // fully connected: the window is the source
	transposed    bool
	option        uint64 // of a gradient
}

// taken fills the convolution in with what a data source said.
func (k *convolution) taken(c *objcsoft.Call, w *weightSource) bool {
	k.activation, k.scale, k.offset = w.activation, w.scale, w.offset
	for i := range k.sources {
		if !k.setWindow(c, i, w.windows) {
			return false
		}
	}
	for _, id := range []objcsoft.ID{w.neuron, w.filter} {
		if id != 0 {
			if err := c.RT.Retain(id); err != nil {
				c.Fail(err)
				return false
			}
		}
	}
	k.neuron, k.filter = w.neuron, w.filter
	if w.label != "" {
		k.SetText(w.label)
	}
	return true
}

// upload puts weights and biases into new buffers, so that work under way keeps the old ones.
func (k *convolution) upload(d mtl.Device, w *weightSource) error {
	if len(w.weights) != k.layer.weights() || w.biases != nil && len(w.biases) != k.out {
		return fmt.Errorf("%d weights and %d biases; the convolution has %d and %d", len(w.weights), len(w.biases),
			k.layer.weights(), k.out)
	}
	biases := w.biases
	if biases == nil {
		biases = make([]float32, k.out)
	}
	j := &imageJob{device: d}
	weights, err := j.floats(w.weights)
	if err != nil {
		return err
	}
	terms, err := j.floats(biases)
	if err != nil {
		j.free()
		return err
	}
	k.drop()
	k.weights, k.biases = weights.Buffer, terms.Buffer
	return nil
}

// drop releases the buffers.
func (k *convolution) drop() {
	for _, b := range []mtl.Buffer{k.weights, k.biases} {
		if !b.IsNil() {
			b.Release()
		}
	}
	k.weights, k.biases = mtl.Buffer{}, mtl.Buffer{}
}

// init gives the receiver of an init method its payload: weights come from a source.
func (k *convolution) init(c *objcsoft.Call, w *weightSource, data objcsoft.ID) {
	d, ok := DeviceArg(c, 0)
	if !ok {
		return
	}
	if err := k.check(w); err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return
	}
	k.layer = w.layer
	if err := k.upload(d, w); err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return
	}
	if !k.taken(c, w) {
		return
	}
	if data != 0 {
		if err := c.RT.Retain(data); err != nil {
			c.Fail(err)
			return
		}
		k.data = data
	}
	k.free = func(o *objcsoft.Object) {
		k.drop()
		o.Drop(k.neuron, k.filter, k.data)
	}
	initCNN(c, k)
	if k.full && k.sources == 1 {
		if p, ok := adapter.PayloadOf[*nnPadding](c.RT, k.padding); ok {
			p.method = mpsdata.NNPaddingMethodSizeValidOnly
		}
	}
}

// check returns an error for what the class does not do.
func (k *convolution) check(w *weightSource) error {
	gradient := k.sources > 1
	switch {
	case w.subPixel > 1 && (gradient || k.transposed || k.full):
		return fmt.Errorf("sub-pixel scale factor %d; only a convolution takes one", w.subPixel)
	case gradient && (!w.activation.none() || w.scale != nil):
		return fmt.Errorf("the descriptor has a fused neuron or a batch normalization; " +
			"there is only a gradient of the convolution itself")
	case k.full && (w.groups != 1 || w.windows[0].stride != 1 || w.windows[1].stride != 1):
		return fmt.Errorf("%d groups and strides %d and %d; a fully connected layer takes 1", w.groups,
			w.windows[0].stride, w.windows[1].stride)
	}
	return nil
}

// reload reads the data source again.
func (k *convolution) reload(c *objcsoft.Call) {
	if k.data == 0 {
		adapter.Misuse(c, "%s: it was made without a data source", c.Self.Class().Name)
		return
	}
	w, err := dataSource{c.RT, k.data}.load()
	if err == nil {
		err = k.upload(k.Device, &w)
	}
	if err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
	}
}

// tensorOf returns float32 numbers in a buffer as a tensor.
func tensorOf(d mtl.Device, b mtl.Buffer, offset uint64, shape ...int) *NDArray {
	return &NDArray{View: tensorop.Dense(tensorop.Float32, shape...), Device: d, Buffer: b, Offset: uint(offset)}
}

// weightTensor returns the weights: outputs, rows, columns, inputs of a group.
func (k *convolution) weightTensor() *NDArray {
	return tensorOf(k.Device, k.weights, 0, k.layer.shape()...)
}

// move copies weights and biases between the convolution and a state, on the device.
func (k *convolution) move(c *objcsoft.Call, s *weightsState, load bool) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return
	}
	if err := s.fits(&k.layer); err != nil {
		adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
		return
	}
	ours := []*NDArray{k.weightTensor()}
	theirs := []*NDArray{tensorOf(k.Device, s.weights, s.weightsOffset, k.layer.shape()...)}
	if !s.biases.IsNil() {
		ours = append(ours, tensorOf(k.Device, k.biases, 0, k.out))
		theirs = append(theirs, tensorOf(k.Device, s.biases, s.biasesOffset, k.out))
	}
	if load {
		ours, theirs = theirs, ours
	}
	Encode(c, k.Device, cb, ours, theirs, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		for i := range in {
			b.Copy(out[i], in[i])
		}
	})
}

// input checks that a source has the channels that the convolution reads, and limits it to them.
func (k *convolution) input(j *cnnJob, source, channels int) error {
	s := &j.sources[source]
	if s.channels < channels {
		return fmt.Errorf("source %d has %d feature channels; the convolution reads %d", source, s.channels, channels)
	}
	s.channels = channels
	return nil
}

// imageLayout returns a tensor of images as batch, channels, rows and columns.
func imageLayout(o tensorop.Operand) tensorop.Operand { return o.With(o.Transpose(0, 3, 1, 2)) }

// steps returns the window for package tensorop: rows, then columns.
func (l *layer) steps(strides bool) tensorop.Window {
	w := tensorop.Window{Dilations: []int{l.windows[1].dilation, l.windows[0].dilation}}
	if strides {
		w.Strides = []int{l.windows[1].stride, l.windows[0].stride}
	}
	return w
}

// forward encodes a convolution.
func (k *convolution) forward(j *cnnJob) error {
	if err := k.input(j, 0, k.in); err != nil {
		return err
	}
	r, s, w := k.subPixel, &j.sources[0], k.windows
	width, height := (j.out.width+r-1)/r, (j.out.height+r-1)/r
	x, y := s.x-w[0].center(), s.y-w[1].center()
	if k.full {
		if x, y = 0, 0; width != 1 || height != 1 || w[0].size != s.width || w[1].size != s.height {
			return fmt.Errorf("a source of %d by %d and a result of %d by %d pixels; the source must be as large as "+
				"the window, which has %d by %d, and the result 1 by 1", s.width, s.height, width, height, w[0].size,
				w[1].size)
		}
	}
	in, err := j.load(0, x, y, w[0].span(width), w[1].span(height))
	if err != nil {
		return err
	}
	sum, err := j.tensor(j.count, height, width, k.out)
	if err != nil {
		return err
	}
	err = j.compute([]*NDArray{in, k.weightTensor()}, []*NDArray{sum}, func(b *tensorop.Builder, in,
		out []tensorop.Operand) {
		b.Conv(imageLayout(out[0]), imageLayout(in[0]), imageLayout(in[1]), k.steps(true), k.groups)
	})
	if err == nil {
		err = k.finish(j, sum)
	}
	return err
}

// finish adds the biases to the sums, and applies the batch normalization and the neuron.
func (k *convolution) finish(j *cnnJob, sum *NDArray) error {
	more := []*NDArray{sum, tensorOf(k.Device, k.biases, 0, k.out)}
	if k.scale != nil {
		for _, list := range [][]float32{k.scale, k.offset} {
			t, err := j.constant(list, k.out)
			if err != nil {
				return err
			}
			more = append(more, t)
		}
	}
	slope := len(more)
	slopes, err := k.activation.inputs(j, k.out)
	if err != nil {
		return err
	}
	result, err := j.tensor(sum.Shape...)
	if err != nil {
		return err
	}
	err = j.compute(append(more, slopes...), []*NDArray{result}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		mapTo(b, out[0], in, func(s *instrs) {
			v := s.add("add", 0, 1)
			if k.scale != nil {
				v = s.add("fma", v, 2, 3)
			}
			k.activation.write(b, s, v, slope)
		})
	})
	if err != nil {
		return err
	}
	if k.subPixel > 1 {
		if result, err = k.shuffle(j, result); err != nil {
			return err
		}
	}
	return j.save(result)
}

// shuffle turns the channels of each pixel into a block of pixels, and crops to the clip rectangle.
func (k *convolution) shuffle(j *cnnJob, in *NDArray) (*NDArray, error) {
	r, n, channels := k.subPixel, in.Shape[0], k.out/(k.subPixel*k.subPixel)
	rows, columns := in.Shape[1], in.Shape[2]
	blocks, err := j.tensor(n, rows*r, columns*r, channels)
	if err != nil {
		return nil, err
	}
	out, err := j.tensor(n, j.out.height, j.out.width, channels)
	if err != nil {
		return nil, err
	}
	from := tensorop.Dense(tensorop.Float32, n, rows, columns, r, r, channels).Transpose(0, 1, 3, 2, 4, 5)
	to := tensorop.Dense(tensorop.Float32, n, rows, r, columns, r, channels)
	err = j.compute([]*NDArray{in}, []*NDArray{blocks}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		b.Copy(out[0].With(to), in[0].With(from))
	})
	if err == nil {
		err = j.compute([]*NDArray{blocks}, []*NDArray{out}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
			b.Copy(out[0], crop(b, in[0], 0, 0, j.out.width, j.out.height))
		})
	}
	return out, err
}

// resultChannels returns the feature channels of a result.
func (k *convolution) resultChannels(*cnnKernel, []*Image) int {
	return k.out / (k.subPixel * k.subPixel)
}

// newConvolution makes the payload of a convolution or of a fully connected layer.
func newConvolution(full bool) *convolution {
	k := &convolution{full: full}
	k.cnnOp = cnnOp{sources: 1, shared: true, stateClass: "MPSCNNConvolutionGradientState",
		channels: k.resultChannels, state: k.gradientState,
		build: func(_ *cnnKernel, j *cnnJob) error { return k.forward(j) }}
	k.enlarge = func() int { return k.subPixel }
	return k
}

// initWeights makes initWithDevice:weights: of a class.
func initWeights(made func() *convolution) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		if c.ID(1) == 0 {
			adapter.Misuse(c, "%s: the data source is nil", c.Self.Class().Name)
			return
		}
		w, err := dataSource{c.RT, c.ID(1)}.load()
		if err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			return
		}
		made().init(c, &w, c.ID(1))
	}
}

// initKernelWeights makes initWithDevice:convolutionDescriptor:kernelWeights:biasTerms:flags:.
func initKernelWeights(made func() *convolution) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		d, ok := adapter.Payload[*convolutionDescriptor](c, 1)
		if !ok {
			if !c.Failed() {
				adapter.Misuse(c, "%s: the descriptor is nil", c.Self.Class().Name)
			}
			return
		}
		if c.Uint(4) != mpsdata.CNNConvolutionFlagsNone {
			adapter.Misuse(c, "%s: flags %#x; there are none", c.Self.Class().Name, c.Uint(4))
			return
		}
		w, err := d.source(c.RT)
		if err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			return
		}
		if w.weights, ok = floatsArg(c, 2, w.layer.weights()); !ok {
			return
		}
		if c.Word(3) != 0 {
			if w.biases, ok = floatsArg(c, 3, w.out); !ok {
				return
			}
		}
		made().init(c, &w, 0)
	}
}

// weightMethods are those of all classes that have weights.
func weightMethods(m adapter.Methods, more map[string]func(k *convolution) int) adapter.Methods {
	type kernel = *convolution
	for name, get := range more {
		m[name] = adapter.Method(func(k kernel, c *objcsoft.Call) { c.ReturnUint(uint64(get(k))) })
	}
	m["dataSource"] = adapter.Method(func(k kernel, c *objcsoft.Call) { c.ReturnShared(k.data) })
	m["reloadWeightsAndBiasesFromDataSource"] = adapter.Method(kernel.reload)
	m["reloadWeightsAndBiasesWithCommandBuffer:state:"] = adapter.Method(func(k kernel, c *objcsoft.Call) {
		s, ok := adapter.Payload[*weightsState](c, 1)
		if !ok {
			if !c.Failed() {
				adapter.Misuse(c, "%s: the state is nil", c.Self.Class().Name)
			}
			return
		}
		if err := s.usable(); err != nil {
			adapter.Misuse(c, "%v", err)
			return
		}
		if k.move(c, s, true); !c.Failed() {
			s.read()
		}
	})
	return m
}

// export answers exportWeightsAndBiasesWithCommandBuffer:resultStateCanBeTemporary:.
func (k *convolution) export(c *objcsoft.Call) {
	var s *weightsState
	var err error
	objc.Pool(func() { s, err = newWeightsState(k.Device, &k.layer) })
	if err != nil {
		c.Fail(err)
		return
	}
	id := c.RT.NewObject(c.RT.Class("MPSCNNConvolutionWeightsAndBiasesState"), s)
	k.move(c, s, false)
	c.ReturnAutoreleased(id)
}

func convolutionClasses() []adapter.Class {
	type kernel = *convolution
	in, out := func(k kernel) int { return k.in }, func(k kernel) int { return k.out }
	groups := func(k kernel) int { // those of the descriptor
		if k.depthwise {
			return 1
		}
		return k.groups
	}
	const weights, kernelWeights = "initWithDevice:weights:",
		"initWithDevice:convolutionDescriptor:kernelWeights:biasTerms:flags:"
	made := func(full bool) func() *convolution { return func() *convolution { return newConvolution(full) } }
	fused := func(k kernel, c *objcsoft.Call) { c.ReturnShared(k.neuron) }
	filter := func(k kernel, c *objcsoft.Call) { c.ReturnShared(k.filter) }
	m := weightMethods(adapter.Methods{
		weights: initWeights(made(false)), kernelWeights: initKernelWeights(made(false)),
		"exportWeightsAndBiasesWithCommandBuffer:resultStateCanBeTemporary:": adapter.Method(kernel.export),
		"reloadWeightsAndBiasesWithDataSource:":                              adapter.Method(kernel.reload),
		"fusedNeuronDescriptor":                                              adapter.Method(fused),
		"neuron":                                                             adapter.Method(filter),
	}, map[string]func(k kernel) int{"inputFeatureChannels": in, "outputFeatureChannels": out, "groups": groups,
		"subPixelScaleFactor": func(k kernel) int { return k.subPixel },
		"channelMultiplier":   func(k kernel) int { return k.multiplier() }})
	neuronGetters[kernel](m, func(k kernel, _ *objcsoft.Call) activation { return k.activation }, true)
	return append([]adapter.Class{
		withProperties(adapter.Class{Name: "MPSCNNConvolution", Super: "MPSCNNKernel", Methods: m},
			map[string]uintptr{"accumulatorPrecisionOption": 1}),
		{Name: "MPSCNNFullyConnected", Super: "MPSCNNConvolution", Methods: adapter.Methods{
			weights: initWeights(made(true)), kernelWeights: initKernelWeights(made(true))}},
	}, weightStateClasses()...)
}

func weightStateClasses() []adapter.Class {
	type state = *weightsState
	shared := func(get func(s state) mtl.Buffer) objcsoft.Imp {
		return adapter.Method(func(s state, c *objcsoft.Call) { c.ReturnShared(objcsoft.ID(get(s).ID())) })
	}
	of := func(c *objcsoft.Call, arg int) (*layer, bool) {
		d, ok := adapter.Payload[*convolutionDescriptor](c, arg)
		if !ok {
			if !c.Failed() {
				adapter.Misuse(c, "the convolution descriptor is nil")
			}
			return nil, false
		}
		l, err := d.layer()
		if err != nil {
			adapter.Misuse(c, "%v", err)
		}
		return &l, err == nil
	}
	// given makes a state of the program's buffers.
	given := func(c *objcsoft.Call, weights, biases objcsoft.ID, weightsOffset, biasesOffset uint64, l *layer) {
		if weights == 0 {
			adapter.Misuse(c, "the buffer of weights is nil")
			return
		}
		s := &weightsState{weights: mtl.BufferFrom(objc.ID(weights)), biases: mtl.BufferFrom(objc.ID(biases)),
			weightsOffset: weightsOffset, biasesOffset: biasesOffset}
		if weightsOffset%4 != 0 || biasesOffset%4 != 0 {
			adapter.Misuse(c, "offsets %d and %d; both must be multiples of 4", weightsOffset, biasesOffset)
			return
		}
		if l != nil {
			s.count, s.outputs = l.weights(), l.out
			if err := s.fits(l); err != nil {
				adapter.Misuse(c, "%v", err)
				return
			}
		}
		for _, b := range []mtl.Buffer{s.weights, s.biases} {
			if b.IsNil() {
				continue
			}
			b.Retain()
			b.Retain() // the list of resources has the other reference
			s.resources = append(s.resources, stateResource{size: uint64(b.Length()), resource: mtl.ResourceFrom(b.ID())})
		}
		Init(c, s)
	}
	return []adapter.Class{{
		Name: "MPSCNNConvolutionWeightsAndBiasesState", Super: "MPSState",
		Methods: adapter.Methods{
			"weights":       shared(func(s state) mtl.Buffer { return s.weights }),
			"biases":        shared(func(s state) mtl.Buffer { return s.biases }),
			"weightsOffset": adapter.Method(func(s state, c *objcsoft.Call) { c.ReturnUint(s.weightsOffset) }),
			"biasesOffset":  adapter.Method(func(s state, c *objcsoft.Call) { c.ReturnUint(s.biasesOffset) }),
			"initWithWeights:biases:": func(c *objcsoft.Call) {
				given(c, c.ID(0), c.ID(1), 0, 0, nil)
			},
			"initWithWeights:weightsOffset:biases:biasesOffset:cnnConvolutionDescriptor:": func(c *objcsoft.Call) {
				if l, ok := of(c, 4); ok {
					given(c, c.ID(0), c.ID(2), c.Uint(1), c.Uint(3), l)
				}
			},
			"initWithDevice:cnnConvolutionDescriptor:": func(c *objcsoft.Call) {
				d, ok := DeviceArg(c, 0)
				if !ok {
					return
				}
				if l, ok := of(c, 1); ok {
					s, err := newWeightsState(d, l)
					if err != nil {
						c.Fail(err)
						return
					}
					Init(c, s)
				}
			},
		},
		ClassMethods: adapter.Methods{
			"temporaryCNNConvolutionWeightsAndBiasesStateWithCommandBuffer:cnnConvolutionDescriptor:": func(
				c *objcsoft.Call) {
				cb, ok := CommandBufferArg(c, 0)
				if !ok {
					return
				}
				l, ok := of(c, 1)
				if !ok {
					return
				}
				s, err := newWeightsState(cb.Device(), l)
				if err != nil {
					c.Fail(err)
					return
				}
				s.temporary, s.reads = true, 1
				c.ReturnAutoreleased(c.RT.NewObject(c.Class(), s))
			},
		},
	}}
}
