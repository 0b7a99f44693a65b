//--- undeclared
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  p[0] = nothing/* ERROR "undeclared identifier 'nothing'" */;
}
//--- undeclared_call
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  p[0] = nothing/* ERROR "undeclared identifier" */(1);
}
//--- suggest
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float value = 1; p[0] = valeu/* ERROR "did you mean 'value'" */;
}
//--- unknown_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { Missing/* ERROR "unknown type name" */ x; }
//--- namespace
#include <metal_stdlib>
using namespace metal;
using namespace nowhere/* ERROR "no namespace named 'nowhere'" */;
//--- qualified
#include <metal_stdlib>
using namespace metal;
namespace a { int f(); }
kernel void k(device int* p) { p[0] = a::g/* ERROR "no name named 'g' in 'a'" */(); }
//--- twice
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
struct S/* ERROR "redefinition of 'S'" */ { int b; };
//--- local_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int a = 1; int a/* ERROR "declared twice" */ = 2;
}
//--- param_twice
#include <metal_stdlib>
using namespace metal;
void f(int a, int a/* ERROR "redefinition of parameter 'a'" */) {}
//--- function_twice
#include <metal_stdlib>
using namespace metal;
void f() {}
void f/* ERROR "redefinition of 'f'" */() {}
//--- result_only
#include <metal_stdlib>
using namespace metal;
int f(int a) { return a; }
float f/* ERROR "functions that differ only in their return type cannot be overloaded" */(int a) { return 1.0f; }
//--- no_member
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { s->b/* ERROR "no member named 'b' in 'S'" */ = 1; }
//--- the namespace of C++
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *a [[buffer(0)]]) {
  a[0] = std /* ERROR E1100 "use of undeclared identifier 'std'; Metal has 'metal'" */::sin(1.0f);
  a[1] = ::std /* ERROR E1183 "no type named 'std' in the global namespace" */::max(1, 2);
}
//--- unknown types in template arguments
#include <metal_stdlib>
using namespace metal;
template <typename T> T f(T x) { return x; }
template <int N> int number() { return N; }
template <typename T, int N> struct S { T a[N]; };
struct M { template <typename T> T get() { return T(1); } };
template <typename T> [[kernel]] void g(device T *y [[buffer(0)]]) { y[0] = T(1); }
template [[host_name("a")]] [[kernel]] void g<bfloat16_t /* ERROR E1101 "unknown type name 'bfloat16_t'" */>(device bfloat16_t *);
template [[host_name("b")]] [[kernel]] decltype(g<float>) g<bfloat16_t /* ERROR E1101 "unknown type name 'bfloat16_t'" */>;
template [[host_name("c")]] [[kernel]] void g<float>(device bfloat16_t /* ERROR E1101 "unknown type name 'bfloat16_t'" */ *);
template [[host_name("d")]] [[kernel]] void g<vec<bfloat16_t /* ERROR E1101 "unknown type name 'bfloat16_t'" */, 2>>(device vec<bfloat16_t, 2> *);
template [[host_name("e")]] [[kernel]] void g<half>(device half *);
template <> float f<float>(t1 /* ERROR E1101 "unknown type name 't1'" */ x) { return 0; }
kernel void k(device float *o) {
  o[0] = f<t2 /* ERROR E1101 "unknown type name 't2'" */>(1.0f);
  S<t3 /* ERROR E1101 "unknown type name 't3'" */, 2> s;
  M m;
  o[1] = m.get<t4 /* ERROR E1101 "unknown type name 't4'" */>();
  o[2] = f<vec<t5 /* ERROR E1101 "unknown type name 't5'" */, 2>>(1).x;
  o[3] = f<metal::t6 /* ERROR E1183 "no type named 't6' in 'metal'" */>(1);
  o[4] = number<n /* ERROR E1100 "use of undeclared identifier 'n'" */>();
  auto p = f<t7 /* ERROR E1101 "unknown type name 't7'" */>;
  array<t8 /* ERROR E1101 "unknown type name 't8'" */, 2> a;
  o[5] = metal::max<t9 /* ERROR E1101 "unknown type name 't9'" */>(1, 2);
}
//--- predeclared_struct
#include <metal_stdlib>
struct float2/* ERROR E1207 "'float2' is declared as another type before" */ { float x, y; };
//--- predeclared_template
template <class T> struct uint3/* ERROR E1207 "redefinition of 'uint3' as different kind of symbol" */ { T x; };
//--- predeclared_enum
enum packed_half4/* ERROR E1207 "'packed_half4' is declared as another type before" */ { a };
//--- predeclared_typedef
typedef float uint16_t/* ERROR E1207 "declared as 'float' here, but as 'ushort' before" */;
//--- predeclared_function
void float4/* ERROR E1207 "redefinition of Metal's type 'float4' as different kind of symbol" */(int x) {}
//--- predeclared_using
namespace a { struct float2 { float x, y; }; }
using a/* ERROR E1207 "Metal has another type 'float2' here; use it by its qualified name" */::float2;
//--- predeclared_ambiguous
namespace a { struct float2 { float x, y; }; }
using namespace a;
kernel void k(device float2/* ERROR E1260 "reference to 'float2' is ambiguous" */ *x) {}
