//--- double
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = (double/* ERROR E1177 "'double' is not supported in Metal" */)p[1]; }
//--- long_double
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { long/* ERROR E1177 "'double' is not supported in Metal" */ double d = 1; }
//--- wchar
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { wchar_t/* ERROR E1190 "wide characters are not supported in Metal" */ c = 1; }
//--- char16
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { char16_t/* ERROR E1190 "wide characters are not supported in Metal" */ c = 1; }
//--- new
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto q = new/* ERROR E0310 "'new' and 'delete' are not supported in Metal" */ int; }
//--- new_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto q = new/* ERROR E0310 "'new' and 'delete' are not supported in Metal" */ int[4]; }
//--- delete_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { delete/* ERROR E0310 "'new' and 'delete' are not supported in Metal" */[] p; }
//--- throw
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { throw/* ERROR E0310 "exceptions are not supported in Metal" */ 1; }
//--- try
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { try/* ERROR E0310 "exceptions are not supported in Metal" */ { p[0] = 1; } catch (int e) {} }
//--- function_try
#include <metal_stdlib>
using namespace metal;
void f() try/* ERROR E0310 "exceptions are not supported in Metal" */ {} catch (...) {}
kernel void k(device int* p) { f(); }
//--- label
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { again/* ERROR E0310 "labels and 'goto' are not supported in Metal" */: p[0] = 1; }
//--- asm
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { asm/* ERROR E0310 "inline assembly is not supported in Metal" */("nop"); }
//--- asm_global
#include <metal_stdlib>
using namespace metal;
asm/* ERROR E0310 "inline assembly is not supported in Metal" */("nop");
//--- typeid
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto t = typeid/* ERROR E0310 "'typeid' is not supported in Metal" */(int); }
//--- virtual_method
#include <metal_stdlib>
using namespace metal;
struct S { virtual/* ERROR E0310 "virtual functions and bases are not supported in Metal" */ int f() { return 1; } };
kernel void k(device int* p) {}
//--- virtual_base
#include <metal_stdlib>
using namespace metal;
struct A { int a; };
struct B : virtual/* ERROR E0310 "virtual functions and bases are not supported in Metal" */ A {};
kernel void k(device int* p) {}
//--- virtual_destructor
#include <metal_stdlib>
using namespace metal;
struct A { virtual/* ERROR E0310 "virtual functions and bases are not supported in Metal" */ ~A() {} };
kernel void k(device int* p) {}
//--- register
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { register/* ERROR E0310 "'register' is not supported in Metal" */ int n = 1; }
//--- lambda_default_capture_this
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto f = [this/* ERROR E1188 "invalid use of 'this' outside of a non-static member function" */] { return 1; }; }
//--- export
#include <metal_stdlib>
using namespace metal;
export/* ERROR E0310 "'export' is not supported in Metal" */ int f() { return 1; }
//--- requires
#include <metal_stdlib>
using namespace metal;
template <typename T> requires/* ERROR E0310 "constraints are not supported in Metal" */ true T f(T a) { return a; }
kernel void k(device int* p) {}
//--- designated_order
#include <metal_stdlib>
using namespace metal;
struct S { int a; int b; };
kernel void k(device int* p) { S s = {.c = 1/* ERROR E1182 "no member named 'c' in 'S'" */}; }
//--- std_header
#include </* ERROR E0210 "'vector' file not found" */vector>
kernel void k(device int* p) {}
//--- printf
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { printf/* ERROR E1100 "use of undeclared identifier 'printf'" */("%d", p[0]); }
//--- malloc
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto q = malloc/* ERROR E1100 "use of undeclared identifier 'malloc'" */(4); }
//--- size_of_bit_field
#include <metal_stdlib>
using namespace metal;
struct S { uint a : 4; };
kernel void k(device S* s, device int* p) { p[0] = sizeof/* ERROR E1132 "invalid application of 'sizeof' or 'alignof' to bit-field 'a'" */(s->a); }
//--- bit_field_reference
#include <metal_stdlib>
using namespace metal;
struct S { uint a : 4; };
void f(device uint& r) {}
kernel void k(device S* s) { f(s->a/* ERROR E1103 "address of bit-field requested" */); }
//--- bit_field_float
#include <metal_stdlib>
using namespace metal;
struct S { float/* ERROR E1125 "width of bit-field (4 bits) exceeds the width of its type 'float'" */ a : 4; };
kernel void k(device S* s) {}
//--- octal_digit
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = 089/* ERROR E0106 "invalid number: digit '8' in a literal of base 8: '089'" */; }
//--- integer_too_large
#include <metal_stdlib>
using namespace metal;
kernel void k(device ulong* p) { p[0] = 99999999999999999999/* ERROR E0111 "integer literal is too large: '99999999999999999999'" */; }
//--- bad_suffix
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = 1xyz/* ERROR E0106 "invalid number: suffix 'xyz' on integer literal: '1xyz'" */; }
//--- half_suffix_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device half* p) { p[0] = 1h/* ERROR E0106 "invalid number: suffix 'h' on integer literal: '1h'" */; }
//--- float_suffix_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = 1f/* ERROR E0106 "invalid number: suffix 'f' on integer literal: '1f'" */; }
//--- bfloat_suffix_int
#include <metal_stdlib>
using namespace metal;
kernel void k(device bfloat* p) { p[0] = 1bf/* ERROR E0106 "invalid number: suffix 'bf' on integer literal: '1bf'" */; }
//--- hex_float_exponent
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = 0x1.8/* ERROR E0106 "invalid number: hexadecimal floating literal requires an exponent: '0x1.8'" */; }
//--- empty_hex
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = 0x/* ERROR E0106 "invalid number: no digits after '0x': '0x'" */; }
//--- binary_digit
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { p[0] = 0b12/* ERROR E0106 "invalid number: digit '2' in a literal of base 2: '0b12'" */; }
//--- exponent_empty
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) { p[0] = 1.0e/* ERROR E0106 "invalid number: exponent has no digits: '1.0e'" */; }
//--- concept
#include <metal_stdlib>
using namespace metal;
template <typename T> concept/* ERROR E0310 "concepts are not supported in Metal" */ Any = true;
kernel void k(device int* p) { p[0] = 1; }
//--- wide_literals
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {
  p[0] = L'a'/* ERROR E1190 "wide characters are not supported in Metal" */;
  constant auto* s = L"a"/* ERROR E1190 "wide characters are not supported in Metal" */;
}
