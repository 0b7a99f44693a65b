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
