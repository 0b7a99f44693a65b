package translate_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
)

// source returns what follows the library in a translation.
func source(t *testing.T, r *translate.Result) string {
	t.Helper()
	_, text, ok := strings.Cut(r.Text, "\n}\n")
	require.True(t, ok)
	_, text, ok = strings.Cut(text, "\n\n")
	if !ok { // nothing of the library is used
		_, text, ok = strings.Cut(r.Text, "\n}\n\n")
	}
	require.True(t, ok)
	return text
}

// TestTexts compares translations with those that a reader has found readable.
func TestTexts(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "*.c[lu]"))
	require.NoError(t, err)
	for _, name := range append(names, filepath.Join("..", "..", "..", "testdata", "opencl", "first.cl")) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			r := equal(t, filepath.Base(name), string(text))
			golden := filepath.Join("testdata", strings.TrimSuffix(filepath.Base(name), ".cl")+".metal")
			if strings.HasSuffix(name, ".cu") {
				golden = filepath.Join("testdata", filepath.Base(name)+".metal")
			}
			if os.Getenv("PUREMETAL_UPDATE") != "" {
				require.NoError(t, os.WriteFile(golden, []byte(r.Text), 0o644))
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			assert.Equal(t, string(want), r.Text)
		})
	}
}

// TestEdits are the edits one by one: what the source says, and what the text says.
func TestEdits(t *testing.T) {
	const k = "__kernel void k(__global float *x) "
	const as = "kernel void k(device float *x [[buffer(0)]]) "
	for _, c := range []struct{ source, text string }{
		// keywords in macros
		{"#define KERNEL __kernel void\n#define G __global\nKERNEL k(G float *x) { x[0] = 1; }",
			"#define KERNEL kernel void\n#define G device\nKERNEL k(G float *x [[buffer(0)]]) { x[0] = 1; }"},
		// a macro whose uses want different edits is expanded where it must be
		{"#define P float *\nfloat f(P p) { return *p; }\n" +
			"__kernel void k(__global P x) { float y = x[0]; x[0] = f(&y); }",
			"#define P float *\nfloat f(thread float * p) { return *p; }\nkernel void k(device P x [[buffer(0)]]) " +
				"{ float y = x[0]; x[0] = f(&y); }"},
		{"#define V(a, b) (float2)(a, b)\n" + k + "{ x[0] = V(1, 2).x + V(x[0], 3).y; }",
			"#define V(a, b) float2(a, b)\n" + as + "{ x[0] = V(1, 2).x + V(x[0], 3).y; }"},
		// an argument that is used twice
		{"#define TWICE(a) ((a) + (a))\n" + k + "{ x[0] = TWICE(((float2)(x[1], 2)).y); }",
			"#define TWICE(a) ((a) + (a))\n" + as + "{ x[0] = TWICE((float2(x[1], 2)).y); }"},
		// by value: read, changed, of a type of several words
		{"__kernel void k(__global float *x, const unsigned int n, __private int m, float v) " +
			"{ v *= n; x[m] = v; }",
			"kernel void k(device float *x [[buffer(0)]], constant const unsigned int &n [[buffer(1)]], " +
				"constant  int &m [[buffer(2)]], constant float &v_in [[buffer(3)]]) { float v = v_in; v *= n; " +
				"x[m] = v; }"},
		// pointers
		{"void f(float *p, float **q, const float *r) { **q = *p + *r; }\n" + k +
			"{ float a = 1, *b = &a; f(b, &b, &a); x[0] = *b; }",
			"void f(thread float *p, thread float * thread *q, thread const float *r) { **q = *p + *r; }\n" + as +
				"{ thread float a = 1, *b = &a; f(b, &b, &a); x[0] = *b; }"},
		// work-items in functions, in a macro, in a function without parameters
		{"#define ID get_global_id(0)\nint f(void) { return ID; }\nint g(int i) { return f() + i; }\n" + k +
			"{ x[ID] = g(1); }",
			"#define ID get_global_id(0, thread_position_in_grid)\n" +
				"int f(uint3 thread_position_in_grid) { return ID; }\n" +
				"int g(int i, uint3 thread_position_in_grid) { return f(thread_position_in_grid) + i; }\n" +
				"kernel void k(device float *x [[buffer(0)]], uint3 thread_position_in_grid [[thread_position_in_grid]]) " +
				"{ x[ID] = g(1, thread_position_in_grid); }"},
		// names that Metal reserves
		{"typedef struct { float thread; } device;\n" +
			"__kernel void vertex(__global device *class) { class->thread = 1; }",
			"typedef struct { float thread_; } device_;\nkernel void vertex_(device device_ *class_ [[buffer(0)]]) " +
				"{ class_->thread_ = 1; }"},
		// names that Metal's header has outside of its namespace, unless they are not
		{"typedef struct { float complex; } quad;\ntypedef unsigned int uint;\n" +
			"__kernel void float16(__global quad *x) { uint uint8 = 1; x->complex = uint8; }",
			"typedef struct { float complex; } quad_;\ntypedef unsigned int uint;\n" +
				"kernel void float16_(device quad_ *x [[buffer(0)]]) { uint uint8 = 1; x->complex = uint8; }"},
		// attributes, restrict, pragmas
		{"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" +
			"__kernel __attribute__((reqd_work_group_size(8, 2, 1))) void k(" +
			"__global float *restrict x) { x[0] = 1; }",
			"// #pragma OPENCL EXTENSION cl_khr_fp16 : enable\n" +
				"[[max_total_threads_per_threadgroup(16)]] kernel void k(" +
				"device float *__restrict x [[buffer(0)]]) { x[0] = 1; }"},
	} {
		r := equal(t, "a.cl", c.source)
		assert.Equal(t, c.text, source(t, r))
	}
}

