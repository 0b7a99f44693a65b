// A call through a visible function table is a choice among the functions of that type: the entry is compared with the number of each.
#include <metal_stdlib>
using namespace metal;

[[visible]] float half_of(float x) { return x / 2; }
[[visible]] int other(int x) { return x; }
[[visible]] float twice(float x) { return x * 2; }

kernel void function_tables(device float *p [[buffer(0)]], visible_function_table<float(float)> table [[buffer(1)]]) { p[0] = table[2](p[1]); }
