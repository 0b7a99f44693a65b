// A matrix product with tiles in shared memory, as CUDA's own samples have it, with the program that
// launches it. nvcc compiles this file as it is.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                   \
  do {                                                                \
    cudaError_t e = (call);                                           \
    if (e != cudaSuccess) {                                           \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(e));      \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

// The product of a row of one tile with a column of another.
template <int TILE>
__device__ float dot(const float (*a)[TILE], const float (*b)[TILE], int row, int column) {
  float sum = 0;
#pragma unroll
  for (int i = 0; i < TILE; i++) sum += a[row][i] * b[i][column];
  return sum;
}

// c = a b, where a has m rows of k numbers and b has k rows of n numbers.
template <int TILE>
__global__ void matmul(float *c, const float *a, const float *b, int m, int n, int k) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  int x = threadIdx.x, y = threadIdx.y;
  int row = blockIdx.y * TILE + y, column = blockIdx.x * TILE + x;
  float sum = 0;
  for (int t = 0; t < k; t += TILE) {
    as[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0.0f;
    bs[y][x] = t + y < k && column < n ? b[(t + y) * n + column] : 0.0f;
    __syncthreads();
    sum += dot<TILE>(as, bs, y, x);
    __syncthreads();  // before the next tiles overwrite these
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main() {
  const int m = 100, n = 70, k = 50;
  std::vector<float> a(m * k, 1.0f), b(k * n, 2.0f), c(m * n);
  float *da, *db, *dc;
  CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
  CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
  CHECK(cudaMalloc(&dc, c.size() * sizeof(float)));
  CHECK(cudaMemcpy(da, a.data(), a.size() * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(db, b.data(), b.size() * sizeof(float), cudaMemcpyHostToDevice));
  dim3 threads(16, 16), blocks((n + 15) / 16, (m + 15) / 16);
  matmul<16><<<blocks, threads>>>(dc, da, db, m, n, k);
  CHECK(cudaMemcpy(c.data(), dc, c.size() * sizeof(float), cudaMemcpyDeviceToHost));
  printf("%g\n", c[0]);
  cudaFree(da);
  cudaFree(db);
  cudaFree(dc);
}
