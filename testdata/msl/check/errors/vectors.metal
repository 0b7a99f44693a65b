//--- swizzle_component
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float2 v = float2(1); p[0] = v.z/* ERROR "vector component 'z' exceeds type 'float2'" */;
}
//--- swizzle_mix
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); float2 w = v.xg/* ERROR "mixes xyzw and rgba" */;
}
//--- swizzle_long
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); v = v.xyzwx/* ERROR "5 components" */;
}
//--- swizzle_repeat
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); v.xx =/* ERROR "vector is not assignable (contains duplicate components)" */ float2(1);
}
//--- no_conversion
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); float2 w = v/* ERROR "no viable conversion from 'float4' to 'float2' for variable 'w'" */;
}
//--- int_to_float_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int4 v = int4(1); float4 w = v/* ERROR "no viable conversion from 'int4' to 'float4' for variable 'w'" */;
}
//--- mixed_add
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int4 v = int4(1); float4 w = float4(1) +/* ERROR "invalid operands to binary '+' ('float4' and 'int4')" */ v;
}
//--- component_address
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); thread float* r = &/* ERROR "address of vector element requested" */v.x;
}
//--- index
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); p[0] = v[4/* ERROR "index 4 is out of bounds of 'float4'" */];
}
//--- shift
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); v = v <</* ERROR "invalid operands to binary '<<' ('float4' and 'int')" */ 1;
}
//--- remainder
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float a = 1; a = a %/* ERROR "invalid operands to binary '%' ('float' and 'float')" */ a;
}
//--- matrix_product
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float3x3 m = float3x3(1); float4 v = m */* ERROR "invalid operands to binary '*' ('float3x3' and 'float4')" */ float4(1);
}
//--- products of matrices and packed vectors
#include <metal_stdlib>
using namespace metal;
kernel void k(device packed_float3 *a [[buffer(0)]], device packed_half4 *h [[buffer(1)]]) {
  float3x3 m = float3x3(1);
  float3 r = m * /* ERROR E1132 "invalid operands to binary '*' ('float3x3' and 'packed_float3')" */ a[0];
  r = a[0] * /* ERROR E1132 "invalid operands to binary '*' ('packed_float3' and 'float3x3')" */ m;
  a /* ERROR E1132 "invalid operands to binary '*=' ('packed_float3' and 'float3x3')" */[0] *= m;
  half4 s = half4x4(1) * /* ERROR E1132 "invalid operands to binary '*' ('half4x4' and 'packed_half4')" */ h[0];
  r = m * float3(a[0]) + a[0] * 2 + a[0] * a[1] + a[0] * r;
}
