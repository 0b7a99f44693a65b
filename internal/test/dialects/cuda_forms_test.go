package dialects

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/puremetal/puremetal/internal/msl/dialect"
)

// TestCUDAForms has what CUDA programs write and Metal has in another form, or not at all: each
// kernel k writes the wanted numbers over x, which begins as 1, 2, 3, 4.
func TestCUDAForms(t *testing.T) {
	for _, c := range []struct {
		text string
		want []int32
	}{
		{`template <int N> __device__ void mix(unsigned &a, int *b) { a += 10 * N + *b; mix<N - 1>(a, b); }
template <> __device__ void mix<0>(unsigned &a, int *b) { a += 1000; }
template <class T, int N> __device__ void copy(T *to, const T *from);
template <> __device__ void copy<int, 1>(int *to, const int *from) { *to = *from; }
template <> __device__ void copy<int, 2>(int *to, const int *from) { *to = *from * 2; }
__global__ void k(int *x) {
  __shared__ int s;
  unsigned a = 5;
  int n = 7;
  mix<2>(a, &n);
  copy<int, 1>(&s, &n);
  copy<int, 2>(x + 1, &s);
  x[0] = a; x[2] = s;
}`, []int32{5 + 20 + 7 + 10 + 7 + 1000, 14, 7, 4}},
		{`template <class T> T const &
__device__ __host__ larger(const T &a, const T &b) { return a < b ? b : a; }
int * __device__ second(int *p) { if (p == 0) return NULL; return p + 1; }
__device__ int *none(int n) { return nullptr; }
__global__ void k(int *x) { x[0] = larger(x[1], x[2]);
*second(x) = none(3) == NULL; x[2] = second(x + 1) == x + 2 ? 5 : 1; }`,
			[]int32{3, 1, 5, 4}},
		{`template <class T> class Box {
public:
  __device__ Box &operator=(const Box &o) { v[0] = o.v[0] + 1; return *this; }
  __device__ T &operator[](int i) { return v[i]; }
  __device__ T operator[](int i) const { return v[i]; }
private:
  T v[2];
};
struct Count { int n; __device__ int add(int v) { return atomicAdd(&n, v); } };
__global__ void k(int *x) {
  __shared__ Box<int> b[2];
  __shared__ Count c;
  b[1][0] = 6; b[0] = b[1]; b[0][1] = 9;
  const Box<int> &r = b[0];
  c.n = 3;
  x[0] = r[0]; x[1] = r[1]; x[2] = ((Count *)x + 3)->add(5) + c.add(1); x[0] += 100 * c.n;
}`, []int32{407, 9, 4 + 3, 9}},
		{`struct Most {
  template <class T, class U> __device__ typename std::common_type<T, U>::type operator()(T &&a, U &&b) const {
    return a > b ? a : b;
  }
};
struct Sum { template <class T> __device__ std::decay_t<T> operator()(T a, int b) { return a + b; } };
__global__ void k(int *x) {
  short s = 300;
  x[0] = Most()(s, 7) + sizeof(std::common_type_t<short, float>);
  x[1] = Most{}(x[2], 2 * x[3]); x[2] = Sum()(x[2], 4) * std::bool_constant<true>::value;
}`, []int32{304, 8, 7, 4}},
		{`__global__ void k(int *x) {
  x[0] = __nv_atomic_load_n(&x[1], __NV_ATOMIC_ACQUIRE) + __nv_atomic_fetch_add(&x[2], 5, __NV_ATOMIC_RELAXED);
  __nv_atomic_store_n(&x[1], 40, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  x[3] = __nv_atomic_exchange_n(&x[2], -1, __NV_ATOMIC_SEQ_CST) + __nv_atomic_fetch_max(&x[2], 6, 0);
}`, []int32{5, 40, 6, 7}},
		{`constexpr int least = std::min(9, 4) + max(1, 2);
__global__ void k(int *x, std::pair<int, float> p, cudaExtent e) {
  auto q = std::make_pair(p.second, p.first);
  x[0] = least; x[1] = q.first * 2; x[2] = q.second; x[3] = sizeof(cudaPitchedPtr) + e.depth;
}`, []int32{6, 3, 8, 32 + 3}},
		{`#include <cooperative_groups.h>
__device__ uint2 operator+(uint2 a, uint2 b) { return make_uint2(a.x + b.x, a.y * b.y); }
struct Own {
  Own() = default;
  __device__ Own &operator=(const Own &o) = default;
  int n;
};
__global__ void k(int *x) {
  uint2 a = *(uint2 *)x + make_uint2(10, 20);
  dim3 at = cooperative_groups::this_thread_block().dim_threads();
  Own p, q; p.n = 6; q = p;
  thrust::device_ptr<int> d{x + 2};
  x[0] = a.x + 100 * a.y; x[1] = sizeof(uint3) + sizeof(int3) + at.x; x[3] = d[1] + *d; d[0] = q.n;
}`, []int32{11 + 4000, 25, 6, 7}},
	} {
		m := compile(t, dialect.CUDA, "forms.cu", c.text)
		x := []int32{1, 2, 3, 4}
		args := []any{x}
		if strings.Contains(c.text, "std::pair<int, float> p") {
			args = append(args, struct {
				A int32
				B float32
			}{8, 1.5}, [3]uint64{1, 2, 3})
		}
		run(t, m, "k", line(1, 1), args...)
		assert.Equal(t, c.want, x, c.text)
	}
}

