//--- a class without a default constructor
struct S { int a; S(int b) : a(b) {} };
void f() { S /* ERROR E1175 "'S' has no default constructor" */ s; }
//--- a member without a default constructor
struct A { int a; A(int b) : a(b) {} };
struct B { A a; B /* ERROR E1175 "'A' has no default constructor" */() {} };
void f() { B b; }
//--- a constructor with the wrong arguments, with the reason of each
struct S { int a; S(int b) : a(b) {} S(float b, float c) : a(int(b + c)) {} };
void f() { S /* ERROR E1175 "no matching constructor for initialization of 'S' with arguments of types (int, int, int)" */ s(1, 2, 3); }
//--- a deleted function
int f(int a) = delete;
int g() { return f /* ERROR E1263 "call to deleted function 'f' with arguments of types (int)" */(1); }
//--- a deleted constructor
struct S { int a; S(int b) = delete; };
void f() { S /* ERROR E1175 "no matching constructor for initialization of 'S' with arguments of types (int)" */ s(1); }
//--- an initializer of no member
struct S { int a; S() : b /* ERROR E1182 "member initializer 'b' does not name a non-static data member or base class of 'S'" */(1) {} };
void f() { S s; }
//--- an initializer twice
struct S { int a; S() : a(1), a /* ERROR E1207 "multiple initializations given for non-static member 'a'" */(2) {} };
void f() { S s; }
//--- an initializer that does not fit
struct S { int a; S() : a /* ERROR E1130 "excess elements in initializer of 'int': 2 given, 1 expected" */(1, 2) {} };
void f() { S s; }
//--- a reference member that is not initialized
struct S { device int &a; S /* ERROR E1130 "constructor must explicitly initialize the reference member 'a' of type 'device int &'" */() {} };
void f() { S s; }
//--- a const member that is not initialized
struct S { const int a; S /* ERROR E1130 "constructor must explicitly initialize the const member 'a' of type 'const int'" */() {} };
void f() { S s; }
//--- a const member that changes
struct S { const int a = 1; };
void f() { S s; s.a = /* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 2; }
//--- a member of a const object that changes
struct S { int a; };
void f(const device S *s) { s->a = /* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 2; }
//--- a member that changes in a const method
struct S { int a; void set(int b) const { a = /* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ b; } };
//--- a method that is not const on a const object
struct S { int a; int get() { return a; } };
int f(const thread S &s) { return s /* ERROR E1181 "no matching function for call to 'get' with arguments of types () on an object of type 'const thread S'" */.get(); }
//--- a method of another address space
struct S { int a; int get() const { return a; } };
int f(const device S &s) { return s /* ERROR E1181 "no matching function for call to 'get' with arguments of types () on an object of type 'const device S'" */.get(); }
//--- a method of an address space that the object lacks
struct S { int a; int get() const device { return a; } };
int f() { S s = {1}; return s /* ERROR E1181 "no matching function for call to 'get' with arguments of types () on an object of type 'thread S'" */.get(); }
//--- a method without an object
struct S { int a; int get() const { return a; } };
int f() { return S /* ERROR E1169 "call to non-static member function 'get' without an object argument" */::get(); }
//--- a member without an object
struct S { int a; };
int f() { return S /* ERROR E1153 "invalid use of non-static data member 'a'" */::a; }
//--- a member of a static method
struct S { int a; static int f() { return a /* ERROR E1153 "invalid use of non-static data member 'a'" */; } };
//--- a member in two bases
struct A { int x; };
struct B { int x; };
struct C : A, B { int f() const { return x /* ERROR E1106 "member 'x' found in multiple base classes of 'C'" */; } };
//--- a base that is not complete
struct A;
struct B : A /* ERROR E1158 "incomplete type 'A' where a complete type is required" */ { int a; };
//--- a base that is no class
typedef int T;
struct B : T /* ERROR E1124 "base specifier 'int' does not name a class" */ { int a; };
//--- a base that is a union
union U { int a; float b; };
struct B : U /* ERROR E1124 "base specifier 'U' does not name a class" */ { int c; };
//--- a base twice
struct A { int a; };
struct B : A, A /* ERROR E1124 "base class 'A' specified more than once as a direct base class" */ { int b; };
//--- a class that holds itself
struct S { int a; S /* ERROR E1158 "incomplete type 'S' where a complete type is required" */ next; };
//--- a class that holds an array of itself
struct S { S /* ERROR E1158 "incomplete type 'S' where a complete type is required" */ next[2]; };
//--- two classes that hold each other
struct B;
struct A { B /* ERROR E1158 "incomplete type 'B' where a complete type is required" */ b; };
struct B { A a; };
//--- a variable of a class that is not complete
struct S;
void f() { S s /* ERROR E1158 "incomplete type 'S' where a complete type is required" */; }
//--- a member of a class that is not complete
struct S;
int f(device S *s) { return s /* ERROR E1158 "incomplete type 'S' where a complete type is required" */->a; }
//--- arithmetic on a pointer to what is not complete
struct S;
device S *f(device S *s) { return s + /* ERROR E1158 "incomplete type 'S' where a complete type is required" */ 1; }
//--- a result that is not complete
struct S;
S /* ERROR E1158 "incomplete type 'S' where a complete type is required" */ f /* WARNING E1170 "'f' does not return a value on every path" */() {}
//--- a parameter that is not complete
struct S;
void f(S /* ERROR E1158 "incomplete type 'S' where a complete type is required" */ s) {}
//--- a member of a virtual kind
struct S { virtual /* ERROR E0310 "virtual functions and bases are not supported in Metal" */ int f(); };
//--- an operator with too many parameters
struct V { float x; V operator /* ERROR E1262 "overloaded 'operator+' cannot have 3 operands" */+(V a, V b) const { return a; } };
//--- an operator of built-in types
int operator /* ERROR E1262 "overloaded 'operator+' must have at least one parameter of class or enumeration type" */+(int a, int b) { return a - b; }
//--- an operator without an operand
struct V { float x; };
V operator /* ERROR E1262 "overloaded 'operator!' cannot have 0 operands" */!() { V v; return v; }
//--- an operator that must be a member
struct V { float x; };
float operator /* ERROR E1262 "overloaded 'operator[]' must be a non-static member function" */[](V v, int i) { return v.x; }
//--- an operator that a class lacks
struct V { float x; };
V f(V a, V b) { return a + /* ERROR E1132 "invalid operands to binary '+' ('V' and 'V')" */ b; }
//--- a comparison that a class lacks
struct V { float x; };
bool f(V a, V b) { return a == /* ERROR E1132 "invalid operands to binary '==' ('V' and 'V')" */ b; }
//--- a negation that a class lacks
struct V { float x; };
V f(V a) { return - /* ERROR E1132 "invalid operand to unary '-' ('V')" */a; }
//--- an index of a class
struct V { float x; };
float f(V a) { return a /* ERROR E1129 "subscripted value of type 'V' is not an array, pointer, vector or matrix" */[0]; }
//--- a call of a class
struct V { float x; };
float f(V a) { return a /* ERROR E1198 "type 'V' does not provide a call operator" */(0); }
//--- an arrow on a class
struct V { float x; };
float f(V a) { return a /* ERROR E1191 "member reference type 'V' is not a pointer" */->x; }
//--- a dot on a pointer
struct V { float x; };
float f(device V *a) { return a /* ERROR E1193 "member reference type is a pointer; did you mean to use '->'?" */.x; }
//--- a class as a condition
struct V { float x; };
void f(V a) { if (a /* ERROR E1176 "no viable conversion from 'V' to 'bool' for condition" */) {} }
//--- a class as a number
struct V { float x; };
float f(V a) { return a /* ERROR E1176 "no viable conversion from 'V' to 'float' for return value" */; }
//--- a number as a class
struct V { float x; V(float a) : x(a) {} };
struct W { float x; };
W f(float a) { return a /* ERROR E1176 "no viable conversion from 'float' to 'W' for return value" */; }
//--- a class cast to another
struct V { float x; };
struct W { float x; };
W f(V a) { return ( /* ERROR E1175 "no matching constructor for initialization of 'W' with arguments of types (V)" */W)a; }
//--- an explicit constructor used in passing
struct V { float x; explicit V(float a) : x(a) {} };
V f() { return 1.0f /* ERROR E1176 "no viable conversion from 'float' to 'V' for return value" */; }
//--- a union with a constructor within
struct A { int a; A(int b) : a(b) {} };
union U { A a; int b; };
void f() { U /* ERROR E1175 "'U' needs a constructor because its member 'a' has one" */ u; }
//--- two initializers for a union
union U { int a; float b; };
void f() { U u = {1, 2.0f /* ERROR E1224 "excess elements in initializer of 'U': 2 given, 2 members" */}; }
//--- too many initializers for a class
struct S { int a; };
void f() { S s = { /* ERROR E1130 "variable 's' of type 'S' cannot be initialized with this list" */1, 2}; }
//--- a designator of no member
struct S { int a; };
void f() { S s = {.b = 1 /* ERROR E1182 "no member named 'b' in 'S'" */}; }
//--- a designator twice
struct S { int a; };
void f() { S s = { /* ERROR E1130 "variable 's' of type 'S' cannot be initialized with this list" */.a = 1, .a = 2}; }
//--- a class without a name
struct /* ERROR E0319 "declaration does not declare anything" */ { int a; };
//--- a friend of nothing
struct S { friend /* ERROR E0319 "declaration does not declare anything" */; };
//--- a constructor of another name
struct S { T /* ERROR E0305 "'T' begins no declaration" */(int a); };
//--- a method defined outside that is not declared
struct S { int a; };
int S /* ERROR E1183 "out-of-line definition of 'get' does not match any declaration in 'S'" */::get() const { return a; }
//--- a method defined outside with other parameters
struct S { int get(int a) const; };
int S /* ERROR E1183 "out-of-line definition of 'get' does not match any declaration in 'S'" */::get() const { return 1; }
//--- a method of no class
int S /* ERROR E1101 "unknown type name 'S'" */::get() const { return 1; }
//--- a static member that is assigned
struct S { static constexpr constant int a = 1; };
void f() { S::a = /* ERROR E1114 "cannot assign to an object in address space 'constant'" */ 2; }
//--- a member with an address space
struct S { threadgroup /* ERROR E1152 "member 'a' may not be qualified with address space 'threadgroup'" */ int a; };
//--- a member of unknown length
struct /* ERROR E1128 "member 'a' is an array of unknown bound" */ S { int a[]; };
//--- a member auto
struct S { auto /* ERROR E1128 "'auto' not allowed in the type of member 'a'" */ a = 1; };
//--- a member of type void
struct S { void /* ERROR E1231 "object has incomplete type 'void'" */ a; };
//--- an enum of a float
enum E : float /* ERROR E1127 "non-integral type 'float' is an invalid underlying type" */ { A };
//--- a number as an enum
enum E { A };
E f() { return 1 /* ERROR E1176 "no viable conversion from 'int' to 'E' for return value" */; }
//--- an enum of another kind
enum E { A };
enum F { B };
E f() { return B /* ERROR E1176 "no viable conversion from 'F' to 'E' for return value" */; }
//--- a scoped enum in arithmetic
enum class E { A };
int f() { return E::A + /* ERROR E1132 "invalid operands to binary '+' ('E' and 'int')" */ 1; }
//--- a scoped enum as an index
enum class E { A };
int f(device int *p) { return p[E /* ERROR E1129 "array subscript must be an integer, not 'E'" */::A]; }
//--- a comparison of two scoped enums
enum class E { A };
enum class F { A };
bool f() { return E::A == /* ERROR E1132 "invalid operands to binary '==' ('E' and 'F')" */ F::A; }
//--- a lambda that captures a global
constant int a = 1;
void f() { auto g = [a /* ERROR E1165 "'a' cannot be captured because it is not a local variable" */]() { return a; }; }
//--- a lambda that captures nothing that it names
int f(int a) { auto g = []() { return a /* ERROR E1199 "variable 'a' cannot be implicitly captured in a lambda with no capture-default specified" */; }; return g(); }
//--- a lambda that changes a copy
int f(int a) { auto g = [a]() { a = /* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 2; return a; }; return g(); }
//--- a lambda with other arguments
int f() { auto g = [](int a) { return a; }; return g /* ERROR E1108 "too many arguments to 'operator()': 2 given, 1 expected" */(1, 2); }
//--- a lambda with two results
int f(int a) { auto g = [ /* WARNING E1170 "'operator()' does not return a value on every path" */=]() { if (a > 0) return 1; return /* ERROR E1209 "'auto' in return type deduced as 'int' in an earlier return statement but as 'float' here" */ 2.0f; }; return int(g()); }
//--- a lambda at program scope that captures
auto /* ERROR E1157 "program scope variable 'g' must reside in constant address space" */ g = [ /* ERROR E1165 "non-local lambda expression cannot capture" */&]() { return 1; };
//--- two constructors that fit
struct S { int a; S(int b, float c) : a(b) {} S(float b, int c) : a(c) {} };
void f() { S /* ERROR E1104 "call to constructor of 'S' is ambiguous for arguments of types (int, int)" */ s(1, 2); }
//--- function_as_object
#include <metal_stdlib>
using namespace metal;
struct Big { int a[20]; };
Big make() { return Big(); }
kernel void k(device int *o) { Big b = make/* ERROR "to 'Big' for variable 'b'" */; o[0] = b.a[7]; }
//--- no_copies
#include <metal_stdlib>
using namespace metal;
struct Token { int v = 1; Token() {} Token(const thread Token &) = delete; };
int take(Token t) { return t.v; }
kernel void k(device int *o) { Token a; Token b = a/* ERROR "call to deleted copy constructor of 'Token'" */; o[0] = take(a/* ERROR "call to deleted copy constructor of 'Token'" */); }
//--- destructor
#include <metal_stdlib>
using namespace metal;
struct Plain { int v; ~Plain() {} };
struct Guard { device int *p; ~/* ERROR U0104 "not supported: a non-trivial destructor" */Guard() { *p = 1; } };
kernel void k(device int *o) { Plain x; x.v = 1; Guard g; g.p = o; }

struct NeedsObject {
  int a;
  static NeedsObject /* ERROR E0312 "a constructor cannot be static" */ () : a(1) {}
  static ~ /* ERROR E0312 "a destructor cannot be static" */ NeedsObject() {}
  static operator /* ERROR E0312 "a conversion function cannot be static" */ int() const { return a; }
};
int usesObject() { NeedsObject s; return s; }
