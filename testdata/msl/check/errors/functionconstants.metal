//--- initialized
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1155 "function constant 'n' cannot have an initializer" */ int n [[function_constant(0)]] = 1;
//--- struct_type
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
constant/* ERROR E1156 "function constant 's' must be a scalar or vector, not 'S'" */ S s [[function_constant(0)]];
//--- array_type
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1156 "function constant 'n' must be a scalar or vector, not 'int[2]'" */ int n[2] [[function_constant(0)]];
//--- matrix_type
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1156 "function constant 'n' must be a scalar or vector, not 'float2x2'" */ float2x2 n [[function_constant(0)]];
//--- index_twice
#include <metal_stdlib>
using namespace metal;
constant int a [[function_constant(3)]];
constant float b [[function_constant/* ERROR E1159 "function constants 'a' and 'b' have the same index 3" */(3)]];
//--- index_large
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant/* ERROR E1160 "index 65536 of a function constant is not between 0 and 65535" */(65536)]];
//--- index_negative
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant/* ERROR E1160 "index -1 of a function constant is not between 0 and 65535" */(-1)]];
//--- index_missing
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant/* ERROR E1116 "'function_constant' attribute takes one argument" */]];
//--- index_two
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant/* ERROR E1116 "'function_constant' attribute takes one argument" */(0, 1)]];
//--- index_string
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant("n"/* ERROR E1200 "index of a function constant must be an integer, not 'const constant char *'" */)]];
//--- index_float
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(1.5/* ERROR E1200 "index of a function constant must be an integer, not 'float'" */)]];
//--- no_constant_space
#include <metal_stdlib>
using namespace metal;
int/* ERROR E1157 "program scope variable 'n' must reside in constant address space" */ n [[function_constant(0)]];
//--- device_space
#include <metal_stdlib>
using namespace metal;
device/* ERROR E1157 "program scope variable 'n' must reside in constant address space, not 'device'" */ int n [[function_constant(0)]];
//--- array_bound
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
kernel void k(device int* p) { int a[n/* ERROR E1200 "array bound is not a constant expression: it depends on a function constant" */]; }
//--- case_label
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
kernel void k(device int* p) { switch (p[0]) { case n/* ERROR E1200 "case label is not a constant expression: it depends on a function constant" */: break; } }
//--- static_assert
#include <metal_stdlib>
using namespace metal;
constant bool n [[function_constant(0)]];
static_assert(n/* ERROR E1200 "condition of static_assert is not a constant expression: it depends on a function constant" */, "set");
//--- if_constexpr
#include <metal_stdlib>
using namespace metal;
constant bool n [[function_constant(0)]];
kernel void k(device int* p) { if constexpr (n/* ERROR E1200 "condition of 'if constexpr' is not a constant expression: it depends on a function constant" */) p[0] = 1; }
//--- assigned
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
kernel void k(device int* p) { n =/* ERROR E1114 "cannot assign to an object in address space 'constant'" */ 1; }
//--- argument_not_bool
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
kernel void k(device int* p [[buffer(0), function_constant/* ERROR E1119 "function constant 'n' of a condition must be bool, not 'int'" */(n)]]) {}
//--- argument_unknown
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0), function_constant(flag/* ERROR E1100 "use of undeclared identifier 'flag'; did you mean 'float'?" */)]]) {}
//--- argument_nothing
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p [[buffer(0), function_constant/* ERROR E1116 "'function_constant' attribute takes one argument" */]]) {}
//--- argument_expression
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
kernel void k(device int* p [[buffer(0), function_constant/* ERROR E1116 "'function_constant' attribute of an argument must name a function constant" */(n > 1)]]) {}
//--- defined_on_plain
#include <metal_stdlib>
using namespace metal;
constant int n = 1;
kernel void k(device int* p) { if (is_function_constant_defined/* ERROR E1201 "argument of 'is_function_constant_defined' must be a function constant" */(n)) p[0] = 1; }
//--- defined_on_parameter
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p, constant int& n) { if (is_function_constant_defined/* ERROR E1201 "argument of 'is_function_constant_defined' must be a function constant" */(n)) p[0] = 1; }
//--- defined_without
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { if (is_function_constant_defined/* ERROR E1108 "'is_function_constant_defined' takes 1 arguments, but 0 given" */()) p[0] = 1; }
//--- enumerator
#include <metal_stdlib>
using namespace metal;
constant int n [[function_constant(0)]];
enum E { A = n/* ERROR E1200 "value of enumerator 'A' is not a constant expression: it depends on a function constant" */ };
//--- local_function_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {
  int a [[function_constant/* ERROR E1118 "'function_constant' attribute does not apply to a local variable" */(0)]] = 1;
  p[0] = a;
}
//--- function_constant_on_function
#include <metal_stdlib>
using namespace metal;
[[function_constant/* ERROR E1118 "'function_constant' attribute does not apply to a function" */(0)]] static int f() { return 1; }
kernel void k(device int* p) { p[0] = f(); }
//--- function_constant_on_member
#include <metal_stdlib>
using namespace metal;
struct S { int n [[function_constant/* ERROR E1118 "'function_constant' attribute does not apply to a member" */(0)]]; };
kernel void k(device S* p) { p->n = 1; }
//--- constexpr_of_function_constant
#include <metal_stdlib>
using namespace metal;
constant int width [[function_constant(0)]];
constant int doubled = 2 * width;
constexpr/* ERROR E1200 "initializer of 'tripled' is not a constant expression: it depends on a function constant" */ constant int tripled = 3 * width;
kernel void k(device int* p) { p[0] = doubled; }
