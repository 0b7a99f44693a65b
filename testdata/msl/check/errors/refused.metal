//--- array_bound
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int a[0/* ERROR E1111 "array size -1 is negative" */ - 1];
}
//--- as_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  p[0] = as_type/* ERROR E1112 "as_type from 'half' to 'float', which differ in size or have no bits to take" */<float>(1.0h);
}
//--- assign_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int a[2]; int b[2]; a/* ERROR E1113 "array type is not assignable" */ = b;
}
//--- atomic_assign
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  threadgroup atomic_int a; a/* ERROR E1115 "atomics are written by atomic_store_explicit and the like, not by '='" */ = 1;
}
//--- bad_auto
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  auto/* ERROR E1123 "declaration of variable 'x' with deduced type 'auto' requires an initializer" */ x;
}
//--- auto_list
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  auto/* ERROR E1123 "cannot deduce 'auto' from an initializer list" */ x = {1, 2};
}
//--- attr_args
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a [[buffer/* ERROR E1116 "'buffer' attribute takes one argument" */]]) {}
//--- attr_clash
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* a [[buffer(0)]] [[texture/* ERROR E1119 "'texture' attribute does not apply to an argument of type 'device int *'" *//* ERROR E1117 "'buffer' and 'texture' attributes are not compatible" */(0)]]) {}
//--- attr_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int a [[buffer/* ERROR E1118 "'buffer' attribute does not apply to a local variable" */(0)]] = 1;
}
//--- auto_recursion
#include <metal_stdlib>
using namespace metal;
auto f(int a) { return a > 0 ? f/* ERROR E1120 "function 'f' with deduced return type cannot be used before it is defined" */(a - 1) : 0; }
kernel void k(device int* p) { p[0] = f(1); }
//--- alignment
#include <metal_stdlib>
using namespace metal;
struct alignas(3/* ERROR E1121 "requested alignment 3 is not a power of 2" */) S { int a; };
kernel void k(device S* s) {}
//--- array_of_void
#include <metal_stdlib>
using namespace metal;
struct S { void/* ERROR E1122 "array has incomplete element type 'void'" */ a[2]; };
//--- base
#include <metal_stdlib>
using namespace metal;
struct S : int/* ERROR E0303 "expected a base class, found 'int'" */ { };
//--- bitfield
#include <metal_stdlib>
using namespace metal;
struct S { int/* ERROR E1125 "width of bit-field (40 bits) exceeds the width of its type 'int'" */ a : 40; };
//--- cast
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); q[0] = (/* ERROR E1126 "cannot cast from type 'float4' to type 'int'" */int)v;
}
//--- reinterpret
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float a = 1; q[0] = reinterpret_cast/* ERROR E1126 "reinterpret_cast from 'float' to 'int' is not allowed" */<int>(a);
}
//--- enum_type
#include <metal_stdlib>
using namespace metal;
enum E : float/* ERROR E1127 "non-integral type 'float' is an invalid underlying type" */ { A };
//--- enum_fit
#include <metal_stdlib>
using namespace metal;
enum E : uchar { A = 300/* ERROR E1127 "value 300 of enumerator 'A' does not fit in 'uchar'" */ };
//--- field_auto
#include <metal_stdlib>
using namespace metal;
struct S { auto/* ERROR E1128 "'auto' not allowed in the type of member 'a'" */ a; };
//--- index_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  p[1.5f/* ERROR E1129 "array subscript must be an integer, not 'float'" */] = 1;
}
//--- index_what
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = i/* ERROR E1129 "subscripted value of type 'uint' is not an array, pointer, vector or matrix" */[0];
}
//--- init_many
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int/* ERROR E1224 "excess elements in initializer of 'int[2]': 3 given" */ a[2] = {1, 2, 3};
}
//--- struct_many
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  S s = {/* ERROR E1130 "variable 's' of type 'S' cannot be initialized with this list" */1, 2};
}
//--- vec5
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  vec/* ERROR E1131 "there is no 'vec<float, 5>'" */<float, 5> v;
}
//--- range
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  for (int a : i/* ERROR E1134 "invalid range expression of type 'uint'" */) {}
}
//--- array_result
#include <metal_stdlib>
using namespace metal;
typedef int A[2];
A/* ERROR E1136 "function 'f' cannot return array type 'int[2]'" */ f();
//--- binding
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  auto/* ERROR E1139 "type 'S' does not decompose into 2 elements" */ [a, b] = S{1};
}
//--- brace_value
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = 1 + int/* ERROR E1130 "excess elements in initializer of 'int': 2 given, 1 expected" */{1, 2};
}
//--- case_range
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  switch (q[0]) { case/* ERROR E1142 "case range from 5 to 1 is empty or too large" */ 5 ... 1: break; }
}
//--- components
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float3 v = float3/* ERROR E1143 "too few components for 'float3': 2 given, 3 expected" */(1, 2);
}
//--- many_components
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float2 v = float2/* ERROR E1143 "too many components for 'float2': 3 given, 2 expected" */(1, 2, 3);
}
//--- cond_types
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  S s; q[0] = i/* ERROR E1144 "incompatible operand types ('S' and 'int')" */ ? s : 1;
}
//--- empty_fold
#include <metal_stdlib>
using namespace metal;
template <typename... T> int f(T... t) { return (/* ERROR E1150 "unary fold expression has empty expansion for operator '+' with no fallback value" */t + ...); }
kernel void k(device int* p) { p[0] = f(); }
//--- field_space
#include <metal_stdlib>
using namespace metal;
struct S { device/* ERROR E1152 "member 'a' may not be qualified with address space 'device'" */ int a; };
//--- field_object
#include <metal_stdlib>
using namespace metal;
struct S { int a; static int f() { return a/* ERROR E1153 "invalid use of non-static data member 'a'" */; } };
kernel void k(device int* p) { p[0] = S::f(); }
//--- method_object
#include <metal_stdlib>
using namespace metal;
struct S { int f() { return 1; } };
kernel void k(device int* p) { p[0] = S/* ERROR E1169 "call to non-static member function 'f' without an object argument" */::f(); }
//--- fc_init
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1155 "function constant 'a' cannot have an initializer" */ int a [[function_constant(0)]] = 1;
//--- fc_index
#include <metal_stdlib>
using namespace metal;
constant int a [[function_constant/* ERROR E1160 "index 70000 of a function constant is not between 0 and 65535" */(70000)]];
//--- global_space
#include <metal_stdlib>
using namespace metal;
device/* ERROR E1130 "variable 'x' in constant address space must be initialized" *//* ERROR E1157 "program scope variable 'x' must reside in constant address space, not 'device'" */ int x;
//--- global_mutable
#include <metal_stdlib>
using namespace metal;
int/* ERROR E1157 "program scope variable 'x' must reside in constant address space" */ x = 1;
//--- local_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  device/* ERROR E1167 "local variable 'x' cannot be in address space 'device'" */ int x;
}
//--- two_spaces
#include <metal_stdlib>
using namespace metal;
template <typename T> struct S { device/* ERROR E1168 "multiple address spaces specified for type: 'constant' and 'device'" */ T* p; };
kernel void k(device int* p) { S<constant int> s; }
//--- template_args
#include <metal_stdlib>
using namespace metal;
template <typename T> struct S { T a; };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  S/* ERROR E1171 "use of template 'S' requires template arguments" */ s;
}
//--- narrow
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  uchar c = {300/* ERROR E1172 "constant 300 does not fit in 'uchar' between braces" */};
}
//--- no_ctor
#include <metal_stdlib>
using namespace metal;
struct S { int a; S(int b) : a(b) {} };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  S/* ERROR E1175 "no matching constructor for initialization of 'S' with arguments of types (int, int)" */ s(1, 2);
}
//--- no_default_ctor
#include <metal_stdlib>
using namespace metal;
struct S { int a; S(int b) : a(b) {} };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  S/* ERROR E1175 "'S' has no default constructor" */ s;
}
//--- no_this
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  this/* ERROR E1188 "invalid use of 'this' outside of a non-static member function" */;
}
//--- deref
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = */* ERROR E1191 "indirection requires pointer operand ('uint' invalid)" */i;
}
//--- arrow
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = i/* ERROR E1191 "member reference type 'uint' is not a pointer" */->x;
}
//--- dot
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  S s; thread S* t = &s; q[0] = t/* ERROR E1193 "member reference type is a pointer; did you mean to use '->'?" */.a;
}
//--- address_of_temporary
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  thread int* a = &/* ERROR E1197 "cannot take the address of an rvalue of type 'int'" */(q[0] + 1);
}
//--- assign_temporary
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] + 1 =/* ERROR E1197 "expression of type 'int' is not assignable" */ 2;
}
//--- capture
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int a = 1; auto f = []() { return a/* ERROR E1199 "variable 'a' cannot be implicitly captured in a lambda with no capture-default specified" */; }; q[0] = f();
}
//--- fc_defined
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int a = 1; q[0] = is_function_constant_defined/* ERROR E1201 "argument of 'is_function_constant_defined' must be a function constant" */(a);
}
//--- ptr_diff
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = p -/* ERROR E1205 "'device float *' and 'device int *' are not pointers to compatible types" */ q;
}
//--- ptr_compare
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = p ==/* ERROR E1205 "comparison of distinct pointer types ('device float *' and 'device int *')" */ q;
}
//--- ptr_add
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  p = p +/* ERROR E1132 "invalid operands to binary '+' ('device float *' and 'device float *')" */ p;
}
//--- bool_cond
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { if (*s/* ERROR E1176 "no viable conversion from 'S' to 'bool' for condition" */) {} }
//--- self
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  auto a = a/* ERROR E1210 "variable 'a' declared with deduced type cannot appear in its own initializer" */ + 1;
}
//--- static_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  static/* ERROR E1213 "local variable 'a' cannot be static" */ int a = 1;
}
//--- template_template
#include <metal_stdlib>
using namespace metal;
template <template <typename> class C> struct S {};
kernel void k(device int* p) { S/* ERROR E1218 "template argument for 'C' must be a class template" */<int> s; }
//--- overloaded
#include <metal_stdlib>
using namespace metal;
void f() {}
void f(int) {}
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  auto g = f/* ERROR E1154 "function 'f' is not a value: expected expression" */;
}
//--- threadgroup_fn
#include <metal_stdlib>
using namespace metal;
void f() { threadgroup/* ERROR E1222 "variable 'a' in threadgroup memory must be declared in a kernel" */ int a[4]; }
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  f();
}
//--- ns_value
#include <metal_stdlib>
using namespace metal;
namespace a { int b(); }
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = a/* ERROR E1196 "unexpected namespace name 'a': expected expression" */;
}
//--- vector_cond
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = float4(1); v = (/* ERROR E1230 "condition of '?:' is a vector of type 'bool4'; use select()" */v == v) ? v : v;
}
//--- stage_in
#include <metal_stdlib>
using namespace metal;
struct S { float a [[attribute(0)]]; };
kernel void k(S s [[stage_in/* ERROR U0103 "not supported: [[stage_in]] arguments of kernels" */]]) {}
//--- ray
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  raytracing/* ERROR U0104 "not supported: namespace 'raytracing'" */::ray r;
}
//--- tex_texel
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  texture2d/* ERROR E1131 "'texture2d' cannot have texels of type 'bool'" */<bool> t;
}
//--- partials
#include <metal_stdlib>
using namespace metal;
template <typename T, typename U> struct S {};
template <typename T> struct S<T, int> {};
template <typename U> struct/* ERROR E1107 "ambiguous partial specializations of 'S<int, int>'" */ S<int, U> {};
kernel void k(device int* p) { S<int, int> s; }
//--- spec_twice
#include <metal_stdlib>
using namespace metal;
template <typename T> T f(T a) { return a; }
template <> int f<int>(int a) { return 1; }
template <> int/* ERROR E1207 "redefinition of the specialization of 'f'" */ f<int>(int a) { return 2; }
//--- ambiguous_member
#include <metal_stdlib>
using namespace metal;
struct A { int x; };
struct B { int x; };
struct C : A, B {};
kernel void k(device C* c) { c->x/* ERROR E1106 "member 'x' found in multiple base classes of 'C'" */ = 1; }
//--- threads
#include <metal_stdlib>
using namespace metal;
[[max_total_threads_per_threadgroup/* ERROR E1160 "2000 threads per threadgroup is not between 1 and 1024" */(2000)]] kernel void k(device int* p) {}
//--- kernel_pp
#include <metal_stdlib>
using namespace metal;
kernel void k(device/* ERROR E1110 "argument 'p' of a kernel cannot point to a pointer" */ int* device* p) {}
//--- thread_arg
#include <metal_stdlib>
using namespace metal;
kernel void k(thread/* ERROR E1109 "argument 'p' of a kernel must point to 'device', 'constant' or 'threadgroup' memory, not 'thread'" */ int* p) {}
//--- texture_write
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture(0)]]) { t.write/* ERROR E1220 "'write' does not apply to a texture with access::sample" */(float4(1), uint2(0)); }
//--- texture_sample
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::write> t [[texture(0)]], sampler s [[sampler(0)]]) { float4 v = t.sample/* ERROR E1220 "'sample' does not apply to a texture with access::write" */(s, float2(0)); }
//--- barrier
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types ()" */();
}
//--- barrier_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  threadgroup_barrier/* ERROR E1181 "no matching function for call to 'threadgroup_barrier' with arguments of types (int)" */(1);
}
//--- min_mixed
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = min/* ERROR E1181 "no matching function for call to 'min' with arguments of types (device int, uint, int)" */(q[0], 1u, 2);
}
//--- atomic_order
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  threadgroup atomic_int a; atomic_store_explicit/* ERROR E1181 "no matching function for call to 'atomic_store_explicit' with arguments of types (threadgroup atomic_int *, int)" */(&a, 1);
}
//--- temp_ref
#include <metal_stdlib>
using namespace metal;
void f(thread int& a) {}
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  f(1/* ERROR E1138 "parameter of type 'thread int &' cannot bind to a temporary" */);
}
//--- space_ref
#include <metal_stdlib>
using namespace metal;
void f(thread int& a) {}
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  f(q/* ERROR E1211 "parameter of type 'thread int &' cannot bind to an object in address space 'device'" */[0]);
}
//--- method_space
#include <metal_stdlib>
using namespace metal;
struct S { int a; int get() const thread { return a; } };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = (/* ERROR E1181 "no matching function for call to 'get' with arguments of types () on an object of type 'device S'" */*(device S*)q).get();
}
//--- const_method
#include <metal_stdlib>
using namespace metal;
struct S { int a; void set() thread { a = 1; } };
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  const S s = {1}; s/* ERROR E1181 "no matching function for call to 'set' with arguments of types () on an object of type 'const thread S'" */.set();
}
//--- const_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  const int a = 1; a =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 2;
}
//--- const_inc
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  const int a = 1; ++/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */a;
}
//--- inc_bool
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  bool b = true; ++/* ERROR E1132 "cannot increment or decrement value of type 'bool'" */b;
}
//--- constexpr_runtime
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  constexpr/* ERROR E1200 "initializer of constexpr 'a' is not a constant expression" */ int a = q[0];
}
//--- if_constexpr
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  if constexpr (q/* ERROR E1200 "condition of 'if constexpr' is not a constant expression" */[0]) {}
}
//--- steps
#include <metal_stdlib>
using namespace metal;
constexpr int f() { int a = 0; while (true) { a = 1 - a; } return a; }
static_assert(f/* ERROR E1200 "condition of static_assert is not a constant expression" */() == 0);
//--- constexpr_depth
#include <metal_stdlib>
using namespace metal;
constexpr int f(int a) { return f(a + 1); }
static_assert(f/* ERROR E1200 "condition of static_assert is not a constant expression" */(0) == 0);
//--- switch_type
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* s) { switch (*/* ERROR E1217 "statement requires expression of integer type ('S' invalid)" */s) { default: break; } }
//--- uninit_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  const/* ERROR E1130 "default initialization of const variable 'a'" */ int a;
}
//--- uninit_ref
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  thread/* ERROR E1130 "declaration of reference variable 'a' requires an initializer" */ int& a;
}
//--- string
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p [[buffer(0)]], device int* q [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  q[0] = "a"/* ERROR E1176 "no viable conversion from 'const constant char *' to 'int' for assignment" */;
}
//--- texel_atomic_float
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float, access::read_write> t [[texture(0)]]) { t.atomic_fetch_add/* ERROR E1220 "'atomic_fetch_add' does not apply to a texture of 'float'" */(uint2(0), 1.0f); }
//--- texel_atomic_access
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<uint, access::read> t [[texture(0)]]) { uint4 v = t.atomic_load/* ERROR E1220 "'atomic_load' does not apply to a texture with access::read" */(uint2(0)); }
//--- texel_atomic_wide
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<ulong, access::read_write> t [[texture(0)]]) { t.atomic_exchange/* ERROR E1220 "'atomic_exchange' does not apply to a texture of 'ulong'" */(uint2(0), 1ul); }
//--- texel_atomic_cube
#include <metal_stdlib>
using namespace metal;
kernel void k(texturecube<uint, access::read_write> t [[texture(0)]]) { t/* ERROR E1173 "'atomic_fetch_or' requires Metal 4.0, but the program is compiled as Metal 3.2" */.atomic_fetch_or(uint2(0), 0u, 1u); }
//--- imageblocks
#include <metal_stdlib>
using namespace metal;
struct Pixel { half4 color; };
kernel void read(imageblock/* ERROR U0104 "not supported: type 'imageblock'" */<Pixel, imageblock_layout_explicit> b, ushort2 at [[thread_position_in_threadgroup]]) {
  Pixel p = b.read(at);
}
kernel void written(imageblock/* ERROR U0104 "not supported: type 'imageblock'" */<Pixel> b, ushort2 at [[thread_position_in_threadgroup]]) {
  threadgroup_imageblock Pixel *p = b.data(at);
  p->color = 1;
}
struct Stored { rgba8unorm/* ERROR U0104 "not supported: type 'rgba8unorm'" */<half4> color; };
//--- namespace_std
#include <metal_stdlib>
using namespace std/* ERROR E1102 "no namespace named 'std'" */;
namespace metal_or_not = std/* ERROR E1102 "no namespace named 'std'" */;
//--- destructor_named
#include <metal_stdlib>
using namespace metal;
struct S { int x; operator int() const { return x; } };
kernel void k(texture2d<float> t [[texture(0)]], device float4 *p [[buffer(0)]]) {
  constexpr sampler s(filter::~/* ERROR U0104 "not supported: a destructor in an expression" */icubic);
  *p = t.sample(s, float2(0));
  int a = S::~/* ERROR U0104 "not supported: a destructor in an expression" */S;
  int b = S::operator/* ERROR U0104 "not supported: a conversion function without an object" */ int;
  S o;
  o.~/* ERROR U0104 "not supported: a destructor in an expression" */S();
}
