// launch parts const0=05000000
// buffer 0: zero 48
// want 0: i32 6 6 5 8 10 5 1 5 18 18 25 12
// launch parts const0=feffffff
// buffer 0: zero 48
// want 0: i32 -1 -1 -2 1 -4 -2 1 -2 -3 4 -3 -2
// launch addresses const0=05000000
// buffer 0: zero 40
// want 0: i32 6 15 20 3 5 5 5 10 6 1
// launch choices const0=05000000
// buffer 0: zero 48
// want 0: i32 5 5 7 1 2 5 5 1 10 20 5 7
#include <metal_stdlib>
using namespace metal;

// Constants whose parts depend on function constants: arrays in structures, metal::array, and wrapped arrays.
constant int x [[function_constant(0)]];

template <typename T, size_t N> struct wrapped {
    T e[N ? N : 1];
    constexpr const constant T &operator[](size_t i) const constant { return e[i]; }
};
struct pair { int a[2]; float4 v; };
struct nested { pair p[2]; array<int, 2> q; };
struct grid { wrapped<wrapped<int, 2>, 2> m; };
struct plain { int a, b, c; };

constexpr int twice(int n) { return 2 * n; }

constant pair one = {{1, x}, float4(x)};
constant array<int, 3> list = {1, x, 3};
constant nested both = {{{{1, x}, float4(x)}, {{3, twice(x)}, float4(2)}}, {7, one.a[1]}};
constant grid g = grid{wrapped<wrapped<int, 2>, 2>({wrapped<int, 2>({x, 1}), wrapped<int, 2>({2, x})})};
constant int rows[2][3] = {{x, 2, x * 2}, {4, 5, x + 1}};
constant plain small = {x, 2, 3};
constant int4 lanes = int4(x, 1, 2, 3);
constant float2x2 columns = float2x2(x, 1, 2, 3);

kernel void parts(device int *o [[buffer(0)]]) {
    int i = o[0]; // 0, which the compiler does not know
    o[0] = one.a[i] + one.a[1];
    o[1] = list[i] + list[1];
    o[2] = list[i + 1];
    o[3] = both.p[i + 1].a[i] + x;
    o[4] = both.p[1].a[i + 1];
    o[5] = both.q[i + 1];
    o[6] = g.m[i][1];
    o[7] = g.m[i + 1][1];
    pair copy = one;
    copy.a[i] = 3;
    o[8] = copy.a[0] + copy.a[1] + int(one.v[i]) * 2;
    for (int e : list) o[9] += e * 2;
    for (int r = 0; r < 2; r++) o[10] += rows[r][i] + rows[r][2];
    for (constant int &e : one.a) o[11] += e * 2;
}

int sum(constant int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++) s += *p++;
    return s;
}
int total(constant pair &p) { return p.a[0] + p.a[1]; }
int scalar(constant const int &n) { return n; }

kernel void addresses(device int *o [[buffer(0)]]) {
    int i = o[0];
    o[0] = total(one);
    o[1] = total(both.p[i + 1]) + 2;
    o[2] = sum(rows[i], 3) + 3;
    o[3] = *(&list[i] + 2);
    o[4] = scalar(x);
    o[5] = scalar(small.a);
    constant plain *p = &small;
    o[6] = p->a;
    constant float2 &c = columns[i];
    o[7] = int(c.x) + p->b + p->c;
    constant int4 *l = &lanes;
    o[8] = (*l)[i] + (*l).y;
    constant nested &n = both;
    o[9] = n.p[i].a[0];
}

kernel void choices(device int *o [[buffer(0)]]) {
    for (int i = 0; i < 3; i++) o[i] = i == 0 ? small.a : i == 1 ? one.a[1] : both.q[0];
    for (int i = 0; i < 3; i++) o[3 + i] = i == 0 ? (lanes.y) : ((i == 1 ? lanes.z : (lanes.x)));
    int i = o[11];
    o[6] = (i == 0 ? lanes.xyz : lanes.yzw).x;
    o[7] = (i == 0 ? lanes.xyz : lanes.yzw)[i + 1];
    o[8] = int((i == 0 ? columns[0] : columns[1]).x + (i == 0 ? columns : float2x2(1))[0][0]);
    o[9] = (i == 1 ? small : plain{20, 2, x}).a;
    o[10] = (i == 1 ? rows : rows)[0][0];
    o[11] = (i == 0 ? both : nested()).q[i];
}
