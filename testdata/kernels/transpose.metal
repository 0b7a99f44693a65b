// Transposes a matrix through tiles of 32 by 32: threadgroups 32 wide, of any height up to 32.
#include <metal_stdlib>
using namespace metal;

kernel void transpose(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], constant uint2 &size [[buffer(2)]],
                      uint2 tile [[threadgroup_position_in_grid]], uint2 at [[thread_position_in_threadgroup]], uint2 threads [[threads_per_threadgroup]])
{
    threadgroup float cells[32][33]; // a column more, for the banks
    for (uint y = at.y; y < 32; y += threads.y) {
        uint2 p = tile * 32 + uint2(at.x, y);
        if (all(p < size))
            cells[y][at.x] = in[p.y * size.x + p.x];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint y = at.y; y < 32; y += threads.y) {
        uint2 p = tile.yx * 32 + uint2(at.x, y);
        if (all(p < size.yx))
            out[p.y * size.y + p.x] = cells[at.x][y];
    }
}
