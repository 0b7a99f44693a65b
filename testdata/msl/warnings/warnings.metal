//--- shift
#include <metal_stdlib>
using namespace metal;
kernel void k(device int *p, device ulong *q, device uchar *c) {
    p[0] = p[1] << /* WARNING E1303 "shift count 32 is not below the 32 bits of 'int'" */ 32;
    p[2] >>= -1; /* WARNING LINE E1308 "shift count -1 is negative" */
    q[0] = q[1] >> 63;
    q[2] = q[3] >> /* WARNING E1303 "not below the 64 bits of 'ulong'" */ 64;
    p[3] = c[0] << 9;
}
//--- uninitialized
kernel void k(device int *p, constant int &n) {
    int a, b, c, d;
    p[0] = a/* WARNING E1302 "variable 'a' is read before anything is written to it" */ + a;
    if (n > 0) b = 1;
    p[1] = b;
    c/* WARNING E1302 "'c'" */ += 1;
    for (int i = 0; i < n; i++) {
        int e;
        p[i] = e/* WARNING E1302 "'e'" */;
        if (i > 0) p[i] = d;
        d = i;
    }
}
//--- uninitialized in an instance
template <typename T> static T sum(T x) { T s; return s/* WARNING E1302 "'s'" */ + x; }
kernel void k(device float *p) { p[0] = sum(p[1]); }
//--- none: written in other ways
#include <metal_stdlib>
using namespace metal;
static void set(thread int &x) { x = 3; }
struct S { int a, b; };
kernel void k(device int *p, constant int &n, uint lane [[thread_index_in_simdgroup]]) {
    int a, b, c, d, unused_but_measured;
    set(a);
    thread int *at = &b;
    *at = 4;
    switch (n) { case 0: c = 1; break; default: c = 2; }
    while (n > 1) { d = 5; break; }
    S s;
    s.a = 1;
    float2 v;
    v.x = 2;
    simdgroup_float8x8 m;
    simdgroup_load(m, (device float *)p);
    (void)a;
    p[0] = a + b + c + d + s.a + int(v.x) + sizeof(unused_but_measured);
    int parts[2];
    parts[0] = 1;
    p[1] = parts[1];
    float whole, frac = modf(2.5f, whole);
    p[2] = int(whole + frac);
}
//--- unused
kernel void k(device int *p) {
    int a/* WARNING E1301 "variable 'a' is not used" */ = p[0], b = 1;
    const int width = 4;
    [[maybe_unused]] int c = 2;
    int _d = 3;
    p[b] = sizeof(int[width]);
}
//--- none: all are used
template <bool add> static int f(int x) {
    int y = 2;
    if constexpr (add) return x + y;
    return x;
}
struct Guard { int n; Guard(int x) : n(x) {} };
kernel void k(device int *p) {
    int captured = 1, through = 2;
    auto g = [captured](int x) { return x + captured; };
    auto h = [&]() { return through; };
    Guard guard(1);
    p[0] = f<false>(g(1)) + h();
}
//--- divergent
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p, uint i [[thread_index_in_threadgroup]], constant uint &n) {
    if (i < 16) threadgroup_barrier/* WARNING E1304 "barrier in divergent control flow" */(mem_flags::mem_none);
    if (n < 16) threadgroup_barrier(mem_flags::mem_none);
    p[i] = 1;
}
//--- divergent in a function
#include <metal_stdlib>
using namespace metal;
static void sync() { threadgroup_barrier/* WARNING E1304 "barrier in divergent control flow" */(mem_flags::mem_none); }
kernel void k(device float *p, uint i [[thread_index_in_threadgroup]]) {
    for (uint n = 0; n < i; n++) sync();
    p[i] = 1;
}
//--- divergent behind a return
#include <metal_stdlib>
using namespace metal;
static void sync() { threadgroup_barrier/* WARNING E1304 "barrier in divergent control flow" */(mem_flags::mem_none); }
kernel void early(device float *p, uint i [[thread_position_in_grid]], constant uint &n) {
    if (i >= n) return;
    threadgroup_barrier/* WARNING E1304 "barrier in divergent control flow" */(mem_flags::mem_none);
    if (n < 3) sync();
    p[i] = 1;
}
kernel void in_a_loop(device float *p, uint i [[thread_position_in_grid]], constant uint &n) {
    for (uint k = 0; k < n; k++) {
        threadgroup_barrier/* WARNING E1304 "barrier in divergent control flow" */(mem_flags::mem_none);
        if (p[i] < 0) return;
    }
}
kernel void behind_a_loop(device float *p, uint i [[thread_position_in_grid]], constant uint &n) {
    for (uint k = 0; k < n; k++)
        if (p[i] < 0) return;
    threadgroup_barrier/* WARNING E1304 "barrier in divergent control flow" */(mem_flags::mem_none);
}
//--- none: returns that all threads of a threadgroup take
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p, uint i [[thread_position_in_grid]], constant uint &n, uint group [[threadgroup_position_in_grid]],
              device const uint *done) {
    if (n == 0) return;
    if (done[group] > 1) return;
    if (n == 1) {
        if (i < 7) return;
        p[i] = 1;
        return;
    }
    if (group == 3 && n > 7) return;
    threadgroup_barrier(mem_flags::mem_none);
    for (uint k = 0; k < n; k++) {
        if (done[k]) return;
        threadgroup_barrier(mem_flags::mem_none);
    }
    if (p[i] > 3) return;
    p[i] = 1;
}
kernel void in_the_other_branch(device float *p, uint i [[thread_position_in_grid]], constant uint &n) {
    if (n) {
        if (i < 7) return;
        p[i] = 1;
    } else {
        threadgroup_barrier(mem_flags::mem_none);
    }
}
//--- threadgroup memory
template <int n> kernel void big/* WARNING E1309 "kernel 'big' declares 131076 bytes of threadgroup memory, and a threadgroup has at most 32768" */(device float *p, uint i [[thread_index_in_threadgroup]]) {
    threadgroup float a[n], b[1];
    a[i] = p[i];
    b[0] = 1;
}
template [[host_name("big")]] kernel void big<32768>(device float *, uint);
//--- none: threadgroup memory
kernel void k(device float *p, uint i [[thread_index_in_threadgroup]]) {
    threadgroup float a[8192];
    a[i] = p[i];
}
//--- none: uniform
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p, uint i [[thread_index_in_threadgroup]], constant uint &n, uint3 size [[threads_per_threadgroup]]) {
    threadgroup float t[64];
    for (uint step = size.x / 2; step > n; step /= 2) {
        t[i] = p[i];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    p[i] = t[0];
}
//--- attributes
kernel void k(device int *p [[bufer/* WARNING E1305 "unknown attribute 'bufer' is ignored; did you mean 'buffer'?" */(0)]]) { p[0] = 1; }
//--- none: attributes
#include <metal_stdlib>
using namespace metal;
[[clang::optnone]] [[nodiscard]] static int f() { return 1; }
[[max_total_threads_per_threadgroup(64)]] kernel void k(device int *p [[buffer(0), user(data)]]) { p[0] = f(); }
//--- none: of an instance that never gets there
template <int n> static int part(int x) {
    if (n == 0 || n > 31) return x;
    return (x % n) + (x << n) + x / n;
}
kernel void k(device int *p) { p[0] = part<0>(p[1]) + part<40>(p[2]) + part<3>(p[3]); }
//--- assignment as a condition
kernel void k(device int *p, constant int &n) {
    int a = 0;
    if (a =/* WARNING E1307 "'=' as a condition" */ n) p[0] = 1;
    if ((a = n)) p[1] = 1;
    if (a == n) p[2] = 1;
    while (a |=/* WARNING E1307 "'|=' as a condition" */ p[3]) p[3]--;
    do p[4] = a; while (a =/* WARNING E1307 "'='" */ 0);
    for (; a =/* WARNING E1307 "'='" */ n; ) p[5] = a;
    if (a += n) p[6] = 1;
    if (bool b = n) p[7] = b;
}
//--- as clang: comparisons of different signs
bool f1(int a, uint b) { return a </* WARNING E1310 "comparison of integers of different signs: 'int' and 'uint'" */ b; }
bool f2(int a, uint b) { return a ==/* WARNING E1310 "'int' and 'uint'" */ b; }
bool f3(short a, ushort b) { return a < b; }
bool f4(uint b) { return b < 5 || b > -1; }
bool f5(int a) { return a </* WARNING E1310 "'int' and 'uint'" */ 3u; }
bool f6(int a) { return a == 3u; }
bool f7(int a, uint b) { return (a & 3) < b; }
bool f8(int a) { return a </* WARNING E1310 "'int' and 'ulong'" */ sizeof(int); }
int f9() { int n = 0; for (int i = 0; i </* WARNING E1310 "'int' and 'uint'" */ 10u; i++) n++; return n; }
bool f10(uint u) { const int k = 3; return k < u; }
bool f11(long a, uint b) { return a < b; }
template <typename T> bool less(T a, uint b) { return a < b; }
bool f12(int a, uint b) { return less(a, b); }
//--- as clang: comparisons whose result is known
struct S { int n; float x; };
bool f1(int x) { return x ==/* WARNING E1311 "self-comparison always evaluates to true" */ x; }
bool f2(int x) { return x </* WARNING E1311 "self-comparison always evaluates to false" */ x; }
bool f3(float x) { return x == x; }
bool f4(thread int *a) { return a[0] !=/* WARNING E1311 "self-comparison always evaluates to false" */ a[0]; }
bool f5(S s) { return s.n >=/* WARNING E1311 "true" */ s.n && s.x == s.x; }
#define VERSION 240
static_assert(VERSION == 240 && (7) == 7, "");
bool f6(thread int *a, int i) { return a[i] == a[i + 1] && i == i * 1; }
bool f7(uchar c) { return c ==/* WARNING E1312 "comparison of constant 300 with expression of type 'uchar' is always false" */ 300; }
bool f8(uchar c) { return c </* WARNING E1312 "is always true" */ 256; }
bool f9(uchar c) { return c < 255 || c >= 0; }
bool f10(int a) { return a </* WARNING E1312 "expression of type 'int' is always true" */ 4294967296; }
bool f11(bool b) { return b </* WARNING E1312 "constant 2 with expression of type 'bool' is always true" */ 2; }
bool f12(uint x) { return x >= 0 || x < 0; }
bool f13(char c) { return 200 >/* WARNING E1312 "constant 200 with expression of type 'char' is always true" */ c; }
//--- as clang: constants that change in a conversion
void g(int);
int f1() { int x = 2.5/* WARNING E1313 "implicit conversion from 'float' to 'int' changes value from 2.5 to 2" */; return x; }
int f2() { int x = 2.0; return x; }
void f3() { g(1.5/* WARNING E1313 "from 1.5 to 1" */); }
int f4() { return 3.75/* WARNING E1313 "from 3.75 to 3" */; }
uchar f5() { uchar c = 300/* WARNING E1314 "implicit conversion from 'int' to 'uchar' changes value from 300 to 44" */; return c; }
float f6() { float x = 16777217/* WARNING E1315 "from 'int' to 'float' changes value" */; return x; }
half f7() { half h = 2049/* WARNING E1315 "from 'int' to 'half' changes value" */; h = 0.1; return h; }
uint f8() { uchar c = -1; char e = -128; ushort s = ~0; uint u = -1; return c + e + s + u; }
int f11() { int x = 0xFFFFFFFF, y = 0x80000000u; short s = 40000u; return x + y + s; }
char f9() { char d = 255/* WARNING E1314 "from 255 to -1" */; return d; }
int f10(float f) { int x = f/* WARNING E1316 "implicit conversion turns 'float' into integer 'int'" */; return x + int(f) + int(2.5); }
