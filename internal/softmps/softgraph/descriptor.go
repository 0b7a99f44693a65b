package softgraph

import (
	"math"
	"slices"
	"strings"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/graphdata"
)

// descriptors lists the classes that only hold properties, with the defaults that are not zero.
func descriptors() map[string]map[string]uintptr {
	window := map[string]uintptr{"strideInX": 1, "strideInY": 1, "strideInZ": 1,
		"dilationRateInX": 1, "dilationRateInY": 1, "dilationRateInZ": 1, "groups": 1}
	const sigmoid, tanh = graphdata.RNNActivationSigmoid, graphdata.RNNActivationTanh
	one := uintptr(math.Float32bits(1))
	return map[string]map[string]uintptr{
		"MPSGraphConvolution2DOpDescriptor": window, "MPSGraphConvolution3DOpDescriptor": window,
		"MPSGraphDepthwiseConvolution2DOpDescriptor": window,
		"MPSGraphDepthwiseConvolution3DOpDescriptor": {"channelDimensionIndex": ^uintptr(3)}, // -4
		"MPSGraphPooling2DOpDescriptor":              window, "MPSGraphPooling4DOpDescriptor": nil,
		"MPSGraphImToColOpDescriptor": window, "MPSGraphFFTDescriptor": nil, "MPSGraphStencilOpDescriptor": nil,
		"MPSGraphRandomOpDescriptor":      {"max": one, "standardDeviation": one, "maxInteger": math.MaxInt32},
		"MPSGraphSingleGateRNNDescriptor": {"activation": graphdata.RNNActivationRelu},
		"MPSGraphLSTMDescriptor": {"inputGateActivation": sigmoid, "forgetGateActivation": sigmoid,
			"cellGateActivation": tanh, "outputGateActivation": sigmoid, "activation": tanh},
		"MPSGraphGRUDescriptor": {"updateGateActivation": sigmoid, "resetGateActivation": sigmoid,
			"outputGateActivation": tanh},
	}
}

// descriptorClasses declares them: the tables say which properties they have.
func descriptorClasses() []adapter.Class {
	var out []adapter.Class
	for name, defaults := range descriptors() {
		owner := graphdata.Tables.Owner(name)
		c := adapter.Class{Name: name, Super: "MPSGraphObject", Protocols: []string{"NSCopying"},
			Methods:      adapter.Methods{},
			ClassMethods: adapter.Methods{}}
		has := func(sel string) bool {
			return slices.ContainsFunc(owner.Methods, func(m adapter.Signature) bool { return m.Name == sel })
		}
		for _, m := range owner.Methods {
			if !strings.Contains(m.Name, ":") && has(adapter.Setter(m.Name)) {
				c.Properties = append(c.Properties, adapter.Property{Name: m.Name, Value: defaults[m.Name],
					Copied: strings.HasPrefix(m.Enc, "@")})
			}
			if strings.HasPrefix(m.Name, "setExplicitPaddingWith") {
				c.Methods[m.Name] = func(call *objcsoft.Call) { setProperties(call, call.Self.ID(), m.Name) }
			}
		}
		for _, m := range owner.ClassMethods {
			c.ClassMethods[m.Name] = func(call *objcsoft.Call) {
				id := adapter.NewInstance(call.RT, name)
				setProperties(call, id, m.Name)
				call.ReturnAutoreleased(id)
			}
		}
		out = append(out, c)
	}
	return out
}

// setProperties sets the properties that a selector's labels name after the word With.
func setProperties(c *objcsoft.Call, id objcsoft.ID, selector string) {
	_, labels, ok := strings.Cut(selector, "With")
	if !ok {
		return
	}
	r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id)
	if !ok {
		return
	}
	for i, label := range strings.Split(strings.TrimSuffix(labels, ":"), ":") {
		name := strings.ToLower(label[:1]) + label[1:]
		if !r.Has(name) {
			continue
		}
		if enc := graphdata.Tables.Owner(c.RT.ClassOf(id).Name); slices.ContainsFunc(enc.Methods,
			func(m adapter.Signature) bool { return m.Name == name && strings.HasPrefix(m.Enc, "@") }) {
			object := c.ID(i)
			if object != 0 {
				if err := c.RT.Retain(object); err != nil {
					c.Fail(err)
					return
				}
			}
			r.Own(c.RT, name, object)
			continue
		}
		r.SetUint(name, uint64(c.Word(i)))
	}
}

// record returns a descriptor argument.
func (a *args) record(i int) *adapter.Record {
	r, ok := adapter.PayloadOf[*adapter.Record](a.c.RT, a.c.ID(i))
	if !ok {
		a.fail("argument %d is not a descriptor", i)
	}
	return r
}

// recordFloat returns a property of type float.
func (a *args) recordFloat(r *adapter.Record, name string) float32 {
	return math.Float32frombits(uint32(r.Uint(name)))
}