// TestLibraryTypes: types of the language that Metal has others of outside of its namespace are
// macros, which do not cost the source its own.
func TestLibraryTypes(t *testing.T) {
	for name, c := range map[string]struct{ source, text string }{
		"a.cu": {"#define T float4\n__global__ void k(T *x) { uint3 i = threadIdx; x[i.x] = x[0]; " +
			"x[1].x = __builtin_expect(1, 1); }\n",
			"}\n#define __builtin_expect cuda::__builtin_expect\n#define float4 cuda::float4\n#define uint3 cuda::uint3\n" +
				"using cuda::make_uint3;\n\n#define T float4\n" +
				"kernel void k(device T *x [[buffer(0)]], metal::vec<uint, 3> threadIdx [[thread_position_in_threadgroup]]) " +
				"{ uint3 i = make_uint3(threadIdx.x, threadIdx.y, threadIdx.z); x[i.x] = x[0]; " +
				"x[1].x = __builtin_expect(1, 1); }\n"},
		"a.cl": {"#define T(n) float##n\n__kernel void k(__global T(8) *x, __global T(4) *y) { x[0].lo = y[0]; }\n",
			"}\n#define float8 opencl::float8\n\n#define T(n) float##n\n" +
				"kernel void k(device T(8) *x [[buffer(0)]], device T(4) *y [[buffer(1)]]) { x[0].lo = y[0]; }\n"},
	} {
		r := equal(t, name, c.source)
		assert.Contains(t, r.Text, c.text)
	}
}

// TestRefused: functions with errors, and those that call them, are left out, and the others stay.
func TestRefused(t *testing.T) {
	r, err := translate.Translate(t.Context(), msl.Source{Name: "a.cl",
		Text: "float f(float x) { return x + nothing; }\n" +
			"__kernel void a(__global float *x) { x[0] = f(1); }\n" +
			"__kernel void b(__global float *x) { x[0] = 1; }\n"},
		translate.Options{Compile: msl.Options{Dialect: dialect.OpenCL}})
	require.NoError(t, err)
	require.Len(t, r.Refused, 1)
	assert.Equal(t, "a.cl", r.Refused[0].File)
	assert.Equal(t, []int{1, 31}, []int{r.Refused[0].Line, r.Refused[0].Column})
	assert.Equal(t, "a", r.Refused[0].Kernel)
	assert.Equal(t, "// f is refused.\n// a is refused.\n"+
		"kernel void b(device float *x [[buffer(0)]]) { x[0] = 1; }\n", source(t, r))
	require.Len(t, r.Kernels, 1)
	assert.Equal(t, translate.Kernel{Name: "b", As: "b", File: "a.cl", Line: 3,
		Args: []translate.Arg{{Name: "x", As: "x", Kind: "buffer", Type: "float"}}}, r.Kernels[0])
}

