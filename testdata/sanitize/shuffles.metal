// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void xor_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 2 == 1)
        x = simd_shuffle_xor(x, 1); // FIND simd
    out[i] = x;
}

kernel void xor_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_xor(x, 1);
    if (t % 2 == 1)
        x = y;
    out[i] = x;
}

kernel void xor_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 < 9)
        x = simd_shuffle_xor(x, 1); // FIND simd
    out[i] = x;
}

kernel void xor_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                          uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                          uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_xor(x, 1);
    if (t % 32 < 9)
        x = y;
    out[i] = x;
}

kernel void at_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 2 == 1)
        x = simd_shuffle(x, ushort((t ^ 3) % 32)); // FIND simd
    out[i] = x;
}

kernel void at_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle(x, ushort((t ^ 3) % 32));
    if (t % 2 == 1)
        x = y;
    out[i] = x;
}

kernel void at_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 < 9)
        x = simd_shuffle(x, ushort((t ^ 3) % 32)); // FIND simd
    out[i] = x;
}

kernel void at_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle(x, ushort((t ^ 3) % 32));
    if (t % 32 < 9)
        x = y;
    out[i] = x;
}

kernel void broadcast_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 2 == 1)
        x = simd_broadcast(x, 0); // FIND simd
    out[i] = x;
}

kernel void broadcast_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_broadcast(x, 0);
    if (t % 2 == 1)
        x = y;
    out[i] = x;
}

kernel void broadcast_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 < 9)
        x = simd_broadcast(x, 20); // FIND simd
    out[i] = x;
}

kernel void broadcast_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_broadcast(x, 20);
    if (t % 32 < 9)
        x = y;
    out[i] = x;
}

kernel void down_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 2 == 1)
        x = simd_shuffle_down(x, 1); // FIND simd
    out[i] = x;
}

kernel void down_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_down(x, 1);
    if (t % 2 == 1)
        x = y;
    out[i] = x;
}

kernel void down_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 < 9)
        x = simd_shuffle_down(x, 1); // FIND simd
    out[i] = x;
}

kernel void down_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_down(x, 1);
    if (t % 32 < 9)
        x = y;
    out[i] = x;
}

kernel void rotate_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 2 == 1)
        x = simd_shuffle_rotate_up(x, 1); // FIND simd
    out[i] = x;
}

kernel void rotate_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_rotate_up(x, 1);
    if (t % 2 == 1)
        x = y;
    out[i] = x;
}

kernel void rotate_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 < 9)
        x = simd_shuffle_rotate_up(x, 1); // FIND simd
    out[i] = x;
}

kernel void rotate_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_rotate_up(x, 1);
    if (t % 32 < 9)
        x = y;
    out[i] = x;
}

kernel void fill_up_odd_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 2 == 1)
        x = simd_shuffle_and_fill_up(x, i * 3, 1); // FIND simd
    out[i] = x;
}

kernel void fill_up_odd_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_and_fill_up(x, i * 3, 1);
    if (t % 2 == 1)
        x = y;
    out[i] = x;
}

kernel void fill_up_few_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 < 9)
        x = simd_shuffle_and_fill_up(x, i * 3, 4); // FIND simd
    out[i] = x;
}

kernel void fill_up_few_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_and_fill_up(x, i * 3, 4);
    if (t % 32 < 9)
        x = y;
    out[i] = x;
}

kernel void fill_down_upper_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 32 >= 16)
        x = simd_shuffle_and_fill_down(x, i * 3, 2); // FIND simd
    out[i] = x;
}

kernel void fill_down_upper_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_and_fill_down(x, i * 3, 2);
    if (t % 32 >= 16)
        x = y;
    out[i] = x;
}

kernel void fill_down_segments_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 8 < 5)
        x = simd_shuffle_and_fill_down(x, i * 3, 1, 8); // FIND simd
    out[i] = x;
}

kernel void fill_down_segments_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = simd_shuffle_and_fill_down(x, i * 3, 1, 8);
    if (t % 8 < 5)
        x = y;
    out[i] = x;
}

kernel void quad_fill_up_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    if (t % 4 != 0)
        x = quad_shuffle_and_fill_up(x, i * 3, 1); // FIND simd
    out[i] = x;
}

kernel void quad_fill_up_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    uint x = i;
    uint y = quad_shuffle_and_fill_up(x, i * 3, 1);
    if (t % 4 != 0)
        x = y;
    out[i] = x;
}
