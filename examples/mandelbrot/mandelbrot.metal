#include <metal_stdlib>
using namespace metal;

// Each thread computes one pixel: the number of iterations of z = z^2 + c before z escapes, where c is the pixel's point
// in the complex plane. `width` is the width of the image in the plane; a point that has not escaped after `limit`
// iterations counts as a member of the set.
kernel void mandelbrot(device uchar4 *image [[buffer(0)]],
                       constant float2 &center [[buffer(1)]],
                       constant float &width [[buffer(2)]],
                       constant uint &limit [[buffer(3)]],
                       uint2 at [[thread_position_in_grid]],
                       uint2 size [[threads_per_grid]]) {
    float2 c = center + (float2(at) + 0.5f - 0.5f * float2(size)) * (width / float(size.x));
    float2 z = 0;
    uint n = 0;
    while (n < limit && dot(z, z) < 64.0f) {
        z = float2(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        n++;
    }
    float3 color = 0;
    if (n < limit) {
        // Smooth the iteration count by how far the last iteration escaped, and look it up in a cyclic palette.
        float smooth = float(n) - log2(0.5f * log2(dot(z, z)));
        color = 0.5f - 0.5f * cos(6.2831853f * (0.036f * smooth + float3(0.02f, 0.07f, 0.16f)));
    }
    image[at.y * size.x + at.x] = uchar4(uchar3(255.0f * color + 0.5f), 255);
}
