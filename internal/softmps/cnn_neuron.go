package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// activation is a neuron on images. PReLU has a slope for each feature channel.
type activation struct {
	neuron
	slopes []float32
}

// activationOf returns the activation that an MPSNNNeuronDescriptor describes; nil stands for none.
func activationOf(rt *objcsoft.Runtime, id objcsoft.ID) (activation, error) {
	if id == 0 {
		return activation{}, nil
	}
	r, ok := adapter.PayloadOf[*adapter.Record](rt, id)
	if !ok {
		return activation{}, fmt.Errorf("the neuron's descriptor is no MPSNNNeuronDescriptor")
	}
	number := func(name string) float32 { return math.Float32frombits(uint32(r.Word(name))) }
	a := activation{neuron: neuron{uint64(uint32(r.Uint("neuronType"))), number("a"), number("b"), number("c")}}
	if a.kind >= mpsdata.CNNNeuronTypeCount {
		return a, fmt.Errorf("a neuron of type %d; the types are 0 to %d", a.kind, mpsdata.CNNNeuronTypeCount-1)
	}
	if a.kind != mpsdata.CNNNeuronTypePReLU {
		return a, nil
	}
	b, err := rt.GoBytes(r.ID("data"))
	if err != nil || r.ID("data") == 0 {
		return a, fmt.Errorf("a PReLU neuron needs data: a float32 for each feature channel (%v)", err)
	}
	for i := 0; i+4 <= len(b); i += 4 {
		a.slopes = append(a.slopes, float32At(b, i))
	}
	return a, nil
}

// none tells whether the activation changes nothing.
func (a *activation) none() bool { return a.kind == mpsdata.CNNNeuronTypeNone }

// inputs returns the tensors that the activation needs, for images with so many feature channels.
func (a *activation) inputs(j *cnnJob, channels int) ([]*NDArray, error) {
	if a.kind != mpsdata.CNNNeuronTypePReLU {
		return nil, nil
	}
	if len(a.slopes) < channels {
		return nil, fmt.Errorf("a PReLU neuron with %d slopes for %d feature channels", len(a.slopes), channels)
	}
	t, err := j.constant(a.slopes[:channels], channels)
	return []*NDArray{t}, err
}

// sloped returns the neuron with the number of PReLU's input.
func (a *activation) sloped(slope int) sloped {
	if a.kind != mpsdata.CNNNeuronTypePReLU {
		slope = none
	}
	return sloped{a.neuron, slope}
}

// write appends f(x). slope is the number of PReLU's input.
func (a *activation) write(b *tensorop.Builder, s *instrs, x, slope int) int {
	y, err := a.sloped(slope).apply(s, x)
	if err != nil {
		b.Fail(err)
	}
	return y
}

// writeSlope appends df/dx. Where Apple's table of derivatives is not that of the function, which
// is so for the hard sigmoid and for ReLUN above its limit, this is.
func (a *activation) writeSlope(b *tensorop.Builder, s *instrs, x, slope int) int {
	y, err := a.sloped(slope).derivative(s, x)
	if err != nil {
		b.Fail(err)
	}
	return y
}

// neuronKernel is the payload of the neurons and of their gradient.
type neuronKernel struct {
	cnnKernel
	activation
	data objcsoft.ID // retained
}

// newNeuron returns the payload of a neuron, or of the gradient.
func newNeuron(gradient bool) *neuronKernel {
	n := &neuronKernel{}
	n.cnnOp = cnnOp{sources: 1, build: func(_ *cnnKernel, j *cnnJob) error { return n.forward(j) },
		state: newGradientState, stateClass: "MPSNNGradientState",
		free: func(o *objcsoft.Object) { o.Drop(n.data) }}
	if gradient {
		n.sources, n.state = 2, nil
		n.build = func(_ *cnnKernel, j *cnnJob) error { return n.backward(j) }
	}
	return n
}

