// launch arrstruct
// buffer 0: zero 16
// want 0: i32 1 2 3 4
// launch ternlv
// buffer 0: zero 12
// want 0: i32 5 7 9
// launch fall
// buffer 0: zero 8
// want 0: i32 13 4
// launch vol
// buffer 0: zero 4
// want 0: i32 3
// launch attrs
// buffer 0: zero 4
// want 0: i32 3
// launch macros
// buffer 0: zero 4
// want 0: i32 7
// launch constexprfn
// buffer 0: zero 12
// want 0: i32 120 3 8
// launch ptrs
// buffer 0: zero 16
// want 0: i32 5 3 2 1
// launch vecs
// buffer 0: zero 20
// want 0: i32 4 3 10 1 7
// launch packed
// buffer 0: zero 12
// want 0: i32 3 12 6
// launch mats
// buffer 0: zero 12
// want 0: i32 5 11 2
// launch sizeofs
// buffer 0: zero 32
// want 0: i32 16 8 4 12 2 1 8 32
// launch longs
// buffer 0: zero 8
// want 0: i32 -1 9
// launch unsignedcharlit
// buffer 0: zero 8
// want 0: i32 97 10
// launch switchret
// buffer 0: zero 8
// want 0: i32 2 5
// launch dowhile
// buffer 0: zero 8
// want 0: i32 5 6
// launch shadow
// buffer 0: zero 12
// want 0: i32 1 2 1
// launch comma
// buffer 0: zero 8
// want 0: i32 3 5
// launch arrays2d
// buffer 0: zero 12
// want 0: i32 6 5 4
// launch unionpun
// buffer 0: zero 8
// want 0: i32 1065353216 63
// launch reinterp
// buffer 0: zero 8
// want 0: i32 16256 2
// launch metalarray
// buffer 0: zero 8
// want 0: i32 3 6
// launch nestedtern
// buffer 0: zero 4
// want 0: i32 2
// launch largelit
// buffer 0: zero 8
// want 0: i32 1 -1
#include <metal_stdlib>
using namespace metal;

namespace in_arrstruct {
struct P {
    int a;
    float b;
};
constant P ps[] = {{1, 2.0f}, {3, 4.0f}};
[[host_name("arrstruct")]] kernel void arrstruct(device int *o) {
    o[0] = ps[0].a;
    o[1] = int(ps[0].b);
    P q[2] = {ps[1], {4, 0}
};
o[2] = q[0].a;
o[3] = q[1].a;
}
}

namespace in_ternlv {
[[host_name("ternlv")]] kernel void ternlv(device int *o) {
    int a = 1, b = 2;
    (a > b ? a : b) = 5;
    o[0] = b;
    (a++, b) = 7;
    o[1] = b;
    int x = (a = 3, a * 3);
    o[2] = x;
}
}

namespace in_fall {
int f(int n) {
    int s = 0;
    switch (n) {
        case 0: s += 1;
        case 1: for (int i = 0; i < 3; i++) {
            if (i == 1) continue;
            switch (i) {
                case 0: s += 2;
                break;
                default: s += 10;
            }
        }
        break;
        case 2: s = 4;
        default: ;
    }
    return s;
}
[[host_name("fall")]] kernel void fall(device int *o) {
    o[0] = f(0);
    o[1] = f(2);
}
}

namespace in_vol {
[[host_name("vol")]] kernel void vol(device int *o) {
    volatile int x = 1;
    x = x + 2;
    o[0] = x;
}
}

namespace in_attrs {
[[maybe_unused]] static inline __attribute__((always_inline)) int f([[maybe_unused]] int x) {
    return 3;
}
struct [[nodiscard]] N {
    int v;
};
struct __attribute__((packed)) PK { char a; int b; };
[[host_name("attrs")]] kernel void attrs(device int *o) {
    [[maybe_unused]] int q = 1;
    if (q) [[likely]] { o[0] = f(2); } for (int i = 0; i < 1; i++) {
    }
}
}

namespace in_macros {
METAL_FUNC int f(int x) {
    return x;
}
METAL_INTERNAL int g(int x) {
    return x;
}
static METAL_FUNC int h(int x) METAL_CONST_ARG(x) {
    return 0;
}
[[host_name("macros")]] kernel void macros(device int *o) {
    o[0] = f(7);
}
}

namespace in_constexprfn {
constexpr int fact(int n) {
    return n <= 1 ? 1 : n * fact(n - 1);
}
constexpr int loop(int n) {
    int s = 0;
    for (int i = 0; i < n; ++i) {
        if (i % 2) continue;
        s += i;
    }
    return s;
}
constant int tab[fact(3)] = {1, 2, 3};
struct V {
    int a[3];
    constexpr int get(int i) const {
        return a[i];
    }
};
constexpr constant V vv = {{7, 8, 9}};
[[host_name("constexprfn")]] kernel void constexprfn(device int *o) {
    constexpr int f = fact(5);
    o[0] = f;
    o[1] = tab[2];
    static_assert(loop(5) == 6, "");
    constexpr V w = {{7, 8, 9}
};
o[2] = w.get(1);
}
}

namespace in_ptrs {
struct N {
    int v;
};
[[host_name("ptrs")]] kernel void ptrs(device int *o) {
    N n{5};
    thread N *p = &n;
    thread N *thread *pp = &p;
    o[0] = (*pp)->v;
    int a[4] = {0, 1, 2, 3};
    thread int *q = a + 1;
    o[1] = q[2];
    o[2] = int(&a[3] - q);
    o[3] = q == &a[1] && q != nullptr;
}
}

