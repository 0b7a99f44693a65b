//--- an undeclared name, with the one that was meant
int f(int width, int height) { return widht /* ERROR E1100 "use of undeclared identifier 'widht'; did you mean 'width'?" */ * height; }
//--- an undeclared function, with the one that was meant
int clampIndex(int i) { return i; }
int f(int i) { return clampindex /* ERROR E1100 "use of undeclared identifier 'clampindex'; did you mean 'clampIndex'?" */(i); }
//--- an undeclared name without a likely one
int f() { return zzyzx /* ERROR E1100 "use of undeclared identifier 'zzyzx'" */; }
//--- an undeclared name, three times
int f() { int a = count /* ERROR E1100 "use of undeclared identifier 'count'" */; a += count /* ERROR E1100 "use of undeclared identifier 'count'" */; return a * count /* ERROR E1100 "use of undeclared identifier 'count'" */; }
//--- an undeclared type
Particle /* ERROR E1101 "unknown type name 'Particle'" */ f();
//--- an undeclared type, with the one that was meant
struct Particle { float3 position; };
kernel void k(device Partcle /* ERROR E1101 "unknown type name 'Partcle'; did you mean 'Particle'?" */ *p [[buffer(0)]]) {}
//--- an undeclared type in a body
void f() { Vec3 /* ERROR E1101 "unknown type name 'Vec3'" */ v; v.x = 1; }
//--- an undeclared namespace
using namespace maths /* ERROR E1102 "no namespace named 'maths'" */;
//--- an undeclared namespace before a name
int f() { return maths /* ERROR E1100 "use of undeclared identifier 'maths'" */::g(1); }
//--- an alias of an undeclared namespace
namespace m = maths /* ERROR E1102 "no namespace named 'maths'" */;
//--- a member that a namespace does not have
namespace n { int twice(int a) { return a + a; } }
int f() { return n::trice /* ERROR E1183 "no name named 'trice' in 'n'; did you mean 'twice'?" */(1); }
//--- a type that a namespace does not have
namespace n { struct A { int a; }; }
n::B /* ERROR E1183 "no type named 'B' in 'n'" */ f();
//--- using of a name that is not there
namespace n { int a(); }
using n::b /* ERROR E1183 "no name named 'b' in 'n'" */;
//--- a name of a namespace without it
namespace n { int twice(int a) { return a + a; } }
int f() { return twice /* ERROR E1100 "use of undeclared identifier 'twice'" */(1); }
//--- a name of another block
int f(int n) { if (n > 0) { int a = n; } return a /* ERROR E1100 "use of undeclared identifier 'a'" */; }
//--- a name of a loop behind it
int f(int n) { for (int i = 0; i < n; i++) {} return i /* ERROR E1100 "use of undeclared identifier 'i'" */; }
//--- a name before its declaration
int f() { return later /* ERROR E1100 "'later' is used before it is declared" */; }
constant int later = 1;
//--- a function before its declaration
int f() { return later /* ERROR E1100 "'later' is used before it is declared" */(1); }
int later(int a) { return a; }
//--- an ambiguous name of two namespaces
namespace a { constant int size = 1; }
namespace b { constant int size = 2; }
using namespace a;
using namespace b;
int f() { return size /* ERROR E1260 "reference to 'size' is ambiguous: several of the namespaces in use declare it" */; }
//--- an ambiguous type of two namespaces
namespace a { struct S { int a; }; }
namespace b { struct S { int b; }; }
using namespace a;
using namespace b;
S /* ERROR E1260 "reference to 'S' is ambiguous: several of the namespaces in use declare it" */ f();
//--- a variable twice in a block
void f() { int a = 1; float a /* ERROR E1207 "'a' is declared twice in this scope" */ = 2; }
//--- a parameter twice
void f(int a, float a /* ERROR E1207 "redefinition of parameter 'a'" */) {}
//--- a local named like a parameter
void f(int a) { int a /* ERROR E1207 "'a' is declared twice in this scope" */ = 1; }
//--- a loop variable named twice
void f() { for (int i = 0, i /* ERROR E1207 "'i' is declared twice in this scope" */ = 1; i < 2; i++) {} }
//--- a global twice
constant int a = 1;
constant int a /* ERROR E1207 "redefinition of 'a'" */ = 2;
//--- a global with two types
constant int a = 1;
constant float a /* ERROR E1207 "redefinition of 'a'" */ = 2;
//--- a function and a variable of one name
constant int a = 1;
void a /* ERROR E1207 "redefinition of 'a' as different kind of symbol" */() {}
//--- a variable and a function of one name
void a() {}
constant int a /* ERROR E1207 "redefinition of 'a' as different kind of symbol" */ = 1;
//--- a function defined twice
void f(int a) {}
void f /* ERROR E1207 "redefinition of 'f'" */(int b) {}
//--- a function with another result
int f(int a);
float f /* ERROR E1133 "functions that differ only in their return type cannot be overloaded" */(int a);
//--- functions that differ in const of a parameter only
void f(int a) {}
void f /* ERROR E1207 "redefinition of 'f'" */(const int a) {}
//--- a default argument given twice
void f(int a = 1);
void f(int /* ERROR E1207 "redefinition of default argument of parameter 1" */ a = 1) {}
//--- a default argument before one without
void f(int a = 1, int /* ERROR E1261 "missing default argument on parameter 2" */ b) {}
//--- a struct twice
struct S { int a; };
struct S /* ERROR E1207 "redefinition of 'S'" */ { int b; };
//--- an enum twice
enum E { A };
enum E /* ERROR E1207 "redefinition of 'E'" */ { B };
//--- an enumerator twice
enum E { A, A /* ERROR E1207 "enumerator 'A' is declared twice" */ };
//--- an enumerator named like a global
constant int A = 1;
enum E { A /* ERROR E1207 "enumerator 'A' is declared twice" */ };
//--- an alias for two types
using T = int;
using T /* ERROR E1207 "'T' is declared as 'float' here, but as 'int' before" */ = float;
//--- a typedef for two types
typedef int T;
typedef float T /* ERROR E1207 "'T' is declared as 'float' here, but as 'int' before" */;
//--- a typedef named like a struct
struct S { int a; };
typedef int S /* ERROR E1207 "'S' is declared as 'int' here, but as 'S' before" */;
//--- a namespace named like a struct
struct S { int a; };
namespace S /* ERROR E1207 "redefinition of 'S' as different kind of symbol" */ { int b(); }
//--- a struct named like a namespace
namespace S { int b(); }
struct S /* ERROR E1207 "redefinition of 'S' as different kind of symbol" */ { int a; };
//--- a template named like a function
void f(int a) {}
template <typename T> struct f /* ERROR E1207 "redefinition of 'f' as different kind of symbol" */ {};
//--- a class template twice
template <typename T> struct S { T a; };
template <typename T> struct S /* ERROR E1207 "redefinition of class template 'S'" */ { T b; };
//--- a function template twice
template <typename T> T f(T a) { return a; }
template <typename T> T f /* ERROR E1207 "redefinition of function template 'f'" */(T a) { return a; }
//--- a class template with other parameters
template <typename T> struct S;
template <typename T, typename U> struct S /* ERROR E1207 "class template 'S' redeclared with 2 parameters instead of 1" */ { T a; };
//--- a struct declared as a template
struct S { int a; };
template <typename T> struct S /* ERROR E1207 "redefinition of 'S' as different kind of symbol" */ {};
//--- a member twice
struct S { int a; float /* ERROR E1207 "member 'a' is declared twice" */ a; };
//--- a member and a method of one name
struct S { int a; int /* ERROR E1207 "member 'a' is declared twice" */ a() { return 1; } };
//--- a method twice
struct S { int f() { return 1; } int f /* ERROR E1207 "member 'f' is declared twice" */() { return 2; } };
//--- a template parameter twice
template <typename T, typename /* ERROR E1207 "template redefinition of parameter 'T'" */ T> struct S {};
//--- a template parameter declared again
template <typename T> T f(T a) { int T /* ERROR E1207 "'T' is a template parameter" */ = 1; return a; }
int g() { return f(1); }
//--- a type used as a value
struct S { int a; };
int f() { return S /* ERROR E1226 "unexpected type name 'S': expected expression" */; }
//--- a value used as a type
constant int size = 4;
size /* ERROR E1195 "'size' does not name a type" */ f();
//--- a function used as a type
int g();
void f() { g /* ERROR E1195 "'g' does not name a type" */ a; }
//--- a variable hides a type
struct S { int a; };
void f() { int S = 1; S /* ERROR E1195 "'S' does not name a type" */ b; }
//--- a namespace used as a type
namespace n { int a(); }
void f() { n /* ERROR E1195 "'n' does not name a type" */ a; }
//--- a scope of what has no members
int f(int a) { return a /* ERROR E1192 "'a' is not a class, namespace, or enumeration" */::b; }
//--- a scope of a function
int g();
int f() { return g /* ERROR E1192 "'g' is not a class, namespace, or enumeration" */::b; }
//--- a member of a number
int f(int a) { return a.x /* ERROR E1182 "no member named 'x' in 'int'" */; }
//--- a member that a struct does not have
struct S { int width; };
int f(S s) { return s.widht /* ERROR E1182 "no member named 'widht' in 'S'; did you mean 'width'?" */; }
//--- a member that a vector does not have
#include <metal_stdlib>
using namespace metal;
float f(float4 v) { return v.length /* ERROR E1182 "no member named 'length' in 'float4'" */; }
//--- a static member that a class does not have
struct S { static constexpr constant int a = 1; };
int f() { return S::b /* ERROR E1183 "no name named 'b' in 'S'" */; }
//--- an enumerator that a scoped enum does not have
enum class E { a };
E f() { return E::b /* ERROR E1183 "no name named 'b' in 'E'" */; }
//--- an enumerator of a scoped enum without the scope
enum class E { a };
E f() { return a /* ERROR E1100 "use of undeclared identifier 'a'" */; }
//--- a label of an enumerator converted
enum class E { a };
int f() { return E /* ERROR E1176 "no viable conversion from 'E' to 'int' for return value" */::a; }
//--- an argument of a function without arguments
int g() { return 1; }
int f() { return g /* ERROR E1108 "too many arguments to 'g': 1 given, 0 expected" */(1); }
//--- a template without arguments
template <typename T> struct S { T a; };
S /* ERROR E1171 "use of template 'S' requires template arguments" */ f();
//--- arguments for what is no template
struct S { int a; };
S /* ERROR E1194 "'S' is not a template" */<int> f();
//--- arguments for a function that is no template
int g(int a) { return a; }
int f() { return g /* ERROR E1194 "'g' is not a template" */<int>(1); }
//--- arguments for a variable
int f(int a) { return a<int> /* ERROR E0301 "expected '(' or '{' after the type, found '>'" */(1); }
//--- two kernels of one name
kernel void k(device int *p [[buffer(0)]]) {}
kernel /* ERROR E1149 "redefinition of entry point 'k'" */ void k(device float *p [[buffer(0)]]) {}
//--- a kernel called
kernel void k(device int *p [[buffer(0)]]) {}
kernel void j(device int *p [[buffer(0)]]) { k /* ERROR E1141 "'k' is a kernel function and cannot be called" */(p); }
//--- a call of a number
int f(int a) { return a /* ERROR E1198 "called object type 'int' is not a function or function pointer" */(1); }
//--- this in a function
struct S { int a; };
int f() { return this /* ERROR E1188 "invalid use of 'this' outside of a non-static member function" */->a; }
//--- this in a static method
struct S { int a; static int f() { return this /* ERROR E1188 "invalid use of 'this' outside of a non-static member function" */->a; } };
//--- break without a loop
void f() { break /* ERROR E1214 "'break' statement not in loop or switch statement" */; }
//--- continue in a switch
void f(int a) { switch (a) { case 1: continue /* ERROR E1216 "'continue' statement not in loop statement" */; } }
//--- case without a switch
void f() { case /* ERROR E1215 "'case' or 'default' statement not directly in switch statement" */ 1: return; }
//--- default without a switch
void f() { default /* ERROR E1215 "'case' or 'default' statement not directly in switch statement" */: return; }
//--- default twice
void f(int a) { switch (a) { default: break; default /* ERROR E1148 "multiple default labels in one switch" */: break; } }
//--- a case twice
void f(int a) { switch (a) { case 1: break; case /* ERROR E1148 "duplicate case value '1'" */ 2 - 1: break; } }
//--- a case that is no constant
void f(int a, int b) { switch (a) { case b /* ERROR E1200 "case label is not a constant expression: read of non-constexpr variable 'b' is not allowed" */: break; } }
//--- a case of another type
void f(int a) { switch (a) { case 1.5f /* ERROR E1217 "case label must be an integer, not 'float'" */: break; } }
//--- a result of a void function
void f() { return /* ERROR E1209 "void function 'f' should not return a value" */ 1; }
//--- no result of a function
int f() { return /* ERROR E1209 "non-void function 'f' should return a value of type 'int'" */; }
//--- a void variable
void f() { void a /* ERROR E1231 "object has incomplete type 'void'" */; }
//--- a void parameter
void f(void /* ERROR E1231 "parameter 'a' may not have 'void' type" */ a) {}
//--- a value that is not used
void f(int a) { a ==/* WARNING E1338 "the result of '==' is not used" */ 1; a +/* WARNING E1229 "the result of '+' is not used" */ 1; }
//--- two_types_of_auto
#include <metal_stdlib>
using namespace metal;
kernel void k(device float* p) {
  auto a = 1, b = 2;
  auto c = 1, d/* ERROR E1123 "'auto' deduced as 'int' in declaration of 'c' and deduced as 'float' in declaration of 'd'" */ = 2.0f;
  p[0] = a + b;
}
