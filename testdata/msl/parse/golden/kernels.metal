#include <metal_stdlib>
using namespace metal;

kernel void scale(device float *out [[buffer(0)]],
                  constant float &factor [[buffer(1)]],
                  const device packed_float3 *in,
                  uint id [[thread_position_in_grid]]) {
    out[id] *= factor + in[id].x;
}

[[kernel]] void early(texture2d<float, access::read_write> img [[texture(0)]], sampler s [[sampler(0)]],
                      ushort2 at [[thread_position_in_threadgroup]]) {}

[[kernel, max_total_threads_per_threadgroup(256)]]
void limited(threadgroup half4x4 *tile [[threadgroup(0)]]) {}

constant bool flag [[function_constant(3)]];
constant int width [[function_constant(4)]] = 7;
static constant constexpr const uint lanes = 32u;

kernel void optional_args(device int *a [[buffer(2), function_constant(flag)]]) {}

struct VertexIn {
    float4 position [[attribute(0)]];
    float2 uv [[attribute(1)]];
};
struct VertexOut {
    float4 position [[position, invariant]];
    float2 uv [[user(locn0)]];
    float depth [[depth(any)]];
};
vertex VertexOut project(VertexIn in [[stage_in]], uint vid [[vertex_id]]) { return VertexOut{in.position, in.uv, 0.0f}; }
fragment half4 shade(VertexOut in [[stage_in]], bool front [[front_facing]]) { return half4(1.0h, 0.0h, 0, 1); }
[[early_fragment_tests]] fragment void probe() { discard_fragment(); }
[[patch(quad, 16)]] vertex float4 patchy(float2 uv [[position_in_patch]]) { return float4(uv, 0, 1); }
[[visible]] float blend(float a, float b) { return a + b; }
[[intersection(triangle, triangle_data)]] bool hit(float2 b [[barycentric_coord]]) { return b.x > 0.5; }

struct Args {
    device float *data [[id(0)]];
    array<texture2d<float>, 4> images [[id(1)]];
};
kernel void indirect(constant Args &args [[buffer(0)]]) {}
