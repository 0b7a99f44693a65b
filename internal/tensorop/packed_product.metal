#include "packed.h"

// The product of a matrix and transposed packed weights: out[m][n] is the sum of x[m][k] * w[n][k].
// A simdgroup computes an element of up to ROWS rows of x: lane l adds the products of elements l,
// l+32, l+64, ..., and then the lanes' sums are added in pairs, 16, 8, 4, 2 and 1 apart. The file is
// compiled with safe math. The software device's native body keeps the order of operations: do not
// change one without the other.

#ifndef IN
#define IN float  // an element of x
#define OUT float // an element of out
#define ROWS 8    // of x that a simdgroup takes
#endif

struct P {
    Weights weights;
    int m, outOffset, xOffset; // x and out are dense
    int rows;                  // ROWS
};

#ifdef __PUREMETAL__
[[puremetal::native("packed_product")]]
#endif
kernel void packed_product(device OUT *out [[buffer(0)]], device const uchar *w [[buffer(1)]],
                           device const uchar *scales [[buffer(2)]], device const uchar *biases [[buffer(3)]],
                           device const IN *x [[buffer(4)]], constant P &p [[buffer(5)]],
                           uint2 group [[threadgroup_position_in_grid]],
                           uint2 local [[thread_position_in_threadgroup]]) {
    int n = int(group.x), m = int(group.y) * ROWS, lane = int(local.x), columns = p.weights.columns;
    Row r = row_at(n, p.weights, w, scales, biases);
    x += p.xOffset + long(m) * columns;
    int last = p.m - 1 - m; // the last row again where there are fewer
    float sums[ROWS] = {};
    for (int from = 0; from < columns; from += 32) {
        if (from + lane >= columns) break;
        float v = at(r, from, lane);
        for (int i = 0; i < ROWS; i++) {
            float element = float(x[long(min(i, last)) * columns + from + lane]);
            sums[i] = fma(element, v, sums[i]);
        }
    }
    for (int i = 0; i < ROWS; i++) {
        float sum = sums[i];
        for (ushort d = 16; d > 0; d >>= 1) sum += simd_shuffle_down(sum, d);
        if (lane == 0 && m + i < p.m) out[p.outOffset + (m + i) * p.weights.rows + n] = OUT(isnan(sum) ? NAN : sum);
    }
}
