package msl

import (
	"github.com/puremetal/puremetal/internal/msl/diag"
)

// hostileCode stresses initialization, constant evaluation and lowering.
var hostileCode = []hostile{
	{"diamond buffer", 40, "", 1 << 12, func(n int) string {
		return "struct A0 { int x; };\n" + lines("struct L#: A@ {}; struct R#: A@ {}; struct A#: L#, R# {};\n",
			n) + sp("kernel void k(device A%d *p [[buffer(0)]]) { }", n)
	}},
	{"struct dag list call", 40, diag.NotLowered, 1 << 12, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { S@ a, b; };\n", n) + sp("void f(S%d s) {}", n) +
			kern + "f({1}); }"
	}},
	{"struct dag list", 40, diag.NoMember, 1 << 12, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { S@ a, b; };\n", n) + kern + sp("S%d s = {1}; "+
			"*p = s.a.a.a.b.x; }", n)
	}},
	{"struct dag constexpr", 40, diag.NotConstant, 1 << 16, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { S@ a, b; };\n", n) + sp("constant S%d s = "+
			"{}; constexpr constant S%d t = {1};", n, n) + kern + "*p = s.a.x; }"
	}},
	{"struct dag constant function", 40, diag.NotConstant, 1 << 15, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { S@ a, b; };\n", n) + sp("constexpr int f() { "+
			"S%d s = {}; S%d t; t = s; return 1; } static_assert(f() == 1, \"\");", n, n)
	}},
	{"struct dag init members", 40, diag.CompileBudget, 1 << 21, func(n int) string {
		return "struct S0 { int x = 1; };\n" + lines("struct S# { S@ a, b; };\n", n) + kern + sp(
			"S%d s; *p = s.a.a.a.b.x; }", n)
	}},
	{"struct dag ctor members", 40, diag.CompileBudget, 1 << 21, func(n int) string {
		return "struct S0 { int x; S0() : x(1) {} };\n" + lines("struct S# { S@ a, b; };\n", n) + kern + sp(
			"S%d s; *p = s.a.a.a.b.x; }", n)
	}},
	{"struct dag copy ctor", 40, diag.CompileBudget, 1 << 21, func(n int) string {
		return "struct S0 { int x; S0() = default; S0(thread const S0 &o) : x(o.x) {} };\n" + lines(
			"struct S# { S@ a, b; };\n", n) + kern + sp("S%d s; S%d t = s; *p = t.a.a.a.b.x; }", n, n)
	}},
	{"struct dag buffer", 40, diag.NotLowered, 1 << 11, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { S@ a, b; };\n", n) + sp("kernel void "+
			"k(device S%d *p [[buffer(0)]]) { p[0] = p[1]; p[2] = {}; p[0].a.a.b.a.b = "+
			"p[0].b.b.a.a.b; }", n)
	}},
	{"struct dag pointers", 40, "", 1 << 11, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { device S@ *a; device S@ *b; };\n", n) + sp(
			"kernel void k(device S%d *p [[buffer(0)]]) { p[0] = p[1]; }", n)
	}},
	{"struct dag as_type", 40, diag.AsType, 1 << 11, func(n int) string {
		return "struct S0 { int x; };\n" + lines("struct S# { S@ a, b; };\n", n) + kern + sp("S%d s; *p = "+
			"as_type<int>(s); *p = int(s); *p = (s == s); s = (S%d)s; "+
			"static_assert(__is_trivially_copyable(S%d), \"\"); static_assert(__is_empty(S%d), \"\"); }",
			n, n, n, n)
	}},
	{"struct dag union", 40, "", 1 << 11, func(n int) string {
		return "union S0 { int x; float f; };\n" + lines("union S# { S@ a; S@ b; };\n", n) + sp(
			"kernel void k(device S%d *p [[buffer(0)]]) { S%d s = p[0]; p[1] = s; }", n, n)
	}},
	{"designators", 50, diag.CompileBudget, 1 << 21, func(n int) string {
		return kern + "int a[1048577] = {" + rep("[0 ... 1048576] = 1, ", n) + "}; *p = a[*p]; }"
	}},
	{"designator sparse", 20, diag.CompileBudget, 1 << 21, func(n int) string {
		return kern + rep("{ int a[] = {[1048576] = 1}; *p = a[*p]; }", n) + " }"
	}},
	{"array of arrays", 20, diag.NotLowered, 1 << 10, func(n int) string {
		return kern + "int a" + rep("[100000]", n) + " = {}; *p = a" + rep("[0]", n) + "; }"
	}},
	{"constant array of arrays", 20, diag.NotConstant, 1 << 18, func(n int) string {
		return "constant int a" + rep("[1000]", n) + " = {{1}}; " + kern + "*p = a" + rep("[0]", n) + "; }"
	}},
	{"constexpr array copies", 1000, diag.NotConstant, 1 << 18, func(n int) string {
		return sp("struct A { int a[60000]; }; constexpr int f() { A a = {}; A b = {}; for (int i = 0; i < "+
			"%d; ++i) { a = b; b = a; } return a.a[0]; } static_assert(f() == 0, \"\");", n)
	}},
	{"constexpr arg copies", 1000, diag.NotConstant, 1 << 18, func(n int) string {
		return sp("struct A { int a[60000]; }; constexpr int g(A a) { return a.a[0]; } constexpr int f() { "+
			"A a = {}; int s = 0; for (int i = 0; i < %d; ++i) { s += g(a); } return s; } "+
			"static_assert(f() == 0, \"\");", n)
	}},
	{"constexpr zero copies", 100000, diag.NotConstant, 1 << 18, func(n int) string {
		return sp("struct A { int a[60000]; }; constexpr int f() { int s = 0; for (int i = 0; i < %d; ++i) "+
			"{ s += A{}.a[0]; } return s; } static_assert(f() == 0, \"\");", n)
	}},
	{"constexpr loops", 40, diag.NotConstant, 1 << 21, func(n int) string {
		return "constexpr int f(int k) { int n = 0; while (n < 300000) { ++n; } return n + k; }\n" + lines(
			"constexpr constant int a# = f(#);\n", n)
	}},
	{"constexpr switch", 3000, diag.NotConstant, 1 << 19, func(n int) string {
		return "constexpr int f(int x) { switch (x) {" + lines("case #: return #;\n", n) + sp("} return 0; "+
			"} constexpr int g() { int s = 0; for (int i = 0; i < %d; ++i) s += f(i); return s; } "+
			"static_assert(g() != 0, \"\");", n)
	}},
	{"loops in loops", 120, "", 1 << 14, func(n int) string {
		return kern + "int u;" + rep("for (int i = 0; i < 2; ++i) {", n) + rep("*p += u; u = 1;", 3) + rep("}",
			n) + "}"
	}},
	{"loops in loops many", 100, diag.CompileBudget, 1 << 21, func(n int) string {
		return kern + "int u; int v;" + rep("while (*p) {", n) + rep("*p += 1; v = *p;", 3000) + rep("}", n) +
			"}"
	}},
	{"ternary nest", 2000, diag.NestingTooDeep, 1 << 16, func(n int) string {
		return kern + "*p = " + rep("*p ? 1 : ", n) + "2; }"
	}},
	{"switch many", 4000, "", 1 << 18, func(n int) string {
		return kern + "switch (*p) {" + lines("case #: *p += #; break;\n", n) + "} }"
	}},
	{"switch fallthrough", 2000, "", 1 << 16, func(n int) string {
		return kern + "int x = *p; switch (x) {" + lines("case #: x += #;\n", n) + "} *p = x; }"
	}},
	{"switch nest", 200, diag.NestingTooDeep, 1 << 13, func(n int) string {
		return kern + "int x = *p; " + rep("switch (x) { case 1: x += 1; case 2: x += 2; default: ", n) + rep(
			"}", n) + "*p = x; }"
	}},
	{"if returns", 1500, "", 1 << 16, func(n int) string {
		return "int f(int x) {" + lines("if (x == #) { return #; }\n", n) + "return x; }" + kern +
			"*p = f(*p); }"
	}},
	{"if returns loops", 60, "", 1 << 14, func(n int) string {
		return "int f(int x) {" + lines("for (int i = 0; i < x; ++i) { if (x == #) { return #; } \n", n) + rep(
			"}", n) + "return x; }" + kern + "*p = f(*p); }"
	}},
	{"breaks in loops", 60, "", 1 << 15, func(n int) string {
		return kern + "int x = *p;" + rep("for (;;) { if (x++ == 3) break; if (x == 4) continue; ", n) + rep(
			"if (x == 9) break; }", n) + "*p = x; }"
	}},
	{"logical chain", 1500, "", 1 << 16, func(n int) string {
		return kern + "*p = " + rep("*p && ", n) + "*p; }"
	}},
	{"many kernels calls", 200, "", 1 << 18, func(n int) string {
		return "int f0(int x) { return x; }\n" + lines("int f#(int x) { return f@(x); }\n", 300) + lines(
			"kernel void k#(device int *p [[buffer(0)]]) { *p = f300(*p); }\n", n)
	}},
	{"many kernels globals", 300, "", 1 << 16, func(n int) string {
		return lines("constant int g# = #;\n", n) + "int f(int x) { return x" + lines(" + g#", n) + "; }\n" +
			lines("kernel void k#(device int *p [[buffer(0)]]) { *p = f(*p); }\n", 500)
	}},
	{"globals", 4000, "", 1 << 16, func(n int) string {
		return lines("constant int g# = #;\n", n) + kern + "}"
	}},
	{"methods", 1500, diag.PointerSpace, 1 << 16, func(n int) string {
		return "struct S {" + lines("int f(int (*a)[#]) { return g(); }", n) + "int g() { return 1; } };" +
			kern + "}"
	}},
	{"fields", 4000, "", 1 << 16, func(n int) string {
		return "struct S {" + lines("int f#;", n) + "};" + kern + "S s; " + lines("s.f# = 1;", n/4) +
			"*p = s.f7; }"
	}},
	{"fields with ids", 2000, "", 1 << 17, func(n int) string {
		return "struct S {" + lines("device int *f# [[id(#)]];", n) + "}; kernel void k(device S &s " +
			"[[buffer(0)]]) { *s.f7 = 1; }"
	}},
	{"fields arg buffer", 4000, "", 1 << 16, func(n int) string {
		return "struct S {" + lines("device int *f#;", n) + "}; kernel void k(device S &s [[buffer(0)]]) { " +
			"*s.f7 = 1; }"
	}},
	{"array args", 100, diag.IndexLimit, 1 << 9, func(n int) string {
		return "#include <metal_stdlib>\nusing namespace metal; kernel void k(array<texture2d<float>, " +
			"2000000000> a [[texture(0)]]) {}"
	}},
	{"big arrays copies", 50, diag.NotLowered, 1 << 12, func(n int) string {
		return "struct S { int a[1 << 24]; };" + kern + "S s; S t; " + rep("s = t; t = s;", n) +
			"*p = s.a[*p]; }"
	}},
	{"struct fields copy", 500, "", 1 << 14, func(n int) string {
		return "struct S {" + lines("int f#; float g#[3];", n) + "};" + kern + "S s; S t; " + rep(
			"s = t; t = s;", 100) + "*p = s.f7; }"
	}},
	{"matrix ops", 400, "", 1 << 14, func(n int) string {
		return "#include <metal_stdlib>\nusing namespace metal;" + kern + "float4x4 m(*p); " + rep(
			"m = m * m;", n) + "*p = m[0][0]; }"
	}},
	{"call chain args", 12, "", 1 << 11, func(n int) string {
		return "int f0(int x) { return x; }\n" + lines("int f#(int x) { return f@(x) + f@(x + 1); }\n", n) +
			kern + sp("*p = f%d(*p); }", n)
	}},
	{"unroll", 5000, "", 1 << 8, func(n int) string {
		return kern + "_Pragma(\"unroll\") for (int i = 0; i < 1000000; ++i) { *p += i; } }"
	}},
	{"unroll nest", 10, "", 1 << 10, func(n int) string {
		return kern + rep("_Pragma(\"unroll\") for (int i = 0; i < 64; ++i) { ", n) + "*p += 1;" + rep("}", n) +
			" }"
	}},
	{"static asserts", 4000, "", 1 << 17, func(n int) string {
		return rep("static_assert(1 + 1 == 2, \"\");", n)
	}},
	{"member arrays", 400, "", 1 << 19, func(n int) string {
		return "struct A0 { int x; };" + lines("struct A# { A@ a[1]; };", n) + kern + sp("A%d a = {}; A%d "+
			"b = {1}; A%d c = a; *p = sizeof(c); }", n, n, n)
	}},
	{"member structs deep", 600, "", 1 << 19, func(n int) string {
		return "struct A0 { int x; };" + lines("struct A# { A@ a; };", n) + kern + sp("A%d a = {}; A%d b = "+
			"{1}; A%d c = a; *p = sizeof(c); }", n, n, n)
	}},
	{"operator chains", 1500, "", 1 << 15, func(n int) string {
		return "struct A { int x; }; A operator+(A a, A b) { return a; }" + kern + "A a; a = a" + rep(" + a",
			n) + "; *p = a.x; }"
	}},
	{"member defaults", 25, diag.CompileBudget, 1 << 21, func(n int) string {
		return "struct A0 { int x = 1; };" + lines("struct A# { A@ a = A@(); A@ b = A@(); };", n) + kern + sp(
			"A%d a; *p = 1; }", n)
	}},
	{"member defaults list", 25, diag.CompileBudget, 1 << 21, func(n int) string {
		return "struct A0 { int x = 1; };" + lines("struct A# { A@ a = {}; A@ b = {}; };", n) + kern + sp(
			"A%d a = {}; *p = 1; }", n)
	}},
	{"swizzles", 3000, "", 1 << 15, func(n int) string {
		return kern + "float4 v = *p; v = v" + rep(".wzyx", n) + "; *p = v.x; }"
	}},
	{"variables", 4000, "", 1 << 17, func(n int) string {
		return kern + lines("int x# = *p;", n) + "*p = x1; }"
	}},
	{"variables live loop", 800, "", 1 << 17, func(n int) string {
		return kern + lines("int x# = *p;", n) + "while (*p) {" + lines("if (*p) x# += x@;", n)[len(
			"if (*p) x1 += x0;"):] + "}" + lines("*p += x#;", n) + " }"
	}},
	{"ifs write", 800, "", 1 << 17, func(n int) string {
		return kern + lines("int x# = *p;", 300) + rep("if (*p) { x1 = 2; x2 = 3; } else { x3 = 4; }", n) +
			lines("*p += x#;", 300) + " }"
	}},
	{"array params", 200, "", 1 << 12, func(n int) string {
		return "void f(" + lines("int a#[4],", n) + "int z) {}" + kern + "}"
	}},
	{"kernel args", 2000, diag.IndexLimit, 1 << 15, func(n int) string {
		return "kernel void k(" + lines("device int *p#,", n) + "device int *z) {}"
	}},
	{"log", 300, "", 1 << 15, func(n int) string {
		return "#include <metal_logging>\nusing namespace metal; " + kern + rep("os_log_default.log(\"%d "+
			"%d %d %d\", *p, *p, *p, *p);", n) + "}"
	}},
}
