// launch chain
// buffer 0: i32 2 3 5 7
// buffer 1: zero 24
// want 1: i32 1210 14 8 5 9 4
// launch conditional const1=01 const2=00
// buffer 1: zero 8
// want 1: i32 1 0
#include <metal_stdlib>
using namespace metal;

// The initializer of a member names the members before it.
template <int D> struct Walk {
    constant const int *steps;
    int scale;
    Walk<D - 1> rest{steps, scale * 10};
    int operator()(int x) const { return steps[D] * scale * x + rest(x); }
};
template <> struct Walk<0> {
    constant const int *steps;
    int scale;
    int operator()(int x) const { return steps[0] * scale * x; }
};

// Constructors that are all defaulted leave a struct an aggregate.
template <typename T> struct Pair {
    uint count;
    T sum;
    constexpr Pair<T>() = default;
    constexpr Pair<T>() threadgroup = default;
};

// A default constructor that is defaulted runs the initializers of members declared behind it.
struct Late {
    Late() = default;
    Late(int a) : x(a) {}
    int x = 5;
};

struct Spread {
    int a = 4;
    int b = a + 5;
    int c = twice(a);
    int twice(int n) const { return 2 * n; }
};

template <typename Acc, typename A, typename B> inline Acc mul(A a, B b);
template <> inline float mul(float a, float b) { return a * b; }
template <> inline int mul(float a, float b) { return int(a * b) + 1; }

kernel void chain(constant int *steps [[buffer(0)]], device int *out [[buffer(1)]]) {
    Walk<2> w{steps, 1};
    out[0] = w(2) * 1 + (w(2) == 5 * 2 + 3 * 20 + 2 * 200) * 740;
    Pair<int> p{3, 11};
    Pair<int> q = Pair<int>{};
    out[1] = int(p.count) + p.sum + q.sum;
    Late l;
    Late m(3);
    out[2] = l.x + m.x;
    out[3] = Late().x;
    Spread s;
    Spread t{1};
    out[4] = s.b + t.b * 0;
    out[5] = t.b - t.c + mul<int>(1.0f, 2.0f) * 0 + int(mul<float>(0.0f, 1.0f));
}

constant bool first [[function_constant(1)]];
constant bool second [[function_constant(2)]];
constant bool both = first && second;
constant bool either = first || !second;
kernel void conditional(device int *absent [[buffer(0), function_constant(both)]], device int *out [[buffer(1), function_constant(either)]]) {
    if (both) absent[0] = 1;
    if (either) out[0] = 1;
}
