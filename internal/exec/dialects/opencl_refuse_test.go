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
	} {
		refuses(t, dialect.OpenCL, r.text, r.code, r.line, r.words)
	}
}
