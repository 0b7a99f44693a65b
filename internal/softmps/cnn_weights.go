package softmps

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/simd/float16"
)

// convolutionDescriptor is the payload of an MPSCNNConvolutionDescriptor and of its subclasses.
type convolutionDescriptor struct {
	values    map[string]uint64 // properties by name
	depthwise bool
	neuron    objcsoft.ID // an MPSNNNeuronDescriptor, retained
	filter    objcsoft.ID // an MPSCNNNeuron, retained
	// scale and offset are those of a batch normalization; nil: none.
	scale, offset []float32
}

// layer is the geometry of a convolution.
type layer struct {
	in, out, groups int
	windows         [2]cnnWindow
	depthwise       bool
	subPixel        int
}

// perGroup returns how many input channels each output channel has.
func (l *layer) perGroup() int { return l.in / l.groups }

// weights returns how many weights there are.
func (l *layer) weights() int {
	return l.out * l.windows[0].size * l.windows[1].size * l.perGroup()
}

// shape returns the shape of the weights.
func (l *layer) shape() []int {
	return []int{l.out, l.windows[1].size, l.windows[0].size, l.perGroup()}
}

// multiplier returns the outputs of each input channel of a depthwise convolution, and else 0.
func (l *layer) multiplier() int {
	if !l.depthwise {
		return 0
	}
	return l.out / l.in
}

// check returns an error for a property that is no number of channels, pixels or groups.
func (d *convolutionDescriptor) check(name string) error {
	const most = 1 << 14
	if v := d.values[name]; v < 1 || v > most {
		return fmt.Errorf("%s is %d; it must be 1 to %d", name, v, most)
	}
	return nil
}

// layer returns the geometry that the descriptor describes.
func (d *convolutionDescriptor) layer() (layer, error) {
	for name := range d.values {
		if err := d.check(name); err != nil {
			return layer{}, err
		}
	}
	v := func(name string) int { return int(d.values[name]) }
	l := layer{in: v("inputFeatureChannels"), out: v("outputFeatureChannels"), groups: v("groups"),
		depthwise: d.depthwise, subPixel: v("subPixelScaleFactor")}
	for i, axis := range [2]string{"X", "Y"} {
		l.windows[i] = cnnWindow{v([2]string{"kernelWidth", "kernelHeight"}[i]), v("strideInPixels" + axis),
			v("dilationRate" + axis)}
	}
	if d.depthwise {
		if l.groups != 1 || l.out%l.in != 0 {
			return l, fmt.Errorf("a depthwise convolution of %d to %d channels in %d groups; the output channels must be "+
				"a multiple of the input channels, and groups 1", l.in, l.out, l.groups)
		}
		l.groups = l.in
	}
	if l.in%l.groups != 0 || l.out%l.groups != 0 {
		return l, fmt.Errorf("%d groups of %d input and %d output channels; both must be multiples of the groups",
			l.groups, l.in, l.out)
	}
	if l.out%(l.subPixel*l.subPixel) != 0 {
		return l, fmt.Errorf("%d output channels with sub-pixel scale factor %d; they must be a multiple of its square",
			l.out, l.subPixel)
	}
	return l, nil
}

// activation returns the neuron that follows the convolution.
func (d *convolutionDescriptor) activation(rt *objcsoft.Runtime) (activation, error) {
	if n, ok := adapter.PayloadOf[*neuronKernel](rt, d.filter); ok {
		return n.activation, nil
	}
	return activationOf(rt, d.neuron)
}

// source is where a convolution's weights come from.
type weightSource struct {
	layer
	activation
	scale, offset []float32
	neuron        objcsoft.ID // descriptor
	filter        objcsoft.ID // or the deprecated filter in its place
	label         string
	weights       []float32
	biases        []float32 // nil: none
}

// floatsIn returns numbers of a type in memory as float32.
func floatsIn(b []byte, dataType uint64) []float32 {
	le := binary.LittleEndian
	var v []float32
	switch dataType {
	case mpsdata.DataTypeFloat32:
		for i := 0; i+4 <= len(b); i += 4 {
			v = append(v, float32At(b, i))
		}
	case mpsdata.DataTypeFloat16:
		for i := 0; i+2 <= len(b); i += 2 {
			v = append(v, float16.Half(le.Uint16(b[i:])).Float32())
		}
	default:
		for _, x := range b {
			v = append(v, float32(x))
		}
	}
	return v
}

