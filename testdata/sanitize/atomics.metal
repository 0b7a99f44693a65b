// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void device_sum_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    *x += i + 1; // FIND race
}

kernel void device_sum_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    atomic_fetch_add_explicit((device atomic_uint *)x, i + 1, memory_order_relaxed);
}

kernel void threadgroup_sum_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    *x += i + 1; // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void threadgroup_sum_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    atomic_fetch_add_explicit((threadgroup atomic_uint *)x, i + 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void device_greatest_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    *x = max(*x, i + 1000); // FIND race
}

kernel void device_greatest_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                  uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                  uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    atomic_fetch_max_explicit((device atomic_uint *)x, i + 1000, memory_order_relaxed);
}

kernel void threadgroup_greatest_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    *x = max(*x, i + 1000); // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void threadgroup_greatest_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                       uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                       uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    atomic_fetch_max_explicit((threadgroup atomic_uint *)x, i + 1000, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void device_bits_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    *x |= 2 << (i % 16); // FIND race
}

kernel void device_bits_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    atomic_fetch_or_explicit((device atomic_uint *)x, 2u << (i % 16), memory_order_relaxed);
}

kernel void threadgroup_bits_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    *x |= 2 << (i % 16); // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void threadgroup_bits_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                   uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                   uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    atomic_fetch_or_explicit((threadgroup atomic_uint *)x, 2u << (i % 16), memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void device_toggles_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    *x ^= i + 1; // FIND race
}

kernel void device_toggles_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    device uint *x = &out[3];
    atomic_fetch_xor_explicit((device atomic_uint *)x, i + 1, memory_order_relaxed);
}

kernel void threadgroup_toggles_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    *x ^= i + 1; // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void threadgroup_toggles_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                      uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                      uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint s[2];
    if (t < 2)
        s[t] = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup uint *x = &s[1];
    atomic_fetch_xor_explicit((threadgroup atomic_uint *)x, i + 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = s[1];
}

kernel void histogram_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    out[in[i] % 16] += 1; // FIND race
}

kernel void histogram_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                            uint g [[threadgroup_position_in_grid]]) {
    atomic_fetch_add_explicit((device atomic_uint *)&out[in[i] % 16], 1u, memory_order_relaxed);
}

kernel void append_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    if (in[i] % 3 == 0) {
        uint at = in[1000]; // FIND race
        in[1000] = at + 1; // FIND race
        out[i] = at;
    }
}

kernel void append_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                         uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                         uint g [[threadgroup_position_in_grid]]) {
    if (in[i] % 3 == 0) {
        uint at = atomic_fetch_add_explicit((device atomic_uint *)&in[1000], 1u, memory_order_relaxed);
        out[i] = at;
    }
}

kernel void plain_read_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    atomic_fetch_add_explicit((device atomic_uint *)&out[500], 1u, memory_order_relaxed); // FIND race
    out[i] = out[500]; // FIND race
}

kernel void plain_read_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                             uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint g [[threadgroup_position_in_grid]]) {
    atomic_fetch_add_explicit((device atomic_uint *)&out[500], 1u, memory_order_relaxed);
    out[i] = atomic_load_explicit((device atomic_uint *)&out[500], memory_order_relaxed);
}

kernel void plain_reset_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint n;
    if (t == 0)
        *(threadgroup uint *)&n = 0; // FIND race
    atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed); // FIND race
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = atomic_load_explicit(&n, memory_order_relaxed);
}

kernel void plain_reset_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                              uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint n;
    if (t == 0)
        *(threadgroup uint *)&n = 0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0)
        out[g] = atomic_load_explicit(&n, memory_order_relaxed);
}

kernel void plain_result_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint n;
    if (t == 0)
        atomic_store_explicit(&n, 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed); // FIND race
    if (t == 5)
        out[g] = *(threadgroup uint *)&n; // FIND race
}

kernel void plain_result_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                               uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                               uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint n;
    if (t == 0)
        atomic_store_explicit(&n, 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&n, 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 5)
        out[g] = *(threadgroup uint *)&n;
}

kernel void flag_without_fence_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint x;
    if (t == 0) {
        x = i + 5;
        atomic_store_explicit((device atomic_uint *)&out[g], 1000u, memory_order_relaxed);
    }
    if (t == 40) {
        while (atomic_load_explicit((device atomic_uint *)&out[g], memory_order_relaxed) != 1000)
            ;
        out[100 + g] = x; // FIND race
    }
}

kernel void flag_without_fence_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                     uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                     uint g [[threadgroup_position_in_grid]]) {
    threadgroup uint x;
    if (t == 0) {
        x = i + 5;
        atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_release, thread_scope_threadgroup);
        atomic_store_explicit((device atomic_uint *)&out[g], 1000u, memory_order_relaxed);
    }
    if (t == 40) {
        while (atomic_load_explicit((device atomic_uint *)&out[g], memory_order_relaxed) != 1000)
            ;
        atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_acquire, thread_scope_threadgroup);
        out[100 + g] = x;
    }
}

kernel void counters_initialized_late_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                            uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint bins[64];
    atomic_store_explicit(&bins[t], 0u, memory_order_relaxed);
    atomic_fetch_add_explicit(&bins[in[i] % 64], 1u, memory_order_relaxed); // FIND uninitialised
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = atomic_load_explicit(&bins[t], memory_order_relaxed);
}

kernel void counters_initialized_late_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                            uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint bins[64];
    atomic_store_explicit(&bins[t], 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&bins[in[i] % 64], 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = atomic_load_explicit(&bins[t], memory_order_relaxed);
}

kernel void maximum_initialized_late_wrong(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                           uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint most;
    if (t == 0)
        atomic_store_explicit(&most, 0u, memory_order_relaxed);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_max_explicit(&most, in[i], memory_order_relaxed); // FIND uninitialised
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = atomic_load_explicit(&most, memory_order_relaxed);
}

kernel void maximum_initialized_late_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                           uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                           uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint most;
    if (t < 32) {
        if (t == 0)
            atomic_store_explicit(&most, 0u, memory_order_relaxed);
        simdgroup_barrier(mem_flags::mem_threadgroup);
        atomic_fetch_max_explicit(&most, in[i], memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t >= 32)
        atomic_fetch_max_explicit(&most, in[i], memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[i] = atomic_load_explicit(&most, memory_order_relaxed);
}

kernel void all_initialize_right(device uint *out [[buffer(0)]], device uint *in [[buffer(1)]],
                                 uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                                 uint g [[threadgroup_position_in_grid]]) {
    threadgroup atomic_uint some;
    atomic_store_explicit(&some, in[i], memory_order_relaxed);
    out[i] = atomic_load_explicit(&some, memory_order_relaxed);
}
