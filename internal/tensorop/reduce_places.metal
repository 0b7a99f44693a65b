#include <metal_stdlib>
using namespace metal;

// The second round of argmin and argmax: of the places that the first one found in the parts of a
// row, the best. Package tensorop defines these macros; the values here are for tools that open the
// file.
#ifndef IN
#define IN float    // an element
#define VALUE float // what elements are compared as
#define BETTER >    // how the best one compares to the others
#define OUT int     // the result
#endif

// Offsets and strides are in elements: of the results and of their rows, of the parts of a row, and
// within a part.
struct P {
    int outOffset, outStride, rowOffset, rowStride, parts, length, stride, rank, shape[15], partStride[15];
};

struct Best {
    VALUE v;
    int i;
};

static Best join(Best a, Best b) {
    bool an = a.v != a.v, bn = b.v != b.v;
    return (bn && !an) || (!an && b.v BETTER a.v) || ((b.v == a.v || (an && bn)) && b.i < a.i) ? b : a;
}

static Best best(device const IN *in, device const int *places, constant P &p, int part) {
    Best b;
    b.i = part * p.length + places[part];
    in += places[part] * p.stride;
    for (int d = p.rank - 1; d >= 0; d--) {
        in += part % p.shape[d] * p.partStride[d];
        part /= p.shape[d];
    }
    b.v = VALUE(*in);
    return b;
}

kernel void reduce_places(device OUT *out [[buffer(0)]], device const IN *in [[buffer(1)]],
                          device const int *places [[buffer(2)]], constant P &p [[buffer(3)]],
                          uint row [[threadgroup_position_in_grid]], uint lane [[thread_index_in_threadgroup]]) {
    in += p.rowOffset + int(row) * p.rowStride;
    places += int(row) * p.parts;
    Best a = best(in, places, p, min(int(lane), p.parts - 1));
    for (int k = int(lane) + 32; k < p.parts; k += 32) a = join(a, best(in, places, p, k));
    for (ushort d = 16; d > 0; d >>= 1) {
        Best b;
        b.v = simd_shuffle_down(a.v, d);
        b.i = simd_shuffle_down(a.i, d);
        a = join(a, b);
    }
    if (lane == 0) out[p.outOffset + int(row) * p.outStride] = OUT(a.i);
}
