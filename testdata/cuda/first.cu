#include <stdio.h>
#include <cuda_runtime.h>
#include <vector>
#define N 16
#define CHECK(x) do { cudaError_t e = (x); if (e) exit(1); } while (0)

class HostOnly : public std::vector<int> {
  std::string name;
  virtual void f() { throw 1; }
};

__constant__ float scale[2];

template <int TILE> __device__ float row(const float (*t)[TILE], float *v, int y) {
  float s = 0;
  for (int i = 0; i < TILE; i++) s += t[y][i] * v[i];
  return s;
}

__device__ float dot4(const float *a, const float *b) {
  float s = 0;
  for (int i = 0; i < 4; i++) s += a[i] * b[i];
  return s;
}

__global__ void saxpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  a = 3;
}

__global__ void dots(const float *x, float *out) {
  __shared__ float s[4];
  extern __shared__ float dyn[];
  float own[4] = {1, 2, 3, 4};
  s[threadIdx.x] = x[threadIdx.x];
  dyn[threadIdx.x] = 2 * x[threadIdx.x];
  __syncthreads();
  const float *p = s;
  out[threadIdx.x] = dot4(p, x) + dot4(own, s) + dot4(dyn, own) * scale[1];
}

template <typename T, int K> __global__ void fill(T *p, T v) { p[threadIdx.x] = v + K; }

int main(int argc, char **argv) {
  float *d;
  CHECK(cudaMalloc(&d, N * sizeof(float)));
  saxpy<<<1, N>>>(N, 2.0f, d, d);
  const int K = 3;
  fill<int, K><<<dim3(1), N, 0>>>((int *)d, 4);
  fill<float, 4><<<dim3(1), N, 0>>>(d, 4);
  std::vector<int> v{1, 2};
  printf("done\n");
  return 0;
}
