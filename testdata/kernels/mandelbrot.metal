// How many rounds it takes each point of a rectangle to leave a circle.
#include <metal_stdlib>
using namespace metal;

struct View {
    float2 origin, step;
    uint width, rounds;
};

kernel void mandelbrot(device ushort *out [[buffer(0)]], constant View &v [[buffer(1)]], uint2 at [[thread_position_in_grid]])
{
    const float2 c = v.origin + float2(at) * v.step;
    float2 z = 0;
    uint n = 0;
    while (n < v.rounds) {
        float xx = z.x * z.x, yy = z.y * z.y;
        if (xx + yy > 4)
            break;
        z = float2(xx - yy, 2 * z.x * z.y) + c;
        n++;
    }
    out[at.y * v.width + at.x] = n;
}
