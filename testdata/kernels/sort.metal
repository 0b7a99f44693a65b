// Bitonic sort in its form without directions: every comparison puts the smaller key first, and the first step of each merge goes
// from both ends of a block towards its middle. Keys behind the end count as greater than all others, so any number can be sorted.
#include <metal_stdlib>
using namespace metal;

struct Step {
    uint count;    // keys
    uint distance; // of the keys that are compared; a power of two
    uint mirror;   // 1: the first step of a merge
};

static uint2 pair_of(uint i, uint distance, bool mirror)
{
    uint base = i / distance * distance * 2, at = i % distance;
    return uint2(base + at, mirror ? base + distance * 2 - 1 - at : base + distance + at);
}

// One step over keys in device memory: a thread for each pair.
template <typename T>
kernel void bitonic_step(device T *keys [[buffer(0)]], constant Step &step [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    uint2 p = pair_of(i, step.distance, step.mirror != 0);
    if (p.y >= step.count)
        return;
    T a = keys[p.x], b = keys[p.y];
    if (b < a) {
        keys[p.x] = b;
        keys[p.y] = a;
    }
}

template [[host_name("bitonic_step_uint")]] kernel void bitonic_step<uint>(device uint *, constant Step &, uint);
template [[host_name("bitonic_step_float")]] kernel void bitonic_step<float>(device float *, constant Step &, uint);
template [[host_name("bitonic_step_short")]] kernel void bitonic_step<short>(device short *, constant Step &, uint);

// All steps over a tile of keys, which the threadgroup's memory holds: a threadgroup for each tile.
kernel void bitonic_tile(device uint *keys [[buffer(0)]], constant uint &count [[buffer(1)]], constant uint &length [[buffer(2)]],
                         threadgroup uint *tile [[threadgroup(0)]], uint group [[threadgroup_position_in_grid]],
                         uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]])
{
    uint start = group * length;
    for (uint i = tid; i < length; i += threads)
        tile[i] = start + i < count ? keys[start + i] : 0xffffffffu;
    for (uint half_block = 1; half_block < length; half_block *= 2) {
        for (uint distance = half_block; distance > 0; distance /= 2) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
            for (uint i = tid; i < length / 2; i += threads) {
                uint2 p = pair_of(i, distance, distance == half_block);
                uint a = tile[p.x], b = tile[p.y];
                tile[p.x] = min(a, b);
                tile[p.y] = max(a, b);
            }
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = tid; i < length; i += threads)
        if (start + i < count)
            keys[start + i] = tile[i];
}

struct Candidate {
    float value;
    uint index;

    bool before(threadgroup const Candidate &other) threadgroup const
    {
        return value > other.value || (value == other.value && index < other.index);
    }
};

struct TopK {
    uint columns;
    uint padded; // columns up to a power of two
    uint k;
};

// The k greatest numbers of each row and where they stand, in order; of equal ones the first comes first. A threadgroup for each row.
kernel void top_k(device const float *rows [[buffer(0)]], device float *values [[buffer(1)]], device uint *indices [[buffer(2)]],
                  constant TopK &p [[buffer(3)]], threadgroup Candidate *best [[threadgroup(0)]], uint row [[threadgroup_position_in_grid]],
                  uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]])
{
    for (uint i = tid; i < p.padded; i += threads) {
        best[i].value = i < p.columns ? rows[row * p.columns + i] : -INFINITY;
        best[i].index = i;
    }
    for (uint half_block = 1; half_block < p.padded; half_block *= 2) {
        for (uint distance = half_block; distance > 0; distance /= 2) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
            for (uint i = tid; i < p.padded / 2; i += threads) {
                uint2 at = pair_of(i, distance, distance == half_block);
                if (best[at.y].before(best[at.x])) {
                    Candidate c = best[at.x];
                    best[at.x] = best[at.y];
                    best[at.y] = c;
                }
            }
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = tid; i < p.k; i += threads) {
        values[row * p.k + i] = best[i].value;
        indices[row * p.k + i] = best[i].index;
    }
}
