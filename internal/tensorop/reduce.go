package tensorop

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// reduction is how elements are reduced to one: in MSL, an accumulator S of a value v, and of an
// index i if the result is one.
type reduction struct {
	kind   opKind
	test   bool   // the result is a Bool
	index  bool   // the result is the element's index, an Int32
	mean   bool   // the sum is divided by the number of elements
	count  int    // that number, if it is another than that of the elements that are added
	start  string // the first value of the accumulator; {T} is its type
	first  bool   // the accumulator begins with the first element
	step   string // the new accumulator from a and b; b is an element, or an accumulator
	before string // what is done to an element first
	better string // how the element of the result's index compares to the others
}

func reductions() map[string]reduction {
	nan := func(less string) string { return "(a.v != a.v ? a.v : b.v != b.v || b.v " + less + " a.v ? b.v : a.v)" }
	numbers := func(less string) string { return "(a.v != a.v || b.v " + less + " a.v ? b.v : a.v)" }
	// Of equal elements the one with the lower index wins, whatever the order of the comparison.
	better := func(less string) string {
		return "((b.v != b.v && !(a.v != a.v)) || (!(a.v != a.v) && b.v " + less + " a.v) || " +
			"((b.v == a.v || (a.v != a.v && b.v != b.v)) && b.i < a.i))"
	}
	return map[string]reduction{
		"sum":         {kind: number, start: "0", step: "a.v + b.v"},
		"mean":        {kind: floating, mean: true, start: "0", step: "a.v + b.v"},
		"product":     {kind: number, start: "1", step: "a.v * b.v"},
		"sum_squares": {kind: number, start: "0", step: "a.v + b.v", before: "x * x"},
		"sum_abs":     {kind: number, start: "0", step: "a.v + b.v", before: "x < 0 ? 0 - x : x"},
		"min":         {kind: number, first: true, step: nan("<")},
		"max":         {kind: number, first: true, step: nan(">")},
		"min_number":  {kind: number, first: true, step: numbers("<")},
		"max_number":  {kind: number, first: true, step: numbers(">")},
		"all":         {kind: anyType, test: true, start: "1", step: "a.v & b.v", before: "x != 0"},
		"any":         {kind: anyType, test: true, start: "0", step: "a.v | b.v", before: "x != 0"},
		"argmin":      {kind: number, index: true, first: true, step: better("<"), better: "<"},
		"argmax":      {kind: number, index: true, first: true, step: better(">"), better: ">"},
	}
}

// Reduction returns the type of a reduction's result, or an error if it does not take the type. The
// reductions are sum, mean, product, sum_squares, sum_abs, min and max, which return NaN if there
// is one, min_number and max_number, which leave NaN out, all and any, which give a Bool, and
// argmin and argmax, which give the Int32 index of the first least or largest element, or the first
// NaN; Reduce writes it as Uint32 as well.
func Reduction(op string, t Type) (Type, error) {
	r, ok := reductions()[op]
	switch {
	case !ok:
		return 0, fmt.Errorf("tensorop: there is no reduction %q", op)
	case !r.kind.accepts(t):
		return 0, fmt.Errorf("%s: takes %v and not %v", op, r.kind, t)
	case r.test:
		return Bool, nil
	case r.index:
		return Int32, nil
	}
	return t, nil
}

// ReduceShape returns a shape with the dimensions of the axes set to 1. An axis that the shape does
// not have, or that is there twice, is an error.
func ReduceShape(op string, shape, axes []int) ([]int, error) {
	out := slices.Clone(shape)
	for i, a := range axes {
		if a < 0 || a >= len(shape) {
			return nil, fmt.Errorf("%s: axis %d of shape %v", op, a, shape)
		}
		if slices.Contains(axes[:i], a) {
			return nil, fmt.Errorf("%s: axis %d is there twice in %v", op, a, axes)
		}
		out[a] = 1
	}
	return out, nil
}

// rowThreads is how many threads reduce a row: a simdgroup.
const rowThreads = 32

// Reduce reduces the elements of in along axes. out has the shape of in with those dimensions 1.
// 16-bit floating-point numbers are added in float32; integers wrap around in their own type. The
// order of the operations depends on the shape alone. Without elements a minimum or maximum is an
// error, and a sum is 0.
func (b *Builder) Reduce(op string, out, in Operand, axes ...int) {
	if b.err != nil {
		return
	}
	r, err := checkReduction(op, out, in, axes)
	if err != nil {
		b.Fail(err)
		return
	}
	if out.Elements() == 0 {
		return
	}
	kept, rows := splitAxes(out.View, in.View, axes)
	b.reduce(r, out, in, kept, rows, in.Elements()/out.Elements())
}