// dataSource is an object that implements MPSCNNConvolutionDataSource.
type dataSource struct {
	rt *objcsoft.Runtime
	id objcsoft.ID
}

// send sends a message without arguments; optional ones that the object does not implement are 0.
func (s dataSource) send(sel, enc string, optional bool) (uintptr, error) {
	if optional && !s.rt.RespondsTo(s.id, s.rt.Sel(sel)) {
		return 0, nil
	}
	return s.rt.Message(s.id, sel, enc)
}

// load reads everything from a data source, between its load and its purge.
func (s dataSource) load() (w weightSource, err error) {
	ok, err := s.send("load", "B@:", false)
	if err != nil {
		return w, err
	}
	if ok&0xff == 0 {
		return w, fmt.Errorf("the data source could not load")
	}
	w, err = s.read()
	if _, e := s.send("purge", "v@:", false); err == nil {
		err = e
	}
	return w, err
}

func (s dataSource) read() (w weightSource, err error) {
	id, err := s.send("descriptor", "@@:", false)
	if err != nil {
		return w, err
	}
	d, ok := adapter.PayloadOf[*convolutionDescriptor](s.rt, objcsoft.ID(id))
	if !ok {
		return w, fmt.Errorf("the data source's descriptor is no MPSCNNConvolutionDescriptor")
	}
	if w, err = d.source(s.rt); err != nil {
		return w, err
	}
	dataType, err := s.send("dataType", "I@:", false)
	if err != nil {
		return w, err
	}
	sizes := map[uint64]uint64{mpsdata.DataTypeFloat32: 4, mpsdata.DataTypeFloat16: 2, mpsdata.DataTypeUInt8: 1}
	kind := uint64(uint32(dataType))
	size := sizes[kind]
	if size == 0 {
		return w, fmt.Errorf("weights of MPSDataType %#x; the software device takes float32, float16 and uint8", kind)
	}
	layout, err := s.send("weightsLayout", "I@:", true)
	if err == nil && uint32(layout) != mpsdata.CNNConvolutionWeightsLayoutOHWI {
		err = fmt.Errorf("weights layout %d; there is only OHWI (0)", uint32(layout))
	}
	if err != nil {
		return w, err
	}
	if w.weights, err = s.floats("weights", "^v@:", w.layer.weights(), kind, size); err != nil {
		return w, err
	}
	if kind == mpsdata.DataTypeUInt8 {
		if err = s.dequantize(&w); err != nil {
			return w, err
		}
	}
	if w.biases, err = s.floats("biasTerms", "^f@:", w.out, mpsdata.DataTypeFloat32, 4); err != nil {
		return w, err
	}
	label, err := s.send("label", "@@:", true)
	if err == nil && label != 0 {
		w.label, err = s.rt.GoString(objcsoft.ID(label))
	}
	return w, err
}

// floats reads n numbers at an address that the data source returns. Only biases may be missing.
func (s dataSource) floats(sel, enc string, n int, kind, size uint64) ([]float32, error) {
	address, err := s.send(sel, enc, false)
	if err != nil {
		return nil, err
	}
	if address == 0 {
		if sel == "biasTerms" {
			return nil, nil
		}
		return nil, fmt.Errorf("the data source's %s are nil", sel)
	}
	b, err := objcsoft.ReadMemory(address, uint64(n)*size)
	if err != nil {
		return nil, fmt.Errorf("the data source's %s: %w", sel, err)
	}
	return floatsIn(b, kind), nil
}

