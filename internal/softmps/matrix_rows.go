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
}

// code appends the instructions of the activation on float32 values: the argument is number x, and
// next is the number of the next instruction. It returns the number of the result.
func (n neuron) code(code []tensorop.Instr, inputs, x int) ([]tensorop.Instr, int, error) {
	emit := func(op string, scalars []float32, args ...int) int {
		code = append(code, tensorop.Instr{Op: op, Type: tensorop.Float32, Args: args, Scalars: scalars})
		return inputs + len(code) - 1
	}
	linear := func(x int, a, b float32) int { return emit("linear", []float32{a, b}, x) }
	relu := func(x int) int { return emit("leaky_relu", []float32{n.a}, x) }
	var y int
	switch n.kind {
	case mpsdata.CNNNeuronTypeNone:
		y = x
	case mpsdata.CNNNeuronTypeReLU:
		y = relu(x)
	case mpsdata.CNNNeuronTypeLinear:
		y = linear(x, n.a, n.b)
	case mpsdata.CNNNeuronTypeSigmoid:
		y = emit("sigmoid", nil, x)
	case mpsdata.CNNNeuronTypeHardSigmoid:
		y = emit("hardsigmoid", []float32{n.a, n.b}, x)
	case mpsdata.CNNNeuronTypeTanH:
		y = linear(emit("tanh", nil, linear(x, n.b, 0)), n.a, 0)
	case mpsdata.CNNNeuronTypeAbsolute:
		y = emit("abs", nil, x)
	case mpsdata.CNNNeuronTypeSoftPlus:
		y = linear(emit("softplus", nil, linear(x, n.b, 0)), n.a, 0)
	case mpsdata.CNNNeuronTypeSoftSign:
		y = emit("softsign", nil, x)
	case mpsdata.CNNNeuronTypeELU:
		y = emit("elu", []float32{n.a}, x)
	case mpsdata.CNNNeuronTypeReLUN:
		y = emit("clip", []float32{float32(math.Inf(-1)), n.b}, relu(x))
	case mpsdata.CNNNeuronTypePower:
		base := linear(x, n.a, n.b)
		y = emit("pow", nil, base, emit("fill", []float32{n.c}))
	case mpsdata.CNNNeuronTypeExponential:
		if n.c == -1 { // the base is e
			y = emit("exp", nil, linear(x, n.a, n.b))
		} else {
			base := emit("fill", []float32{n.c})
			y = emit("pow", nil, base, linear(x, n.a, n.b))
		}
	case mpsdata.CNNNeuronTypeLogarithm:
		y = emit("log", nil, linear(x, n.a, n.b))
		if n.c != -1 {
			y = linear(y, float32(1/math.Log(float64(n.c))), 0)
		}
	case mpsdata.CNNNeuronTypeGeLU:
		y = emit("gelu", nil, x)
	default:
		return nil, 0, fmt.Errorf("the software device has no neuron of type %d", n.kind)
	}
	return code, y, nil
}

// rowKernel encodes an operation on the rows of a matrix: rows and columns name the properties that
// limit the source.
func rowKernel(k kernelState, c *objcsoft.Call, source, result int, rows, columns string,
	build func(b *tensorop.Builder, in, out []tensorop.Operand) error, more ...*NDArray) {
	cb, ok := CommandBufferArg(c, 0)
	m, ok1 := matrixArg(c, source)
	r, ok2 := matrixArg(c, result)
	if !ok || !ok1 || !ok2 {
		return
	}
	p := k.kernel()
	start, count := p.batch(r)
	from := p.origin("sourceMatrixOrigin")
	height := min(p.number(rows, unlimited), m.rows-from.row)
	width := min(p.number(columns, unlimited), m.columns-from.column)
	in, err := m.window("the source", from, start, count, height, width)
	if err == nil {
		var out *NDArray
		if out, err = r.window("the result", p.origin("resultMatrixOrigin"), start, count, height, width); err == nil {
			Encode(c, p.Device, cb, append([]*NDArray{in}, more...), []*NDArray{out},
				func(b *tensorop.Builder, in, out []tensorop.Operand) {
					if err := build(b, in, out); err != nil {
						b.Fail(err)
					}
				})
			return
		}
	}
	adapter.Misuse(c, "%v", err)
}

