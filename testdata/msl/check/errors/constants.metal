//--- a division by zero
static_assert(1 /* ERROR E1200 "condition of static_assert is not a constant expression: division by zero" */ / /* WARNING E1146 "division by zero" */ 0 == 0, "");
//--- a rest of zero
constexpr int a(int b) { return 7 % b; }
static_assert(a /* ERROR E1200 "condition of static_assert is not a constant expression: division by zero" */(0) == 0, "");
//--- an index behind an array
constexpr int f(int i) { int a[3] = {1, 2, 3}; return a[i]; }
static_assert(f /* ERROR E1200 "condition of static_assert is not a constant expression: index 3 is out of bounds of 'int[3]'" */(3) == 0, "");
//--- an index before an array
constant int table[3] = {1, 2, 3};
static_assert(table /* ERROR E1200 "condition of static_assert is not a constant expression: index -1 is out of bounds of 'int[3]'" */[- /* WARNING E1161 "array index -1 is out of bounds of 'int[3]'" */1] == 0, "");
//--- an overflow
constexpr int a = 2147483647;
static_assert(a /* ERROR E1200 "condition of static_assert is not a constant expression: 2147483648 does not fit in 'int'" */ + 1 < 0, "");
//--- an overflow of a product
constexpr /* ERROR E1200 "initializer of 'big' is not a constant expression: 18446744073709551614 does not fit in 'long'" */ constant long big = 9223372036854775807l * 2;
//--- a shift by too much
static_assert(( /* ERROR E1200 "condition of static_assert is not a constant expression: a value of 32 bits is shifted by 32" */1 << 32) == 1, "");
//--- a shift by less than nothing
constexpr int f(int n) { return 1 << n; }
static_assert(f /* ERROR E1200 "condition of static_assert is not a constant expression: a value of 32 bits is shifted by -1" */(-1) == 1, "");
//--- a call of a function that is not constexpr
int f() { return 1; }
static_assert(f /* ERROR E1200 "condition of static_assert is not a constant expression: non-constexpr function 'f' cannot be used in a constant expression" */() == 1, "");
//--- a call of a function without a body
constexpr int f();
static_assert(f /* ERROR E1200 "condition of static_assert is not a constant expression: undefined function 'f' cannot be used in a constant expression" */() == 1, "");
//--- a variable without a value
constexpr int f() { int a; return a; }
static_assert(f /* ERROR E1200 "condition of static_assert is not a constant expression: read of uninitialized object" */() == 1, "");
//--- a parameter in a constant
void f(int n) { static_assert(n /* ERROR E1200 "condition of static_assert is not a constant expression: read of non-constexpr variable 'n' is not allowed" */ == 1, ""); }
//--- a variable in a constant
void f() { int n = 1; constexpr /* ERROR E1200 "initializer of constexpr 'm' is not a constant expression: read of non-constexpr variable 'n' is not allowed" */ int m = n + 1; }
//--- a function constant in a constant
constant int n [[function_constant(0)]];
static_assert(n /* ERROR E1200 "condition of static_assert is not a constant expression: it depends on a function constant" */ == 1, "");
//--- a library function in a constant
#include <metal_stdlib>
using namespace metal;
constexpr /* ERROR E1200 "initializer of 'a' is not a constant expression: non-constexpr function 'sin' cannot be used in a constant expression" */ constant float a = sin(1.0f);
//--- a library function with an exact result in a constant
#include <metal_stdlib>
using namespace metal;
constant /* ERROR E1200 "initializer of 'n' is not a constant expression: non-constexpr function 'min' cannot be used in a constant expression" */ int n = min(3, 4);
//--- a library function in a static assertion
#include <metal_stdlib>
using namespace metal;
static_assert(popcount/* ERROR E1200 "condition of static_assert is not a constant expression: non-constexpr function 'popcount' cannot be used in a constant expression" */(7) == 3, "");
//--- a library function in an array bound
#include <metal_stdlib>
using namespace metal;
void f() { int a[max/* ERROR E1200 "array bound is not a constant expression: non-constexpr function 'max' cannot be used in a constant expression" */(3, 4)]; }
//--- a library function in a case label
#include <metal_stdlib>
using namespace metal;
void f(int n) { switch (n) { case abs/* ERROR E1200 "case label is not a constant expression: non-constexpr function 'abs' cannot be used in a constant expression" */(-1): break; } }
//--- a library function in a template argument
#include <metal_stdlib>
using namespace metal;
template <int N> struct S {};
S<clz/* ERROR E1200 "template argument is not a constant expression: non-constexpr function 'clz' cannot be used in a constant expression" */(1)> s();
//--- a builtin of the compiler whose result is undefined
static_assert(__builtin_ctz/* ERROR E1200 "condition of static_assert is not a constant expression: the result of '__builtin_ctz' of 0 is undefined" */(0) == 0, "");
//--- a function that ends without a value in a constant
constexpr int f(int n) { if (n > 3) return 1; }
static_assert(f /* ERROR E1200 "condition of static_assert is not a constant expression: control reached end of constexpr function 'f'" */(1) == 1, "");
//--- a static assertion that fails
static_assert /* ERROR E1212 "static assertion failed: float4 has twelve bytes" */(sizeof(float4) == 12, "float4 has twelve bytes");
//--- a static assertion without a message
static_assert /* ERROR E1212 "static assertion failed" */(sizeof(float4) == 12);
//--- a static assertion of what is no condition
struct S { int a; };
static_assert(S /* ERROR E1176 "no viable conversion from 'S' to 'bool' for condition" */{1}, "");
//--- an array bound below zero
void f() { int a[2 /* ERROR E1111 "array size -1 is negative" */ - 3]; }
//--- an array bound that is too large
constant int a[1l /* ERROR E1111 "array is too large (1099511627776 elements)" */ << 40] = {};
//--- an array bound that is no integer
void f() { int a[2.5f /* ERROR E1200 "array bound must be an integer, not 'float'" */]; }
//--- an array bound that is not constant
void f(int n) { int a[n /* ERROR E1200 "array bound is not a constant expression: read of non-constexpr variable 'n' is not allowed" */]; }
//--- an array bound that is a function constant
constant int n [[function_constant(0)]];
void f() { int a[n /* ERROR E1200 "array bound is not a constant expression: it depends on a function constant" */]; }
//--- an array without a bound
void f() { int /* ERROR E1122 "definition of variable with array type needs an explicit size or an initializer" */ a[]; }
//--- too many initializers
void f() { int /* ERROR E1224 "excess elements in initializer of 'int[2]': 3 given" */ a[2] = {1, 2, 3}; }
//--- an enumerator that is not constant
void f(int n) { enum { A = n /* ERROR E1200 "value of enumerator 'A' is not a constant expression: read of non-constexpr variable 'n' is not allowed" */ }; }
//--- an enumerator that is no integer
enum { A = 1.5f /* ERROR E1200 "value of enumerator 'A' is not an integer constant" */ };
//--- an enumerator that does not fit
enum E : uchar { A = 256 /* ERROR E1127 "value 256 of enumerator 'A' does not fit in 'uchar'" */ };
//--- the enumerator behind the largest
enum E : uchar { A = 255, B /* ERROR E1127 "value 256 of enumerator 'B' does not fit in 'uchar'" */ };
//--- a bit-field that is not constant
constant int n [[function_constant(0)]];
struct S { int a : n /* ERROR E1200 "bit-field width is not a constant expression: it depends on a function constant" */; };
//--- a bit-field that is too wide
struct S { char /* ERROR E1125 "width of bit-field (9 bits) exceeds the width of its type 'char'" */ a : 9; };
//--- a bit-field of a float
struct S { float /* ERROR E1125 "width of bit-field (3 bits) exceeds the width of its type 'float'" */ a : 3; };
//--- a bit-field of no width with a name
struct S { int /* ERROR E1125 "named bit-field 'a' has zero width" */ a : 0; };
//--- a narrowing of a constant
void f() { uchar a = {256 /* ERROR E1172 "constant 256 does not fit in 'uchar' between braces" */}; }
//--- a narrowing of a negative constant
void f() { uint a{- /* ERROR E1172 "constant -1 does not fit in 'uint' between braces" */1}; }
//--- a narrowing of a float constant
void f() { int a{1.5f /* ERROR E1172 "constant 1.5 does not fit in 'int' between braces" */}; }
//--- a constexpr without a value
void f() { constexpr /* ERROR E1130 "default initialization of const variable 'a'" */ int a; }
//--- a constexpr of the program without a value
constexpr /* ERROR E1130 "variable 'a' in constant address space must be initialized" */ constant int a;
//--- a constexpr that changes
void f() { constexpr int a = 1; a = /* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 2; }
//--- an element of a constant that changes
constant int a[2] = {1, 2};
void f() { a[0] = /* ERROR E1114 "cannot assign to an object in address space 'constant'" */ 3; }
//--- a constant initialized by a later one
constexpr constant int a = b /* ERROR E1100 "use of undeclared identifier 'b'" */ + 1;
constexpr constant int b = 1;
//--- a constexpr member that is not static
struct S { constexpr /* ERROR E1128 "non-static data member 'a' cannot be constexpr" */ int a = 1; };
//--- a static member without an initializer
struct S { static /* ERROR E1130 "variable 'S::a' in constant address space must be initialized" */ constexpr constant int a; };
int f() { return S::a; }
//--- an alignment that is no power of two
struct alignas(12 /* ERROR E1121 "requested alignment 12 is not a power of 2" */) S { int a; };
//--- an alignment that is not constant
constant int n [[function_constant(0)]];
struct alignas(n /* ERROR E1200 "alignment is not a constant expression: it depends on a function constant" */) S { int a; };
//--- a case range without an end
void f(int a) { switch (a) { case /* ERROR E1142 "case range from 1 to 0 is empty or too large" */ 1 ... 0: break; } }
//--- if constexpr of a variable
void f(int n) { if constexpr (n /* ERROR E1200 "condition of 'if constexpr' is not a constant expression: read of non-constexpr variable 'n' is not allowed" */ > 0) {} }
//--- sizeof of what is not complete
struct S;
constant ulong a = sizeof /* ERROR E1158 "incomplete type 'S' where a complete type is required" */(S);
//--- sizeof of a function
void f() {}
constant ulong a = sizeof /* ERROR E1132 "invalid application of 'sizeof' or 'alignof' to the function 'f'" */(f);
//--- sizeof of void
constant ulong a = sizeof /* ERROR E1231 "object has incomplete type 'void'" */(void);
//--- alignof of what is not complete
struct S;
constant ulong a = alignof /* ERROR E1158 "incomplete type 'S' where a complete type is required" */(S);
//--- a division of a variable by zero
int f(int a) { return a / /* WARNING E1146 "division by zero" */ 0; }
