// Lambdas that use what only kernels get, without capturing it.
template <class F> __device__ int each(F f, int n) { int r = 0; for (int i = 0; i < n; i++) r += f(i); return r; }
__device__ int deep(int v) { return v + blockIdx.x + threadIdx.x; }
__constant__ int add[2];
__device__ int count;
__global__ void k(int *x) {
  __shared__ int s[32];
  s[threadIdx.x % 32] = 3;
  int q = 2;
  auto a = [] __device__ (int v) { return v + (int)threadIdx.x; };
  auto b = [q] (int v) { return v * q + deep(v) + add[1]; };
  auto c = [=] (int v) { return v * q + deep(v) + s[1] + add[0]; };
  auto d = [&x, q] (int v) { return x[v] * q + s[v % 32] + count; };
  auto e = [] (int v) { auto in = [v] (int w) { return v * w + (int)blockDim.x; }; return in(2); };
  x[threadIdx.x] = each(a, 3) + each(b, 2) + each(c, 3) + each(d, 4) + e(1) + a(2);
}
__device__ int inner(int v) {
  __shared__ int row[32];
  row[threadIdx.x % 32] = v;
  __syncthreads();
  auto f = [v] __device__ (int i) { return row[i % 32] + v + (int)blockDim.x + count; };
  return each(f, 5);
}
__global__ void k2(int *x) { x[threadIdx.x] = inner(x[0]); }
// Pointers to texts, which are no null pointers.
__device__ int lettersAt(int i) { const char *p = "ab"; return p[i]; }
__device__ int letters2(int i) { const char *p = "ab", *q = nullptr; q = p + 1; return p[i] + q[0]; }
__device__ int letters3(int i) { const char *q = nullptr; q = "abc"; return q[i]; }
__device__ int letters4() { const char *q = "abc"; return *q; }
__global__ void letters(int *x) { x[threadIdx.x] = lettersAt(threadIdx.x & 1)  + letters2(threadIdx.x & 1) + letters3(1) + letters4(); }

// A branch that no instance has, and operators of which one uses built-ins.
template <int N, typename T> __device__ void load(const T *from, T *to) {
  constexpr int bytes = N * sizeof(T);
  if constexpr (bytes == 1) {
    *reinterpret_cast<char *>(to) = *reinterpret_cast<const char *>(from);
  } else if constexpr (bytes == 8) {
    *reinterpret_cast<int2 *>(to) = *(reinterpret_cast<const int2 *>(from));
  } else {
    for (int i = 0; i < N; i++)
      to[i] = from[i];
  }
}
struct span { float x; };
__device__ float self() { return threadIdx.x; }
template <class T> struct lanes { T v; __device__ lanes<T> &operator+=(T by) { v += by; return *this; } };
template <class T> __device__ lanes<T> operator*(const lanes<T> &a, const T &b) { return {a.v * b}; }
__device__ span operator-(span a, float b) { return {a.x - b}; }
__global__ void branches(float *x, int *y) {
  int two[2];
  float three[3];
  load<2>(y, two);
  load<3>(x, three);
  lanes<float> l = {three[1]};
  l += 2;
  span s = {self()};
  x[threadIdx.x] = (l * three[2]).v + two[1] + (s - 1).x;
}

// Copies as the compiler makes them.
template <typename T> class trio {
  T at[3];

public:
  __device__ trio() = default;
  __device__ trio(T x, T y, T z) : at{x, y, z} {}
  trio(const trio &other) = default;
  trio &operator=(const trio &other) = default;
  trio(trio &&other) noexcept = default;
  trio &operator=(trio &&other) noexcept = default;
  __device__ T sum() const { return at[0] + at[1] + at[2]; }
};
__global__ void copies(trio<float> *v, float *x) {
  __shared__ trio<float> kept;
  trio<float> a(1, 2, x[threadIdx.x]), b = a, c;
  c = b;
  v[threadIdx.x] = c;
  if (threadIdx.x == 0)
    kept = v[0];
  __syncthreads();
  b = kept;
  x[threadIdx.x] = b.sum() + c.sum() + kept.sum();
}
