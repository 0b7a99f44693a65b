#include <metal_stdlib>
using namespace metal;

constant uint tile [[function_constant(0)]]; // threads per threadgroup, and bodies per tile

// kick accelerates each body by the gravity of all others for a time `dt`. A body is its position and, in w, its mass,
// in units with a gravitational constant of 1. `softening` keeps the force between close bodies finite. A threadgroup
// loads bodies into threadgroup memory one tile at a time, so that device memory is read once per threadgroup and not
// once per thread.
kernel void kick(device const float4 *bodies [[buffer(0)]],
                 device float4 *velocities [[buffer(1)]],
                 constant float &dt [[buffer(2)]],
                 constant float &softening [[buffer(3)]],
                 constant uint &count [[buffer(4)]],
                 threadgroup float4 *shared [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]],
                 uint lane [[thread_position_in_threadgroup]]) {
    float3 at = i < count ? bodies[i].xyz : float3(0);
    float3 pull = 0;
    for (uint first = 0; first < count; first += tile) {
        uint j = first + lane;
        shared[lane] = j < count ? bodies[j] : float4(0); // a body without mass exerts no force
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint k = 0; k < tile; k++) {
            float3 d = shared[k].xyz - at;
            float r = rsqrt(dot(d, d) + softening * softening);
            pull += shared[k].w * r * r * r * d;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (i < count) {
        velocities[i].xyz += dt * pull;
    }
}

// drift moves each body at its velocity for a time `dt`.
kernel void drift(device float4 *bodies [[buffer(0)]],
                  device const float4 *velocities [[buffer(1)]],
                  constant float &dt [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
    bodies[i].xyz += dt * velocities[i].xyz;
}
