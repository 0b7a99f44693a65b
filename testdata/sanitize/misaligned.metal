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

kernel void vector_read_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint4 v = *(device uint4 *)(in + i % 4 * 4 + 2); // FIND misaligned
    out[i] = v.x + v.w;
}

kernel void vector_read_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint4 v = *(device uint4 *)(in + i % 4 * 4);
    out[i] = v.x + v.w;
}

kernel void vector_of_three_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint3 v = *(device uint3 *)(in + 3); // FIND misaligned
    out[i] = v.x + v.z;
}

kernel void vector_of_three_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint3 v = *(device packed_uint3 *)(in + 3);
    out[i] = v.x + v.z;
}

kernel void vector_lane_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    device uint4 *p = (device uint4 *)(in + 2);
    out[i] = p->y; // FIND misaligned
}

kernel void vector_lane_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    device uint4 *p = (device uint4 *)(in + 4);
    out[i] = p->y;
}

kernel void matrix_read_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    float2x2 m = *(device float2x2 *)(in + 1); // FIND misaligned
    out[i] = as_type<uint>(m[1][0]);
}

kernel void matrix_read_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    float2x2 m = *(device float2x2 *)(in + 2);
    out[i] = as_type<uint>(m[1][0]);
}

struct Pair {
    uint2 a;
    uint b;
};

kernel void structure_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    device Pair *p = (device Pair *)(in + 1);
    out[i] = p->b; // FIND misaligned
}

kernel void structure_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    device Pair *p = (device Pair *)(in + 2);
    out[i] = p->b;
}

kernel void structure_whole_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    Pair p = *(device Pair *)(in + 1); // FIND misaligned
    out[i] = p.a.x + p.b;
}

kernel void structure_whole_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    Pair p = *(device Pair *)(in + 2);
    out[i] = p.a.x + p.b;
}

kernel void threadgroup_vector_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[8];
    if (t < 8) s[t] = in[t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint2 v = *(threadgroup uint2 *)(s + 3); // FIND misaligned
    out[i] = v.x + v.y;
}

kernel void threadgroup_vector_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[8];
    if (t < 8) s[t] = in[t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint2 v = *(threadgroup uint2 *)(s + 4);
    out[i] = v.x + v.y;
}

kernel void thread_vector_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint s[4] = {i, t, g, 4};
    uint2 v = *(thread uint2 *)(s + 1); // FIND misaligned
    out[i] = v.x + v.y;
}

kernel void thread_vector_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                  uint g [[threadgroup_position_in_grid]]) {
    uint s[4] = {i, t, g, 4};
    uint2 v = *(thread uint2 *)(s + 2);
    out[i] = v.x + v.y;
}
