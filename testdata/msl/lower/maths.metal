// Whether a function may be fast is a flag of each operation: what precise:: and fast:: say, else the maths mode. Nothing is
// contracted, and bfloat and half have operations of their own.
#include <metal_stdlib>
using namespace metal;

kernel void maths(device float *p [[buffer(0)]], device half *h [[buffer(1)]], device bfloat *b [[buffer(2)]]) {
    p[0] = sin(p[1]) + precise::exp(p[2]) + fast::sqrt(p[3]);
    p[4] = p[5] * p[6] + p[7];
    p[8] = fma(p[5], p[6], p[7]) + min(p[0], p[1]);
    h[0] = h[1] * h[2] + 1.0h;
    b[0] = b[1] + bfloat(h[2]);
    p[9] = clamp(p[9], 0.0f, 1.0f) + mix(p[1], p[2], 0.25f) + length(float2(p[1], p[2]));
}
