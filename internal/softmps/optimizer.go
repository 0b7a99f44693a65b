package softmps

import (
	"math"
	"slices"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// optimizer is the payload of an MPSNNOptimizer. Its numbers are properties of the kernel.
type optimizer struct {
	Kernel
	update func(k *optimizer, b *tensorop.Builder, s step)
	states int // how many matrices of state an update needs; a gradient descent does without
}

// step has the operands of an update: the gradient that was scaled, the values before and after,
// and the states that it overwrites.
type step struct {
	gradient, values, result tensorop.Operand
	states                   []tensorop.Operand
}

// set32 sets a property that is a float, set64 one that is a double.
func (k *Kernel) set32(name string, v float32) { k.set(name, uintptr(math.Float32bits(v))) }
func (k *Kernel) set64(name string, v float64) { k.set(name, uintptr(math.Float64bits(v))) }

// optimizerProperties are those that a descriptor hands over.
var optimizerProperties = [...]string{"learningRate", "gradientRescale", "applyGradientClipping", "gradientClipMax",
	"gradientClipMin", "regularizationType", "regularizationScale"}

// initOptimizer gives the receiver its payload. The descriptor is an argument, none for a plain
// learning rate, which is argument 1 then.
func initOptimizer(c *objcsoft.Call, k *optimizer, descriptor int) {
	k.set32("gradientRescale", 1)
	if descriptor == none {
		k.set("learningRate", c.Word(1))
	} else {
		r := adapter.RecordArg(c, descriptor, "the optimizer descriptor")
		if r == nil {
			return
		}
		for _, name := range optimizerProperties {
			k.set(name, r.Word(name))
		}
	}
	if t := k.number("regularizationType", 0); t > mpsdata.NNRegularizationTypeL2 {
		adapter.Misuse(c, "there is no regularization of type %d", t)
		return
	}
	initKernel(c, k)
}

// scaled writes the gradient that is used: clipped, scaled, and with that of the regularization,
// which is the sign of a value for L1 and the value for L2.
func (k *optimizer) scaled(b *tensorop.Builder, gradient, values tensorop.Operand) tensorop.Operand {
	out := b.Temp(tensorop.Float32, gradient.Shape...)
	p := &program{inputs: 2}
	g := p.load(0)
	if k.number("applyGradientClipping", 0) != 0 {
		g = p.with("clip", []float32{k.float("gradientClipMin"), k.float("gradientClipMax")}, g)
	}
	g = p.linear(g, k.float("gradientRescale"), 0)
	scale := k.float("regularizationScale")
	switch k.number("regularizationType", 0) {
	case mpsdata.NNRegularizationTypeL1:
		g = p.do("add", g, p.linear(p.do("sign", p.load(1)), scale, 0))
	case mpsdata.NNRegularizationTypeL2:
		g = p.do("add", g, p.linear(p.load(1), scale, 0))
	}
	p.save(b, out, []tensorop.Operand{gradient, values}, g)
	return out
}

// mix overwrites a state with a * state + b * x, where x is an operand, or its square.
func mix(b *tensorop.Builder, state, x tensorop.Operand, a, scale float32, square bool) {
	p := &program{inputs: 2}
	v := p.load(1)
	if square {
		v = p.do("square", v)
	}
	p.save(b, state, []tensorop.Operand{state, x}, p.do("add", p.linear(p.load(0), a, 0), p.linear(v, scale, 0)))
}

// descend writes values - rate * x.
func descend(b *tensorop.Builder, s step, x tensorop.Operand, rate float32) {
	p := &program{inputs: 2}
	p.save(b, s.result, []tensorop.Operand{s.values, x}, p.do("sub", p.load(0), p.linear(p.load(1), rate, 0)))
}

// descendBy writes values - rate * x / (sqrt(y) + epsilon).
func descendBy(b *tensorop.Builder, s step, x, y tensorop.Operand, rate, epsilon float32) {
	p := &program{inputs: 3}
	root := p.linear(p.do("sqrt", p.load(2)), 1, epsilon)
	p.save(b, s.result, []tensorop.Operand{s.values, x, y},
		p.do("sub", p.load(0), p.do("div", p.linear(p.load(1), rate, 0), root)))
}

// stochastic is gradient descent, with a momentum if there is a state.
func (k *optimizer) stochastic(b *tensorop.Builder, s step) {
	rate, scale := k.float("learningRate"), k.float("momentumScale")
	if len(s.states) == 0 {
		descend(b, s, s.gradient, rate)
		return
	}
	m := s.states[0]
	if k.number("useNesterovMomentum", 0) == 0 {
		mix(b, m, s.gradient, scale, rate, false)
		descend(b, s, m, 1)
		return
	}
	mix(b, m, s.gradient, scale, 1, false)
	mix(b, s.gradient, m, 1, scale, false)
	descend(b, s, s.gradient, rate)
}

func (k *optimizer) meanSquare(b *tensorop.Builder, s step) {
	decay := float32(k.double("decay", 0))
	mix(b, s.states[0], s.gradient, decay, 1-decay, true)
	descendBy(b, s, s.gradient, s.states[0], k.float("learningRate"), k.float("epsilon"))
}

// adam counts its steps. With a third state, the largest velocities so far, it is AMSGrad.
func (k *optimizer) adam(b *tensorop.Builder, s step) {
	beta1, beta2 := k.double("beta1", 0), k.double("beta2", 0)
	t := k.number("timeStep", 0) + 1
	k.set("timeStep", uintptr(t))
	rate := float64(k.float("learningRate")) * math.Sqrt(1-math.Pow(beta2, float64(t))) /
		(1 - math.Pow(beta1, float64(t)))
	mix(b, s.states[0], s.gradient, float32(beta1), float32(1-beta1), false)
	mix(b, s.states[1], s.gradient, float32(beta2), float32(1-beta2), true)
	velocity := s.states[1]
	if len(s.states) > 2 {
		p := &program{inputs: 2}
		p.save(b, s.states[2], []tensorop.Operand{s.states[2], velocity}, p.do("max", p.load(0), p.load(1)))
		velocity = s.states[2]
	}
	descendBy(b, s, s.states[0], velocity, float32(rate), k.float("epsilon"))
}

// encode encodes an update of matrices or vectors, which are whole and of one shape: the gradient,
// the values, the states and the result. A state may be nil if the update does without.
func (k *optimizer) encode(c *objcsoft.Call, states int) {
	cb, ok := CommandBufferArg(c, 0)
	if !ok {
		return
	}
	var list []*NDArray
	count := 0
	for arg := 1; arg <= states+3; arg++ {
		state := arg > 2 && arg < states+3
		if state && k.states == 0 && c.ID(arg) == 0 {
			continue
		}
		m, ok := matrixArg(c, arg)
		if !ok {
			return
		}
		if !m.Type.Float() {
			adapter.Misuse(c, "argument %d has elements of type %v; an optimizer takes floating-point numbers", arg, m.Type)
			return
		}
		if len(list) > 0 && !slices.Equal(list[0].Shape, m.Shape) {
			adapter.Misuse(c, "argument %d has the shape %v and the gradient %v", arg, m.Shape, list[0].Shape)
			return
		}
		if state {
			count++
		}
		list = append(list, m.NDArray)
	}
	Encode(c, k.Device, cb, list[:2], list[2:], func(b *tensorop.Builder, in, out []tensorop.Operand) {
		s := step{gradient: k.scaled(b, in[0], in[1]), values: in[1], states: out[:count], result: out[count]}
		k.update(k, b, s)
	})
}

func optimizerClasses() []adapter.Class {
	method := func(states int) objcsoft.Imp {
		return adapter.Method(func(k *optimizer, c *objcsoft.Call) { k.encode(c, states) })
	}
	class := func(name string, m adapter.Methods) adapter.Class {
		return withProperties(adapter.Class{Name: name, Super: "MPSNNOptimizer", Methods: m}, nil)
	}
	descent := func(descriptor int) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			k := &optimizer{update: (*optimizer).stochastic}
			if descriptor != none {
				k.set("momentumScale", c.Word(1))
				k.set("useNesterovMomentum", c.Word(2))
				k.set("useNestrovMomentum", c.Word(2))
			}
			initOptimizer(c, k, descriptor)
		}
	}
	square := func(descriptor int) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			k := &optimizer{update: (*optimizer).meanSquare, states: 1}
			k.set64("decay", 0.9)
			k.set32("epsilon", 1e-8)
			if descriptor != none {
				k.set("decay", c.Word(1))
				k.set("epsilon", c.Word(2))
			}
			initOptimizer(c, k, descriptor)
		}
	}
	adam := func(descriptor int) objcsoft.Imp {
		return func(c *objcsoft.Call) {
			k := &optimizer{update: (*optimizer).adam, states: 2}
			k.set64("beta1", 0.9)
			k.set64("beta2", 0.999)
			k.set32("epsilon", 1e-8)
			if descriptor != none {
				for i, name := range []string{"beta1", "beta2", "epsilon", "timeStep"} {
					k.set(name, c.Word(1+i))
				}
			}
			initOptimizer(c, k, descriptor)
		}
	}
	one := uintptr(math.Float32bits(1))
	const start = "encodeToCommandBuffer:"
	short := []string{"LearningRate", "gradientRescale", "regularizationType", "regularizationScale"}
	return []adapter.Class{
		{Name: "MPSNNOptimizerDescriptor", Properties: adapter.Properties{
			{Name: "learningRate", Value: uintptr(math.Float32bits(0.001))}, {Name: "gradientRescale", Value: one},
			{Name: "applyGradientClipping"}, {Name: "gradientClipMax"}, {Name: "gradientClipMin"},
			{Name: "regularizationType"}, {Name: "regularizationScale"},
		}, Methods: adapter.Methods{
			selectorOf("initWith", short):    initDescriptor(short),
			selectorOf("initWith", longForm): initDescriptor(longForm),
		}, ClassMethods: adapter.Methods{
			selectorOf("optimizerDescriptorWith", short):    makeDescriptor(short),
			selectorOf("optimizerDescriptorWith", longForm): makeDescriptor(longForm),
		}},
		withProperties(adapter.Class{Name: "MPSNNOptimizer", Super: "MPSKernel"}, nil),
		class("MPSNNOptimizerStochasticGradientDescent", adapter.Methods{
			"initWithDevice:learningRate:":                                                          descent(none),
			"initWithDevice:momentumScale:useNesterovMomentum:optimizerDescriptor:":                 descent(3),
			"initWithDevice:momentumScale:useNestrovMomentum:optimizerDescriptor:":                  descent(3),
			start + "inputGradientMatrix:inputValuesMatrix:inputMomentumMatrix:resultValuesMatrix:": method(1),
			start + "inputGradientVector:inputValuesVector:inputMomentumVector:resultValuesVector:": method(1),
		}),
		class("MPSNNOptimizerRMSProp", adapter.Methods{
			"initWithDevice:learningRate:":                                                              square(none),
			"initWithDevice:decay:epsilon:optimizerDescriptor:":                                         square(3),
			start + "inputGradientMatrix:inputValuesMatrix:inputSumOfSquaresMatrix:resultValuesMatrix:": method(1),
			start + "inputGradientVector:inputValuesVector:inputSumOfSquaresVector:resultValuesVector:": method(1),
		}),
		class("MPSNNOptimizerAdam", adapter.Methods{
			"initWithDevice:learningRate:":                                     adam(none),
			"initWithDevice:beta1:beta2:epsilon:timeStep:optimizerDescriptor:": adam(5),
			start + "inputGradientMatrix:inputValuesMatrix:inputMomentumMatrix:inputVelocityMatrix:" +
				"resultValuesMatrix:": method(2),
			start + "inputGradientVector:inputValuesVector:inputMomentumVector:inputVelocityVector:" +
				"resultValuesVector:": method(2),
			start + "inputGradientMatrix:inputValuesMatrix:inputMomentumMatrix:inputVelocityMatrix:" +
				"maximumVelocityMatrix:resultValuesMatrix:": method(3),
			start + "inputGradientVector:inputValuesVector:inputMomentumVector:inputVelocityVector:" +
				"maximumVelocityVector:resultValuesVector:": method(3),
		}),
	}
}

