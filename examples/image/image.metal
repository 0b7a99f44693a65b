#include <metal_stdlib>
using namespace metal;

// Pixels lie row by row. One thread makes one pixel of its result; x and y are its place.

// Brightness from 0 to 255, by the weights of ITU-R BT.601 in 256ths, rounded.
inline uint luma(uchar4 p) { return (77u * p.r + 150u * p.g + 29u * p.b + 128u) >> 8; }

// blur_rows and blur_columns are the two halves of a Gaussian blur: a mean along the row, and then along the column, with weights[0] for the pixel itself and
// weights[k] for those k away. Beyond the edge the edge's pixels go on.
kernel void blur_rows(device const uchar4 *in [[buffer(0)]],
                      device float4 *out [[buffer(1)]],
                      constant float *weights [[buffer(2)]],
                      constant int &radius [[buffer(3)]],
                      uint2 at [[thread_position_in_grid]],
                      uint2 size [[threads_per_grid]]) {
    float4 sum = 0;
    for (int d = -radius; d <= radius; d++) {
        int x = clamp(int(at.x) + d, 0, int(size.x) - 1);
        sum += weights[abs(d)] * float4(in[at.y * size.x + x]);
    }
    out[at.y * size.x + at.x] = sum;
}

kernel void blur_columns(device const float4 *in [[buffer(0)]],
                         device uchar4 *out [[buffer(1)]],
                         constant float *weights [[buffer(2)]],
                         constant int &radius [[buffer(3)]],
                         uint2 at [[thread_position_in_grid]],
                         uint2 size [[threads_per_grid]]) {
    float4 sum = 0;
    for (int d = -radius; d <= radius; d++) {
        int y = clamp(int(at.y) + d, 0, int(size.y) - 1);
        sum += weights[abs(d)] * in[y * size.x + at.x];
    }
    out[at.y * size.x + at.x] = uchar4(clamp(sum + 0.5f, 0.0f, 255.0f));
}

// sobel shows edges: how fast brightness changes, by Sobel's two filters.
kernel void sobel(device const uchar4 *in [[buffer(0)]],
                  device uchar4 *out [[buffer(1)]],
                  uint2 at [[thread_position_in_grid]],
                  uint2 size [[threads_per_grid]]) {
    int l[3][3];
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            uint2 p = uint2(clamp(int2(at) + int2(dx, dy), int2(0), int2(size) - 1));
            l[dy + 1][dx + 1] = int(luma(in[p.y * size.x + p.x]));
        }
    }
    float gx = float(l[0][2] + 2 * l[1][2] + l[2][2] - l[0][0] - 2 * l[1][0] - l[2][0]);
    float gy = float(l[2][0] + 2 * l[2][1] + l[2][2] - l[0][0] - 2 * l[0][1] - l[0][2]);
    uchar edge = uchar(min(255.0f, precise::sqrt(gx * gx + gy * gy)));
    out[at.y * size.x + at.x] = uchar4(edge, edge, edge, 255);
}

// histogram counts how many pixels have each brightness. A threadgroup counts in memory of its own first: so many threads meet at the same counters that those
// in the device's memory would hold everybody up.
kernel void histogram(device const uchar4 *in [[buffer(0)]],
                      device atomic_uint *counts [[buffer(1)]],
                      constant uint &pixels [[buffer(2)]],
                      uint i [[thread_position_in_grid]],
                      uint lane [[thread_position_in_threadgroup]],
                      uint lanes [[threads_per_threadgroup]]) {
    threadgroup atomic_uint own[256];
    for (uint v = lane; v < 256; v += lanes) {
        atomic_store_explicit(&own[v], 0u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i < pixels) {
        atomic_fetch_add_explicit(&own[luma(in[i])], 1u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint v = lane; v < 256; v += lanes) {
        uint n = atomic_load_explicit(&own[v], memory_order_relaxed);
        if (n > 0) {
            atomic_fetch_add_explicit(&counts[v], n, memory_order_relaxed);
        }
    }
}

// levels makes of the counts what each brightness becomes, so that all are about as frequent: one threadgroup of 256 threads adds them up, each sum from those of
// half as many.
kernel void levels(device const uint *counts [[buffer(0)]],
                   device uint *table [[buffer(1)]],
                   uint v [[thread_position_in_threadgroup]]) {
    threadgroup uint sums[256];
    threadgroup uint darkest; // how many pixels have the lowest brightness that there is
    sums[v] = counts[v];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint step = 1; step < 256; step *= 2) {
        uint more = v >= step ? sums[v - step] : 0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        sums[v] += more;
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (counts[v] > 0 && sums[v] == counts[v]) {
        darkest = counts[v];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint others = sums[255] - darkest;
    table[v] = others == 0 ? v : sums[v] <= darkest ? 0 : (sums[v] - darkest) * 255 / others;
}

// equalise gives each pixel its new brightness and keeps its hue.
kernel void equalise(device const uchar4 *in [[buffer(0)]],
                     device uchar4 *out [[buffer(1)]],
                     device const uint *table [[buffer(2)]],
                     uint i [[thread_position_in_grid]]) {
    uchar4 p = in[i];
    uint was = max(luma(p), 1u), is = table[luma(p)];
    uint3 c = min((uint3(p.rgb) * is + was / 2) / was, uint3(255));
    out[i] = uchar4(uchar3(c), p.a);
}