func (n *neuronKernel) forward(j *cnnJob) error {
	in, err := j.aligned()
	if err != nil {
		return err
	}
	more, err := n.inputs(j, j.sources[0].channels)
	if err != nil {
		return err
	}
	return j.finish(j.shape(), append(in, more...), func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		mapTo(b, out, in, func(s *instrs) { s.add("cast", n.write(b, s, 0, 1)) })
	})
}

// backward multiplies the gradient by the derivative at the source.
func (n *neuronKernel) backward(j *cnnJob) error {
	in, err := j.aligned()
	if err != nil {
		return err
	}
	more, err := n.inputs(j, j.sources[0].channels)
	if err != nil {
		return err
	}
	return j.finish(j.shape(), append(in, more...), func(b *tensorop.Builder, out tensorop.Operand,
		in []tensorop.Operand) {
		mapTo(b, out, in, func(s *instrs) { s.add("mul", 0, n.writeSlope(b, s, 1, 2)) })
	})
}

// initNeuron answers initWithDevice:neuronDescriptor:.
func initNeuron(gradient bool) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		if c.ID(1) == 0 {
			adapter.Misuse(c, "%s: the neuron's descriptor is nil", c.Self.Class().Name)
			return
		}
		n := newNeuron(gradient)
		var err error
		if n.activation, err = activationOf(c.RT, c.ID(1)); err != nil {
			adapter.Misuse(c, "%s: %v", c.Self.Class().Name, err)
			return
		}
		r, _ := adapter.PayloadOf[*adapter.Record](c.RT, c.ID(1))
		n.init(c, r.ID("data"))
	}
}

// init gives the receiver its payload. data is NSData that it retains, or nil.
func (n *neuronKernel) init(c *objcsoft.Call, data objcsoft.ID) {
	if data != 0 {
		if err := c.RT.Retain(data); err != nil {
			c.Fail(err)
			return
		}
		n.data = data
	}
	initCNN(c, n)
}

// initOldNeuron makes the init method of a subclass of MPSCNNNeuron: its arguments after the device
// are the parameters.
func initOldNeuron(kind uint64, parameters int) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		n := newNeuron(false)
		n.kind = kind
		for i, p := range []*float32{&n.a, &n.b, &n.c}[:parameters] {
			*p = c.F32(1 + i)
		}
		n.init(c, 0)
	}
}

// initPReLU answers initWithDevice:a:count:.
func initPReLU(c *objcsoft.Call) {
	const most = 1 << 14 // feature channels of an image
	count := c.Uint(2)
	if count < 1 || count > most {
		adapter.Misuse(c, "%s: %d slopes; the limits are 1 and %d", c.Self.Class().Name, count, most)
		return
	}
	slopes, ok := floatsArg(c, 1, int(count))
	if !ok {
		return
	}
	n := newNeuron(false)
	n.kind, n.slopes = mpsdata.CNNNeuronTypePReLU, slopes
	data := c.RT.NewData(c.Bytes(1, 4*count))
	n.init(c, data)
	if err := c.RT.Release(data); err != nil {
		c.Fail(err)
	}
}

