#include "rope.h"

// Stores the keys and values of new tokens in a cache. With ROPE keys are turned by rotary position
// embeddings first, and so are queries, as rope.metal does it. A thread has one pair of features of
// all heads, or of some if the grid is higher than 1: it computes the sine and cosine once.

#ifndef IN
#define IN float // an element of queries, keys and values
#define KV float // an element of the cache
#define ROPE 1
#define DENSE 0  // whether the stride of features is 1, but for those of stored keys
#endif

#if DENSE
#define AT(f, stride) (f)
#else
#define AT(f, stride) ((f) * (stride))
#endif

// Offsets and strides are in elements: of a row, a head and a feature, and in the cache of a slot, a
// group, a position and a feature.
struct P {
    int heads, groups, depth, width, rows, slots, positions, places;
    int out[4], q[4], k[4], v[4], keys[5], values[5];
    int pairs, neox, frequency;
    float magnitude;
};

kernel void cache_rows(device KV *keys [[buffer(0)]], device KV *values [[buffer(1)]],
                       device const IN *k [[buffer(2)]], device const IN *v [[buffer(3)]],
                       device const int *places [[buffer(4)]],
#if ROPE
                       device IN *out [[buffer(5)]], device const IN *q [[buffer(6)]],
                       device const float *frequencies [[buffer(7)]], constant P &p [[buffer(8)]],
#else
                       constant P &p [[buffer(5)]],
#endif
                       uint3 id [[thread_position_in_grid]], uint3 all [[threads_per_grid]]) {
    places += p.places + 4 * int(id.z);
    int i = int(id.x), row = places[0], slot = places[1], at = places[2];
    if (row < 0 || row >= p.rows || slot < 0 || slot >= p.slots || at < 0 || at >= p.positions) return;
    k += p.k[0] + long(row) * p.k[1];
    v += p.v[0] + long(row) * p.v[1];
    keys += p.keys[0] + long(slot) * p.keys[1] + long(at) * p.keys[3];
    values += p.values[0] + long(slot) * p.values[1] + long(at) * p.values[3];
    int first = int(id.y), step = int(all.y);
    if (i < p.width)
        for (int g = first; g < p.groups; g += step)
            values[long(g) * p.values[2] + AT(long(i), p.values[4])] = KV(float(v[g * p.v[2] + AT(i, p.v[3])]));
#if !ROPE
    if (i < p.depth)
        for (int g = first; g < p.groups; g += step)
            keys[long(g) * p.keys[2] + long(i) * p.keys[4]] = KV(float(k[g * p.k[2] + AT(i, p.k[3])]));
#else
    q += p.q[0] + long(row) * p.q[1];
    out += p.out[0] + long(row) * p.out[1];
    if (i >= p.pairs) { // features that are not turned
        int f = p.pairs + i;
        if (f >= p.depth) return;
        for (int g = first; g < p.groups; g += step)
            keys[long(g) * p.keys[2] + long(f) * p.keys[4]] = KV(float(k[g * p.k[2] + AT(f, p.k[3])]));
        for (int h = first; h < p.heads; h += step) out[h * p.out[2] + AT(f, p.out[3])] = q[h * p.q[2] + AT(f, p.q[3])];
        return;
    }
    float2 turn = rope_angle(float(at), frequencies + p.frequency + 2 * i, p.magnitude);
    float c = turn.x, s = turn.y;
    int x = p.neox ? i : 2 * i, y = p.neox ? i + p.pairs : 2 * i + 1;
    for (int g = first; g < p.groups; g += step) {
        float a = float(k[g * p.k[2] + AT(x, p.k[3])]), e = float(k[g * p.k[2] + AT(y, p.k[3])]);
        keys[long(g) * p.keys[2] + long(x) * p.keys[4]] = KV(float(IN(a * c - e * s)));
        keys[long(g) * p.keys[2] + long(y) * p.keys[4]] = KV(float(IN(a * s + e * c)));
    }
    for (int h = first; h < p.heads; h += step) {
        float a = float(q[h * p.q[2] + AT(x, p.q[3])]), e = float(q[h * p.q[2] + AT(y, p.q[3])]);
        out[h * p.out[2] + AT(x, p.out[3])] = IN(a * c - e * s);
        out[h * p.out[2] + AT(y, p.out[3])] = IN(a * s + e * c);
    }
#endif
}
