#include "product.h"

// A threadgroup of four simdgroups computes 32 by 32 elements. Each simdgroup computes 16 by 16 of
// them as four matrices of 8 by 8.

kernel void matmul_simdgroup(device OUT *out [[buffer(0)]], device const IN *x [[buffer(1)]],
                             device const IN *y [[buffer(2)]], constant P &p [[buffer(3)]],
                             uint3 group [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]],
                             uint simdgroup_index [[simdgroup_index_in_threadgroup]]) {
    constexpr int side = 32, depth = 16, threads = 128;
    threadgroup float xs[side * depth], ys[depth * side], sum[side * side];
    Matrices at = matrices(out, x, y, p, int(group.z));
    int row = int(group.y) * side, column = int(group.x) * side;
    uint top = simdgroup_index / 2 * 16, left = simdgroup_index % 2 * 16;
    simdgroup_float8x8 sums[2][2];
    for (uint i = 0; i < 2; i++)
        for (uint j = 0; j < 2; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (int from = 0; from < p.k; from += depth) {
        for (int i = int(t); i < side * depth; i += threads) {
            int r = row + i / depth, k = from + i % depth;
            xs[i] = r < p.m && k < p.k ? float(at.x[r * p.xRow + k * p.xColumn]) : 0.0f;
        }
        for (int i = int(t); i < depth * side; i += threads) {
            int k = from + i / side, c = column + i % side;
            ys[i] = k < p.k && c < p.n ? float(at.y[k * p.yRow + c * p.yColumn]) : 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = 0; d < depth; d += 8) {
            simdgroup_float8x8 a[2], b[2];
            for (uint i = 0; i < 2; i++) {
                simdgroup_load(a[i], xs + (top + i * 8) * depth + d, depth);
                simdgroup_load(b[i], ys + d * side + left + i * 8, side);
            }
            for (uint i = 0; i < 2; i++)
                for (uint j = 0; j < 2; j++) simdgroup_multiply_accumulate(sums[i][j], a[i], b[j], sums[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 2; i++)
        for (uint j = 0; j < 2; j++) simdgroup_store(sums[i][j], sum + (top + i * 8) * side + left + j * 8, side);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = int(t); i < side * side; i += threads) {
        int r = row + i / side, c = column + i % side;
        if (r < p.m && c < p.n) finish(at.out + r * p.outRow + c * p.outColumn, sum[i], p);
    }
}
