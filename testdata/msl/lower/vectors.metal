// Components are read by extract and swizzle, written by insert, and a swizzle on the left keeps the rest of the vector.
#include <metal_stdlib>
using namespace metal;

kernel void vectors(device float4 *p [[buffer(0)]], device packed_float3 *q [[buffer(1)]], constant int &n [[buffer(2)]]) {
    float4 v = p[0];
    v.zx = v.xy;
    v[n] = 2;
    float3 w = float3(v.w, v.yz);
    w *= 0.5f;
    q[1] = w;
    q[2].y = q[1][n];
    p[1] = select(v, float4(1), v > 0);
    p[2].xy = v.wz;
}
