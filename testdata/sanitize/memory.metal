// See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

struct padded {
    uchar a;
    uint b;
};

// buffers 400
kernel void after_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = i; // FIND bounds
}

// buffers 400
kernel void after_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    if (i < 100)
        out[i] = i;
}

kernel void before_wrong(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                         uint i [[thread_position_in_grid]]) {
    out[i] = in[int(i) - 1]; // FIND bounds
}

kernel void before_right(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                         uint i [[thread_position_in_grid]]) {
    out[i] = in[max(int(i) - 1, 0)];
}

kernel void threadgroup_end_wrong(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
                                  uint i [[thread_position_in_grid]]) {
    threadgroup uint s[64];
    s[t + 1] = i; // FIND bounds
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t > 0)
        out[i] = s[t];
}

kernel void local_array_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint a[4] = {1, 2, 3, 4};
    out[i] = a[i & 7]; // FIND bounds
}

kernel void local_array_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint a[4] = {1, 2, 3, 4};
    out[i] = a[i & 3];
}

kernel void local_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint x;
    if (i & 1)
        x = 5;
    out[i] = x; // FIND uninitialised
}

kernel void local_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint x;
    if (i & 1)
        x = 5;
    else
        x = 6;
    out[i] = x;
}

kernel void part_of_array_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint a[4];
    for (uint k = 0; k < 3; k++)
        a[k] = i;
    out[i] = a[3]; // FIND uninitialised
}

kernel void components_right(device float4 *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    float4 v;
    v.x = 1;
    v.yz = float2(2);
    v.w = i;
    out[i] = v;
}

kernel void component_wrong(device float4 *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    float4 v;
    v.x = 1;
    v.yz = float2(2);
    out[i] = v; // FIND uninitialised
}

kernel void padding_right(device padded *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    padded p;
    p.a = 1;
    p.b = i;
    padded q = p;
    out[i] = q;
}

kernel void unfilled_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                           uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[65];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t + 1]; // FIND uninitialised
}

kernel void misaligned_wrong(device uchar *in [[buffer(0)]], device uint *out [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
    out[i] = *(device uint *)(in + 4 * i + 1); // FIND misaligned
}

kernel void packed_right(device packed_float3 *in [[buffer(0)]], device float *out [[buffer(1)]],
                         uint i [[thread_position_in_grid]]) {
    out[i] = in[i].y;
}

kernel void branch_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                         uint t [[thread_index_in_threadgroup]]) {
    if (t < 10)
        threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = t;
}

kernel void early_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    if (i >= 100)
        return;
    threadgroup_barrier(mem_flags::mem_none); // FIND divergence
    out[i] = i;
}

kernel void early_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    threadgroup_barrier(mem_flags::mem_none);
    if (i >= 100)
        return;
    out[i] = i;
}

kernel void shuffle_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint x = i;
    if (i & 1)
        x = simd_shuffle_xor(x, 1); // FIND simd
    out[i] = x;
}

kernel void shuffle_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    uint x = simd_shuffle_xor(i, 1);
    if (i & 1)
        out[i] = x;
}

kernel void shuffle_up_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = simd_shuffle_up(i, 1);
}

kernel void active_sum_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    if (i & 1)
        out[i] = simd_sum(i);
}
