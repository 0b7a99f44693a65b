#include "layout.h"

// transpose exchanges rows and columns of in, which has rows x columns elements; z is the index in
// the batch. Each tile goes through threadgroup memory so that both reads and writes are in order
// of addresses; the tile's extra column avoids bank conflicts.
template <typename T>
kernel void transpose(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant uint2 &size [[buffer(2)]],
                      uint3 group [[threadgroup_position_in_grid]], uint3 t [[thread_position_in_threadgroup]]) {
    threadgroup T tile[32][33];
    uint rows = size.x, columns = size.y;
    in += group.z * rows * columns;
    out += group.z * rows * columns;
    for (uint i = t.y; i < 32; i += 8) {
        uint r = group.y * 32 + i, c = group.x * 32 + t.x;
        if (r < rows && c < columns) {
            tile[i][t.x] = in[r * columns + c];
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = t.y; i < 32; i += 8) {
        uint r = group.x * 32 + i, c = group.y * 32 + t.x;
        if (r < columns && c < rows) {
            out[r * rows + c] = tile[t.x][i];
        }
    }
}

// Product describes out = a b, where a is m x k, b is k x n and out is m x n. Strides are in
// elements: between rows, between columns, and between matrices in both dimensions of the batch, the
// inner one first, which has inner matrices.
struct Product {
    uint m, n, k, inner;
    int a[4], b[4], out[4];
};

// matrix_at returns the offset of a matrix of the batch.
inline int matrix_at(constant Product &p, constant int *strides, uint z) {
    return int(z % p.inner) * strides[2] + int(z / p.inner) * strides[3];
}

template <typename T> struct total { using type = float; };
template <> struct total<char> { using type = int; };

inline float multiply_add(float x, float y, float sum) { return fma(x, y, sum); }
inline int multiply_add(int x, int y, int sum) { return sum + x * y; }

// one_nan makes one of all NaNs.
inline float one_nan(float x) { return x != x ? NAN : x; }
inline int one_nan(int x) { return x; }

// matmul_tiled multiplies tiles of 16 x 16 in threadgroup memory, one thread per element of the
// result. The file is compiled with safe math, so that the order of operations is the one that is
// written here. The software device's native body keeps it: do not change one without the other.
template <typename T, typename R>
#ifdef __PUREMETAL__
[[puremetal::native("matmul_tiled")]]
#endif
kernel void matmul_tiled(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device R *out [[buffer(2)]],
                         constant Product &p [[buffer(3)]], uint3 group [[threadgroup_position_in_grid]],
                         uint3 t [[thread_position_in_threadgroup]]) {
    using S = typename total<T>::type;
    constexpr uint side = 16;
    threadgroup S at[side][side], bt[side][side];
    a += matrix_at(p, p.a, group.z);
    b += matrix_at(p, p.b, group.z);
    out += matrix_at(p, p.out, group.z);
    uint row = group.y * side + t.y, column = group.x * side + t.x;
    S sum = S(0);
    for (uint k = 0; k < p.k; k += side) {
        at[t.y][t.x] = row < p.m && k + t.x < p.k ? S(a[int(row) * p.a[0] + int(k + t.x) * p.a[1]]) : S(0);
        bt[t.y][t.x] = column < p.n && k + t.y < p.k ? S(b[int(k + t.y) * p.b[0] + int(column) * p.b[1]]) : S(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0, n = min(side, p.k - k); i < n; i++) {
            sum = multiply_add(at[t.y][i], bt[i][t.x], sum);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (row < p.m && column < p.n) {
        out[int(row) * p.out[0] + int(column) * p.out[1]] = R(one_nan(sum));
    }
}

// matmul_simdgroup computes 32 x 32 elements of the result with a threadgroup of four simdgroups.
// Each simdgroup computes 16 x 16 of them as four matrices of 8 x 8.
template <typename T>
kernel void matmul_simdgroup(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device T *out [[buffer(2)]],
                             constant Product &p [[buffer(3)]], uint3 group [[threadgroup_position_in_grid]],
                             uint t [[thread_index_in_threadgroup]], uint simdgroup_index [[simdgroup_index_in_threadgroup]]) {
    constexpr uint side = 32, depth = 16, threads = 128;
    threadgroup float at[side * depth], bt[depth * side], ct[side * side];
    a += matrix_at(p, p.a, group.z);
    b += matrix_at(p, p.b, group.z);
    out += matrix_at(p, p.out, group.z);
    uint top = group.y * side, left = group.x * side;
    uint y = simdgroup_index / 2 * 16, x = simdgroup_index % 2 * 16;
    simdgroup_float8x8 sums[2][2];
    for (uint i = 0; i < 2; i++) {
        for (uint j = 0; j < 2; j++) {
            sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
        }
    }
    for (uint k = 0; k < p.k; k += depth) {
        for (uint i = t; i < side * depth; i += threads) {
            uint r = i / depth, c = i % depth;
            at[i] = top + r < p.m && k + c < p.k ? float(a[int(top + r) * p.a[0] + int(k + c) * p.a[1]]) : 0.0f;
        }
        for (uint i = t; i < depth * side; i += threads) {
            uint r = i / side, c = i % side;
            bt[i] = k + r < p.k && left + c < p.n ? float(b[int(k + r) * p.b[0] + int(left + c) * p.b[1]]) : 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = 0; d < depth; d += 8) {
            simdgroup_float8x8 am[2], bm[2];
            for (uint i = 0; i < 2; i++) {
                simdgroup_load(am[i], at + (y + i * 8) * depth + d, depth);
                simdgroup_load(bm[i], bt + d * side + x + i * 8, side);
            }
            for (uint i = 0; i < 2; i++) {
                for (uint j = 0; j < 2; j++) {
                    simdgroup_multiply_accumulate(sums[i][j], am[i], bm[j], sums[i][j]);
                }
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = 0; i < 2; i++) {
        for (uint j = 0; j < 2; j++) {
            simdgroup_store(sums[i][j], ct + (y + i * 8) * side + x + j * 8, side);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = t; i < side * side; i += threads) {
        uint r = top + i / side, c = left + i % side;
        if (r < p.m && c < p.n) {
            out[int(r) * p.out[0] + int(c) * p.out[1]] = T(ct[i]);
        }
    }
}

EACH_FLOAT(transpose)
EACH_FLOAT(matmul_simdgroup)
KERNEL(matmul_tiled, f32, float, float)
KERNEL(matmul_tiled, f16, half, half)
KERNEL(matmul_tiled, bf16, bfloat, bfloat)
KERNEL(matmul_tiled, i8, char, int)
