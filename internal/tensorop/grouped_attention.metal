#include <metal_stdlib>
using namespace metal;

// Attention of language models: heads of queries share heads of keys and values. A simdgroup computes
// the result of one query: its lanes take 32 keys at a time, keep the largest score so far and what
// the results add up to relative to it, and then each sums up every 32nd feature. With CACHED the
// batches are slots of a cache, and a list has the place of each query; PACKED keys and values are
// integers with a scale for every 32 features, as in q8_0.

#ifndef IN
#define IN float  // an element of queries and results
#define KV float  // an element of keys and values
#define MASK float
#define CACHED 0
#define PACKED 0
#define MOST 16       // so many times 32 features a value has at most
#define WHOLE 0       // whether it has as many
#define KEY_STEP 0    // the stride of positions of keys and of their scales, 0 for any
#define VALUE_STEP 0  // the stride of values' features, 0 for any
#endif

// Strides are in elements, of a batch, a head, a position and a feature.
struct P {
    int heads, groups, queries, keys, depth, width; // width: features of a value
    int out[5], q[5], k[5], v[5];                   // each an offset and strides
#if PACKED
    int ks[5], vs[5]; // of scales
#endif
#if CACHED
    int slots, places;
#else
    int mask[5], causal, start, masked;
#endif
    int window, sinkOffset, sinkStride, sunk;
    float scale, softcap;
};

#if KEY_STEP
#define KEY from
#define KEY_SCALE from
#define KEY_LANE lane
#else
#define KEY (long(j) * p.k[3])
#define KEY_SCALE (long(j) * p.ks[3])
#define KEY_LANE 0
#endif
#if WHOLE
#define FEATURE(i) true
#else
#define FEATURE(i) (32 * (i) + lane < p.width)
#endif
#if VALUE_STEP
#define VALUE(f) (f)
#else
#define VALUE(f) ((f) * p.v[4])
#endif

// attend computes the result of one query, whose keys are those from begin to end.
static void attend(device IN *out, device const IN *q, device const KV *k, device const KV *v,
#if PACKED
                   device const half *ks, device const half *vs,
#endif
                   device const MASK *mask, device const float *sink, constant P &p, int begin, int end, int lane) {
    float top = p.sunk ? *sink : -INFINITY, total = p.sunk ? 1 : 0;
    float sums[MOST] = {};
    for (int from = begin; from < end; from += 32) {
        int j = from + lane;
        float score = -INFINITY;
        if (j < end) {
            score = 0;
            device const IN *x = q;
            device const KV *key = k + KEY;
#if PACKED
            device const half *scale = ks + KEY_SCALE;
            for (int e = 0; e < p.depth; e += 32, scale += p.ks[4]) {
                float sum = 0;
                for (int n = 0; n < 8; n++) {
                    for (int u = 0; u < 4; u++, x += p.q[4], key += p.k[4]) sum += float(x[0]) * float(key[KEY_LANE]);
                }
                score += float(scale[KEY_LANE]) * sum;
            }
#else
            int e = 0;
            for (; e + 4 <= p.depth; e += 4) { // four at a time cost less
                for (int u = 0; u < 4; u++, x += p.q[4], key += p.k[4]) score += float(x[0]) * float(key[KEY_LANE]);
            }
            for (; e < p.depth; e++, x += p.q[4], key += p.k[4]) score += float(x[0]) * float(key[KEY_LANE]);
#endif
            score *= p.scale;
            if (p.softcap > 0) score = p.softcap * precise::tanh(score / p.softcap);
#if !CACHED
            if (p.masked) score += float(mask[j * p.mask[4]]);
#endif
        }
        float higher = max(top, simd_max(score));
        if (higher == -INFINITY && !simd_any(isnan(score))) continue; // the mask leaves no key so far
        float weight = score == -INFINITY ? 0 : precise::exp(score - higher);
        float keep = top == -INFINITY ? 0 : precise::exp(top - higher);
        top = higher;
        total = total * keep + simd_sum(weight);
        for (int i = 0; i < MOST; i++) sums[i] *= keep;
        device const KV *value = v + long(from) * p.v[3];
#if PACKED
        for (int i = 0; i < MOST; i++) {
            if (!FEATURE(i)) continue;
            float scaled = j < end ? weight * float(vs[long(j) * p.vs[3] + i * p.vs[4]]) : 0;
            device const KV *x = value + VALUE(32 * i + lane);
            for (int n = 0, count = min(32, end - from); n < count; n++, x += p.v[3])
                sums[i] += simd_broadcast(scaled, ushort(n)) * float(x[0]);
        }
#else
        for (int n = 0, count = min(32, end - from); n < count; n++, value += p.v[3]) {
            float w = simd_broadcast(weight, ushort(n));
            for (int i = 0; i < MOST; i++)
                if (FEATURE(i)) sums[i] += w * float(value[VALUE(32 * i + lane)]);
        }
#endif
    }
    for (int i = 0; i < MOST; i++)
        if (FEATURE(i)) out[(32 * i + lane) * p.out[4]] = IN(total == 0 ? 0.0f : sums[i] / total);
}

