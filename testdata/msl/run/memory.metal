// launch memory
// buffer 0: zero 64
// want 0: i32 1065353216 7 3 12 5 9 42 6 2 11
// launch pointers grid=2
// buffer 0: i32 1 2 3 4
// want 0: i32 3 5 6 8
#include <metal_stdlib>
using namespace metal;

union Bits { float f; uint u; };
struct Flags { uint a : 3; uint b : 5; };
struct Big { int v[40]; int n; };

static Big make(int n) {
    Big b = {};
    for (int i = 0; i < 40; i++) b.v[i] = i * n;
    b.n = n;
    if (n > 100) return b;
    b.v[0] = 5;
    return b;
}

static thread int &larger(thread int &a, thread int &b) { return a > b ? a : b; }

kernel void memory(device int *out [[buffer(0)]]) {
    Bits x;
    x.f = 1;
    out[0] = int(x.u);
    Flags f = {};
    f.a = 7;
    f.b = 3;
    out[1] = f.a;
    out[2] = f.b;
    Big b = make(4);
    out[3] = b.v[3];
    Big c = b;
    c.v[0] = 9;
    out[4] = b.v[0];
    out[5] = c.v[0];
    int p = 1, q = 2;
    larger(p, q) = 42;
    out[6] = q;
    metal::array<int, 3> arr = {1, 2, 3};
    int s = 0;
    for (uint i = 0; i < arr.size(); i++) s += arr[i];
    out[7] = s;
    (p > q ? p : q) = 2;
    out[8] = q;
    int2 v = int2(5, 6);
    v.x += v.y;
    out[9] = v.x;
}

kernel void pointers(device int *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    device int *p = x + i;
    device int2 *wide = (device int2 *)x;
    int last = (i == 0) ? 2 : 3;
    *p += last;
    p += 2;
    int add = p - x == 2 ? 3 : 4;
    wide[1][i] += add;
}
