#include <metal_stdlib>
using namespace metal;

// Stores the keys and values of new tokens in a cache. With ROPE keys are turned by rotary position
// embeddings first, and so are queries, as rope.metal does it.

#ifndef IN
#define IN float // an element of queries, keys and values
#define KV float // an element of the cache
#define ROPE 1
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
                       uint3 id [[thread_position_in_grid]]) {
    places += p.places + 4 * int(id.z);
    int i = int(id.x), head = int(id.y), row = places[0], slot = places[1], at = places[2];
    if (row < 0 || row >= p.rows || slot < 0 || slot >= p.slots || at < 0 || at >= p.positions) return;
    if (head < p.groups) { // a value
        if (i < p.width)
            values[p.values[0] + long(slot) * p.values[1] + long(head) * p.values[2] + long(at) * p.values[3] +
                   i * p.values[4]] = KV(float(v[p.v[0] + long(row) * p.v[1] + head * p.v[2] + i * p.v[3]]));
        return;
    }
    head -= p.groups;
    if (head < p.groups) {
        k += p.k[0] + long(row) * p.k[1] + head * p.k[2];
        keys += p.keys[0] + long(slot) * p.keys[1] + long(head) * p.keys[2] + long(at) * p.keys[3];
#if !ROPE
        if (i < p.depth) keys[i * p.keys[4]] = KV(float(k[i * p.k[3]]));
    }
#else
    } else {
        head -= p.groups;
        q += p.q[0] + long(row) * p.q[1] + head * p.q[2];
        out += p.out[0] + long(row) * p.out[1] + head * p.out[2];
    }
    bool key = int(id.y) < 2 * p.groups;
    int step = key ? p.k[3] : p.q[3];
    device const IN *in = key ? k : q;
    if (i >= p.pairs) { // features that are not turned
        int f = p.pairs + i;
        if (f >= p.depth) return;
        if (key)
            keys[f * p.keys[4]] = KV(float(in[f * step]));
        else
            out[f * p.out[3]] = in[f * step];
        return;
    }
    float high = frequencies[p.frequency + 2 * i], low = frequencies[p.frequency + 2 * i + 1];
    float turns = float(at) * high, rest = fma(float(at), high, -turns) + float(at) * low;
    float angle = 2 * ((turns - rint(turns)) + rest);
    float c = precise::cospi(angle) * p.magnitude, s = precise::sinpi(angle) * p.magnitude;
    int x = p.neox ? i : 2 * i, y = p.neox ? i + p.pairs : 2 * i + 1;
    float a = float(in[x * step]), e = float(in[y * step]);
    IN first = IN(a * c - e * s), second = IN(a * s + e * c);
    if (key) {
        keys[x * p.keys[4]] = KV(float(first));
        keys[y * p.keys[4]] = KV(float(second));
    } else {
        out[x * p.out[3]] = first;
        out[y * p.out[3]] = second;
    }
#endif
}
