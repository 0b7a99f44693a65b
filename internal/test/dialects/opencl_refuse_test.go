package dialects

import (
	"testing"

	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestOpenCLRefusesCpp has programs that are none in OpenCL C, whatever C++ makes of them, and
// programs that Metal cannot have.
func TestOpenCLRefusesCpp(t *testing.T) {
	const f = "int f(int x) { return x; }\n"
	kernel := func(body string) string { return "__kernel void k(__global int *x, float4 v) { " + body + " }" }
	for _, r := range []struct {
		text  string
		code  diag.Code
		line  int
		words string
	}{
		{f + kernel("int (*p)(int) = f; x[0] = p(3);"), diag.DialectFeature, 2, "function pointers"},
		{f + kernel("x[0] = (*f)(3);"), diag.FunctionAsValue, 2, "'f' is not a value"},
		{f + kernel("x[0] = (x[1] ? f : f)(3);"), diag.FunctionAsValue, 2, "'f' is not a value"},
		{f + kernel("if (f) x[0] = 1;"), diag.FunctionAsValue, 2, "'f' is not a value"},
		{"typedef int (*fp)(int);\n" + kernel("x[0] = 1;"), diag.DialectFeature, 1, "function pointers"},
		{"struct S { int (*f)(int); };\n" + kernel("struct S s; x[0] = 1;"), diag.DialectFeature, 1,
			"function pointers"},
		{"int g(int (*p)(int), int v) { return p(v); }\n" + kernel("x[0] = 1;"), diag.DialectFeature, 1,
			"function pointers"},
		{kernel("x[0] = ((int4)(v)).x;"), diag.BadCast, 1, "convert_int4"},
		{kernel("int4 i = (int4)v; x[0] = i.x;"), diag.BadCast, 1, "as_int4"},
		{kernel("int8 i = (int8)(float8)(1); x[0] = i.s0;"), diag.BadCast, 1, "cannot cast"},
		{kernel("uint4 i = (uint4)(int4)(1); x[0] = i.x;"), diag.BadCast, 1, "cannot cast"},
		{kernel("x[0] = (int)v;"), diag.BadCast, 1, "cannot cast"},
		{kernel("double4 d; x[0] = 1;"), diag.DialectDouble, 1, "double4"},
		{kernel("x[0] = sizeof(double);"), diag.DialectDouble, 1, "double"},
		{kernel("long double d = 1; x[0] = d;"), diag.DialectDouble, 1, "double"},
		{"__kernel void k(__global atomic_double *x) {}", diag.DialectDouble, 1, "atomic_double"},
		{"__kernel void k(read_only image2d_depth_t d) {}", diag.DialectFeature, 1, "depths"},
		{"__kernel void k(read_only image2d_array_msaa_t d) {}", diag.DialectFeature, 1, "samples"},
		{"__kernel void k(read_only pipe int p) {}", diag.DialectFeature, 1, "pipes"},
		{kernel("void (^b)(void) = ^{ x[0] = 1; }; b();"), diag.NotInMSL, 1, "blocks"},
		{kernel("int i = 0; again: if (i++ < 5) goto again; x[0] = i;"), diag.NotInMSL, 1, "goto"},
		{"__kernel void k(__global atomic_long *x) {\n  atomic_fetch_add(x, 1L); }", diag.DialectWide, 2, "64 bits"},
		{"__kernel void k(__global int *x, bool b) { x[0] = b; }", diag.DialectFeature, 1, "'bool'"},
		{kernel("__local int l = 3; x[0] = l;"), diag.DialectFeature, 1, "no initializer"},
		{kernel("auto y = 2; x[0] = y;"), diag.DialectFeature, 1, "'auto'"},
		{kernel("x[0] = [](int a) { return a; }(2);"), diag.DialectFeature, 1, "lambdas"},
		{"int g(int a, int b = 2) { return a + b; }\n" + kernel("x[0] = g(1);"), diag.DialectFeature, 1, "default"},
		{"int g(int a, ...) { return a; }\n" + kernel("x[0] = g(1, 2);"), diag.DialectFeature, 1, "fixed number"},
		{"__attribute__((reqd_work_group_size(8))) " + kernel("x[0] = 1;"), diag.AttributeArgs, 1, "3 sizes"},
		{"__kernel void k(__global int *x,\n size_t n) { x[0] = n; }", diag.DialectFeature, 2, "'size_t'"},
		{"__kernel void k(__global int *x, ptrdiff_t n) { x[0] = n; }", diag.DialectFeature, 1, "'ptrdiff_t'"},
		{"typedef uintptr_t T;\n__kernel void k(T n) {}", diag.DialectFeature, 2, "'uintptr_t'"},
		{"__kernel void k(event_t e) {}", diag.DialectFeature, 1, "'event_t'"},
		{"struct S { int a; struct { bool b[2]; } c; };\n__kernel void k(struct S s) {}", diag.DialectFeature, 2, "'bool'"},
		{"typedef struct { size_t n; } S;\n__kernel void k(S s) {}", diag.DialectFeature, 2, "'size_t'"},
		{"static __kernel void k(__global int *x) {}", diag.DialectFeature, 1, "static"},
		{f + "float f(float x) { return x; }\n" + kernel("x[0] = f(1);"), diag.DialectFeature, 2, "overloadable"},
		{f + "int f(int x, int y);\n" + kernel("x[0] = f(1);"), diag.DialectFeature, 2, "overloadable"},
		{kernel("v++;"), diag.BadOperands, 1, "'float4'"},
		{kernel("float8 w = (float8)(1); --w;"), diag.BadOperands, 1, "add or subtract"},
		{"struct S {\n int a : 3; };\n" + kernel("struct S s; x[0] = 1;"), diag.DialectFeature, 2, "bit-fields"},
		{"struct S { int a;\n int f() { return a; } };\n" + kernel("x[0] = 1;"), diag.DialectFeature, 2, "variables"},
		{"struct S { int a = 1; };\n" + kernel("x[0] = 1;"), diag.DialectFeature, 1, "no initializer"},
		{"struct S { int a; };\n" + kernel("S s; x[0] = 1;"), diag.DialectFeature, 2, "'S' is a tag"},
		{"enum E { A };\n" + kernel("E e = A; x[0] = e;"), diag.DialectFeature, 2, "'E' is a tag"},
		{kernel("if (x[0]) {\n __local int l[2]; l[0] = 1; }"), diag.DialectFeature, 2, "outermost"},
		{"int g(void) { __local int l; l = 1; return l; }\n" + kernel("x[0] = g();"), diag.DialectFeature, 1, "outermost"},
		{kernel("printf(\"%d %-5.2v8f\", x[0], (float8)(1));"), diag.DialectFeature, 1, "'%-5.2v8'"},
		{kernel("v = float4(1, 2, 3, 4); x[0] = v.x;"), diag.DialectFeature, 1, "(float4)(...)"},
		{kernel("x[0] = int(v.x);"), diag.DialectFeature, 1, "(int)(...)"},
		{kernel("int y(3); x[0] = y;"), diag.DialectFeature, 1, "begins with ="},
		{kernel("int y{3}; x[0] = y;"), diag.DialectFeature, 1, "begins with ="},
		{kernel("if (int y = x[0]) x[1] = y;"), diag.DialectFeature, 1, "declares no variable"},
		{kernel("int a[2] = {1, 2}; for (int y : a) x[0] += y;"), diag.DialectFeature, 1, "no loop"},
		{kernel("float4 w = {1, 2}; x[0] = w.x;"), diag.BadInit, 1, "float4"},
		{kernel("char4 c = (char4)(1); c = c + 1; x[0] = c.x;"), diag.BadOperands, 1, "greater rank"},
		{kernel("uchar16 c = (uchar16)(1); c += x[0]; x[0] = c.s0;"), diag.BadOperands, 1, "greater rank"},
		{kernel("int4 i = (int4)(1); i = 2L * i; x[0] = i.x;"), diag.BadOperands, 1, "greater rank"},
		{kernel("short4 s = (short4)(1); x[0] = (s == 3).x;"), diag.BadOperands, 1, "greater rank"},
		{kernel("v.x = select(v.x, v.y, v.z); x[0] = v.x;"), diag.NoMatchingFunction, 1, "select"},
		{kernel("v = select(v, -v, (short4)(1)); x[0] = v.x;"), diag.NoMatchingFunction, 1, "select"},
		{"__kernel void k(read_only image2d_t i) { image2d_t j = i; }", diag.DialectFeature, 1, "'j': an image"},
	} {
		refuses(t, dialect.OpenCL, r.text, r.code, r.line, r.words)
	}
}
