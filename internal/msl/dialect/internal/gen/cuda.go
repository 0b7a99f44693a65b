package main

import (
	"fmt"
	"slices"
	"strings"
)

// cudaShared are the functions of OpenCL C's library that CUDA C++ has too.
const cudaShared = "cbrt expm1 log1p erf_small erfc erf gamma_middle gamma_positive tgamma lgamma_positive lgamma " +
	"hypot logb nextafter pown long_division fmod remquo remainder frexp modf"

// cuda returns the library of CUDA C++.
func cuda() string {
	var b strings.Builder
	b.WriteString(cudaVectors() + written("cuda"))
	names := words(cudaShared)
	for _, f := range strings.SplitAfter(written("opencl_math"), "\n}\n") {
		head := f[strings.LastIndex(f[:max(strings.Index(f, "{\n"), 0)], "\n\n")+1:]
		line := strings.TrimLeft(head, "\n")
		for strings.HasPrefix(line, "//") {
			_, line, _ = strings.Cut(line, "\n")
		}
		before, _, _ := strings.Cut(line, "(")
		if name := before[strings.LastIndexByte(before, ' ')+1:]; slices.Contains(names, name) {
			b.WriteString(strings.ReplaceAll(head, "float2", "metal::float2"))
		}
	}
	b.WriteString(written("cuda_round") + written("cuda_number") + written("cuda_half") + cudaTextures() +
		written("cuda_random") + written("cuda_cub"))
	return b.String()
}

// cudaVectors returns the vector types: structures, laid out as CUDA's tables say, and the
// functions that make them.
func cudaVectors() string {
	var b strings.Builder
	for _, t := range []struct {
		name, elem string
		size       int
	}{
		{"char", "char", 1}, {"uchar", "uchar", 1}, {"short", "short", 2}, {"ushort", "ushort", 2}, {"int", "int", 4},
		{"uint", "uint", 4}, {"long", "long", 8}, {"ulong", "ulong", 8}, {"longlong", "long", 8},
		{"ulonglong", "ulong", 8},
		{"float", "float", 4},
	} {
		for n := 1; n <= 4; n++ {
			align := t.size
			if n != 3 {
				align = min(t.size*n, 16)
			}
			lanes, params := words("x y z w")[:n], make([]string, n)
			for i, l := range lanes {
				params[i] = t.elem + " " + l
			}
			fmt.Fprintf(&b, "struct alignas(%d) %s%d { %s %s; };\n", align, t.name, n, t.elem,
				strings.Join(lanes, ", "))
			fmt.Fprintf(&b, "inline %[1]s%[2]d make_%[1]s%[2]d(%[3]s) { return {%[4]s}; }\n", t.name, n,
				strings.Join(params, ", "), strings.Join(lanes, ", "))
		}
	}
	return b.String()
}

// cudaTextures returns the functions that access textures and surfaces.
func cudaTextures() string {
	var b strings.Builder
	b.WriteString(`template <class X> struct __sampled_texture {
  X t;
  metal::sampler s;
};
template <class X> inline __sampled_texture<X> __sampled(X t, metal::sampler s) { return {t, s}; }
inline uint __layer(int at, uint layers) { return uint(metal::clamp(at, 0, int(layers) - 1)); }
`)
	for _, e := range []struct{ vec, elems string }{{"float", "float"}, {"int", "char short int"},
		{"uint", "uchar ushort uint"}} {
		for _, elem := range words(e.elems) {
			fmt.Fprintf(&b, "inline %[1]s __texel(thread %[1]s *, metal::%[2]s4 v) { return %[1]s(v.x); }\n"+
				"inline metal::%[2]s4 __color(%[1]s v) { return metal::%[2]s4(%[2]s(v), 0, 0, 0); }\n", elem, e.vec)
			for _, n := range []int{1, 2, 4} {
				var in, out []string
				for i := range 4 {
					if i < n {
						in = append(in, fmt.Sprintf("%s(v.%c)", elem, "xyzw"[i]))
						out = append(out, fmt.Sprintf("%s(v.%c)", e.vec, "xyzw"[i]))
					} else {
						out = append(out, "0")
					}
				}
				fmt.Fprintf(&b, "inline %[1]s%[2]d __texel(thread %[1]s%[2]d *, metal::%[3]s4 v) { return {%[4]s}; }\n"+
					"inline metal::%[3]s4 __color(%[1]s%[2]d v) { return metal::%[3]s4(%[5]s); }\n", elem, n, e.vec,
					strings.Join(in, ", "), strings.Join(out, ", "))
			}
		}
	}
	for _, f := range []struct{ name, params, args, read string }{
		{"tex1Dfetch", "int a", "a", "a >= 0 && uint(a) < x.get_width() ? x.read(uint(a)) : 0"},
		{"tex1D", "float a", "a", "x.t.sample(x.s, a)"},
		{"tex2D", "float a, float b", "a, b", "x.t.sample(x.s, metal::float2(a, b))"},
		{"tex2DLod", "float a, float b, float l", "a, b, l", "x.t.sample(x.s, metal::float2(a, b), level(l))"},
		{"tex3D", "float a, float b, float c", "a, b, c", "x.t.sample(x.s, metal::float3(a, b, c))"},
		{"tex3DLod", "float a, float b, float c, float l", "a, b, c, l",
			"x.t.sample(x.s, metal::float3(a, b, c), level(l))"},
		{"tex1DLayered", "float a, int n", "a, n", "x.t.sample(x.s, a, __layer(n, x.t.get_array_size()))"},
		{"tex2DLayered", "float a, float b, int n", "a, b, n",
			"x.t.sample(x.s, metal::float2(a, b), __layer(n, x.t.get_array_size()))"},
		{"texCubemap", "float a, float b, float c", "a, b, c", "x.t.sample(x.s, metal::float3(a, b, c))"},
	} {
		fmt.Fprintf(&b, "template <class R, class X> inline R %[1]s(X x, %[2]s) {\n"+
			"  return __texel((thread R *)nullptr, %[4]s);\n}\n"+
			"template <class R, class X> inline void %[1]s(thread R *out, X x, %[2]s) { *out = %[1]s<R>(x, %[3]s); }\n",
			f.name, f.params, f.args, f.read)
	}
	for _, f := range []struct{ name, params, args, at string }{
		{"surf1D", "int a", "a", "uint(a) / sizeof(R)"},
		{"surf2D", "int a, int b", "a, b", "metal::uint2(uint(a) / sizeof(R), uint(b))"},
		{"surf3D", "int a, int b, int c", "a, b, c", "metal::uint3(uint(a) / sizeof(R), uint(b), uint(c))"},
		{"surf2DLayered", "int a, int b, int n", "a, b, n", "metal::uint2(uint(a) / sizeof(R), uint(b)), uint(n)"},
	} {
		fmt.Fprintf(&b, "template <class R, class X> inline R %[1]sread(X x, %[2]s, int mode = 0) {\n"+
			"  return __texel((thread R *)nullptr, x.read(%[4]s));\n}\n"+
			"template <class R, class X> inline void %[1]sread(thread R *out, X x, %[2]s, int mode = 0) {\n"+
			"  *out = %[1]sread<R>(x, %[3]s);\n}\n"+
			"template <class R, class X> inline void %[1]swrite(R v, X x, %[2]s, int mode = 0) {\n"+
			"  x.write(__color(v), %[4]s);\n}\n", f.name, f.params, f.args, f.at)
	}
	return b.String()
}
