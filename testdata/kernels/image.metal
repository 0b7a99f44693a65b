// Filters of images.
#include <metal_stdlib>
using namespace metal;

// The mean of the texels around, those outside as at the edge.
kernel void box_blur(texture2d<float, access::read> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]], constant int &radius [[buffer(0)]],
                     uint2 at [[thread_position_in_grid]])
{
    const int2 last = int2(in.get_width(), in.get_height()) - 1;
    if (any(int2(at) > last))
        return;
    float4 sum = 0;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            sum += in.read(uint2(clamp(int2(at) + int2(x, y), int2(0), last)));
    const float side = 2 * radius + 1;
    out.write(sum / (side * side), at);
}

// How steep the brightness is; a texel outside is black.
kernel void sobel(texture2d<float, access::read> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]], uint2 at [[thread_position_in_grid]])
{
    if (at.x >= out.get_width() || at.y >= out.get_height())
        return;
    float v[3][3];
    for (uint y = 0; y < 3; y++)
        for (uint x = 0; x < 3; x++)
            v[y][x] = in.read(at + uint2(x, y) - 1).x;
    float gx = v[0][2] + 2 * v[1][2] + v[2][2] - v[0][0] - 2 * v[1][0] - v[2][0];
    float gy = v[2][0] + 2 * v[2][1] + v[2][2] - v[0][0] - 2 * v[0][1] - v[0][2];
    out.write(float4(sqrt(gx * gx + gy * gy), 0, 0, 1), at);
}

constexpr sampler linear_sampler(coord::normalized, address::clamp_to_edge, filter::linear);

kernel void resize(texture2d<float> in [[texture(0)]], texture2d<float, access::write> out [[texture(1)]], uint2 at [[thread_position_in_grid]])
{
    const uint2 size = uint2(out.get_width(), out.get_height());
    if (any(at >= size))
        return;
    out.write(in.sample(linear_sampler, (float2(at) + 0.5f) / float2(size)), at);
}
