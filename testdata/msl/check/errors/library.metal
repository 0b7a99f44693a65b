//--- min_int_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, device float* q) { q[0] = min/* ERROR E1104 "call to 'min' is ambiguous for arguments of types (device int, device float)" */(p[0], q[0]); }
//--- max_uint_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device uint* p, device int* q) { p[0] = max/* ERROR E1104 "call to 'max' is ambiguous for arguments of types (device uint, device int)" */(p[0], q[0]); }
//--- max_literal
#include <metal_stdlib>
using namespace metal;
kernel void k(device uint* p) { p[0] = max/* ERROR E1104 "call to 'max' is ambiguous for arguments of types (device uint, int)" */(p[0], 0); }
//--- min_half_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device half* p, device float* q) { q[0] = min/* ERROR E1104 "call to 'min' is ambiguous for arguments of types (device half, device float)" */(p[0], q[0]); }
//--- clamp_mixed
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = clamp/* ERROR E1104 "call to 'clamp' is ambiguous for arguments of types (device int, uint, float)" */(p[0], 0u, 1.0f); }
//--- clamp_vector_scalar_types
#include <metal_stdlib>
using namespace metal;
kernel void k(device float3* p, device int* q) { p[0] = clamp/* ERROR E1181 "no matching function for call to 'clamp' with arguments of types (device float3, int3, int3)" */(p[0], int3(0), int3(1)); }
//--- clamp_two
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = clamp/* ERROR E1181 "no matching function for call to 'clamp' with arguments of types (device float, float)" */(p[0], 0.0f); }
//--- mix_lengths
#include <metal_stdlib>
using namespace metal;
kernel void k(device float3* p, device float2* q) { p[0] = mix/* ERROR E1181 "no matching function for call to 'mix' with arguments of types (device float3, device float2, float)" */(p[0], q[0], 0.5f); }
//--- select_condition_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device int4* q) { p[0] = select/* ERROR E1181 "no matching function for call to 'select' with arguments of types (device float4, device float4, device int4)" */(p[0], p[1], q[0]); }
//--- select_lengths
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device bool2* q) { p[0] = select/* ERROR E1181 "no matching function for call to 'select' with arguments of types (device float4, device float4, device bool2)" */(p[0], p[1], q[0]); }
//--- select_types
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device half4* q) { auto r = select/* ERROR E1181 "no matching function for call to 'select' with arguments of types (device float4, device half4, bool4)" */(p[0], q[0], bool4(true)); }
//--- dot_scalars
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = dot/* ERROR E1104 "call to 'dot' is ambiguous for arguments of types (device float, device float)" */(p[0], p[1]); }
//--- dot_lengths
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float3* q) { auto r = dot/* ERROR E1181 "no matching function for call to 'dot' with arguments of types (device float4, device float3)" */(p[0], q[0]); }
//--- dot_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p) { auto r = dot/* ERROR E1181 "no matching function for call to 'dot' with arguments of types (device int4, device int4)" */(p[0], p[1]); }
//--- cross_two
#include <metal_stdlib>
using namespace metal;
kernel void k(device float2* p) { auto r = cross/* ERROR E1181 "no matching function for call to 'cross' with arguments of types (device float2, device float2)" */(p[0], p[1]); }
//--- cross_four
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { auto r = cross/* ERROR E1181 "no matching function for call to 'cross' with arguments of types (device float4, device float4)" */(p[0], p[1]); }
//--- length_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int3* p) { auto r = length/* ERROR E1181 "no matching function for call to 'length' with arguments of types (device int3)" */(p[0]); }
//--- normalize_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = normalize/* ERROR E1104 "call to 'normalize' is ambiguous for arguments of types (device float)" */(p[0]); }
//--- determinant_rectangle
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x3& m, device float* p) { p[0] = determinant/* ERROR E1181 "no matching function for call to 'determinant' with arguments of types (constant float2x3)" */(m); }
//--- inverse
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float3x3& m) { auto r = inverse/* ERROR E1100 "use of undeclared identifier 'inverse'; did you mean 'intersect'?" */(m); }
//--- transpose_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { auto r = transpose/* ERROR E1181 "no matching function for call to 'transpose' with arguments of types (device float4)" */(p[0]); }
//--- popcount_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = popcount/* ERROR E1104 "call to 'popcount' is ambiguous for arguments of types (device float)" */(p[0]); }
//--- clz_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { auto r = clz/* ERROR E1181 "no matching function for call to 'clz' with arguments of types (device float4)" */(p[0]); }
//--- sin_int_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p) { auto r = sin/* ERROR E1181 "no matching function for call to 'sin' with arguments of types (device int4)" */(p[0]); }
//--- sin_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { auto r = sin/* ERROR E1181 "no matching function for call to 'sin' with arguments of types (device float *)" */(p); }
//--- sin_struct
#include <metal_stdlib>
using namespace metal;
struct S { float a; };
kernel void k(device S* p) { auto r = sin/* ERROR E1181 "no matching function for call to 'sin' with arguments of types (device S)" */(p[0]); }
//--- sin_two
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = sin/* ERROR E1181 "no matching function for call to 'sin' with arguments of types (device float, float)" */(p[0], 1.0f); }
//--- sin_none
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = sin/* ERROR E1181 "no matching function for call to 'sin' with arguments of types ()" */(); }
//--- precise_integer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = precise::popcount/* ERROR E1183 "no name named 'popcount' in 'precise'" */(p[0]); }
//--- erf
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = erf/* ERROR E1100 "use of undeclared identifier 'erf'" */(p[0]); }
//--- sincos_device
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = sincos/* ERROR E1181 "no matching function for call to 'sincos' with arguments of types (device float, device float)" */(p[0], p[1]); }
//--- modf_temporary
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = modf/* ERROR E1181 "no matching function for call to 'modf' with arguments of types (device float, float)" */(p[0], 1.0f); }
//--- frexp_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { float e; p[0] = frexp/* ERROR E1181 "no matching function for call to 'frexp' with arguments of types (device float, float)" */(p[0], e); }
//--- all_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device bool* q) { q[0] = all/* ERROR E1181 "no matching function for call to 'all' with arguments of types (device float4)" */(p[0]); }
//--- any_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p, device bool* q) { q[0] = any/* ERROR E1181 "no matching function for call to 'any' with arguments of types (device int4)" */(p[0]); }
//--- isnan_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p, device bool4* q) { q[0] = isnan/* ERROR E1181 "no matching function for call to 'isnan' with arguments of types (device int4)" */(p[0]); }
//--- pack_half
#include <metal_stdlib>
using namespace metal;
kernel void k(device half3* p, device uint* q) { q[0] = pack_half_to_unorm4x8/* ERROR E1181 "no matching function for call to 'pack_half_to_unorm4x8' with arguments of types (device half3)" */(p[0]); }
//--- unpack_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device uint4* p, device float4* q) { q[0] = unpack_unorm4x8_to_float/* ERROR E1181 "no matching function for call to 'unpack_unorm4x8_to_float' with arguments of types (device uint4)" */(p[0]); }
//--- mul24_long
#include <metal_stdlib>
using namespace metal;
kernel void k(device long* p) { p[0] = mul24/* ERROR E1104 "call to 'mul24' is ambiguous for arguments of types (device long, device long)" */(p[0], p[1]); }
//--- fma_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p) { auto r = fma/* ERROR E1181 "no matching function for call to 'fma' with arguments of types (device int4, device int4, device int4)" */(p[0], p[0], p[0]); }
//--- pow_vector_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(device float3* p, device int3* q) { p[0] = pow/* ERROR E1181 "no matching function for call to 'pow' with arguments of types (device float3, device int3)" */(p[0], q[0]); }
//--- abs_bool_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device bool4* p) { auto r = abs/* ERROR E1181 "no matching function for call to 'abs' with arguments of types (device bool4)" */(p[0]); }
//--- step_order
#include <metal_stdlib>
using namespace metal;
kernel void k(device float3* p, device float2* q) { p[0] = step/* ERROR E1181 "no matching function for call to 'step' with arguments of types (device float2, device float3)" */(q[0], p[0]); }
//--- discard_in_kernel
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { discard_fragment/* ERROR U0102 "not supported: function 'discard_fragment'" */(); }
//--- derivative_in_kernel
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = dfdx/* ERROR U0102 "not supported: function 'dfdx'" */(p[0]); }
//--- glsl_name
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = inversesqrt/* ERROR E1100 "use of undeclared identifier 'inversesqrt'" */(p[0]); }
//--- hlsl_lerp
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = lerp/* ERROR E1100 "use of undeclared identifier 'lerp'; did you mean 'ldexp'?" */(p[0], p[1], 0.5f); }
//--- std_namespace
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = metal::fast::fast/* ERROR E1183 "no type named 'fast' in 'fast'" */::sin(p[0]); }
//--- not_using
#include <metal_stdlib>
kernel void k(device float* p) { p[0] = sin/* ERROR E1100 "use of undeclared identifier 'sin'; it is in namespace metal" */(p[0]); }
//--- types_not_using
#include <metal_stdlib>
kernel void k(texture2d/* ERROR E1101 "unknown type name 'texture2d'; it is in namespace metal" */<float> t) {}
