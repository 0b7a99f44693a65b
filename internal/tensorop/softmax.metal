#include <metal_stdlib>
using namespace metal;

// The softmax of each row, or its logarithm. Package tensorop defines these macros; the values here
// are for tools that open the file.
#ifndef IN
#define IN float  // an element of a row
#define OUT float // an element of the result
#define KEEP 1    // whether OUT holds what is added up
#define LOG 0     // whether the result is the logarithm
#define SIMD 1    // whether a simdgroup computes a row, and not a thread
#endif

// Offsets and strides are in elements: of the rows in the last dimensions, and within a row.
struct P {
    int n, inOffset, inStep, outOffset, outStep, rank, shape[15], inStride[15], outStride[15];
};

static float larger(float a, float b) { return a != a ? a : b != b || b > a ? b : a; }

#if SIMD
#define ROW threadgroup_position_in_grid
#else
#define ROW thread_position_in_grid
#endif

kernel void softmax(device OUT *out [[buffer(0)]], device const IN *in [[buffer(1)]], constant P &p [[buffer(2)]],
                    uint row [[ROW]], uint t [[thread_index_in_threadgroup]]) {
#if SIMD
    const int first = int(t), step = 32; // there are at least 64 elements
#else
    const int first = 0, step = 1;
#endif
    int r = int(row);
    in += p.inOffset;
    out += p.outOffset;
    for (int d = p.rank - 1; d >= 0; d--) {
        int i = r % p.shape[d];
        r /= p.shape[d];
        in += i * p.inStride[d];
        out += i * p.outStride[d];
    }
    float top = float(in[first * p.inStep]);
    for (int i = first + step; i < p.n; i += step) top = larger(top, float(in[i * p.inStep]));
#if SIMD
    for (ushort d = 16; d > 0; d >>= 1) top = larger(top, simd_shuffle_down(top, d));
    top = simd_broadcast_first(top);
#endif
    float sum = 0.0f;
    for (int i = first; i < p.n; i += step) {
        float e = precise::exp(float(in[i * p.inStep]) - top);
#if KEEP && !LOG
        out[i * p.outStep] = e; // of this thread alone, so that the operands may be one array
#endif
        sum += e;
    }
#if SIMD
    for (ushort d = 16; d > 0; d >>= 1) sum += simd_shuffle_down(sum, d);
    sum = simd_broadcast_first(sum);
#endif
#if LOG
    float log = precise::log(sum);
#endif
    for (int i = first; i < p.n; i += step) {
#if LOG
        out[i * p.outStep] = OUT(float(in[i * p.inStep]) - top - log);
#elif KEEP
        out[i * p.outStep] = out[i * p.outStep] / sum;
#else
        out[i * p.outStep] = OUT(precise::exp(float(in[i * p.inStep]) - top) / sum);
#endif
    }
}
