package msl

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// chainOf returns n functions, each of which calls the previous one.
func chainOf(n int) string {
	var b strings.Builder
	b.WriteString("int f0(int a) { return a; }\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "int f%d(int a) { return f%d(a); }\n", i, i-1)
	}
	fmt.Fprintf(&b, "kernel void k(device int *p [[buffer(0)]]) { p[0] = f%d(1); }\n", n)
	return b.String()
}

// limitPrograms each exceed one limit of the compiler. They are too long to be stored as files, or
// need more than their text.
var limitPrograms = []struct {
	name string
	text func() string
	code diag.Code
}{
	{"conditionals", func() string { return strings.Repeat("#if 1\n", 11_000) }, diag.NestedTooDeeply},
	{"a chain of macros", func() string {
		var b strings.Builder
		for i := range 11_000 {
			fmt.Fprintf(&b, "#define A%d A%d\n", i, i+1)
		}
		return b.String() + "A0"
	}, diag.ExpansionDepth},
	{"included files", func() string { return strings.Repeat("#include \"large.h\"\n", 80) }, diag.IncludeTooLarge},
	{"parentheses", func() string {
		return "constant int a = " + strings.Repeat("(", 1000) + "1" + strings.Repeat(")", 1000) + ";"
	}, diag.NestingTooDeep},
	{"blocks", func() string { return "void f() " + strings.Repeat("{", 1000) + strings.Repeat("}", 1000) },
		diag.NestingTooDeep},
	{"a sum", func() string { return "constant int a = 1" + strings.Repeat(" + 1", 10_000) + ";" }, diag.ChainTooLong},
	{"expressions of instances", func() string {
		return "template <int N> struct S { static constexpr constant int n = " + strings.Repeat("-(",
			60) + "S<N + 1>::n" + strings.Repeat(")", 60) + "; };\nconstant int a = S<0>::n;"
	}, diag.ExprDepth},
	{"depth of instances", func() string {
		return "template <int N> int f(int a) { return f<N + 1>(a); }\nint g() { return f<0>(1); }"
	}, diag.InstantiationDepth},
	{"steps of an evaluation", func() string {
		return "constexpr int f() { int a = 0; while (true) a ^= 1; return a; }\nstatic_assert(f() == 0, \"\");"
	}, diag.NotConstant},
	{"calls", func() string { return chainOf(600) }, diag.InlineSize},
}

// TestLimits exceeds each limit: the compiler reports it, and neither hangs nor takes more memory
// than it should.
func TestLimits(t *testing.T) {
	failOnInternal(t)
	large := fstest.MapFS{"large.h": {Data: []byte("//" + strings.Repeat(" ", 1<<20) + "\n")}}
	for _, c := range limitPrograms {
		t.Run(c.name, func(t *testing.T) {
			text := c.text()
			runtime.GC()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			p := &cancelAfter{Context: context.Background(), until: maxAsked}
			m, diags := Compile(p, Source{Text: text}, Options{Include: large, IncludeDirs: []string{"."}})
			assert.LessOrEqual(t, p.asked, maxAsked)
			runtime.ReadMemStats(&after)
			assert.Less(t, int64(after.HeapSys-before.HeapSys)>>20, int64(256), "MiB more of heap")
			require.NotEmpty(t, diags)
			if c.code != "" {
				assert.Equal(t, c.code, diags[0].Code, "%s", diags[0].Message)
			}
			assert.LessOrEqual(t, len(diags), diag.DefaultLimit+1)
			assert.Empty(t, m.IR.Funcs)
		})
	}
}

func TestTooManyErrors(t *testing.T) {
	text := "void f() {" + strings.Repeat(" a = 1;\n", 200) + "}"
	_, diags := Compile(context.Background(), Source{Text: text}, Options{})
	require.Len(t, diags, diag.DefaultLimit+1)
	assert.Equal(t, diag.TooManyErrors, diags[diag.DefaultLimit].Code)
	_, diags = Compile(context.Background(), Source{Text: text}, Options{MaxErrors: 3})
	require.Len(t, diags, 4)
	assert.Equal(t, "too many errors: stopped after 3", diags[3].Message)
}

func TestSourceSize(t *testing.T) {
	_, diags := Compile(context.Background(), Source{Text: strings.Repeat("\n", MaxSource+1)}, Options{})
	require.Len(t, diags, 1)
	assert.Equal(t, diag.SourceSize, diags[0].Code)
}

// broken is a context that fails with an unusual error.
type broken struct{ context.Context }

func (broken) Err() error { panic("the context is broken") }

func TestInternalError(t *testing.T) {
	m, diags := Compile(broken{context.Background()}, Source{Text: "kernel void k() {}"}, Options{})
	require.Len(t, diags, 1)
	assert.Equal(t, diag.Internal, diags[0].Code)
	assert.Contains(t, diags[0].Message, "the context is broken")
	assert.Empty(t, m.IR.Funcs)
}
