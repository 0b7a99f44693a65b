// launch effects
// buffer 0: zero 20
// want 0: i32 62 542 9 321 64
// launch builtins
// buffer 0: zero 28
// want 0: i32 31 20 4 3 9 7 31
#include <metal_stdlib>
using namespace metal;

// An assignment evaluates the place that it writes once.
constexpr int append() {
    int a[4] = {};
    int i = 0;
    a[i++] = 5;
    a[i++] = 6;
    return a[1] * 10 + i;
}

constexpr int appendMore() {
    int a[4] = {};
    int i = 0;
    a[i++] += 5;
    (a[i++] = 3) += 1;
    return a[0] * 100 + a[1] * 10 + i;
}

constexpr float swizzles() {
    float4 v = float4(1, 2, 3, 4);
    v.xy = float2(5, 6);
    v.zw += float2(1);
    return v.x + v.z;
}

constexpr int references() {
    int a = 1, b = 2;
    thread int &first = a;
    thread int *second = &b;
    ++(first += 2 * *second);
    *second = a > 5 ? 3 : 0;
    return b * 100 + (a - 4) * 10 + 1;
}

template <int N> struct Sized { enum { bits = 1 << N }; };

kernel void effects(device int *out [[buffer(0)]]) {
    constexpr int a = append(), b = appendMore();
    constexpr float c = swizzles();
    static_assert(references() == 321, "");
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = references();
    out[4] = Sized<a - 56>::bits;
}

// Clang's own builtins, unlike the functions of the library, are constant expressions. They take an unsigned int.
kernel void builtins(device int *out [[buffer(0)]]) {
    int a[__builtin_popcount(0x1fu) - 1] = {1, 2, 3, 4};
    constexpr int leading = __builtin_clz(1u << 11);
    static_assert(__builtin_ctz(8) == 3 && __builtin_expect(7, 0) == 7, "");
    ushort one = 1;
    out[0] = __builtin_clz(one);
    out[1] = leading;
    switch (sizeof(a) / sizeof(a[0])) {
    case __builtin_popcount(15): out[2] = a[3]; break;
    default: out[2] = -1;
    }
    out[3] = Sized<__builtin_ctz(2u)>::bits + 1;
    out[4] = Sized<3>::bits + one;
    out[5] = __builtin_expect(7, 0);
    out[6] = __builtin_clz(char(1));
}
