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
//--- as clang: operators grouped unexpectedly
bool f1(int x) { return x &/* WARNING E1320 "'&' has lower precedence than '==', which is evaluated first" */ 1 == 0; }
bool f2(int x, int y) { return x == 1 |/* WARNING E1320 "'|' has lower precedence than '=='" */ y; }
bool f3(int x, int y) { return x == 1 & y == 2; }
bool f4(int x, int y) { return x &/* WARNING E1320 "'&' has lower precedence" */ y == 1 & x != 3; }
bool f5(int x, int y) { return (x < 3) & y; }
int f6(int x) { return x << 1 +/* WARNING E1321 "'<<' has lower precedence than '+', which is evaluated first" */ 2; }
int f7(int x) { return x -/* WARNING E1321 "'>>' has lower precedence than '-'" */ 1 >> x; }
int f8(int x) { x <<= 1 + 2; return (x + 1) << (x - 1) | x * 2 << 2; }
bool f9(int a, int b) { return !/* WARNING E1324 "'!' applies only to the left operand of '=='" */ a == b; }
bool f10(int a, int b) { return !/* WARNING E1324 "left operand of '&'" */ a & b; }
bool f11(int a, bool b) { return !a == b || !b == a || (!a) == 2 || !a | a; }
#define MASK x & 1
bool f12(int x) { return MASK == 0/* WARNING LINE E1320 "'&' has lower precedence than '=='" */; }
//--- as clang: an else of the inner if
int f1(int a, int b) { if (a) if (b) return 1; else/* WARNING E1322 "belongs to the inner 'if'" */ return 2; return 3; }
int f2(int a, int b) { if (a) for (;;) while (b) if (b) return 1; else/* WARNING E1322 "inner" */ return 2; return 3; }
int f3(int a, int b) { if (a) { if (b) return 1; else return 2; } return 3; }
int f4(int a, int b) { if (a) if (b) return 1; else return 2; else return 3; return 4; }
int f5(int a, int b) { if (a) return 0; else if (b) return 1; else return 2; return 3; }
int f6(int a, int b) { while (a) if (b) return 1; else return 2; return 3; }
//--- as clang: conditions in two pairs of parentheses
int f1(int a) { if ((a ==/* WARNING E1323 "'==' in two pairs of parentheses" */ 3)) return 1; return 0; }
int f2(const int a) { if ((a == 3) || (3 == a)) return 1; while ((3 == a)) return 1; if ((a == 3)) return 2; return ((a == 3)); }
int f3(thread int *a) { while (((a[1] ==/* WARNING E1323 "'=='" */ 3))) return 1; if ((a[1] != 3)) return 1; return 0; }
#define IS(x, y) ((x) == (y))
int f4(int a) { if (IS(a, 3)) return 1; return 0; }
//--- as clang: empty bodies
void g();
void f1(int a) { if (a);/* WARNING LINE E1325 "if statement has an empty body" */
    g(); }
void f2(int a) { if (a) ; else g(); }
void f3(int a) { for (int i = 0; i < a; i++);/* WARNING LINE E1325 "for loop has an empty body" */
    { g(); } }
void f4(int a) { while (a);/* WARNING LINE E1325 "while loop has an empty body" */
    { g(); } }
