#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

namespace cuda {
using namespace metal;
inline void __syncthreads() { threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device); }
}
using cuda::__syncthreads;

// A tiled matrix product, and a sum of a block.
// #include <cuda_runtime.h>
// #include <stdio.h>

#define TILE 8

// The sum of a row and a column of two tiles.
float dot_tile(threadgroup const float *row, threadgroup const float *column, int x) {
  float sum = 0.0f;
  for (int k = 0; k < TILE; k++)
    sum += row[k] * column[k * TILE + x]; // both are in shared memory
  return sum;
}

[[max_total_threads_per_threadgroup(64)]] kernel void matmul(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]], constant int &n [[buffer(3)]], const constant float (&scale)[2] [[buffer(4)]], metal::uint3 threadIdx [[thread_position_in_threadgroup]], metal::uint3 blockIdx [[threadgroup_position_in_grid]]) {
  threadgroup float as[TILE][TILE], bs[TILE][TILE];
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

template <typename T, int N> kernel void total(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], threadgroup T *part [[threadgroup(0)]], metal::uint3 threadIdx [[thread_position_in_threadgroup]], metal::uint3 blockDim [[threads_per_threadgroup]]) {
  part[threadIdx.x] = in[threadIdx.x] * N;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int i = 0; i < blockDim.x; i++) out[0] += part[i];
}

template [[host_name("total_float_4")]] kernel decltype(total<float, 4>) total<float, 4>;
