// A simdgroup_matrix is one value of all lanes; load and store take the row's length, and multiplying gives a new value.
#include <metal_stdlib>
using namespace metal;

kernel void matrices8(device const half *a [[buffer(0)]], device float *c [[buffer(1)]], threadgroup half *t [[threadgroup(0)]]) {
    simdgroup_matrix<half, 8, 8> x, y;
    simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    simdgroup_load(x, a, 16);
    simdgroup_load(y, t, 8, ulong2(0, 0), true);
    simdgroup_multiply_accumulate(sum, x, y, sum);
    sum.thread_elements()[0] += 1;
    simdgroup_store(sum, c, 8);
}
