//--- a function that calls itself
int f(int n) { return n < 2 ? 1 : n * f /* ERROR E2001 "'f' calls itself: recursion is not supported in Metal" */(n - 1); }
kernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }
//--- a circle of calls
int g(int n);
int f(int n) { return g(n - 1) + 1; }
int g(int n) { return f /* ERROR E2001 "'f' calls itself: recursion is not supported in Metal" */(n - 1) + 1; }
kernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }
//--- a function without a body
int f(int n);
kernel void k(device int *p [[buffer(0)]]) { *p = f /* ERROR E2003 "'f' is called but not defined" */(*p); }
//--- a method without a body
struct S { int a; int f() const; };
kernel void k(device int *p [[buffer(0)]]) { S s = {1}; *p = s /* ERROR E2003 "'f' is called but not defined" */.f(); }
//--- a builtin that is not lowered
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture(0)]], device float4 *p [[buffer(0)]]) { constexpr sampler s(filter/* ERROR U0201 "not supported: bicubic filters" */::bicubic); *p = t.sample(s, float2(0)); }
//--- an instantiation without a body
template <typename T> kernel void copy /* ERROR E2003 "entry point 'copy' has no body" */(device T *p [[buffer(0)]]);
template [[host_name("copy_float")]] kernel void copy<float>(device float *p [[buffer(0)]]);
//--- condition_of_vector
constant int2 v [[function_constant(0)]];
constant bool is = v.x /* ERROR U0201 "not supported: this in the condition of an argument" */ > 1;
kernel void k(device int* p [[buffer(0), function_constant(is)]]) { p[0] = 1; }
//--- condition_too_long
constant int a [[function_constant(0)]];
constant int b = a + a * a, c = b + b * b, d = c + c * c, e = d + d * d, f = e + e * e, g = f + f * f, h = g + g * g, i = h + h * h;
constant /* ERROR U0201 "a condition of an argument, 'is', that exceeds 4096 bytes when expanded" */ bool is = i > 1;
kernel void k(device int* p [[buffer(0), function_constant(is)]]) { p[0] = 1; }
//--- a pointer to one of two kinds of constants
constant int x [[function_constant(0)]];
constant /* ERROR U0201 "not supported: a pointer that may point to 'changing', which depends on function constants, or to another constant" */ int changing[2] = {x, 1};
constant int fixed[2] = {2, 3};
kernel void k(device int *p [[buffer(0)]]) { constant int *from = *p ? changing : fixed; *p = from[1]; }
//--- a stored pointer to a constant that depends on function constants
constant int x [[function_constant(0)]];
constant /* ERROR U0201 "not supported: a pointer that may point to 'changing', which depends on function constants, or to another constant" */ int changing[2] = {x, 1};
kernel void k(device int *p [[buffer(0)]]) { constant int *from[2] = {changing, changing}; *p = from[*p][1]; }
