package gokernel

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// refusals are the statements of a kernel, what they may not do, and words of the reason.
var refusals = []struct{ before, text, words string }{
	{"", "h[0] += h[1]", "arithmetic on the bits of a simd.Half"},
	{"", "h[0]++", "arithmetic on the bits"},
	{"", "h[0] = -h[1]", "arithmetic on the bits"},
	{"", "x[0] = x[h[0]]", "arithmetic on the bits"},
	{"", "x[0] <<= h[0]", "arithmetic on the bits"},
	{"", "if h[0] < h[1] { x[0] = 1 }", "arithmetic on the bits"},
	{"", "h[0] = min(h[0], h[1])", "arithmetic on the bits"},
	{"", "for i := range h[0] { x[i] = 1 }", "arithmetic on the bits"},
	{"", "copy(x[h[0]:], x)", "arithmetic on the bits"},
	{"", "_ = h[0].String()", "a string"},
	{"", "v[0] = simd.Float4.Add(v[1], v[2])", "call it as v.Add"},
	{"", `kernel.Printf(t, "%s", "a")`, "%s does not take string"},
	{"", `kernel.Printf(t, "%f", 1.5)`, "%f does not take float64"},
	{"", `kernel.Printf(t, "%d", v[0].X)`, "%d does not take float32"},
	{"", `kernel.Printf(t, "%d")`, "no argument"},
	{"", `kernel.Printf(t, "%d", 1, 2)`, "2 arguments, but 1 conversion"},
	{"", `kernel.Printf(t, "%")`, "no conversion"},
	{"", `kernel.Printf(t, "%5-d", 1)`, "want flags"},
	{"", `kernel.Printf(t, "%5000d", 1)`, "want flags"},
	{"", `s := "a"; kernel.Printf(t, s)`, "a string"},
	{"", `kernel.Printf(t, string(rune(x[0])))`, "no constant"},
	{"", `kernel.Printf(t, "a\x00b")`, "zero byte"},
	{"func f(g func(*int32)) {}\n", "f(func(p *int32) { *p = 1 })", "is a *int32"},
	{"func f(g func() []int32) {}\n", "f(func() []int32 { return x })", "a result of a function that is a value"},
	{"func f(g func() func()) {}\n", "f(func() func() { return nil })", "declare a function that returns one"},
	{"func f(g func() int32) {}\n", "f(nil)", "nil: it is not known"},
	{"func f(g func(simd.Float4) simd.Float4) {}\n", "f(v[0].Add)", "in a function literal"},
	{one, "g := one; g = one; x[0] = g()", "assigned more than once"},
	{one, "g, n := one, 1; x[n] = g()", "a statement of its own"},
	{one, "g := [2]func() int32{one, one}; x[0] = g[1]()", "the function one as a value"},
	{one, "var g func() int32; x[0] = g()", "kernels have numbers"},
	{"type T struct { f func() }\n", "var u T; u.f()", "kernels have numbers"},
	{"var g = func() {}\n", "g()", "it is not known which function it is"},
	{counter, "g := counter(); x[0] = g()", "does more than to return"},
	{counter, "x[0] = counter()()", "does more than to return"},
	{counter + "func f() func() int32 { return counter() }\n", "g := f(); x[0] = g()", "does more than to return"},
	{"func f(n int32) func() int32 { return func() int32 { n++; return n } }\n", "g := f(1); x[0] = g()",
		"does more than to return"},
	{"func h(n int32) func() int32 { return func() int32 { return n } }\nfunc f(n *int32) func() int32 { return h(*n) }\n",
		"g := f(&x[0]); x[0] = g()", "does more than to return"},
	{counter, "counter()", "the function that counter returns as a value"},
	{"func f() func() int32 { return nil }\n", "for range f() {}", "cannot range over"},
	{"func f() func(func() bool) { return nil }\n", "for range f() {}", "nil: it is not known"},
	{"func f() func(func() bool) { return nil }\n", "g := f(); for range g {}", "nil: it is not known"},
	{"func f() func() int32 { return none.None }\n", "g := f(); x[0] = g()", "undefined: none"},
	{"func f() func() int32 { return none() }\n", "g := f(); x[0] = g()", "undefined: none"},
	{"type T struct{}\nfunc (T) f() func() int32 { return one }\n" + one, "g := T.f(T{}); x[0] = g()", "T is no value"},
	{"type F func(int32) int32\nfunc (f F) f(x int32) int32 { return f(x) }\n",
		"g := F(func(v int32) int32 { return v }); x[0] = g.f(1)", "the function g as a value"},
	{"func f() func() int32 { return f() }\n", "g := f(); x[0] = g()", "f calls itself"},
	{"func f() (g func() int32) { g = func() int32 { return 1 }; return }\n", "x[0] = f()()", "does more than"},
	{"func f() (g func(func() bool)) { g = func(func() bool) { }; return }\n", "for range f() {}", "with a name"},
	{"func f(yield func(int32) bool) { for v := range f { yield(v) } }\n", "for range f {}", "f calls itself"},
	{"func f(yield func(*int32) bool) {}\n", "for p := range f { *p = 1 }", "is a *int32"},
	{"func f(y func(int32) bool) {}\nfunc g() func(func() bool) { for range f { return func(func() bool) {} }; " +
		"return func(func() bool) {} }\n", "for range g() {}", "the body of a range over a function returns"},
	{"func f(yield func(func()) bool) {}\n", "for range f {}", "a range over functions"},
	{"", "t.Local.X = 1", "a part of the thread"},
	{"", "t.Lane++", "a part of the thread"},
	{"", "p := &t.Local; p.X = 1", "a part of the thread"},
	{"func f(p *uint32) { *p = 1 }\n", "f(&t.Local.X)", "a part of the thread"},
	{"func f(v interface{ Length() float32 }) float32 { return v.Length() }\n", "_ = f(v[0])", "interface"},
}

const (
	one     = "func one() int32 { return 1 }\n"
	counter = "func counter() func() int32 { n := int32(0); return func() int32 { n++; return n } }\n"
)

// TestRefusals: what kernels cannot do is refused, with its place and a remedy.
func TestRefusals(t *testing.T) {
	for _, c := range refusals {
		text := "package k\n\nimport (\n\"github.com/puremetal/puremetal/kernel\"\n" +
			"\"github.com/puremetal/puremetal/simd\"\n)\n\nvar _ simd.Half\n\n" + c.before +
			markK + ", x []int32, h []simd.Half, v []simd.Float4) {\n" + c.text + "\n}\n"
		r, err := translateText(t, text)
		require.NoError(t, err, "%s", c.text)
		require.Len(t, r.Refused, 1, "%s", text)
		assert.Contains(t, r.Refused[0].Reason, c.words, "%s", c.text)
		line := r.Refused[0].Pos.Line
		assert.NotEmpty(t, strings.TrimSpace(strings.Split(text, "\n")[line-1]), "%s", c.text)
	}
}
