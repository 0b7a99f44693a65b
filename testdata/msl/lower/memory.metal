#include <metal_stdlib>
using namespace metal;

struct Pair { float2 a; packed_float3 b; };

constant int table[3] = {1, 2, 3};
constant bool big [[function_constant(4)]];

kernel void memory(device Pair *p [[buffer(0)]], texture2d<float, access::read_write> t [[texture(0)]],
                   threadgroup float *scratch [[threadgroup(0)]], uint2 g [[thread_position_in_grid]], ushort l [[thread_index_in_simdgroup]])
    [[max_total_threads_per_threadgroup(64)]] {
    threadgroup float tile[8][4];
    float local[4] = {1};
    local[g.x] = p[g.x].b.y;
    tile[g.y][1] = local[g.y] + table[g.x];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    scratch[l] = simd_sum(tile[l][1]);
    p[0].a.yx = float2(scratch[0], big ? 1 : 2);
    t.write(t.read(g) * 2, g);
}
