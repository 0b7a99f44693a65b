// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

// buffers 512
kernel void read_one_more_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i + 1]; // FIND bounds
}

// buffers 512
kernel void read_one_more_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i];
}

// buffers 512
kernel void read_twice_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[2 * i]; // FIND bounds
}

// buffers 512
kernel void read_twice_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i];
}

// buffers 512
kernel void read_times_four_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[4 * i]; // FIND bounds
}

// buffers 512
kernel void read_times_four_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i];
}

// buffers 512
kernel void read_minus_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[int(i) - 1]; // FIND bounds
}

// buffers 512
kernel void read_minus_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i];
}

// buffers 512
kernel void read_reversed_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[128 - i]; // FIND bounds
}

// buffers 512
kernel void read_reversed_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[127 - i];
}

// buffers 512
kernel void read_signed_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[-int(i)]; // FIND bounds
}

// buffers 512
kernel void read_signed_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[int(i)];
}

// buffers 512
kernel void read_far_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i + (1 << 20)]; // FIND bounds
}

// buffers 512
kernel void read_far_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i];
}

// buffers 512
kernel void read_xored_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i ^ 128]; // FIND bounds
}

// buffers 512
kernel void read_xored_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i ^ 127];
}

// buffers 512
kernel void read_shifted_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i << 1]; // FIND bounds
}

// buffers 512
kernel void read_shifted_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[i >> 1];
}

// buffers 512
kernel void read_grouped_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[g * 128 + t]; // FIND bounds
}

// buffers 512
kernel void read_grouped_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    out[i] = in[g * 64 + t];
}

// buffers 512
kernel void write_one_more_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    out[i + 1] = i; // FIND bounds
}

// buffers 512
kernel void write_one_more_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

// buffers 512
kernel void write_minus_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    out[int(i) - 1] = i; // FIND bounds
}

// buffers 512
kernel void write_minus_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

// buffers 512
kernel void write_twice_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    out[2 * i] = i; // FIND bounds
}

// buffers 512
kernel void write_twice_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    out[i] = i;
}

// buffers 400
kernel void inclusive_guard_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    if (i <= 100)
        out[i] = i; // FIND bounds
}

// buffers 400
kernel void inclusive_guard_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    if (i < 100)
        out[i] = i;
}

// buffers 400
kernel void flipped_guard_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    if (i > 100)
        out[i] = i; // FIND bounds
}

// buffers 400
kernel void flipped_guard_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                uint g [[threadgroup_position_in_grid]]) {
    if (i < 100)
        out[i] = i;
}

// buffers 512
kernel void loop_end_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint sum = 0;
    for (uint k = 0; k <= 128; k++)
        sum += in[k]; // FIND bounds
    out[i] = sum;
}

// buffers 512
kernel void loop_end_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    uint sum = 0;
    for (uint k = 0; k < 128; k++)
        sum += in[k];
    out[i] = sum;
}

// buffers 512
kernel void wide_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    ((device ulong *)out)[i] = i; // FIND bounds
}

// buffers 512
kernel void wide_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    ((device uint *)out)[i] = i;
}

// buffers 512
kernel void vector_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    uint4 x = ((device uint4 *)in)[i]; // FIND bounds
    out[i] = x.x + x.w;
}

// buffers 512
kernel void vector_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    uint4 x = ((device uint4 *)in)[i / 4];
    out[i] = x.x + x.w;
}

// buffers 512
kernel void atomic_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    atomic_fetch_add_explicit((device atomic_uint *)&out[i + 1], 1u, memory_order_relaxed); // FIND bounds
}

// buffers 512
kernel void atomic_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    atomic_fetch_add_explicit((device atomic_uint *)&out[i], 1u, memory_order_relaxed);
}

// buffers 512
kernel void bytes_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    out[i] = ((device uchar *)in)[5 * i]; // FIND bounds
}

// buffers 512
kernel void bytes_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    out[i] = ((device uchar *)in)[4 * i];
}
