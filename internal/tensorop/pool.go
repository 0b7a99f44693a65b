package tensorop

import (
	"fmt"
	"slices"
)

// PoolKind says how a pooling combines the elements of a window.
type PoolKind uint8

// The kinds of pooling. PoolL2 is the square root of the sum of squares.
const (
	PoolMax PoolKind = iota
	PoolAverage
	PoolL2
	PoolSum
)

// maxPooled is the most dimensions that a window has.
const maxPooled = 4

// Pool describes a pooling over the last dimensions of a tensor, as many as the window has: 1 to 4.
// Elements of the padding take part in nothing, but for CountPadding. A window without any element
// gives the lowest value or 0, and for an average NaN.
type Pool struct {
	Window
	Kind PoolKind
	// Ceil adds a last position whose window reaches beyond the padding, if it begins before it.
	Ceil bool
	// CountPadding counts elements of the padding for the average.
	CountPadding bool
	// IndexDims says of how many of the input's last dimensions an index of a maximum is the number
	// in row-major order; 0 stands for those of the window.
	IndexDims int
	// LocalIndices makes indices the number of the tap in the window instead.
	LocalIndices bool
}

// PoolShape returns the shape of a pooling of a tensor.
func PoolShape(in []int, p Pool) ([]int, error) {
	w, err := p.window(in)
	if err != nil {
		return nil, err
	}
	lead := len(in) - len(w.Size)
	spatial, err := w.positions("pooling", in[lead:], p.Ceil)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(in[:lead]), spatial...), nil
}

func (p Pool) window(in []int) (Window, error) {
	if n := len(p.Size); n < 1 || n > maxPooled || n > len(in) {
		return p.Window, fmt.Errorf("pooling: a window of %d dimensions over shape %v; there must be 1 to %d, "+
			"and not more than the shape's", n, in, maxPooled)
	}
	if p.Kind > PoolSum {
		return p.Window, fmt.Errorf("pooling: there is no kind %d", p.Kind)
	}
	if p.IndexDims < 0 || p.IndexDims > len(in) {
		return p.Window, fmt.Errorf("pooling: indices into %d dimensions of shape %v", p.IndexDims, in)
	}
	return p.Window.fill("pooling")
}

// checkPool returns the window, after it checked the operands.
func (b *Builder) checkPool(out, in Operand, p Pool, floats ...Operand) (Window, bool) {
	if b.err != nil {
		return p.Window, false
	}
	shape, err := PoolShape(in.Shape, p)
	if err == nil {
		err = checkShape("pooling", "result", out.Shape, shape)
	}
	if err == nil && p.Kind == PoolMax && out.Type == in.Type && in.Type.Integer() {
		return filled(p, in), true
	}
	if err == nil {
		err = checkFloats("pooling", floats...)
	}
	if err != nil {
		b.Fail(err)
		return p.Window, false
	}
	return filled(p, in), true
}

// filled returns the window of a pooling that was checked.
func filled(p Pool, in Operand) Window {
	w, _ := p.window(in.Shape)
	return w
}

func checkIndices(indices Operand, shape []int) error {
	if t := indices.Type; !t.Integer() || t.Size() < 4 {
		return fmt.Errorf("pooling: indices of type %v; it must be an integer of 32 or 64 bits", t)
	}
	return checkShape("pooling", "tensor of indices", indices.Shape, shape)
}

// poolWriter writes kernels of poolings: window are the expressions of its members.
type poolWriter struct {
	*writer
	Pool
	lead, dims                            int
	resultDim                             int // the first spatial dimension of a result
	size, stride, dilation, before, after []string
}

func (p Pool) writer(w *writer, win Window, rank int) poolWriter {
	lead := rank - len(win.Size)
	return poolWriter{w, p, lead, len(win.Size), lead, w.ints(win.Size), w.ints(win.Strides),
		w.ints(win.Dilations), w.ints(win.Before), w.ints(win.After)}
}

