//--- bfloat_from_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device bfloat* p, device float* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'float' to 'bfloat' for assignment" */[0]; }
//--- bfloat_from_half
#include <metal_stdlib>
using namespace metal;
kernel void k(device bfloat* p, device half* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'half' to 'bfloat' for assignment" */[0]; }
//--- bfloat_vector_from_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device bfloat4* p, device float4* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'float4' to 'bfloat4' for assignment" */[0]; }
//--- half_vector_from_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device half4* p, device float4* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'float4' to 'half4' for assignment" */[0]; }
//--- uint_vector_from_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device uint4* p, device int4* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'int4' to 'uint4' for assignment" */[0]; }
//--- vector_to_scalar
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p, device float4* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'float4' to 'float' for assignment" */[0]; }
//--- vector_to_bool
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p, device float4* q) { if (q/* ERROR E1176 "no viable conversion from 'float4' to 'bool' for condition" */[0]) p[0] = 1; }
//--- longer_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float3* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'float3' to 'float4' for assignment" */[0]; }
//--- shorter_vector_cast
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float3* q) { q[0] = float3/* ERROR E1143 "too many components for 'float3': 4 given, 3 expected" */(p[0]); }
//--- vector_cast_c_style
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p, device float2* q) { q[0] = (/* ERROR E1126 "cannot cast from type 'float4' to type 'float2'" */float2)p[0]; }
//--- matrix_to_matrix
#include <metal_stdlib>
using namespace metal;
void f(float3x3 m) {}
kernel void k(constant float4x4& m) { f(m/* ERROR E1176 "no viable conversion from 'float4x4' to 'float3x3' for parameter" */); }
//--- matrix_to_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m, device float4* p) { p[0] = m/* ERROR E1176 "no viable conversion from 'float2x2' to 'float4' for assignment" */; }
//--- vector_to_matrix
#include <metal_stdlib>
using namespace metal;
kernel void k(device float4* p) { float2x2 m = p/* ERROR E1176 "no viable conversion from 'float4' to 'float2x2' for variable 'm'" */[0]; }
//--- half_matrix
#include <metal_stdlib>
using namespace metal;
kernel void k(constant float2x2& m) { half2x2 h = m/* ERROR E1176 "no viable conversion from 'float2x2' to 'half2x2' for variable 'h'" */; }
//--- int_matrix
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { matrix/* ERROR E1131 "there is no 'matrix<int, 2, 2>'" */<int, 2, 2> m; }
//--- matrix_size
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { matrix/* ERROR E1131 "there is no 'matrix<float, 5, 2>'" */<float, 5, 2> m; }
//--- vec_size
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { vec/* ERROR E1131 "there is no 'vec<float, 5>'" */<float, 5> v; }
//--- vec_of_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device float* p) { vec/* ERROR E1131 "'vec' cannot have elements of type 'S'" */<S, 2> v; }
//--- pointer_to_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n = p/* ERROR E1176 "no viable conversion from 'device int *' to 'int' for variable 'n'" */; }
//--- int_to_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device int* q = 16/* ERROR E1176 "no viable conversion from 'int' to 'device int *' for variable 'q'" */; }
//--- pointer_to_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device float* q = p/* ERROR E1176 "no viable conversion from 'device int *' to 'device float *' for variable 'q'" */; }
//--- void_pointer_back
#include <metal_stdlib>
using namespace metal;
kernel void k(device void* v) { device int* q = v/* ERROR E1176 "no viable conversion from 'device void *' to 'device int *' for variable 'q'" */; }
//--- pointer_to_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { float f = (/* ERROR E1126 "cannot cast from type 'device int *' to type 'float'" */float)p; }
//--- float_to_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device int* q = (/* ERROR E1126 "cannot cast from type 'float' to type 'device int *'" */device int*)1.0f; }
//--- struct_to_int
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device int* p) { S s = {1}; p[0] = s/* ERROR E1176 "no viable conversion from 'S' to 'int' for assignment" */; }
//--- struct_to_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
struct T { int a; };
kernel void k(device int* p) { S s = {1}; T t = s/* ERROR E1176 "no viable conversion from 'S' to 'T' for variable 't'" */; }
//--- struct_cast
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
struct T { int a; };
kernel void k(device int* p) { S s = {1}; T t = (/* ERROR E1175 "no matching constructor for initialization of 'T' with arguments of types (S)" */T)s; }
//--- int_to_enum
#include <metal_stdlib>
using namespace metal;
enum E { A, B };
kernel void k(device int* p) { E e = p/* ERROR E1176 "no viable conversion from 'int' to 'E' for variable 'e'" */[0]; }
//--- scoped_enum_to_int
#include <metal_stdlib>
using namespace metal;
enum class E { A, B };
kernel void k(device int* p) { p[0] = E/* ERROR E1176 "no viable conversion from 'E' to 'int' for assignment" */::A; }
//--- scoped_enums_mixed
#include <metal_stdlib>
using namespace metal;
enum class E { A };
enum class F { A };
kernel void k(device int* p) { if (E::A ==/* ERROR E1132 "invalid operands to binary '==' ('E' and 'F')" */ F::A) p[0] = 1; }
//--- enum_to_enum
#include <metal_stdlib>
using namespace metal;
enum E { A };
enum F { B };
kernel void k(device int* p) { E e = B/* ERROR E1176 "no viable conversion from 'F' to 'E' for variable 'e'" */; }
//--- as_type_narrow
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p, device half* q) { q[0] = as_type/* ERROR E1112 "as_type from 'float' to 'half', which differ in size or have no bits to take" */<half>(p[0]); }
//--- as_type_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device float3* p, device uint2* q) { q[0] = as_type/* ERROR E1112 "as_type from 'float3' to 'uint2', which differ in size or have no bits to take" */<uint2>(p[0]); }
//--- as_type_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device int* p) { S s = as_type/* ERROR E1112 "as_type from 'int' to 'S', which differ in size or have no bits to take" */<S>(p[0]); }
//--- as_type_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { ulong u = as_type/* ERROR E1112 "as_type from 'device int *' to 'ulong', which differ in size or have no bits to take" */<ulong>(p); }
//--- static_cast_pointers
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device float* q = static_cast/* ERROR E1126 "static_cast from 'device int *' to 'device float *' is not allowed; use reinterpret_cast" */<device float*>(p); }
//--- reinterpret_values
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { int n = reinterpret_cast/* ERROR E1126 "reinterpret_cast from 'float' to 'int' is not allowed" */<int>(p[0]); }
//--- const_cast_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device const int* p) { device float* q = const_cast/* ERROR E1126 "const_cast from 'const device int *' to 'device float *' is not allowed" */<device float*>(p); }
//--- static_cast_drops_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device const int* p) { device int* q = static_cast/* ERROR E1147 "static_cast from 'const device int *' to 'device int *' casts away qualifiers" */<device int*>(p); }
//--- base_to_derived
#include <metal_stdlib>
using namespace metal;
struct A { int a; };
struct B : A {};
kernel void k(device A* p) { device B* q = p/* ERROR E1176 "no viable conversion from 'device A *' to 'device B *' for variable 'q'" */; }
//--- braces_narrow_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(device char* p) { char c{300/* ERROR E1172 "constant 300 does not fit in 'char' between braces" */}; }
//--- cast_to_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto a = (/* ERROR E1126 "cannot cast from type 'int' to type 'int[2]'" */int[2])p[0]; }
//--- array_from_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a[2] = {1, 2}; int/* ERROR E1130 "array 'b' must be initialized with an initializer list" */ b[2] = a; }
//--- packed_from_shorter
#include <metal_stdlib>
using namespace metal;
kernel void k(device packed_float3* p, device float2* q) { p[0] = q/* ERROR E1176 "no viable conversion from 'float2' to 'packed_float3' for assignment" */[0]; }
//--- texture_to_texture
#include <metal_stdlib>
using namespace metal;
void f(texture2d<half> t) {}
kernel void k(texture2d<float> t) { f(t/* ERROR E1176 "no viable conversion from 'texture2d<float, access::sample>' to 'texture2d<half, access::sample>' for parameter" */); }
//--- texture_access_mismatch
#include <metal_stdlib>
using namespace metal;
void f(texture2d<float, access::read> t) {}
kernel void k(texture2d<float, access::write> t) { f(t/* ERROR E1176 "no viable conversion from 'texture2d<float, access::write>' to 'texture2d<float, access::read>' for parameter" */); }
//--- sampler_from_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { sampler s = 1/* ERROR E1176 "no viable conversion from 'int' to 'sampler' for variable 's'" */; }
//--- void_value
#include <metal_stdlib>
using namespace metal;
void f() {}
kernel void k(device int* p) { p[0] = f/* ERROR E1176 "no viable conversion from 'void' to 'int' for assignment" */(); }
//--- null_to_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = nullptr/* ERROR E1176 "no viable conversion from 'nullptr_t' to 'int' for assignment" */; }
//--- conditional_pointers
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, device float* q, device bool* b) { auto r = */* ERROR E1144 "incompatible operand types ('device int *' and 'device float *')" */b ? p : q; }
//--- conditional_spaces
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, threadgroup int* q, device bool* b) { auto r = */* ERROR E1144 "incompatible operand types ('device int *' and 'threadgroup int *')" */b ? p : q; }
//--- conditional_structs
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
struct T { int a; };
kernel void k(device S* s, device T* t, device bool* b) { auto r = */* ERROR E1144 "incompatible operand types ('S' and 'T')" */b ? *s : *t; }
//--- conditional_void
#include <metal_stdlib>
using namespace metal;
void f() {}
kernel void k(device int* p) { int n = p/* ERROR E1144 "incompatible operand types ('void' and 'int')" */[0] ? f() : 1; }
//--- narrowing_of_variables
#include <metal_stdlib>
using namespace metal;
struct S { float x; half y; };
kernel void k(device float* p, uint i [[thread_position_in_grid]]) {
  int n = 3;
  const int m = 3;
  float a{m};
  float b{n/* ERROR E1172 "'int' is narrowed to 'float' between braces; a cast is needed" */};
  int c[] = {i/* ERROR E1172 "'uint' is narrowed to 'int' between braces; a cast is needed" */, 1};
  S s = {1, p/* ERROR E1172 "'float' is narrowed to 'half' between braces; a cast is needed" */[0]};
  float2 v = {i/* ERROR E1172 "'uint' is narrowed to 'float' between braces; a cast is needed" */, 1};
  uchar d{300/* ERROR E1172 "constant 300 does not fit in 'uchar' between braces" */};
  bool e{n/* ERROR E1172 "'int' is narrowed to 'bool' between braces; a cast is needed" */};
  p[0] = a + float{float(n)} + ulong{i} + S{1, 0.1f}.y;
}
