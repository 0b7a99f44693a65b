// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void never_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    uint x;
    out[i] = x + i; // FIND uninitialised
}

kernel void never_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                        uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                        uint g [[threadgroup_position_in_grid]]) {
    uint x = 2;
    out[i] = x + i;
}

kernel void one_branch_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x;
    if (in[i] % 2 == 0)
        x = 1;
    out[i] = x; // FIND uninitialised
}

kernel void one_branch_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x;
    if (in[i] % 2 == 0)
        x = 1;
    else
        x = 2;
    out[i] = x;
}

kernel void switch_case_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint x;
    switch (i % 3) {
    case 0:
        x = 4;
        break;
    case 1:
        x = 5;
        break;
    }
    out[i] = x; // FIND uninitialised
}

kernel void switch_case_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint x;
    switch (i % 3) {
    case 0:
        x = 4;
        break;
    case 1:
        x = 5;
        break;
    default:
        x = 6;
    }
    out[i] = x;
}

kernel void empty_loop_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x;
    for (uint k = 0; k < i % 2; k++)
        x = k;
    out[i] = x; // FIND uninitialised
}

kernel void empty_loop_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint x = 9;
    for (uint k = 0; k < i % 2; k++)
        x = k;
    out[i] = x;
}

kernel void array_hole_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[8];
    for (uint k = 0; k < 8; k += 2)
        a[k] = i;
    out[i] = a[t % 8]; // FIND uninitialised
}

kernel void array_hole_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[8];
    for (uint k = 0; k < 8; k++)
        a[k] = i;
    out[i] = a[t % 8];
}

kernel void array_last_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[8];
    for (uint k = 0; k < 7; k++)
        a[k] = i;
    out[i] = a[7]; // FIND uninitialised
}

kernel void array_last_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    uint a[8];
    for (uint k = 0; k < 8; k++)
        a[k] = i;
    out[i] = a[7];
}

kernel void vector_part_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint4 v;
    v.xyz = uint3(i);
    out[i] = v.x + v.w; // FIND uninitialised
}

kernel void vector_part_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    uint4 v;
    v = uint4(i);
    out[i] = v.x + v.w;
}

kernel void float_sum_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    float sum;
    for (uint k = 0; k < 4; k++)
        sum += in[k]; // FIND uninitialised
    out[i] = uint(sum);
}

kernel void float_sum_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    float sum = 0;
    for (uint k = 0; k < 4; k++)
        sum += in[k];
    out[i] = uint(sum);
}

kernel void tile_edge_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[66];
    s[t + 1] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t] + s[t + 2]; // FIND uninitialised
}

kernel void tile_edge_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[66];
    s[t + 1] = i;
    if (t < 2)
        s[t * 65] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t] + s[t + 2];
}

kernel void tile_guard_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    if (i < 100)
        s[t] = in[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[63 - t]; // FIND uninitialised
}

kernel void tile_guard_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    if (i < 100)
        s[t] = in[i];
    else
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[63 - t];
}

kernel void tile_half_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    if (t < 32)
        s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t]; // FIND uninitialised
}

kernel void tile_half_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t];
}

kernel void tile_bytes_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    ((threadgroup ushort *)&s[t])[0] = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t]; // FIND uninitialised
}

kernel void tile_bytes_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    ((threadgroup ushort *)&s[t])[0] = 1;
    ((threadgroup ushort *)&s[t])[1] = 1;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t];
}

kernel void tile_column_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[8][9];
    s[t / 8][t % 8] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t / 8][t % 8 + 1]; // FIND uninitialised
}

kernel void tile_column_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[8][9];
    s[t / 8][t % 8] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t / 8][t % 8];
}

kernel void shared_count_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint n;
    atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed); // FIND uninitialised
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = atomic_load_explicit(&n, memory_order_relaxed);
}

kernel void shared_count_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint n;
    if (t == 0)
        atomic_store_explicit(&n, 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = atomic_load_explicit(&n, memory_order_relaxed);
}
