package msl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// FuzzCUDA compiles CUDA C++ as FuzzCompile does Metal: kernels with random token changes, and what
// the outline of a host's program could fall for.
func FuzzCUDA(f *testing.F) {
	files, err := filepath.Glob("../../testdata/cuda/*.cu")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		text, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(string(text), []byte(nil))
		f.Add(string(text), []byte{31, 17, 4, 200, 16, 3, 99, 7, 42})
	}
	for _, text := range []string{
		"template <class T> __global__ void k(T *x) {} template <class U> void h(U *p) { k<<<1, 1>>>(p); h<U *>(&p); }",
		"void a() { b<1>(); } template <int N> void b() { k<N><<<1, 1>>>(); b<N + 1>(); }",
		"__global__ void k(cudaTextureObject_t t) { k(t); } " +
			"texture<float, 2> r; __device__ float f() { return tex2D(r, 1, 2); }",
		"__device__ int x = {{{0}}}, y[] = {1, 2}; __global__ void k() { x = y[<<<1, 1>>>(3)]; assert(",
		"#define K __global__ void\nK k(double *x) { extern __shared__ double s[]; s<<<1>>>; } " +
			"int main() { k<<<>>>(); ",
		"__global__ void k(float *x) { curandState s; " +
			"curand_init(1, 2, 3, &s); x[0] = cub::BlockReduce<float, 0>(s).Sum(1); }",
	} {
		f.Add(text, []byte(nil))
	}
	fuzzCompile(f, Options{Dialect: dialect.CUDA, Logging: true})
}