// checkReduction returns a reduction, or an error unless it takes the operands.
func checkReduction(op string, out, in Operand, axes []int) (reduction, error) {
	t, err := Reduction(op, in.Type)
	r := reductions()[op]
	if err == nil && t != out.Type && !(r.index && out.Type == Uint32) {
		err = fmt.Errorf("%s: gives %v and not %v", op, t, out.Type)
	}
	shape, err2 := ReduceShape(op, in.Shape, axes)
	if err == nil {
		err = err2
	}
	if err == nil && !slices.Equal(shape, out.Shape) {
		err = fmt.Errorf("%s: the result of shape %v along axes %v has the shape %v and not %v", op, in.Shape, axes,
			shape, out.Shape)
	}
	if err == nil && r.first && in.Elements() == 0 && out.Elements() > 0 {
		err = fmt.Errorf("%s: shape %v has no elements", op, in.Shape)
	}
	return r, err
}

// splitAxes returns views of the result and of the source over the dimensions that stay, and of the
// source over those that are reduced, with as few dimensions as possible.
func splitAxes(out, in View, axes []int) (kept [2]View, rows View) {
	var stay, drop []int
	for i := range in.Shape {
		if slices.Contains(axes, i) {
			drop = append(drop, i)
		} else {
			stay = append(stay, i)
		}
	}
	k := merge([]View{out.Transpose(stay...), in.Transpose(stay...)})
	r := in.Transpose(drop...)
	r.Offset = 0
	return [2]View{k[0], k[1]}, merge([]View{r})[0]
}

// ReduceAll reduces all elements of in to the only one of out. Where they are not evenly spaced,
// rows along the last dimension are reduced first, and then their results.
func (b *Builder) ReduceAll(op string, out, in Operand) {
	if out.Elements() != 1 {
		b.Fail(fmt.Errorf("%s: the result of all elements has the shape %v; it must have one", op, out.Shape))
	}
	if b.err != nil {
		return
	}
	axes, ones := make([]int, in.Rank()), make([]int, in.Rank())
	for d := range axes {
		axes[d], ones[d] = d, 1
	}
	out = out.With(View{Type: out.Type, Shape: ones, Strides: make([]int, in.Rank()), Offset: out.Offset})
	r, err := checkReduction(op, out, in, axes)
	if err != nil {
		b.Fail(err)
		return
	}
	if _, even := in.Reshape(in.Elements()); even || in.Type.Size() == 8 {
		b.Reduce(op, out, in, axes...)
		return
	}
	last := in.Rank() - 1
	out.Shape, out.Strides = []int{1}, []int{0}
	kept, rows := splitAxes(Dense(out.Type, append(slices.Clone(in.Shape[:last]), 1)...), in.View, axes[last:])
	b.rounds(r, out, in, kept, rows, in.Shape[last], kept[0].Elements())
}

// Fewer than fewRows rows of at least longRow elements are reduced in two rounds, the first of
// which reduces parts of longPart elements.
const (
	longPart = 1 << 14
	longRow  = 4 * longPart
	fewRows  = 64
)

// rounds adds the launches of a reduction in two rounds: parts of n elements, which kept lists, to
// temporary results, and groups of as many parts to out.
func (b *Builder) rounds(r reduction, out, in Operand, kept [2]View, rows View, n, parts int) {
	outputs := out.Elements()
	first, last := r, r
	first.mean, last.before = false, ""
	if r.mean {
		last.count = cmp.Or(r.count, n*parts)
	}
	temp := b.Temp(accumulator(r, in.Type), outputs*parts)
	kept[0].Type = temp.Type
	each := merge(kept[:])
	b.reduce(first, temp, in, [2]View{each[0], each[1]}, rows, n)
	if r.index {
		b.places(r, out, in, temp, kept[1], rows, n, parts)
		return
	}
	flat := View{Type: temp.Type, Shape: []int{outputs, parts}, Strides: []int{parts, 1}}
	k, rw := splitAxes(View{out.Type, []int{outputs, 1}, []int{out.Strides[0], 0}, out.Offset}, flat, []int{1})
	b.reduce(last, out, temp, k, rw, parts)
}

