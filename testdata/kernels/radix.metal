// One pass of a radix sort over four bits: count the digits of each tile, scan the counts (scan.metal), move the keys.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint digits = 16;

struct Pass {
    uint count; // keys
    uint shift;
};

// How often each digit occurs in each tile: counts[digit][tile].
kernel void radix_count(device const uint *keys [[buffer(0)]], device uint *counts [[buffer(1)]], constant Pass &pass [[buffer(2)]],
                        uint i [[thread_position_in_grid]], uint tile [[threadgroup_position_in_grid]], uint tiles [[threadgroups_per_grid]],
                        uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]])
{
    threadgroup atomic_uint seen[digits];
    for (uint d = tid; d < digits; d += threads)
        atomic_store_explicit(&seen[d], 0, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < pass.count)
        atomic_fetch_add_explicit(&seen[(keys[i] >> pass.shift) % digits], 1, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint d = tid; d < digits; d += threads)
        counts[d * tiles + tile] = atomic_load_explicit(&seen[d], memory_order_relaxed);
}

// Moves each key to its place: where its digit's keys of this tile begin, plus the number of those before it. Equal digits keep their order.
kernel void radix_move(device const uint *keys [[buffer(0)]], device const uint *places [[buffer(1)]], constant Pass &pass [[buffer(2)]],
                       device uint *moved [[buffer(3)]], uint i [[thread_position_in_grid]], uint tile [[threadgroup_position_in_grid]],
                       uint tiles [[threadgroups_per_grid]], uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]])
{
    threadgroup ushort seen[32][digits]; // by simdgroup
    uint key = i < pass.count ? keys[i] : 0, digit = i < pass.count ? (key >> pass.shift) % digits : digits, before = 0;
    for (uint d = 0; d < digits; d++) {
        uint alike = uint(uint64_t(simd_ballot(digit == d)));
        if (digit == d)
            before = popcount(alike & ((1u << lane) - 1));
        if (lane == 0)
            seen[simd][d] = popcount(alike);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i >= pass.count)
        return;
    for (uint s = 0; s < simd; s++)
        before += seen[s][digit];
    moved[places[digit * tiles + tile] + before] = key;
}
