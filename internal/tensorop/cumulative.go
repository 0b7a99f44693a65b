package tensorop

import (
	"fmt"
	"slices"
	"strings"
)

// cumulative is how a running result is continued: the elementwise operation, and the result
// without elements, for floating-point numbers and integers.
type cumulative struct{ op, start, integers string }

func cumulativeOf(op string, t Type) (cumulative, error) {
	least, most := "0", "{T}(~{T}(0))"
	if t.Signed() {
		least = fmt.Sprintf("{T}(ulong(1) << %d)", 8*t.Size()-1)
		most = fmt.Sprintf("{T}(~(ulong(1) << %d))", 8*t.Size()-1)
	}
	var c cumulative
	switch op {
	case "sum":
		c = cumulative{"add", "0.0f", "0"}
	case "product":
		c = cumulative{"mul", "1.0f", "1"}
	case "min":
		c = cumulative{"min", "INFINITY", most}
	case "max":
		c = cumulative{"max", "-INFINITY", least}
	default:
		return c, fmt.Errorf("tensorop: there is no cumulative operation %q", op)
	}
	if !number.accepts(t) {
		return c, fmt.Errorf("cumulative %s: takes %v and not %v", op, number, t)
	}
	return c, nil
}

// Cumulative writes to each element of out the sum, product, min or max of the elements of in up to
// the same index along an axis: from the first one, or from the last one if reverse is set. It
// leaves the element itself out if exclusive is set; without elements a sum is 0, a product 1, a
// min the largest value or infinity, and a max the least. A NaN stays. Elements are added one after
// the other, in float32 if they are floating-point numbers.
func (b *Builder) Cumulative(op string, out, in Operand, axis int, exclusive, reverse bool) {
	c, err := cumulativeOf(op, in.Type)
	name := "cumulative " + op
	if err == nil {
		err = checkAxis(name, in.Shape, axis)
	}
	if err == nil {
		err = checkShape(name, "result", out.Shape, in.Shape)
	}
	if err == nil {
		err = checkSameType(name, out, in)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	def, err := lookup(c.op)
	if err != nil {
		b.Fail(err)
		return
	}
	// The type that sums are taken in has no rounding to the type in memory.
	t := in.Type
	start, value := c.start, t
	if t.Float() {
		value = Float32
	} else {
		start = strings.ReplaceAll(c.integers, "{T}", t.Value())
	}
	step, err := def.write(c.op, expr{typ: value, args: []string{"s", "x"}, types: []Type{value, value}})
	if err != nil {
		b.Fail(err)
		return
	}
	lines := slices.Clone(in.Shape)
	lines[axis] = min(lines[axis], 1)
	w := newWriter(1, out, in)
	i := w.threads("i", lines)
	i[axis] = "k"
	w.line("%s s = %s;", value.Value(), start)
	w.line("for (int j = 0; j < %s; j++) {", w.size(1, axis))
	w.line("int k = %s != 0 ? %s - 1 - j : j;", w.int(map[bool]int{true: 1}[reverse]), w.size(1, axis))
	w.line("%s x = %s;", value.Value(), w.load(1, i...))
	if exclusive {
		w.line("%s", w.store(0, "s", i...))
	}
	w.line("s = %s;", step)
	if !exclusive {
		w.line("%s", w.store(0, "s", i...))
	}
	w.line("}")
	w.launch(b, "cumulative")
}
