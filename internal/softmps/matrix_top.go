package softmps

import (
	"math"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/tensorop"
)

// maxTop is the most values that an MPSMatrixFindTopK finds, which is Apple's limit.
const maxTop = 16

// encodeTop encodes the largest values of each row, and their columns.
func encodeTop(k kernelState, c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	source, ok1 := matrixArg(c, 1)
	indices, ok2 := matrixArg(c, 2)
	values, ok3 := matrixArg(c, 3)
	if !ok || !ok1 || !ok2 || !ok3 {
		return
	}
	p := k.kernel()
	from, to := p.origin("sourceMatrixOrigin"), p.origin("resultMatrixOrigin")
	rows := min(p.number("sourceRows", unlimited), source.rows-from.row)
	columns := min(p.number("sourceColumns", unlimited), source.columns-from.column)
	n := p.number("numberOfTopKValues", 0)
	if n > columns {
		adapter.Misuse(c, "the %d largest of %d columns", n, columns)
		return
	}
	start, count := p.batch(values)
	in, err := source.window("the source", from, start, count, rows, columns)
	var at, top *NDArray
	if err == nil {
		at, err = indices.window("the indices", to, start, count, rows, n)
	}
	if err == nil {
		top, err = values.window("the values", to, start, count, rows, n)
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	Encode(c, p.Device, cb, []*NDArray{in}, []*NDArray{at, top}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		found := b.Temp(tensorop.Int32, count, rows, n)
		largest := out[1]
		if largest.Type != in[0].Type {
			largest = b.Temp(in[0].Type, count, rows, n)
		}
		b.TopK(largest, found, in[0], 2, false)
		if largest.Type != out[1].Type {
			b.Copy(out[1], largest)
		}
		offset := b.Temp(tensorop.Int32, 1)
		b.Fill(offset, float32(p.number("indexOffset", 0)))
		b.Map(out[0], []tensorop.Operand{found, offset}, tensorop.Instr{Op: "add", Type: tensorop.Int32,
			Args: []int{0, 1}},
			tensorop.Instr{Op: "cast", Type: out[0].Type, Args: []int{2}})
	})
}

// sum is the payload of an MPSMatrixSum: neuron(sum of matrices, scaled each, + bias).
type sum struct {
	Kernel
	count, rows, columns int
	turned               bool
}

func (s *sum) encode(c *objcsoft.Call) {
	cb, ok := CommandBufferArg(c, 0)
	list, err := adapter.Payloads[*Matrix](c.RT, c.ID(1))
	result, ok1 := matrixArg(c, 2)
	if err != nil {
		adapter.Misuse(c, "the source matrices: %v", err)
		return
	}
	if !ok || !ok1 {
		return
	}
	start := int(c.Uint(6))
	if start < 0 || start+s.count > len(list) {
		adapter.Misuse(c, "matrices %d to %d of %d", start, start+s.count-1, len(list))
		return
	}
	list = list[start : start+s.count]
	rows, columns := s.rows, s.columns
	if s.turned {
		rows, columns = columns, rows
	}
	var inputs []*NDArray
	offsets, err := s.offsets(c)
	for i, m := range list {
		if err == nil {
			var o origin
			if offsets != nil {
				o = offsets[i]
			}
			var w *NDArray
			w, err = m.window("a source", o, 0, 1, rows, columns)
			inputs = append(inputs, w)
		}
	}
	var out *NDArray
	if err == nil {
		out, err = result.window("the result", s.origin("resultMatrixOrigin"), 0, 1, s.rows, s.columns)
	}
	vectors := [2]*Matrix{}
	for i, arg := range []int{3, 5} { // scales and bias
		if c.ID(arg) != 0 && err == nil {
			var ok bool
			if vectors[i], ok = matrixArg(c, arg); !ok {
				return
			}
			var w *NDArray
			w, err = vectors[i].window("a vector", origin{}, 0, 1, 1, []int{s.count, s.columns}[i])
			inputs = append(inputs, w)
		}
	}
	if err != nil {
		adapter.Misuse(c, "%v", err)
		return
	}
	Encode(c, s.Device, cb, inputs, []*NDArray{out}, func(b *tensorop.Builder, in, out []tensorop.Operand) {
		s.build(b, in, out[0], vectors[0] != nil, vectors[1] != nil)
	})
}

