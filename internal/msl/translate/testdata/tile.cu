// A tiled matrix product, and a sum of a block.
#include <cuda_runtime.h>
#include <stdio.h>

#define TILE 8

__constant__ float scale[2];

// The sum of a row and a column of two tiles.
__device__ float dot_tile(const float *row, const float *column, int x) {
  float sum = 0.0f;
  for (int k = 0; k < TILE; k++)
    sum += row[k] * column[k * TILE + x]; // both are in shared memory
  return sum;
}

__global__ void __launch_bounds__(TILE * TILE) matmul(const float *a, const float *b, float *c, int n) {
  __shared__ float as[TILE][TILE], bs[TILE][TILE];
  int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
  float sum = 0.0f;
  for (int t = 0; t < n; t += TILE) {
    as[threadIdx.y][threadIdx.x] = a[y * n + t + threadIdx.x];
    bs[threadIdx.y][threadIdx.x] = b[(t + threadIdx.y) * n + x];
    __syncthreads();
    sum += dot_tile(as[threadIdx.y], bs[0], threadIdx.x);
    __syncthreads();
  }
  c[y * n + x] = sum * scale[1];
}

template <typename T, int N> __global__ void total(const T *in, T *out) {
  extern __shared__ T part[];
  part[threadIdx.x] = in[threadIdx.x] * N;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < blockDim.x; i++) out[0] += part[i];
}

int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 4096);
  matmul<<<dim3(2, 2), dim3(TILE, TILE)>>>(a, b, c, 16);
  total<float, 4><<<1, 16, 64>>>(a, c);
  printf("%d\n", cudaDeviceSynchronize());
}
