//--- args_few
#include <metal_stdlib>
using namespace metal;
template <typename T, typename U> struct S { T a; };
kernel void k(device float* p) { S/* ERROR "too few template arguments" */<int> s; }
//--- args_many
#include <metal_stdlib>
using namespace metal;
template <typename T> struct S { T a; };
kernel void k(device float* p) { S/* ERROR "too many template arguments" */<int, int> s; }
//--- kind
#include <metal_stdlib>
using namespace metal;
template <int N> struct S { int a[N]; };
kernel void k(device float* p) { S/* ERROR "must be a value" */<float> s; }
//--- constant
#include <metal_stdlib>
using namespace metal;
template <int N> struct S { int a[N]; };
kernel void k(device int* p) { int n = p[0]; S<n/* ERROR "not a constant expression" */> s; }
//--- no_template
#include <metal_stdlib>
using namespace metal;
template <> void f/* ERROR "no function template 'f'" */<int>(int a) {}
//--- in_body
#include <metal_stdlib>
using namespace metal;
template <typename T> T f(T a) { return a.x/* ERROR "no member named 'x' in 'int'" */; }
kernel void k(device int* p) { p[0] = f(1); }
//--- enable_if
#include <metal_stdlib>
using namespace metal;
template <typename T, typename = enable_if_t<is_floating_point_v<T>>> T f(T a) { return a; }
kernel void k(device int* p) { p[0] = f/* ERROR "no matching function for call to 'f' with arguments of types (int)" */(1); }
//--- pack
#include <metal_stdlib>
using namespace metal;
template <typename... T> int f(T... t) { return t/* ERROR "unexpanded parameter pack 't'" */; }
kernel void k(device int* p) { p[0] = f(1, 2); }
