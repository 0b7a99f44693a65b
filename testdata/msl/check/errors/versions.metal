//--- bfloat [metal 3.0]
bfloat /* ERROR E1173 "'bfloat' requires Metal 3.1, but the program is compiled as Metal 3.0" */ f(bfloat /* ERROR E1173 "'bfloat' requires Metal 3.1, but the program is compiled as Metal 3.0" */ a) { return a; }
//--- a vector of bfloat [metal 3.0]
bfloat4 /* ERROR E1173 "'bfloat4' requires Metal 3.1, but the program is compiled as Metal 3.0" */ f(bfloat4 /* ERROR E1173 "'bfloat4' requires Metal 3.1, but the program is compiled as Metal 3.0" */ a) { return a; }
//--- a literal of bfloat [metal 3.0]
constant float a = 1.0bf /* ERROR E1173 "'bfloat' requires Metal 3.1, but the program is compiled as Metal 3.0" */;
//--- coherent [metal 3.1]
kernel void k(coherent /* ERROR E1173 "'coherent' requires Metal 3.2, but the program is compiled as Metal 3.1" */ device int *p [[buffer(0)]]) { p[0] = 1; }
//--- simd_sum [metal 2.0]
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p [[buffer(0)]]) { p[0] = simd_sum /* ERROR E1173 "'simd_sum' requires Metal 2.1, but the program is compiled as Metal 2.0" */(p[1]); }
//--- simd_shuffle_and_fill_up [metal 2.3]
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p [[buffer(0)]]) { p[0] = simd_shuffle_and_fill_up /* ERROR E1173 "'simd_shuffle_and_fill_up' requires Metal 2.4, but the program is compiled as Metal 2.3" */(p[0], p[1], 1); }
//--- simdgroup matrices [metal 2.2]
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p [[buffer(0)]]) { simdgroup_float8x8 a; simdgroup_load /* ERROR E1173 "'simdgroup_load' requires Metal 2.3, but the program is compiled as Metal 2.2" */(a, p); }
//--- atomic_float [metal 2.4]
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_float /* ERROR E1173 "'atomic_float' requires Metal 3.0, but the program is compiled as Metal 2.4" */ *p [[buffer(0)]]) { atomic_fetch_add_explicit(p, 1.0f, memory_order_relaxed); }
//--- atomic_ulong [metal 2.3]
#include <metal_stdlib>
using namespace metal;
kernel void k(device atomic_ulong /* ERROR E1173 "'atomic_ulong' requires Metal 2.4, but the program is compiled as Metal 2.3" */ *p [[buffer(0)]]) { atomic_max_explicit(p, 1ul, memory_order_relaxed); }
//--- a fence [metal 3.1]
#include <metal_stdlib>
using namespace metal;
kernel void k(device int *p [[buffer(0)]]) { atomic_thread_fence /* ERROR E1173 "'atomic_thread_fence' requires Metal 3.2, but the program is compiled as Metal 3.1" */(mem_flags::mem_device, memory_order_seq_cst); }
//--- a texture atomic [metal 3.0]
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<uint, access::read_write> t [[texture(0)]]) { t /* ERROR E1173 "'atomic_fetch_add' requires Metal 3.1, but the program is compiled as Metal 3.0" */.atomic_fetch_add(uint2(0), uint4(1)); }
//--- quad functions [metal 1.2]
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p [[buffer(0)]]) { p[0] = quad_sum /* ERROR E1173 "'quad_sum' requires Metal 2.1, but the program is compiled as Metal 1.2" */(p[1]); }
//--- simd_is_first [metal 2.0]
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *p [[buffer(0)]]) { if (simd_is_first /* ERROR E1173 "'simd_is_first' requires Metal 2.1, but the program is compiled as Metal 2.0" */()) p[0] = 1; }
//--- tensors [metal 3.2]
#include <metal_stdlib>
#include <metal_tensor>
using namespace metal;
kernel void k(tensor /* ERROR U0104 "not supported: type 'tensor'" */<device half, dextents<int, 2>> t [[buffer(0)]]) {}
//--- thread index attribute of a simdgroup [metal 1.0]
kernel void k(device uint *p [[buffer(0)]], uint lane [[thread_index_in_simdgroup /* ERROR E1173 "'thread_index_in_simdgroup' requires Metal 2.0, but the program is compiled as Metal 1.0" */]]) { p[0] = lane; }
//--- a visible function [metal 2.2]
[[visible /* ERROR E1173 "'visible' requires Metal 2.3, but the program is compiled as Metal 2.2" */]] int f(int a) { return a; }
//--- render stages
vertex float4 v() { return 0; }
int f() { return zzz /* ERROR E1100 "use of undeclared identifier 'zzz'" */; }
//--- a function constant [metal 1.1]
constant int a [[function_constant /* ERROR E1173 "'function_constant' requires Metal 1.2, but the program is compiled as Metal 1.1" */(0)]];
kernel void k(device uint *p [[buffer(0)]]) { p[0] = a; }
//--- the threads of a quad [metal 2.0]
kernel void k(device uint *p [[buffer(0)]], uint i [[thread_index_in_quadgroup /* ERROR E1173 "'thread_index_in_quadgroup' requires Metal 2.1, but the program is compiled as Metal 2.0" */]]) { p[0] = i; }
//--- a packed vector of bfloat [metal 2.4]
kernel void k(device packed_bfloat2 /* ERROR E1173 "'packed_bfloat2' requires Metal 3.1, but the program is compiled as Metal 2.4" */ *p [[buffer(0)]]) { p[0] = p[1]; }
