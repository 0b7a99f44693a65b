// launch maths
// buffer 0: zero 128
// want 0: f32 3 1 2 0.5 2 1 -1 0.5 3 2.5 0.75 2 0.25 3 -7 2
// launch integers
// buffer 0: zero 64
// want 0: i32 5 -3 24 255 16 10 31 3 4 1065353216 7 1
// launch constants const0=05000000 const1=01
// buffer 0: zero 16
// want 0: i32 5 8 1 11
// launch constants
// buffer 0: zero 16
// want 0: i32 0 3 0 -1
#include <metal_stdlib>
using namespace metal;

constant int count [[function_constant(0)]];
constant bool flag [[function_constant(1)]];
constant int more = is_function_constant_defined(count) ? count + 3 : 3;

kernel void maths(device float *out [[buffer(0)]]) {
    float three = 3, one = 1;
    out[0] = max(three, one);
    out[1] = min(three, one);
    out[2] = clamp(three, 0.0f, 2.0f);
    out[3] = saturate(one * 0.5f);
    out[4] = mix(one, three, 0.5f);
    out[5] = sign(three);
    out[6] = sign(-three);
    out[7] = fract(three + 0.5f);
    out[8] = length(float2(three, 0));
    float whole;
    out[9] = modf(three - 0.5f, whole) + whole;
    int e;
    out[10] = frexp(three, e);
    out[11] = e;
    out[12] = precise::sqrt(one * 0.0625f);
    out[13] = fma(one, one, 2.0f);
    out[14] = select(three, -7.0f, three > one);
    out[15] = metal::floor(2.75f);
}

kernel void integers(device int *out [[buffer(0)]]) {
    int a = 5, b = -3;
    out[0] = max(a, b);
    out[1] = min(a, b);
    out[2] = clz(uint(a * 51));
    out[3] = pack_float_to_unorm4x8(float4(1, 0, 0, 0));
    out[4] = extract_bits(0x1000u, 8, 8);
    out[5] = rotate(a, 1);
    out[6] = mulhi(uint(0x80000000), 62u);
    out[7] = abs(b);
    out[8] = popcount(0xf0u);
    out[9] = as_type<int>(1.0f);
    out[10] = clamp(a, 7, 9);
    out[11] = all(int3(1, 2, 3) == int3(1, 2, 3));
}

kernel void constants(device int *out [[buffer(0)]]) {
    out[0] = is_function_constant_defined(count) ? count : 0;
    out[1] = more;
    out[2] = is_function_constant_defined(flag) && flag;
    out[3] = is_function_constant_defined(flag) ? 11 : -1;
}
