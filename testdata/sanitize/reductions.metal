// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void tree_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 32; n > 0; n /= 2) {
        if (t < n)
            s[t] += s[t + n]; // FIND race
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void tree_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] += s[t + n];
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void tree_result_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[63 - t] = i + 1;
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] += s[t + n];
    }
    if (t == 7)
        out[g] = s[0]; // FIND race
}

kernel void tree_result_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[63 - t] = i + 1;
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] += s[t + n];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 7)
        out[g] = s[0];
}

kernel void interleaved_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 1; n < 64; n *= 2) {
        if (t % (2 * n) == 0)
            s[t] += s[t + n]; // FIND race
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void interleaved_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 1; n < 64; n *= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t % (2 * n) == 0)
            s[t] += s[t + n];
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void interleaved_result_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[63 - t] = i + 1;
    for (uint n = 1; n < 64; n *= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t % (2 * n) == 0)
            s[t] += s[t + n];
    }
    if (t == 7)
        out[g] = s[0]; // FIND race
}

kernel void interleaved_result_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[63 - t] = i + 1;
    for (uint n = 1; n < 64; n *= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t % (2 * n) == 0)
            s[t] += s[t + n];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 7)
        out[g] = s[0];
}

kernel void greatest_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 32; n > 0; n /= 2) {
        if (t < n)
            s[t] = max(s[t], s[t + n] + 2); // FIND race
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void greatest_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                           uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] = max(s[t], s[t + n] + 2);
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void greatest_result_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[63 - t] = i + 1;
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] = max(s[t], s[t + n] + 2);
    }
    if (t == 7)
        out[g] = s[0]; // FIND race
}

kernel void greatest_result_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[63 - t] = i + 1;
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] = max(s[t], s[t + n] + 2);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 7)
        out[g] = s[0];
}

kernel void scan_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 1; n < 64; n *= 2) {
        uint x = t >= n ? s[t - n] : 0;
        s[t] += x; // FIND race
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[i] = s[t];
}

kernel void scan_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 1; n < 64; n *= 2) {
        uint x = t >= n ? s[t - n] : 0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        s[t] += x;
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[i] = s[t];
}

kernel void two_buffers_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2][64];
    uint now = 0;
    s[0][t] = i + 1;
    for (uint n = 1; n < 64; n *= 2) {
        s[1 - now][t] = s[now][t] + (t >= n ? s[now][t - n] : 0); // FIND race
        now = 1 - now;
    }
    out[i] = s[now][t];
}

kernel void two_buffers_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2][64];
    uint now = 0;
    s[0][t] = i + 1;
    for (uint n = 1; n < 64; n *= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        s[1 - now][t] = s[now][t] + (t >= n ? s[now][t - n] : 0);
        now = 1 - now;
    }
    out[i] = s[now][t];
}

kernel void last_simd_unsynced_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 32) {
        for (uint n = 32; n > 0; n /= 2)
            s[t] += s[t + n]; // FIND race
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void last_simd_unsynced_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i + 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 32) {
        for (uint n = 32; n > 0; n /= 2) {
            uint x = t < n ? s[t + n] : 0;
            simdgroup_barrier(mem_flags::mem_threadgroup);
            s[t] += x;
            simdgroup_barrier(mem_flags::mem_threadgroup);
        }
    }
    if (t == 0)
        out[g] = s[0];
}
