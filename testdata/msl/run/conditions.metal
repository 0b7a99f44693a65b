// launch conditions const0=01 const1=03000000 const2=01000000 const3=03 const4=00002040 const5=003c const6=7011010000000000
// buffer 0: zero 96
// want 0: i32 0 0 1 1 1 0 0 1 0 1 0 1 0 0 0 0 0 0 0 1 1 0 1 0
// launch conditions const0=00 const1=fdffffff const2=21000000 const3=fd const4=0000c0bf const5=0034 const6=0300000000000000 const7=01000000
// buffer 0: zero 96
// want 0: i32 1 1 0 0 0 1 1 1 1 0 1 0 0 1 0 0 0 0 0 0 1 1 1 1
// launch conditions const0=01 const1=f9ffffff const2=feffffff const3=06 const4=0000003f const5=0000 const6=6079feffffffffff const7=00000000
// buffer 0: zero 96
// want 0: i32 0 1 0 0 0 1 1 0 1 0 1 0 1 0 1 1 1 1 0 1 1 1 1 0
// launch conditions const0=00 const1=ffffff7f const2=20000000 const3=ff const4=0000c07f const5=0068 const6=0000000000000040 const7=01000000
// buffer 0: zero 96
// want 0: i32 1 1 0 1 0 0 0 1 1 0 1 0 0 0 0 0 0 0 1 0 1 1 1 1
// launch conditions const0=01 const1=00000080 const2=04000000 const3=00 const4=caf24971 const5=537b const6=0000000000000000
// buffer 0: zero 96
// want 0: i32 0 1 0 1 0 1 0 1 0 0 0 0 0 0 0 0 0 0 1 0 1 1 0 0
// launch conditions const0=00 const1=00000000 const2=00000000 const3=05 const4=00000000 const5=0038 const6=0ef7000000000000
// buffer 0: zero 96
// want 0: i32 0 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 1 1 1
#include <metal_stdlib>
using namespace metal;

// Arguments exist under conditions that are computed from function constants: what the kernel writes of each condition
// says whether its argument exists, which TestComputedConditions of shader compares.
enum kind { kind_a, kind_b };
constant bool b [[function_constant(0)]];
constant int n [[function_constant(1)]];
constant uint u [[function_constant(2)]];
constant uchar c [[function_constant(3)]];
constant float f [[function_constant(4)]];
constant half h [[function_constant(5)]];
constant long w [[function_constant(6)]];
constant int extra [[function_constant(7)]];
constant uint level = b ? u : 3;

constant bool ternary = b ? n > 3 : u > 3;
constant bool bits = (n & 4) | (u ^ 1);
constant bool sum = n * 2 + 1 == 7;
constant bool wraps = n + 2147483647 < 0;
constant bool shifted = (n << u) == 6;
constant bool arithmetic_shift = (n >> 1) < -1;
constant bool logical_shift = (uint(n) >> 28) == 15;
constant bool narrowed = uchar(n) == c;
constant bool promoted = c + 250 > 255;
constant bool cut = int(f) == 2;
constant bool saturated = uint(f) == 0;
constant bool inverted = ~n == -4;
constant bool negative = -n > 5;
constant bool quotient = n / 2 == -1;
constant bool remainder = n % 3 == -1;
constant bool unsigned_compare = n < u;
constant bool product = f * 2 == 1;
constant bool third = f / 3 == 0.16666667f;
constant bool half_sum = h + 0.0005h == h;
constant bool wide = w * w > 4000000000l;
constant bool truth = f;
constant bool chosen = level - 1 > 1u;
constant bool nested = (b ? c : n) != (b ^ 1);
constant bool missing = is_function_constant_defined(extra) ? extra == kind_b : !b;

kernel void conditions(device int *o [[buffer(0)]],
                       device int *p1 [[buffer(1), function_constant(ternary)]],
                       device int *p2 [[buffer(2), function_constant(bits)]],
                       device int *p3 [[buffer(3), function_constant(sum)]],
                       device int *p4 [[buffer(4), function_constant(wraps)]],
                       device int *p5 [[buffer(5), function_constant(shifted)]],
                       device int *p6 [[buffer(6), function_constant(arithmetic_shift)]],
                       device int *p7 [[buffer(7), function_constant(logical_shift)]],
                       device int *p8 [[buffer(8), function_constant(narrowed)]],
                       device int *p9 [[buffer(9), function_constant(promoted)]],
                       device int *p10 [[buffer(10), function_constant(cut)]],
                       device int *p11 [[buffer(11), function_constant(saturated)]],
                       device int *p12 [[buffer(12), function_constant(inverted)]],
                       device int *p13 [[buffer(13), function_constant(negative)]],
                       device int *p14 [[buffer(14), function_constant(quotient)]],
                       device int *p15 [[buffer(15), function_constant(remainder)]],
                       device int *p16 [[buffer(16), function_constant(unsigned_compare)]],
                       device int *p17 [[buffer(17), function_constant(product)]],
                       device int *p18 [[buffer(18), function_constant(third)]],
                       device int *p19 [[buffer(19), function_constant(half_sum)]],
                       device int *p20 [[buffer(20), function_constant(wide)]],
                       device int *p21 [[buffer(21), function_constant(truth)]],
                       device int *p22 [[buffer(22), function_constant(chosen)]],
                       device int *p23 [[buffer(23), function_constant(nested)]],
                       device int *p24 [[buffer(24), function_constant(missing)]]) {
    o[0] = ternary;
    o[1] = bits;
    o[2] = sum;
    o[3] = wraps;
    o[4] = shifted;
    o[5] = arithmetic_shift;
    o[6] = logical_shift;
    o[7] = narrowed;
    o[8] = promoted;
    o[9] = cut;
    o[10] = saturated;
    o[11] = inverted;
    o[12] = negative;
    o[13] = quotient;
    o[14] = remainder;
    o[15] = unsigned_compare;
    o[16] = product;
    o[17] = third;
    o[18] = half_sum;
    o[19] = wide;
    o[20] = truth;
    o[21] = chosen;
    o[22] = nested;
    o[23] = missing;
}
