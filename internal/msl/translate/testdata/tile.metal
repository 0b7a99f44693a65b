#include <metal_stdlib>
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

namespace opencl {
using namespace metal;
inline size_t get_global_id(uint d, uint3 thread_position_in_grid) { return d < 3 ? thread_position_in_grid[d] : 0; }
inline size_t get_local_id(uint d, uint3 thread_position_in_threadgroup) { return d < 3 ? thread_position_in_threadgroup[d] : 0; }
inline void barrier(uint flags) {
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device | mem_flags::mem_texture);
}
}
using opencl::barrier;
using opencl::get_global_id;
using opencl::get_local_id;
using metal::int2;
using metal::uint3;
#define cl_khr_byte_addressable_store 1
#define CLK_LOCAL_MEM_FENCE 1

/* A matrix product by tiles, as programs write it: macros for the types and the spaces, a helper that
 * asks for its place, a header, and a limit that is given from outside. */
// #pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
// #include "tile.h"
#ifndef TILE_H
#define TILE_H
#define KERNEL kernel
#define GLOBAL device
#define LOCAL threadgroup
#define INLINE inline
typedef float REAL;
#endif
// end of tile.h

#ifndef TILE
#define TILE 8          // work-items along a side
#endif
#define AT(m, row, column, width) ((m)[(row) * (width) + (column)])

// where this work-item is within its tile
INLINE int2 place(uint3 thread_position_in_threadgroup) { return int2(get_local_id(0, thread_position_in_threadgroup), get_local_id(1, thread_position_in_threadgroup)); }

static float product(LOCAL const REAL *a, LOCAL const REAL *b, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)  // along the row of a
    sum += AT(a, 0, i, 1) * AT(b, i, 0, TILE);
  return sum;
}

[[max_total_threads_per_threadgroup(16)]] KERNEL
void tile(GLOBAL const REAL *a [[buffer(0)]], GLOBAL const REAL *b [[buffer(1)]],
          GLOBAL REAL *__restrict c [[buffer(2)]],  // the result
          constant const int &width [[buffer(3)]],
          constant float &scale_in [[buffer(4)]], uint3 thread_position_in_grid [[thread_position_in_grid]], uint3 thread_position_in_threadgroup [[thread_position_in_threadgroup]])
{ float scale = scale_in;
  threadgroup REAL rows[2 * TILE], columns[TILE * TILE];
  int2 at = place(thread_position_in_threadgroup);
  rows[at.y * TILE + at.x] = AT(a, get_global_id(1, thread_position_in_grid), at.x, width);
  for (int i = at.y; i < TILE; i += 2)
    AT(columns, i, at.x, TILE) = AT(b, i, get_global_id(0, thread_position_in_grid), width);
  barrier(CLK_LOCAL_MEM_FENCE);
  scale *= 0.5f;
  AT(c, get_global_id(1, thread_position_in_grid), get_global_id(0, thread_position_in_grid), width) = scale * product(rows + at.y * TILE, columns + at.x, TILE);
}