// dequantize turns weights of a byte to numbers: by a table of 256, or by a range for each output
// channel.
func (s dataSource) dequantize(w *weightSource) error {
	const ranges, table = "rangesForUInt8Kernel", "lookupTableForUInt8Kernel"
	kind, err := s.send("weightsQuantizationType", "I@:", true)
	if err != nil {
		return err
	}
	has := func(sel string) bool { return s.rt.RespondsTo(s.id, s.rt.Sel(sel)) }
	byTable := uint32(kind) == mpsdata.CNNWeightsQuantizationTypeLookupTable ||
		uint32(kind) == mpsdata.CNNWeightsQuantizationTypeNone && has(table)
	switch {
	case byTable && has(table):
		values, err := s.floats(table, "^f@:", 256, mpsdata.DataTypeFloat32, 4)
		if err != nil {
			return err
		}
		for i, v := range w.weights {
			w.weights[i] = values[int(v)]
		}
	case !byTable && has(ranges):
		values, err := s.floats(ranges, "^<2f>@:", 2*w.out, mpsdata.DataTypeFloat32, 4)
		if err != nil {
			return err
		}
		each := len(w.weights) / w.out
		for i, v := range w.weights {
			low, high := values[2*(i/each)], values[2*(i/each)+1]
			w.weights[i] = v/255*(high-low) + low
		}
	default:
		return fmt.Errorf("the data source has weights of uint8 and implements neither %s nor %s", ranges, table)
	}
	return nil
}

// source returns what a descriptor says, without weights.
func (d *convolutionDescriptor) source(rt *objcsoft.Runtime) (w weightSource, err error) {
	if w.layer, err = d.layer(); err != nil {
		return w, err
	}
	if w.activation, err = d.activation(rt); err != nil {
		return w, err
	}
	w.scale, w.offset, w.neuron, w.filter = d.scale, d.offset, d.neuron, d.filter
	if d.scale != nil && len(d.scale) != w.out {
		return w, fmt.Errorf("a batch normalization of %d channels for %d outputs", len(d.scale), w.out)
	}
	return w, nil
}

// setNormalization sets the factors and terms of a batch normalization for inference.
func (d *convolutionDescriptor) setNormalization(c *objcsoft.Call) {
	if err := d.check("outputFeatureChannels"); err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	n := int(d.values["outputFeatureChannels"])
	epsilon := c.F32(4)
	var lists [4][]float32 // mean, variance, gamma, beta
	for i := range lists {
		lists[i] = make([]float32, n)
		if c.Word(i) != 0 {
			var ok bool
			if lists[i], ok = floatsArg(c, i, n); !ok {
				return
			}
		} else if i == 1 || i == 2 {
			for j := range lists[i] {
				lists[i][j] = 1
			}
		}
	}
	d.scale, d.offset = make([]float32, n), make([]float32, n)
	for i := range n {
		s := float64(lists[2][i]) / math.Sqrt(float64(lists[1][i])+float64(epsilon))
		d.scale[i] = float32(s)
		d.offset[i] = float32(float64(lists[3][i]) - float64(lists[0][i])*s)
	}
}

// setNeuron sets a new descriptor of a neuron, +1.
func (d *convolutionDescriptor) setNeuron(c *objcsoft.Call, id, filter objcsoft.ID) {
	old := []objcsoft.ID{d.neuron, d.filter}
	d.neuron, d.filter = id, filter
	for _, id := range old {
		if err := c.RT.Release(id); err != nil {
			c.Fail(err)
		}
	}
}

// newNeuronDescriptor makes a descriptor of a neuron, +1.
func newNeuronDescriptor(rt *objcsoft.Runtime, kind uint64, a, b uintptr) objcsoft.ID {
	id := adapter.NewInstance(rt, "MPSNNNeuronDescriptor")
	if r, ok := adapter.PayloadOf[*adapter.Record](rt, id); ok {
		r.SetUint("neuronType", kind)
		r.SetUint("a", uint64(a))
		r.SetUint("b", uint64(b))
	}
	return id
}

// allocConvolutionDescriptor gives a new descriptor its defaults.
func allocConvolutionDescriptor(o *objcsoft.Object) {
	o.Payload = &convolutionDescriptor{depthwise: o.Class().Name == "MPSCNNDepthWiseConvolutionDescriptor",
		values: map[string]uint64{"kernelWidth": 1, "kernelHeight": 1, "inputFeatureChannels": 1,
			"outputFeatureChannels": 1, "groups": 1, "subPixelScaleFactor": 1, "strideInPixelsX": 1,
			"strideInPixelsY": 1, "dilationRateX": 1, "dilationRateY": 1}}
}

