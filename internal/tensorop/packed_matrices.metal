#include "packed.h"

// The product of packed_product.metal for GPUs with simdgroup matrices and many rows of x, which adds
// in another order. A threadgroup of four simdgroups computes 32 by 32 elements. It unpacks 32 columns
// of 32 rows of weights to threadgroup memory, and each simdgroup multiplies them into 16 by 16
// elements, as four matrices of 8 by 8.

#ifndef IN
#define IN float  // an element of x
#define OUT float // an element of out
#endif

struct P {
    Weights weights;
    int m, outOffset, xOffset; // x and out are dense
    int rows;                  // of packed_product.metal
};

kernel void packed_matrices(device OUT *out [[buffer(0)]], device const uchar *w [[buffer(1)]],
                            device const uchar *scales [[buffer(2)]], device const uchar *biases [[buffer(3)]],
                            device const IN *x [[buffer(4)]], constant P &p [[buffer(5)]],
                            uint2 group [[threadgroup_position_in_grid]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint simdgroup_index [[simdgroup_index_in_threadgroup]]) {
    constexpr int side = 32;
    threadgroup float xs[side * side], ws[side * side];
    int first = int(group.x) * side, row = int(group.y) * side, columns = p.weights.columns;
    uint top = simdgroup_index / 2 * 16, left = simdgroup_index % 2 * 16;
    simdgroup_float8x8 sums[2][2];
    for (uint i = 0; i < 2; i++)
        for (uint j = 0; j < 2; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    x += p.xOffset;
    for (int from = 0; from < columns; from += side) {
        bool in = from + int(lane) < columns;
        // A simdgroup fills eight rows of both.
        for (int i = int(simdgroup_index) * 8; i < int(simdgroup_index) * 8 + 8; i++) {
            int n = first + i, m = row + i;
            ws[i * side + lane] = in && n < p.weights.rows
                                      ? at(row_at(n, p.weights, w, scales, biases), from, int(lane))
                                      : 0.0f;
            xs[i * side + lane] = in && m < p.m ? float(x[long(m) * columns + from + lane]) : 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = 0; d < side; d += 8) {
            simdgroup_float8x8 a[2], b[2];
            for (uint i = 0; i < 2; i++) {
                simdgroup_load(a[i], xs + (top + i * 8) * side + d, side);
                simdgroup_load(b[i], ws + (left + i * 8) * side + d, side, ulong2(0, 0), true);
            }
            for (uint i = 0; i < 2; i++)
                for (uint j = 0; j < 2; j++) simdgroup_multiply_accumulate(sums[i][j], a[i], b[j], sums[i][j]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 2; i++)
        for (uint j = 0; j < 2; j++) simdgroup_store(sums[i][j], xs + (top + i * 8) * side + left + j * 8, side);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = int(simdgroup_index) * 8; i < int(simdgroup_index) * 8 + 8; i++) {
        int m = row + i, n = first + int(lane);
        if (m < p.m && n < p.weights.rows) out[p.outOffset + long(m) * p.weights.rows + n] = OUT(xs[i * side + lane]);
    }
}
