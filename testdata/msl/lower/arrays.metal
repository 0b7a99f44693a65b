// Arrays live in memory: an initializer clears what it does not name, an index of a constant is a field, a range-based for
// counts, and constant data becomes a global.
#include <metal_stdlib>
using namespace metal;

constant half weights[2][2] = {{1, 2}, {3, 4}};

kernel void arrays(device float *p [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    float a[3] = {p[0], p[1]};
    a[2] = a[i];
    float sum = 0;
    for (float x : a) sum += x;
    p[2] = sum * weights[1][i & 1];
}
