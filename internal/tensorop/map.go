package tensorop

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Instr is one operation of a [Builder.Map]: it is applied to each element. Arguments below the
// number of the map's inputs are those inputs; the next ones are the results of the instructions
// before.
type Instr struct {
	Op      string // a name of the table in op.go, such as "add"
	Type    Type   // of the result
	Args    []int
	Scalars []float32 // parameters, such as the slope of "leaky_relu"
	// Fixed: the parameters are numbers in the kernel's text, which saves reading them. It is for
	// those that never change: each set of parameters is another kernel.
	Fixed bool
}

// Map writes to out the result of the last instruction for each element. Inputs have out's shape or
// are broadcast to it. Several instructions make one kernel, whose results have the same bits as
// one map for each instruction.
func (b *Builder) Map(out Operand, inputs []Operand, code ...Instr) {
	if b.err != nil {
		return
	}
	m := mapper{operands: append([]Operand{out}, inputs...)}
	views := make([]View, len(m.operands))
	for i, o := range m.operands {
		v, err := o.Broadcast(out.Shape...)
		if err != nil {
			b.Fail(err)
			return
		}
		views[i] = v
	}
	if out.Elements() == 0 {
		return
	}
	m.views = merge(views)
	if err := m.body(code); err != nil {
		b.Fail(err)
		return
	}
	source, threads := m.kernel()
	b.Launch(source, "map", threads, [3]int{}, m.operands, m.words)
}

// Apply is Map with one instruction whose arguments are the inputs.
func (b *Builder) Apply(op string, out Operand, inputs ...Operand) {
	args := make([]int, len(inputs))
	for i := range args {
		args[i] = i
	}
	b.Map(out, inputs, Instr{Op: op, Type: out.Type, Args: args})
}

// Copy writes the elements of in to out, converted to out's type.
func (b *Builder) Copy(out, in Operand) {
	b.Apply("cast", out, in)
	if s, ok := transposition(out, in); ok && b.err == nil {
		b.onGPU(s)
	}
}

// Transposed is Copy for large matrices whose rows are contiguous in out and whose columns are in
// in: it goes through threadgroup memory on all devices, which takes the least processor time where
// others use the caches as well. Other copies are those of Copy.
func (b *Builder) Transposed(out, in Operand) {
	s, ok := transposition(out, in)
	if !ok {
		b.Copy(out, in)
		return
	}
	b.Launch(s.Source, s.Kernel, s.Threads, s.Group, []Operand{out, in}, s.Arguments)
}

// transposition returns the launch that copies matrices by tiles, without its buffers, false if it
// does not suit the operands.
func transposition(out, in Operand) (s Step, ok bool) {
	const tile, dims = 32, MaxRank - 2
	rank := out.Rank()
	if out.Type != in.Type || !slices.Equal(out.Shape, in.Shape) || rank < 2 || out.Elements() == 0 {
		return s, false
	}
	rows, columns := out.Shape[rank-2], out.Shape[rank-1]
	if rows < tile || columns < tile || out.Strides[rank-1] != 1 || in.Strides[rank-2] != 1 {
		return s, false
	}
	outer := func(v View) View { return View{Type: v.Type, Shape: v.Shape[:rank-2], Strides: v.Strides[:rank-2]} }
	batch := merge([]View{outer(out.View), outer(in.View)})
	var w Words
	w.Int(rows, columns, out.Offset, out.Strides[rank-2], in.Offset, in.Strides[rank-1], batch[0].Rank())
	for _, list := range [][]int{batch[0].Shape, batch[0].Strides, batch[1].Strides} {
		w.Int(append(slices.Clone(list), make([]int, dims-len(list))...)...)
	}
	return Step{Source: text("transpose.metal", "IN "+in.Type.Stored()), Kernel: "transpose_tiles",
		Threads:   [3]int{(columns + tile - 1) / tile * tile, (rows + tile - 1) / tile * 8, batch[0].Elements()},
		Group:     [3]int{tile, 8, 1},
		Arguments: w}, true
}

// Fill sets all elements of out to a value.
func (b *Builder) Fill(out Operand, value float32) {
	b.Map(out, nil, Instr{Op: "fill", Type: out.Type, Scalars: []float32{value}})
}

// mapper writes the kernel of a Map. Operand 0 is the result.
type mapper struct {
	operands []Operand
	views    []View
	members  []string // of the arguments
	words    Words
	prelude  []string
	text     strings.Builder
}

// member adds a member to the arguments and returns the expression that reads it.
func (m *mapper) member(typ, name string) string {
	m.members = append(m.members, typ+" "+name)
	return "p." + name
}

