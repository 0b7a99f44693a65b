//--- vector_lengths
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float3* q) { auto r = p[0] +/* ERROR E1132 "invalid operands to binary '+' ('float4' and 'float3')" */ q[0]; }
//--- vector_types
#include <metal_stdlib>
using namespace metal;
kernel void k(device half4* p, device float4* q) { auto r = p[0] */* ERROR E1132 "invalid operands to binary '*' ('half4' and 'float4')" */ q[0]; }
//--- int_and_uint_vectors
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p, device uint4* q) { auto r = p[0] +/* ERROR E1132 "invalid operands to binary '+' ('int4' and 'uint4')" */ q[0]; }
//--- compound_lengths
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float2* q) { q/* ERROR E1132 "invalid operands to binary '+=' ('float2' and 'float4')" */[0] += p[0]; }
//--- compound_widens
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p, device float2* q) { p/* ERROR E1132 "the result of type 'float2' of '+=' does not convert to 'float'" */[0] += q[0]; }
//--- bitwise_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = p[0] &/* ERROR E1132 "invalid operands to binary '&' ('float' and 'float')" */ 1.0f; }
//--- complement_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { p[0] = ~/* ERROR E1132 "invalid operand to unary '~' ('float4')" */p[0]; }
//--- not_vector_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { bool b = !*s/* ERROR E1176 "no viable conversion from 'S' to 'bool' for operand of '!'" */; }
//--- modulo_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { p[0] = p[0] %/* ERROR E1132 "invalid operands to binary '%' ('float4' and 'float')" */ 2.0f; }
//--- modulo_assign
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p/* ERROR E1132 "invalid operands to binary '%=' ('float' and 'int')" */[0] %= 2; }
//--- shift_by_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = p[0] <</* ERROR E1132 "invalid operands to binary '<<' ('int' and 'float')" */ 1.5f; }
//--- negate_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { auto t = -/* ERROR E1132 "invalid operand to unary '-' ('S')" */*s; }
//--- negate_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto q = -/* ERROR E1132 "invalid operand to unary '-' ('device int *')" */p; }
//--- add_pointers
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, device int* q) { auto r = p +/* ERROR E1132 "invalid operands to binary '+' ('device int *' and 'device int *')" */ q; }
//--- multiply_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto r = p */* ERROR E1132 "invalid operands to binary '*' ('device int *' and 'int')" */ 2; }
//--- subtract_spaces
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, threadgroup int* q) { auto r = p -/* ERROR E1205 "'device int *' and 'threadgroup int *' are not pointers to compatible types" */ q; }
//--- compare_spaces
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, threadgroup int* q) { bool b = p ==/* ERROR E1205 "comparison of distinct pointer types ('device int *' and 'threadgroup int *')" */ q; }
//--- compare_pointer_types
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, device float* q) { bool b = p </* ERROR E1205 "comparison of distinct pointer types ('device int *' and 'device float *')" */ q; }
//--- compare_pointer_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { bool b = p ==/* ERROR E1205 "comparison of distinct pointer types ('device int *' and 'int')" */ 1; }
//--- compare_structs
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { bool b = s[0] ==/* ERROR E1132 "invalid operands to binary '==' ('S' and 'S')" */ s[1]; }
//--- compare_vectors_lengths
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float2* q) { auto b = p[0] </* ERROR E1132 "invalid operands to binary '<' ('float4' and 'float2')" */ q[0]; }
//--- compare_matrices
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m, constant float3x3& n) { bool b = m ==/* ERROR E1132 "invalid operands to binary '==' ('float2x2' and 'float3x3')" */ n; }
//--- matrix_shapes_add
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m, constant float2x3& n) { auto b = m +/* ERROR E1132 "invalid operands to binary '+' ('float2x2' and 'float2x3')" */ n; }
//--- matrix_shapes_multiply
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x3& m, constant float2x3& n) { auto b = m */* ERROR E1132 "invalid operands to binary '*' ('float2x3' and 'float2x3')" */ n; }
//--- matrix_vector_length
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x3& m, device float3* p) { auto b = m */* ERROR E1132 "invalid operands to binary '*' ('float2x3' and 'float3')" */ p[0]; }
//--- vector_matrix_length
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x3& m, device float2* p) { auto b = p[0] */* ERROR E1132 "invalid operands to binary '*' ('float2' and 'float2x3')" */ m; }
//--- matrix_divide
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m) { auto b = m / /* ERROR E1132 "invalid operands to binary '/' ('float2x2' and 'float2x2')" */ m; }
//--- matrix_plus_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m) { auto b = m +/* ERROR E1132 "invalid operands to binary '+' ('float2x2' and 'float')" */ 1.0f; }
//--- matrix_element_types
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m, constant half2x2& n) { auto b = m */* ERROR E1132 "invalid operands to binary '*' ('float2x2' and 'half2x2')" */ n; }
//--- matrix_column_index
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x3& m, device float* p) { p[0] = m[2/* ERROR E1161 "index 2 is out of bounds of 'float2x3'" */][0]; }
//--- matrix_row_index
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x3& m, device float* p) { p[0] = m[0][3/* ERROR E1161 "index 3 is out of bounds of 'float3'" */]; }
//--- matrix_increment
#include <metal_stdlib>
using namespace metal;
kernel void k(device float2x2* m) { m/* ERROR E1132 "cannot increment or decrement value of type 'float2x2'" */[0]++; }
//--- swizzle_matrix
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m, device float2* p) { p[0] = m.xy/* ERROR E1182 "no member named 'xy' in 'float2x2'" */; }
//--- swizzle_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = p[0].x/* ERROR E1182 "no member named 'x' in 'float'" */; }
//--- swizzle_out_of_range
#include <metal_stdlib>
using namespace metal;
kernel void k(device float3* p) { p[0].w/* ERROR E1137 "vector component 'w' exceeds type 'float3'" */ = 1; }
//--- swizzle_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { p[0].xyq/* ERROR E1182 "no member named 'xyq' in 'float4'" */ = float3(1); }
//--- swizzle_color_range
#include <metal_stdlib>
using namespace metal;
kernel void k(device float2* p, device float* q) { q[0] = p[0].b/* ERROR E1137 "vector component 'b' exceeds type 'float2'" */; }
//--- swizzle_temporary
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { (p[0] + p[1]).xy =/* ERROR E1197 "expression of type 'float2' is not assignable" */ float2(1); }
//--- swizzle_reference
#include <metal_stdlib>
using namespace metal;
void f(thread float2& v) {}
kernel void k(device float4* p) { float4 v = p[0]; f(v.xy/* ERROR E1103 "address of vector element requested" */); }
//--- swizzle_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device const float4* p) { p[0].xy =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const float2'" */ float2(1); }
//--- swizzle_wrong_length
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { p[0].xy = float3(1/* ERROR E1176 "no viable conversion from 'float3' to 'float2' for assignment" */); }
//--- component_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { float4 v = p[0]; thread float& x = v.x/* ERROR E1103 "address of vector element requested" */; }
//--- assign_temporary
#include <metal_stdlib>
using namespace metal;
int f() { return 1; }
kernel void k(device int* p) { f() =/* ERROR E1197 "expression of type 'int' is not assignable" */ 2; }
//--- assign_literal
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { 1 =/* ERROR E1197 "expression of type 'int' is not assignable" */ p[0]; }
//--- assign_conditional
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { (p[0] ? 1 : 2) =/* ERROR E1197 "expression of type 'int' is not assignable" */ 3; }
//--- increment_literal
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = 1/* ERROR E1197 "expression of type 'int' is not assignable" */++; }
//--- increment_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { s/* ERROR E1132 "cannot increment or decrement value of type 'S'" */[0]++; }
//--- address_of_literal
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { thread const int* q = &/* ERROR E1197 "cannot take the address of an rvalue of type 'int'" */1; }
//--- deref_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = */* ERROR E1191 "indirection requires pointer operand ('int' invalid)" */p[0]; }
//--- deref_void
#include <metal_stdlib>
using namespace metal;
kernel void k(device void* p) { auto v = */* ERROR E1191 "indirection not permitted on a pointer to 'void'" */p; }
//--- arith_void_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device void* p) { auto q = p/* ERROR E1231 "object has incomplete type 'void'" */[1]; }
//--- index_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = p/* ERROR E1129 "subscripted value of type 'int' is not an array, pointer, vector or matrix" */[0][0]; }
//--- index_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = p[1.5f/* ERROR E1129 "array subscript must be an integer, not 'float'" */]; }
//--- index_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = p[p/* ERROR E1129 "array subscript must be an integer, not 'device int *'" */]; }
//--- index_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { auto t = s/* ERROR E1129 "subscripted value of type 'S' is not an array, pointer, vector or matrix" */[0][0]; }
//--- arrow_on_object
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { s/* ERROR E1191 "member reference type 'S' is not a pointer" */[0]->a = 1; }
//--- dot_on_pointer
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { s/* ERROR E1193 "member reference type is a pointer; did you mean to use '->'?" */.a = 1; }
//--- logical_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { bool b = s/* ERROR E1176 "no viable conversion from 'S' to 'bool' for operand" */[0] && true; }
//--- sizeof_void
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = sizeof/* ERROR E1231 "object has incomplete type 'void'" */(void); }
//--- sizeof_incomplete
#include <metal_stdlib>
using namespace metal;
struct S;
kernel void k(device int* p) { p[0] = sizeof/* ERROR E1158 "incomplete type 'S' where a complete type is required" */(S); }
//--- overflow_constant
#include <metal_stdlib>
using namespace metal;
constexpr/* ERROR E1200 "initializer of 'n' is not a constant expression: 2147483648 does not fit in 'int'" */ constant int n = 2147483647 + 1;
//--- function_assigned_itself
void f() {}
kernel void k(device int* p) { f =/* ERROR E1197 "function 'f' is not assignable" */ f; }
//--- function_assigned_number
void f();
kernel void k(device int* p) { f =/* ERROR E1197 "function 'f' is not assignable" */ 1; }
//--- overloads_assigned
int f(int);
int f(float);
kernel void k(device int* p) { f +=/* ERROR E1197 "function 'f' is not assignable" */ 1; }
//--- function_incremented
int f(int);
kernel void k(device int* p) { f/* ERROR E1197 "function 'f' is not assignable" */++; }
//--- method_assigned
struct S { void m(); void g() { m =/* ERROR E1197 "function 'm' is not assignable" */ 1; } };
kernel void k(device int* p) { S s; s.m =/* ERROR E1197 "function 'm' is not assignable" */ s.m; }