// places adds the launch of the second round for a reduction to an index. parts is a view of the
// first elements of all parts.
func (b *Builder) places(r reduction, out, in, temp Operand, parts, rows View, n, count int) {
	outputs := out.Elements()
	var w Words
	row := 0
	if outputs > 1 { // the parts of a row are the last dimension
		row, parts.Shape, parts.Strides = parts.Strides[0], parts.Shape[1:], parts.Strides[1:]
	}
	w.Int(out.Offset, out.Strides[0], parts.Offset, row, count, n, rows.Strides[0], parts.Rank())
	for _, list := range [][]int{parts.Shape, parts.Strides} {
		w.Int(append(slices.Clone(list), make([]int, MaxRank-1-len(list))...)...)
	}
	source := text("reduce_places.metal", "IN "+in.Type.Stored(), "VALUE "+accumulated(r, in.Type), "BETTER "+r.better,
		"OUT "+out.Type.Stored())
	b.Launch(source, "reduce_places", [3]int{outputs * rowThreads, 1, 1}, [3]int{rowThreads, 1, 1},
		[]Operand{out, in, temp}, w)
}

// reduce adds the launches. n is how many elements make one of the result.
func (b *Builder) reduce(r reduction, out, in Operand, kept [2]View, rows View, n int) {
	outputs := kept[0].Elements()
	wide := in.Type.Size() < 8 // values that simdgroups can exchange
	if wide && rows.Rank() == 1 && n >= longRow && outputs < fewRows && kept[0].Rank() == 1 {
		// Few long rows: their parts first.
		parts := min(n/longPart, 256)
		for n%parts != 0 {
			parts--
		}
		if parts > 1 {
			part := n / parts
			source := View{Type: in.Type, Shape: []int{outputs, parts}, Offset: kept[1].Offset,
				Strides: []int{kept[1].Strides[0], part * rows.Strides[0]}}
			result := View{Type: out.Type, Shape: []int{outputs}, Strides: []int{kept[0].Strides[0]}, Offset: kept[0].Offset}
			b.rounds(r, out.With(result), in, [2]View{Dense(out.Type, outputs, parts), source}, rows, part, parts)
			return
		}
	}
	w := &reduceWriter{r: r, out: out.Type, in: in.Type, kept: kept, rows: rows, n: n}
	w.row = wide && len(rows.Shape) == 1 && n >= 2*rowThreads && (rows.Strides[0] == 1 || outputs < 4*rowThreads)
	source, threads, group := w.kernel()
	b.Launch(source, "reduce", threads, group, []Operand{out, in}, w.words)
}

// accumulator returns the type of parts of a result.
func accumulator(r reduction, t Type) Type {
	switch {
	case r.index:
		return Int32
	case r.test:
		return Bool
	case t.Float():
		return Float32
	}
	return t
}

// reduceWriter writes the kernel of a reduction.
type reduceWriter struct {
	r       reduction
	out, in Type
	kept    [2]View // of the result and of the source
	rows    View
	n       int
	row     bool // a simdgroup for each result
	members []string
	words   Words
}

func (w *reduceWriter) member(name string, v int) string {
	w.members = append(w.members, "int "+name)
	w.words.Int(v)
	return "p." + name
}

// accumulated returns the type of the accumulator in a kernel.
func accumulated(r reduction, t Type) string {
	switch {
	case r.test:
		return "int"
	case t.Float():
		return "float"
	case t.Size() == 8:
		return t.Value()
	case t.Signed():
		return "int"
	}
	return "uint"
}

