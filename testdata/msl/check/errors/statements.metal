//--- break
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  break/* ERROR "'break' statement not in loop or switch statement" */;
}
//--- continue
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  continue/* ERROR "'continue' statement not in loop statement" */;
}
//--- switch_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (p/* ERROR "statement requires expression of integer type ('float' invalid)" */[0]) { default: break; }
}
//--- duplicate
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (q[0]) { case 1: break; case/* ERROR "duplicate case value '1'" */ 1: break; }
}
//--- two_defaults
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (q[0]) { default: break; default/* ERROR "multiple default labels in one switch" */: break; }
}
//--- static_assert
#include <metal_stdlib>
using namespace metal;
static_assert/* ERROR "static assertion failed: no" */(1 == 2, "no");
