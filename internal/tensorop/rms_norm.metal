#include <metal_stdlib>
using namespace metal;

// Divides each row by the root of the mean of its squares, and multiplies it with a scale. A
// simdgroup computes a row. With ADD the row is the sum of two, which is a result as well.

#ifndef IN
#define IN float // an element of rows and results
#define SCALE float
#define ADD 1
#endif

// Offsets are in elements; rows are dense.
struct P {
    int n, out, in, scale, scaleStep, sum, add;
    float epsilon;
};

kernel void rms_norm(device IN *out [[buffer(0)]], device const IN *in [[buffer(1)]],
                     device const SCALE *scale [[buffer(2)]],
#if ADD
                     device IN *sum [[buffer(3)]], device const IN *add [[buffer(4)]], constant P &p [[buffer(5)]],
#else
                     constant P &p [[buffer(3)]],
#endif
                     uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
    long first = long(row) * p.n;
    in += p.in + first;
    out += p.out + first;
#if ADD
    sum += p.sum + first;
    add += p.add + first;
#endif
    // The condition of the loop is the same for all lanes.
    float total = 0;
    for (int at = 0; at < p.n; at += 32) {
        int k = at + int(lane);
        if (k < p.n) {
            float x = float(in[k]);
#if ADD
            x = float(IN(x + float(add[k])));
            sum[k] = IN(x);
#endif
            total += x * x;
        }
    }
    for (ushort d = 16; d > 0; d >>= 1) total += simd_shuffle_down(total, d);
    float factor = 1.0f / sqrt(simd_broadcast_first(total) / float(p.n) + p.epsilon);
    for (int at = 0; at < p.n; at += 32) {
        int k = at + int(lane);
        if (k < p.n) {
#if ADD
            float x = float(sum[k]);
#else
            float x = float(in[k]);
#endif
            out[k] = IN(x * factor * float(scale[p.scale + k * p.scaleStep]));
        }
    }
}
