#pragma once
#include <metal_stdlib>
using namespace metal;

// rope_angle returns the cosine and the sine by which rotary position embeddings turn a pair of
// features at a position, times a magnitude. The frequency is in turns a position, as the sum of two
// floats, so that the angle is as exact at large positions as at small ones. Files that include this
// are compiled with safe math, so that all of them turn with the same bits.
static float2 rope_angle(float at, device const float *frequency, float magnitude) {
    float high = frequency[0], low = frequency[1];
    float turns = at * high, rest = fma(at, high, -turns) + at * low;
    float angle = 2 * ((turns - rint(turns)) + rest);
    return float2(precise::cospi(angle), precise::sinpi(angle)) * magnitude;
}
