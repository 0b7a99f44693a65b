// Convolutions as models have them: the kernel is not mirrored, what lies outside counts as zero.
#include <metal_stdlib>
using namespace metal;

struct Line {
    int length, taps, stride, padding, dilation, outputs, channels;
};

// in[channel][length], weight[out][channel][taps], out[out][outputs]
kernel void conv1d(device const float *in [[buffer(0)]], device const float *weight [[buffer(1)]], device float *out [[buffer(2)]], constant Line &l [[buffer(3)]],
                   uint2 at [[thread_position_in_grid]])
{
    float sum = 0;
    for (int c = 0; c < l.channels; c++) {
        for (int t = 0; t < l.taps; t++) {
            int x = int(at.x) * l.stride - l.padding + t * l.dilation;
            if (x < 0 || x >= l.length)
                continue;
            sum += in[c * l.length + x] * weight[(at.y * l.channels + c) * l.taps + t];
        }
    }
    out[at.y * l.outputs + at.x] = sum;
}

struct Plane {
    int2 size, out;
    int channels, outputs, radius, stride;
};

// in[channel][y][x], weight[out][channel][2 radius + 1][2 radius + 1], out[out][y][x]
kernel void conv2d(device const float *in [[buffer(0)]], device const float *weight [[buffer(1)]], device float *out [[buffer(2)]], constant Plane &p [[buffer(3)]],
                   uint3 at [[thread_position_in_grid]])
{
    if (int(at.x) >= p.out.x || int(at.y) >= p.out.y || int(at.z) >= p.outputs)
        return;
    const int taps = 2 * p.radius + 1;
    float sum = 0;
    for (int c = 0; c < p.channels; c++)
        for (int dy = 0; dy < taps; dy++)
            for (int dx = 0; dx < taps; dx++) {
                int2 from = int2(at.xy) * p.stride + int2(dx, dy) - p.radius;
                if (all(from >= 0) && all(from < p.size))
                    sum += in[(c * p.size.y + from.y) * p.size.x + from.x] * weight[((at.z * p.channels + c) * taps + dy) * taps + dx];
            }
    out[(at.z * p.out.y + at.y) * p.out.x + at.x] = sum;
}

// The same for 3 by 3 and stride 1, through a tile in threadgroup memory with a border around.
kernel void conv2d_tiled(device const float *in [[buffer(0)]], device const float *weight [[buffer(1)]], device float *out [[buffer(2)]], constant Plane &p [[buffer(3)]],
                         threadgroup float *tile [[threadgroup(0)]], uint3 at [[thread_position_in_grid]], uint3 group [[threadgroup_position_in_grid]],
                         uint3 in_group [[thread_position_in_threadgroup]], uint3 threads [[threads_per_threadgroup]], uint tid [[thread_index_in_threadgroup]])
{
    const int2 width = int2(threads.xy) + 2, origin = int2(group.xy * threads.xy) - 1;
    float sum = 0;
    for (int c = 0; c < p.channels; c++) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int i = tid; i < width.x * width.y; i += threads.x * threads.y) {
            int2 from = origin + int2(i % width.x, i / width.x);
            tile[i] = all(from >= 0) && all(from < p.size) ? in[(c * p.size.y + from.y) * p.size.x + from.x] : 0;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (int dy = 0; dy < 3; dy++)
            for (int dx = 0; dx < 3; dx++)
                sum += tile[(int(in_group.y) + dy) * width.x + int(in_group.x) + dx] * weight[((at.z * p.channels + c) * 3 + dy) * 3 + dx];
    }
    if (int(at.x) < p.size.x && int(at.y) < p.size.y)
        out[(at.z * p.size.y + at.y) * p.size.x + at.x] = sum;
}
