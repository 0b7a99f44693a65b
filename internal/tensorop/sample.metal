#include <metal_stdlib>
using namespace metal;

// Chooses a token of each row of logits, which are in descending order with their ids: by the
// probabilities of as many as top-k, top-p and min-p leave, and a random number. A thread does a row.

#ifndef IN
#define IN float // a logit
#endif

// Offsets and strides are in elements.
struct P {
    int count, out[2], logits[2], ids[2], random[2];
    float temperature, topP, minP;
};

// Sum is a sum of two floats: vocabularies are long, and a token's probability may be small.
struct Sum {
    float high, low;
};

static Sum add(Sum s, float x) {
    float high = s.high + x, part = high - s.high;
    return {high, s.low + ((s.high - (high - part)) + (x - part))};
}

static Sum times(Sum s, float x) {
    float high = s.high * x;
    return {high, fma(s.high, x, -high) + s.low * x};
}

static bool exceeds(Sum a, Sum b) { return (a.high - b.high) + (a.low - b.low) > 0; }

// weight is a probability relative to the first token's: 1 for its equals, infinities among them.
// NaN, which comes last, has none.
static float weight(float x, float first, float temperature) {
    if (isnan(x)) return 0;
    return x == first ? 1 : precise::exp((x - first) / temperature);
}

kernel void sample(device int *out [[buffer(0)]], device const IN *logits [[buffer(1)]],
                   device const int *ids [[buffer(2)]], device const float *random [[buffer(3)]],
                   constant P &p [[buffer(4)]], uint row [[thread_position_in_grid]]) {
    logits += p.logits[0] + long(row) * p.logits[1];
    ids += p.ids[0] + long(row) * p.ids[1];
    float first = float(logits[0]);
    int n = 0;
    Sum total = {0, 0};
    for (int i = 0; i < p.count; i++) {
        float w = weight(float(logits[i]), first, p.temperature);
        if (w == 0) break; // so are those that follow
        total = add(total, w);
        n++;
    }
    if (p.topP < 1) {
        Sum want = times(total, p.topP), sum = {0, 0};
        int i = 0;
        while (i < n && (i == 0 || exceeds(want, sum)))
            sum = add(sum, weight(float(logits[i++]), first, p.temperature));
        n = i;
        total = sum;
    }
    if (p.minP > 0) {
        total = {0, 0};
        int i = 0;
        for (; i < n; i++) {
            float w = weight(float(logits[i]), first, p.temperature); // that of the first is 1
            if (w < p.minP) break;
            total = add(total, w);
        }
        n = i;
    }
    Sum want = times(total, random[p.random[0] + int(row) * p.random[1]]), sum = {0, 0};
    int at = 0;
    for (; at < n - 1; at++) {
        sum = add(sum, weight(float(logits[at]), first, p.temperature));
        if (exceeds(sum, want)) break;
    }
    out[p.out[0] + int(row) * p.out[1]] = ids[at];
}
