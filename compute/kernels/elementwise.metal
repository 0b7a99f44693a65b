#include "layout.h"

// Element-wise operations. The flat kernels take contiguous buffers; the strided kernels take
// layouts.

struct add_op { template <typename T> static T apply(T a, T b) { return a + b; } };
struct sub_op { template <typename T> static T apply(T a, T b) { return a - b; } };
struct mul_op { template <typename T> static T apply(T a, T b) { return a * b; } };
struct div_op { template <typename T> static T apply(T a, T b) { return a / b; } };

// 8-bit integers are computed as int and wrap around. A quotient is rounded toward zero, and 0 for a
// division by zero.
struct quotient_op { template <typename T> static T apply(T a, T b) { return b == 0 ? T(0) : a / b; } };

struct copy_op { static float apply(float x) { return x; } };
struct relu_op { static float apply(float x) { return x > 0.0f || isnan(x) ? x : 0.0f; } };
struct sigmoid_op { static float apply(float x) { return 1.0f / (1.0f + precise::exp(-x)); } };
struct tanh_op { static float apply(float x) { return precise::tanh(x); } };
struct silu_op { static float apply(float x) { return x / (1.0f + precise::exp(-x)); } };
// Hendrycks and Gimpel, "Gaussian Error Linear Units", the tanh approximation. For arguments of
// tanh beyond 10 it equals x or 0 within rounding, so the argument is clamped.
struct gelu_op {
    static float apply(float x) {
        float t = 0.7978845608028654f * (x + 0.044715f * x * x * x);
        return 0.5f * x * (1.0f + precise::tanh(clamp(t, -10.0f, 10.0f)));
    }
};

template <typename T, typename Op>
kernel void binary_flat(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device T *out [[buffer(2)]],
                        uint i [[thread_position_in_grid]]) {
    out[i] = T(Op::template apply<wide_t<T>>(wide_t<T>(a[i]), wide_t<T>(b[i])));
}

template <typename T, typename Op>
kernel void binary_strided(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device T *out [[buffer(2)]],
                           constant Layout &layout [[buffer(3)]], uint3 at [[thread_position_in_grid]]) {
    wide_t<T> x = wide_t<T>(a[where(layout, 1, at)]), y = wide_t<T>(b[where(layout, 2, at)]);
    out[where(layout, 0, at)] = T(Op::template apply<wide_t<T>>(x, y));
}

template <typename T, typename Op>
kernel void unary_flat(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = T(Op::apply(float(in[i])));
}

template <typename T, typename Op>
kernel void unary_strided(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], constant Layout &layout [[buffer(2)]],
                          uint3 at [[thread_position_in_grid]]) {
    out[where(layout, 0, at)] = T(Op::apply(float(in[where(layout, 1, at)])));
}

#define BINARY(name) EACH_FLOAT_OP(binary_flat, name, name##_op) EACH_FLOAT_OP(binary_strided, name##_strided, name##_op)
#define UNARY(name) EACH_FLOAT_OP(unary_flat, name, name##_op) EACH_FLOAT_OP(unary_strided, name##_strided, name##_op)

BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)
UNARY(copy)
UNARY(relu)
UNARY(sigmoid)
UNARY(tanh)
UNARY(silu)
UNARY(gelu)

EACH_I8_OP(binary_flat, binary_strided, add, add_op)
EACH_I8_OP(binary_flat, binary_strided, sub, sub_op)
EACH_I8_OP(binary_flat, binary_strided, mul, mul_op)
EACH_I8_OP(binary_flat, binary_strided, div, quotient_op)
EACH_I8_OP(unary_flat, unary_strided, copy, copy_op)
EACH_I8_OP(unary_flat, unary_strided, relu, relu_op)