func (w *reduceWriter) kernel() (string, [3]int, [3]int) {
	var s, body strings.Builder
	v := accumulated(w.r, w.in)
	index := ""
	if w.r.index {
		index = " int i;"
	}
	fmt.Fprintf(&s, "struct S { %s v;%s };\n", v, index)
	step := w.r.step
	if w.r.index {
		s.WriteString("static S join(S a, S b) { return " + step + " ? b : a; }\n")
	} else {
		fmt.Fprintf(&s, "static S join(S a, S b) { S r; r.v = %s(%s); return r; }\n", v, step)
	}
	before := w.r.before
	if before == "" {
		before = "x"
	}
	fmt.Fprintf(&s, "static S load(%s x, int i) { S r; r.v = %s(%s);%s return r; }\n", w.in.Value(), v, before,
		map[bool]string{true: " r.i = i;"}[w.r.index])

	// Where the result and the first element of its row are.
	id := "int(id)"
	if w.row {
		id = "int(row)"
	}
	fmt.Fprintf(&body, "    int r = %s;\n", id)
	places := [2]string{w.member("o0", w.kept[0].Offset), w.member("o1", w.kept[1].Offset)}
	for d := w.kept[0].Rank() - 1; d >= 0; d-- {
		at := "r"
		if d > 0 {
			size := w.member(fmt.Sprintf("n%d", d), w.kept[0].Shape[d])
			fmt.Fprintf(&body, "    int i%d = r %% %s;\n    r /= %s;\n", d, size, size)
			at = fmt.Sprintf("i%d", d)
		}
		for i := range places {
			places[i] += fmt.Sprintf(" + %s * %s", at, w.member(fmt.Sprintf("s%d_%d", i, d), w.kept[i].Strides[d]))
		}
	}
	fmt.Fprintf(&body, "    int to = %s, from = %s;\n", places[0], places[1])
	start := "S a; a.v = " + v + "(" + w.r.start + ");"
	if w.r.first {
		start = "S a = load(" + w.in.load("in[from]") + ", 0);"
	}
	if w.row {
		w.rowBody(&body, start)
	} else {
		w.threadBody(&body, start)
	}
	result := "a.v"
	if w.r.index {
		result = "a.i"
	}
	if w.r.mean {
		result += " / float(" + w.member("count", cmp.Or(w.r.count, w.n)) + ")"
	}
	value := w.out.Value() + "(" + result + ")"
	if w.out == Bool {
		value = "(" + result + " != 0)"
	}
	if w.row {
		fmt.Fprintf(&body, "    if (lane == 0) out[to] = %s;\n", w.out.store(value))
	} else {
		fmt.Fprintf(&body, "    out[to] = %s;\n", w.out.store(value))
	}
	outputs := w.kept[0].Elements()
	parameters, threads, group := "uint id [[thread_position_in_grid]]", [3]int{outputs, 1, 1}, [3]int{}
	if w.row {
		parameters = "uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]"
		threads, group = [3]int{outputs * rowThreads, 1, 1}, [3]int{rowThreads, 1, 1}
	}
	return fmt.Sprintf("%s%sstruct P { %s; };\nkernel void reduce(device %s *out [[buffer(0)]], "+
		"device const %s *in [[buffer(1)]], constant P &p [[buffer(2)]], %s) {\n%s}\n", header, s.String(),
		strings.Join(w.members, "; "), w.out.Stored(), w.in.Stored(), parameters, body.String()), threads, group
}

// rowUnroll is how many elements of a row each lane takes in a turn of the loop.
const rowUnroll = 4

// rowBody reduces a row of one dimension with a simdgroup: lane l takes elements l, l+32, ..., and
// then the lanes' results are joined pair by pair. While all lanes have rowUnroll elements left,
// the loop's condition is the same for all, which costs least on the software device.
func (w *reduceWriter) rowBody(body *strings.Builder, start string) {
	n, stride := w.member("length", w.n), w.member("stride", w.rows.Strides[0])
	element := func(k string) string { return "load(" + w.in.load("in[from + ("+k+") * "+stride+"]") + ", " + k + ")" }
	first := 0
	if w.r.first {
		start, first = "S a = "+element("int(lane)")+";", rowThreads
	}
	fmt.Fprintf(body, "    %s\n    int k = int(lane) + %d;\n", start, first)
	if turn := rowUnroll * rowThreads; w.n >= first+turn {
		fmt.Fprintf(body, "    for (int last = %s - %d, all = %d; all <= last; all += %d, k += %d) {\n", n, turn, first,
			turn, turn)
		for i := range rowUnroll {
			fmt.Fprintf(body, "        a = join(a, %s);\n", element(fmt.Sprintf("k + %d", i*rowThreads)))
		}
		body.WriteString("    }\n")
	}
	fmt.Fprintf(body, "    for (; k < %s; k += %d) a = join(a, %s);\n", n, rowThreads, element("k"))
	body.WriteString("    for (ushort d = 16; d > 0; d >>= 1) {\n        S b;\n")
	body.WriteString("        b.v = simd_shuffle_down(a.v, d);\n")
	if w.r.index {
		body.WriteString("        b.i = simd_shuffle_down(a.i, d);\n")
	}
	body.WriteString("        a = join(a, b);\n    }\n")
}

// threadBody reduces with one thread, the last dimension fastest.
func (w *reduceWriter) threadBody(body *strings.Builder, start string) {
	if w.n == 0 {
		fmt.Fprintf(body, "    %s\n", start)
		return
	}
	fmt.Fprintf(body, "    %s\n", start)
	at := "from"
	count := "0"
	for d, size := range w.rows.Shape {
		n, s := w.member(fmt.Sprintf("m%d", d), size), w.member(fmt.Sprintf("t%d", d), w.rows.Strides[d])
		fmt.Fprintf(body, "    for (int k%d = 0; k%d < %s; k%d++)\n", d, d, n, d)
		at += fmt.Sprintf(" + k%d * %s", d, s)
		if count == "0" {
			count = fmt.Sprintf("k%d", d)
		} else {
			count = fmt.Sprintf("(%s) * %s + k%d", count, n, d)
		}
	}
	skip := ""
	if w.r.first {
		skip = "if (" + count + " != 0) "
	}
	fmt.Fprintf(body, "        %sa = join(a, load(%s, %s));\n", skip, w.in.load("in["+at+"]"), count)
}
