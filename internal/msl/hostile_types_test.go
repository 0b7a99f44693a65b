package msl

import (
	"fmt"
	"strings"

	"github.com/puremetal/puremetal/internal/msl/diag"
)

// hostileTypes stresses the checker: its types, templates, lookups and overloads.
var hostileTypes = []hostile{
	{"adl issue", 40, diag.UndeclaredName, 1 << 12, func(n int) string {
		return "template<class A, class B> struct Q{}; template<int N> struct G{typedef Q<typename " +
			"G<N-1>::t,typename G<N-1>::t> t;}; template<> struct G<0>{typedef int t;};\n" + kern + sp(
			"G<%d>::t x; f(x); }", n)
	}},
	{"adl operator", 40, diag.BadOperands, 1 << 12, func(n int) string {
		return "template<class A, class B> struct Q{}; template<int N> struct G{typedef Q<typename " +
			"G<N-1>::t,typename G<N-1>::t> t;}; template<> struct G<0>{typedef int t;};\n" + kern + sp(
			"G<%d>::t x; x + x; }", n)
	}},
	{"nested adl calls", 40, "", 1 << 10, func(n int) string {
		return "namespace n { struct A { int x; }; A f(A a) { return a; } }\n" + kern + "n::A a; a = " + rep(
			"f(", n) + "a" + rep(")", n) + "; }"
	}},
	{"function types dag", 40, diag.NoConversion, 1 << 11, func(n int) string {
		return "typedef int (*F0)(int);\n" + lines("typedef int (*F#)(F@, F@);\n", n) + kern + sp(
			"F%d x; int y = x; }", n)
	}},
	{"function types dag in template", 40, diag.NoConversion, 1 << 11, func(n int) string {
		return "typedef int (*F0)(int); template<class T> struct S {};\n" + lines("typedef int (*F#)(F@, "+
			"F@);\n", n) + kern + sp("S<F%d> x; int y = x; }", n)
	}},
	{"function types dag in metal array", 40, diag.NoConversion, 1 << 11, func(n int) string {
		return "#include <metal_stdlib>\nusing namespace metal;\ntypedef int (*F0)(int);\n" + lines(
			"typedef int (*F#)(F@, F@);\n", n) + kern + sp("array<F%d, 2> x; int y = x; }", n)
	}},
	{"function types dag linkage", 40, diag.NotLowered, 1 << 11, func(n int) string {
		return "typedef int (*F0)(int);\n" + lines("typedef int (*F#)(F@, F@);\n", n) + sp("void g(F%d x) {}",
			n) + kern + " g(0); }"
	}},
	{"function types dag pointer", 40, diag.NotLowered, 1 << 11, func(n int) string {
		return "typedef int (*F0)(int);\n" + lines("typedef int (*F#)(F@, F@);\n", n) + "struct S { F40 f; };" +
			"kernel void k(device S *p [[buffer(0)]]) { p[0] = p[1]; }"
	}},
	{"diamond lookup", 40, diag.NoMember, 1 << 12, func(n int) string {
		return "struct A0 { int x; };\n" + lines("struct L#: A@ {}; struct R#: A@ {}; struct A#: L#, R# {};\n",
			n) + kern + sp("A%d a; a.nothing = 1; }", n)
	}},
	{"diamond empty", 40, "", 1 << 12, func(n int) string {
		return "struct A0 { };\n" + lines("struct L#: A@ {}; struct R#: A@ {}; struct A#: L#, R# {};\n", n) +
			kern + sp("A%d a; *p = sizeof(a); }", n)
	}},
	{"diamond derives", 40, diag.NoConversion, 1 << 12, func(n int) string {
		return "struct B {}; struct A0 { };\n" + lines("struct L#: A@ {}; struct R#: A@ {}; struct A#: L#, "+
			"R# {};\n", n) + "void f(B b);" + kern + sp("A%d a; f(a); }", n)
	}},
	{"diamond adl", 40, diag.UndeclaredName, 1 << 12, func(n int) string {
		return "struct B {}; struct A0 { };\n" + lines("struct L#: A@ {}; struct R#: A@ {}; struct A#: L#, "+
			"R# {};\n", n) + kern + sp("A%d a; f(a); }", n)
	}},
	{"diamond deduce", 40, diag.NoMatchingFunction, 1 << 12, func(n int) string {
		return "template<class T> struct V{}; template<class T> void f(V<T> v) {} struct A0 { };\n" + lines(
			"struct L#: A@ {}; struct R#: A@ {}; struct A#: L#, R# {};\n", n) + kern + sp(
			"A%d a; f(a); }", n)
	}},
	{"diamond convs", 24, diag.NoConversion, 1 << 11, func(n int) string {
		return "struct A0 { operator int() const { return 1; } };\n" + lines("struct L#: A@ {}; struct R#: "+
			"A@ {}; struct A#: L#, R# {};\n", n) + kern + sp("A%d a; float f = a; }", n)
	}},
	{"diamond access", 40, diag.Inaccessible, 1 << 13, func(n int) string {
		return "struct A0 { protected: int x; };\n" + lines("struct L#: A@ {}; struct R#: A@ {}; struct "+
			"A#: L#, R# {};\n", n) + kern + sp("A%d a; a.x = 1; }", n)
	}},
	{"anonymous union path", 40, diag.NoMember, 1 << 10, func(n int) string {
		return "struct A {" + rep("union { struct { ", n) + "int x;" + rep("}; };", n) + "};" + kern +
			"A a; a.y = 1; a.x = 2; }"
	}},
	{"using directives dag", 40, diag.UndeclaredName, 1 << 13, func(n int) string {
		return lines("namespace a# {} namespace b# {}\n", n+1) + lines("namespace a@ { using namespace a#; "+
			"using namespace b#; } namespace b@ { using namespace a#; using namespace b#; }\n", n+1)[len(
			"namespace a0 { using namespace a1; using namespace b1; } namespace b0 { using namespace "+
				"a1; using namespace b1; }\n"):] + "using namespace a1;" + kern + "x = 1; }"
	}},
	{"converting constructors", 40, diag.NoConversion, 1 << 17, func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "struct A%d;", i)
		}
		for i := range n {
			fmt.Fprintf(&b, "struct A%d { A%d() {} ", i, i)
			for j := range n {
				if j != i {
					fmt.Fprintf(&b, "A%d(thread const A%d &a);", i, j)
				}
			}
			b.WriteString("};\n")
		}
		return b.String() + "struct X {}; void f(A0 a);" + kern + "X x; f(x); }"
	}},
	{"converting templates", 30, diag.ExprDepth, 1 << 19, func(n int) string {
		return lines("struct A#; ", n) + lines("struct A# { A#() {} template<class T, class U = "+
			"decltype(A1(T()))> A#(T t) {} };", n) + kern + "A1 a = 1; A2 b = a; A3 c = b; }"
	}},
	{"init list ctor nest", 24, diag.NoBody, 1 << 11, func(n int) string {
		return "struct A { A(int x) {} A(A a, int y) {} A(A a, A b) {} A(thread const A &a, float f) {} }; " +
			"void f(A a);" + kern + "f(" + rep("{", n) + "1" + rep(", 1}", n) + "); }"
	}},
	{"init list class nest", 30, diag.NoBody, 1 << 12, func(n int) string {
		return "template<int N> struct A { A(A<N-1> a) {} A(A<N-1> a, int y) {} A(A<N-1> a, float y) {} }; " +
			"template<> struct A<0> { A(int x) {} };" + sp("void f(A<%d> a);", n) + kern + "f(" + rep(
			"{", n) + "1" + rep("}", n) + "); }"
	}},
	{"overloads by init lists", 30, diag.AmbiguousCall, 1 << 11, func(n int) string {
		return "template<int N> struct A { A(A<N-1> a) {} }; template<> struct A<0> { A(int x) {} };" + sp(
			"void f(A<%d> a); void f(A<%d> a);", n, n-1) + kern + "f(" + rep("{", n) + "1" + rep("}", n) +
			"); }"
	}},
	{"overloads of overloads", 300, "", 1 << 18, func(n int) string {
		return lines("struct A# {}; int f(A#, int) { return #; }\n", n) + kern + "*p = " + rep("f(A3{}, ", 200) +
			"1" + rep(")", 200) + "; }"
	}},
	{"overloads × conversions", 150, "", 1 << 18, func(n int) string {
		return lines("struct A# { operator int() const { return #; } }; int f(A#) { return #; } int f(int, "+
			"A#) { return 1; }\n", n) + kern + lines("*p += f(A#{}); *p += f(A#{}, A#{});\n", n) + "}"
	}},
	{"redeclared functions", 1000, "", 1 << 20, func(n int) string {
		return lines("struct A# {}; int f(A#);\n", n) + kern + "}"
	}},
	{"template overloads", 150, diag.AmbiguousCall, 1 << 20, func(n int) string {
		return lines("template<class T> void f(T t, thread int (*)[#]) {}\n", n) + kern + rep("f(1, 0);", n) + "}"
	}},
	{"template overload order", 96, diag.NoBody, 1 << 19, func(n int) string {
		return lines("template<class T, int N> void f(T t, thread int (&x)[N], thread int (&y)[#]);\n", n) + lines(
			"template<class T> void f(T t, thread int (&x)[2], thread int (&y)[#]);\n", n) + kern + "int a[2]; int " +
			"b[2];" + rep("f(1, a, b);", n) + "}"
	}},
	{"partials", 120, "", 1 << 19, func(n int) string {
		return "template<class T, int N> struct S { int x; };\n" + lines("template<class T> struct S<T *, "+
			"#> { int y; };\n", n) + kern + lines("{ S<thread int *, #> s; }\n", n) + "}"
	}},
	{"partials order", 80, "", 1 << 20, func(n int) string {
		return "template<class A, class B> struct P {}; template<class T> struct S { int x; };\n" + lines(
			"template<class T> struct S<P<T, int["+"#"+"]>> {};", n) + lines("template<class T, "+
			"class U> struct S<P<T, U["+"#"+"]>> {};", n) + kern + lines("{ S<P<int, int[#]>> s; }\n", n) +
			"}"
	}},
	{"aliases doubling", 40, diag.InstantiationCount, 1 << 18, func(n int) string {
		return "template<class A, class B> struct P {}; template<class T> using A0 = T;\n" + lines(
			"template<class T> using A# = P<A@<T>, A@<T>>;\n", n) + kern + sp("A%d<int> x; }", n)
	}},
	{"aliases deduction", 20, diag.CompileBudget, 1 << 21, func(n int) string {
		return "template<class A, class B> struct P {}; template<class T> using A0 = T;\n" + lines(
			"template<class T> using A# = P<A@<T>, A@<T>>;\n", n) + "template<int N> struct " +
			"G{typedef P<typename G<N-1>::t,typename G<N-1>::t> t;}; template<> struct G<0>{typedef " +
			"int t;};\n" + sp("template<class T> void f(A%d<T> a) {}", n) + kern + sp("G<%d>::t x; "+
			"f(x); }", n)
	}},
	{"template packs recursion", 500, diag.CompileBudget, 1 << 21, func(n int) string {
		return "template<class... T> struct L { static constexpr constant int n = 0; }; template<class H, " +
			"class... T> struct L<H, T...> { static constexpr constant int n = 1 + L<T...>::n; };" +
			kern + "*p = L<" + rep("int, ", n) + "int>::n; }"
	}},
	{"pack product", 300, diag.NoMatchingFunction, 1 << 14, func(n int) string {
		return "template<int... I> struct L {}; template<int... I> int f(L<I...>) { return (0 + ... + I); " +
			"} template<int... I, int... J> int g(L<I...> a, L<J...> b) { return (0 + ... + (I * " +
			"f(L<J...>()))); }" + kern + "*p = g(L<" + lines("#, ", n) + "0>(), L<" + lines("#, ", n) +
			"0>()); }"
	}},
	{"pack growth", 20, diag.NoMemberNamed, 1 << 11, func(n int) string {
		return "template <class... T> struct L {};\ntemplate <class A, class B> struct C;\ntemplate " +
			"<class... A, class... B> struct C<L<A...>, L<B...>> { using t = L<A..., B...>; " +
			"};\ntemplate <int N> struct R { using h = typename R<N - 1>::t; using t = typename C<h, " +
			"h>::t; };\ntemplate <> struct R<0> { using t = L<int>; };\n" + sp("using X = "+
			"R<%d>::t;\nconstant int a = sizeof(X);", n)
	}},
	{"template many args", 1500, diag.CompileBudget, 1 << 21, func(n int) string {
		return "template<int... I> struct L { static constexpr constant int n = sizeof...(I); };" +
			"template<int N, int... I> struct M { static constexpr constant int n = M<N-1, I...>::n; " +
			"}; template<int... I> struct M<0, I...> { static constexpr constant int n = 0; };" + kern +
			"*p = M<400, " + lines("#, ", n) + "0>::n; }"
	}},
	{"local classes in templates", 12, diag.NoMember, 1 << 19, func(n int) string {
		return "template<int N, int M> struct A { A<N-1, 2*M> a; A<N-1, 2*M+1> b; }; template<int M> " +
			"struct A<0, M> { int x; };" + kern + sp("A<%d, 1> a; a.a.a.x = 1; }", n)
	}},
	{"nested lambdas", 60, "", 1 << 15, func(n int) string {
		return kern + "int x = 1; *p = " + rep("[&]() { return x + ", n) + "1" + rep("; }()", n) + "; }"
	}},
	{"nested generic lambdas", 20, "", 1 << 13, func(n int) string {
		return kern + "int x = 1; *p = " + rep("[&](auto y) { return x + ", n) + "1" + rep("; }(1)", n) +
			"; }"
	}},
	{"nested generic lambdas two", 20, "", 1 << 12, func(n int) string {
		return kern + "int x = 1; " + rep("auto f = [&](auto y) { ", n) + "return 1;" + rep(
			" f(1); f(1.0f); return 1; };", n-1) + "}; f(1); }"
	}},
	{"auto functions chain", 800, "", 1 << 16, func(n int) string {
		return "auto f0() { return 1; }\n" + lines("auto f#() { return f@() + f@(); }\n", n) + kern + sp(
			"*p = decltype(f%d())(1); }", n)
	}},
	{"decltype chain", 25, "", 1 << 13, func(n int) string {
		return "template<class T> auto f0(T t) -> decltype(t) { return t; }\n" + lines("template<class T> "+
			"auto f#(T t) -> decltype(f@(t) + f@(t)) { return f@(t); }\n", n) + kern + sp(
			"*p = f%d(1); }", n)
	}},
	{"enable_if chain", 25, diag.InstantiationDepth, 1 << 15, func(n int) string {
		return "template<int N, class T> auto f(T t) -> decltype(f<N-1>(t), f<N-1>(t), 1) { return 1; } " +
			kern + sp("*p = f<%d>(1); }", n)
	}},
	{"using declarations", 800, "", 1 << 19, func(n int) string {
		return "namespace a { " + lines("struct A# {}; void f(A#);", n) + "}" + lines("namespace b# { "+
			"using a::f; }\n", n) + kern + "}"
	}},
	{"enumerators", 4000, "", 1 << 16, func(n int) string {
		return "enum E {" + lines("e#,", n) + "}; enum class F {" + lines("e#,", n) + "};" + kern + lines(
			"*p += F::e# == F::e7;", n/10) + "}"
	}},
	{"enum spell", 1000, "", 1 << 16, func(n int) string {
		return "enum class F {" + lines("e#,", n) + "}; template<F f> struct S {};" + kern + lines(
			"{ S<F::e#> s; }", n) + "}"
	}},
	{"long template names", 500, "", 1 << 12, func(n int) string {
		return "template<class T> struct A {};" + kern + rep("A<", 200) + "int" + rep(">", 200) + " a; }"
	}},
	{"alias array", 500, diag.AssignArray, 1 << 14, func(n int) string {
		return "typedef int T0;" + lines("typedef T@ T#[2];", n) + kern + sp("T%d x; x = 1; *p = sizeof(x); }",
			n)
	}},
	{"alias pointers", 1000, diag.NoConversion, 1 << 14, func(n int) string {
		return "typedef int T0;" + lines("typedef thread T@ *T#;", n) + kern + sp("T%d x; x = 1; }", n)
	}},
	{"alias pointers conv", 800, diag.NoBody, 1 << 19, func(n int) string {
		return "typedef int T0;" + lines("typedef thread T@ *T#;", n) + lines("void f(T#);", n) + kern + sp(
			"T%d x; f(x); }", n)
	}},
	{"bases deep", 600, diag.NoMember, 1 << 19, func(n int) string {
		return "struct A0 { int x; };" + lines("struct A#: A@ { };", n) + kern + sp("A%d a; a.x = 1; A%d c "+
			"= a; *p = c.x; *p = a.zz; }", n, n)
	}},
	{"friend functions", 300, "", 1 << 18, func(n int) string {
		return lines("struct A# { friend A# operator+(A# a, A# b) { return a; } };", n) + kern + lines(
			"A# a#; a# + a#;", n) + "}"
	}},
	{"stream operators", 400, "", 1 << 20, func(n int) string {
		return lines("struct B# {}; struct S; ", n) + "struct S { int x; };" + lines("S operator<<(S s, B# "+
			"b) { return s; }", n) + kern + "S s; s " + lines(" << B#{}", n) + "; }"
	}},
	{"default args", 20, diag.CompileBudget, 1 << 21, func(n int) string {
		return "int f0(int x = 1) { return x; }" + lines("int f#(int x = f@() + f@()) { return x; }", n) +
			kern + sp("*p = f%d(); }", n)
	}},
	{"template default args", 25, diag.CompileBudget, 1 << 21, func(n int) string {
		return "template<int N, class A = int> struct T { using t = int; }; template<class X> struct D0 {};" +
			lines("template<class X, class A = D@<X>, class B = D@<X>> struct D# {};", n) + kern + sp(
			"D%d<int> d; }", n)
	}},
}
