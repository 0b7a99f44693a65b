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
