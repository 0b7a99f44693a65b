//--- a function that calls itself
int f(int n) { return n < 2 ? 1 : n * f /* ERROR E2001 "'f' calls itself: kernels cannot recurse" */(n - 1); }
kernel void k(device int *p [[buffer(0)]]) { *p = f(*p); }
//--- a circle of calls
int g(int n);
int f(int n) { return g(n - 1) + 1; }
int g(int n) { return f /* ERROR E2001 "'f' calls itself: kernels cannot recurse" */(n - 1) + 1; }
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
