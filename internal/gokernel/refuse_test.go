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
	{"func f(g func() int32) { h := g; x := h(); _ = x }\n", "f(func() int32 { return 1 })", "the function g as a value"},
	{"func f(g func() int32) {}\nfunc one() int32 { return 1 }\n", "f(one)", "one is no value"},
	{"func f() func() int32 { return func() int32 { return 1 } }\n", "x[0] = f()()", "a call of f()"},
	{"type T struct{ A int32 }\nfunc (t T) f() int32 { return t.A }\n", "x[0] = T.f(T{})", "call it as v.f"},
	{"func f(v interface{ Length() float32 }) float32 { return v.Length() }\n", "_ = f(v[0])", "interface"},
}

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
