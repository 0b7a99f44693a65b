#pragma once
#include <metal_stdlib>
using namespace metal;

// Readers of packed weights. Each is the function value: element from + lane of a block, where from is
// a multiple of 32 that all threads of a simdgroup have in common, as is the block, so that scales are
// read once for all of them. Multiplications and additions are rounded one by one, scales of scales
// first, as in the reference implementations of the formats; the files are compiled with safe math.

// Package tensorop defines these macros before a file; the values here are for tools that open it.
#ifndef BLOCK
#define Q8_0     // the format
#define BLOCK 32 // elements of a block
#define BYTES 34 // bytes of a block
#define BITS 8   // of MLX's formats: of an element
#define GROUP 32 // of MLX's formats: elements that have a scale in common
#endif

// Weights says where weights are: rows of packed elements and, for some formats, of scales and
// biases. Offsets are in bytes, or in elements of scales and biases.
struct Weights {
    int rows, columns, rowBytes, offset, scaleOffset, biasOffset, rowScales;
    int format, bits, group, scaleType; // which only the software device's native bodies read
};

static float half_at(device const uchar *b) { return float(as_type<half>(ushort(b[0] | b[1] << 8))); }
static int nibble(device const uchar *b, int i, int half) { return b[i % half] >> i / half * 4 & 15; }

// twice_e2m1 is twice a number of 1 sign bit, 2 bits of exponent and 1 of mantissa.
static int twice_e2m1(int q) {
    int e = q >> 1 & 3, v = e == 0 ? q & 1 : (2 | (q & 1)) << (e - 1);
    return q & 8 ? -v : v;
}

// e2m1 has a negative zero, which the blocks of GGUF files do not have.
static float e2m1(int q) { return copysign(0.5f * float(twice_e2m1(q)), q & 8 ? -1.0f : 1.0f); }

// half_e8m0 is half of a power of two given by its exponent, so that the largest is finite.
static float half_e8m0(uint e) { return as_type<float>(e < 2 ? 0x00200000u << e : (e - 1) << 23); }

static float e4m3(uint x) {
    uint e = x >> 3 & 15, m = x & 7;
    float v = e == 0 ? m * 0x1p-9f : (8 + m) * as_type<float>((e + 117) << 23);
    return x & 128 ? -v : v;
}

