#include <metal_stdlib>
using namespace metal;

// Images are textures of four integers from 0 to 255. Each thread computes one pixel of the result.

// Brightness from 0 to 255: the weights of ITU-R BT.601 in units of 1/256, rounded.
inline uint luma(uint4 p) { return (77u * p.r + 150u * p.g + 29u * p.b + 128u) >> 8; }

// blur_rows and blur_columns are the two passes of a separable Gaussian blur. weights[0] is the weight of the pixel
// itself, weights[k] that of the pixels at distance k. Pixels beyond the edge repeat the edge.
kernel void blur_rows(texture2d<uint> in [[texture(0)]],
                      texture2d<float, access::write> out [[texture(1)]],
                      constant float *weights [[buffer(0)]],
                      constant int &radius [[buffer(1)]],
                      uint2 at [[thread_position_in_grid]],
                      uint2 size [[threads_per_grid]]) {
    float4 sum = 0;
    for (int d = -radius; d <= radius; d++) {
        int x = clamp(int(at.x) + d, 0, int(size.x) - 1);
        sum += weights[abs(d)] * float4(in.read(uint2(x, at.y)));
    }
    out.write(sum, at);
}

kernel void blur_columns(texture2d<float> in [[texture(0)]],
                         texture2d<uint, access::write> out [[texture(1)]],
                         constant float *weights [[buffer(0)]],
                         constant int &radius [[buffer(1)]],
                         uint2 at [[thread_position_in_grid]],
                         uint2 size [[threads_per_grid]]) {
    float4 sum = 0;
    for (int d = -radius; d <= radius; d++) {
        int y = clamp(int(at.y) + d, 0, int(size.y) - 1);
        sum += weights[abs(d)] * in.read(uint2(at.x, y));
    }
    out.write(uint4(clamp(sum + 0.5f, 0.0f, 255.0f)), at);
}

// sobel computes the magnitude of the brightness gradient with the two Sobel filters.
kernel void sobel(texture2d<uint> in [[texture(0)]],
                  texture2d<uint, access::write> out [[texture(1)]],
                  uint2 at [[thread_position_in_grid]],
                  uint2 size [[threads_per_grid]]) {
    int l[3][3];
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            uint2 p = uint2(clamp(int2(at) + int2(dx, dy), int2(0), int2(size) - 1));
            l[dy + 1][dx + 1] = int(luma(in.read(p)));
        }
    }
    float gx = float(l[0][2] + 2 * l[1][2] + l[2][2] - l[0][0] - 2 * l[1][0] - l[2][0]);
    float gy = float(l[2][0] + 2 * l[2][1] + l[2][2] - l[0][0] - 2 * l[0][1] - l[0][2]);
    uint edge = uint(min(255.0f, precise::sqrt(gx * gx + gy * gy)));
    out.write(uint4(edge, edge, edge, 255), at);
}

// histogram counts the pixels of each brightness. Each threadgroup counts in threadgroup memory first: many threads
// increment the same counters, and contention in device memory would be slow.
kernel void histogram(texture2d<uint> in [[texture(0)]],
                      device atomic_uint *counts [[buffer(0)]],
                      uint i [[thread_position_in_grid]],
                      uint lane [[thread_position_in_threadgroup]],
                      uint lanes [[threads_per_threadgroup]]) {
    threadgroup atomic_uint own[256];
    for (uint v = lane; v < 256; v += lanes) {
        atomic_store_explicit(&own[v], 0u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint2 at(i % in.get_width(), i / in.get_width());
    if (at.y < in.get_height()) {
        atomic_fetch_add_explicit(&own[luma(in.read(at))], 1u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint v = lane; v < 256; v += lanes) {
        uint n = atomic_load_explicit(&own[v], memory_order_relaxed);
        if (n > 0) {
            atomic_fetch_add_explicit(&counts[v], n, memory_order_relaxed);
        }
    }
}

// levels turns the histogram into a table from old to new brightness that makes all levels about equally frequent. One
// threadgroup of 256 threads computes the prefix sums in log2(256) steps.
kernel void levels(device const uint *counts [[buffer(0)]],
                   device uint *table [[buffer(1)]],
                   uint v [[thread_position_in_threadgroup]]) {
    threadgroup uint sums[256];
    threadgroup uint darkest; // number of pixels with the lowest brightness
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

// equalize sets each pixel's new brightness and keeps its hue.
kernel void equalize(texture2d<uint> in [[texture(0)]],
                     texture2d<uint, access::write> out [[texture(1)]],
                     device const uint *table [[buffer(0)]],
                     uint2 at [[thread_position_in_grid]]) {
    uint4 p = in.read(at);
    uint was = max(luma(p), 1u), is = table[luma(p)];
    uint3 c = min((p.rgb * is + was / 2) / was, uint3(255));
    out.write(uint4(c, p.a), at);
}
