package fuzztest

import (
	"fmt"
	"strings"
)

// typ is a scalar or vector type of a random program.
type typ struct {
	elem string
	n    int
}

func (t typ) String() string {
	if t.n == 1 {
		return t.elem
	}
	return fmt.Sprint(t.elem, t.n)
}

func (t typ) float() bool { return t.elem == "float" || t.elem == "half" }

var (
	elems   = []string{"int", "float", "uint", "half", "bool", "short", "uchar", "ushort", "char", "long", "ulong"}
	boolean = typ{"bool", 1}
	integer = typ{"int", 1}
)

// object is a variable of a random program.
type object struct {
	name string
	typ  typ
	room int // number of array elements, 0 if not an array
	read bool
}

// callee is a function of a random program.
type callee struct {
	name     string
	result   typ
	params   []typ
	template bool // its parameters share one type, which may be any
}

// writer writes a random program. It is mostly valid, with an occasional wrong type or name.
type writer struct {
	choices
	strings.Builder
	objects []object
	callees []callee
	structs int
	names   int
	loops   int
	budget  int // statements and expressions left to write
	result  typ
	kernel  bool
	apart   bool // each thread has its own memory
}

// Program writes a random program from fuzzer bytes.
func Program(data []byte) string { return program(data, false) }

// The memory each thread has in a buffer in programs of Separate: Room elements of at most MaxElem
// bytes. Buffers use the slots below Slots.
const (
	Room    = 8
	MaxElem = 32
	Slots   = 4
)

// Separate is Program for kernels whose threads write only to their own memory, Room elements
// starting at Room times the thread's number, so that the result does not depend on the order of
// threads.
func Separate(data []byte) string { return program(data, true) }

func program(data []byte, apart bool) string {
	w := &writer{choices: choices{data}, budget: 600, apart: apart}
	w.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	for range w.n(3) {
		w.structure()
	}
	for range w.n(4) {
		w.constant()
	}
	for range 1 + w.n(4) {
		w.function()
	}
	for range 1 + w.n(2) {
		w.entry()
	}
	return w.String()
}

func (w *writer) name(prefix string) string {
	w.names++
	return fmt.Sprint(prefix, w.names)
}

func (w *writer) typ() typ { return typ{pick(&w.choices, elems), 1 + w.n(4)} }

func (w *writer) structure() {
	w.structs++
	fmt.Fprintf(w, "struct S%d {\n  float4 v;\n  %v a;\n  %v b[%d];\n", w.structs, w.typ(), w.typ(), 1+w.n(4))
	if w.rare(3) {
		fmt.Fprintf(w, "  S%d() = default;\n  float sum(float k) const thread { return v.x * k + v.w; }\n", w.structs)
	}
	w.WriteString("};\n")
}

func (w *writer) constant() {
	t, name := w.typ(), w.name("c")
	switch w.n(4) {
	case 0:
		fmt.Fprintf(w, "constant %v %s = %s;\n", t, name, w.literal(t))
	case 1:
		fmt.Fprintf(w, "constexpr constant %v %s = %s;\n", t, name, w.literal(t))
	case 2:
		t.n = 1
		fmt.Fprintf(w, "constant %v %s [[function_constant(%d)]];\n", t, name, w.names)
	default:
		k := 1 + w.n(4)
		fmt.Fprintf(w, "constant %v %s[%d] = {%s};\n", t, name, k, w.literal(t))
		w.objects = append(w.objects, object{name, t, k, true})
		return
	}
	w.objects = append(w.objects, object{name, t, 0, true})
}

func (w *writer) function() {
	f := callee{name: w.name("f"), result: w.typ()}
	saved := len(w.objects)
	var params []string
	if f.template = w.rare(3); f.template {
		f.result = typ{"int", 1}
		fmt.Fprintf(w, "template <typename T, int N = %d>\n", w.n(5))
		params = append(params, "T x")
		f.params = []typ{w.typ()}
	} else {
		for range w.n(4) {
			t, name := w.typ(), w.name("p")
			f.params = append(f.params, t)
			params = append(params, fmt.Sprint(t, " ", name))
			w.objects = append(w.objects, object{name, t, 0, false})
		}
	}
	fmt.Fprintf(w, "static inline %v %s(%s) {\n", f.result, f.name, strings.Join(params, ", "))
	if f.template {
		w.WriteString("  const T y = x;\n  if constexpr (N > 0) { return sizeof(y) + N; }\n")
	}
	w.result = f.result
	w.statements(3)
	fmt.Fprintf(w, "  return %s;\n}\n", w.expr(f.result, 3))
	w.objects = w.objects[:saved]
	w.callees = append(w.callees, f)
}

func (w *writer) entry() {
	saved := len(w.objects)
	fmt.Fprintf(w, "kernel void %s(", w.name("k"))
	var own []string // parameters that give threads their own part
	for i := range 1 + w.n(Slots) {
		t, name := w.typ(), w.name("b")
		space := pick(&w.choices, []string{"device", "constant", "device const"})
		if t.n == 3 && w.rare(2) {
			fmt.Fprintf(w, "%s packed_%v3 *%s [[buffer(%d)]], ", space, elems[w.n(4)], w.name("q"), i+16)
		}
		fmt.Fprintf(w, "%s %v *%s [[buffer(%d)]], ", space, t, name, i)
		w.objects = append(w.objects, object{name, t, Room, space != "device"})
		if w.apart && space == "device" {
			own = append(own, fmt.Sprintf("%s += gid * %d;", name, Room))
		}
	}
	w.WriteString("uint gid [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]")
	if w.apart {
		w.WriteString(", uint place [[thread_index_in_threadgroup]]")
	}
	w.WriteString(") {\n")
	w.objects = append(w.objects, object{"gid", typ{"uint", 1}, 0, false}, object{"lane", typ{"uint", 1}, 0, true})
	if w.rare(2) {
		name := w.name("s")
		t := w.typ()
		if w.apart {
			fmt.Fprintf(w, "  threadgroup %v all%s[%d];\n  threadgroup %v *%s = all%s + place * 4;\n", t, name, 4*64, t, name,
				name)
			w.objects = append(w.objects, object{name, t, 4, false})
		} else {
			fmt.Fprintf(w, "  threadgroup %v %s[32];\n", t, name)
			w.objects = append(w.objects, object{name, t, 32, false})
		}
	}
	for _, s := range own {
		fmt.Fprintf(w, "  %s\n", s)
	}
	w.kernel = true
	w.statements(4)
	w.kernel = false
	w.WriteString("}\n")
	w.objects = w.objects[:saved]
}

// place returns something assignable.
func (w *writer) place() (string, typ, bool) {
	for range 8 {
		if len(w.objects) == 0 {
			break
		}
		o := pick(&w.choices, w.objects)
		if o.read && !w.rare(256) {
			continue
		}
		s, t := o.name, o.typ
		if o.room > 0 {
			s = fmt.Sprintf("%s[%s]", s, w.index(o.room))
		}
		if t.n > 1 && w.rare(3) {
			switch w.n(3) {
			case 0:
				s, t.n = s+"."+"xyzw"[:1], 1
			case 1:
				s, t.n = s+".yx", 2
			default:
				s, t.n = s+"[1]", 1
			}
		}
		return s, t, true
	}
	return "", typ{}, false
}

func (w *writer) index(room int) string {
	if w.rare(3) {
		return fmt.Sprintf("%s & %d", w.expr(integer, 1), max(room-1, 0)&^1)
	}
	return fmt.Sprint(w.n(room))
}
