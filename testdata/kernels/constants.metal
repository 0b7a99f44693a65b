// One kernel for many: function constants choose what it does.
#include <metal_stdlib>
using namespace metal;

constant int activation [[function_constant(0)]]; // 0 none, 1 at least 0, 2 x / (1 + |x|)
constant bool with_bias [[function_constant(1)]];
constant float given_scale [[function_constant(2)]];
constant float scale = is_function_constant_defined(given_scale) ? given_scale : 1.0f;
constant uint width = 1u << activation;

kernel void activate(device const float *in [[buffer(0)]], device float *out [[buffer(1)]], device const float *bias [[buffer(2), function_constant(with_bias)]],
                     uint i [[thread_position_in_grid]])
{
    float x = in[i] * scale;
    if (with_bias)
        x += bias[i % width];
    switch (activation) {
    case 1:
        x = max(x, 0.0f);
        break;
    case 2:
        x = x / (1 + abs(x));
        break;
    }
    out[i] = x;
}
