// Copies of structures. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

struct pair {
    uint a, b, c;
};

kernel void zero_after_copy_wrong(device const pair *in [[buffer(0)]], device uint *out [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup pair s[64];
    s[t] = in[t]; // FIND race
    s[t ^ 1].a = 0; // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t].a;
}

kernel void zero_after_copy_right(device const pair *in [[buffer(0)]], device uint *out [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup pair s[64];
    s[t] = in[t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s[t ^ 1].a = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t].a;
}
