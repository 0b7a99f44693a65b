// A function constant is read where it is used, so that a pipeline can put its value there; a constant that is computed from
// one is computed anew; an argument may exist only if one is true.
#include <metal_stdlib>
using namespace metal;

constant int size [[function_constant(0)]];
constant bool extra [[function_constant(1)]];
constant int given = is_function_constant_defined(size) ? size : 16;

kernel void function_constants(device int *p [[buffer(0)]], device int *q [[buffer(1), function_constant(extra)]]) {
    p[0] = given * 2;
    if (extra) q[0] = 1;
}
