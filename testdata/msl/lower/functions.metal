// Calls are inlined, each with the place it came from. A function that returns in the middle is a block that return breaks;
// a lambda and a method get their object as an argument; an operator is a call like any other.
#include <metal_stdlib>
using namespace metal;

struct Counter {
    int n;
    int next() thread { return n++; }
    Counter operator+(int by) const { return {n + by}; }
};

METAL_FUNC int limit(int x) {
    if (x > 9) return 9;
    return x;
}

template <typename F> int apply(F f, int x) { return f(limit(x)); }

kernel void functions(device int *p [[buffer(0)]]) {
    Counter c{p[0]};
    int add = c.next();
    auto f = [add](int x) { return x + add; };
    p[1] = apply(f, p[2]);
    p[3] = (c + 2).n;
}