// TestCUDAOverloads has kernels of one name: those after the first have their parameters in theirs.
func TestCUDAOverloads(t *testing.T) {
	m := compile(t, dialect.CUDA, "overloads.cu", `__global__ void k(int *x) { x[0] = 1; }
__global__ void k(float *x, const int n) { x[0] = n + 0.5f; }
__global__ void k(const float2 *x, float *y) { y[0] = x[1].y; }
`)
	i, f := []int32{0}, []float32{0}
	run(t, m, "k", line(1, 1), i)
	run(t, m, "k(float*, int)", line(1, 1), f, int32(3))
	assert.Equal(t, int32(1), i[0])
	assert.Equal(t, float32(3.5), f[0])
	run(t, m, "k(const cuda::float2*, float*)", line(1, 1), []float32{1, 2, 3, 4}, f)
	assert.Equal(t, float32(4), f[0])
}

// TestCUDALaunchForms has the ways in which programs of the host say which instance they launch.
func TestCUDALaunchForms(t *testing.T) {
	m, list := warnings(t, `
template <typename I, typename V> __global__ void byValue(const V *__restrict__ d, const I n) {}
template <typename I, typename V> void search(const V *__restrict__ d, const I n, double &time) {
  byValue<<<1, 1>>>(&d[n * 2], n);
}
template <typename T, int N> __global__ void named(T *p) {}
template <class Traits> __global__ void traits(float *p) { p[0] = Traits::n; }
template <int N, class T> struct Of { static constexpr int n = N * sizeof(T); };
template <int N, class T> void local(float *p) { using K = Of<N, T>; typedef T U;
  traits<K><<<1, 1>>>(p); named<U, N><<<1, 1>>>(0); }
template <class A> __global__ void pairs(A *p, std::pair<long, int> v) {}
template <class T> struct List { T *d; };
template <class T> __global__ void listed(List<T> l) {}
int main() {
  const int n = 3; float *a; double time = 0;
  search(a, n, time);
  if (n) { constexpr int w = 8; auto k = named<int, w>; k<<<1, 1>>>(0); }
  else { constexpr int w = 16; named<int, w><<<1, 1>>>(0); }
  local<2, short>(a);
  std::pair<long, int> v; pairs<char><<<1, 1>>>(0, v);
  List<short> l(a); listed<<<1, 1>>>(l);
  late(a);
}
template <class T> __global__ void lately(T *p) { Later l; p[0] = l.n; }
template <class T> void late(T *p) { lately<<<1, 1>>>(p); }
struct Later { int n; };
`, nil)
	var names []string
	for _, k := range m.Kernels {
		names = append(names, k.Name)
	}
	assert.Empty(t, list)
	assert.ElementsMatch(t, []string{"byValue<int, float>", "named<int, 8>", "named<int, 16>", "named<short, 2>",
		"traits<Of<2, short>>", "pairs<char>", "listed<short>", "lately<float>"}, names)
}

// TestCUDAIntegerMath has functions of integers, which are double in CUDA C++: each has a warning.
func TestCUDAIntegerMath(t *testing.T) {
	_, list := warnings(t, `__global__ void k(float *x, int n) {
  x[0] = sqrt(n) + sqrtf(n);
  x[1] = pow(x[0], 2) + fmax(x[1], 0.0f) + abs(n) + ldexp(x[2], n);
  x[2] = sqrt((float)n) + std::sin(2.0f) + fminf(n, 3);
}
`, nil)
	assert.Equal(t, []string{"x.cu:2:10 T0012 'sqrt' of an integer is double in CUDA C++, and float here",
		"x.cu:3:10 T0012 'pow' of an integer is double in CUDA C++, and float here"}, list)
}
