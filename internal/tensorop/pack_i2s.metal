#include <metal_stdlib>
using namespace metal;

// Packs ternary weights as bitnet.cpp does: the sign of each, and the largest magnitude as the scale
// of all. A thread writes the four elements of a byte.

#ifndef IN
#define IN float // an element
#endif

struct P {
    int bytes, offset;
};

kernel void pack_i2s(device uchar *out [[buffer(0)]], device const IN *in [[buffer(1)]],
                     device const float *scale [[buffer(2)]], constant P &p [[buffer(3)]],
                     uint id [[thread_position_in_grid]]) {
    if (int(id) >= p.bytes) { // the tail: the scale, and a gap
        int i = int(id) - p.bytes;
        out[id] = i < 4 ? uchar(as_type<uint>(*scale) >> 8 * i) : uchar(0);
        return;
    }
    in += p.offset + long(id / 32) * 128 + id % 32;
    int bits = 0;
    for (int j = 0; j < 4; j++) {
        float x = float(in[32 * j]);
        bits |= (abs(x) < 1e-6f ? 1 : x > 0 ? 2 : 0) << (6 - 2 * j);
    }
    out[id] = uchar(bits);
}
