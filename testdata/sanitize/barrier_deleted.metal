// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void deleted_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[63 - t]; // FIND race
    out[i] = x;
}

kernel void deleted_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[63 - t];
    out[i] = x;
}

kernel void deleted_pair_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[t ^ 1]; // FIND race
    out[i] = x;
}

kernel void deleted_pair_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[t ^ 1];
    out[i] = x;
}

kernel void deleted_four_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[t ^ 3]; // FIND race
    out[i] = x;
}

kernel void deleted_four_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[t ^ 3];
    out[i] = x;
}

kernel void deleted_half_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                    uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[t ^ 16]; // FIND race
    out[i] = x;
}

kernel void deleted_half_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                    uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[t ^ 16];
    out[i] = x;
}

kernel void deleted_other_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[t ^ 32]; // FIND race
    out[i] = x;
}

kernel void deleted_other_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[t ^ 32];
    out[i] = x;
}

kernel void deleted_next_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[(t + 1) % 64]; // FIND race
    out[i] = x;
}

kernel void deleted_next_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[(t + 1) % 64];
    out[i] = x;
}

kernel void deleted_far_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[(t + 33) % 64]; // FIND race
    out[i] = x;
}

kernel void deleted_far_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[(t + 33) % 64];
    out[i] = x;
}

kernel void deleted_times_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[(t * 5) % 64]; // FIND race
    out[i] = x;
}

kernel void deleted_times_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[(t * 5) % 64];
    out[i] = x;
}

kernel void deleted_transposed_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[(t % 8) * 8 + t / 8]; // FIND race
    out[i] = x;
}

kernel void deleted_transposed_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[(t % 8) * 8 + t / 8];
    out[i] = x;
}

kernel void deleted_gathered_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[in[t] % 64]; // FIND race
    out[i] = x;
}

kernel void deleted_gathered_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[in[t] % 64];
    out[i] = x;
}

kernel void deleted_first_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[0]; // FIND race
    out[i] = x;
}

kernel void deleted_first_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[0];
    out[i] = x;
}

kernel void deleted_last_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    uint x = s[63]; // FIND race
    out[i] = x;
}

kernel void deleted_last_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = s[63];
    out[i] = x;
}

kernel void device_memory_deleted_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                               uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    uint x = out[g * 64 + (63 - t)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_deleted_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                               uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + (63 - t)];
    out[256 + i] = x;
}

kernel void device_memory_deleted_pair_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    uint x = out[g * 64 + (t ^ 1)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_deleted_pair_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + (t ^ 1)];
    out[256 + i] = x;
}

kernel void device_memory_deleted_other_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                                   uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    uint x = out[g * 64 + (t ^ 32)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_deleted_other_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                                   uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + (t ^ 32)];
    out[256 + i] = x;
}

kernel void device_memory_deleted_next_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    uint x = out[g * 64 + ((t + 1) % 64)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_deleted_next_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + ((t + 1) % 64)];
    out[256 + i] = x;
}

kernel void simd_deleted_pair_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                    uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    out[i] = s[t ^ 1]; // FIND race
}

kernel void simd_deleted_pair_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                    uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 1];
}

kernel void simd_deleted_eight_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    out[i] = s[t ^ 8]; // FIND race
}

kernel void simd_deleted_eight_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 8];
}

kernel void simd_deleted_quad_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                    uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    out[i] = s[t / 4 * 4]; // FIND race
}

kernel void simd_deleted_quad_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                    uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                    uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t / 4 * 4];
}
