// One text, several kernels: a file that is included again and again with other definitions.
#include <metal_stdlib>
using namespace metal;

#define OP add
#define EXPR(a, b) ((a) + (b))
#include <kernel_body.h>

#define OP mul
#define EXPR(a, b) ((a) * (b))
#include <kernel_body.h>

#ifdef OP
#error the body was to undefine it
#endif

#pragma METAL internals : enable
#pragma clang diagnostic ignored "-Wunused"
#define UNROLL _Pragma("unroll")
kernel void sum4(device float* x [[buffer(0)]]) {
    float s = 0;
    UNROLL for (int i = 0; i < 4; ++i) s += x[i];
    x[0] = s;
}
