// Atomic operations keep their order and their space; a compare-exchange writes what it found to the expected value, which stays a
// value and not memory; a fence and a barrier say which memory they order.
#include <metal_stdlib>
using namespace metal;

kernel void atomics(device atomic_int *p [[buffer(0)]], threadgroup atomic_uint &t [[threadgroup(0)]], device int *out [[buffer(1)]]) {
    out[0] = atomic_fetch_add_explicit(p, 2, memory_order_relaxed);
    out[1] = atomic_fetch_min_explicit(p + 1, -5, memory_order_relaxed);
    atomic_fetch_max_explicit(&t, 5u, memory_order_relaxed);
    int expected = 3;
    bool done = atomic_compare_exchange_weak_explicit(p, &expected, 4, memory_order_relaxed, memory_order_relaxed);
    out[2] = done ? 1 : expected;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    simdgroup_barrier(mem_flags::mem_none);
    atomic_store_explicit(p, 0, memory_order_relaxed);
}
