// launch instances
// buffer 0: zero 16
// want 0: i32 8 9 10 10
#include <metal_stdlib>
using namespace metal;

// Each instance of a template declares the enumerators of its unnamed enums anew.
template <int N> struct S {
    enum { k = N, m } field;
    enum { z = 3 } other, more;
    int get() thread { return k; }
};

template <int N> int f() {
    enum { k = N + 1 };
    enum { q = 2 } a = q, b = a;
    return k + b;
}

kernel void instances(device int *out [[buffer(0)]]) {
    out[0] = S<3>::k + S<4>::m;
    out[1] = f<1>() + f<2>();
    S<5> s;
    s.other = s.more = S<5>::z;
    out[2] = s.get() + s.other + 2;
    enum { L = 5 } l = L, h = L;
    out[3] = l + h;
}