// neuronDescriptorClass declares MPSNNNeuronDescriptor.
func neuronDescriptorClass() adapter.Class {
	made := func(parameters int) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			id := adapter.NewInstance(c.RT, "MPSNNNeuronDescriptor")
			if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
				r.SetUint("neuronType", c.Uint(0))
				for i, name := range []string{"a", "b", "c"}[:parameters] {
					r.SetUint(name, uint64(c.Word(1+i)))
				}
			}
			c.ReturnAutoreleased(id)
		}
	}
	return adapter.Class{Name: "MPSNNNeuronDescriptor", Protocols: []string{"NSCopying"},
		Properties: adapter.Properties{{Name: "neuronType"}, {Name: "a"}, {Name: "b"}, {Name: "c"}, {Name: "data"}},
		ClassMethods: adapter.Methods{
			"cnnNeuronDescriptorWithType:":       made(0),
			"cnnNeuronDescriptorWithType:a:":     made(1),
			"cnnNeuronDescriptorWithType:a:b:":   made(2),
			"cnnNeuronDescriptorWithType:a:b:c:": made(3),
			"cnnNeuronPReLUDescriptorWithData:noCopy:": func(c *objcsoft.Call) { // data is retained anyway
				if c.ID(0) == 0 {
					adapter.Misuse(c, "the data of a PReLU neuron is nil")
					return
				}
				id := adapter.NewInstance(c.RT, "MPSNNNeuronDescriptor")
				if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
					r.SetUint("neuronType", mpsdata.CNNNeuronTypePReLU)
					if err := c.RT.Retain(c.ID(0)); err != nil {
						c.Fail(err)
						return
					}
					r.Own(c.RT, "data", c.ID(0))
				}
				c.ReturnAutoreleased(id)
			},
		}}
}

func neuronClasses() []adapter.Class {
	type kernel = *neuronKernel
	getters := func(init objcsoft.Imp) adapter.Methods {
		float := func(get func(n kernel) float32) objcsoft.Imp {
			return adapter.Method(func(n kernel, c *objcsoft.Call) { c.ReturnF32(get(n)) })
		}
		return adapter.Methods{
			"initWithDevice:neuronDescriptor:": init,
			"neuronType":                       adapter.Method(func(n kernel, c *objcsoft.Call) { c.ReturnUint(n.kind) }),
			"a":                                float(func(n kernel) float32 { return n.a }),
			"b":                                float(func(n kernel) float32 { return n.b }),
			"c":                                float(func(n kernel) float32 { return n.activation.c }),
			"data":                             adapter.Method(func(n kernel, c *objcsoft.Call) { c.ReturnShared(n.data) }),
		}
	}
	list := []adapter.Class{
		neuronDescriptorClass(),
		{Name: "MPSCNNNeuron", Super: "MPSCNNKernel", Methods: getters(initNeuron(false))},
		{Name: "MPSCNNNeuronGradient", Super: "MPSCNNGradientKernel", Methods: getters(initNeuron(true))},
		{Name: "MPSCNNNeuronPReLU", Super: "MPSCNNNeuron", Methods: adapter.Methods{"initWithDevice:a:count:": initPReLU}},
	}
	for _, old := range []struct {
		name       string
		kind       uint64
		parameters int
	}{
		{"ReLU", mpsdata.CNNNeuronTypeReLU, 1}, {"Linear", mpsdata.CNNNeuronTypeLinear, 2},
		{"Sigmoid", mpsdata.CNNNeuronTypeSigmoid, 0}, {"HardSigmoid", mpsdata.CNNNeuronTypeHardSigmoid, 2},
		{"TanH", mpsdata.CNNNeuronTypeTanH, 2}, {"Absolute", mpsdata.CNNNeuronTypeAbsolute, 0},
		{"SoftPlus", mpsdata.CNNNeuronTypeSoftPlus, 2}, {"SoftSign", mpsdata.CNNNeuronTypeSoftSign, 0},
		{"ELU", mpsdata.CNNNeuronTypeELU, 1}, {"ReLUN", mpsdata.CNNNeuronTypeReLUN, 2},
		{"Power", mpsdata.CNNNeuronTypePower, 3}, {"Exponential", mpsdata.CNNNeuronTypeExponential, 3},
		{"Logarithm", mpsdata.CNNNeuronTypeLogarithm, 3},
	} {
		list = append(list, adapter.Class{Name: "MPSCNNNeuron" + old.name, Super: "MPSCNNNeuron",
			Methods: adapter.Methods{"initWithDevice:" + []string{"", "a:", "a:b:", "a:b:c:"}[old.parameters]: initOldNeuron(
				old.kind, old.parameters)}})
	}
	return list
}
