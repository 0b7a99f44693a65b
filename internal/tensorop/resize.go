package tensorop

import (
	"fmt"
	"slices"
)

// Rounding says which element a resizing without interpolation takes.
type Rounding uint8

// The roundings of a position. All but RoundCeil and RoundFloor take the nearest element, and
// differ in which of two they take that are equally near.
const (
	RoundPreferCeil Rounding = iota
	RoundPreferFloor
	RoundCeil
	RoundFloor
	RoundToEven
	RoundToOdd
)

// ResizeMap gives the position in the input of element i of a dimension of the result:
// (i*Mul + Add) / Div, computed in float32 with one fused multiply-add. Positions outside of the
// input take the element at the edge.
type ResizeMap struct {
	Mul, Add, Div float32
}

// NewResizeMap returns the map of a dimension from in to out elements. By default position 0 is
// that of the first element; center makes the centers of both ranges match, and align the first
// elements and the last ones, in which case center has no effect.
func NewResizeMap(in, out int, center, align bool) ResizeMap {
	switch {
	case align:
		return ResizeMap{float32(in - 1), 0, float32(max(out-1, 1))}
	case center:
		return ResizeMap{float32(2 * in), float32(in - out), float32(2 * out)}
	}
	return ResizeMap{float32(in), 0, float32(out)}
}

// maxResized is the most dimensions that a resizing resizes.
const maxResized = 3

// Resize describes a resizing of the last dimensions of a tensor, as many as there are maps: 1 to
// 3.
type Resize struct {
	Linear   bool     // interpolate between neighbors
	Rounding Rounding // if not Linear
	Maps     []ResizeMap
}

func (r Resize) check(from, to Operand) error {
	lead := to.Rank() - len(r.Maps)
	if n := len(r.Maps); n < 1 || n > maxResized || lead < 0 {
		return fmt.Errorf("resize: %d dimensions of shape %v; there must be 1 to %d, and not more than the shape's",
			n, to.Shape, maxResized)
	}
	if to.Rank() != from.Rank() || !slices.Equal(to.Shape[:lead], from.Shape[:lead]) {
		return fmt.Errorf("resize: shape %v to %v; all but the last %d dimensions must be equal",
			from.Shape, to.Shape, len(r.Maps))
	}
	if from.Elements() == 0 && to.Elements() > 0 {
		return fmt.Errorf("resize: shape %v to %v; there must be elements to take", from.Shape, to.Shape)
	}
	if r.Rounding > RoundToOdd {
		return fmt.Errorf("resize: there is no rounding %d", r.Rounding)
	}
	if !r.Linear && from.Type == to.Type {
		return nil
	}
	return checkFloats("resize", from, to)
}

// Resize writes to out the elements of in at the positions of the maps. Without interpolation it
// takes any type, if both have the same.
func (b *Builder) Resize(out, in Operand, r Resize) {
	if b.err != nil {
		return
	}
	if err := r.check(in, out); err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, out, in)
	i := w.threads("i", out.Shape)
	lead := out.Rank() - len(r.Maps)
	low := slices.Clone(i)
	for d, m := range r.Maps {
		n := w.size(1, lead+d)
		w.line("float x%d = %s;", d, r.position(w, m, i[lead+d]))
		if r.Linear {
			w.line("x%d = clamp(x%d, 0.0f, float(%s - 1));", d, d, n)
			w.line("int l%d = int(x%d), h%d = min(l%d + 1, %s - 1); float t%d = x%d - float(l%d);", d, d, d, d, n, d,
				d, d)
		} else {
			w.line("int l%d = %s;", d, r.nearest(fmt.Sprintf("x%d", d), n))
		}
		low[lead+d] = fmt.Sprintf("l%d", d)
	}
	value := w.load(1, low...)
	if r.Linear {
		w.prelude = append(w.prelude, mixText)
		value = r.mix(w, low, lead, 0)
	} else {
		w.prelude = append(w.prelude, r.rounding())
	}
	w.line("%s", w.store(0, value, i...))
	w.launch(b, "resize")
}

