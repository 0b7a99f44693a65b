// launch simd grid=32 group=32
// buffer 0: zero 128
// buffer 1: zero 24
// want 0: i32 1 0 3 2 5 4 7 6 9 8 11 10 13 12 15 14 17 16 19 18 21 20 23 22 25 24 27 26 29 28 31 30
// want 1: i32 31 31 0 496 16 3
// launch tile grid=32 group=32
// buffer 0: f32 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 1
// buffer 1: f32 8*1 8*2 8*3 8*4 8*5 8*6 8*7 8*8
// buffer 2: zero 256
// want 2: f32 8*3 8*5 8*7 8*9 8*11 8*13 8*15 8*17
#include <metal_stdlib>
using namespace metal;

kernel void simd(device uint *out [[buffer(0)]], device uint *one [[buffer(1)]], ushort lane [[thread_index_in_simdgroup]]) {
    out[lane] = simd_shuffle_xor(uint(lane), 1);
    uint top = simd_max(uint(lane));
    uint last = simd_broadcast(uint(lane), 31);
    uint low = simd_min(uint(lane));
    uint sum = simd_sum(uint(lane));
    simd_vote v = simd_ballot(lane < 16);
    ulong bits = (simd_vote::vote_t)v;
    uint before = simd_prefix_exclusive_sum(uint(lane));
    if (lane == 0) {
        one[0] = top;
        one[1] = last;
        one[2] = low;
        one[3] = sum;
        one[4] = popcount(uint(bits));
    }
    if (lane == 3) one[5] = before;
}

kernel void tile(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]], device float *c [[buffer(2)]]) {
    simdgroup_float8x8 ma, mb;
    simdgroup_float8x8 acc[2];
    for (int i = 0; i < 2; i++) acc[i] = make_filled_simdgroup_matrix<float, 8, 8>(float(i));
    simdgroup_load(ma, a);
    simdgroup_load(mb, b, 8);
    for (int i = 0; i < 2; i++) simdgroup_multiply_accumulate(acc[i], ma, mb, acc[i]);
    simdgroup_multiply_accumulate(mb, ma, mb, acc[1]);
    simdgroup_store(mb, c, 8, ulong2(0, 0));
}
