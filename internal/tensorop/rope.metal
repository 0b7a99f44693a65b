#include "rope.h"

// Rotary position embeddings: turns pairs of features by an angle that grows with the position.

#ifndef IN
#define IN float // an element
#define AT int   // a position
#endif

struct P {
    int pairs, neox, batches, rows, heads, depth; // elements are [batches, rows, heads, depth]
    int out[5], in[5], at[3], frequency;          // offsets, and strides
    float magnitude;
};

kernel void rope(device IN *out [[buffer(0)]], device const IN *in [[buffer(1)]],
                 device const AT *positions [[buffer(2)]], device const float *frequencies [[buffer(3)]],
                 constant P &p [[buffer(4)]], uint3 id [[thread_position_in_grid]]) {
    int i = int(id.x), head = int(id.y), row = int(id.z) % p.rows, b = int(id.z) / p.rows;
    out += p.out[0] + long(b) * p.out[1] + long(row) * p.out[2] + long(head) * p.out[3];
    in += p.in[0] + long(b) * p.in[1] + long(row) * p.in[2] + long(head) * p.in[3];
    if (i >= p.pairs) { // features that are not turned
        int f = p.pairs + i;
        out[f * p.out[4]] = in[f * p.in[4]];
        return;
    }
    float at = float(positions[p.at[0] + b * p.at[1] + row * p.at[2]]);
    float2 turn = rope_angle(at, frequencies + p.frequency + 2 * i, p.magnitude);
    float c = turn.x, s = turn.y;
    int x = p.neox ? i : 2 * i, y = p.neox ? i + p.pairs : 2 * i + 1;
    float a = float(in[x * p.in[4]]), e = float(in[y * p.in[4]]);
    out[x * p.out[4]] = IN(a * c - e * s);
    out[y * p.out[4]] = IN(a * s + e * c);
}
