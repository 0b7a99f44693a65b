#include <metal_stdlib>
using namespace metal;
int next(int);
struct P { int x, y; };
void all(int n, threadgroup float *shared) {
    ;
    {}
    int i = 0, *j;
    float x(1.0f), y{2}, z = {3}, w[] = {1, 2, 3};
    const auto q = n * 2;
    threadgroup float scratch[32];
    thread int *t = &i;
    if (n) i = 1; else if (n > 2) { i = 2; } else i = 3;
    if (int k = next(n)) i = k;
    if (int m = n; m > 0) {}
    if constexpr (sizeof(int) == 4) { i = 4; }
    while (i < n) i++;
    while (int v = next(i)) { continue; }
    do { i--; } while (i > 0);
    do i++; while (i < 3);
    for (int a = 0, b = 1; a < n; a++, b--) {}
    for (;;) break;
    for (i = 0; int c = next(i); ++i) {}
    for (auto e : w) i += e;
    for (const thread float &e : w) {}
    for (int a[] = {1}; auto [f, g] : w) {}
    switch (n) {
    case 0:
    case 1: i = 1; break;
    case 2 ... 4: { i = 2; }
    [[fallthrough]];
    default: return;
    }
    switch (int s = next(n); s) default: i = 0;
    [[unroll]] for (int a = 0; a < 4; ++a) {}
    if (n) [[likely]] { i = 0; }
    P p{1, 2};
    auto [px, py] = p;
    int (vexed);
    int fun();
    P made(P(), n);
    P cast(P(n), i);
    float4(1).x;
    float(x) + 1;
    P(n).x = 3;
    i * n;
    P *pp = &p, &rr = p;
    using local = P;
    typedef int word;
    local another{3};
    static_assert(sizeof(word) == 4, "");
    struct Local { int a; int twice() { return a * 2; } } loc;
    auto f0 = [] { return 1; };
    auto f1 = [&](int a, auto b) -> int { return a + b; };
    auto f2 = [=, &i, k = n + 1] (int a) mutable { return a + i + k; };
    f1(1, [n](float v) { return v; });
    [](int a) { return a; }(3);
    const int e = n < 3 ? next(1) : (n > 4);
    unknown_t u = 3;
    unknown_t *up = nullptr;
    return;
}
