#include "rope.h"

// Stores the keys and values of new tokens in a cache of q8_0: integers, and a scale for every 32
// features of a head. With ROPE keys and queries are turned first, with the bits of cache_rows.metal.
// A simdgroup has 32 features, one a lane, of all heads, or of some if the grid is higher than 1.

#ifndef IN
#define IN float // an element of queries, keys and values
#define ROPE 1
#define DENSE 0  // whether the stride of features is 1, but for those of stored keys
#endif

#if DENSE
#define AT(f, stride) (f)
#else
#define AT(f, stride) ((f) * (stride))
#endif

// Offsets and strides are in elements: of a row, a head and a feature, and in the cache of a slot, a
// group, a position and a feature or a scale.
struct P {
    int heads, groups, depth, width, rows, slots, positions, places;
    int out[4], q[4], k[4], v[4], keys[5], values[5], keyScales[5], valueScales[5];
    int pairs, neox, frequency;
    float magnitude;
};

// put packs the numbers of all lanes as ggml does. NaN among them makes the scale NaN.
static void put(device char *to, device half *scale, float x, int lane) {
    float d = simd_max(abs(x)) / 127, by = d == 0 ? 0 : 1 / d, n = round(x * by);
    bool none = simd_any(isnan(x));
    *to = isnan(n) ? char(0) : char(clamp(n, -127.0f, 127.0f));
    if (lane == 0) *scale = none ? half(NAN) : half(d);
}

kernel void cache_rows_q8_0(device char *keys [[buffer(0)]], device char *values [[buffer(1)]],
                            device half *keyScales [[buffer(2)]], device half *valueScales [[buffer(3)]],
                            device const IN *k [[buffer(4)]], device const IN *v [[buffer(5)]],
                            device const int *places [[buffer(6)]],
#if ROPE
                            device IN *out [[buffer(7)]], device const IN *q [[buffer(8)]],
                            device const float *frequencies [[buffer(9)]], constant P &p [[buffer(10)]],
#else
                            constant P &p [[buffer(7)]],
#endif
                            uint3 id [[thread_position_in_grid]], uint3 all [[threads_per_grid]]) {
    places += p.places + 4 * int(id.z);
    int i = int(id.x), lane = i % 32, block = i / 32, row = places[0], slot = places[1], at = places[2];
    if (row < 0 || row >= p.rows || slot < 0 || slot >= p.slots || at < 0 || at >= p.positions) return;
    k += p.k[0] + long(row) * p.k[1];
    v += p.v[0] + long(row) * p.v[1];
    keys += p.keys[0] + long(slot) * p.keys[1] + long(at) * p.keys[3] + long(i) * p.keys[4];
    values += p.values[0] + long(slot) * p.values[1] + long(at) * p.values[3];
    keyScales += p.keyScales[0] + long(slot) * p.keyScales[1] + long(at) * p.keyScales[3] +
                 long(block) * p.keyScales[4];
    valueScales += p.valueScales[0] + long(slot) * p.valueScales[1] + long(at) * p.valueScales[3] +
                   long(block) * p.valueScales[4];
    int first = int(id.y), step = int(all.y);
    if (i < p.width)
        for (int g = first; g < p.groups; g += step)
            put(values + long(g) * p.values[2] + AT(long(i), p.values[4]), valueScales + long(g) * p.valueScales[2],
                float(v[g * p.v[2] + AT(i, p.v[3])]), lane);
    if (i >= p.depth) return;
#if !ROPE
    for (int g = first; g < p.groups; g += step)
        put(keys + long(g) * p.keys[2], keyScales + long(g) * p.keyScales[2],
            float(k[g * p.k[2] + AT(i, p.k[3])]), lane);
#else
    q += p.q[0] + long(row) * p.q[1];
    out += p.out[0] + long(row) * p.out[1];
    bool turned = i < 2 * p.pairs, second = false;
    int x = i, y = i; // the features of the pair
    float c = 1, s = 0;
    if (turned) {
        second = p.neox ? i >= p.pairs : i % 2 != 0;
        int n = p.neox ? (second ? i - p.pairs : i) : i / 2;
        x = p.neox ? n : 2 * n;
        y = p.neox ? n + p.pairs : 2 * n + 1;
        float2 turn = rope_angle(float(at), frequencies + p.frequency + 2 * n, p.magnitude);
        c = turn.x;
        s = turn.y;
    }
    for (int g = first; g < p.groups; g += step) {
        float a = float(k[g * p.k[2] + AT(x, p.k[3])]), e = float(k[g * p.k[2] + AT(y, p.k[3])]);
        float r = !turned ? a : second ? float(IN(a * s + e * c)) : float(IN(a * c - e * s));
        put(keys + long(g) * p.keys[2], keyScales + long(g) * p.keyScales[2], r, lane);
    }
    for (int h = first; h < p.heads; h += step) {
        float a = float(q[h * p.q[2] + AT(x, p.q[3])]), e = float(q[h * p.q[2] + AT(y, p.q[3])]);
        out[h * p.out[2] + AT(i, p.out[3])] = !turned ? IN(a) : second ? IN(a * s + e * c) : IN(a * c - e * s);
    }
#endif
}
