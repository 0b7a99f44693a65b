#include "product.h"

// A threadgroup of 16 by 16 threads computes 64 by 64 elements, a thread 4 by 4 of them, 16 apart.
// The file is compiled with safe math, so that the order of operations is the one that is written
// here. The software device's native body keeps it: do not change one without the other.

static float step(float sum, float a, float b) { return fma(a, b, sum); }
template <typename T> static T step(T sum, T a, T b) { return T(sum + a * b); }

#ifdef __PUREMETAL__
[[puremetal::native("matmul")]]
#endif
kernel void matmul(device OUT *out [[buffer(0)]], device const IN *x [[buffer(1)]], device const IN *y [[buffer(2)]],
                   constant P &p [[buffer(3)]], uint3 group [[threadgroup_position_in_grid]],
                   uint3 local [[thread_position_in_threadgroup]]) {
    threadgroup IN xs[64][16], ys[16][64];
    Matrices at = matrices(out, x, y, p, int(group.z));
    int row = int(group.y) * 64, column = int(group.x) * 64;
    int tx = int(local.x), ty = int(local.y);
    SUM sums[4][4] = {};
    for (int from = 0; from < p.k; from += 16) {
        for (int i = 0; i < 4; i++) {
            int r = row + ty + 16 * i, k = from + tx;
            xs[ty + 16 * i][tx] = r < p.m && k < p.k ? at.x[r * p.xRow + k * p.xColumn] : IN(0);
            int c = column + tx + 16 * i;
            k = from + ty;
            ys[ty][tx + 16 * i] = c < p.n && k < p.k ? at.y[k * p.yRow + c * p.yColumn] : IN(0);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        int count = min(16, p.k - from);
        for (int k = 0; k < count; k++)
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sums[i][j] = step(sums[i][j], SUM(xs[ty + 16 * i][k]), SUM(ys[k][tx + 16 * j]));
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            int r = row + ty + 16 * i, c = column + tx + 16 * j;
            if (r < p.m && c < p.n) finish(at.out + r * p.outRow + c * p.outColumn, sums[i][j], p);
        }
}
