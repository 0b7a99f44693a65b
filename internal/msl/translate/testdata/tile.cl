/* A matrix product by tiles, as programs write it: macros for the types and the spaces, a helper that
 * asks for its place, a header, and a limit that is given from outside. */
#pragma OPENCL EXTENSION cl_khr_byte_addressable_store : enable
#include "tile.h"

#ifndef TILE
#define TILE 8          // work-items along a side
#endif
#define AT(m, row, column, width) ((m)[(row) * (width) + (column)])

// where this work-item is within its tile
INLINE int2 place(void) { return (int2)(get_local_id(0), get_local_id(1)); }

static float product(LOCAL const REAL *a, LOCAL const REAL *b, int n) {
  float sum = 0;
  for (int i = 0; i < n; i++)  // along the row of a
    sum += AT(a, 0, i, 1) * AT(b, i, 0, TILE);
  return sum;
}

KERNEL __attribute__((reqd_work_group_size(TILE, 2, 1)))
void tile(GLOBAL const REAL *a, GLOBAL const REAL *b,
          GLOBAL REAL *restrict c,  // the result
          const int width,
          float scale)
{
  __local REAL rows[2 * TILE], columns[TILE * TILE];
  int2 at = place();
  rows[at.y * TILE + at.x] = AT(a, get_global_id(1), at.x, width);
  for (int i = at.y; i < TILE; i += 2)
    AT(columns, i, at.x, TILE) = AT(b, i, get_global_id(0), width);
  barrier(CLK_LOCAL_MEM_FENCE);
  scale *= 0.5f;
  AT(c, get_global_id(1), get_global_id(0), width) = scale * product(rows + at.y * TILE, columns + at.x, TILE);
}
