#include <cstdint>

// Variables of a block in templates.
template <int N> __device__ float turned(float v) {
  __shared__ float row[N], other[N][2];
  row[threadIdx.x % N] = v;
  other[threadIdx.x % N][1] = v + 1;
  __syncthreads();
  return row[N - 1 - threadIdx.x % N] + other[(threadIdx.x + 1) % N][1];
}
template <int N> __global__ void turn(float *x) { x[threadIdx.x] = turned<N>(x[threadIdx.x]); }

template <typename T, int N> class buffer {
public:
  T data[N];
  __device__ void put(int i, T v) { data[i % N] = v; }
  __device__ T get(int i) const { return data[i % N]; }
  static __device__ void run(T *x, int n) {
    __shared__ buffer<T, N> b;
    b.put(threadIdx.x, x[threadIdx.x] * n);
    __syncthreads();
    x[threadIdx.x] = b.get(threadIdx.x + 1);
  }
};
template <typename T, int N> __global__ void rotate(T *x, int n) { buffer<T, N>::run(x, n); }

// Each instance has a variable of its own: the second does not disturb what the first has left.
template <int Kind> __device__ float kept(float v, bool set) {
  __shared__ float last[16];
  if (set)
    last[threadIdx.x % 16] = v + Kind;
  return last[threadIdx.x % 16];
}
__device__ float both(float v) { return kept<1>(v, false) + 100 * kept<2>(v, false); }
__global__ void keep(float *x) {
  float v = x[threadIdx.x];
  kept<1>(v, true);
  kept<2>(2 * v, true);
  x[threadIdx.x] = both(0);
}
template <int Size> __device__ int sized(int v, bool set) {
  __shared__ int last[Size];
  if (set)
    last[threadIdx.x % Size] = v;
  return last[threadIdx.x % Size];
}
__global__ void keepSized(int *x) {
  sized<4>(threadIdx.x % 4, true);
  sized<8>(threadIdx.x % 8, true);
  __syncthreads();
  x[threadIdx.x] = sized<4>(0, false) * 100 + sized<8>(0, false);
}
// A function that only constants need, and kernels that are specializations.
constexpr int log2i(int v) { return v > 1 ? 1 + log2i(v >> 1) : 0; }
__constant__ float3 shift[2];
struct point { float3 at; std::uint32_t n; };
template <typename T> __global__ void scale(T *x, int n);
template <> __global__ void scale<float>(float *x, int n) {
  extern __shared__ char raw[];
  float *s = (float *)raw;
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x ^ 1] + n;
}
template <> __global__ void scale<int>(int *x, int n) { n += 1; x[threadIdx.x] += n; }
__global__ void move(point *p) {
  p[threadIdx.x].at.x += shift[1].y;
  p[threadIdx.x].n += std::uint32_t(3);
  constexpr int k = log2i(64);
  p[threadIdx.x].at.y = k;
}
// Functions as arguments of templates, which use built-ins, and a template that hands on.
using operation = float (*)(float, float);
__device__ float lanes(float a, float b) { return a + b * (threadIdx.x % 4); }
__device__ float most(float a, float b) { return a > b ? a : b; }
template <operation F> __device__ float folded(float v, bool again) {
  __shared__ float row[16];
  row[threadIdx.x % 16] = v;
  __syncthreads();
  float r = row[0];
  for (int i = 1; i < 16; i++)
    r = F(r, row[i]);
  if (again)
    __syncthreads();
  return r;
}
template <operation F> __device__ float folded(float v) { return folded<F>(v, false); }
template <float (*F)(float, float)> __device__ float twice(float v) { return F(v, folded<F>(v)); }
__global__ void fold(float *x) {
  float v = x[threadIdx.x];
  x[threadIdx.x] = folded<lanes>(v) + 2 * folded<most>(v + 1) + twice<lanes>(v);
}
template <typename T, T (*F)(T, T)> __global__ void apply(T *x) { x[threadIdx.x] = F(x[threadIdx.x], x[0]); }
__device__ int counted(int *x, int *more) {
  if (more)
    *more += 1;
  return *x + (more ? *more : 0);
}
__global__ void count(int *x) {
  int k = 3;
  x[threadIdx.x] = counted(x + threadIdx.x, NULL) + counted(&k, nullptr) + counted(x + threadIdx.x, &k) +
                   counted(&k, x + threadIdx.x);
}
// An array of pointers as memory for something else.
__global__ void raw(float *x, int n) {
  extern __shared__ char *memory[];
  float *row = reinterpret_cast<float *>(memory) + 4;
  row[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = row[threadIdx.x / 2] + n;
}
__global__ void mixed(float *x) {
  float v = folded<most>(x[threadIdx.x], true);
  x[threadIdx.x] = v + folded<lanes>(v);
}
// Kernel templates of one name.
template <typename T> __global__ void fill(T *x) { x[threadIdx.x] = T(1); }
template <typename T> __global__ void fill(T *x, int n) { x[threadIdx.x] = T(n); }
template <typename T, int N> __global__ void fill(T *x, T v) { x[threadIdx.x] = v + N; }
template <typename T> __global__ void drop(T *x);
template <typename T> __global__ void drop(T *x, int n);
template <typename T> __global__ void drop(T *x, int n) { x[threadIdx.x] = T(n); }
template <typename T> __global__ void drop(T *x) { x[threadIdx.x] = T(1); }

// Constructors whose initializers use built-ins.
struct place {
  int at;
  __device__ place(int from) : at(from + threadIdx.x) {}
  __device__ place() : at(blockDim.x) {}
  __device__ operator int() const { return at; }
};
struct wider : place {
  int more;
  __device__ wider(int a, int b) : place(a), more(b) {}
};
__device__ int inside(int a) {
  place q = a;
  return q;
}
__global__ void make(int *x) {
  place p(3), q = 4, r = p, d;
  wider w(1, 2);
  const place z = 7 + x[0];
  x[threadIdx.x] = p + q * 2 + r + w.at + w.more + inside(5) + d + z;
}
void host(float *x, int *i) {
  turn<8><<<1, 8>>>(x);
  turn<16><<<1, 16>>>(x);
  rotate<float, 16><<<1, 16>>>(x, 2);
  rotate<int, 8><<<1, 8>>>(i, 3);
  keep<<<1, 16>>>(x);
  keepSized<<<1, 8>>>(i);
  scale<float><<<1, 16, 64>>>(x, 1);
  scale<int><<<1, 16>>>(i, 1);
  fold<<<1, 16>>>(x);
  apply<float, lanes><<<1, 16>>>(x);
  count<<<1, 16>>>(i);
  raw<<<1, 32, 512>>>(x, 1);
  mixed<<<1, 16>>>(x);
  fill<float><<<1, 16>>>(x);
  fill<int><<<1, 16>>>(i, 3);
  fill<float><<<1, 16>>>(x, 3);
  fill<float, 4><<<1, 16>>>(x, 2.0f);
  drop<float><<<1, 16>>>(x);
  drop<float><<<1, 16>>>(x, 3);
  drop<int><<<1, 16>>>(i, 3);
}
