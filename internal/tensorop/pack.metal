#include <metal_stdlib>
using namespace metal;

// Packs weights. A thread packs a block, or for MLX's affine format a group.

// Package tensorop defines these macros before a file; the values here are for tools that open it.
#ifndef BLOCK
#define Q8_0     // the format
#define BLOCK 32 // elements of a block
#define BYTES 34 // bytes of a block
#define IN float // an element
#endif

struct P {
    int blocks, offset;
};

static void put_half(device uchar *b, float v) {
    ushort h = as_type<ushort>(half(v));
    b[0] = uchar(h);
    b[1] = uchar(h >> 8);
}

// whole rounds to the nearest integer, ties away from zero, within limits.
static int whole(float v, int least, int most) {
    return clamp(int(clamp(round(v), -1e6f, 1e6f)), least, most);
}

static float magnitude(thread const float *x) {
    float most = 0;
    for (int i = 0; i < BLOCK; i++) most = max(most, abs(x[i]));
    return most;
}

#if defined Q8_0
static void pack(device uchar *b, thread const float *x) {
    float d = magnitude(x) / 127, by = d == 0 ? 0 : 1 / d;
    put_half(b, d);
    for (int i = 0; i < 32; i++) b[2 + i] = uchar(char(whole(x[i] * by, -127, 127)));
}
#elif defined Q4_0
static void pack(device uchar *b, thread const float *x) {
    float most = 0; // the number of the largest magnitude becomes -8
    for (int i = 0; i < 32; i++)
        if (abs(x[i]) > abs(most)) most = x[i];
    float d = most / -8, by = d == 0 ? 0 : 1 / d;
    put_half(b, d);
    for (int i = 0; i < 16; i++) {
        int low = clamp(int(floor(x[i] * by + 8.5f)), 0, 15), high = clamp(int(floor(x[i + 16] * by + 8.5f)), 0, 15);
        b[2 + i] = uchar(low | high << 4);
    }
}
#elif defined TQ2_0
static void pack(device uchar *b, thread const float *x) {
    float d = magnitude(x), by = d == 0 ? 0 : 1 / d;
    for (int i = 0; i < 64; i++) {
        int bits = 0;
        for (int j = 0; j < 4; j++) bits |= (whole(x[i / 32 * 128 + 32 * j + i % 32] * by, -1, 1) + 1) << 2 * j;
        b[i] = uchar(bits);
    }
    put_half(b + 64, d);
}
#elif defined MXFP4
// nearest returns the code of the number of 4 bits that is nearest to one, the even code of two.
static int nearest(float v) {
    float a = abs(v);
    int code = a <= 0.25f ? 0 : a < 0.75f ? 1 : a <= 1.25f ? 2 : a < 1.75f ? 3 : a <= 2.5f ? 4 : a < 3.5f ? 5 : a <= 5 ? 6 : 7;
    return code | (v < 0 ? 8 : 0);
}
static void pack(device uchar *b, thread const float *x) {
    float most = magnitude(x);
    int e = most == 0 ? 0 : clamp(int(as_type<uint>(most) >> 23) - 2, 1, 254); // 6 times the scale is at least half of it
    float by = as_type<float>(uint(254 - e) << 23);
    b[0] = uchar(e);
    for (int i = 0; i < 16; i++) b[1 + i] = uchar(nearest(x[i] * by) | nearest(x[i + 16] * by) << 4);
}
#elif defined Q4_K
// fit finds a scale and a minimum for 32 numbers, so that scale*q - minimum with q from 0 to 15 is
// near them. It starts from their range, tries scales around it, and for the codes that each gives
// takes the scale and the minimum of the least squares, in which large numbers weigh more.
static float2 fit(thread const float *x) {
    float least = min(x[0], 0.0f), most = x[0], squares = 0;
    for (int i = 0; i < 32; i++) {
        least = min(least, x[i]);
        most = max(most, x[i]);
        squares += x[i] * x[i];
    }
    float2 best = float2(0, -least);
    if (most == least) return best;
    float size = sqrt(squares / 32), lowest = INFINITY;
    for (int n = -1; n <= 20; n++) {
        float by = (n < 0 ? 15 : 14 + 0.1f * n) / (most - least);
        float w = 0, q1 = 0, q2 = 0, x1 = 0, xq = 0;
        for (int i = 0; i < 32; i++) {
            float weight = size + abs(x[i]), q = clamp(rint(by * (x[i] - least)), 0.0f, 15.0f);
            w += weight;
            q1 += weight * q;
            q2 += weight * q * q;
            x1 += weight * x[i];
            xq += weight * x[i] * q;
        }
        float d = w * q2 - q1 * q1;
        if (!(d > 0)) continue;
        float scale = (w * xq - x1 * q1) / d, low = (q2 * x1 - q1 * xq) / d;
        if (low > 0) {
            low = 0;
            scale = xq / q2;
        }
        float error = 0;
        for (int i = 0; i < 32; i++) {
            float q = clamp(rint(by * (x[i] - least)), 0.0f, 15.0f), off = scale * q + low - x[i];
            error += (size + abs(x[i])) * off * off;
        }
        if (error < lowest) {
            lowest = error;
            best = float2(scale, -low);
        }
    }
    return best;
}
static void pack(device uchar *b, thread const float *x) {
    float2 fits[8];
    float2 most = 0;
    for (int j = 0; j < 8; j++) {
        fits[j] = fit(x + 32 * j);
        most = max(most, fits[j]);
    }
    float d = float(half(most.x / 63)), m = float(half(most.y / 63));
    put_half(b, d);
    put_half(b + 2, m);
    for (int i = 4; i < 16; i++) b[i] = 0;
    for (int j = 0; j < 8; j++) {
        int s = d > 0 ? whole(fits[j].x / d, 0, 63) : 0, l = m > 0 ? whole(fits[j].y / m, 0, 63) : 0;
        if (j < 4) {
            b[4 + j] |= uchar(s);
            b[8 + j] |= uchar(l);
        } else {
            b[8 + j] = uchar((s & 15) | (l & 15) << 4);
            b[j] |= uchar(s >> 4 << 6);
            b[4 + j] |= uchar(l >> 4 << 6);
        }
        for (int i = 0; i < 32; i++) {
            int q = d * s > 0 ? whole((x[32 * j + i] + m * l) / (d * s), 0, 15) : 0;
            device uchar *at = b + 16 + j / 2 * 32 + i;
            *at = j % 2 ? uchar(*at | q << 4) : uchar(q);
        }
    }
}
#endif

