#include "packed.h"

// Unpacks rows of packed weights: all in order, or those that indices name. An index that is
// negative or too large gives zeros. A simdgroup unpacks up to 1024 elements of a row.

#ifndef OUT
#define OUT float // an element of the result
#define INDEX int // an index
#endif

struct P {
    Weights weights;
    int outOffset, indexed, indexOffset, indexStride;
};

kernel void unpack(device OUT *out [[buffer(0)]], device const uchar *w [[buffer(1)]],
                   device const uchar *scales [[buffer(2)]], device const uchar *biases [[buffer(3)]],
                   device const INDEX *indices [[buffer(4)]], constant P &p [[buffer(5)]],
                   uint2 group [[threadgroup_position_in_grid]],
                   uint2 local [[thread_position_in_threadgroup]]) {
    int i = int(group.y), lane = int(local.x), columns = p.weights.columns, row = i;
    if (p.indexed) {
        long n = long(indices[p.indexOffset + i * p.indexStride]);
        row = n >= 0 && n < p.weights.rows ? int(n) : -1;
    }
    int begin = int(group.x) * 1024, end = min(begin + 1024, columns);
    Row r = row_at(max(row, 0), p.weights, w, scales, biases);
    out += p.outOffset + long(i) * columns;
    for (int from = begin; from < end; from += 32)
        if (from + lane < end) out[from + lane] = OUT(row < 0 ? 0.0f : at(r, from, lane));
}
