// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void second_barrier_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    uint sum = 0;
    for (uint k = 0; k < 3; k++) {
        s[t] = i * 3 + k; // FIND race
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum += s[63 - t];
    }
    out[i] = sum;
}

kernel void second_barrier_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    uint sum = 0;
    for (uint k = 0; k < 3; k++) {
        s[t] = i * 3 + k;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum += s[63 - t];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[i] = sum;
}

kernel void second_barrier_next_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    uint sum = 0;
    for (uint k = 0; k < 3; k++) {
        s[t] = i * 3 + k; // FIND race
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum ^= s[(t + 1) % 64];
    }
    out[i] = sum;
}

kernel void second_barrier_next_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    uint sum = 0;
    for (uint k = 0; k < 3; k++) {
        s[t] = i * 3 + k;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum ^= s[(t + 1) % 64];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[i] = sum;
}

kernel void second_barrier_pair_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    uint sum = 0;
    for (uint k = 0; k < 3; k++) {
        s[t] = i * 3 + k; // FIND race
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum += s[t ^ 1];
    }
    out[i] = sum;
}

kernel void second_barrier_pair_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    uint sum = 0;
    for (uint k = 0; k < 3; k++) {
        s[t] = i * 3 + k;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sum += s[t ^ 1];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[i] = sum;
}

kernel void swap_in_place_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s[t] = s[63 - t] + 1; // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t];
}

kernel void swap_in_place_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[63 - t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s[t] = x + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t];
}

kernel void stencil_in_place_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[66];
    s[t + 1] = i + 1;
    if (t < 2)
        s[t * 65] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s[t + 1] = s[t] + s[t + 2]; // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t + 1];
}

kernel void stencil_in_place_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[66];
    s[t + 1] = i + 1;
    if (t < 2)
        s[t * 65] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[t] + s[t + 2];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s[t + 1] = x;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t + 1];
}

kernel void stencil_edge_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[66];
    s[t + 1] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 2)
        s[t * 65] = 0; // FIND race
    out[i] = s[t] + s[t + 2]; // FIND race
}

kernel void stencil_edge_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[66];
    s[t + 1] = i + 1;
    if (t < 2)
        s[t * 65] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t] + s[t + 2];
}
