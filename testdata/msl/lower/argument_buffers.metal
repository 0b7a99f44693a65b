// Handles and pointers in an argument buffer are loaded from it, one of an array at its offset.
#include <metal_stdlib>
using namespace metal;

struct Args {
    device float *out [[id(0)]];
    array<texture2d<float>, 2> maps [[id(1)]];
    sampler s [[id(3)]];
    float4 tint;
};

kernel void argument_buffers(constant Args &args [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    args.out[i] = (args.maps[i & 1].sample(args.s, float2(0.5f)) * args.tint).x;
}
