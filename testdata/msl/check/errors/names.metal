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
