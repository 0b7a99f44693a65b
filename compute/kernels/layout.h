#pragma once
#include <metal_stdlib>
using namespace metal;

// Layout describes arrays of up to four dimensions, the last one fastest. Strides are in elements.
struct Layout {
    uint shape[4];
    int strides[3][4]; // of the result and of up to two operands
};

// where returns the offset of the element at (x, y, z) of a grid whose z combines the first two
// dimensions.
inline int where(constant Layout &l, uint operand, uint3 at) {
    uint outer = at.z / l.shape[1], inner = at.z % l.shape[1];
    constant int *s = l.strides[operand];
    return int(outer) * s[0] + int(inner) * s[1] + int(at.y) * s[2] + int(at.x) * s[3];
}

// 16-bit numbers are computed as float, 8-bit integers as int.
template <typename T> struct wide { using type = T; };
template <> struct wide<half> { using type = float; };
template <> struct wide<char> { using type = int; };
#ifdef __HAVE_BFLOAT__
template <> struct wide<bfloat> { using type = float; };
#endif
template <typename T> using wide_t = typename wide<T>::type;

// EACH_FLOAT instantiates a kernel template for the floating-point types; the type is appended to
// its name.
#define KERNEL(name, suffix, ...) template [[host_name(#name "_" #suffix)]] [[kernel]] decltype(name<__VA_ARGS__>) name<__VA_ARGS__>;
#define EACH_FLOAT(name) KERNEL(name, f32, float) KERNEL(name, f16, half) KERNEL(name, bf16, bfloat)
#define EACH_FLOAT_OP(name, op, f) \
    template [[host_name(#op "_f32")]] [[kernel]] decltype(name<float, f>) name<float, f>; \
    template [[host_name(#op "_f16")]] [[kernel]] decltype(name<half, f>) name<half, f>; \
    template [[host_name(#op "_bf16")]] [[kernel]] decltype(name<bfloat, f>) name<bfloat, f>;
#define EACH_I8_OP(flat, strided, op, f) \
    template [[host_name(#op "_i8")]] [[kernel]] decltype(flat<char, f>) flat<char, f>; \
    template [[host_name(#op "_strided_i8")]] [[kernel]] decltype(strided<char, f>) strided<char, f>;
