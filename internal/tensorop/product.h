#pragma once
#include <metal_stdlib>
using namespace metal;

// Products of matrices: out = alpha*x*y + beta*out, for a batch of them.

// Package tensorop defines these macros before a file; the values here are for tools that open it.
#ifndef IN
#define IN float   // an element of x and of y
#define OUT float  // an element of out
#define SUM float  // what products are added up in
#define INTEGERS 0 // whether out has integers
#endif

// Offsets and strides are in elements; the batch's dimensions come last.
struct P {
    int m, n, k;
    int outOffset, outRow, outColumn, xOffset, xRow, xColumn, yOffset, yRow, yColumn;
    float alpha, beta;
    int batches, rank, shape[14], outStride[14], xStride[14], yStride[14];
};

// Matrices are the first elements of the matrices that a threadgroup multiplies.
struct Matrices {
    device OUT *out;
    device const IN *x, *y;
};

static Matrices matrices(device OUT *out, device const IN *x, device const IN *y, constant P &p, int batch) {
    Matrices m = {out + p.outOffset, x + p.xOffset, y + p.yOffset};
    for (int d = p.rank - 1; d >= 0; d--) {
        int i = batch % p.shape[d];
        batch /= p.shape[d];
        m.out += i * p.outStride[d];
        m.x += i * p.xStride[d];
        m.y += i * p.yStride[d];
    }
    return m;
}

// finish writes an element of out, with one of all NaNs.
static void finish(device OUT *at, SUM sum, constant P &p) {
#if INTEGERS
    *at = OUT(p.beta == 0 ? sum : SUM(sum + *at));
#else
    float v = p.beta == 0 ? p.alpha * sum : fma(p.alpha, sum, p.beta * float(*at));
    *at = OUT(v != v ? NAN : v);
#endif
}