// Pool writes the pooling of in to out, whose shape is that of [PoolShape]. A maximum takes
// integers too, if both have the same type. A NaN in a window is its maximum. Sums are taken in
// float32 in row-major order of the window.
func (b *Builder) Pool(out, in Operand, p Pool) {
	win, ok := b.checkPool(out, in, p, out, in)
	if !ok {
		return
	}
	w := p.writer(newWriter(1, out, in), win, in.Rank())
	i := w.threads("i", out.Shape)
	if p.Kind == PoolMax {
		w.maximum(i, 1)
		w.line("%s", w.store(0, "m", i...))
		w.launch(b, "pool_max")
		return
	}
	w.line("float s = 0.0f;")
	w.taps(i, 1)
	w.line("float v = %s;", w.load(1, w.tapIndex(i)...))
	w.line("s += %s;", map[bool]string{true: "v * v", false: "v"}[p.Kind == PoolL2])
	w.close()
	switch p.Kind {
	case PoolAverage:
		w.line("s /= float(%s);", w.count(i, 1))
	case PoolL2:
		w.line("s = sqrt(s);")
	}
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "pool_sum")
}

// MaxPoolIndices writes the maxima of a pooling to out and their indices to indices, which has the
// same shape and is of an integer type of 32 or 64 bits. Of equal elements it takes the first. The
// index for a window without any element is -1.
func (b *Builder) MaxPoolIndices(out, indices, in Operand, p Pool) {
	p.Kind = PoolMax
	win, ok := b.checkPool(out, in, p, out, in)
	if !ok {
		return
	}
	if err := checkIndices(indices, out.Shape); err != nil {
		b.Fail(err)
		return
	}
	w := p.writer(newWriter(2, out, indices, in), win, in.Rank())
	i := w.threads("i", out.Shape)
	w.maximum(i, 2)
	w.line("%s", w.store(0, "m", i...))
	w.line("%s", w.store(1, indices.Type.Value()+"(at)", i...))
	w.launch(b, "pool_max_indices")
}

// PoolGradient writes to gin the gradient of a pooling of in with respect to in: gout is the
// gradient with respect to its result. A maximum's gradient goes to the first of equal elements.
func (b *Builder) PoolGradient(gin, gout, in Operand, p Pool) {
	win, ok := b.checkPool(gout, in, p, gin, gout, in)
	if !ok {
		return
	}
	if err := checkShape("pooling", "gradient of the input", gin.Shape, in.Shape); err != nil {
		b.Fail(err)
		return
	}
	if err := checkFloats("pooling", gin, gout, in); err != nil {
		b.Fail(err)
		return
	}
	switch p.Kind {
	case PoolMax:
		p.IndexDims, p.LocalIndices = 0, true
		indices := b.Temp(Int32, gout.Shape...)
		b.MaxPoolIndices(b.Temp(Float32, gout.Shape...), indices, in, p)
		b.MaxPoolIndicesGradient(gin, gout, indices, p)
		return
	case PoolL2:
		result := b.Temp(Float32, gout.Shape...)
		b.Pool(result, in, p)
		w := p.writer(newWriter(1, gin, gout, in, result), win, in.Rank())
		i := w.threads("i", gin.Shape)
		w.line("float s = 0.0f, x = %s;", w.load(2, i...))
		w.windows(i, 1)
		w.line("float y = %s;", w.load(3, w.tapIndex(i)...))
		w.line("s += y == 0.0f ? 0.0f : %s * x / y;", w.load(1, w.tapIndex(i)...))
		w.close()
		w.line("%s", w.store(0, "s", i...))
		w.launch(b, "pool_l2_gradient")
		return
	}
	w := p.writer(newWriter(1, gin, gout), win, in.Rank())
	i := w.threads("i", gin.Shape)
	w.line("float s = 0.0f;")
	w.windows(i, 1)
	value := w.load(1, w.tapIndex(i)...)
	if p.Kind == PoolAverage {
		value += " / float(" + w.count(w.tapIndex(i), 0) + ")"
	}
	w.line("s += %s;", value)
	w.close()
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "pool_sum_gradient")
}

