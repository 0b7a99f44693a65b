// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void next_group_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = out[(i + 64) % 128]; // FIND race
}

kernel void next_group_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = in[(i + 64) % 128];
}

kernel void own_mirror_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = out[127 - i]; // FIND race
}

kernel void own_mirror_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = in[127 - i];
}

kernel void shifted_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = out[i + 1]; // FIND race
}

kernel void shifted_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = in[i + 1];
}

kernel void strided_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = out[(i * 2) % 128]; // FIND race
}

kernel void strided_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    out[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = in[(i * 2) % 128];
}

kernel void same_slot_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[t] = i; // FIND race
}

kernel void same_slot_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

kernel void group_slot_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t == 0)
        out[0] = g + 1; // FIND race
}

kernel void group_slot_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    if (t == 0)
        out[g] = g + 1;
}

kernel void overlap_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
    out[i + 64] = 2 * i; // FIND race
}

kernel void overlap_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
    out[i + 128] = 2 * i;
}

kernel void half_words_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    ((device ushort *)out)[i] = 7 + i;
    out[g * 16 + t / 4] = i; // FIND race
}

kernel void half_words_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    ((device ushort *)out)[i] = 7 + i;
    out[256 + i] = i;
}
