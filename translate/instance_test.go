package translate

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestInstanceNames: an instance is found by each spelling of its types.
func TestInstanceNames(t *testing.T) {
	for want, names := range map[string][]string{
		"k":                         {"k"},
		"k<float,4>":                {"k<float,4>", "k<float, 4>", " k < float , 4 > "},
		"k<unsigned int>":           {"k<unsigned>", "k<uint>", "k<unsigned int>", "k<int unsigned>", "k<uint32_t>"},
		"k<unsigned long>":          {"k<unsigned long long>", "k<size_t>", "k<ulong>", "k<std::uint64_t>"},
		"k<long,short>":             {"k<long long int, short int>", "k<int64_t,signed short>"},
		"k<signed char,char>":       {"k<signed char,char>", "k<int8_t, char>"},
		"k<const int*>":             {"k<const int *>", "k<const signed*>"},
		"k<unsigned int*,int&>":     {"k<unsigned *, int &>"},
		"k<pair<unsigned char,int>": {"k<pair<uchar, int>"},
		"k<mint,uint2>":             {"k<mint, uint2>"},
	} {
		for _, name := range names {
			assert.Equal(t, want, instanceName(name), name)
		}
	}
	r, err := Source(t.Context(), `
template <typename T, int N> __global__ void fill(T *x) { x[threadIdx.x] = N; }
void host(unsigned *x) { fill<unsigned char, 3><<<1, 32>>>((unsigned char *)x); }
`, Options{Name: "fill.cu", Instances: []string{"fill<unsigned, 4>"}})
	require.NoError(t, err)
	require.Len(t, r.Kernels, 2)
	assert.Equal(t, "fill<unsigned char,3>", r.Kernels[0].Name)
	require.NotNil(t, r.Kernel("fill<unsigned, 4>"))
	assert.Equal(t, "fill_uint_4", r.Kernel("fill<uint,4>").As)
	assert.Nil(t, r.Kernel("fill<int,4>"))
}

// TestTypes: arguments have the types of the source.
func TestTypes(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		want   []string
	}{
		"a.cl": {"typedef struct { float re, im; } complex;\n__kernel void k(__global float8 *x, __global complex *c, " +
			"uint n, __global uchar16 *u, float3 f, __local half *h, ulong z) {}",
			[]string{"float8", "complex", "uint", "uchar16", "float3", "half", "ulong"}},
		"a.cu": {"template <class T> struct P { T a; };\ntypedef struct { float re, im; } quad;\n" +
			"__global__ void k(float4 *x, float3 v, const P<unsigned> *p, quad *q, bool b) { x[0].x = b; }",
			[]string{"float4", "float3", "P<uint>", "quad", "bool"}},
	} {
		r, err := Source(t.Context(), c.source, Options{Name: name})
		require.NoError(t, err)
		require.Len(t, r.Kernels, 1)
		var types []string
		for _, a := range r.Kernels[0].Args {
			types = append(types, a.Type)
		}
		assert.Equal(t, c.want, types)
	}
}