func rowClasses() []adapter.Class {
	all := map[string]uintptr{"sourceRows": math.MaxUint, "sourceColumns": math.MaxUint,
		"sourceNumberOfFeatureVectors": math.MaxUint,
		"sourceInputFeatureChannels":   math.MaxUint, "alpha": doubleOne}
	plain := func(c *objcsoft.Call) { initKernel(c, &Kernel{}) }
	softmax := func(log bool) objcsoft.Imp {
		return adapter.Method(func(k kernelState, c *objcsoft.Call) {
			rowKernel(k, c, 1, 2, "sourceRows", "sourceColumns", func(b *tensorop.Builder, in,
				out []tensorop.Operand) error {
				if in[0].Type != out[0].Type {
					return fmt.Errorf("softmax of %v to %v; the types must be equal", in[0].Type, out[0].Type)
				}
				if log {
					b.LogSoftmax(out[0], in[0], 2)
				} else {
					b.Softmax(out[0], in[0], 2)
				}
				return nil
			})
		})
	}
	const encodeRows = "encodeToCommandBuffer:inputMatrix:resultMatrix:"
	return []adapter.Class{
		withProperties(adapter.Class{Name: "MPSMatrixSoftMax", Super: "MPSMatrixUnaryKernel", Methods: adapter.Methods{
			"initWithDevice:": plain, encodeRows: softmax(false)}}, all),
		withProperties(adapter.Class{Name: "MPSMatrixLogSoftMax", Super: "MPSMatrixSoftMax", Methods: adapter.Methods{
			"initWithDevice:": plain, encodeRows: softmax(true)}}, all),
		withProperties(adapter.Class{Name: "MPSMatrixNeuron", Super: "MPSMatrixUnaryKernel", Methods: adapter.Methods{
			"initWithDevice:": plain,
			"setNeuronType:parameterA:parameterB:parameterC:":            adapter.Method(setNeuron),
			"encodeToCommandBuffer:inputMatrix:biasVector:resultMatrix:": adapter.Method(encodeNeuron),
		}}, all),
	}
}

// encodeNeuron encodes neuron(alpha * x + bias), where the bias has an element for each column.
func encodeNeuron(k kernelState, c *objcsoft.Call) {
	var more []*NDArray
	if c.ID(2) != 0 {
		v, ok := matrixArg(c, 2)
		if !ok {
			return
		}
		more = append(more, v.NDArray)
	}
	p := k.kernel()
	build := func(b *tensorop.Builder, in, out []tensorop.Operand) error {
		var code []tensorop.Instr
		emit := func(op string, scalars []float32, args ...int) int {
			code = append(code, tensorop.Instr{Op: op, Type: tensorop.Float32, Args: args, Scalars: scalars})
			return len(in) + len(code) - 1
		}
		x := emit("linear", []float32{float32(p.double("alpha", 1)), 0}, emit("cast", nil, 0))
		if len(in) > 1 {
			width := in[0].Shape[2]
			if in[1].Shape[2] < width {
				return fmt.Errorf("a bias of %d elements for %d columns", in[1].Shape[2], width)
			}
			row, err := in[1].Slice(2, 0, width, 1)
			if err != nil {
				return err
			}
			in[1] = in[1].With(row)
			x = emit("add", nil, x, emit("cast", nil, 1))
		}
		code, y, err := p.neuron().code(code, len(in), x)
		if err != nil {
			return err
		}
		b.Map(out[0], in, append(code, tensorop.Instr{Op: "cast", Type: out[0].Type, Args: []int{y}})...)
		return nil
	}
	rowKernel(k, c, 1, 3, "sourceNumberOfFeatureVectors", "sourceInputFeatureChannels", build, more...)
}
