// launch matmul grid=2,3 group=2,3
// buffer 0: f32 1 2 3 4 5 6
// buffer 1: f32 1 2 3 4
// buffer 2: zero 24
// buffer 3: i32 3 2 2
// want 2: f32 7 10 15 22 23 34
// launch matrices
// buffer 0: zero 96
// want 0: f32 1 3 2 4 5 11 7 10 -2 4 -6 8
#include <metal_stdlib>
using namespace metal;

struct Sizes { int m, n, k; };

kernel void matmul(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]],
                   constant Sizes &s [[buffer(3)]], uint2 p [[thread_position_in_grid]]) {
    if (int(p.x) >= s.n || int(p.y) >= s.m) return;
    float sum = 0;
    for (int k = 0; k < s.k; k++)
        sum += a[p.y * s.k + k] * b[k * s.n + p.x];
    c[p.y * s.n + p.x] = sum;
}

kernel void matrices(device float *out [[buffer(0)]]) {
    float2x2 m = float2x2(float2(1, 2), float2(3, 4));
    float2x2 t = transpose(m);
    out[0] = t[0].x;
    out[1] = t[0][1];
    out[2] = t[1].x;
    out[3] = t[1].y;
    float2 v = m * float2(-1, 2);
    out[4] = v.x;
    out[5] = v.y + 5;
    m = m * m;
    out[6] = m[0].x;
    out[7] = m[0].y;
    float2x2 u(2.0f);
    u[1] = float2(0, 4);
    out[8] = determinant(float2x2(float2(1, 2), float2(3, 4)));
    out[9] = u[1].y;
    out[10] = determinant(float3x3(float3(1, 2, 3), float3(0, 1, 4), float3(5, 6, 0))) - 7;
    out[11] = (u * float2(4, 1)).x;
}
