// Attention without a matrix of scores: tiles of keys and values in threadgroup memory, a row of queries for each simdgroup, a running
// maximum and sum. Heads are 64 wide; each lane has two components.
#include <metal_stdlib>
using namespace metal;

struct Attention {
    uint queries, keys;
    float scale;
    uint causal; // 1: a query sees the keys up to its own place, counted from the end
};

constant constexpr uint width = 64, tile = 32;

template <typename T, typename T2>
kernel void attention(device const T2 *q [[buffer(0)]], device const T *k [[buffer(1)]], device const T *v [[buffer(2)]], device T2 *out [[buffer(3)]],
                      constant Attention &a [[buffer(4)]], uint2 group [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]],
                      uint simd [[simdgroup_index_in_threadgroup]], uint simds [[simdgroups_per_threadgroup]],
                      uint tid [[thread_index_in_threadgroup]])
{
    threadgroup T tk[tile * width], tv[tile * width];
    const uint head = group.y, row = group.x * simds + simd;
    const bool mine = row < a.queries;
    const uint seen = a.causal ? a.keys - a.queries + row + 1 : a.keys;
    k += head * a.keys * width;
    v += head * a.keys * width;
    const uint at = (head * a.queries + row) * (width / 2) + lane;
    const float2 query = mine ? float2(q[at]) * a.scale : float2(0);
    float most = -INFINITY, sum = 0;
    float2 result = 0;
    for (uint start = 0; start < a.keys; start += tile) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = tid; i < tile * width; i += simds * 32) {
            bool there = start + i / width < a.keys;
            tk[i] = there ? k[start * width + i] : T(0);
            tv[i] = there ? v[start * width + i] : T(0);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (!mine)
            continue;
        const uint end = min(tile, seen > start ? seen - start : 0);
        for (uint j = 0; j < end; j++) {
            threadgroup const T *key = tk + j * width + lane * 2, *value = tv + j * width + lane * 2;
            const float score = simd_sum(query.x * float(key[0]) + query.y * float(key[1]));
            const float now = max(most, score), fade = exp(most - now), weight = exp(score - now);
            sum = sum * fade + weight;
            result = result * fade + weight * float2(float(value[0]), float(value[1]));
            most = now;
        }
    }
    if (mine)
        out[at] = T2(result / sum);
}

template [[host_name("attention_float")]] kernel void attention<float, float2>(device const float2 *, device const float *, device const float *, device float2 *, constant Attention &, uint2, uint, uint, uint, uint);
template [[host_name("attention_half")]] kernel void attention<half, half2>(device const half2 *, device const half *, device const half *, device half2 *, constant Attention &, uint2, uint, uint, uint, uint);