// longForm are the arguments of the methods that make a descriptor with clipping.
var longForm = []string{"LearningRate", "gradientRescale", "applyGradientClipping", "gradientClipMax",
	"gradientClipMin", "regularizationType", "regularizationScale"}

// selectorOf returns a selector with an argument for each property.
func selectorOf(prefix string, properties []string) string {
	for _, p := range properties {
		prefix += p + ":"
	}
	return prefix
}

// fillDescriptor sets the properties of a descriptor to the arguments.
func fillDescriptor(c *objcsoft.Call, r *adapter.Record, properties []string) {
	for i, name := range properties {
		if i == 0 {
			name = "learningRate"
		}
		r.SetUint(name, uint64(c.Word(i)))
	}
}

func initDescriptor(properties []string) objcsoft.Imp {
	return adapter.Method(func(r *adapter.Record, c *objcsoft.Call) {
		fillDescriptor(c, r, properties)
		c.ReturnID(c.Self.ID())
	})
}

func makeDescriptor(properties []string) objcsoft.Imp {
	return func(c *objcsoft.Call) {
		id := adapter.NewInstance(c.RT, "MPSNNOptimizerDescriptor")
		if r, ok := adapter.PayloadOf[*adapter.Record](c.RT, id); ok {
			fillDescriptor(c, r, properties)
		}
		c.ReturnAutoreleased(id)
	}
}
