package fuzztest

import "fmt"

// statements writes a few statements in their own scope.
func (w *writer) statements(depth int) {
	saved := len(w.objects)
	for range 1 + w.n(5) {
		w.statement(depth)
	}
	w.objects = w.objects[:saved]
}

func (w *writer) block(depth int) {
	w.WriteString("{\n")
	w.statements(depth)
	w.WriteString("}\n")
}

func (w *writer) statement(depth int) {
	if w.budget--; w.budget < 0 {
		return
	}
	kinds := 14
	if depth <= 0 {
		kinds = 5
	}
	switch w.n(kinds) {
	case 0:
		w.declare()
	case 1, 2:
		if s, t, ok := w.place(); ok {
			fmt.Fprintf(w, "%s = %s;\n", s, w.expr(t, 3))
		}
	case 3:
		if s, t, ok := w.place(); ok && t.elem != "bool" {
			fmt.Fprintf(w, "%s %s %s;\n", s, pick(&w.choices, []string{"+=", "-=", "*=", "/="}), w.expr(t, 2))
		}
	case 4:
		w.array()
	case 5, 6:
		fmt.Fprintf(w, "if (%s) ", w.expr(boolean, 2))
		w.block(depth - 1)
		if w.rare(2) {
			w.WriteString("else ")
			w.block(depth - 1)
		}
	case 7, 8:
		i := w.name("i")
		fmt.Fprintf(w, "for (int %s = 0; %s < %d; ++%s) ", i, i, w.n(9), i)
		w.objects = append(w.objects, object{i, integer, 0, true})
		w.loop(depth)
		w.objects = w.objects[:len(w.objects)-1]
	case 9:
		i := w.name("i")
		fmt.Fprintf(w, "int %s = %d; while (%s-- > 0 && %s) ", i, w.n(9), i, w.expr(boolean, 1))
		w.loop(depth)
	case 10:
		fmt.Fprintf(w, "switch (%s) {\n", w.expr(integer, 2))
		for i := range 1 + w.n(3) {
			fmt.Fprintf(w, "case %d: ", i)
			w.block(depth - 1)
			if !w.rare(3) {
				w.WriteString("break;\n")
			}
		}
		w.WriteString("default: break;\n}\n")
	case 11:
		switch {
		case w.loops > 0:
			fmt.Fprintf(w, "if (%s) { %s; }\n", w.expr(boolean, 1), pick(&w.choices, []string{"break", "continue"}))
		case w.kernel:
			fmt.Fprintf(w, "if (%s) { return; }\n", w.expr(boolean, 1))
		default:
			fmt.Fprintf(w, "if (%s) { return %s; }\n", w.expr(boolean, 1), w.expr(w.result, 2))
		}
	case 12:
		if w.kernel {
			w.WriteString(pick(&w.choices,
				[]string{"threadgroup_barrier(mem_flags::mem_threadgroup);\n", "simdgroup_barrier(mem_flags::mem_none);\n"}))
		}
	default:
		w.closure()
	}
}

func (w *writer) loop(depth int) {
	w.loops++
	w.block(depth - 1)
	w.loops--
}

func (w *writer) declare() {
	t, name := w.typ(), w.name("v")
	spelled := t.String()
	if w.rare(6) {
		spelled = "auto"
	}
	value := w.expr(t, 3)
	if spelled == "auto" {
		value = fmt.Sprintf("%v(%s)", t, value)
	}
	read := w.rare(4)
	if read {
		spelled = "const " + spelled
	}
	fmt.Fprintf(w, "%s %s = %s;\n", spelled, name, value)
	w.objects = append(w.objects, object{name, t, 0, read})
}

func (w *writer) array() {
	if w.structs > 0 && w.rare(2) {
		name := w.name("o")
		fmt.Fprintf(w, "S%d %s = {};\n%s.v = %s;\n", 1+w.n(w.structs), name, name, w.expr(typ{"float", 4}, 2))
		w.objects = append(w.objects, object{name + ".v", typ{"float", 4}, 0, false})
		return
	}
	t, name, k := w.typ(), w.name("a"), 1+w.n(8)
	fmt.Fprintf(w, "%v %s[%d] = {%s};\n", t, name, k, w.expr(t, 1))
	w.objects = append(w.objects, object{name, t, k, false})
	if w.rare(4) {
		p := w.name("r")
		fmt.Fprintf(w, "thread %v *%s = &%s[%d];\n", t, p, name, w.n(k))
		w.objects = append(w.objects, object{p, t, 1, false})
	}
}

func (w *writer) closure() {
	t, name, p := w.typ(), w.name("l"), w.name("p")
	fmt.Fprintf(w, "auto %s = [&](%v %s) { return %s; };\n", name, t, p, w.expr(t, 2))
	w.callees = append(w.callees, callee{name: name, result: t, params: []typ{t}})
	if s, u, ok := w.place(); ok {
		fmt.Fprintf(w, "%s = %s;\n", s, convert(u, t, fmt.Sprintf("%s(%s)", name, w.expr(t, 1))))
	}
	w.callees = w.callees[:len(w.callees)-1]
}