// mix returns the interpolation along dimension d and those after it.
func (r Resize) mix(w *writer, index []string, lead, d int) string {
	if d == len(r.Maps) {
		return w.load(1, index...)
	}
	high := slices.Clone(index)
	high[lead+d] = fmt.Sprintf("h%d", d)
	return fmt.Sprintf("op_mix(%s, %s, t%d)", r.mix(w, index, lead, d+1), r.mix(w, high, lead, d+1), d)
}

// ResizeGradient writes to gin the gradient of a resizing with respect to its input: gout is the
// gradient with respect to its result. Each element sums in row-major order of the result.
func (b *Builder) ResizeGradient(gin, gout Operand, r Resize) {
	if b.err != nil {
		return
	}
	err := r.check(gin, gout)
	if err == nil {
		err = checkFloats("resize", gin, gout)
	}
	if err != nil {
		b.Fail(err)
		return
	}
	w := newWriter(1, gin, gout)
	w.prelude = append(w.prelude, rangeText)
	if !r.Linear {
		w.prelude = append(w.prelude, r.rounding())
	}
	i := w.threads("i", gin.Shape)
	lead := gin.Rank() - len(r.Maps)
	at := slices.Clone(i)
	w.line("float s = 0.0f;")
	weight := "1.0f"
	for d, m := range r.Maps {
		n, x := w.size(0, lead+d), i[lead+d]
		at[lead+d] = fmt.Sprintf("j%d", d)
		w.line("int2 r%d = op_range(%s, %s, %s, %s, %s, %s);", d, x, n, w.size(1, lead+d),
			w.float(m.Mul), w.float(m.Add), w.float(m.Div))
		w.line("for (int j%d = r%d.x; j%d <= r%d.y; j%d++) {", d, d, d, d, d)
		w.line("float x%d = %s;", d, r.position(w, m, at[lead+d]))
		if r.Linear {
			w.line("x%d = clamp(x%d, 0.0f, float(%s - 1));", d, d, n)
			w.line("float w%d = %s * max(0.0f, 1.0f - fabs(x%d - float(%s)));", d, weight, d, x)
		} else {
			w.line("float w%d = %s == %s ? %s : 0.0f;", d, r.nearest(fmt.Sprintf("x%d", d), n), x, weight)
		}
		weight = fmt.Sprintf("w%d", d)
		w.line("if (w%d == 0.0f) continue;", d)
	}
	w.line("s += %s * %s;", weight, w.load(1, at...))
	for range r.Maps {
		w.line("}")
	}
	w.line("%s", w.store(0, "s", i...))
	w.launch(b, "resize_gradient")
}

func (r Resize) position(w *writer, m ResizeMap, index string) string {
	return fmt.Sprintf("fma(float(%s), %s, %s) / %s", index, w.float(m.Mul), w.float(m.Add), w.float(m.Div))
}

func (r Resize) nearest(position, n string) string {
	return fmt.Sprintf("int(clamp(op_nearest(%s), 0.0f, float(%s - 1)))", position, n)
}

// rounding returns the text of op_nearest.
func (r Resize) rounding() string {
	up := [...]string{"d >= 0.5f", "d > 0.5f", "d > 0.0f", "false",
		"d > 0.5f || (d == 0.5f && fmod(f, 2.0f) != 0.0f)", "d > 0.5f || (d == 0.5f && fmod(f, 2.0f) == 0.0f)"}
	return "static float op_nearest(float x) { float f = floor(x), d = x - f; return " + up[r.Rounding] +
		" ? f + 1.0f : f; }\n"
}

const (
	// mixText: the second value takes no part if its weight is 0, even if it is infinite.
	mixText = `static float op_mix(float a, float b, float t) { return t == 0.0f ? a : a * (1.0f - t) + b * t; }
`
	// rangeText gives a range of results outside of which none has its position near element i.
	rangeText = `static int2 op_range(int i, int n, int results, float mul, float add, float div) {
    int2 r = int2(0, results - 1);
    if (!(mul > 0.0f) || !(div > 0.0f)) return r;
    float last = float(results - 1);
    if (i > 0) r.x = int(clamp(floor((float(i - 1) * div - add) / mul) - 1.0f, 0.0f, last));
    if (i < n - 1) r.y = int(clamp(ceil((float(i + 1) * div - add) / mul) + 1.0f, 0.0f, last));
    return r;
}
`
)
