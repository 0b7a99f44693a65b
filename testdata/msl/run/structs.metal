// launch structs
// buffer 0: f32 1 2 3 0 0
// buffer 1: zero 64
// want 1: f32 1 2 3 6 14 20 9 3 4 7 8
// launch vectors
// buffer 0: zero 64
// want 0: f32 4 3 2 1 9 2 8 7 0.5 1 3 -2 32 5
// launch packed_and_types grid=2
// buffer 0: f32 1 2 3 4 5 6
// buffer 1: zero 8
// want 1: f32 6 15
#include <metal_stdlib>
using namespace metal;

struct Point {
    float x, y;
    float sum() const { return x + y; }
    void scale(float k) { x *= k; y *= k; }
};

struct Base { float b; };
struct Derived : Base {
    float d;
    Derived(float u, float v) { b = u; d = v; }
    float both() const { return b + d; }
};

struct Params { packed_float3 v; int n; float tail[2]; };

static Point make(float x, float y) {
    Point p = {x, y};
    return p;
}

static float norm2(thread const Point &p) { return p.x * p.x + p.y * p.y; }

kernel void structs(constant Params &p [[buffer(0)]], device float *out [[buffer(1)]]) {
    float3 v = p.v;
    out[0] = v.x; out[1] = v.y; out[2] = v.z;
    out[3] = v.x + v.y + v.z;
    Point q = make(2, 4);
    out[4] = q.sum() + 8;
    out[5] = norm2(q);
    q.scale(1.5f);
    out[6] = q.x + q.y;
    Derived d(1, 2);
    out[7] = d.both();
    Point grid[2][2] = {{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
    int i = p.n;
    out[8] = grid[i][1].y;
    Point copy = grid[1][i + 1];
    out[9] = copy.x;
    grid[1][1] = copy;
    out[10] = grid[1][1].y;
}

kernel void vectors(device float *out [[buffer(0)]]) {
    float4 v = float4(1, 2, 3, 4);
    float4 w = v.wzyx;
    out[0] = w.x; out[1] = w.y; out[2] = w.z; out[3] = w.w;
    v.xz = float2(9, 8);
    out[4] = v[0]; out[5] = v.y; out[6] = v.z;
    int k = 3;
    v[k] = 7;
    out[7] = v[k];
    half2 h = half2(0.5h, 1.0h);
    out[8] = h.x; out[9] = h.y;
    int2 n = int2(float2(3.7f, -2.9f));
    out[10] = n.x; out[11] = n.y;
    out[12] = dot(float3(1, 2, 3), float3(4, 5, 6));
    bool2 lt = float2(1, 5) < float2(3, 4);
    out[13] = (lt.x ? 4 : 0) + (lt.y ? 2 : 1);
}

kernel void packed_and_types(device const packed_float3 *in [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    float3 v = float3(in[i]);
    out[i] = v.x + v.y + v.z;
}
