//--- sum_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { simd_sum/* ERROR E1181 "no matching function for call to 'simd_sum' with arguments of types (device int *)" */(p); }
//--- sum_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* p) { simd_sum/* ERROR E1181 "no matching function for call to 'simd_sum' with arguments of types (device S)" */(p[0]); }
//--- sum_matrix
#include <metal_stdlib>
using namespace metal;
kernel void k(device float2x2* p) { simd_sum/* ERROR E1181 "no matching function for call to 'simd_sum' with arguments of types (device float2x2)" */(p[0]); }
//--- shuffle_lane_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = simd_shuffle/* ERROR E1181 "no matching function for call to 'simd_shuffle' with arguments of types (device float, float2)" */(p[0], float2(1)); }
//--- shuffle_no_lane
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = simd_shuffle/* ERROR E1181 "no matching function for call to 'simd_shuffle' with arguments of types (device float)" */(p[0]); }
//--- broadcast_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { auto q = simd_broadcast/* ERROR E1181 "no matching function for call to 'simd_broadcast' with arguments of types (device float *, int)" */(p, 0); }
//--- all_int_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int2* p, device bool* q) { q[0] = simd_all/* ERROR E1181 "no matching function for call to 'simd_all' with arguments of types (device int2)" */(p[0]); }
//--- ballot_to_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device uint* p) { p[0] = simd_ballot/* ERROR E1176 "no viable conversion from 'simd_vote' to 'uint' for assignment" */(true); }
//--- quad_lane_count
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = quad_shuffle/* ERROR E1181 "no matching function for call to 'quad_shuffle' with arguments of types (device int, int, int)" */(p[0], 0, 1); }
//--- fill_without_data
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = simd_shuffle_and_fill_up/* ERROR E1181 "no matching function for call to 'simd_shuffle_and_fill_up' with arguments of types (device int, int)" */(p[0], 1); }
//--- fill_types
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p) { p[0] = simd_shuffle_and_fill_up/* ERROR E1181 "no matching function for call to 'simd_shuffle_and_fill_up' with arguments of types (device int4, float4, int)" */(p[0], float4(1), 1); }
//--- matrix_dimensions
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_matrix/* ERROR E1131 "there is no 'simdgroup_matrix<float, 4, 4>'" */<float, 4, 4> m; }
//--- matrix_dimensions_16
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_matrix/* ERROR E1131 "there is no 'simdgroup_matrix<float, 16, 8>'" */<float, 16, 8> m; }
//--- matrix_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { simdgroup_matrix/* ERROR E1131 "there is no 'simdgroup_matrix<int, 8, 8>'" */<int, 8, 8> m; }
//--- matrix_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { simdgroup_matrix/* ERROR E1131 "there is no 'simdgroup_matrix<float2, 8, 8>'" */<float2, 8, 8> m; }
//--- matrix_alias_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { simdgroup_float16x16/* ERROR E1101 "unknown type name 'simdgroup_float16x16'" */ m; }
//--- matrix_arguments
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { simdgroup_matrix/* ERROR E1131 "there is no 'simdgroup_matrix<float>'" */<float> m; }
//--- matrix_load_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device half* p) { simdgroup_float8x8 m; simdgroup_load/* ERROR E1181 "no matching function for call to 'simdgroup_load' with arguments of types (simdgroup_float8x8, device half *)" */(m, p); }
//--- matrix_load_thread
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { float a[64]; simdgroup_float8x8 m; simdgroup_load/* ERROR E1181 "no matching function for call to 'simdgroup_load' with arguments of types (simdgroup_float8x8, float[64])" */(m, a); }
//--- matrix_load_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float* p) { simdgroup_float8x8 m; simdgroup_load/* ERROR E1181 "no matching function for call to 'simdgroup_load' with arguments of types (simdgroup_float8x8, constant float *)" */(m, p); }
//--- matrix_load_temporary
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_load/* ERROR E1181 "no matching function for call to 'simdgroup_load' with arguments of types (simdgroup_float8x8, device float *)" */(simdgroup_float8x8(1), p); }
//--- matrix_load_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { const simdgroup_float8x8 m(1); simdgroup_load/* ERROR E1181 "no matching function for call to 'simdgroup_load' with arguments of types (const simdgroup_float8x8, device float *)" */(m, p); }
//--- matrix_store_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device const float* p) { simdgroup_float8x8 m(1); simdgroup_store/* ERROR E1181 "no matching function for call to 'simdgroup_store' with arguments of types (simdgroup_float8x8, const device float *)" */(m, p); }
//--- matrix_store_swapped
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_float8x8 m(1); simdgroup_store/* ERROR E1181 "no matching function for call to 'simdgroup_store' with arguments of types (device float *, simdgroup_float8x8)" */(p, m); }
//--- matrix_multiply_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_float8x8 m(1); auto n = m */* ERROR E1132 "invalid operands to binary '*' ('simdgroup_float8x8' and 'float')" */ 2.0f; }
//--- matrix_index
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_float8x8 m(1); p[0] = m/* ERROR E1129 "subscripted value of type 'simdgroup_float8x8' is not an array, pointer, vector or matrix" */[0][0]; }
//--- matrix_operands
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_float8x8 m(1); simdgroup_multiply/* ERROR E1181 "no matching function for call to 'simdgroup_multiply' with arguments of types (simdgroup_float8x8, simdgroup_float8x8, float)" */(m, m, 2.0f); }
//--- matrix_elements
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_float8x8 m(1); p[0] = m.thread_elements()[2/* ERROR E1161 "index 2 is out of bounds of 'float2'" */]; }
//--- matrix_assign_types
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { simdgroup_float8x8 m(1); simdgroup_half8x8 n = m/* ERROR E1176 "no viable conversion from 'simdgroup_float8x8' to 'simdgroup_half8x8' for variable 'n'" */; }
//--- filled_no_arguments
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { auto m = make_filled_simdgroup_matrix/* ERROR E1131 "'make_filled_simdgroup_matrix' requires an element type, rows and columns" */(1.0f); }
//--- filled_of_other_size
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) {
  auto good = make_filled_simdgroup_matrix<float, 8, 8>(1);
  auto also = make_filled_simdgroup_matrix<float, 8>(1);
  auto bad = make_filled_simdgroup_matrix/* ERROR E1131 "there is no 'simdgroup_matrix<float, 4, 4>'" */<float, 4, 4>(1);
}
//--- vote_arithmetic
#include <metal_stdlib>
using namespace metal;
kernel void k(device ulong* p) {
  simd_vote v = simd_ballot(true);
  p[0] = (simd_vote::vote_t)v & 1;
  p[1] = v +/* ERROR E1132 "invalid operands to binary '+' ('simd_vote' and 'int')" */ 1;
  p[2] = v ==/* ERROR E1132 "invalid operands to binary '==' ('simd_vote' and 'simd_vote')" */ simd_ballot(false);
}
//--- sum_of_long
#include <metal_stdlib>
using namespace metal;
kernel void k(device long* p) { p[0] = simd_sum/* ERROR E1181 "no matching function for call to 'simd_sum' with arguments of types (device long)" */(p[0]); }
