// Pairs of kernels: one with a mistake, whose name ends in _wrong, and its correct form. FIND marks
// the lines that a finding of the kind must name. A comment before a kernel sets its launch; without
// one it has 128 threads in groups of 64 and 4096 bytes for each buffer.
#include <metal_stdlib>
using namespace metal;

kernel void reverse_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                          uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    out[i] = s[63 - t]; // FIND race
}

kernel void reverse_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                          uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[63 - t];
}

kernel void reverse_flags_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = s[63 - t]; // FIND race
}

kernel void count_wrong(device uint *x [[buffer(0)]]) {
    x[0] += 1; // FIND race
}

kernel void count_right(device atomic_uint *x [[buffer(0)]]) {
    atomic_fetch_add_explicit(x, 1u, memory_order_relaxed);
}

kernel void lanes_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    out[i] = s[t ^ 1]; // FIND race
}

kernel void lanes_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 1];
}

kernel void simdgroups_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = s[t ^ 32]; // FIND race
}

kernel void sum_is_no_barrier_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                                    uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    uint all = simd_sum(i);
    out[i] = s[t ^ 1] + all; // FIND race
}

kernel void groups_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = i;
    threadgroup_barrier(mem_flags::mem_device);
    out[512 + i] = out[(i + 64) & 127]; // FIND race
}

kernel void mixed_wrong(device atomic_uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    if (i == 0)
        *(device uint *)x = 7; // FIND race
    else
        atomic_fetch_add_explicit(x, 1u, memory_order_relaxed); // FIND race
}

kernel void bytes_right(device uchar *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = uchar(i);
}

kernel void bytes_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    if (i == 0)
        out[0] = 0x01020304; // FIND race
    else if (i < 4)
        ((device uchar *)out)[i] = 9; // FIND race
}

kernel void same_value_right(device uint *out [[buffer(0)]]) {
    out[0] = 7;
}

kernel void again_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    for (uint k = 0; k < 2; k++) {
        s[t] = i + k; // FIND race
        threadgroup_barrier(mem_flags::mem_threadgroup);
        out[i] += s[63 - t];
    }
}

kernel void again_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    for (uint k = 0; k < 2; k++) {
        s[t] = i + k;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        out[i] += s[63 - t];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}

kernel void reduce_right(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = in[i];
    for (uint n = 32; n > 0; n /= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (t < n)
            s[t] += s[t + n];
    }
    if (t == 0)
        out[g] = s[0];
}

kernel void reduce_wrong(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[64];
    s[t] = in[i] + t;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint n = 32; n > 0; n /= 2) {
        if (t < n)
            s[t] += s[t + n]; // FIND race
    }
    if (t == 0)
        out[g] = s[0];
}

// Of a thread's own read and another one's, it is the other one's that races.
kernel void own_read_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                           uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint next = s[(t + 1) % 64]; // FIND race
    uint own = s[t];
    s[t] = next + own; // FIND race
    out[i] = s[t];
}

kernel void own_read_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                           uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint next = s[(t + 1) % 64];
    uint own = s[t];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s[t] = next + own;
    out[i] = s[t];
}

kernel void own_first_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                            uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint own = s[t];
    uint next = s[(t + 1) % 64]; // FIND race
    s[t] = next + own; // FIND race
    out[i] = s[t];
}

kernel void own_first_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                            uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64], x[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint own = s[t];
    uint next = s[(t + 1) % 64];
    x[t] = next + own;
    out[i] = x[t];
}

// Whole lines of memory, read by a simdgroup's lanes and by others of the same simdgroup.
kernel void lines_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 32) {
        uint a = s[t]; // FIND race
        uint b = s[t + 16];
        s[t + 16] = a + b + 1; // FIND race
    }
    out[i] = i;
}

kernel void lines_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
                        uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint s[64];
    s[t] = i;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < 32) {
        uint a = s[t];
        uint b = s[t + 16];
        simdgroup_barrier(mem_flags::mem_threadgroup);
        s[t + 16] = a + b + 1;
    }
    out[i] = i;
}

// Plain reads beside atomic ones race with an atomic write.
kernel void plain_reader_wrong(device uint *out [[buffer(0)]], device atomic_uint *x [[buffer(1)]],
                               uint i [[thread_position_in_grid]]) {
    if (i == 3)
        out[i] = *(device uint *)x; // FIND race
    out[128 + i] = atomic_load_explicit(x, memory_order_relaxed);
    if (i == 40)
        atomic_fetch_add_explicit(x, 1u, memory_order_relaxed); // FIND race
}

kernel void plain_reader_right(device uint *out [[buffer(0)]], device atomic_uint *x [[buffer(1)]],
                               uint i [[thread_position_in_grid]]) {
    if (i == 3)
        out[i] = *(device uint *)x;
    out[128 + i] = atomic_load_explicit(x, memory_order_relaxed);
}

kernel void plain_reader_fence_wrong(device uint *out [[buffer(0)]], device atomic_uint *x [[buffer(1)]],
                                     uint i [[thread_position_in_grid]]) {
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    if (i == 3)
        out[i] = *(device uint *)x; // FIND race
    out[128 + i] = atomic_load_explicit(x, memory_order_relaxed);
    if (i == 40)
        atomic_fetch_add_explicit(x, 1u, memory_order_relaxed); // FIND race
}
