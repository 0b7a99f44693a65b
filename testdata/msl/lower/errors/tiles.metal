#include <puremetal/cooperative>
using namespace puremetal;

kernel void branch(device uint *a [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  if (a[i / 64] == 1) {
    tiled_partition /* ERROR E2007 "a tile of 64 threads is used where threads of the threadgroup may have diverged" */<64>(this_thread_block()).sync();
  }
}
