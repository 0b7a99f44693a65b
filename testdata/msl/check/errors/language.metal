//--- an overloaded function as a value
void f() {}
void f(int a) {}
void g() { auto h = &f /* ERROR E1154 "function 'f' is not a value: expected expression" */; }
//--- the type of an overloaded function
int f(int a); float f(float a);
decltype(f /* ERROR E1105 "reference to overloaded function 'f' could not be resolved" */) g;
//--- a reference to void
void f(device /* ERROR E1135 "cannot form a reference to 'void'" */ void &a) {}
//--- a braced list as an operand
int f(int a) { return a + { /* ERROR E0302 "expected an expression, found '{'" */1}; }
//--- a deprecated function
[[deprecated]] int f(int a) { return a; }
int g() { return f /* WARNING E1145 "'f' is deprecated" */(1); }
//--- a function constant of a class
struct S { int a; };
constant /* ERROR E1156 "function constant 's' must be a scalar or vector, not 'S'" */ S s [[function_constant(0)]];
//--- an array of function constants
constant /* ERROR E1156 "function constant 'a' must be a scalar or vector, not 'int[2]'" */ int a[2] [[function_constant(0)]];
//--- three-way comparison
int f(int a, int b) { return a <=> /* ERROR E0302 "expected an expression, found '>'" */ b; }
//--- wchar_t
wchar_t /* ERROR E1190 "wide characters are not supported in Metal" */ f();
//--- char16_t
char16_t /* ERROR E1190 "wide characters are not supported in Metal" */ f();
//--- double
double /* ERROR E1177 "'double' is not supported in Metal" */ f();
//--- long double
long /* ERROR E1177 "'double' is not supported in Metal" */ double f();
//--- a parameter in threadgroup memory
void f(threadgroup /* ERROR E1204 "parameter 'a' may not be qualified with address space 'threadgroup'" */ int a) {}
//--- a parameter in device memory
void f(device /* ERROR E1204 "parameter 'a' may not be qualified with address space 'device'" */ int a) {}
//--- an initializer in threadgroup memory
kernel void k(device int *p [[buffer(0)]]) { threadgroup /* WARNING E1221 "variable 'a' in threadgroup memory cannot have an initializer" */ int a = 1; p[0] = a; }
//--- a statement before the first case
void f(int a) { switch (a) { a /* WARNING E1228 "statement before the first case label is never executed" */ = 2; case 1: break; } }
//--- a function that lacks a return on one path
int f /* WARNING E1170 "'f' does not return a value on every path" */(int a) { if (a > 0) return 1; }
//--- several mistakes in one run
struct S { int a; };
int f(S s) { return s.b /* ERROR E1182 "no member named 'b' in 'S'" */; }
int g(int a) { return a + c /* ERROR E1100 "use of undeclared identifier 'c'" */; }
kernel void k(device float *p [[buffer(0)]]) { p[0] = f /* ERROR E1108 "too few arguments to 'f': 0 given, 1 expected" */(); p /* ERROR E1193 "member reference type is a pointer; did you mean to use '->'?" */.x = 1; undeclared /* ERROR E1100 "use of undeclared identifier 'undeclared'" */(p); }
//--- a mistake in a type does not spread
Missing /* ERROR E1101 "unknown type name 'Missing'" */ make();
void f() { Missing /* ERROR E1101 "unknown type name 'Missing'" */ a = make(); a.x = 1; auto b = a; b.y = a.x; }
//--- a mistake in a member does not spread
struct S { Missing /* ERROR E1101 "unknown type name 'Missing'" */ a; int b; };
int f(S s) { return s.b + s.a; }
//--- a mistake in an initializer does not spread
int f() { int a = missing /* ERROR E1100 "use of undeclared identifier 'missing'" */; a += 1; return a * 2; }
//--- a mistake in a parameter does not spread
int f(Missing /* ERROR E1101 "unknown type name 'Missing'" */ a, int b) { return b; }
int g() { return f(1, 2); }
//--- a mistake in a template is told once
template <typename T> int f(T a) { return a.x /* ERROR E1182 "no member named 'x' in 'int'" */; }
int g() { return f(1) + f(2.0f) + f(3); }
//--- a condition without its middle
int f(int a) { return a /* ERROR E1179 "'?:' without a middle operand is not supported in Metal" */ ?: 1; }
//--- a method without a call
struct S { int a; int get() const { return a; } };
void f(S s) { auto p = & /* ERROR E1184 "pointers to members are not supported in Metal" */s.get; }
//--- a method of a texture that is not supported
#include <metal_stdlib>
using namespace metal;
kernel void k(texture2d<float> t [[texture(0)]], sampler s [[sampler(0)]], device float4 *p [[buffer(0)]]) { p[0] = t /* ERROR U0102 "not supported: function 'sparse_sample'" */.sparse_sample(s, float2(0)).value(); }
//--- a braced list as an index
void f(device int *p) { p[{ /* ERROR E1140 "unexpected initializer list: expected expression" */1}] = 2; }
//--- a name before a name
void f() { foo /* ERROR E1101 "unknown type name 'foo'" */ bar; baz /* ERROR E1100 "use of undeclared identifier 'baz'; did you mean 'bar'?" */ = 1; }
//--- kernel in a struct
struct S { kernel void k /* ERROR E1118 "the kernel function 'k' cannot be a member" */(device int *p [[buffer(0)]]) {} };
