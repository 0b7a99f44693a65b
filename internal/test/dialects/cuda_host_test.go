package dialects

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/message"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/msl/diag"
	"github.com/puremetal/puremetal/internal/msl/dialect"
	"github.com/puremetal/puremetal/internal/msl/translate"
	"github.com/puremetal/puremetal/internal/test/exectest"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// warnings compiles a program, which has no errors, and returns its warnings with their lines.
func warnings(t *testing.T, text string, defines map[string]string) (m *msl.Module, list []string) {
	t.Helper()
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "x.cu", Text: text},
		msl.Options{Dialect: dialect.CUDA, Defines: defines, Logging: true})
	for _, d := range diags {
		require.NotEqual(t, diag.Error, d.Severity, "%s", d.Message)
		if strings.HasPrefix(string(d.Code), "T") {
			list = append(list, m.Files.Position(d.Pos).String()+" "+string(d.Code)+" "+d.Message)
		}
	}
	return m, list
}

// TestCUDAInstances has launches in templates of the host, and kernels that no launch selects.
func TestCUDAInstances(t *testing.T) {
	m, list := warnings(t, `template <int N> __global__ void lost(float *x) { x[0] = N; }
template <typename T> __global__ void kept(T *x) { x[0] = sizeof(T); }
template <typename T> __global__ void never(T *x) {}
template <typename T> void inner(T *p) { kept<<<1, 1>>>(p); }
template <typename T> void outer(T *p, int n) { if (n) inner(p); else kept<T><<<1, 1>>>(p); }
int main() { float *p; outer(p, 3); outer<short>(0, 1); for (int i = 0; i < 4; i++) lost<i><<<1, 1>>>(p); }
`, nil)
	var names []string
	for _, k := range m.Kernels {
		names = append(names, k.Name)
	}
	assert.ElementsMatch(t, []string{"kept<float>", "kept<short>"}, names)
	require.Len(t, list, 3)
	assert.Contains(t, strings.Join(list, "\n"), "x.cu:1:34 T0004 kernel 'lost' is left out")
	assert.Contains(t, strings.Join(list, "\n"), "x.cu:3:39 T0004 kernel 'never' is left out")
	assert.Contains(t, strings.Join(list, "\n"), "x.cu:6:85 T0004 the launch of 'lost' does not tell")
}

// TestCUDADouble has double as float, and literals without a suffix.
func TestCUDADouble(t *testing.T) {
	const text = `__device__ double half_of(double x) { return x * 0.5; }
__global__ void k(double *x, double2 *y, float f) {
  x[0] = half_of(x[0]) + 2.5 + (double)f;
  y[0] = make_double2(x[0], DBL_MAX);
  x[1] = sizeof(double) + fmax(1.0, __dadd_rn(x[0], 1));
}
`
	m, list := warnings(t, text, dialect.CUDA.FloatMacros())
	assert.Equal(t, []string{"x.cu:1:50 T0005 " +
		"'0.5' has no suffix: such literals are float in this file, not double"}, list)
	x, y := []float32{3, 0}, make([]float32, 2)
	run(t, m, "k", line(1, 1), x, y, float32(4))
	assert.Equal(t, []float32{8, 13}, x)
	assert.Equal(t, float32(8), y[0])
	refuses(t, dialect.CUDA, text, diag.DialectDouble, 1, "'double'")
}

// TestCUDAVariables has variables of the device with initializers: they keep their values, or begin
// with the zeros that the host binds.
func TestCUDAVariables(t *testing.T) {
	m := compile(t, dialect.CUDA, "variables.cu", `
__device__ float scale[2] = {2, 3};
__device__ int base = 40, counter = 0;
__device__ int *none = nullptr;
__global__ void k(float *x) {
  x[0] = scale[1] * x[0] + base;
  atomicAdd(&counter, 2);
}
`)
	x, counter := []float32{1}, []int32{7}
	run(t, m, "k", line(1, 1), x, counter)
	assert.Equal(t, []float32{43}, x)
	assert.Equal(t, []int32{9}, counter)
}

// TestCUDAAssert has an assertion that fails: the launch ends with an error. It needs no logging.
func TestCUDAAssert(t *testing.T) {
	const text = `__global__ void k(int *x) {
  assert(x[threadIdx.x] < 5);
  x[threadIdx.x] = 9;
}
__global__ void trap(int *x) { if (x[threadIdx.x] == 3) __trap(); }
#define NDEBUG
#include <cassert>
__global__ void off(int *x) { assert(x[0] == 0); x[0] = 3; }
`
	m, _ := warnings(t, text, nil)
	launch := func(kernel string, data ...int32) (log []string, out []byte, err error) {
		l := testlaunch.Launch{Grid: [3]int{len(data), 1, 1}, Group: [3]int{len(data), 1, 1}, Fuel: 1 << 30,
			Buffers: map[int]testlaunch.Buffer{0: {Data: encode(t, data)}}}
		l.Log = func(m *message.Message) { log = append(log, m.Text()) }
		err = exectest.Quick.Run(m.IR.Func(kernel), &l)
		return log, l.Buffers[0].Data, err
	}
	log, out, err := launch("k", 1, 2)
	require.NoError(t, err)
	assert.Empty(t, log)
	assert.Equal(t, encode(t, []int32{9, 9}), out)
	const failed = "x.cu:2: block (0, 0, 0), thread (1, 0, 0): assertion 'x[threadIdx.x] < 5' failed"
	log, _, err = launch("k", 1, 6)
	require.ErrorContains(t, err, failed)
	assert.Equal(t, []string{failed}, log)
	_, _, err = launch("trap", 0)
	require.NoError(t, err)
	_, _, err = launch("trap", 0, 3)
	require.ErrorContains(t, err, "x.cu:5: block (0, 0, 0), thread (1, 0, 0): __trap()")
	log, out, err = launch("off", 1)
	require.NoError(t, err)
	assert.Empty(t, log)
	assert.Equal(t, encode(t, []int32{3}), out)
	m, _ = msl.Compile(t.Context(), msl.Source{Name: "x.cu", Text: text}, msl.Options{Dialect: dialect.CUDA})
	_, _, err = launch("k", 1, 6)
	require.ErrorContains(t, err, failed)
	r, err := translate.Translate(t.Context(), msl.Source{Name: "x.cu", Text: text}, translate.Options{
		Compile: msl.Options{Dialect: dialect.CUDA, Logging: true}})
	require.NoError(t, err)
	m = r.Module
	_, _, err = launch("k", 1, 6)
	require.ErrorContains(t, err, failed)
}

// TestCUDAPrintf has printf's conversions; the wanted lines are those of C.
func TestCUDAPrintf(t *testing.T) {
	m, _ := warnings(t, `__global__ void k(int *x, long long w) {
  printf("%5d|%-4u|%04x|%llu|%lld|%s|%c|%6.2f|%e|%%", -x[0], 12u, 255, 1ULL << 40, w, "abc", 'x', 2.5f, 1.0f);
  printf("none");
}
`, nil)
	var log []string
	l := testlaunch.Launch{Grid: [3]int{1, 1, 1}, Group: [3]int{1, 1, 1}, Fuel: 1 << 30,
		Buffers: map[int]testlaunch.Buffer{0: {Data: encode(t, []int32{7})}, 1: {Data: encode(t, int64(-3))}}}
	l.Log = func(m *message.Message) { log = append(log, m.Text()) }
	require.NoError(t, exectest.Quick.Run(m.IR.Func("k"), &l))
	assert.Equal(t, []string{"   -7|12  |00ff|1099511627776|-3|abc|x|  2.50|1.000000e+00|%", "none"}, log)
}