// MaxPoolIndicesGradient is [Builder.PoolGradient] of a maximum whose indices are known, in the
// form that [Builder.MaxPoolIndices] gives with the same description.
func (b *Builder) MaxPoolIndicesGradient(gin, gout, indices Operand, p Pool) {
	p.Kind = PoolMax
	win, ok := b.checkPool(gout, gin, p, gin, gout)
	if !ok {
		return
	}
	err := checkFloats("pooling", gin, gout)
	if err == nil {
		err = checkIndices(indices, gout.Shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := p.writer(newWriter(1, gin, gout, indices), win, gin.Rank())
	i := w.threads("i", gin.Shape)
	w.line("float s = 0.0f;")
	w.windows(i, 1)
	w.line("if (int(%s) == %s) s += %s;", w.load(2, w.tapIndex(i)...), w.index(i, 0), w.load(1, w.tapIndex(i)...))
	w.close()
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "pool_max_gradient")
}

// taps opens loops over the taps of a result's window: x0, x1, ... is the place in the input.
func (w poolWriter) taps(i []string, input int) {
	for d := range w.dims {
		w.line("for (int k%d = 0; k%d < %s; k%d++) {", d, d, w.size[d], d)
		w.line("int x%d = %s * %s + k%d * %s - %s;", d, i[w.lead+d], w.stride[d], d, w.dilation[d], w.before[d])
		w.line("if (uint(x%d) >= uint(%s)) continue;", d, w.writer.size(input, w.lead+d))
	}
}

// windows opens loops over the windows in which an element is, in descending order: x0, x1, ... is
// the place in the result, and k0, k1, ... the element's tap.
func (w poolWriter) windows(i []string, result int) {
	for d := range w.dims {
		w.line("for (int k%d = 0; k%d < %s; k%d++) {", d, d, w.size[d], d)
		w.line("int z%d = %s + %s - k%d * %s;", d, i[w.lead+d], w.before[d], d, w.dilation[d])
		w.line("int x%d = z%d / %s;", d, d, w.stride[d])
		w.line("if (z%d < 0 || x%d * %s != z%d || x%d >= %s) continue;", d, d, w.stride[d], d, d,
			w.writer.size(result, w.resultDim+d))
	}
}

func (w poolWriter) close() {
	for range w.dims {
		w.line("}")
	}
}

// tapIndex returns an index whose last dimensions are x0, x1, ...
func (w poolWriter) tapIndex(i []string) []string {
	out := slices.Clone(i[:w.lead])
	for d := range w.dims {
		out = append(out, fmt.Sprintf("x%d", d))
	}
	return out
}

// index returns the number of an input's element, or of the tap k0, k1, ...
func (w poolWriter) index(i []string, input int) string {
	dims, from := w.IndexDims, len(i)
	if dims == 0 {
		dims = w.dims
	}
	s := ""
	add := func(size, at string) {
		if s == "" {
			s = at
		} else {
			s = fmt.Sprintf("(%s) * %s + %s", s, size, at)
		}
	}
	if w.LocalIndices {
		for d := range w.dims {
			add(w.size[d], fmt.Sprintf("k%d", d))
		}
		return s
	}
	for d := from - dims; d < from; d++ {
		add(w.writer.size(input, d), i[d])
	}
	return s
}

// maximum computes m, a window's maximum, and at, its index.
func (w poolWriter) maximum(i []string, input int) {
	t := w.operands[input].Type
	lowest := "-INFINITY"
	if t.Integer() {
		lowest = "numeric_limits<" + t.Value() + ">::min()"
	}
	w.line("%s m = %s; int at = -1;", t.Value(), lowest)
	w.taps(i, input)
	w.line("%s v = %s;", t.Value(), w.load(input, w.tapIndex(i)...))
	w.line("if (at < 0 || v > m || (v != v && m == m)) { m = v; at = %s; }", w.index(w.tapIndex(i), input))
	w.close()
}

// count returns the number of elements that a result is the average of.
func (w poolWriter) count(i []string, input int) string {
	w.prelude = addOnce(w.prelude, tapsText)
	s := ""
	for d := range w.dims {
		low, limit := "0", w.writer.size(input, w.lead+d)
		if w.CountPadding {
			low, limit = "-"+w.before[d], limit+" + "+w.after[d]
		}
		if s != "" {
			s += " * "
		}
		s += fmt.Sprintf("op_taps(%s * %s - %s, %s, %s, %s, %s)", i[w.lead+d], w.stride[d], w.before[d],
			w.dilation[d], w.size[d], low, limit)
	}
	return s
}

// tapsText counts the taps of a window from low to below limit.
const tapsText = `static int op_taps(int first, int dilation, int size, int low, int limit) {
    int from = first < low ? (low - first + dilation - 1) / dilation : 0;
    int end = first < limit ? min(size, (limit - first + dilation - 1) / dilation) : 0;
    return max(end - from, 0);
}
`
