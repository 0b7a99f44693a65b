#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

namespace opencl {
using namespace metal;
inline size_t get_global_id(uint d, uint3 thread_position_in_grid) { return d < 3 ? thread_position_in_grid[d] : 0; }
inline size_t get_group_id(uint d, uint3 threadgroup_position_in_grid) { return d < 3 ? threadgroup_position_in_grid[d] : 0; }
inline size_t get_local_id(uint d, uint3 thread_position_in_threadgroup) { return d < 3 ? thread_position_in_threadgroup[d] : 0; }
inline size_t get_local_size(uint d, uint3 threads_per_threadgroup) { return d < 3 ? threads_per_threadgroup[d] : 1; }
inline void barrier(uint flags) {
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device | mem_flags::mem_texture);
}
using metal::sqrt;
}
using opencl::barrier;
using opencl::get_global_id;
using opencl::get_group_id;
using opencl::get_local_id;
using opencl::get_local_size;
using opencl::sqrt;
using metal::float4;
using metal::uint3;
#define CLK_LOCAL_MEM_FENCE 1

// What an OpenCL program of a few lines needs: address spaces, values, a vector literal, a barrier.
#define LANES 4

kernel void add(device const float4 *a [[buffer(0)]], device const float4 *b [[buffer(1)]], device float4 *c [[buffer(2)]], constant int &n [[buffer(3)]], uint3 thread_position_in_grid [[thread_position_in_grid]]) {
  int i = get_global_id(0, thread_position_in_grid);
  if (i < n) {
    c[i] = a[i] + b[i] * float4(1, 2, 3, LANES);
  }
}

kernel void sum(device const float *x [[buffer(0)]], device float *out [[buffer(1)]], threadgroup float *s [[threadgroup(0)]], uint3 thread_position_in_grid [[thread_position_in_grid]], uint3 thread_position_in_threadgroup [[thread_position_in_threadgroup]], uint3 threadgroup_position_in_grid [[threadgroup_position_in_grid]], uint3 threads_per_threadgroup [[threads_per_threadgroup]]) {
  int l = get_local_id(0, thread_position_in_threadgroup);
  s[l] = sqrt(x[get_global_id(0, thread_position_in_grid)]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int o = get_local_size(0, threads_per_threadgroup) / 2; o > 0; o >>= 1) {
    if (l < o)
      s[l] += s[l + o];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (l == 0)
    out[get_group_id(0, threadgroup_position_in_grid)] = s[0];
}

float second(thread float *p) { return p[1]; }

// A name that Metal reserves, and a parameter that the kernel changes.
kernel void thread_(device float *x [[buffer(0)]], constant float &v_in [[buffer(1)]]) { float v = v_in;
  float y[3] = {0, v, 0};
  v += second(y);
  x[0] = v;
}
