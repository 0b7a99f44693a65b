package tensorop

import (
	"fmt"
	"slices"
)

// sortBlock is the number of neighbors among which each element first counts those before it.
const sortBlock = 32

// ArgSort writes to out, an Int32 tensor of in's shape, the indices along an axis in the order in
// which they sort its elements. Equal elements keep their order, and NaN comes last in either
// direction.
func (b *Builder) ArgSort(out, in Operand, axis int, descending bool) {
	if err := checkSort("arg sort", in, axis); err != nil {
		b.Fail(err)
		return
	}
	if err := checkShape("arg sort", "result", out.Shape, in.Shape); err != nil {
		b.Fail(err)
		return
	}
	if out.Type != Int32 {
		b.Fail(fmt.Errorf("arg sort: the result is %v; it must be int32", out.Type))
		return
	}
	b.argSort(out, in, axis, descending)
}

func checkSort(op string, in Operand, axis int) error {
	if in.Type.Complex() {
		return fmt.Errorf("%s: takes any real type and not %v", op, in.Type)
	}
	return checkAxis(op, in.Shape, axis)
}

// argSort sorts blocks, and then merges two runs at a time. Each thread finds the place of one
// element: in its own run that is known, and in the other one a binary search finds it.
func (b *Builder) argSort(out, in Operand, axis int, descending bool) {
	n := in.Shape[axis]
	passes := 0
	for run := sortBlock; run < n; run *= 2 {
		passes++
	}
	var temps []Operand
	for range min(passes, 2) {
		temps = append(temps, b.Temp(Int32, in.Shape...))
	}
	// The last pass writes to out, and the ones before by turns to the temporary tensors.
	target := func(pass int) Operand {
		if pass == passes {
			return out
		}
		return temps[pass%2]
	}
	w, i, at := newSort(descending, axis, target(0), in)
	w.line("int x = %s, first = x / %d * %d, end = min(first + %d, %s);", i[axis], sortBlock, sortBlock, sortBlock,
		w.size(1, axis))
	w.line("%s v = %s;", in.Type.Value(), w.load(1, at("x")...))
	w.line("int place = first;")
	w.line("for (int j = first; j < end; j++) {")
	w.line("%s u = %s;", in.Type.Value(), w.load(1, at("j")...))
	w.line("place += op_before(u, v) || (j < x && !op_before(v, u)) ? 1 : 0;")
	w.line("}")
	w.line("%s", w.store(0, "x", at("place")...))
	w.launch(b, "sort_block")

	for pass, run := 1, sortBlock; pass <= passes; pass, run = pass+1, run*2 {
		w, i, at := newSort(descending, axis, target(pass), in, target(pass-1))
		w.line("int n = %s, run = %s, x = %s, first = x / run * run;", w.size(1, axis), w.int(run), i[axis])
		w.line("bool right = ((x / run) & 1) != 0;")
		w.line("int other = right ? first - run : min(first + run, n), end = min(other + run, n), low = other;")
		w.line("int k = %s;", w.load(2, at("x")...))
		w.line("%s v = %s;", in.Type.Value(), w.load(1, at("k")...))
		w.line("while (low < end) {")
		w.line("int middle = low + (end - low) / 2, m = %s;", w.load(2, at("middle")...))
		w.line("%s u = %s;", in.Type.Value(), w.load(1, at("m")...))
		// Elements of the left run are before equal ones of the right run.
		w.line("if (right ? !op_before(v, u) : op_before(u, v)) low = middle + 1; else end = middle;")
		w.line("}")
		w.line("int place = min(first, other) + x - first + low - other;")
		w.line("%s", w.store(0, "k", at("place")...))
		w.launch(b, "sort_merge")
	}
}

// newSort begins a kernel with a thread for each element; at is an element of the thread's line.
func newSort(descending bool, axis int, operands ...Operand) (w *writer, i []string, at func(string) []string) {
	w = newWriter(1, operands...)
	t, sign := operands[1].Type, "<"
	if descending {
		sign = ">"
	}
	w.prelude = append(w.prelude, fmt.Sprintf("static bool op_before(%s a, %s b) { return a %s b%s; }\n",
		t.Value(), t.Value(), sign, map[bool]string{true: " || (b != b && a == a)"}[t.Float()]))
	i = w.threads("i", operands[1].Shape)
	return w, i, func(x string) []string {
		index := slices.Clone(i)
		index[axis] = x
		return index
	}
}

// Sort writes the elements of in to out, which has the same shape and type, sorted along an axis.
// The order is that of [Builder.ArgSort].
func (b *Builder) Sort(out, in Operand, axis int, descending bool) {
	err := checkSort("sort", in, axis)
	if err == nil {
		err = checkShape("sort", "result", out.Shape, in.Shape)
	}
	if err == nil {
		err = checkSameType("sort", out, in)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	order := b.Temp(Int32, in.Shape...)
	b.argSort(order, in, axis, descending)
	b.GatherAlongAxis(out, in, order, axis)
}

// TopKShape returns a shape with k elements along an axis, which has no fewer.
func TopKShape(shape []int, axis, k int) ([]int, error) {
	if err := checkAxis("top k", shape, axis); err != nil {
		return nil, err
	}
	if k < 0 || k > shape[axis] {
		return nil, fmt.Errorf("top k: k is %d for axis %d of shape %v; it must be 0 to %d", k, axis, shape,
			shape[axis])
	}
	out := slices.Clone(shape)
	out[axis] = k
	return out, nil
}

// TopK writes the k largest elements of in along an axis to values, the largest first, or the k
// least if smallest is set, the least first. Indices, an Int32 tensor, takes their indices along
// the axis. Both have the shape of [TopKShape]; k is its length along the axis. Of equal elements
// the first comes first, and NaN comes last. The whole axis is sorted, so the time does not depend
// on k.
func (b *Builder) TopK(values, indices, in Operand, axis int, smallest bool) {
	err := checkSort("top k", in, axis)
	if err == nil {
		err = checkAxis("top k", values.Shape, axis)
	}
	var shape []int
	if err == nil {
		shape, err = TopKShape(in.Shape, axis, values.Shape[axis])
	}
	if err == nil {
		err = checkShape("top k", "tensor of values", values.Shape, shape)
	}
	if err == nil {
		err = checkShape("top k", "tensor of indices", indices.Shape, shape)
	}
	if err == nil {
		err = checkSameType("top k", values, in)
	}
	if err == nil && indices.Type != Int32 {
		err = fmt.Errorf("top k: indices of type %v; it must be int32", indices.Type)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	order := b.Temp(Int32, in.Shape...)
	b.argSort(order, in, axis, !smallest)
	first, err := order.Slice(axis, 0, shape[axis], 1)
	if err != nil {
		b.Fail(err)
		return
	}
	b.Copy(indices, order.With(first))
	b.GatherAlongAxis(values, in, order.With(first), axis)
}
