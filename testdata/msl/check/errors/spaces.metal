//--- to_thread
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  thread float* t = p/* ERROR "points to another address space" */;
}
//--- device_to_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  constant float* t = p/* ERROR "points to another address space" */;
}
//--- drop_const
#include <metal_stdlib>
using namespace metal;
void f(device float* p) {}
kernel void k(device const float* p) { f(p/* ERROR "would drop the qualifiers" */); }
//--- write_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device const float* p) { p[0] =/* ERROR "cannot be assigned to" */ 1; }
//--- write_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float* p) { p[0] =/* ERROR "address space 'constant' cannot be assigned to" */ 1; }
