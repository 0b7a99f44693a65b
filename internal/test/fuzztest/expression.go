package fuzztest

import (
	"fmt"
	"strings"
)

var numbers = []string{"1", "0", "2", "7", "31", "64", "127", "255", "1000", "-1"}

func (w *writer) literal(t typ) string {
	s := pick(&w.choices, numbers)
	switch t.elem {
	case "float":
		s += pick(&w.choices, []string{".0f", ".5f", ".25", "e3f"})
	case "half":
		s += ".5h"
	case "bool":
		s = pick(&w.choices, []string{"true", "false"})
	case "int":
	default:
		s = fmt.Sprintf("%s(%s)", t.elem, s)
	}
	if t.n > 1 {
		return fmt.Sprintf("%v(%s)", t, s)
	}
	return s
}

// expr writes an expression of a type.
func (w *writer) expr(t typ, depth int) string {
	if w.budget--; depth <= 0 || w.budget < 0 {
		return w.leaf(t)
	}
	if w.rare(200) {
		t = w.typ() // deliberately wrong
	}
	d := depth - 1
	switch w.n(12) {
	case 0, 1:
		return w.leaf(t)
	case 2, 3:
		return w.binary(t, d)
	case 4:
		return fmt.Sprintf("(%s ? %s : %s)", w.expr(boolean, d), w.expr(t, d), w.expr(t, d))
	case 5:
		return w.call(t, d)
	case 6: // a conversion
		u := w.typ()
		if t.n == 1 || w.rare(2) {
			u.n = 1
		} else {
			u.n = t.n
		}
		return fmt.Sprintf("%v(%s)", t, w.expr(u, d))
	case 7: // from parts
		if t.n < 3 {
			return fmt.Sprintf("%v(%s)", t,
				strings.Join([]string{w.expr(typ{t.elem, 1}, d), w.expr(typ{t.elem, 1}, d)}[:t.n], ", "))
		}
		return fmt.Sprintf("%v(%s, %s)", t, w.expr(typ{t.elem, 2}, d), w.expr(typ{t.elem, t.n - 2}, d))
	case 8: // a part of a vector
		lanes := make([]byte, t.n)
		for i := range lanes {
			lanes[i] = "xyzw"[w.n(4)]
		}
		return fmt.Sprintf("%s.%s", w.expr(typ{t.elem, 4}, d), lanes)
	case 9:
		if t.elem == "bool" {
			return fmt.Sprintf("%v(!%s)", t, w.leaf(t))
		}
		return fmt.Sprintf("%v(-%s)", t, w.expr(t, d))
	case 10:
		return w.builtin(t, d)
	default:
		if bits := map[string]string{"float": "uint", "uint": "float", "int": "float", "half": "ushort", "short": "half",
			"ushort": "half"}[t.elem]; bits != "" {
			return fmt.Sprintf("as_type<%v>(%s)", t, w.expr(typ{bits, t.n}, d))
		}
		return w.leaf(t)
	}
}

// leaf writes a variable or constant.
func (w *writer) leaf(t typ) string {
	if w.n(3) == 0 {
		return w.literal(t)
	}
	if len(w.objects) > 0 {
		o := pick(&w.choices, w.objects)
		name := o.name
		if o.room > 0 {
			name = fmt.Sprintf("%s[%d]", name, w.n(o.room))
		}
		return convert(t, o.typ, name)
	}
	return w.literal(t)
}

func (w *writer) binary(t typ, d int) string {
	var ops []string
	switch {
	case t.elem == "bool" && t.n == 1:
		u := w.typ()
		u.n = 1
		switch w.n(4) {
		case 0:
			return fmt.Sprintf("(%s && %s)", w.expr(t, d), w.expr(t, d))
		case 1:
			return fmt.Sprintf("(%s || %s)", w.expr(t, d), w.expr(t, d))
		}
		return fmt.Sprintf("(%s %s %s)", w.expr(u, d), pick(&w.choices, []string{"<", "==", "!=", ">="}), w.expr(u, d))
	case t.elem == "bool":
		u := typ{pick(&w.choices, elems[:4]), t.n}
		return fmt.Sprintf("(%s < %s)", w.expr(u, d), w.expr(u, d))
	case t.float():
		ops = []string{"+", "-", "*", "/"}
	default:
		ops = []string{"+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"}
	}
	return fmt.Sprintf("%v(%s %s %s)", t, w.expr(t, d), pick(&w.choices, ops), w.expr(t, d))
}

// call writes a call of a function in the program.
func (w *writer) call(t typ, d int) string {
	if len(w.callees) == 0 {
		return w.leaf(t)
	}
	f := pick(&w.choices, w.callees)
	var args []string
	for _, p := range f.params {
		args = append(args, w.expr(p, d))
	}
	name := f.name
	if f.template && w.rare(2) {
		name += fmt.Sprintf("<%v, %d>", f.params[0], w.n(4))
	}
	return convert(t, f.result, fmt.Sprintf("%s(%s)", name, strings.Join(args, ", ")))
}

// convert writes a conversion of an expression from type from.
func convert(t, from typ, s string) string {
	switch {
	case from == t:
		return s
	case from.n == 1 || from.n == t.n:
		return fmt.Sprintf("%v(%s)", t, s)
	}
	return fmt.Sprintf("%v(%s.x)", t, s)
}

// builtin writes a call of a library function.
func (w *writer) builtin(t typ, d int) string {
	list := func(n int) string {
		var args []string
		for range n {
			args = append(args, w.expr(t, d))
		}
		return strings.Join(args, ", ")
	}
	switch {
	case t.elem == "bool" && t.n == 1:
		u := typ{"bool", 2 + w.n(3)}
		return fmt.Sprintf("%s(%s)", pick(&w.choices, []string{"any", "all"}), w.expr(u, d))
	case t.elem == "bool":
		return fmt.Sprintf("isnan(%s)", w.expr(typ{"float", t.n}, d))
	case t.float():
		switch w.n(4) {
		case 0:
			return fmt.Sprintf("%s(%s)",
				pick(&w.choices, []string{"sqrt", "sin", "exp", "log2", "floor", "rsqrt", "fabs", "fract", "precise::cos", "tanh"}),
				list(1))
		case 1:
			return fmt.Sprintf("%s(%s)", pick(&w.choices, []string{"fmin", "fmax", "pow", "atan2", "fmod", "step", "copysign"}),
				list(2))
		case 2:
			return fmt.Sprintf("%s(%s)", pick(&w.choices, []string{"fma", "mix", "clamp", "smoothstep"}), list(3))
		}
		if w.kernel {
			return fmt.Sprintf("%s(%s)",
				pick(&w.choices, []string{"simd_sum", "simd_max", "simd_prefix_exclusive_sum", "quad_sum"}), list(1))
		}
		return fmt.Sprintf("select(%s, %s)", list(2), w.expr(typ{"bool", t.n}, d))
	}
	switch w.n(3) {
	case 0:
		return fmt.Sprintf("%v(%s(%s))", t, pick(&w.choices, []string{"abs", "popcount", "clz", "ctz", "reverse_bits"}),
			list(1))
	case 1:
		return fmt.Sprintf("%v(%s(%s))", t,
			pick(&w.choices, []string{"min", "max", "rotate", "mulhi", "addsat", "absdiff", "hadd"}), list(2))
	}
	return fmt.Sprintf("%s(%s)", pick(&w.choices, []string{"clamp", "madhi", "median3"}), list(3))
}