// offsets reads where each matrix begins: MPSMatrixOffsets, two 32-bit words for each, in a vector.
func (s *sum) offsets(c *objcsoft.Call) ([]origin, error) {
	if c.ID(4) == 0 {
		return nil, nil
	}
	v, ok := matrixArg(c, 4)
	if !ok {
		return nil, nil
	}
	memory, err := v.Bytes()
	if err != nil || len(memory) < 8*s.count {
		return nil, err
	}
	out := make([]origin, s.count)
	word := func(i int) int {
		b := memory[4*i:]
		return int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	}
	for i := range out {
		out[i] = origin{row: word(2 * i), column: word(2*i + 1)}
	}
	return out, nil
}

func (s *sum) build(b *tensorop.Builder, in []tensorop.Operand, out tensorop.Operand, scaled, biased bool) {
	total := b.Temp(tensorop.Float32, 1, s.rows, s.columns)
	b.Fill(total, 0)
	cast := func(i int) tensorop.Instr { return tensorop.Instr{Op: "cast", Type: tensorop.Float32, Args: []int{i}} }
	for i := range s.count {
		m := in[i]
		if s.turned {
			m = m.With(m.Transpose(0, 2, 1))
		}
		inputs := []tensorop.Operand{total, m}
		code := []tensorop.Instr{cast(1)}
		x := 2
		if scaled {
			v, err := in[s.count].Slice(2, i, i+1, 1)
			if err != nil {
				b.Fail(err)
				return
			}
			inputs = append(inputs, in[s.count].With(v))
			code = []tensorop.Instr{cast(1), cast(2), {Op: "mul", Type: tensorop.Float32, Args: []int{3, 4}}}
			x = 5
		}
		b.Map(total, inputs, append(code, tensorop.Instr{Op: "add", Type: tensorop.Float32, Args: []int{0, x}})...)
	}
	inputs := []tensorop.Operand{total}
	var code []tensorop.Instr
	x := 0
	if biased {
		inputs = append(inputs, in[len(in)-1])
		code = []tensorop.Instr{cast(1), {Op: "add", Type: tensorop.Float32, Args: []int{0, 2}}}
		x = 3
	}
	code, y, err := s.neuron().code(code, len(inputs), x)
	if err != nil {
		b.Fail(err)
		return
	}
	b.Map(out, inputs, append(code, tensorop.Instr{Op: "cast", Type: out.Type, Args: []int{y}})...)
}

func topClasses() []adapter.Class {
	u := func(c *objcsoft.Call, i int) int { return int(c.Uint(i)) }
	return []adapter.Class{
		withProperties(adapter.Class{Name: "MPSMatrixFindTopK", Super: "MPSMatrixUnaryKernel", Methods: adapter.Methods{
			"initWithDevice:numberOfTopKValues:": func(c *objcsoft.Call) {
				if n := c.Uint(1); n == 0 || n > maxTop {
					adapter.Misuse(c, "the %d largest values; it finds 1 to %d", n, maxTop)
					return
				}
				k := &Kernel{}
				k.set("numberOfTopKValues", c.Word(1))
				initKernel(c, k)
			},
			"encodeToCommandBuffer:inputMatrix:resultIndexMatrix:resultValueMatrix:": adapter.Method(encodeTop),
		}}, map[string]uintptr{"sourceRows": math.MaxUint, "sourceColumns": math.MaxUint}),
		withProperties(adapter.Class{Name: "MPSMatrixSum", Super: "MPSKernel", Methods: adapter.Methods{
			"initWithDevice:count:rows:columns:transpose:": func(c *objcsoft.Call) {
				s := &sum{count: u(c, 1), rows: u(c, 2), columns: u(c, 3), turned: c.Bool(4)}
				if s.count < 1 || s.rows < 1 || s.columns < 1 {
					adapter.Misuse(c, "a sum of %d matrices of %d by %d; each must be at least 1", s.count, s.rows,
						s.columns)
					return
				}
				initKernel(c, s)
			},
			"count":     adapter.Method(func(s *sum, c *objcsoft.Call) { c.ReturnUint(uint64(s.count)) }),
			"rows":      adapter.Method(func(s *sum, c *objcsoft.Call) { c.ReturnUint(uint64(s.rows)) }),
			"columns":   adapter.Method(func(s *sum, c *objcsoft.Call) { c.ReturnUint(uint64(s.columns)) }),
			"transpose": adapter.Method(func(s *sum, c *objcsoft.Call) { c.ReturnBool(s.turned) }),
			"setNeuronType:parameterA:parameterB:parameterC:": adapter.Method(setNeuron),
			"encodeToCommandBuffer:sourceMatrices:resultMatrix:scaleVector:offsetVector:biasVector:startIndex:": adapter.Method(
				(*sum).encode),
		}}, nil),
	}
}
