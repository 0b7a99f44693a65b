// Arguments in a buffer: pointers, numbers and an array of pointers of which each thread takes one.
#include <metal_stdlib>
using namespace metal;

struct Part {
    device const float *x;
    float scale;
    uint count;
};

struct Arguments {
    device float *out [[id(0)]];
    constant Part *parts [[id(1)]];
    uint part_count [[id(2)]];
    uint columns [[id(3)]];
};

kernel void weighted_sum(constant Arguments &a [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    if (i >= a.columns)
        return;
    float sum = 0;
    for (uint p = 0; p < a.part_count; p++)
        if (i < a.parts[p].count)
            sum += a.parts[p].scale * a.parts[p].x[i];
    a.out[i] = sum;
}

// Each thread follows a pointer of its own.
kernel void gather_parts(constant Arguments &a [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    constant Part &part = a.parts[i % a.part_count];
    a.out[i] = part.x[i / a.part_count % part.count] * part.scale;
}