#if defined F32
static float value(device const uchar *b, int, int) {
    return as_type<float>(b[0] | b[1] << 8 | b[2] << 16 | uint(b[3]) << 24);
}
#elif defined F16
static float value(device const uchar *b, int, int) { return half_at(b); }
#elif defined BF16
static float value(device const uchar *b, int, int) { return as_type<float>(uint(b[0] | b[1] << 8) << 16); }
#elif defined Q4_0
static float value(device const uchar *b, int, int lane) { return half_at(b) * (nibble(b + 2, lane, 16) - 8); }
#elif defined Q4_1
static float value(device const uchar *b, int, int lane) {
    return half_at(b) * nibble(b + 4, lane, 16) + half_at(b + 2);
}
#elif defined Q5_0 || defined Q5_1
static uint word_at(device const uchar *b) { return b[0] | b[1] << 8 | b[2] << 16 | uint(b[3]) << 24; }
static float value(device const uchar *b, int, int lane) {
#ifdef Q5_0
    return half_at(b) * ((nibble(b + 6, lane, 16) | int(word_at(b + 2) >> lane & 1) << 4) - 16);
#else
    return half_at(b) * (nibble(b + 8, lane, 16) | int(word_at(b + 4) >> lane & 1) << 4) + half_at(b + 2);
#endif
}
#elif defined Q8_0
static float value(device const uchar *b, int, int lane) { return half_at(b) * char(b[2 + lane]); }
#elif defined Q2_K
static float value(device const uchar *b, int from, int lane) {
    int s = b[from / 16 + lane / 16], q = b[16 + from / 128 * 32 + lane] >> from % 128 / 32 * 2 & 3;
    return half_at(b + 80) * (s & 15) * q - half_at(b + 82) * (s >> 4);
}
#elif defined Q3_K
static float value(device const uchar *b, int from, int lane) {
    device const uchar *scales = b + 96;
    int g = from / 16 + lane / 16, s = nibble(scales, g, 8) | (scales[8 + g % 4] >> g / 4 * 2 & 3) << 4;
    int q = b[32 + from / 128 * 32 + lane] >> from % 128 / 32 * 2 & 3;
    q -= b[lane] >> from / 32 & 1 ? 0 : 4;
    return half_at(b + 108) * (s - 32) * q;
}
#elif defined Q4_K || defined Q5_K
// scale_k and min_k are of 6 bits: eight each, in 12 bytes.
static int scale_k(device const uchar *b, int j) {
    return j < 4 ? b[j] & 63 : (b[j + 4] & 15) | b[j - 4] >> 6 << 4;
}
static int min_k(device const uchar *b, int j) {
    return j < 4 ? b[j + 4] & 63 : b[j + 4] >> 4 | b[j] >> 6 << 4;
}
static float value(device const uchar *b, int from, int lane) {
    int j = from / 32;
#ifdef Q4_K
    int q = b[16 + j / 2 * 32 + lane] >> j % 2 * 4 & 15;
#else
    int q = (b[48 + j / 2 * 32 + lane] >> j % 2 * 4 & 15) | (b[16 + lane] >> j & 1) << 4;
#endif
    return half_at(b) * scale_k(b + 4, j) * q - half_at(b + 2) * min_k(b + 4, j);
}
#elif defined Q6_K
static float value(device const uchar *b, int from, int lane) {
    int n = from / 128, g = from % 128 / 32;
    int low = b[64 * n + 32 * (g & 1) + lane] >> g / 2 * 4 & 15, high = b[128 + 32 * n + lane] >> 2 * g & 3;
    return half_at(b + 208) * char(b[192 + from / 16 + lane / 16]) * ((low | high << 4) - 32);
}
#elif defined IQ4_NL || defined IQ4_XS
constant float iq4[16] = {-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
static float value(device const uchar *b, int from, int lane) {
#ifdef IQ4_NL
    return half_at(b) * iq4[nibble(b + 2, lane, 16)];
#else
    int g = from / 32, low = b[4 + g / 2] >> 4 * (g % 2) & 15, high = (b[2] | b[3] << 8) >> 2 * g & 3;
    return half_at(b) * ((low | high << 4) - 32) * iq4[nibble(b + 8 + 16 * g, lane, 16)];
#endif
}
#elif defined TQ1_0
static float scale(device const uchar *b) { return half_at(b + 52); }
static int code(device const uchar *b, int from, int lane) {
    // Five trits a byte: of 32 bytes, then of 16, then four of each of 4 bytes.
    int i = from + lane;
    int q = i < 160 ? b[lane] : i < 240 ? b[32 + i % 16] : b[48 + i % 4];
    int n = i < 160 ? from / 32 : i < 240 ? (i - 160) / 16 : (i - 240) / 4;
    int power = n == 0 ? 1 : n == 1 ? 3 : n == 2 ? 9 : n == 3 ? 27 : 81;
    return ((q * power & 255) * 3 >> 8) - 1;
}
static float value(device const uchar *b, int from, int lane) { return scale(b) * code(b, from, lane); }
#elif defined TQ2_0
static float scale(device const uchar *b) { return half_at(b + 64); }
static int code(device const uchar *b, int from, int lane) {
    return (b[from / 128 * 32 + lane] >> from % 128 / 32 * 2 & 3) - 1;
}
static float value(device const uchar *b, int from, int lane) { return scale(b) * code(b, from, lane); }
#elif defined MXFP4
static float value(device const uchar *b, int, int lane) {
    return twice_e2m1(nibble(b + 1, lane, 16)) * half_e8m0(b[0]);
}
#elif defined NVFP4
static float value(device const uchar *b, int from, int lane) {
    int g = from / 16 + lane / 16;
    // The sign of a scale is ignored, and 0x7f is 0, though 0xff is 480.
    float scale = b[g] == 0x7f ? 0.0f : 0.5f * e4m3(b[g] & 127);
    return twice_e2m1(nibble(b + 4 + 8 * g, lane % 16, 8)) * scale;
}
#endif

// Row is a row of weights. MLX's formats have their scales, and affine ones biases, in tensors of
// their own; I2_S has one scale behind the codes of the whole tensor, whose blocks may cross rows.
struct Row {
    device const uchar *w;
#if defined AFFINE
    device const SCALE *scales, *biases;
#elif defined FP
    device const uchar *scales;
#elif defined I2_S
    float scale;
    int first; // element of the tensor
#endif
};

static Row row_at(int row, Weights p, device const uchar *w, device const uchar *scales, device const uchar *biases) {
    Row r;
    r.w = w + p.offset;
#if defined I2_S
    device const uchar *s = r.w + long(p.rows) * p.columns / 4;
    r.scale = as_type<float>(s[0] | s[1] << 8 | s[2] << 16 | uint(s[3]) << 24);
    r.first = row * p.columns;
#else
    r.w += long(row) * p.rowBytes;
#if defined AFFINE
    r.scales = (device const SCALE *)scales + p.scaleOffset + long(row) * p.rowScales;
    r.biases = (device const SCALE *)biases + p.biasOffset + long(row) * p.rowScales;
#elif defined FP
    r.scales = scales + p.scaleOffset + long(row) * p.rowScales;
#endif
#endif
    return r;
}

#if defined AFFINE || defined FP
// code returns element from + lane of a stream of bits that begins with the lowest bits of its first
// byte.
static uint code(device const uchar *w, int from, int lane) {
    int at = lane * BITS;
    w += from / 8 * BITS + at / 8;
    uint v = w[0] >> at % 8;
#if 8 % BITS != 0
    if (at % 8 + BITS > 8) v |= uint(w[1]) << (8 - at % 8);
#endif
    return v & ((1u << BITS) - 1);
}
#elif defined I2_S
// code returns 0 to 3: -1, 0 and 1 times the scale, and zero. ALIGNED says that rows begin at multiples
// of 32 elements.
static int code(Row r, int from, int lane) {
#ifdef ALIGNED
    int at = r.first + from, l = lane;
#else
    int at = r.first + from + lane, l = at % 32;
#endif
    return r.w[at / 128 * 32 + l] >> (6 - at % 128 / 32 * 2) & 3;
}
#endif

// at returns element from + lane of a row; from is a multiple of 32.
static float at(Row r, int from, int lane) {
#if defined AFFINE
    return float(r.scales[from / GROUP]) * code(r.w, from, lane) + float(r.biases[from / GROUP]);
#elif defined FP
    uint q = code(r.w, from, lane), s = r.scales[from / GROUP + lane / GROUP];
#if BITS == 8
    return 2 * e4m3(q) * half_e8m0(s);
#elif GROUP == 16
    return e2m1(q) * e4m3(s);
#else
    return 2 * e2m1(q) * half_e8m0(s);
#endif
#elif defined I2_S
    int q = code(r, from, lane);
    return q == 3 ? 0.0f : (q - 1) * r.scale;
#elif BLOCK == 1
    return value(r.w + (from + lane) * BYTES, 0, 0);
#else
    return value(r.w + from / BLOCK * BYTES, from % BLOCK, lane);
#endif
}
