//--- to_thread
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  thread float* t = p/* ERROR "variable 't' of type 'thread float *' does not accept 'device float *', which points to a different address space" */;
}
//--- device_to_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  constant float* t = p/* ERROR "variable 't' of type 'constant float *' does not accept 'device float *', which points to a different address space" */;
}
//--- drop_const
#include <metal_stdlib>
using namespace metal;
void f(device float* p) {}
kernel void k(device const float* p) { f(p/* ERROR "parameter of type 'device float *' drops qualifiers of 'const device float *'" */); }
//--- write_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device const float* p) { p[0] =/* ERROR "cannot assign to an object with const-qualified type 'const float'" */ 1; }
//--- write_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float* p) { p[0] =/* ERROR "cannot assign to an object in address space 'constant'" */ 1; }
