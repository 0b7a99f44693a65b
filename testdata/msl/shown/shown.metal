//--- a tab and a range
kernel void k(device float *p) {
	float x = p[0]	+ missing;
	p[1].xyz = 2.0f	* "text";
}
//--- UTF-8 in front of the caret
kernel void k(device float *p) {
    /* größer als π */ p[0] = naïve; // ←
    p[1] = "日本語" - p;
}
//--- a long line is cut around the caret
kernel void k(device float *p) { p[0] = 1.0f + 2.0f + 3.0f + 4.0f + 5.0f + 6.0f + 7.0f + 8.0f + 9.0f + 10.0f + 11.0f + 12.0f + absent + 13.0f + 14.0f + 15.0f + 16.0f + 17.0f + 18.0f + 19.0f + 20.0f + 21.0f + 22.0f + 23.0f; }
//--- crlf ends of lines
kernel void k(device float *p) {
    p[0] = gone;
}
//--- macros in macros
#define SQUARE(x) ((x) * (x))
#define AREA(r) (3.14f * SQUARE(r))
#define BROKEN undeclared_in_a_macro
kernel void k(device float *p) {
    p[0] = AREA(radius);
    p[1] = BROKEN + 1;
}
//--- templates in templates
template <typename T> T inner(T x) { return x.value; }
template <typename T> T outer(T x) { return inner(x) + inner(x); }
kernel void k(device float *p) { p[0] = outer(p[1]); }
//--- suggestions
#include <metal_stdlib>
using namespace metal;
namespace shapes { struct Circle { float radius; }; static float area(Circle c) { return c.radius; } }
enum class Mode { fast, slow };
kernel void k(device float *p [[bufer(0)]], uint index [[thread_position_in_grid]]) {
    flaot x;
    shapes::Circel c;
    shapes::Circle d{1};
    p[0] = d.raduis + shapes::aera(d) + shape::area(d);
    p[1] = fma_(p[1], p[2], p[3]) + indx;
    threadgroup_barier(metal::mem_flag::mem_device);
    Mode m = Mode::fats;
}
//--- one mistake is one message
struct Broken { Unknown a; int b; };
kernel void k(device Broken *p, constant Missing &q) {
    auto x = nothing + p[0].b;
    auto y = x * 2;
    p[0].b = y + x + q.n;
}
//--- in a function that is inlined
static int deep(int n) { return n < 2 ? 1 : n * deep(n - 1); }
kernel void k(device int *p) { p[0] = deep(p[1]); }
//--- warnings of a right program
#include <metal_stdlib>
using namespace metal;
static void sync() { threadgroup_barrier(mem_flags::mem_none); }
kernel void k(device int *p, uint i [[thread_index_in_threadgroup]]) {
    int never, read;
    if (i > 2) sync();
    p[0] = read / 0 + (p[1] << 32);
}
//--- why each candidate is out
template <typename T> T mix3(T a, T b, T c) { return a + b + c; }
float mix3(float a, float b) { return a + b; }
void mix3(device float *p, float4 a, int b) {}
kernel void k(device float *p) { mix3(p, 1, 2.0f); mix3(p, p, 1); }
//--- instances without an end, from a macro
#define NEXT(n) (n) + 1
template <int N> int f(int a) { return f<NEXT(N)>(a); }
kernel void k(device int *p) { p[0] = f<0>(1); }
//--- a mistake that the library meets
#include <metal_stdlib>
using namespace metal;
struct A { int a; };
template <typename T> int f() { return negation<T>::value; }
kernel void k(device int *p) { p[0] = f<A>(); }
//--- what is declared further down
kernel void k(device float *p) { p[0] = scale * p[1] + late(p[2]); }
constant float scale = 2;
float late(float x) { return x; }
