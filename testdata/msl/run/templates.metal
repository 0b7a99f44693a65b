// launch square_f grid=3
// buffer 0: f32 1 2 3
// want 0: f32 1 4 9
// launch square_i grid=3
// buffer 0: i32 1 2 3
// want 0: i32 1 4 9
// launch tiles
// buffer 0: zero 16
// want 0: i32 16 10 5 3
// launch lambdas
// buffer 0: zero 12
// want 0: i32 0 0 8
#include <metal_stdlib>
using namespace metal;

template <typename T> T sq(T x) { return x * x; }

template <typename T> kernel void square(device T *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = sq(x[i]); }

template [[host_name("square_f")]] kernel void square<float>(device float *, uint);
template [[host_name("square_i")]] kernel void square<int>(device int *, uint);

template <int N> struct Tile {
    int v[N];
    static constant constexpr int area = N * N;
    int sum() const {
        int s = 0;
        for (int i = 0; i < N; i++) s += v[i];
        return s;
    }
};

template <typename T, int N> struct Op { T apply(T x) const { return x + N; } };
template <typename F> int twice(F f, int x) { return f.apply(f.apply(x)); }

constant int table[4] = {2, 3, 5, 7};

kernel void tiles(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[0] = Tile<4>::area;
    Tile<4> t;
    for (int k = 0; k < 4; k++) t.v[k] = k + 1;
    out[1] = t.sum();
    out[2] = twice(Op<int, 2>(), 1);
    out[3] = table[i + 1];
}

kernel void lambdas(device int *out [[buffer(0)]]) {
    int base = 10;
    auto pick = [](bool c, int a, int b) { return c ? a : b; };
    out[2] = pick(base > 3, 8, 2);
}
