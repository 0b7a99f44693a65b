// A step of bodies that attract each other: tiles of them in threadgroup memory.
#include <metal_stdlib>
using namespace metal;

struct Motion {
    uint count;
    float step, softening;
};

kernel void nbody(device const float4 *bodies [[buffer(0)]], device float4 *moved [[buffer(1)]], device packed_float3 *velocities [[buffer(2)]],
                  constant Motion &m [[buffer(3)]], threadgroup float4 *tile [[threadgroup(0)]], uint i [[thread_position_in_grid]],
                  uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]])
{
    const float4 me = i < m.count ? bodies[i] : float4(0);
    float3 pull = 0;
    for (uint start = 0; start < m.count; start += threads) {
        tile[tid] = start + tid < m.count ? bodies[start + tid] : float4(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint j = 0; j < threads; j++) {
            float3 to = tile[j].xyz - me.xyz;
            float inverse = rsqrt(length_squared(to) + m.softening);
            pull += to * (tile[j].w * inverse * inverse * inverse);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (i >= m.count)
        return;
    float3 velocity = float3(velocities[i]) + pull * m.step;
    velocities[i] = velocity;
    moved[i] = float4(me.xyz + velocity * m.step, me.w);
}
