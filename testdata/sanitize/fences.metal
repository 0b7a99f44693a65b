// Order by fences and atomic operations. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

// The last threadgroup to come adds up what all have written.
kernel void last_group_right(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                             uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                             uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    x[g] = g + 1000;
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    if (before == n) { // it begins with 1
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k];
        x[100] = sum;
    }
}

kernel void last_group_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                             uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                             uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    x[g] = g + 1000;
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    if (before == n) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k]; // FIND race
        x[100] = sum;
    }
}

kernel void fence_scope_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                              uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                              uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    x[g] = g + 1000;
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_threadgroup);
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_threadgroup);
    if (before == n) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k]; // FIND race
        x[100] = sum;
    }
}

kernel void fence_flags_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                              uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                              uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    x[g] = g + 1000;
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_device);
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_acq_rel, thread_scope_device);
    if (before == n) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k]; // FIND race
        x[100] = sum;
    }
}

kernel void only_release_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                               uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                               uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    x[g] = g + 1000;
    atomic_thread_fence(mem_flags::mem_device, memory_order_release, thread_scope_device);
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    if (before == n) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k]; // FIND race
        x[100] = sum;
    }
}

kernel void only_acquire_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                               uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                               uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    x[g] = g + 1000;
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_acquire, thread_scope_device);
    if (before == n) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k]; // FIND race
        x[100] = sum;
    }
}

kernel void late_release_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                               uint g [[threadgroup_position_in_grid]], uint n [[threadgroups_per_grid]],
                               uint t [[thread_index_in_threadgroup]]) {
    if (t != 0)
        return;
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    x[g] = g + 1000;
    uint before = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    if (before == n) {
        uint sum = 0;
        for (uint k = 0; k < n; k++)
            sum += x[k]; // FIND race
        x[100] = sum;
    }
}

// All threads of each threadgroup write, and all of the last one read.
kernel void whole_group_right(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint n [[threadgroups_per_grid]],
                              uint t [[thread_index_in_threadgroup]]) {
    threadgroup bool last;
    x[i] = i + 1000;
    threadgroup_barrier(mem_flags::mem_device);
    if (t == 0) {
        atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
        last = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed) == n;
        atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (last)
        x[200 + t] = x[t] + x[t + 64];
}

kernel void whole_group_wrong(device uint *x [[buffer(0)]], device atomic_uint *count [[buffer(1)]],
                              uint i [[thread_position_in_grid]], uint n [[threadgroups_per_grid]],
                              uint t [[thread_index_in_threadgroup]]) {
    threadgroup bool last;
    x[i] = i + 1000;
    if (t == 0) {
        atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
        last = atomic_fetch_add_explicit(count, 1u, memory_order_relaxed) == n;
        atomic_thread_fence(mem_flags::mem_device, memory_order_acq_rel, thread_scope_device);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    if (last)
        x[200 + t] = x[t] + x[t + 64]; // FIND race
}

// Simdgroup 0 hands a number to simdgroup 1.
kernel void simdgroups_right(device uint *out [[buffer(0)]], device atomic_uint *flags [[buffer(1)]],
                             uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint x;
    if (t == 0) {
        x = g + 5;
        atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_release, thread_scope_threadgroup);
        atomic_store_explicit(&flags[g], 0u, memory_order_relaxed);
    }
    if (t == 32) {
        while (atomic_load_explicit(&flags[g], memory_order_relaxed) != 0)
            ;
        atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_acquire, thread_scope_threadgroup);
        out[g] = x;
    }
}

kernel void simdgroups_flag_wrong(device uint *out [[buffer(0)]], device atomic_uint *flags [[buffer(1)]],
                                  uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup uint x;
    if (t == 0) {
        x = g + 5;
        atomic_store_explicit(&flags[g], 0u, memory_order_relaxed);
    }
    if (t == 32) {
        while (atomic_load_explicit(&flags[g], memory_order_relaxed) != 0)
            ;
        atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_acquire, thread_scope_threadgroup);
        out[g] = x; // FIND race
    }
}
