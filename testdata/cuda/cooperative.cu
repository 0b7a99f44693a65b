// Cooperative groups by CUDA's names.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

template <unsigned N> __device__ int tile_sum(const cg::thread_block_tile<N> &tile, int v) {
  for (int i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);
  return tile.shfl(v, 0);
}

__global__ void groups(int *out, const int *in) {
  namespace local = cooperative_groups;
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<8> tile = local::tiled_partition<8>(block);
  int v = in[block.thread_rank()];
  block.sync();
  int *o = out + 4 * threadIdx.x;
  o[0] = tile_sum(tile, v);
  o[1] = cg::reduce(tile, v, cg::greater<int>());
  o[2] = tile.meta_group_rank() * 100 + tile.thread_rank();
  o[3] = block.size();
}
