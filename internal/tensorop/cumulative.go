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

// cumulativeChunk is the number of elements that a thread goes through if lines are split, and
// cumulativeLines the number of lines from which they are not.
const (
	cumulativeChunk = 256
	cumulativeLines = 4096
)

// Cumulative writes to each element of out the sum, product, min or max of the elements of in up to
// the same index along an axis: from the first one, or from the last one if reverse is set. It
// leaves the element itself out if exclusive is set; without elements a sum is 0, a product 1, a
// min the largest value or infinity, and a max the least. A NaN stays. Floating-point numbers are
// added in float32, one after the other; a long line is split, and each part continues the sum of
// the sums of the parts before it. The order depends on the shape alone.
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
	b.cumulative(c, out, in, axis, exclusive, reverse)
}

func (b *Builder) cumulative(c cumulative, out, in Operand, axis int, exclusive, reverse bool) {
	n, lines := in.Shape[axis], slices.Clone(in.Shape)
	lines[axis] = min(n, 1)
	if n < 2*cumulativeChunk || Elements(lines) >= cumulativeLines {
		w := newWriter(1, out, in)
		i := w.threads("i", lines)
		w.line("%s s = %s; int from = 0, end = %s;", c.value(in.Type).Value(), c.begin(in.Type), w.size(1, axis))
		b.accumulate(w, c, i, axis, reverse, func(s string, i []string) { w.line("%s", w.store(0, s, i...)) },
			exclusive)
		w.launch(b, "cumulative")
		return
	}
	lines[axis] = (n + cumulativeChunk - 1) / cumulativeChunk
	totals, before := b.Temp(c.value(in.Type), lines...), b.Temp(c.value(in.Type), lines...)
	part := func(w *writer, start string, i []string) {
		w.line("%s s = %s;", c.value(in.Type).Value(), start)
		w.line("int from = %s * %d, end = min(from + %d, %s);", i[axis], cumulativeChunk, cumulativeChunk, w.size(1,
			axis))
	}
	w := newWriter(1, totals, in)
	i := w.threads("i", lines)
	part(w, c.begin(in.Type), i)
	b.accumulate(w, c, slices.Clone(i), axis, reverse, nil, false)
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "cumulative_totals")
	b.cumulative(c, before, totals, axis, true, false)
	w = newWriter(1, out, in, before)
	i = w.threads("i", lines)
	part(w, w.load(2, i...), i)
	b.accumulate(w, c, i, axis, reverse, func(s string, i []string) { w.line("%s", w.store(0, s, i...)) }, exclusive)
	w.launch(b, "cumulative_parts")
}

// value is the type of running results: that of a sum has no rounding to the type in memory.
func (c cumulative) value(t Type) Type {
	if t.Float() {
		return Float32
	}
	return t
}

// begin is the result without elements.
func (c cumulative) begin(t Type) string {
	if t.Float() {
		return c.start
	}
	return strings.ReplaceAll(c.integers, "{T}", t.Value())
}

// accumulate writes the loop over the elements of operand 1 that are number from up to end, counted
// from the last one if reverse is set; s is the running result. If store is not nil it is called
// before or after an element is added.
func (b *Builder) accumulate(w *writer, c cumulative, i []string, axis int, reverse bool,
	store func(s string, i []string), exclusive bool) {
	t := c.value(w.operands[1].Type)
	def, err := lookup(c.op)
	if err != nil {
		b.Fail(err)
		return
	}
	step, err := def.write(c.op, expr{typ: t, args: []string{"s", "x"}, types: []Type{t, t}})
	if err != nil {
		b.Fail(err)
		return
	}
	i[axis] = "k"
	w.line("for (int j = from; j < end; j++) {")
	w.line("int k = %s != 0 ? %s - 1 - j : j;", w.int(map[bool]int{true: 1}[reverse]), w.size(1, axis))
	w.line("%s x = %s;", t.Value(), w.load(1, i...))
	if store != nil && exclusive {
		store("s", i)
	}
	w.line("s = %s;", step)
	if store != nil && !exclusive {
		store("s", i)
	}
	w.line("}")
}
