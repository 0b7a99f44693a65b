package main

import (
	"fmt"
	"strings"
)

// openclComponents returns the functions of vectors that go by components, and those that are
// Metal's fast ones.
func openclComponents() string {
	var b strings.Builder
	for _, name := range words(`acospi asinpi atanpi cbrt expm1 log1p erfc erf tgamma lgamma logb native_recip
half_recip`) {
		vector(&b, "float", name, "x")
	}
	vector(&b, "int", "ilogb", "x")
	for _, name := range words(`atan2pi hypot maxmag minmag nextafter fmod remainder native_divide half_divide`) {
		vector(&b, "float", name, "x", "y")
	}
	for _, name := range words("pown rootn") {
		vector(&b, "float", name, "x", "int n")
	}
	for _, f := range []struct{ name, params, out string }{{"fract", "x", "float"}, {"modf", "x", "float"},
		{"sincos", "x", "float"}, {"frexp", "x", "int"}, {"lgamma_r", "x", "int"}, {"remquo", "x y", "int"}} {
		params, args := "", ""
		for _, p := range words(f.params) {
			params += "vec<float, N> " + p + ", "
			args += p + "[i], "
		}
		fmt.Fprintf(&b, "template <int N, class P> inline vec<float, N> %s(%sP out) {\n  vec<float, N> r;\n"+
			"  vec<%s, N> o;\n"+
			"  for (int i = 0; i < N; i++) {\n    %[3]s one;\n    r[i] = %[1]s(%[4]s&one);\n    o[i] = one;\n  }\n"+
			"  *out = o;\n"+
			"  return r;\n}\n\n", f.name, params, f.out, args)
	}
	for _, prefix := range words("native half") {
		for _, name := range words("cos exp exp2 exp10 log log2 log10 rsqrt sin sqrt tan") {
			fmt.Fprintf(&b, "template <class T> inline T %s_%s(T x) { return fast::%[2]s(x); }\n\n", prefix, name)
		}
		fmt.Fprintf(&b, "template <class T> inline T %s_powr(T x, T y) { return fast::powr(x, y); }\n\n", prefix)
	}
	return b.String()
}

// vector writes a function that is called for each component. A parameter is a float unless its
// type is given.
func vector(b *strings.Builder, result, name string, params ...string) {
	var list, args []string
	for _, p := range params {
		t, n, typed := strings.Cut(p, " ")
		if !typed {
			t, n = "float", p
		}
		list = append(list, fmt.Sprintf("vec<%s, N> %s", t, n))
		args = append(args, n+"[i]")
	}
	fmt.Fprintf(b, "template <int N> inline vec<%s, N> %s(%s) {\n  vec<%[1]s, N> r;\n  for (int i = 0; i < N; i++)\n"+
		"    r[i] = %[2]s(%[4]s);\n"+
		"  return r;\n}\n\n", result, name, strings.Join(list, ", "), strings.Join(args, ", "))
}
