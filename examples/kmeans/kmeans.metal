#include <metal_stdlib>
using namespace metal;

// Each thread finds the center nearest to its point, and increments `changed` if it is not the same as before.
kernel void assign(device const float2 *points [[buffer(0)]],
                   device const float2 *centers [[buffer(1)]],
                   device uint *labels [[buffer(2)]],
                   device atomic_uint *changed [[buffer(3)]],
                   constant uint &clusters [[buffer(4)]],
                   uint i [[thread_position_in_grid]]) {
    float2 p = points[i];
    uint best = 0;
    float least = INFINITY;
    for (uint c = 0; c < clusters; c++) {
        float2 d = p - centers[c];
        float distance = dot(d, d);
        if (distance < least) {
            least = distance;
            best = c;
        }
    }
    if (labels[i] != best) {
        labels[i] = best;
        atomic_fetch_add_explicit(changed, 1u, memory_order_relaxed);
    }
}

constant uint width = 256; // threads per threadgroup of `recenter`

// Each threadgroup moves one center to the mean of its points. Unlike atomics, the reduction adds in a fixed order, so
// results are reproducible: each thread sums every 256th point, then a tree reduction adds the threads' sums. A center
// without points does not move.
kernel void recenter(device const float2 *points [[buffer(0)]],
                     device float2 *centers [[buffer(1)]],
                     device const uint *labels [[buffer(2)]],
                     constant uint &count [[buffer(3)]],
                     uint cluster [[threadgroup_position_in_grid]],
                     uint lane [[thread_position_in_threadgroup]]) {
    threadgroup float3 sums[width]; // x, y, count
    float3 sum = 0;
    for (uint i = lane; i < count; i += width) {
        if (labels[i] == cluster) {
            sum += float3(points[i], 1.0f);
        }
    }
    sums[lane] = sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (lane < half_width) {
            sums[lane] += sums[lane + half_width];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (lane == 0 && sums[0].z > 0.0f) {
        centers[cluster] = sums[0].xy / sums[0].z;
    }
}
