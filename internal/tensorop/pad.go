package tensorop

import (
	"fmt"
	"slices"
)

// ConcatShape returns the shape of tensors one after the other along an axis. Their other
// dimensions are equal.
func ConcatShape(axis int, shapes ...[]int) ([]int, error) {
	if len(shapes) == 0 {
		return nil, fmt.Errorf("concat: no tensors")
	}
	if err := checkAxis("concat", shapes[0], axis); err != nil {
		return nil, err
	}
	out := slices.Clone(shapes[0])
	for _, s := range shapes[1:] {
		for d := range out {
			if len(s) != len(out) || d != axis && s[d] != out[d] {
				return nil, fmt.Errorf("concat: shapes %v; all dimensions but axis %d must be equal", shapes, axis)
			}
		}
		out[axis] += s[axis]
	}
	return out, nil
}

// Concat writes tensors to out one after the other along an axis, converted to out's type. The
// shape is that of [ConcatShape].
func (b *Builder) Concat(out Operand, axis int, in ...Operand) {
	var shapes [][]int
	for _, o := range in {
		shapes = append(shapes, o.Shape)
	}
	shape, err := ConcatShape(axis, shapes...)
	if err == nil {
		err = checkShape("concat", "result", out.Shape, shape)
	}
	at := 0
	for _, o := range in {
		if err != nil {
			b.Fail(err)
			return
		}
		var part View
		if part, err = out.Slice(axis, at, at+o.Shape[axis], 1); err == nil {
			b.Copy(out.With(part), o)
		}
		at += o.Shape[axis]
	}
	if err != nil {
		b.Fail(err)
	}
}

// PadMode says what a padding consists of.
type PadMode uint8

// The modes of a padding. PadReflect mirrors at the elements of the edges and PadSymmetric at the
// edges themselves, which repeats those elements. PadAntiperiodic changes the sign in every second
// period.
const (
	PadConstant PadMode = iota
	PadReflect
	PadSymmetric
	PadEdge
	PadPeriodic
	PadAntiperiodic
)

// PadShape returns a shape with elements added before and after each dimension. A negative number
// removes elements.
func PadShape(shape, before, after []int) ([]int, error) {
	if len(before) != len(shape) || len(after) != len(shape) {
		return nil, fmt.Errorf("pad: paddings %v and %v for shape %v; there must be one for each dimension",
			before, after, shape)
	}
	out := make([]int, len(shape))
	for d, n := range shape {
		if out[d] = n + before[d] + after[d]; out[d] < 0 {
			return nil, fmt.Errorf("pad: paddings %d and %d remove more than the %d elements of dimension %d",
				before[d], after[d], n, d)
		}
	}
	return out, nil
}

