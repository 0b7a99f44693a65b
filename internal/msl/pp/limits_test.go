package pp

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// explosions are sources that would take forever, or all memory, without limits.
var explosions = []struct {
	name  string
	src   func() string
	codes []diag.Code // any one of them; none if it is large but allowed
}{
	{"doubling", func() string {
		var b strings.Builder
		b.WriteString("#define A0 x x\n")
		for i := 1; i < 60; i++ {
			fmt.Fprintf(&b, "#define A%d A%d A%d\n", i, i-1, i-1)
		}
		return b.String() + "A59"
	}, []diag.Code{diag.ExpansionTooLarge}},
	{"doubling to nothing", func() string {
		var b strings.Builder
		b.WriteString("#define A0\n")
		for i := 1; i < 60; i++ {
			fmt.Fprintf(&b, "#define A%d A%d A%d\n", i, i-1, i-1)
		}
		return b.String() + "A59"
	}, []diag.Code{diag.ExpansionTooLarge}},
	{"doubling arguments", func() string {
		return "#define D(x) x x\n" + strings.Repeat("D(", 40) + "1" + strings.Repeat(")", 40)
	}, []diag.Code{diag.ExpansionTooLarge}},
	{"doubling names", func() string {
		return "#define P(x) x##x\n#define D(x) P(x)\n" + strings.Repeat("D(", 60) + "a" + strings.Repeat(")", 60)
	}, []diag.Code{diag.ExpansionTooLarge}},
	{"doubling strings", func() string {
		return "#define S(x) #x\n#define D(x) S(x)\n" + strings.Repeat("D(", 60) + `"\\"` + strings.Repeat(")", 60)
	}, []diag.Code{diag.ExpansionTooLarge}},
	{"a long chain", func() string {
		var b strings.Builder
		for i := range 50_000 {
			fmt.Fprintf(&b, "#define A%d A%d\n", i, i+1)
		}
		return b.String() + "A0"
	}, []diag.Code{diag.ExpansionDepth}},
	{"deep calls", func() string {
		return "#define F(x) x\n" + strings.Repeat("F(", 100_000) + strings.Repeat(")", 100_000)
	},
		[]diag.Code{diag.ExpansionTooLarge, diag.ExpansionDepth}},
	{"deep parentheses", func() string { return "#if " + strings.Repeat("(", 1_000_000) + "\n#endif" },
		[]diag.Code{diag.NestedTooDeeply}},
	{"many prefix operators", func() string { return "#if " + strings.Repeat("!", 1_000_000) + "1\n#endif" },
		[]diag.Code{diag.NestedTooDeeply}},
	{"many questions", func() string {
		return "#if " + strings.Repeat("1 ? ", 100_000) + "1" + strings.Repeat(" : 0", 100_000) + "\n#endif"
	}, []diag.Code{diag.NestedTooDeeply}},
	{"deep conditionals", func() string { return strings.Repeat("#if 1\n", 200_000) }, []diag.Code{diag.NestedTooDeeply}},
	{"deep conditionals that are skipped", func() string { return "#if 0\n" + strings.Repeat("#if x\n", 200_000) },
		[]diag.Code{diag.NestedTooDeeply}},
	{"many arguments", func() string { return "#define F(...) __VA_ARGS__\nF(" + strings.Repeat("1,", 100_000) + "1)" },
		nil},
	{"many lines of nothing", func() string { return strings.Repeat("\n", 2_000_000) }, nil},
	{"many small calls", func() string { return "#define F(x) x\n" + strings.Repeat("F(1) ", 100_000) }, nil},
	{"a call without an end, many times", func() string { return "#define F(x) x\n" + strings.Repeat("F(", 50_000) },
		[]diag.Code{diag.UnterminatedInvocation, diag.ExpansionTooLarge}},
	{"a sum of many", func() string { return "#if " + strings.Repeat("1 + ", 200_000) + "1\n#endif" }, nil},
}

// TestLimits preprocesses every explosion: it ends with the expected diagnostic, in bounded memory.
func TestLimits(t *testing.T) {
	for _, tc := range explosions {
		t.Run(tc.name, func(t *testing.T) {
			src := tc.src()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, diags, _ := process(t, src, Options{})
			runtime.ReadMemStats(&after)
			assert.Less(t, (after.TotalAlloc-before.TotalAlloc)>>20, uint64(600), "MiB allocated in all")
			if len(tc.codes) == 0 {
				assert.Empty(t, diags)
				return
			}
			if assert.NotEmpty(t, diags) {
				assert.Contains(t, tc.codes, diags[0].Code)
			}
			assert.Less(t, len(diags), 3)
		})
	}
}

func TestLimitOptions(t *testing.T) {
	src := "#define A 1 2 3\n#define B A A\nB"
	_, diags, _ := process(t, src, Options{MaxTokens: 8})
	assert.Empty(t, diags)
	_, diags, fs := process(t, src, Options{MaxTokens: 7})
	assert.Equal(t, []string{"a.metal:3:1 E0219 macro expansion produces more than 7 tokens"}, messages(diags, fs))
	_, diags, _ = process(t, src, Options{MaxDepth: 2})
	assert.Empty(t, diags)
	toks, diags, fs := process(t, "x\n"+src+" y", Options{MaxDepth: 1})
	assert.Equal(t, []string{"a.metal:4:1 E0220 macro expansion is nested more than 1 deep"},
		messages(diags, fs)[:1])
	assert.NotEmpty(t, toks)
}

func TestSourceTooLarge(t *testing.T) {
	fs, sink := diag.NewFileSet(), diag.NewSink()
	f := fs.AddFile("a.metal", "x y")
	f.Cut = true
	assert.Len(t, Process(fs, f, Options{}, sink), 1)
	assert.Equal(t, []string{"a.metal:1:1 E0225 source is larger than 1073741824 bytes"}, messages(sink.Diagnostics(), fs))
}
