#include <metal_stdlib>
using namespace metal;
#include "include/layout.h"

constant float3 shift [[function_constant(0)]];
constant bool has_extra [[function_constant(1)]];
constant uint scale [[function_constant(5)]];
constant uint scale_or_one = is_function_constant_defined(scale) ? scale : 1;

// Takes each member of a structure to a number of its own.
kernel void members(device const Everything *in, device float *out, constant Everything &by_value,
                    uint i [[thread_position_in_grid]]) {
    Everything e = i == 0 ? in[0] : by_value;
    device float *o = out + i * WIDTH;
    o[0] = e.tag;
    o[1] = e.id;
    o[2] = e.lead;
    o[3] = e.in[1].h.z;
    o[4] = e.in[1].p[2];
    o[5] = e.in[1].flags[2];
    o[6] = e.m32[2].y;
    o[7] = e.gap;
    o[8] = e.m33[2].z;
    o[9] = e.m24[1].w;
    o[10] = ushort(e.mode);
    o[11] = e.color[2];
    o[12] = e.pair.y;
    o[13] = e.big;
    o[14] = e.longs[1];
    o[15] = e.triples[1].z;
    o[16] = e.grid[1][2];
    o[17] = float(e.brain);
    o[18] = e.type;
}

// Has names that Go and the generated code use themselves.
kernel void close(device float *grid [[buffer(3)]], constant float &func [[buffer(1)]], constant float (&err)[2] [[buffer(2)]],
                  device const packed_float3 *compute [[buffer(0)]], uint k [[thread_position_in_grid]]) {
    grid[k] = func + err[k] + compute[k].z + shift.y;
}

// Has arguments that may be left out.
kernel void optional(device float *out [[buffer(0)]], device const float *extra [[buffer(1), function_constant(has_extra)]],
                     constant float &factor [[buffer(2), function_constant(has_extra)]],
                     texture2d<float> image [[texture(0), function_constant(has_extra)]], uint i [[thread_position_in_grid]]) {
    float v = 1;
    if (has_extra) {
        v = extra[i] * factor + image.read(uint2(i, 0)).x;
    }
    out[i] = v * scale_or_one;
}

// Takes textures, a sampler, and threadgroup memory of fixed and of chosen length.
kernel void images(texture2d<float> from, sampler linear_sampler, array<texture2d<uint>, 2> more [[texture(2)]],
                   texture2d<float, access::write> to [[texture(1)]], threadgroup float (&sum)[4], threadgroup float *scratch,
                   uint2 at [[thread_position_in_grid]], uint i [[thread_index_in_threadgroup]]) {
    sum[i % 4] = i;
    scratch[i] = float(more[0].read(at).x + more[1].read(at).x);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    to.write(from.sample(linear_sampler, float2(0.5)) + sum[i % 4] + scratch[i], at);
}

// Takes an array of samplers.
kernel void sampled(texture2d<float> from, array<sampler, 2> how, device float *out, uint i [[thread_position_in_grid]]) {
    out[i] = from.sample(how[i], float2(1.25f, 0.5f)).x;
}

// Takes what has no Go type as bytes, and memory of any type.
kernel void untyped(device Overlapping *bytes, device const void *anything, device float *out) {
    out[0] = bytes[0].f + bytes[0].next + *static_cast<device const float *>(anything);
}

// Follows pointers.
kernel void follow(constant Scene &scene, device float *out) {
    out[0] = scene.nodes[scene.first].next->value;
}

template <typename T> kernel void twice(device T *x, uint i [[thread_position_in_grid]]) { x[i] = x[i] * T(2); }
template [[host_name("twice<int>")]] kernel void twice<int>(device int *, uint);
template [[host_name("twice<half4>")]] kernel void twice<half4>(device half4 *, uint);

kernel void tables(visible_function_table<float(float)> table, device float *out) { out[0] = table[0](1); }
