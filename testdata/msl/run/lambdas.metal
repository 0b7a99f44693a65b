// launch lamref
// buffer 0: zero 12
// want 0: i32 11 12 5
// launch lamref2
// buffer 0: zero 8
// want 0: i32 10 5
// launch lamdev
// buffer 0: zero 8
// want 0: i32 3 4
// launch lamnest
// buffer 0: zero 12
// want 0: i32 6 17 3
// launch lamgeneric
// buffer 0: zero 8
// want 0: i32 5 6
// launch lamthis
// buffer 0: zero 4
// want 0: i32 12
// launch lamarg
// buffer 0: zero 4
// want 0: i32 30
// launch lamret
// buffer 0: zero 8
// want 0: i32 4 9
// launch lammut
// buffer 0: zero 12
// want 0: i32 1 2 0
// launch laminit
// buffer 0: zero 4
// want 0: i32 12
// launch lamref3
// buffer 0: zero 12
// want 0: i32 10 13 8
// launch lamref4
// buffer 0: zero 8
// want 0: i32 3 13
// launch lamtmpl
// buffer 0: zero 4
// want 0: i32 9
// launch lamcapcopy
// buffer 0: zero 8
// want 0: i32 5 6
// launch lamstd
// buffer 0: zero 8
// want 0: i32 6 2
// launch constexprlam
// buffer 0: zero 4
// want 0: i32 9
// launch lamfunction
// buffer 0: zero 8
// want 0: i32 12 9
#include <metal_stdlib>
using namespace metal;

namespace in_lamref {
[[host_name("lamref")]] kernel void lamref(device int *o) {
    int n = 10;
    int m = 5;
    auto f = [&](int x) {
        n += x;
        return n;
    };
    o[0] = f(1);
    o[1] = f(1);
    auto g = [=] { return m; };
    m = 9;
    o[2] = g();
    }
}

namespace in_lamref2 {
[[host_name("lamref2")]] kernel void lamref2(device int *o) {
    int a[4] = {1,2,3,4};
    auto sum = [&a]() {
        int s = 0;
        for (int x : a) s += x;
        return s;
    };
    o[0] = sum();
    threadgroup int tg[2];
    tg[0] = 5;
    auto h = [&]() {
        return tg[0];
    };
    o[1] = h();
    }
}

namespace in_lamdev {
[[host_name("lamdev")]] kernel void lamdev(device int *o) {
    auto put = [&](int i, int v) {
        o[i] = v;
    };
    put(0, 3);
    put(1, 4);
    }
}

namespace in_lamnest {
[[host_name("lamnest")]] kernel void lamnest(device int *o) {
    int a = 1, b = 2;
    auto outer = [&](int c) {
        auto inner = [&](int d) {
            a += d;
            return a + b + c;
        };
        return inner(c);
    };
    o[0] = outer(1) + 1;
    o[1] = outer(1) + a + 8;
    auto z = [=](int x) {
        auto y = [=]() {
            return a + x - a;
        };
        return y();
    };
    o[2] = z(3);
    }
}

namespace in_lamgeneric {
[[host_name("lamgeneric")]] kernel void lamgeneric(device int *o) {
    auto add = [](auto a, auto b) {
        return a + b;
    };
    o[0] = add(2, 3);
    o[1] = int(add(2.5f, 3.5f));
    }
}

namespace in_lamthis {
struct S {
    int v;
    int run(int x) {
        auto f = [this](int y) {
            v += y;
            return v;
        };
        f(x);
        return f(x);
    }
};
[[host_name("lamthis")]] kernel void lamthis(device int *o) {
    S s{2};
    o[0] = s.run(5);
}
}

namespace in_lamarg {
template <class F> void each(int n, F f) {
    for (int i = 0; i < n; i++) f(i);
}
[[host_name("lamarg")]] kernel void lamarg(device int *o) {
    int t = 0;
    each(5, [&](int i) { t += i * 3; });
    o[0] = t;
}
}

namespace in_lamret {
[[host_name("lamret")]] kernel void lamret(device int *o) {
    auto f = [](int x) -> float {
        return x * 1.5f;
    };
    o[0] = int(f(3));
    auto sq = [](int x) {
        return x*x;
    };
    int (*p)(int) = sq;
    o[1] = p(3);
}
}

namespace in_lammut {
[[host_name("lammut")]] kernel void lammut(device int *o) {
    int n = 0;
    auto f = [n]() mutable {
        return ++n;
    };
    o[0] = f();
    o[1] = f();
    o[2] = n;
}
}

namespace in_laminit {
[[host_name("laminit")]] kernel void laminit(device int *o) {
    int n = 5;
    auto f = [m = n + 7]() {
        return m;
    };
    o[0] = f();
}
}

namespace in_lamref3 {
[[host_name("lamref3")]] kernel void lamref3(device int *o) {
    int base = 10;
    auto add = [&](int x) {
        base += x;
    };
    o[0] = base;
    add(3);
    o[1] = base;
    auto pick = [&](bool c, int a, int b) {
        if (c) return a;
        return b + base;
    };
    o[2] = pick(base > 3, 8, 2);
    }
}

namespace in_lamref4 {
[[host_name("lamref4")]] kernel void lamref4(device int *o [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    int base = 10;
    auto add = [&](int x) {
        return base + x;
    };
    o[0] = add(-7);
    base = 11;
    o[1] = add(2);
    }
}

namespace in_lamtmpl {
template <typename T, typename F> T app(F f, T x) {
    return f(x);
}
template <typename T> T run(T n) {
    T acc = 1;
    auto f = [&](T x) {
        acc += x;
        return acc;
    };
    app(f, n);
    return app(f, n);
}
[[host_name("lamtmpl")]] kernel void lamtmpl(device int *o) {
    o[0] = run(4);
}
}

namespace in_lamcapcopy {
struct P {
    int a;
};
[[host_name("lamcapcopy")]] kernel void lamcapcopy(device int *o) {
    P p{5};
    auto f = [p]() {
        return p.a;
    };
    p.a = 6;
    o[0] = f();
    auto g = [&p] { return p.a; };
    o[1] = g();
}
}

namespace in_lamstd {
template <class F> auto callit(F &&f) -> decltype(f(1)) {
    return f(1);
}
template <class F, class... A> auto invoke_(F f, A... a) {
    return f(a...);
}
[[host_name("lamstd")]] kernel void lamstd(device int *o) {
    int z = 5;
    o[0] = callit([&](int x) { return x + z; });
    o[1] = invoke_([](auto a, auto b) { return a * b; }, 1, 2);
}
}

namespace in_constexprlam {
constexpr auto sq = [](int x) {
    return x * x;
};
[[host_name("constexprlam")]] kernel void constexprlam(device int *o) {
    o[0] = sq(3);
}
}

// A reference to a function is called as the function is.
static int timesTwo(int a) { return 2 * a; }
template <class F, class... A> static auto forwarded(thread const F &f, thread const A &...a) { return f(a...); }
kernel void lamfunction(device int *o [[buffer(0)]]) {
    o[0] = forwarded(timesTwo, 6);
    o[1] = forwarded([](int a, int b) { return a + b; }, 4, 5);
}
