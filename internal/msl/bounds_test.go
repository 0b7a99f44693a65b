package msl

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/test/fuzztest"
)

// doubling writes n functions, each of which calls the previous one twice.
func doubling(head, call string, n int) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "int f%d(int x) { return %s; }\n", i, fmt.Sprintf(call, i-1))
	}
	fmt.Fprintf(&b, "kernel void k(device int *p [[buffer(0)]]) { *p = f%d(*p); }\n", n)
	return b.String()
}

// times repeats a pattern with the numbers 0 to n-1.
func times(pattern string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(pattern, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// maxAsked bounds how often the compiler may check whether to go on: a bound on work that does not
// depend on the load of the machine. It checks once every few hundred steps, and does some ten
// million steps per second.
const maxAsked = 1 << 15

// bounds are small programs that demand a lot. Each is compiled or rejected with little work and
// within the memory limit of a fuzzer's input.
var bounds = []struct {
	name string
	text func() string
	code diag.Code // "" if it compiles
}{
	{"inlining doubles", func() string {
		return doubling("int f0(int x) { return x + 1; }\n", "f%[1]d(x) + f%[1]d(x + 1)", 40)
	}, diag.InlineSize},
	{"inlining doubles in many kernels", func() string {
		return doubling("int f0(int x) { return x + 1; }\n", "f%[1]d(x) + f%[1]d(x + 1)",
			15) + times("kernel void k#(device int *p [[buffer(0)]]) { *p = f15(*p); }\n", 12)
	}, diag.InlineSize},
	{"inlining of nothing doubles", func() string {
		return "void f0() {}\n" + func() string {
			var b strings.Builder
			for i := 1; i <= 40; i++ {
				fmt.Fprintf(&b, "void f%d() { f%d(); f%d(); }\n", i, i-1, i-1)
			}
			return b.String()
		}() + "kernel void k() { f40(); }"
	}, diag.InlineSize},
	{"templates double", func() string {
		return "template <int N, int M> struct A { static constexpr constant int v = A<N - 1, 2 * M>::v + A<N - 1, 2 * M + 1>::v; };\n" +
			"template <int M> struct A<0, M> { static constexpr constant int v = M; };\nconstant int a = A<30, 1>::v;"
	}, diag.InstantiationCount},
	{"function templates double", func() string {
		return "template <int N, int M> int f(int x) { if constexpr (N > 0) { return f<N - 1, 2 * M>(x) + f<N - 1, 2 * M + 1>(x); } return M; }\n" +
			"kernel void k(device int *p [[buffer(0)]]) { *p = f<30, 1>(*p); }"
	}, diag.InstantiationCount},
	{"templates without end", func() string {
		return "template <int N> struct A { static constexpr constant int v = A<N + 1>::v; };\nconstant int a = A<0>::v;"
	}, diag.InstantiationDepth},
	{"function templates without end", func() string {
		return "template <int N> int f() { return f<N + 1>(); }\nkernel void k(device int *p [[buffer(0)]]) { *p = f<0>(); }"
	}, diag.InstantiationDepth},
	{"types that double", func() string {
		return "template <class A, class B> struct P {};\ntemplate <int N> struct T { using t = P<typename T<N - 1>::t, typename T<N - 1>::t>; };\n" +
			"template <> struct T<0> { using t = int; };\nusing X = T<60>::t;\nkernel void k() { X x; int y = x; }"
	}, diag.NoConversion},
	{"a constant without end", func() string {
		return "constexpr int f() { int n = 0; while (true) { ++n; } return n; }\nconstexpr constant int a = f();"
	}, diag.NotConstant},
	{"constants without end", func() string {
		return "constexpr int f(int k) { int n = 0; while (n < 300000) { ++n; } return n + k; }\n" +
			times("constexpr constant int a# = f(#);\n", 300)
	}, diag.NotConstant},
	{"a constant function that doubles", func() string {
		return "constexpr int f(int n) { return n < 2 ? 1 : f(n - 1) + f(n - 2); }\nconstexpr constant int a = f(60);"
	}, diag.NotConstant},
	{"a large array", func() string {
		return "kernel void k(device int *p [[buffer(0)]]) { int a[100000000] = {1}; *p = a[*p]; }"
	}, diag.NotLowered},
	{"a large constant array", func() string {
		return "constant int a[100000000] = {1};\nkernel void k(device int *p [[buffer(0)]]) { *p = a[*p]; }"
	}, diag.NotConstant},
	{"a large array of structs", func() string {
		return "struct A { int x = 1; float4 y; };\nstruct B { A a[10000]; };\nkernel void k(device int *p [[buffer(0)]]) { B b[1000]; *p = b[*p].a[*p].x; }"
	}, diag.NotLowered},
	{"arrays within arrays", func() string {
		var b strings.Builder
		b.WriteString("struct S0 { int x; };\n")
		for i := 1; i < 40; i++ {
			fmt.Fprintf(&b, "struct S%d { S%d a, b; };\n", i, i-1)
		}
		return b.String() +
			"kernel void k(device int *p [[buffer(0)]]) { S39 s = {}; *p = s.a.a.a.a.a.a.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.b.x; }"
	}, diag.NotLowered},
	{"pairs within pairs", func() string {
		var b strings.Builder
		b.WriteString("struct S0 { int x; };\n")
		for i := 1; i < 16; i++ {
			fmt.Fprintf(&b, "struct S%d { S%d a, b; };\n", i, i-1)
		}
		return b.String() + "kernel void k(device S15 *p [[buffer(0)]]) { S15 s = p[0]; p[1] = s; p[2] = {}; }"
	}, ""},
	{"loops within loops", func() string {
		return "kernel void k(device int *p [[buffer(0)]]) {\n" + times("for (int i# = 0; i# < 9; ++i#) {\n",
			100) + "*p += 1;" + strings.Repeat("}", 100) + "}"
	}, ""},
	{"many variables in loops within loops", func() string {
		return "kernel void k(device int *p [[buffer(0)]]) {\n" + times("int x# = p[#];\n",
			300) + times("for (int i# = 0; i# < 9; ++i#) {\n", 100) +
			times("x# += i0;\n", 300) + strings.Repeat("}", 100) + times("p[#] = x#;\n", 300) + "}"
	}, ""},
	{"lambdas within lambdas", func() string {
		return "kernel void k(device int *p [[buffer(0)]]) { auto f0 = [](int x) { return x; };\n" +
			times("auto g# = [=](int x) { return f0(x) + #; };\n", 500) + "*p = g3(*p); }"
	}, ""},
	{"generic lambdas that double", func() string {
		var b strings.Builder
		b.WriteString("kernel void k(device int *p [[buffer(0)]]) { auto f0 = [](auto x) { return x; };\n")
		for i := 1; i <= 40; i++ {
			fmt.Fprintf(&b, "auto f%d = [=](auto x) { return f%d(x) + f%d(x); };\n", i, i-1, i-1)
		}
		return b.String() + "*p = f40(*p); }"
	}, diag.InlineSize},
	{"overloads of overloads", func() string {
		return times("struct A# {}; ", 100) + times("int f(A#, int) { return #; }\n", 100) +
			"kernel void k(device int *p [[buffer(0)]]) { *p = " + strings.Repeat("f(A3{}, ", 100) +
			"1" + strings.Repeat(")",
			100) + "; }"
	}, ""},
	{"template arguments that grow", func() string {
		return "template <class... T> struct L {};\ntemplate <class A, class B> struct C;\ntemplate <class... A, class... B> struct C<L<A...>, L<B...>> { using t = L<A..., B...>; };\n" +
			"template <int N> struct R { using h = typename R<N - 1>::t; using t = typename C<h, h>::t; };\ntemplate <> struct R<0> { using t = L<int>; };\nusing X = R<40>::t;\nconstant int a = sizeof(X);"
	}, "!"},
	{"packs", func() string {
		return "template <int... I> int f() { return (0 + ... + I); }\nkernel void k(device int *p [[buffer(0)]]) { *p = f<" +
			times("#, ", 3000) + "0>(); }"
	}, ""},
	{"a long expression", func() string {
		return "kernel void k(device int *p [[buffer(0)]]) { *p = 0" + times(" + p[#]", 5000) + "; }"
	}, "!"},
	{"operators of a class in a chain", func() string {
		return "struct A { int x; A operator+(A o) const { return {x + o.x}; } };\nkernel void k(device A *p [[buffer(0)]]) { A a = p[0]; a = a" + strings.Repeat(" + a", 400) + "; p[1] = a; }"
	}, ""},
	{"a switch of many cases", func() string {
		return "kernel void k(device int *p [[buffer(0)]]) { int x = *p; switch (x) {\n" + times("case #: x += #;\n",
			2000) + "} *p = x; }"
	}, "!"},
	{"ifs that return", func() string {
		return "int f(int x) {\n" + times("if (x == #) { return #; }\n",
			1500) + "return x; }\nkernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }"
	}, "!"},
}

// TestBounds compiles small programs that demand a lot.
func TestBounds(t *testing.T) {
	for _, c := range bounds {
		t.Run(c.name, func(t *testing.T) {
			failOnInternal(t)
			fuzztest.Bound(t, func() {
				p := &cancelAfter{Context: context.Background(), until: maxAsked}
				m, diags := Compile(p, Source{Text: c.text()}, Options{})
				assert.LessOrEqual(t, p.asked, maxAsked)
				var codes []diag.Code
				for _, d := range diags {
					codes = append(codes, d.Code)
				}
				switch c.code {
				case "!": // either is fine
				case "":
					require.Empty(t, diags, "%s", render(t, m, diags))
				default:
					assert.Contains(t, codes, c.code, "%s", render(t, m, diags))
				}
			})
		})
	}
}
