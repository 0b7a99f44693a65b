#include <metal_stdlib>
using namespace metal;

// One thread computes one pixel: how long z = z^2 + c stays near zero, where c is the pixel's place in the plane. `width` is how much of the
// plane the picture shows from left to right, `limit` after how many rounds a point counts as one that never leaves.
kernel void mandelbrot(device uchar4 *image [[buffer(0)]],
                       constant float2 &centre [[buffer(1)]],
                       constant float &width [[buffer(2)]],
                       constant uint &limit [[buffer(3)]],
                       uint2 at [[thread_position_in_grid]],
                       uint2 size [[threads_per_grid]]) {
    float2 c = centre + (float2(at) + 0.5f - 0.5f * float2(size)) * (width / float(size.x));
    float2 z = 0;
    uint n = 0;
    while (n < limit && dot(z, z) < 64.0f) {
        z = float2(z.x * z.x - z.y * z.y, 2.0f * z.x * z.y) + c;
        n++;
    }
    float3 colour = 0;
    if (n < limit) {
        // The rounds, made a smooth number by how far out the last one led, choose a colour of a palette that goes round.
        float rounds = float(n) - log2(0.5f * log2(dot(z, z)));
        colour = 0.5f - 0.5f * cos(6.2831853f * (0.036f * rounds + float3(0.02f, 0.07f, 0.16f)));
    }
    image[at.y * size.x + at.x] = uchar4(uchar3(255.0f * colour + 0.5f), 255);
}