// TestLines: with #line directives a compiler names the places of the source, also behind code of
// the host and in functions that the text has several of.
func TestLines(t *testing.T) {
	r, err := translate.Translate(t.Context(), msl.Source{Name: "a.cu", Text: "#include <stdio.h>\n" +
		"void host() {\n  printf(\"x\");\n}\n\n" +
		"__device__ float twice(const float *p) {\n  return 2 * *p;\n}\n" +
		"__global__ void k(float *x) {\n  __shared__ float s[1];\n  s[0] = twice(x);\n  int unused = 1;\n" +
		"  x[0] = twice(s);\n}\n"},
		translate.Options{Compile: msl.Options{Dialect: dialect.CUDA}, Lines: true})
	require.NoError(t, err, "%s", r.Text)
	k := r.Module.IR.Func("k")
	require.NotNil(t, k)
	m, diags := msl.Compile(t.Context(), msl.Source{Name: "a.metal",
		Text: strings.Replace(r.Text, "int unused = 1", "int unused = nothing", 1)}, msl.Options{})
	require.NotEmpty(t, diags)
	at := m.Files.Position(diags[0].Pos)
	assert.Equal(t, "a.cu:12", at.File+":"+strconv.Itoa(at.Line), "%s", r.Text)
}

// TestInstances: an instance of a template by its name, besides those that the file launches.
func TestInstances(t *testing.T) {
	r, err := translate.Translate(t.Context(), msl.Source{Name: "a.cu",
		Text: "template <class T, int N> __global__ void k(T *x, int n) { x[0] = N * n; }\n"},
		translate.Options{Compile: msl.Options{Dialect: dialect.CUDA}, Instances: []string{"k<float,4>"}})
	require.NoError(t, err, "%s", r.Text)
	require.Len(t, r.Kernels, 1, "%v", r.Refused)
	assert.Equal(t, []string{"k<float,4>", "k_float_4"}, []string{r.Kernels[0].Name, r.Kernels[0].As})
	assert.Equal(t, []translate.Arg{{Name: "x", As: "x", Kind: "buffer", Type: "float"},
		{Name: "n", As: "n", Kind: "value", Index: 1, Type: "int"}}, r.Kernels[0].Args)
}

// TestSeveralBlockVariables: a template of which one instance reaches two variables of a block that
// others reach too cannot hand them on.
func TestSeveralBlockVariables(t *testing.T) {
	r, err := translate.Translate(t.Context(), msl.Source{Name: "a.cu",
		Text: "template <int K> __device__ float kept(float v) {\n" +
			"  __shared__ float last[16];\n  last[threadIdx.x] = v + K;\n  return last[0];\n}\n" +
			"template <int K> __device__ float two(float v) { return kept<K>(v) + kept<K + 1>(v); }\n" +
			"__global__ void k(float *x) { x[0] = two<1>(1) + two<3>(2); }\n"},
		translate.Options{Compile: msl.Options{Dialect: dialect.CUDA}})
	require.NoError(t, err)
	require.NotEmpty(t, r.Refused)
	assert.Equal(t, 6, r.Refused[0].Line)
	assert.Contains(t, r.Refused[0].Reason, "several instances of 'last'")
	assert.Empty(t, r.Text)
}

// TestCommentsBesideHeaders: headers with declarations of their own, and those that would define
// the language's macros again, leave comments and names in the text.
func TestCommentsBesideHeaders(t *testing.T) {
	r, err := translate.Translate(t.Context(), msl.Source{Name: "groups.cu", Text: `#include <float.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups; // short
// largest finds the largest number.
__global__ void largest(float *x) {
  float m = -FLT_MAX; // not -INFINITY
  cg::thread_block block = cg::this_thread_block();
  block.sync();
  x[0] = fmaxf(m, x[0]);
}
`}, translate.Options{Compile: msl.Options{Dialect: dialect.CUDA}})
	require.NoError(t, err)
	require.Empty(t, r.Refused)
	assert.Empty(t, r.Warnings)
	for _, want := range []string{"// short\n", "// largest finds the largest number.\n", "-FLT_MAX; // not -INFINITY\n"} {
		assert.Contains(t, r.Text, want)
	}
	assert.Equal(t, 1, strings.Count(r.Text, "namespace cooperative_groups ="), r.Text)
}
