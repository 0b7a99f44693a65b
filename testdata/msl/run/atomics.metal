// launch atomics grid=8 group=4
// buffer 0: i32 0 0 100 1
// buffer 1: f32 0
// want 0: i32 8 7 92 1
// want 1: f32 4
// launch shared_counter grid=4 group=4
// buffer 0: zero 4
// want 0: i32 4
// launch cas
// buffer 0: i32 5
// buffer 1: i32 0 0
// want 0: i32 9
// want 1: i32 1 9
#include <metal_stdlib>
using namespace metal;

kernel void atomics(device atomic_int *n [[buffer(0)]], device atomic_float *f [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(&n[0], 1, memory_order_relaxed);
    atomic_fetch_max_explicit(n + 1, int(i), memory_order_relaxed);
    atomic_fetch_sub_explicit(&n[2], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed);
}

kernel void shared_counter(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]]) {
    threadgroup atomic_uint count;
    if (t == 0) atomic_store_explicit(&count, 0u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&count, 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0) *out = atomic_load_explicit(&count, memory_order_relaxed);
}

kernel void cas(device atomic_uint *n [[buffer(0)]], device uint *out [[buffer(1)]]) {
    uint expected = 5;
    bool ok = atomic_compare_exchange_weak_explicit(n, &expected, 9u, memory_order_relaxed, memory_order_relaxed);
    out[0] = ok ? 1 : 0;
    ok = atomic_compare_exchange_weak_explicit(n, &expected, 1u, memory_order_relaxed, memory_order_relaxed);
    out[1] = expected;
}
