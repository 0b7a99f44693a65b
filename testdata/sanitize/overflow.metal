// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void rows_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    out[(i + 3) * 2000000000 - i * 1999999999 - 1705032704] = i; // FIND overflow
}

kernel void rows_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

kernel void shift_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    out[((i + 4) << 30) - (i << 30) + i] = i; // FIND overflow
}

kernel void shift_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

kernel void sum_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                      uint g [[threadgroup_position_in_grid]]) {
    out[3000000000u + i + 3000000000u - 1705032704] = i; // FIND overflow
}

kernel void sum_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                      uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

kernel void two_terms_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[(i + 65536) * 65537 - 65536 - 65536 * i] = i; // FIND overflow
}

kernel void two_terms_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

kernel void vector_product_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    uint2 at = uint2(i, i + 65536) * uint2(1, 65537); // FIND overflow
    out[at.y - 65536 - 65536 * i - at.x + at.x] = i;
}

kernel void vector_product_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    uint2 at = uint2(i, i + 65536) * uint2(1, 65537);
    out[at.x] = at.y;
}

kernel void vector_parts_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    uint3 at = uint3(i, 1, 2);
    at.yz = at.yz + uint2(3000000000u, 4294967295u) - uint2(1, 3);
    out[at.y * 2 - at.y * 2 + i] = i; // FIND overflow
}

kernel void vector_parts_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    uint3 at = uint3(i, 1, 2);
    at.yz = at.yz + uint2(3000000000u, 4294967295u) - uint2(1, 3);
    out[at.x] = at.y * 2;
}

kernel void swizzled_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint4 at = uint4(1, i, 7, 65536);
    uint2 far = at.wy * 65536 + 3; // FIND overflow
    out[far.x - 3 + i] = far.y;
}

kernel void swizzled_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint4 at = uint4(1, i, 7, 65536);
    uint2 far = at.wy * uint2(65536, 1) + 3;
    out[far.y - 3] = far.x;
}

kernel void running_product_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    uint at = 1;
    for (uint n = 0; n < 2; n++)
        at = at * 65536; // FIND overflow
    out[at + i] = i;
}

kernel void running_product_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    uint at = 1, big = 1;
    for (uint n = 0; n < 2; n++) {
        at = at * 2;
        big = big * 65536;
    }
    out[at - 4 + i] = big;
}

kernel void running_sum_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint at = i;
    for (uint n = 0; n < 2; n++)
        at += 3000000000u; // FIND overflow
    out[at - 1705032704] = i;
}

kernel void running_sum_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint at = i;
    for (uint n = 0; n < 4; n++)
        at += 1;
    out[at] = i;
}

kernel void signed_walk_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    int at = int(i);
    for (uint n = 0; n < 2; n++)
        at = at + 2000000000; // FIND overflow
    out[at + 294967296] = i;
}

kernel void signed_walk_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    int at = int(i) + 3;
    for (uint n = 0; n < 3; n++)
        at = at - 1;
    out[at] = i;
}

kernel void one_branch_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint at = 65536 * i;
    if (i % 2 == 0)
        at = (i + 65536) * 65536; // FIND overflow
    out[at - 65536 * i + i] = i;
}

kernel void one_branch_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint at = 65536 * i, far = i;
    if (i % 2 == 0)
        far = (i + 65536) * 65536;
    out[at - 65536 * i + i] = far;
}

// buffers 8192
kernel void countdown_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    uint at = 3;
    while (at < 4) {
        in[i * 4 + at % 4] = at;
        at = at + 3000000000u;
    }
    at += 3000000000u; // FIND overflow
    out[at - at + i] = i;
}

// buffers 8192
kernel void countdown_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    for (uint n = 4; n-- > 0;)
        out[i * 4 + n] = n;
}