// body writes the statements that compute the result's value, named y.
func (m *mapper) body(code []Instr) error {
	inputs := len(m.views) - 1
	if len(code) == 0 {
		return fmt.Errorf("tensorop: a map without an instruction")
	}
	typeOf := func(arg int) Type {
		if arg < inputs {
			return m.views[arg+1].Type
		}
		return code[arg-inputs].Type
	}
	for i, in := range code {
		def, err := lookup(in.Op)
		if err != nil {
			return err
		}
		e := expr{typ: in.Type}
		for _, a := range in.Args {
			if a < 0 || a >= inputs+i {
				return fmt.Errorf("tensorop: instruction %d (%s) has the argument %d; there are %d",
					i, in.Op, a, inputs+i)
			}
			e.args = append(e.args, fmt.Sprintf("v%d", a))
			e.types = append(e.types, typeOf(a))
		}
		for k, s := range in.Scalars {
			if in.Fixed {
				e.scalars = append(e.scalars, fmt.Sprintf("as_type<float>(0x%08xu)", math.Float32bits(s)))
				continue
			}
			e.scalars = append(e.scalars, m.member("float", fmt.Sprintf("k%d_%d", i, k)))
			m.words.Float(s)
		}
		value, err := def.write(in.Op, e)
		if err != nil {
			return err
		}
		for _, h := range def.helpers {
			m.prelude = addOnce(m.prelude, h)
		}
		fmt.Fprintf(&m.text, "    %s v%d = %s;\n", in.Type.Value(), inputs+i, in.Type.round(value))
	}
	last := inputs + len(code) - 1
	if typeOf(last) != m.views[0].Type {
		return fmt.Errorf("tensorop: the last instruction, %s, gives %v and the result is %v",
			code[len(code)-1].Op, typeOf(last), m.views[0].Type)
	}
	return nil
}

func addOnce(list []string, s string) []string {
	for _, have := range list {
		if have == s {
			return list
		}
	}
	return append(list, s)
}

// kernel returns the whole text and the grid: the last dimension along x, the one before along y,
// and the others together along z.
func (m *mapper) kernel() (string, [3]int) {
	shape := m.views[0].Shape
	rank := len(shape)
	threads := [3]int{1, 1, 1}
	index := make([]string, rank) // of each dimension
	var at strings.Builder
	for d := rank - 1; d >= 0; d-- {
		switch from := rank - 1 - d; {
		case from < 2:
			threads[from] = shape[d]
			index[d] = []string{"int(id.x)", "int(id.y)"}[from]
		case d == 0:
			threads[2] *= shape[d]
			index[d] = "r"
		default:
			threads[2] *= shape[d]
			n := m.member("int", fmt.Sprintf("n%d", d))
			m.words.Int(shape[d])
			fmt.Fprintf(&at, "    int i%d = r %% %s;\n    r /= %s;\n", d, n, n)
			index[d] = fmt.Sprintf("i%d", d)
		}
	}
	places := make([]string, len(m.views))
	for i, v := range m.views {
		p := ""
		if v.Offset != 0 {
			p = m.member("int", fmt.Sprintf("o%d", i))
			m.words.Int(v.Offset)
		}
		for d, s := range v.Strides {
			term := index[d]
			switch s {
			case 0:
				continue
			case 1:
			default:
				term = fmt.Sprintf("%s * %s", term, m.member("int", fmt.Sprintf("s%d_%d", i, d)))
				m.words.Int(s)
			}
			if p != "" {
				p += " + "
			}
			p += term
		}
		if p == "" {
			p = "0"
		}
		places[i] = p
	}
	var s strings.Builder
	s.WriteString(header)
	for _, h := range m.prelude {
		s.WriteString(h)
	}
	if len(m.members) > 0 {
		fmt.Fprintf(&s, "struct P { %s; };\n", strings.Join(m.members, "; "))
	}
	s.WriteString("kernel void map(")
	for i, v := range m.views {
		access := "device const "
		if i == 0 {
			access = "device "
		}
		fmt.Fprintf(&s, "%s%s *a%d [[buffer(%d)]], ", access, v.Type.Stored(), i, i)
	}
	if len(m.members) > 0 {
		fmt.Fprintf(&s, "constant P &p [[buffer(%d)]], ", len(m.views))
	}
	s.WriteString("uint3 id [[thread_position_in_grid]]) {\n")
	if rank > 2 {
		s.WriteString("    int r = int(id.z);\n")
		s.WriteString(at.String())
	}
	for i := 1; i < len(m.views); i++ {
		v := m.views[i]
		fmt.Fprintf(&s, "    %s v%d = %s;\n", v.Type.Value(), i-1, v.Type.load(fmt.Sprintf("a%d[%s]", i, places[i])))
	}
	s.WriteString(m.text.String())
	last := strings.Count(m.text.String(), "\n") + len(m.views) - 2
	fmt.Fprintf(&s, "    a0[%s] = %s;\n}\n", places[0], m.views[0].Type.store(fmt.Sprintf("v%d", last)))
	return s.String(), threads
}

// header starts every kernel's text.
const header = "#include <metal_stdlib>\nusing namespace metal;\n"