// newConvolutionDescriptor makes a descriptor with the sizes in the arguments of a class method,
// and with the neuron in the one after them if filter is set.
func newConvolutionDescriptor(filter bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		id := adapter.NewInstance(c.RT, c.Class().Name)
		d, _ := adapter.PayloadOf[*convolutionDescriptor](c.RT, id)
		for i, name := range []string{"kernelWidth", "kernelHeight", "inputFeatureChannels", "outputFeatureChannels"} {
			d.values[name] = c.Uint(i)
		}
		if filter && c.ID(4) != 0 {
			if err := c.RT.Retain(c.ID(4)); err != nil {
				c.Fail(err)
				return
			}
			d.filter = c.ID(4)
		}
		c.ReturnAutoreleased(id)
	}
}

func convolutionDescriptorClasses() []adapter.Class {
	type desc = *convolutionDescriptor
	m := adapter.Methods{}
	property := func(m adapter.Methods, name string) {
		m[name] = adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnUint(d.values[name]) })
		m[adapter.Setter(name)] = adapter.Method(func(d desc, c *objcsoft.Call) { d.values[name] = c.Uint(0) })
	}
	for _, name := range []string{"kernelWidth", "kernelHeight", "inputFeatureChannels", "outputFeatureChannels",
		"strideInPixelsX", "strideInPixelsY", "dilationRateX", "dilationRateY", "groups"} {
		property(m, name)
	}
	retained := func(set func(d desc, c *objcsoft.Call, id objcsoft.ID)) objcsoft.Imp {
		return adapter.Method(func(d desc, c *objcsoft.Call) {
			if id := c.ID(0); id != 0 {
				if err := c.RT.Retain(id); err != nil {
					c.Fail(err)
					return
				}
			}
			set(d, c, c.ID(0))
		})
	}
	m["fusedNeuronDescriptor"] = adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnShared(d.neuron) })
	m["setFusedNeuronDescriptor:"] = retained(func(d desc, c *objcsoft.Call, id objcsoft.ID) { d.setNeuron(c, id, 0) })
	m["neuron"] = adapter.Method(func(d desc, c *objcsoft.Call) { c.ReturnShared(d.filter) })
	m["setNeuron:"] = retained(func(d desc, c *objcsoft.Call, id objcsoft.ID) { d.setNeuron(c, 0, id) })
	m["setNeuronType:parameterA:parameterB:"] = adapter.Method(func(d desc, c *objcsoft.Call) {
		kind := uint64(uint32(c.Uint(0)))
		if kind == mpsdata.CNNNeuronTypePReLU {
			adapter.Misuse(c, "a PReLU neuron has a parameter for each channel; use setNeuronToPReLUWithParametersA:")
			return
		}
		d.setNeuron(c, newNeuronDescriptor(c.RT, kind, c.Word(1), c.Word(2)), 0)
	})
	m["setNeuronToPReLUWithParametersA:"] = retained(func(d desc, c *objcsoft.Call, data objcsoft.ID) {
		id := newNeuronDescriptor(c.RT, mpsdata.CNNNeuronTypePReLU, 0, 0)
		if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
			r.Own(c.RT, "data", data)
		}
		d.setNeuron(c, id, 0)
	})
	neuronGetters[desc](m, func(d desc, c *objcsoft.Call) activation {
		a, err := d.activation(c.RT)
		if err != nil {
			adapter.Misuse(c, "%v", err)
		}
		return a
	}, false)
	m["setBatchNormalizationParametersForInferenceWithMean:variance:gamma:beta:epsilon:"] = adapter.Method(
		desc.setNormalization)
	const made = "cnnConvolutionDescriptorWithKernelWidth:kernelHeight:inputFeatureChannels:outputFeatureChannels:"
	class := adapter.Methods{
		made: newConvolutionDescriptor(false), made + "neuronFilter:": newConvolutionDescriptor(true),
		"supportsSecureCoding": func(c *objcsoft.Call) { c.ReturnBool(false) }, // there is no NSCoder
	}
	m["copyWithZone:"] = adapter.Method(func(d desc, c *objcsoft.Call) {
		n := *d
		n.values = map[string]uint64{}
		for name, v := range d.values {
			n.values[name] = v
		}
		for _, id := range []objcsoft.ID{d.neuron, d.filter} {
			if id != 0 {
				if err := c.RT.Retain(id); err != nil {
					c.Fail(err)
					return
				}
			}
		}
		c.ReturnID(c.RT.NewObject(c.Self.Class(), &n))
	})
	subPixel := adapter.Methods{}
	property(subPixel, "subPixelScaleFactor")
	return []adapter.Class{
		{Name: "MPSCNNConvolutionDescriptor", Protocols: []string{"NSCopying"}, Methods: m, ClassMethods: class,
			Alloc:   allocConvolutionDescriptor,
			Dealloc: adapter.DeallocHook(func(d desc, o *objcsoft.Object) { o.Drop(d.neuron, d.filter) })},
		{Name: "MPSCNNDepthWiseConvolutionDescriptor", Super: "MPSCNNConvolutionDescriptor",
			Methods: adapter.Methods{"channelMultiplier": adapter.Method(func(d desc, c *objcsoft.Call) {
				c.ReturnUint(d.values["outputFeatureChannels"] / max(1, d.values["inputFeatureChannels"]))
			})}},
		{Name: "MPSCNNSubPixelConvolutionDescriptor", Super: "MPSCNNConvolutionDescriptor", Methods: subPixel},
	}
}

