#include <metal_stdlib>
using namespace metal;

// One explicit step of the heat equation: each point moves towards the mean of its four neighbors; the edge keeps its
// temperature. `rate` is diffusivity * time step / grid spacing^2. Above 0.25 the scheme is unstable.
kernel void diffuse(device const float *now [[buffer(0)]],
                    device float *next [[buffer(1)]],
                    constant float &rate [[buffer(2)]],
                    uint2 at [[thread_position_in_grid]],
                    uint2 size [[threads_per_grid]]) {
    uint i = at.y * size.x + at.x;
    float t = now[i];
    if (at.x > 0 && at.y > 0 && at.x + 1 < size.x && at.y + 1 < size.y) {
        t += rate * (now[i - 1] + now[i + 1] + now[i - size.x] + now[i + size.x] - 4.0f * t);
    }
    next[i] = t;
}
