// launch utilities
// buffer 0: i32 5 6 0 0 0 0 0 0
// want 0: i32 7 6 1 1 0 1 0 1
#include <metal_stdlib>
using namespace metal;

struct Odd {};

kernel void utilities(device int *p [[buffer(0)]]) {
    *addressof(p[0]) = 7;
    const int n = 3;
    p[2] = *addressof(n) == 3;
    p[3] = numeric_limits<half>::is_specialized;
    p[4] = numeric_limits<Odd>::is_specialized;
    p[5] = numeric_limits<float>::round_style == round_to_nearest;
    p[6] = numeric_limits<int>::round_style;
    p[7] = numeric_limits<float>::has_denorm && !numeric_limits<int>::has_denorm && !numeric_limits<int>::traps;
}
