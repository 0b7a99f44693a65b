// Instances of templates that launches select, host code in every form, methods outside classes.
#include <vector>
#include "missing.h"
using namespace std;
using std::vector;

namespace app {
class Timer { cudaEvent_t start_; public: Timer() : start_{} { cudaEventCreate(&start_); } ~Timer(); virtual void go() = 0; };
typedef struct { float v; int w; } Item;
struct Ring {
  int at, size;
  __device__ int next();
  __device__ int peek() const;
  static __host__ int count(const std::vector<int> &v) { return v.size(); }
};
__device__ int Ring::next() { at = (at + 1) % size; return at; }
__device__ int Ring::peek() const { return at; }

template <typename T, int N = 2> __global__ void scale(T *x, T by) { x[threadIdx.x] *= by * N; }
template <typename T> __global__ void fill(Item *items, T v, int n) {
  if (threadIdx.x < n) { items[threadIdx.x].v = v; items[threadIdx.x].w = sizeof(T); }
}
__global__ void rings(Ring *r, int *out) { r->next(); Ring own = *r; own.next(); out[0] = r->peek() * 10 + own.peek(); }

template <typename T> void run(T *p) {
  const int twice = 4;
  scale<T, twice><<<1, 2>>>(p, (T)3);
}
}

__constant__ float gains[2] = {1, 1};
__global__ void gain(float *x) { x[threadIdx.x] *= gains[threadIdx.x]; }

static std::map<std::string, int> table = {{"a", 1}};
template <class F> auto host_only(F f) -> decltype(f()) { try { return f(); } catch (...) { throw; } }
ostream &operator<<(ostream &o, const app::Item &i) { return o << i.v; }

int main() {
  float *d_f, *d_g; int *d_i; app::Item *items;
  app::run<int>(d_i);
  app::scale<<<1, 2>>>(d_g, 2.0f);
  app::fill<<<dim3(1, 1), 4>>>(items, 1.5f, 4);
  app::fill<short><<<1, 4>>>(items, 2, 4);
  float g[2] = {2, 3};
  cudaMemcpyToSymbol(gains, g, sizeof(g));
  gain<<<1, 2>>>(d_f);
  auto l = [&](int i) { return i; };
}