namespace in_vecs {
[[host_name("vecs")]] kernel void vecs(device int *o) {
    int4 v = int4(1, 2, 3, 4);
    v.xy = v.wz;
    o[0] = v.x;
    o[1] = v.y;
    v[0] = 10;
    o[2] = v.x;
    int2 b = int2(1);
    b += 2;
    bool2 c = b == int2(3);
    o[3] = all(c);
    uchar4 u = uchar4(1, 2, 3, 4);
    u.x += 6;
    o[4] = u[0];
}
}

namespace in_packed {
[[host_name("packed")]] kernel void packed(device int *o) {
    packed_float3 p = float3(1, 2, 3);
    o[0] = int(p.z);
    o[1] = sizeof(packed_float3);
    float3 q = p;
    q *= 2;
    p = q;
    o[2] = int(p[2]);
}
}

namespace in_mats {
[[host_name("mats")]] kernel void mats(device int *o) {
    float2x2 m = float2x2(float2(1, 2), float2(3, 4));
    float2 r = m * float2(2, 1);
    o[0] = int(r.x);
    m[1][0] += 8;
    o[1] = int(m[1].x);
    o[2] = int(transpose(m)[1][0]);
}
}

namespace in_sizeofs {
struct S {
    float3 a;
};
struct T {
    char c;
    long l;
};
struct P {
    packed_float3 p;
};
[[host_name("sizeofs")]] kernel void sizeofs(device int *o) {
    o[0] = sizeof(S);
    o[1] = alignof(T);
    o[2] = sizeof(uchar4);
    o[3] = sizeof(P);
    o[4] = sizeof(half);
    o[5] = sizeof(bool);
    o[6] = sizeof(half3);
    o[7] = sizeof(float2x4);
}
}

namespace in_longs {
[[host_name("longs")]] kernel void longs(device int *o) {
    long x = -5;
    ulong y = 0xffffffffffffffffUL;
    o[0] = int(y);
    o[1] = int((x * -2) - 1L);
}
}

namespace in_unsignedcharlit {
[[host_name("unsignedcharlit")]] kernel void unsignedcharlit(device int *o) {
    char c = 'a';
    o[0] = c;
    constant char *s = "x\n";
    o[1] = s[1];
}
}

namespace in_switchret {
int f(uint x) {
    switch (x & 3u) {
        case 0u: return 2;
        case 1u: case 2u: { int t = x; return t + 4; } default: break;
    }
    return 7;
}
[[host_name("switchret")]] kernel void switchret(device int *o) {
    o[0] = f(4);
    o[1] = f(1);
}
}

namespace in_dowhile {
[[host_name("dowhile")]] kernel void dowhile(device int *o) {
    int i = 0;
    do {
        i++;
        if (i == 3) continue;
    } while (i < 5);
    o[0] = i;
    int n = 0;
    while (true) {
        for (;;) {
            n++;
            if (n % 2 == 0) break;
        }
        if (n > 5) break;
    }
    o[1] = n;
}
}

namespace in_shadow {
[[host_name("shadow")]] kernel void shadow(device int *o) {
    int x = 1;
    { int x = 2; o[1] = x; } o[0] = x;
    for (int x = 0; x < 1; x++) o[2] = x + 1;
    int y = x;
    { int y = x; (void)y; }
}
}

namespace in_comma {
int g(int a, int b) {
    return a + b;
}
[[host_name("comma")]] kernel void comma(device int *o) {
    int a = 1, b = 2, c[2] = {4, 1};
    thread int *p = &a;
    o[0] = g(*p, b);
    o[1] = c[0] + c[1];
    for (int i = 0, j = 5; i < j; i++, j--) {
    }
}
}

namespace in_arrays2d {
void fill(thread int (&a)[2][3]) {
    for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) a[i][j] = i * 3 + j;
}
int last(thread int (*a)[3]) {
    return a[1][2];
}
template <int R, int C> int cells(thread const int (&)[R][C]) {
    return R * C;
}
[[host_name("arrays2d")]] kernel void arrays2d(device int *o) {
    int a[2][3];
    fill(a);
    o[0] = cells(a);
    o[1] = last(a);
    using Row = int[3];
    thread Row *r = a;
    o[2] = r[1][1];
}
}

namespace in_unionpun {
union U {
    float f;
    uint u;
    uchar b[4];
    half2 h;
};
[[host_name("unionpun")]] kernel void unionpun(device int *o) {
    U u;
    u.f = 1.0f;
    o[0] = u.u;
    o[1] = u.b[3];
}
}

namespace in_reinterp {
[[host_name("reinterp")]] kernel void reinterp(device int *o) {
    float f[2] = {1.0f, 2.0f};
    thread ushort *p = reinterpret_cast<thread ushort *>(f);
    o[0] = p[1];
    thread float2 *q = (thread float2 *)f;
    o[1] = int(q->y);
}
}

namespace in_metalarray {
[[host_name("metalarray")]] kernel void metalarray(device int *o) {
    array<int, 3> a = {1, 2, 3};
    o[0] = a.size();
    int s = 0;
    for (auto x : a) s += x;
    o[1] = s;
    array<float, 2> b{{1.f, 2.f}
};
(void)b;
}
}

namespace in_nestedtern {
[[host_name("nestedtern")]] kernel void nestedtern(device int *o, uint i [[thread_position_in_grid]]) {
    o[0] = i > 3 ? 1 : i == 0 ? 2 : 3;
}
}

namespace in_largelit {
[[host_name("largelit")]] kernel void largelit(device int *o) {
    ulong m = 0x8000000000000000;
    o[0] = int(m >> 63);
    uint u = 4294967295;
    o[1] = int(u);
    int b = 0b101;
    (void)b;
    float f = 1e3f + 0x1p3f + .5;
    (void)f;
}
}
