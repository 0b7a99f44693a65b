// How often each byte occurs: counted in threadgroup memory, then added up in device memory; and directly in device memory.
#include <metal_stdlib>
using namespace metal;

kernel void histogram(device const uchar *in [[buffer(0)]], device atomic_uint *bins [[buffer(1)]], constant uint &count [[buffer(2)]],
                      uint i [[thread_position_in_grid]], uint all [[threads_per_grid]], uint tid [[thread_index_in_threadgroup]],
                      uint threads [[threads_per_threadgroup]])
{
    threadgroup atomic_uint mine[256];
    for (uint b = tid; b < 256; b += threads)
        atomic_store_explicit(&mine[b], 0, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint at = i; at < count; at += all)
        atomic_fetch_add_explicit(&mine[in[at]], 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint b = tid; b < 256; b += threads) {
        uint n = atomic_load_explicit(&mine[b], memory_order_relaxed);
        if (n > 0)
            atomic_fetch_add_explicit(&bins[b], n, memory_order_relaxed);
    }
}

kernel void histogram_direct(device const uchar *in [[buffer(0)]], device atomic_uint *bins [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    atomic_fetch_add_explicit(bins + in[i], 1, memory_order_relaxed);
}