// neuronGetters adds the getters of a fused neuron's type and parameters.
func neuronGetters[T any](m adapter.Methods, get func(p T, c *objcsoft.Call) activation, third bool) {
	m["neuronType"] = adapter.Method(func(p T, c *objcsoft.Call) { c.ReturnUint(get(p, c).kind) })
	m["neuronParameterA"] = adapter.Method(func(p T, c *objcsoft.Call) { c.ReturnF32(get(p, c).a) })
	m["neuronParameterB"] = adapter.Method(func(p T, c *objcsoft.Call) { c.ReturnF32(get(p, c).b) })
	if third {
		m["neuronParameterC"] = adapter.Method(func(p T, c *objcsoft.Call) { c.ReturnF32(get(p, c).c) })
	}
}

// weightsState is the payload of an MPSCNNConvolutionWeightsAndBiasesState: float32 weights and
// biases in buffers.
type weightsState struct {
	State
	weights, biases             mtl.Buffer // not nil, but for the biases of the program; retained
	weightsOffset, biasesOffset uint64
	count, outputs              int // 0: not known
}

func (s *weightsState) freeState(*objcsoft.Object) {
	for _, b := range []mtl.Buffer{s.weights, s.biases} {
		if !b.IsNil() {
			b.Release()
		}
	}
}

// newWeightsState makes a state with memory for the weights of a layer.
func newWeightsState(d mtl.Device, l *layer) (*weightsState, error) {
	s := &weightsState{count: l.weights(), outputs: l.out}
	for _, part := range []struct {
		to *mtl.Buffer
		n  int
	}{{&s.weights, s.count}, {&s.biases, s.outputs}} {
		b, err := s.buffer(d, 4*part.n)
		if err != nil {
			return nil, err
		}
		b.Retain() // the list of resources has the other reference
		*part.to = b
	}
	d.Retain()
	s.device = d
	return s, nil
}

// fits returns an error if the state does not have what a layer needs.
func (s *weightsState) fits(l *layer) error {
	if s.count != 0 && s.count != l.weights() {
		return fmt.Errorf("a state of %d weights for a convolution with %d", s.count, l.weights())
	}
	for _, part := range []struct {
		name   string
		buffer mtl.Buffer
		offset uint64
		n      int
	}{{"weights", s.weights, s.weightsOffset, l.weights()}, {"biases", s.biases, s.biasesOffset, l.out}} {
		if !part.buffer.IsNil() && uint64(part.buffer.Length()) < part.offset+uint64(4*part.n) {
			return fmt.Errorf("a buffer of %d bytes for %d %s at offset %d", part.buffer.Length(), part.n, part.name,
				part.offset)
		}
	}
	return nil
}
