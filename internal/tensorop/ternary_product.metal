#ifndef BLOCK // package tensorop defines the format
#define TQ2_0
#define BLOCK 256
#define BYTES 66
#endif
#include "packed.h"

// The product of a matrix of int8 and transposed ternary weights: out[m][n] is the sum of
// x[m][k] * w[n][k], in which the products of a scale's elements are added as integers, times the
// scale of row m of x. The software device has a native body for it.

#ifndef OUT
#define OUT float // an element of out
#define ROWS 8    // of x that a simdgroup takes
#endif

struct P {
    Weights weights;
    int m, outOffset, xOffset, scaleOffset; // x and out are dense
    int rows;                               // ROWS
};

#ifdef __PUREMETAL__
[[puremetal::native("ternary_product")]]
#endif
kernel void ternary_product(device OUT *out [[buffer(0)]], device const uchar *w [[buffer(1)]],
                            device const char *x [[buffer(2)]], device const float *xScales [[buffer(3)]],
                            constant P &p [[buffer(4)]], uint2 group [[threadgroup_position_in_grid]],
                            uint2 local [[thread_position_in_threadgroup]]) {
    int n = int(group.x), m = int(group.y) * ROWS, lane = int(local.x), columns = p.weights.columns;
    Row r = row_at(n, p.weights, w, w, w);
    x += p.xOffset + long(m) * columns;
#if defined I2_S
    int part = columns; // all have one scale
#else
    int part = BLOCK;
#endif
    int last = p.m - 1 - m; // the last row again where there are fewer
    float totals[ROWS] = {};
    for (int begin = 0; begin < columns; begin += part) {
        int sums[ROWS] = {};
        for (int from = begin; from < begin + part; from += 32) {
            if (from + lane >= columns) break;
#if defined I2_S
            int q = code(r, from, lane), trit = q == 3 ? 0 : q - 1;
#else
            int trit = code(r.w + begin / BLOCK * BYTES, from - begin, lane);
#endif
            for (int i = 0; i < ROWS; i++) sums[i] += x[long(min(i, last)) * columns + from + lane] * trit;
        }
#if defined I2_S
        float by = r.scale;
#else
        float by = scale(r.w + begin / BLOCK * BYTES);
#endif
        for (int i = 0; i < ROWS; i++) totals[i] += float(simd_sum(sums[i])) * by;
    }
    for (int i = 0; i < ROWS; i++)
        if (lane == 0 && i <= last) {
            float y = totals[i] * xScales[p.scaleOffset + m + i];
            out[p.outOffset + (m + i) * p.weights.rows + n] = OUT(isnan(y) ? NAN : y);
        }
}