#if defined AFFINE
kernel void pack_affine(device uint *out [[buffer(0)]], device float *scales [[buffer(1)]],
                        device float *biases [[buffer(2)]], device const IN *in [[buffer(3)]],
                        constant P &p [[buffer(4)]], uint id [[thread_position_in_grid]]) {
    in += p.offset + long(id) * GROUP;
    float least = float(in[0]), most = least;
    for (int i = 1; i < GROUP; i++) {
        least = min(least, float(in[i]));
        most = max(most, float(in[i]));
    }
    // The end of the larger magnitude is exact, and zero is if it is inside.
    const float last = float((1 << BITS) - 1);
    bool low = abs(least) > abs(most);
    float scale = max((most - least) / last, 1e-7f), edge = low ? least : most;
    scale = low ? scale : -scale;
    float n = rint(edge / scale), bias = 0;
    if (n != 0) {
        scale = edge / n;
        bias = edge;
    }
    scales[id] = scale;
    biases[id] = bias;
    device uint *at = out + long(id) * (GROUP * BITS / 32);
    ulong bits = 0;
    int have = 0;
    for (int i = 0; i < GROUP; i++) {
        bits |= ulong(clamp(rint((float(in[i]) - bias) / scale), 0.0f, last)) << have;
        have += BITS;
        if (have >= 32) {
            *at++ = uint(bits);
            bits >>= 32;
            have -= 32;
        }
    }
}
#else
kernel void pack_blocks(device uchar *out [[buffer(0)]], device const IN *in [[buffer(1)]], constant P &p [[buffer(2)]],
                        uint id [[thread_position_in_grid]]) {
    float x[BLOCK];
    for (int i = 0; i < BLOCK; i++) x[i] = float(in[p.offset + long(id) * BLOCK + i]);
    pack(out + long(id) * BYTES, x);
}
#endif
