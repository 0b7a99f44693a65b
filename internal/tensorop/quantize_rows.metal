#include <metal_stdlib>
using namespace metal;

// Scales each row of a matrix to integers from -127 to 127, ties to even, as BitNet b1.58 does with
// activations: by 127 and the largest magnitude, which counts as 1e-5 at least. Writes the scales to
// multiply the integers with. A simdgroup scales a row.

#ifndef IN
#define IN float // an element
#endif

struct P {
    int columns, offset;
};

kernel void quantize_rows(device char *out [[buffer(0)]], device float *scales [[buffer(1)]],
                          device const IN *x [[buffer(2)]], constant P &p [[buffer(3)]],
                          uint2 group [[threadgroup_position_in_grid]],
                          uint2 local [[thread_position_in_threadgroup]]) {
    int row = int(group.y), lane = int(local.x);
    x += p.offset + long(row) * p.columns;
    out += long(row) * p.columns;
    float most = 1e-5f;
    for (int k = lane; k < p.columns; k += 32) most = max(most, abs(float(x[k])));
    most = simd_max(most);
    float by = most > 0x1p100f ? 0x1p-20f : 1; // so that nothing overflows
    for (int k = lane; k < p.columns; k += 32)
        out[k] = char(clamp(rint(float(x[k]) * by * 127 / (most * by)), -127.0f, 127.0f));
    if (lane == 0) scales[row] = most / 127;
}
