#include <metal_stdlib>
using namespace metal;

static float step_to(float x) {
    if (x > 2) return 1;
    return x * 2;
}

kernel void sum(device float *x [[buffer(0)]], constant int &n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    float s = 0;
    for (int k = 0; k < n; k++) {
        if (x[k] < 0) continue;
        s += step_to(x[k]);
        if (s > 100) break;
    }
    x[i] = s;
}

kernel void choose(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    switch (x[i]) {
    case 1: x[i] = 5; break;
    default: x[i] = i > 3 ? 1 : 0;
    }
}
