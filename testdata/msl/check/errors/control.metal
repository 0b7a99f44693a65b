//--- break_outside
#include <metal_stdlib>
using namespace metal;
void f() { break/* ERROR E1214 "'break' statement not in loop or switch statement" */; }
//--- continue_in_switch
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case 1: continue/* ERROR E1216 "'continue' statement not in loop statement" */; } }
//--- break_in_lambda
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { for (;;) { auto f = [] { break/* ERROR E1214 "'break' statement not in loop or switch statement" */; }; f(); } }
//--- case_outside
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { case/* ERROR E1215 "'case' or 'default' statement not directly in switch statement" */ 1: p[0] = 1; }
//--- default_outside
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { default/* ERROR E1215 "'case' or 'default' statement not directly in switch statement" */: p[0] = 1; }
//--- case_twice
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case 1: break; case/* ERROR E1148 "duplicate case value '1'" */ 1: break; } }
//--- case_twice_computed
#include <metal_stdlib>
using namespace metal;
constant int n = 3;
kernel void k(device int* p) { switch (p[0]) { case n: break; case/* ERROR E1148 "duplicate case value '3'" */ 1 + 2: break; } }
//--- case_runtime
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case 1: break; default: break; } int n = p[1]; switch (p[0]) { case n/* ERROR E1200 "case label is not a constant expression: read of non-constexpr variable 'n' is not allowed" */: break; } }
//--- case_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case 1.5f/* ERROR E1217 "case label must be an integer, not 'float'" */: break; } }
//--- case_narrows
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case 5000000000/* ERROR E1172 "case label 5000000000l does not fit in 'int'" */: break; } }
//--- case_string
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case "a"/* ERROR E1176 "no viable conversion from 'const constant char *' to 'int' for case label" */: break; } }
//--- case_other_enum
#include <metal_stdlib>
using namespace metal;
enum class E { A };
enum class F { B };
kernel void k(device E* p) { switch (p[0]) { case F/* ERROR E1176 "no viable conversion from 'F' to 'E' for case label" */::B: break; } }
//--- case_scoped_int
#include <metal_stdlib>
using namespace metal;
enum class E { A };
kernel void k(device E* p) { switch (p[0]) { case 0/* ERROR E1176 "no viable conversion from 'int' to 'E' for case label" */: break; } }
//--- case_range_reversed
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p[0]) { case/* ERROR E1142 "case range from 5 to 1 is empty or too large" */ 5 ... 1: break; } }
//--- switch_float
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { switch (p/* ERROR E1217 "statement requires expression of integer type ('float' invalid)" */[0]) { case 1: break; } }
//--- switch_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int2* p) { switch (p/* ERROR E1217 "statement requires expression of integer type ('int2' invalid)" */[0]) { case 1: break; } }
//--- switch_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { switch (p/* ERROR E1217 "statement requires expression of integer type ('device int *' invalid)" */) { case 1: break; } }
//--- switch_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* p) { switch (p/* ERROR E1217 "statement requires expression of integer type ('S' invalid)" */[0]) { case 1: break; } }
//--- if_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* p) { if (p/* ERROR E1176 "no viable conversion from 'S' to 'bool' for condition" */[0]) p[0].a = 1; }
//--- if_void
#include <metal_stdlib>
using namespace metal;
void f() {}
kernel void k(device int* p) { if (f/* ERROR E1176 "no viable conversion from 'void' to 'bool' for condition" */()) p[0] = 1; }
//--- if_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device bool2* p) { if (p/* ERROR E1176 "no viable conversion from 'bool2' to 'bool' for condition" */[0]) p[0] = false; }
//--- while_texture
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t) { while (t/* ERROR E1176 "no viable conversion from 'texture2d<float, access::sample>' to 'bool' for condition" */) {} }
//--- for_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int2* p) { for (int2 i = 0; i </* ERROR E1176 "no viable conversion from 'bool2' to 'bool' for condition" */ 4; i++) p[0] = i; }
//--- for_void_condition
#include <metal_stdlib>
using namespace metal;
void f() {}
kernel void k(device int* p) { for (; f/* ERROR E1176 "no viable conversion from 'void' to 'bool' for condition" */();) {} }
//--- loop_variable_after
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { for (int i = 0; i < 4; i++) {} p[0] = i/* ERROR E1100 "use of undeclared identifier 'i'" */; }
//--- variable_before_declared
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = n/* ERROR E1100 "use of undeclared identifier 'n'" */; int n = 1; }
//--- block_variable_after
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { { int n = 1; } p[0] = n/* ERROR E1100 "use of undeclared identifier 'n'" */; }
//--- do_variable_condition
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { do { bool go = false; } while (go/* ERROR E1100 "use of undeclared identifier 'go'" */); }
//--- redeclared
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n = 1; float n/* ERROR E1207 "'n' is declared twice in this scope" */ = 2; }
//--- redeclared_parameter
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int p/* ERROR E1207 "'p' is declared twice in this scope" */ = 1; }
//--- loop_variable_redeclared
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { for (int i = 0; i < 4; i++) { int j = 1; int j/* ERROR E1207 "'j' is declared twice in this scope" */ = 2; } }
//--- return_value_in_void
#include <metal_stdlib>
using namespace metal;
void f() { return/* ERROR E1209 "void function 'f' should not return a value" */ 1; }
//--- return_value_in_kernel
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { return/* ERROR E1209 "void function 'k' should not return a value" */ 1; }
//--- return_nothing
#include <metal_stdlib>
using namespace metal;
int f() { return/* ERROR E1209 "non-void function 'f' should return a value of type 'int'" */; }
//--- return_type
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
S f() { return 1/* ERROR E1176 "no viable conversion from 'int' to 'S' for return value" */; }
//--- return_vector
#include <metal_stdlib>
using namespace metal;
float2 f() { return float3(1/* ERROR E1176 "no viable conversion from 'float3' to 'float2' for return value" */); }
//--- return_list
#include <metal_stdlib>
using namespace metal;
int f() { return {/* ERROR E1130 "return value of type 'int' cannot be initialized with this list" */1, 2}; }
//--- range_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { for (int i : p/* ERROR E1134 "invalid range expression of type 'int'" */[0]) p[1] = i; }
//--- range_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { for (int i : p/* ERROR E1134 "invalid range expression of type 'device int *'" */) p[1] = i; }
//--- range_vector
#include <metal_stdlib>
using namespace metal;
kernel void k(device int4* p) { for (int i : p/* ERROR E1134 "invalid range expression of type 'int4'" */[0]) p[1] = i; }
//--- range_type
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device int* p) { S s[2]; for/* ERROR E1176 "no viable conversion from 'S' to 'int' for variable 'i'" */ (int i : s) p[1] = i; }
//--- range_reference_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a[2] = {1, 2}; for/* ERROR E1211 "reference 'i' of type 'device int &' cannot bind to an object in address space 'thread'" */ (device int& i : a) i = 1; }
//--- missing_semicolon
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = 1 /* ERROR E0301 "expected ';' after expression" */p[1] = 2; }
//--- else_alone
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { else/* ERROR E0306 "'else' without a previous 'if'" */ p[0] = 1; }
//--- do_without_while
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { do { p[0] = 1; } }/* ERROR E0301 "expected 'while' after the body of 'do', found '}'" */
//--- assignment_to_loop_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { for (const int i = 0; i < 4; i/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */++) {} }
//--- condition_assignment_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* p) { if (p[0] =/* ERROR E1176 "no viable conversion from 'S' to 'bool' for condition" */ p[1]) {} }
//--- empty_condition
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { while ()/* ERROR E0302 "expected an expression, found ')'" */ {} }
//--- declaration_in_if_body
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { if (p[0]) int n = 1; p[0] = n/* ERROR E1100 "use of undeclared identifier 'n'" */; }
//--- array_negative
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a[-/* ERROR E1111 "array size -1 is negative" */1]; }
//--- array_float_bound
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a[1.5f/* ERROR E1200 "array bound must be an integer, not 'float'" */]; }
//--- array_runtime
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, constant int& n) { float a[n/* ERROR E1200 "array bound is not a constant expression: read of non-constexpr variable 'n' is not allowed" */]; }
//--- array_no_bound
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int/* ERROR E1122 "definition of variable with array type needs an explicit size or an initializer" */ a[]; }
//--- array_many
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int/* ERROR E1224 "excess elements in initializer of 'int[2]': 3 given" */ a[2] = {1, 2, 3}; }
//--- array_assigned
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a[2]; int b[2]; a/* ERROR E1113 "array type is not assignable" */ = b; }
//--- array_inner_bound
#include <metal_stdlib>
using namespace metal;
void f(thread/* ERROR E1122 "array has elements of unknown bound" */ int a[][]) {}
//--- array_returned
#include <metal_stdlib>
using namespace metal;
int/* ERROR E1136 "function 'f' cannot return array type 'int[2]'" */ f()[2] { int a[2]; return a; }
//--- auto_no_init
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto/* ERROR E1123 "declaration of variable 'n' with deduced type 'auto' requires an initializer" */ n; }
//--- auto_void
#include <metal_stdlib>
using namespace metal;
void f() {}
kernel void k(device int* p) { auto/* ERROR E1231 "object has incomplete type 'void'" */ n = f(); }
//--- auto_overloaded
#include <metal_stdlib>
using namespace metal;
void f(int) {}
void f(float) {}
kernel void k(device int* p) { auto g = f/* ERROR E1154 "function 'f' is not a value: expected expression" */; }
//--- auto_list
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto/* ERROR E1123 "cannot deduce 'auto' from an initializer list" */ n = {1, 2}; }
//--- auto_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto/* ERROR E1123 "cannot deduce 'auto' from an initializer list" */ a[2] = {1, 2}; }
//--- auto_self
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto n = n/* ERROR E1210 "variable 'n' declared with deduced type cannot appear in its own initializer" */ + 1; }
//--- uninitialized_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { const/* ERROR E1130 "default initialization of const variable 'v'" */ float4 v; }
//--- uninitialized_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device/* ERROR E1130 "declaration of reference variable 'r' requires an initializer" */ int& r; }
//--- struct_many
#include <metal_stdlib>
using namespace metal;
struct S { int a; int b; };
kernel void k(device int* p) { S s = {/* ERROR E1130 "variable 's' of type 'S' cannot be initialized with this list" */1, 2, 3}; }
//--- struct_wrong_member
#include <metal_stdlib>
using namespace metal;
struct S { float2 a; };
kernel void k(device int* p) { S s = {float3(1/* ERROR E1176 "no viable conversion from 'float3' to 'float2' for member 'a'" */)}; }
//--- scalar_list
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n = {/* ERROR E1130 "variable 'n' of type 'int' cannot be initialized with this list" */1, 2}; }
//--- vector_list_many
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { float2 v = {/* ERROR E1130 "variable 'v' of type 'float2' cannot be initialized with this list" */1, 2, 3}; }
//--- vector_few
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto v = float4/* ERROR E1143 "too few components for 'float4': 2 given, 4 expected" */(1, 2); }
//--- vector_many
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto v = float2/* ERROR E1143 "too many components for 'float2': 3 given, 2 expected" */(1, 2, 3); }
//--- vector_part_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device int2* p) { auto v = float4/* ERROR E1130 "cannot convert 'int2' to 'float4': vectors do not convert implicitly" */(p[0], p[1]); }
//--- vector_of_struct
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(device S* p) { auto v = float2/* ERROR E1130 "cannot convert 'S' to 'float2'" */(p[0], p[1]); }
//--- matrix_few
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { auto m = float2x2/* ERROR E1143 "too few components for 'float2x2': 3 given, 4 expected" */(p[0], p[1], p[2]); }
//--- label_behind_initialization
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {
  switch (p[0]) {
    case 0:
      int later;
      later = 1;
      p[1] = later;
      break;
    case 1: {
      int own = 2;
      p[1] = own;
      break;
    }
    case 2:
      int a = 3;
      p[1] = a;
      break;
    case/* ERROR E1267 "cannot jump from switch statement to this case label: jump bypasses initialization of 'a'" */ 3:
      p[1] = 4;
      break;
    default:
      int last = 5;
      p[1] = last;
  }
}
