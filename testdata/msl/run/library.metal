// metal 400
// launch saturated
// buffer 0: i64 0x7fffffffffffffff 2 -9 3
// buffer 1: zero 64
// want 1: i64 9223372036854775807 -9223372036854775808 5 -1 8 9223372036854775807 -9223372036854775808 -8
// launch srgb
// buffer 0: zero 48
// want 0: f32 1 0.2158605 0 0.2 4278223103 0
// launch nulls
// texture 1: R32Uint 1 1: i32 5
// buffer 0: zero 16
// want 0: i32 1 0 1 0
// launch transposed const0=01 grid=32 group=32
// buffer 0: f32 0 1 2 3 4 5 6 7 10 11 12 13 14 15 16 17 48*0
// buffer 1: zero 512
// want 1: f32 0 10 6*0 1 11 6*0
// launch sampled
// texture 0: R32Float 4 4: f32 1 15*0 | 10 10 10 10 | 20
// texture 1: Depth32Float 4 4: f32 1 15*0 | 10 10 10 10 | 20
// buffer 0: zero 64
// want 0: f32 10 20 15 20 1 0 1 10 7.5 10
// launch barriers grid=4 group=4
// buffer 0: zero 16
// want 0: i32 4 3 2 1
// launch filled
// buffer 0: zero 32
// want 0: f32 2 2 6 30 1 0 0 7
// launch matrices grid=32 group=32
// buffer 0: zero 256
// want 0: f32 9 1 1 1 1 1 1 1 1 9
#include <metal_stdlib>
using namespace metal;

kernel void saturated(device long *in [[buffer(0)]], device long *out [[buffer(1)]]) {
    long big = in[0], two = in[1], minus = in[2], three = in[3];
    out[0] = madsat(big, two, minus);
    out[1] = madsat(big, minus, two);
    out[2] = madsat(two, three, -1l);
    out[3] = madsat(ulong(big), ulong(three), 1ul);
    out[4] = madsat(ulong(two), ulong(three), 2ul);
    out[5] = madsat(big, 1l, two);
    out[6] = madsat(big, -1l, minus);
    out[7] = madsat(minus, 1l, 1l);
}

kernel void srgb(device float *out [[buffer(0)]]) {
    float4 v = unpack_unorm4x8_srgb_to_float(0x330080ffu);
    out[0] = v.x;
    out[1] = round(v.y * 1e7f) / 1e7f;
    out[2] = v.z;
    out[3] = v.w;
    out[4] = pack_float_to_srgb_unorm4x8(float4(1, 0.2158605f, 0, 1)) + 0.0f;
    out[5] = pack_half_to_srgb_unorm4x8(half4(0)) + 0.0f;
}

kernel void nulls(texture2d<uint> none [[texture(0)]], texture2d<uint> some [[texture(1)]], sampler s [[sampler(0)]], device int *out [[buffer(0)]]) {
    constexpr sampler given(filter::linear);
    out[0] = is_null_texture(none);
    out[1] = is_null_texture(some);
    out[2] = is_null_sampler(s);
    out[3] = is_null_sampler(given);
}

constant bool turn [[function_constant(0)]];

kernel void transposed(device const float *in [[buffer(0)]], device float *out [[buffer(1)]]) {
    simdgroup_float8x8 m;
    simdgroup_load(m, in, 8, ulong2(0), turn);
    simdgroup_store(m, out, 8);
    simdgroup_store(m, out + 64, 8, ulong2(0), !turn);
}

kernel void sampled(texture2d<float> t [[texture(0)]], depth2d<float> d [[texture(1)]], device float *out [[buffer(0)]]) {
    constexpr sampler s(mip_filter::linear, compare_func::less), first(lod_clamp(0.0f, 0.0f), mip_filter::nearest), deep(mip_filter::linear, lod_bias(0.75f));
    constexpr sampler most(filter::linear, reduction::maximum), aniso(mip_filter::linear, max_anisotropy(4));
    float2 at = float2(0.6f);
    out[0] = t.sample(s, at, gradient2d(float2(0.5f, 0), float2(0))).x;
    out[1] = t.sample(s, at, gradient2d(float2(4, 0), float2(0))).x;
    out[2] = t.sample(s, at, gradient2d(float2(0.1f), float2(0)), min_lod_clamp(1.5f)).x;
    out[3] = t.sample(s, at, level(9)).x;
    out[4] = t.sample(first, float2(0), level(2)).x;
    out[5] = d.sample_compare(s, at, 0.5f);
    out[6] = d.sample_compare(s, at, 0.5f, gradient2d(float2(0.5f, 0), float2(0)));
    out[7] = t.sample(s, at, bias(1)).x;
    out[8] = t.sample(deep, at, level(0)).x;
    out[9] = t.sample(aniso, at, gradient2d(float2(0.5f, 0), float2(0, 0.5f))).x;
}

kernel void barriers(device int *out [[buffer(0)]], uint i [[thread_index_in_threadgroup]]) {
    threadgroup int shared[4];
    shared[i] = i + 1;
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup, thread_scope_device);
    out[i] = shared[3 - i];
    simdgroup_barrier(mem_flags::mem_none, thread_scope_simdgroup);
}

struct Pair { int a; float b; };

kernel void filled(device float *out [[buffer(0)]]) {
    array<float, 3> a;
    a.fill(2);
    out[0] = a[0];
    out[1] = a.back();
    for (float x : a) out[2] += x;
    array<Pair, 40> many;
    many.fill(Pair{1, 0.75f});
    for (uint i = 0; i < many.size(); i++) out[3] += many[i].b;
    out[4] = many[39].a;
    array<int, 2> none = {};
    none.fill(0);
    out[5] = none[0] + none[1];
    many[3].a = 7;
    out[7] = many.data()[3].a;
}

kernel void matrices(device float *out [[buffer(0)]]) {
    simdgroup_float8x8 ones = make_filled_simdgroup_matrix<float, 8, 8>(1.0f), eight(8.0f), sum;
    sum = ones * make_diagonal_simdgroup_matrix<float, 8, 8>(1.0f) + eight;
    simdgroup_store(sum, out);
}
