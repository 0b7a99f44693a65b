//--- double
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { double/* ERROR "'double' is not a type of metal" */ d = 1; }
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
kernel void k(device float* p) { S s/* ERROR "is not complete" */; }