// Pad writes in to out with a padding; the shape is that of [PadShape]. The value is that of
// [PadConstant], and the real part if the type is complex.
func (b *Builder) Pad(out, in Operand, before, after []int, mode PadMode, value float32) {
	shape, err := PadShape(in.Shape, before, after)
	if err == nil {
		err = checkShape("pad", "result", out.Shape, shape)
	}
	if err == nil {
		err = checkSameType("pad", out, in)
	}
	switch {
	case err != nil:
	case mode > PadAntiperiodic:
		err = fmt.Errorf("pad: there is no mode %d", mode)
	case mode == PadAntiperiodic && in.Type == Bool:
		err = fmt.Errorf("pad: the antiperiodic mode takes numbers and not bool")
	case mode != PadConstant && in.Elements() == 0 && out.Elements() > 0:
		err = fmt.Errorf("pad: shape %v to %v; only a constant can pad without elements to repeat", in.Shape, out.Shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, in)
	i := w.threads("i", out.Shape)
	if helper := mode.text(); helper != "" {
		w.prelude = append(w.prelude, helper)
	}
	t := in.Type
	index := make([]string, len(i))
	w.line("bool inside = true, minus = false;")
	for d := range i {
		n := w.size(1, d)
		index[d] = fmt.Sprintf("x%d", d)
		w.line("int x%d = %s - %s;", d, i[d], w.int(before[d]))
		switch mode {
		case PadConstant:
			w.line("inside = inside && uint(x%d) < uint(%s);", d, n)
		case PadAntiperiodic:
			w.line("minus = minus != ((op_floor(x%d, %s) & 1) != 0);", d, n)
			fallthrough
		default:
			w.line("x%d = op_pad(x%d, %s);", d, d, n)
		}
	}
	switch mode {
	case PadConstant:
		constant := t.Value() + "(" + w.float(value) + ")"
		if t.Complex() {
			constant = "float2(" + w.float(value) + ", 0.0f)"
		}
		w.line("%s y = %s;", t.Value(), constant)
		w.line("if (inside) y = %s;", w.load(1, index...))
	default:
		w.line("%s y = %s;", t.Value(), w.load(1, index...))
		if mode == PadAntiperiodic {
			w.line("if (minus) y = %s(-y);", t.Value())
		}
	}
	w.line("%s", w.store(0, "y", i...))
	w.launch(b, "pad")
}

// text returns op_pad, which gives the element of n that is at place x.
func (m PadMode) text() string {
	const floor = "static int op_floor(int x, int n) { return x >= 0 ? x / n : -((n - 1 - x) / n); }\n" +
		"static int op_mod(int x, int n) { return x - op_floor(x, n) * n; }\n"
	switch m {
	case PadReflect:
		return floor + "static int op_pad(int x, int n) { x = n == 1 ? 0 : op_mod(x, 2 * n - 2); " +
			"return x < n ? x : 2 * n - 2 - x; }\n"
	case PadSymmetric:
		return floor + "static int op_pad(int x, int n) { x = op_mod(x, 2 * n); return x < n ? x : 2 * n - 1 - x; }\n"
	case PadEdge:
		return "static int op_pad(int x, int n) { return clamp(x, 0, n - 1); }\n"
	case PadPeriodic, PadAntiperiodic:
		return floor + "static int op_pad(int x, int n) { return op_mod(x, n); }\n"
	}
	return ""
}

// TileShape returns a shape with each dimension repeated so many times.
func TileShape(shape, repeats []int) ([]int, error) {
	if len(repeats) != len(shape) {
		return nil, fmt.Errorf("tile: %d repeats for shape %v; there must be one for each dimension", len(repeats),
			shape)
	}
	out := make([]int, len(shape))
	for d, n := range shape {
		if repeats[d] < 0 {
			return nil, fmt.Errorf("tile: repeats %v; none may be negative", repeats)
		}
		out[d] = n * repeats[d]
	}
	return out, nil
}

// Tile writes in to out again and again along each dimension; the shape is that of [TileShape].
func (b *Builder) Tile(out, in Operand, repeats []int) {
	shape, err := TileShape(in.Shape, repeats)
	if err == nil {
		err = checkShape("tile", "result", out.Shape, shape)
	}
	if err == nil {
		err = checkSameType("tile", out, in)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, in)
	i := w.threads("i", out.Shape)
	index := make([]string, len(i))
	for d := range i {
		index[d] = fmt.Sprintf("%s %% %s", i[d], w.size(1, d))
	}
	w.line("%s = %s;", w.element(0, i...), w.element(1, index...))
	w.launch(b, "tile")
}

// Reverse returns the view with the elements of dimensions in reverse order, or an error for a
// dimension that it does not have or that is there twice.
func (v View) Reverse(axes ...int) (View, error) {
	for k, axis := range axes {
		if err := checkAxis("reverse", v.Shape, axis); err != nil {
			return v, err
		}
		if slices.Contains(axes[:k], axis) {
			return v, fmt.Errorf("reverse: axes %v; none may be there twice", axes)
		}
		var err error
		if v, err = v.Slice(axis, v.Shape[axis]-1, -1, -1); err != nil {
			return v, err
		}
	}
	return v, nil
}

// Reverse writes in to out with the elements of dimensions in reverse order.
func (b *Builder) Reverse(out, in Operand, axes ...int) {
	v, err := in.View.Reverse(axes...)
	if err == nil {
		err = checkShape("reverse", "result", out.Shape, in.Shape)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	b.Copy(out, in.With(v))
}