kernel void grouped_attention(device IN *out [[buffer(0)]], device const IN *q [[buffer(1)]],
                              device const KV *k [[buffer(2)]], device const KV *v [[buffer(3)]],
#if CACHED
                              device const int *places [[buffer(4)]],
#else
                              device const MASK *mask [[buffer(4)]],
#endif
#if PACKED
                              device const float *sinks [[buffer(5)]], device const half *ks [[buffer(6)]],
                              device const half *vs [[buffer(7)]], constant P &p [[buffer(8)]],
#else
                              device const float *sinks [[buffer(5)]], constant P &p [[buffer(6)]],
#endif
                              uint3 group [[threadgroup_position_in_grid]],
                              uint3 groups [[threadgroups_per_grid]],
                              uint3 local [[thread_position_in_threadgroup]]) {
    int lane = int(local.x), shared = p.heads / p.groups;
    sinks += p.sinkOffset;
#if CACHED
    places += p.places + 4 * int(group.x);
    int t = places[0], b = places[1], at = places[2], end = min(p.keys, places[3]);
    if (t < 0 || t >= p.queries || b < 0 || b >= p.slots) return;
    k += p.k[0] + long(b) * p.k[1];
    v += p.v[0] + long(b) * p.v[1];
#if PACKED
    ks += p.ks[0] + long(b) * p.ks[1];
    vs += p.vs[0] + long(b) * p.vs[1];
#endif
    q += p.q[0] + long(t) * p.q[3];
    out += p.out[0] + long(t) * p.out[3];
    int begin = p.window > 0 ? max(0, at - p.window + 1) : 0;
    for (int h = int(group.y); h < p.heads; h += int(groups.y)) // all, or some if the grid is higher than 1
        attend(out + long(h) * p.out[2], q + long(h) * p.q[2], k + long(h / shared) * p.k[2],
               v + long(h / shared) * p.v[2],
#if PACKED
               ks + long(h / shared) * p.ks[2], vs + long(h / shared) * p.vs[2],
#endif
               sinks, sinks + h * p.sinkStride, p, begin, end, lane);
#else
    int t = int(group.x), h = int(group.y), b = int(group.z), at = p.start + t;
    int begin = p.window > 0 ? max(0, at - p.window + 1) : 0, end = p.causal ? min(p.keys, at + 1) : p.keys;
    attend(out + p.out[0] + long(b) * p.out[1] + long(h) * p.out[2] + long(t) * p.out[3],
           q + p.q[0] + long(b) * p.q[1] + long(h) * p.q[2] + long(t) * p.q[3],
           k + p.k[0] + long(b) * p.k[1] + long(h / shared) * p.k[2],
           v + p.v[0] + long(b) * p.v[1] + long(h / shared) * p.v[2],
           mask + p.mask[0] + long(b) * p.mask[1] + long(h) * p.mask[2] + long(t) * p.mask[3],
           sinks + h * p.sinkStride, p, begin, end, lane);
#endif
}
