// Address spaces, classes, templates and structures.
#include <cuda_runtime.h>

struct Pair { float a; int b; };

struct View {
  float *data;
  int n;
  __host__ __device__ View(float *d, int n_) : data(d), n(n_) {}
  __device__ float &operator[](int i) { return data[i]; }
  __device__ float at(int i) const { return i < n ? data[i] : -1.0f; }
  void host_only() { printf("never"); }
};

class Counter {
public:
  int n;
  __device__ void add(int k) { n += k; }
  __device__ int get() const { return n; }
};

// The same function with pointers into all memories, and two at once.
__device__ float mul(const float *a, const float *b) { return *a * *b; }

__device__ void swap_in(float &a, float &b) { float t = a; a = b; b = t; }

template <typename T> __device__ T *advance(T *p, int n) { return p + n; }

__device__ float first(const float *p, int n) { return p[0] + n; }
__device__ int first(const int *p, int n) { return p[0] * n; }
template <class T> __device__ T first(const T *p, T n) { return -1; }

__global__ void spaces(float *out, const float *in) {
  __shared__ float s[8];
  __shared__ Counter c;
  float own[2] = {3, 4};
  if (threadIdx.x == 0) {
    s[0] = 10; s[1] = 20; s[2] = 30;
    c.n = 1;
    c.add(4);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  out[0] = mul(own, s + 1) + mul(in, &own[1]) + mul(in, s);
  swap_in(s[0], s[1]);
  swap_in(own[0], out[0]);
  out[1] = s[0] + own[0];
  out[2] = *advance(s, 2) + *advance(in, 1) + *advance(own, 1);
  const float *p;
  p = s;
  out[3] = p[2];
  float *q = nullptr;
  if (in[0] > 0) q = out + 4;
  *q = 7;
  out[5] = c.get();
  Counter local;
  local.n = 2;
  local.add(5);
  out[6] = local.get();
  int ints[1] = {6};
  out[7] = first(s, 1) + first(ints, 2);
}

__global__ void view(View v, float *out, Pair p) {
  int i = threadIdx.x;
  v[i] += p.a;
  p.b++;
  out[i] = v.at(i) + p.b + v.at(100);
  View w(out, 4);
  w[i] *= 2;
}

// Memory of the block in a device function and in a template.
__device__ int block_max(int v) {
  __shared__ int all[64];
  all[threadIdx.x] = v;
  __syncthreads();
  int m = all[0];
  for (int i = 1; i < blockDim.x; i++) m = max(m, all[i]);
  __syncthreads();
  return m;
}

template <int N> __device__ int nth(int v) {
  static __shared__ int kept[N][2];
  kept[threadIdx.x % N][threadIdx.x / N] = v;
  __syncthreads();
  return kept[N - 1][1];
}

__global__ void blocks(int *out, const int *in) {
  int v = in[threadIdx.x];
  out[threadIdx.x] = block_max(v) * 1000 + block_max(-v) + nth<4>(v) * 100000;
}

// Dynamic memory with two views.
extern __shared__ int words[];

__global__ void views(float *out) {
  extern __shared__ float floats[];
  words[threadIdx.x] = 0x3f800000 + (threadIdx.x << 23);
  __syncthreads();
  out[threadIdx.x] = floats[blockDim.x - 1 - threadIdx.x];
}

__constant__ float table[3] = {1.5f, 2.5f, 3.5f};
__device__ const int primes[] = {2, 3, 5};
__device__ int counter;
constexpr int kTwo = 2;
static const float kHalf = 0.5f;
enum Mode { kOff, kOn = 5 };

__device__ void count() { atomicAdd(&counter, kOn); }

__global__ void globals(float *out) {
  count();
  if (threadIdx.x == 0) out[0] = table[1] + primes[kTwo] + kHalf;
}

// Operators of the program's own on vectors, lambdas and functors.
__device__ float2 operator+(const float2 &a, const float2 &b) { return make_float2(a.x + b.x, a.y + b.y); }
__device__ void operator+=(float3 &a, float3 b) { a.x += b.x; a.y += b.y; a.z += b.z; }
__device__ float dot(float2 a, float2 b) { return a.x * b.x + a.y * b.y; }
__device__ float clamp(float x, float a, float b) { return fmaxf(a, fminf(x, b)) + 100; }

struct Twice { __device__ float operator()(float x) const { return 2 * x; } };

template <class F> __device__ float apply(F f, float x) { return f(x); }

__global__ void own(float2 *a, float3 *b, float *out) {
  int i = threadIdx.x;
  a[i] = a[i] + make_float2(1, 2);
  b[i] += make_float3(1, 2, 3);
  float k = 5;
  auto f = [=] __device__(float x) { return x * k; };
  out[i] = dot(a[i], a[i]) + apply(Twice(), 1) + apply(f, 2) + clamp(2, 0, 1);
}

__global__ void layout(int *out) {
  struct S { char c; float3 f; uchar3 u; };
  out[0] = sizeof(float3); out[1] = sizeof(uchar3); out[2] = sizeof(int4); out[3] = alignof(float2);
  out[4] = sizeof(short3); out[5] = alignof(float4); out[6] = sizeof(ulonglong2); out[7] = alignof(long3); out[8] = sizeof(S);
}