void f5(int a) {
    for (int i = 0; i < a; i++);
    g();
    while (a)
        ;
    { g(); }
    if (a)
        ;
    for (int i = 0; i < a; i++);/* WARNING LINE E1325 "for loop has an empty body" */
        g();
    for (;;);
}
//--- as clang: switches
enum E { A, B, C, D }; enum class F { X, Y }; enum G { P, Q };
int f1(E e) { switch/* WARNING E1326 "switch over 'E' does not handle 'C', 'D'" */ (e) { case A: return 1; case B: return 2; } return 0; }
int f2(F e) { switch/* WARNING E1326 "does not handle 'Y'" */ (e) { case F::X: return 2; } return 0; }
int f3(E e) { switch (e) { case A: return 2; default: return 1; } return 0; }
int f4(E e) { switch (e) { case A ... D: return 1; case 7/* WARNING E1326 "7 is not an enumerator of 'E'" */: return 2; } return 0; }
int f5(E e) { switch/* WARNING E1326 "does not handle 'A', 'B', 'C', ..." */ (e) { } return 0; }
int f6(bool b) { switch/* WARNING E1327 "of type 'bool'" */ (b) { case true: return 2; } return 0; }
int f7(int a) { switch/* WARNING E1327 "of type 'bool'" */ (a == 1) { case 1: return 2; } switch (int(a == 1)) { case 1: return 2; } return 0; }
int f8(E e) { switch (int(e)) { case A: return 1; } return 0; }
int f9(E e) { switch (e) { case P/* WARNING E1335 "a label of enum 'G' in a switch over 'E'" */: return 1; default: return 0; } }
bool f10(E e, G g) { return e ==/* WARNING E1334 "comparison of different enums ('E' and 'G')" */ g; }
bool f11(E e, int n, G g) { return e == n || n < g || e < B; }
//--- as clang: constants that hint at another operator
enum E { A, B, C };
bool f1(int a) { return a &&/* WARNING E1328 "logical '&&' with the constant 4; did you mean '&'?" */ 4; }
bool f2(int a) { return a ||/* WARNING E1328 "did you mean '|'?" */ 4; }
bool f3(int a) { const int k = 4; return a &&/* WARNING E1328 "the constant 4" */ k; }
bool f4(int a, bool b, float c) { return b && 4 || 4 && a || a && true || c && 4 || a && C; }
#define FLAG 1
bool f5(int a) { return a && FLAG; }
int f6() { return 2 ^/* WARNING E1333 "'2 ^ 8' is 10: '^' is exclusive or; did you mean '1 << 8'?" */ 8; }
int f7() { return 10 ^/* WARNING E1333 "'10 ^ 3' is 9: '^' is exclusive or; did you mean '1e3'?" */ 3; }
ulong f8() { return 2 ^/* WARNING E1333 "did you mean '1L << 40'?" */ 40; }
int f9() { return 2 ^/* WARNING E1333 "did you mean a power?" */ 64; }
int f10(int n) { return (3 ^ 8) + (0x2 ^ 8) + (2 ^ n) + (2u ^ 8) + (2 ^ 0x8); }
//--- as clang: variables changed and used in no fixed order
int g(int, int);
int f1(int i) { i = i++/* WARNING LINE E1329 "this expression changes 'i' twice in no fixed order" */; return i; }
int f2(int i) { return i + i++/* WARNING LINE E1329 "changes and uses 'i' in no fixed order" */; }
int f3(int i) { return i++ * i--/* WARNING LINE E1329 "changes 'i' twice" */; }
void f4(thread int *x, int i) { x[i] = i++/* WARNING LINE E1329 "changes and uses 'i'" */; }
int f5(int i) { return g(i, i++)/* WARNING LINE E1329 "changes and uses 'i'" */; }
void f6(int i) { i += i++/* WARNING LINE E1329 "changes and uses 'i'" */; }
int f7(int i) { return i == (i = 3)/* WARNING LINE E1329 "changes and uses 'i'" */; }
int f8(int i) { return g(g(i++, 1), i)/* WARNING LINE E1329 "changes and uses 'i'" */; }
int f9(int i, int j) { i = ++i + 1; return i++ && i++ ? i++ : (i--, i); }
int f10(int i) { int a[2] = {i++, i++}; i = g(i++, 1); a[i] = (i++ ? i : 1) + 1; return a[0]; }
struct S { int x, y; };
int f11(S s) { return s.x++ + s.y; }
//--- as clang: integers that overflow
int f1() { return 1000000 */* WARNING E1330 "overflow in expression; the result is 1215752192 of type 'int'" */ 100000; }
int f2() { return -2147483647 -/* WARNING E1330 "the result is 2147483647" */ 2; }
long f3() { return 65536 */* WARNING E1330 "the result is 0" */ 65536 + 65536L * 65536; }
uint f4() { return 4294967295u + 1u; }
int f5() { return 2 <</* WARNING E1331 "the result needs 34 bits to represent, and 'int' has 32" */ 31; }
int f6() { return (1 << 31) + (1 << 3); }
int f7() { return -1 <</* WARNING E1332 "shift of the negative number -1" */ 3; }
uint f8() { return 3u << 31; }
//--- as clang: literals out of range
float f1() { return 1e39f/* WARNING E1336 "'1e39f' is too large for type 'float', and becomes infinity" */; }
float f2() { return 1e-50f/* WARNING LINE E1336 "'1e-50f' is too small for type 'float', and becomes 0" */; }
half f3() { return 70000.0h/* WARNING E1336 "is too large for type 'half'" */; }
float f4() { return 1e-40f + 0.000e-50f + 0x0p-9f + 3.4e38f; }
int f5() { return 'ab'/* WARNING E1340 "several characters" */ + 'a'; }
//--- as clang: addresses that are always true
struct S { int a[2]; int m; };
bool f1() { int x; if (&x/* WARNING LINE E1337 "the address of 'x' is always true" */) return true; return false; }
bool f2() { int a[3]; if (a/* WARNING E1337 "the address of array 'a' is always true" */) return true; return a[0] && !a/* WARNING E1337 "array 'a'" */; }
bool f3(S s) { if (s.a/* WARNING LINE E1337 "array 'a'" */) return true; return false; }
bool f4(thread S *s, thread int *p) { if (&s->m/* WARNING LINE E1337 "address of 'm'" */) return true; return &p[1] || p; }
//--- as clang: results that are not used
struct S { int a[2]; int m; };
int g();
void f1(int a, int b) { a ==/* WARNING E1338 "the result of '==' is not used" */ b; a </* WARNING E1338 "'<'" */ b; }
void f2(int a) { a/* WARNING E1229 "this value is not used" */; -/* WARNING E1229 "the result of '-' is not used" */ a; (void)a; a++; }
void f3(thread int *p, S s) { p[1]/* WARNING LINE E1229 "this value is not used" */; s.m/* WARNING LINE E1229 "not used" */; (*p)++; *p++/* WARNING LINE E1229 "not used" */; }
void f4(int a) { a || g(); a ? g() : g(); a && a/* WARNING E1229 "not used" */; a/* WARNING E1229 "not used" */, g(); }
#define VALUE(x) (x)
void f5(int a) { VALUE(a++); for (int i = 0; i < 3; i/* WARNING E1229 "not used" */) i++; }
//--- as clang: sizes of pointers
int f1(thread int *p) { return sizeof(p) / /* WARNING LINE E1339 "is that of the pointer, not of an array" */ sizeof(p[0]); }
int f2(thread int *p) { int a[4]; return sizeof(a) / sizeof(a[0]) + sizeof(p) / sizeof(char) + sizeof(*p) / sizeof(p[0]); }
