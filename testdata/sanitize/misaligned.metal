// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void word_1_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device uint *)((device uchar *)in + 8 * i + 1)); // FIND misaligned
}

kernel void word_1_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device uint *)((device uchar *)in + 8 * i + 8));
}

kernel void write_word_1_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device uint *)((device uchar *)out + 8 * i + 1) = 1; // FIND misaligned
}

kernel void write_word_1_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device uint *)((device uchar *)out + 8 * i + 8) = 1;
}

kernel void word_2_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device uint *)((device uchar *)in + 8 * i + 2)); // FIND misaligned
}

kernel void word_2_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device uint *)((device uchar *)in + 8 * i + 8));
}

kernel void write_word_2_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device uint *)((device uchar *)out + 8 * i + 2) = 1; // FIND misaligned
}

kernel void write_word_2_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device uint *)((device uchar *)out + 8 * i + 8) = 1;
}

kernel void word_3_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device uint *)((device uchar *)in + 8 * i + 3)); // FIND misaligned
}

kernel void word_3_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device uint *)((device uchar *)in + 8 * i + 8));
}

kernel void write_word_3_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device uint *)((device uchar *)out + 8 * i + 3) = 1; // FIND misaligned
}

kernel void write_word_3_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device uint *)((device uchar *)out + 8 * i + 8) = 1;
}

kernel void half_word_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device ushort *)((device uchar *)in + 8 * i + 1)); // FIND misaligned
}

kernel void half_word_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device ushort *)((device uchar *)in + 8 * i + 8));
}

kernel void write_half_word_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    *(device ushort *)((device uchar *)out + 8 * i + 1) = 1; // FIND misaligned
}

kernel void write_half_word_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    *(device ushort *)((device uchar *)out + 8 * i + 8) = 1;
}

kernel void long_word_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device ulong *)((device uchar *)in + 8 * i + 4)); // FIND misaligned
}

kernel void long_word_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device ulong *)((device uchar *)in + 8 * i + 8));
}

kernel void write_long_word_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    *(device ulong *)((device uchar *)out + 8 * i + 4) = 1; // FIND misaligned
}

kernel void write_long_word_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    *(device ulong *)((device uchar *)out + 8 * i + 8) = 1;
}

kernel void number_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device float *)((device uchar *)in + 8 * i + 2)); // FIND misaligned
}

kernel void number_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    out[i] = uint(*(device float *)((device uchar *)in + 8 * i + 8));
}

kernel void write_number_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device float *)((device uchar *)out + 8 * i + 2) = 1; // FIND misaligned
}

kernel void write_number_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    *(device float *)((device uchar *)out + 8 * i + 8) = 1;
}

kernel void tile_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[65];
    *(threadgroup uint *)((threadgroup uchar *)s + 4 * t + 2) = 1; // FIND misaligned
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = i;
}

kernel void tile_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[65];
    *(threadgroup uint *)((threadgroup uchar *)s + 4 * t + 4) = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = i;
}
