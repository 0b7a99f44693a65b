// Operations among lanes are one operation each, by the type's sign; a lane number is widened to 32 bits; a vote is a mask of 64.
#include <metal_stdlib>
using namespace metal;

kernel void simdgroups(device float *p [[buffer(0)]], device uint *q [[buffer(1)]], ushort lane [[thread_index_in_simdgroup]]) {
    float x = p[lane];
    p[0] = simd_sum(x) + simd_max(x);
    p[1] = simd_shuffle_xor(x, ushort(1)) + simd_shuffle_down(x, 2) + simd_broadcast(x, lane);
    p[2] = simd_shuffle_and_fill_up(x, p[3], 4);
    q[0] = simd_max(q[lane]) + simd_prefix_exclusive_sum(q[lane]);
    if (simd_all(x > 0)) q[1] = quad_sum(q[lane]);
    q[2] = uint(simd_vote::vote_t(simd_ballot(x > 1)));
}
