package softmps

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmps/mpsdata"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// neuron is an activation: a CNNNeuronType with its parameters.
type neuron struct {
	kind    uint64
	a, b, c float32
}

func (n neuron) unknown() error {
	if n.kind == mpsdata.CNNNeuronTypePReLU {
		return fmt.Errorf("a PReLU without parameters for the columns")
	}
	return fmt.Errorf("the software device has no neuron of type %d", n.kind)
}

// sloped is a neuron that may be a PReLU, whose parameters are an operand.
type sloped struct {
	neuron
	slope int // the operand's number, none for other neurons
}

// neuron returns the kernel's activation.
func (k *Kernel) neuron() neuron {
	return neuron{uint64(k.number("neuronType", 0)), k.float("neuronParameterA"), k.float("neuronParameterB"),
		k.float("neuronParameterC")}
}

// setNeuron answers setNeuronType:parameterA:parameterB:parameterC:.
func setNeuron(k kernelState, c *objcsoft.Call) {
	for i, name := range []string{"neuronType", "neuronParameterA", "neuronParameterB", "neuronParameterC"} {
		k.kernel().set(name, c.Word(i))
	}
	k.kernel().slopes = nil
}

// setSlopes answers setNeuronToPReLUWithParametersA:, an NSData of floats.
func setSlopes(k kernelState, c *objcsoft.Call) {
	data, err := c.RT.GoBytes(c.ID(0))
	if err == nil && (len(data) == 0 || len(data)%4 != 0) {
		err = fmt.Errorf("%d bytes of parameters; there is a float for each column", len(data))
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	p := k.kernel()
	p.set("neuronType", mpsdata.CNNNeuronTypePReLU)
	p.slopes = make([]float32, len(data)/4)
	for i := range p.slopes {
		p.slopes[i] = math.Float32frombits(uint32(data[4*i]) | uint32(data[4*i+1])<<8 | uint32(data[4*i+2])<<16 |
			uint32(data[4*i+3])<<24)
	}
}

// program collects instructions on float32 values: the operands are numbered first, then the
// results.
type program struct {
	inputs int
	code   []tensorop.Instr
}

// do adds an instruction and returns the number of its result.
func (p *program) do(op string, args ...int) int { return p.with(op, nil, args...) }

func (p *program) with(op string, scalars []float32, args ...int) int {
	return p.typed(op, tensorop.Float32, scalars, args...)
}

func (p *program) typed(op string, t tensorop.Type, scalars []float32, args ...int) int {
	p.code = append(p.code, tensorop.Instr{Op: op, Type: t, Args: args, Scalars: scalars})
	return p.inputs + len(p.code) - 1
}

// number returns the number of a constant, load that of an operand as float32.
func (p *program) number(v float32) int { return p.with("fill", []float32{v}) }
func (p *program) load(operand int) int { return p.do("cast", operand) }

// linear returns a * x + b.
func (p *program) linear(x int, a, b float32) int { return p.with("linear", []float32{a, b}, x) }

// choose returns yes where x is at least a limit, and otherwise no.
func (p *program) choose(x int, limit float32, yes, no int) int {
	return p.typed("select", tensorop.Float32, nil,
		p.typed("greater_equal", tensorop.Bool, nil, x, p.number(limit)), yes, no)
}

// save casts a result to an operand's type and maps the program.
func (p *program) save(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand, y int) {
	p.typed("cast", out.Type, nil, y)
	b.Map(out, in, p.code...)
}

// code appends the instructions of the activation on float32 values: the argument is number x, and
// next is the number of the next instruction. It returns the number of the result.
func (n neuron) code(code []tensorop.Instr, inputs, x int) ([]tensorop.Instr, int, error) {
	p := &program{inputs, code}
	y, err := n.apply(p, x)
	return p.code, y, err
}

// apply adds the activation of x.
func (n neuron) apply(p *program, x int) (int, error) {
	relu := func() int { return p.with("leaky_relu", []float32{n.a}, x) }
	switch n.kind {
	case mpsdata.CNNNeuronTypeNone:
		return x, nil
	case mpsdata.CNNNeuronTypeReLU:
		return relu(), nil
	case mpsdata.CNNNeuronTypeLinear:
		return p.linear(x, n.a, n.b), nil
	case mpsdata.CNNNeuronTypeSigmoid:
		return p.do("sigmoid", x), nil
	case mpsdata.CNNNeuronTypeHardSigmoid:
		return p.with("hardsigmoid", []float32{n.a, n.b}, x), nil
	case mpsdata.CNNNeuronTypeTanH:
		return p.linear(p.do("tanh", p.linear(x, n.b, 0)), n.a, 0), nil
	case mpsdata.CNNNeuronTypeAbsolute:
		return p.do("abs", x), nil
	case mpsdata.CNNNeuronTypeSoftPlus:
		return p.linear(p.do("softplus", p.linear(x, n.b, 0)), n.a, 0), nil
	case mpsdata.CNNNeuronTypeSoftSign:
		return p.do("softsign", x), nil
	case mpsdata.CNNNeuronTypeELU:
		return p.with("elu", []float32{n.a}, x), nil
	case mpsdata.CNNNeuronTypeReLUN:
		return p.with("clip", []float32{float32(math.Inf(-1)), n.b}, relu()), nil
	case mpsdata.CNNNeuronTypePower:
		return p.do("pow", p.linear(x, n.a, n.b), p.number(n.c)), nil
	case mpsdata.CNNNeuronTypeExponential:
		if n.c == -1 { // the base is e
			return p.do("exp", p.linear(x, n.a, n.b)), nil
		}
		return p.do("pow", p.number(n.c), p.linear(x, n.a, n.b)), nil
	case mpsdata.CNNNeuronTypeLogarithm:
		y := p.do("log", p.linear(x, n.a, n.b))
		if n.c != -1 {
			y = p.linear(y, float32(1/math.Log(float64(n.c))), 0)
		}
		return y, nil
	case mpsdata.CNNNeuronTypeGeLU:
		return p.do("gelu", x), nil
	}
	return 0, n.unknown()
}

// derivative adds the derivative of the activation at x.
func (n neuron) derivative(p *program, x int) (int, error) {
	relu := func() int { return p.choose(x, 0, p.number(1), p.number(n.a)) }
	switch n.kind {
	case mpsdata.CNNNeuronTypeNone:
		return p.number(1), nil
	case mpsdata.CNNNeuronTypeReLU:
		return relu(), nil
	case mpsdata.CNNNeuronTypeLinear:
		return p.number(n.a), nil
	case mpsdata.CNNNeuronTypeSigmoid:
		s := p.do("sigmoid", x)
		return p.do("mul", s, p.linear(s, -1, 1)), nil
	case mpsdata.CNNNeuronTypeHardSigmoid: // its slope is where the straight line is between 0 and 1
		v := p.linear(x, n.a, n.b)
		below := p.typed("less", tensorop.Bool, nil, v, p.number(1))
		above := p.typed("greater", tensorop.Bool, nil, v, p.number(0))
		inside := p.typed("and", tensorop.Bool, nil, below, above)
		return p.typed("select", tensorop.Float32, nil, inside, p.number(n.a), p.number(0)), nil
	case mpsdata.CNNNeuronTypeTanH:
		t := p.do("tanh", p.linear(x, n.b, 0))
		return p.linear(p.do("square", t), -n.a*n.b, n.a*n.b), nil
	case mpsdata.CNNNeuronTypeAbsolute:
		return p.do("sign", x), nil
	case mpsdata.CNNNeuronTypeSoftPlus:
		return p.linear(p.do("sigmoid", p.linear(x, n.b, 0)), n.a*n.b, 0), nil
	case mpsdata.CNNNeuronTypeSoftSign:
		return p.do("reciprocal", p.do("square", p.linear(p.do("abs", x), 1, 1))), nil
	case mpsdata.CNNNeuronTypeELU:
		return p.choose(x, 0, p.number(1), p.linear(p.do("exp", x), n.a, 0)), nil
	case mpsdata.CNNNeuronTypeReLUN:
		return p.choose(x, n.b, p.number(0), relu()), nil
	case mpsdata.CNNNeuronTypePower:
		y := p.do("pow", p.linear(x, n.a, n.b), p.number(n.c-1))
		return p.linear(y, n.a*n.c, 0), nil
	case mpsdata.CNNNeuronTypeExponential:
		y, err := n.apply(p, x)
		factor := n.a
		if n.c != -1 {
			factor *= float32(math.Log(float64(n.c)))
		}
		return p.linear(y, factor, 0), err
	case mpsdata.CNNNeuronTypeLogarithm:
		factor := n.a
		if n.c != -1 {
			factor /= float32(math.Log(float64(n.c)))
		}
		return p.linear(p.do("reciprocal", p.linear(x, n.a, n.b)), factor, 0), nil
	case mpsdata.CNNNeuronTypeGeLU: // the distribution function plus x times the density
		share := p.linear(p.do("erf", p.linear(x, math.Sqrt2/2, 0)), 0.5, 0.5)
		density := p.linear(p.do("exp", p.linear(p.do("square", x), -0.5, 0)), float32(1/math.Sqrt(2*math.Pi)), 0)
		return p.do("add", share, p.do("mul", x, density)), nil
	}
	return 0, n.unknown()
}

// apply adds the activation of x.
func (n sloped) apply(p *program, x int) (int, error) {
	if n.slope == none {
		return n.neuron.apply(p, x)
	}
	return p.choose(x, 0, x, p.do("mul", x, n.slope)), nil
}

// derivative adds the derivative of the activation at x.
func (n sloped) derivative(p *program, x int) (int, error) {
	if n.slope == none {
		return n.neuron.derivative(p, x)
	}
	return p.choose(x, 0, p.number(1), n.slope), nil
}

// activate maps neuron(alpha * x + bias) with the bias and the slopes of a PReLU as numbers of
// operands, none for none.
func (n sloped) activate(b *tensorop.Builder, out tensorop.Operand, in []tensorop.Operand, x, bias int,
	alpha float32) error {
	p := &program{inputs: len(in)}
	y, err := n.apply(p, n.argument(p, x, bias, alpha))
	if err == nil {
		p.save(b, out, in, y)
	}
	return err
}

// argument adds alpha * x + bias.
func (n sloped) argument(p *program, x, bias int, alpha float32) int {
	y := p.load(x)
	if alpha != 1 {
		y = p.linear(y, alpha, 0)
	}
	if bias != none {
		y = p.do("add", y, p.load(bias))
	}
	return y
}
