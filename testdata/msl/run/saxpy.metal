// launch saxpy grid=5 group=2
// buffer 0: f32 1 2 3 4 5
// buffer 1: f32 10 20 30 40 50
// buffer 2: f32 2
// want 1: f32 12 24 36 48 60
#include <metal_stdlib>
using namespace metal;

kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &a [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
    y[i] = a * x[i] + y[i];
}
