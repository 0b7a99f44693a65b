package tensorop

import (
	"fmt"
	"slices"
	"strings"
)

// writer writes the text of a kernel that indexes views by their dimensions. The first operands are
// written and the others are read. Shapes, strides and offsets are members of the arguments, so the
// text depends on types and ranks only.
type writer struct {
	operands []Operand
	outputs  int
	members  []string
	words    Words
	prelude  []string
	grid     [3]int
	native   string // the kernel's native body
	text     strings.Builder
}

func newWriter(outputs int, operands ...Operand) *writer {
	w := &writer{operands: operands, outputs: outputs, grid: [3]int{1, 1, 1}}
	for i, o := range operands {
		w.named(fmt.Sprintf("o%d", i), o.Offset)
		for d := range o.Shape {
			w.named(fmt.Sprintf("n%d_%d", i, d), o.Shape[d])
			w.named(fmt.Sprintf("s%d_%d", i, d), o.Strides[d])
		}
	}
	return w
}

func (w *writer) named(name string, v int) {
	w.members = append(w.members, "int "+name)
	w.words.Int(v)
}

// int adds an argument and returns the expression that reads it.
func (w *writer) int(v int) string {
	name := fmt.Sprintf("k%d", len(w.members))
	w.named(name, v)
	return "p." + name
}

// ints adds an argument for each value.
func (w *writer) ints(values []int) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = w.int(v)
	}
	return out
}

// float adds an argument of type float.
func (w *writer) float(v float32) string {
	name := fmt.Sprintf("k%d", len(w.members))
	w.members = append(w.members, "float "+name)
	w.words.Float(v)
	return "p." + name
}

// size returns the expression for a dimension of an operand.
func (w *writer) size(operand, dim int) string { return fmt.Sprintf("p.n%d_%d", operand, dim) }

// line adds a statement.
func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.text, "    "+format+"\n", args...)
}

// element returns an element of an operand as it is in memory.
func (w *writer) element(operand int, index ...string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "a%d[p.o%d", operand, operand)
	for d, i := range index {
		if i != "0" {
			fmt.Fprintf(&s, " + (%s) * p.s%d_%d", i, operand, d)
		}
	}
	s.WriteByte(']')
	return s.String()
}

// load returns an element's value, and store the statement that writes it.
func (w *writer) load(operand int, index ...string) string {
	return w.operands[operand].Type.load(w.element(operand, index...))
}

func (w *writer) store(operand int, value string, index ...string) string {
	return w.element(operand, index...) + " = " + w.operands[operand].Type.store(value) + ";"
}

// threads lets each thread have an index into a shape, and returns the names of the index: the last
// dimension is along x of the grid, the one before along y, and the others together along z.
func (w *writer) threads(prefix string, shape []int) []string {
	rank := len(shape)
	index := make([]string, rank)
	if rank > 2 {
		w.line("int r = int(id.z);")
	}
	for d := rank - 1; d >= 0; d-- {
		index[d] = fmt.Sprintf("%s%d", prefix, d)
		switch from := rank - 1 - d; {
		case from < 2:
			w.grid[from] = shape[d]
			w.line("int %s = int(%s);", index[d], []string{"id.x", "id.y"}[from])
		case d == 0:
			w.grid[2] *= shape[d]
			w.line("int %s = r;", index[d])
		default:
			w.grid[2] *= shape[d]
			n := w.int(shape[d])
			w.line("int %s = r %% %s; r /= %s;", index[d], n, n)
		}
	}
	return index
}

// launch adds the kernel to a plan.
func (w *writer) launch(b *Builder, name string) {
	var s strings.Builder
	s.WriteString(header)
	for _, p := range w.prelude {
		s.WriteString(p)
	}
	fmt.Fprintf(&s, "struct P { %s; };\n", strings.Join(w.members, "; "))
	if w.native != "" {
		s.WriteString(nativeAttribute(w.native) + "\n")
	}
	fmt.Fprintf(&s, "kernel void %s(", name)
	for i, o := range w.operands {
		access := "device const "
		if i < w.outputs {
			access = "device "
		}
		fmt.Fprintf(&s, "%s%s *a%d [[buffer(%d)]], ", access, o.Type.Stored(), i, i)
	}
	fmt.Fprintf(&s, "constant P &p [[buffer(%d)]], uint3 id [[thread_position_in_grid]]) {\n", len(w.operands))
	s.WriteString(w.text.String())
	s.WriteString("}\n")
	b.Launch(s.String(), name, w.grid, [3]int{}, w.operands, w.words)
}

// checkFloats returns an error unless all operands are floating-point numbers.
func checkFloats(op string, operands ...Operand) error {
	for _, o := range operands {
		if !o.Type.Float() {
			return fmt.Errorf("%s: takes floating-point numbers and not %v", op, o.Type)
		}
	}
	return nil
}

// checkShape returns an error unless an operand has a shape.
func checkShape(op, name string, got, want []int) error {
	if !slices.Equal(got, want) {
		return fmt.Errorf("%s: the shape of the %s is %v; it must be %v", op, name, got, want)
	}
	return nil
}
