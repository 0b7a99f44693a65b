//--- break
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  break/* ERROR "outside a loop" */;
}
//--- continue
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  continue/* ERROR "outside a loop" */;
}
//--- switch_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (p/* ERROR "switch needs an integer" */[0]) { default: break; }
}
//--- duplicate
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (q[0]) { case 1: break; case/* ERROR "occurs twice" */ 1: break; }
}
//--- two_defaults
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (q[0]) { default: break; default/* ERROR "two default labels" */: break; }
}
//--- static_assert
#include <metal_stdlib>
using namespace metal;
static_assert/* ERROR "static assertion failed: no" */(1 == 2, "no");
