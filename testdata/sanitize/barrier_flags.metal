// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void device_flag_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = s[63 - t]; // FIND race
}

kernel void device_flag_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[63 - t];
}

kernel void device_flag_pair_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = s[t ^ 1]; // FIND race
}

kernel void device_flag_pair_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 1];
}

kernel void device_flag_four_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = s[t ^ 3]; // FIND race
}

kernel void device_flag_four_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 3];
}

kernel void device_flag_half_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = s[t ^ 16]; // FIND race
}

kernel void device_flag_half_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                        uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 16];
}

kernel void device_flag_transposed_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                         uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = s[(t % 8) * 8 + t / 8]; // FIND race
}

kernel void device_flag_transposed_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                         uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t % 8) * 8 + t / 8];
}

kernel void no_flag_other_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = s[t ^ 32]; // FIND race
}

kernel void no_flag_other_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 32];
}

kernel void no_flag_next_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_none);
    out[i] = s[(t + 1) % 64]; // FIND race
}

kernel void no_flag_next_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t + 1) % 64];
}

kernel void simd_only_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[63 - t]; // FIND race
}

kernel void simd_only_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[63 - t];
}

kernel void simd_only_other_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 32]; // FIND race
}

kernel void simd_only_other_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 32];
}

kernel void simd_only_far_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t + 33) % 64]; // FIND race
}

kernel void simd_only_far_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t + 33) % 64];
}

kernel void simd_only_times_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t * 5) % 64]; // FIND race
}

kernel void simd_only_times_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t * 5) % 64];
}

kernel void simd_only_transposed_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t % 8) * 8 + t / 8]; // FIND race
}

kernel void simd_only_transposed_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[(t % 8) * 8 + t / 8];
}

kernel void device_memory_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = out[g * 64 + (63 - t)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + (63 - t)];
    out[256 + i] = x;
}

kernel void device_memory_pair_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = out[g * 64 + (t ^ 1)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_pair_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + (t ^ 1)];
    out[256 + i] = x;
}

kernel void device_memory_other_simd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                           uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = out[g * 64 + (t ^ 32)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_other_simd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                           uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + (t ^ 32)];
    out[256 + i] = x;
}

kernel void device_memory_next_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint x = out[g * 64 + ((t + 1) % 64)]; // FIND race
    out[256 + i] = x;
}

kernel void device_memory_next_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    uint x = out[g * 64 + ((t + 1) % 64)];
    out[256 + i] = x;
}
