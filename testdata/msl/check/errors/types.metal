//--- double
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { double/* ERROR "'double' is not supported in Metal" */ d = 1; }
//--- not_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int n = q[0]; int a[n/* ERROR "not a constant expression" */];
}
//--- incomplete
#include <metal_stdlib>
using namespace metal;
struct S;
kernel void k(device float* p) { S s/* ERROR "incomplete type 'S' where a complete type is required" */; }
//--- long_long
#include <metal_stdlib>
using namespace metal;
kernel void k(device long* p) {
  long/* ERROR E1266 "'long long' is not supported in Metal; 'long' has 64 bits" */ long a = 1;
  unsigned/* ERROR E1266 "'long long' is not supported in Metal; 'long' has 64 bits" */ long long b = 1;
}
//--- long_double_literal
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = 1.0l/* ERROR E1177 "'long double' is not supported in Metal" */; }
//--- long_string
#include <metal_stdlib>
using namespace metal;
kernel void k(device char* p) {
  char fits[4] = "abc";
  char/* ERROR E1224 "initializer-string is too long: it has 4 characters including the terminating null character, but 'char[3]' holds 3" */ a[3] = "abc";
  p[0] = fits[0];
}
//--- elided_too_many
#include <metal_stdlib>
using namespace metal;
struct Big { array<uint, 2> limbs; };
constant Big fits = {1, 2};
constant Big over = {/* ERROR E1130 "variable 'over' of type 'Big' cannot be initialized with this list" */1, 2, 3};
//--- literal_too_long
constant uchar fits[4] = "abc";
constant/* ERROR E1224 "initializer-string is too long: it has 4 characters including the terminating null character, but 'uchar[3]' holds 3" */ uchar over[3] = "abc";
constant/* ERROR E1130 "array 'shorts' must be initialized with an initializer list" */ short shorts[4] = "abc";
