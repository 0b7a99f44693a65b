// Kernels by macro: names pasted, host names made of them, variadic template arguments.
#include <metal_stdlib>
#include "inc/names.h"

using namespace metal;

template <typename T, int N = 1>
kernel void scale(device const T* in [[buffer(0)]], device T* out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = in[i] * T(N);
}

#define INSTANTIATE(op, type, ...) \
    template [[host_name(HOST(op, type))]] kernel void op<type, ##__VA_ARGS__>( \
        device const type*, device type*, uint);

INSTANTIATE(scale, float)
INSTANTIATE(scale, half, 2)
#if defined(__HAVE_BFLOAT__)
INSTANTIATE(scale, bfloat, 4)
#endif

#define FOR_EACH_TYPE(op) op(char) op(short) op(int)
#define DECLARE(t) constant t CAT(zero_, t) = t(0);
FOR_EACH_TYPE(DECLARE)

#if GOLDEN && __METAL_VERSION__ >= 300
constant float big = MAXFLOAT;
#endif
