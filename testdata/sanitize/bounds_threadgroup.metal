// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void one_more_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t + 1] = 5; // FIND bounds
    out[i] = i;
}

kernel void one_more_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = 5;
    out[i] = i;
}

kernel void short_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[63];
    s[t] = 5; // FIND bounds
    out[i] = i;
}

kernel void short_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[63];
    s[min(t, 62u)] = 5;
    out[i] = i;
}

kernel void twice_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[2 * t] = 5; // FIND bounds
    out[i] = i;
}

kernel void twice_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = 5;
    out[i] = i;
}

kernel void minus_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[int(t) - 1] = 5; // FIND bounds
    out[i] = i;
}

kernel void minus_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = 5;
    out[i] = i;
}

kernel void row_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[8][8];
    s[t / 8 + 1][t % 8] = 5; // FIND bounds
    out[i] = i;
}

kernel void row_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[8][8];
    s[t / 8][t % 8] = 5;
    out[i] = i;
}

kernel void thread_array_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    uint a[4];
    for (uint k = 0; k < 4; k++)
        a[k] = k + i;
    out[i] = a[i & 4]; // FIND bounds
}

kernel void thread_array_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    uint a[4];
    for (uint k = 0; k < 4; k++)
        a[k] = k + i;
    out[i] = a[i & 3];
}

kernel void thread_end_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[8];
    for (uint k = 0; k < 8; k++)
        a[k] = k + i;
    out[i] = a[t % 9]; // FIND bounds
}

kernel void thread_end_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[8];
    for (uint k = 0; k < 8; k++)
        a[k] = k + i;
    out[i] = a[t % 8];
}

kernel void loop_write_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[4];
    for (uint k = 0; k <= 4; k++)
        a[k] = i; // FIND bounds
    out[i] = a[1];
}

kernel void loop_write_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[4];
    for (uint k = 0; k < 4; k++)
        a[k] = i;
    out[i] = a[1];
}

kernel void constant_table_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    constexpr uint table[4] = {2, 3, 5, 7};
    out[i] = table[i % 5]; // FIND bounds
}

kernel void constant_table_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    constexpr uint table[4] = {2, 3, 5, 7};
    out[i] = table[i % 4];
}
