//--- a class without a default constructor
struct S { int a; S(int b) : a(b) {} };
void f() { S /* ERROR E1175 "'S' has no constructor without arguments" */ s; }
//--- a member without a default constructor
struct A { int a; A(int b) : a(b) {} };
struct B { A a; B /* ERROR E1175 "'A' has no constructor without arguments" */() {} };
void f() { B b; }
//--- a constructor with the wrong arguments, with the reason of each
struct S { int a; S(int b) : a(b) {} S(float b, float c) : a(int(b + c)) {} };
void f() { S /* ERROR E1175 "no constructor of 'S' for arguments of the types (int, int, int)" */ s(1, 2, 3); }
//--- a deleted function
int f(int a) = delete;
int g() { return f /* ERROR E1263 "function 'f' is deleted for arguments of the types (int)" */(1); }
//--- a deleted constructor
struct S { int a; S(int b) = delete; };
void f() { S /* ERROR E1175 "no constructor of 'S' for arguments of the types (int)" */ s(1); }
//--- an initialiser of no member
struct S { int a; S() : b /* ERROR E1182 "no member or base 'b' in 'S'" */(1) {} };
void f() { S s; }
//--- an initialiser twice
struct S { int a; S() : a(1), a /* ERROR E1207 "member 'a' is initialised twice" */(2) {} };
void f() { S s; }
//--- an initialiser that does not fit
struct S { int a; S() : a /* ERROR E1130 "'int' is initialised by one value, 2 given" */(1, 2) {} };
void f() { S s; }
//--- a reference member that is not initialised
struct S { device int &a; S /* ERROR E1130 "constructor does not initialise the reference 'a' of type 'device int &'" */() {} };
void f() { S s; }
//--- a const member that is not initialised
struct S { const int a; S /* ERROR E1130 "constructor does not initialise the constant 'a' of type 'const int'" */() {} };
void f() { S s; }
//--- a const member that changes
struct S { const int a = 1; };
void f() { S s; s.a = /* ERROR E1114 "object of type 'const int' cannot be assigned to" */ 2; }
//--- a member of a const object that changes
struct S { int a; };
void f(const device S *s) { s->a = /* ERROR E1114 "object of type 'const int' cannot be assigned to" */ 2; }
//--- a member that changes in a const method
struct S { int a; void set(int b) const { a = /* ERROR E1114 "object of type 'const int' cannot be assigned to" */ b; } };
//--- a method that is not const on a const object
struct S { int a; int get() { return a; } };
int f(const thread S &s) { return s /* ERROR E1181 "no matching function 'get' for arguments of the types () on an object of type 'const thread S'" */.get(); }
//--- a method of another address space
struct S { int a; int get() const { return a; } };
int f(const device S &s) { return s /* ERROR E1181 "no matching function 'get' for arguments of the types () on an object of type 'const device S'" */.get(); }
//--- a method of an address space that the object lacks
struct S { int a; int get() const device { return a; } };
int f() { S s = {1}; return s /* ERROR E1181 "no matching function 'get' for arguments of the types () on an object of type 'thread S'" */.get(); }
//--- a method without an object
struct S { int a; int get() const { return a; } };
int f() { return S /* ERROR E1169 "method 'get' is called without an object" */::get(); }
//--- a member without an object
struct S { int a; };
int f() { return S /* ERROR E1153 "member 'a' needs an object" */::a; }
//--- a member of a static method
struct S { int a; static int f() { return a /* ERROR E1153 "member 'a' needs an object" */; } };
//--- a member in two bases
struct A { int x; };
struct B { int x; };
struct C : A, B { int f() const { return x /* ERROR E1106 "member 'x' is in two bases of 'C'" */; } };
//--- a base that is not complete
struct A;
struct B : A /* ERROR E1158 "'A' is not complete here" */ { int a; };
//--- a base that is no class
typedef int T;
struct B : T /* ERROR E1124 "base 'int' is not a struct" */ { int a; };
//--- a base that is a union
union U { int a; float b; };
struct B : U /* ERROR E1124 "base 'U' is not a struct" */ { int c; };
//--- a base twice
struct A { int a; };
struct B : A, A /* ERROR E1124 "'A' is a base twice" */ { int b; };
//--- a class that holds itself
struct S { int a; S /* ERROR E1158 "'S' is not complete here" */ next; };
//--- a class that holds an array of itself
struct S { S /* ERROR E1158 "'S' is not complete here" */ next[2]; };
//--- two classes that hold each other
struct B;
struct A { B /* ERROR E1158 "'B' is not complete here" */ b; };
struct B { A a; };
//--- a variable of a class that is not complete
struct S;
void f() { S s /* ERROR E1158 "'S' is not complete here" */; }
//--- a member of a class that is not complete
struct S;
int f(device S *s) { return s /* ERROR E1158 "'S' is not complete here" */->a; }
//--- arithmetic on a pointer to what is not complete
struct S;
device S *f(device S *s) { return s + /* ERROR E1158 "'S' is not complete here" */ 1; }
//--- a result that is not complete
struct S;
S /* ERROR E1158 "'S' is not complete here" */ f /* WARNING E1170 "'f' does not return a value on every path" */() {}
//--- a parameter that is not complete
struct S;
void f(S /* ERROR E1158 "'S' is not complete here" */ s) {}
//--- a member of a virtual kind
struct S { virtual /* ERROR E0310 "virtual functions and bases are not allowed in the Metal Shading Language" */ int f(); };
//--- an operator with too many parameters
struct V { float x; V operator /* ERROR E1262 "'operator+' has 3 operands, which is not what the operator takes" */+(V a, V b) const { return a; } };
//--- an operator of built-in types
int operator /* ERROR E1262 "'operator+' needs an operand of a class or enum: what it does to built-in types is settled" */+(int a, int b) { return a - b; }
//--- an operator without an operand
struct V { float x; };
V operator /* ERROR E1262 "'operator!' has 0 operands, which is not what the operator takes" */!() { V v; return v; }
//--- an operator that must be a member
struct V { float x; };
float operator /* ERROR E1262 "'operator[]' must be a member of a class" */[](V v, int i) { return v.x; }
//--- an operator that a class lacks
struct V { float x; };
V f(V a, V b) { return a + /* ERROR E1132 "invalid operands of '+': 'V' and 'V'" */ b; }
//--- a comparison that a class lacks
struct V { float x; };
bool f(V a, V b) { return a == /* ERROR E1132 "invalid operands of '==': 'V' and 'V'" */ b; }
//--- a negation that a class lacks
struct V { float x; };
V f(V a) { return - /* ERROR E1132 "invalid operand of '-': 'V'" */a; }
//--- an index of a class
struct V { float x; };
float f(V a) { return a /* ERROR E1129 "'[]' does not apply to 'V'" */[0]; }
//--- a call of a class
struct V { float x; };
float f(V a) { return a /* ERROR E1198 "object of type 'V' cannot be called" */(0); }
//--- an arrow on a class
struct V { float x; };
float f(V a) { return a /* ERROR E1191 "'->' needs a pointer, not 'V'" */->x; }
//--- a dot on a pointer
struct V { float x; };
float f(device V *a) { return a /* ERROR E1193 "'.' on a pointer; use '->'" */.x; }
//--- a class as a condition
struct V { float x; };
void f(V a) { if (a /* ERROR E1176 "no conversion from 'V' to 'bool' for condition" */) {} }
//--- a class as a number
struct V { float x; };
float f(V a) { return a /* ERROR E1176 "no conversion from 'V' to 'float' for return value" */; }
//--- a number as a class
struct V { float x; V(float a) : x(a) {} };
struct W { float x; };
W f(float a) { return a /* ERROR E1176 "no conversion from 'float' to 'W' for return value" */; }
//--- a class cast to another
struct V { float x; };
struct W { float x; };
W f(V a) { return ( /* ERROR E1175 "no constructor of 'W' for arguments of the types (V)" */W)a; }
//--- an explicit constructor used in passing
struct V { float x; explicit V(float a) : x(a) {} };
V f() { return 1.0f /* ERROR E1176 "no conversion from 'float' to 'V' for return value" */; }
//--- a union with a constructor within
struct A { int a; A(int b) : a(b) {} };
union U { A a; int b; };
void f() { U /* ERROR E1175 "'U' needs a constructor, since its member 'a' has one" */ u; }
//--- two initialisers for a union
union U { int a; float b; };
void f() { U u = {1, 2.0f /* ERROR E1224 "too many initialisers for 'U': 2 given, 2 members" */}; }
//--- too many initialisers for a class
struct S { int a; };
void f() { S s = { /* ERROR E1130 "variable 's' of type 'S' cannot be initialised by this list" */1, 2}; }
//--- a designator of no member
struct S { int a; };
void f() { S s = {.b = 1 /* ERROR E1182 "no member 'b' in 'S'" */}; }
//--- a designator twice
struct S { int a; };
void f() { S s = { /* ERROR E1130 "variable 's' of type 'S' cannot be initialised by this list" */.a = 1, .a = 2}; }
//--- a class without a name
struct /* ERROR E0319 "a class without a name declares nothing here" */ { int a; };
//--- a friend of nothing
struct S { friend /* ERROR E0319 "declaration does not declare anything" */; };
//--- a constructor of another name
struct S { T /* ERROR E0305 "'T' begins no declaration" */(int a); };
//--- a method defined outside that is not declared
struct S { int a; };
int S /* ERROR E1183 "no member 'get' with these parameters is declared in 'S'" */::get() const { return a; }
//--- a method defined outside with other parameters
struct S { int get(int a) const; };
int S /* ERROR E1183 "no member 'get' with these parameters is declared in 'S'" */::get() const { return 1; }
//--- a method of no class
int S /* ERROR E1101 "unknown type name 'S'" */::get() const { return 1; }
//--- a static member that is assigned
struct S { static constexpr constant int a = 1; };
void f() { S::a = /* ERROR E1114 "object in the address space 'constant' cannot be assigned to" */ 2; }
//--- a member with an address space
struct S { threadgroup /* ERROR E1152 "member 'a' cannot have the address space 'threadgroup'" */ int a; };
//--- a member of unknown length
struct /* ERROR E1128 "member 'a' is an array of unknown length" */ S { int a[]; };
//--- a member auto
struct S { auto /* ERROR E1128 "the type of member 'a' cannot be deduced" */ a = 1; };
//--- a member of type void
struct S { void /* ERROR E1231 "there are no objects of type 'void'" */ a; };
//--- an enum of a float
enum E : float /* ERROR E1127 "underlying type of an enum must be an integer, not 'float'" */ { A };
//--- a number as an enum
enum E { A };
E f() { return 1 /* ERROR E1176 "no conversion from 'int' to 'E' for return value" */; }
//--- an enum of another kind
enum E { A };
enum F { B };
E f() { return B /* ERROR E1176 "no conversion from 'F' to 'E' for return value" */; }
//--- a scoped enum in arithmetic
enum class E { A };
int f() { return E::A + /* ERROR E1132 "invalid operands of '+': 'E' and 'int'" */ 1; }
//--- a scoped enum as an index
enum class E { A };
int f(device int *p) { return p[E /* ERROR E1129 "index must be an integer, not 'E'" */::A]; }
//--- a comparison of two scoped enums
enum class E { A };
enum class F { A };
bool f() { return E::A == /* ERROR E1132 "invalid operands of '==': 'E' and 'F'" */ F::A; }
//--- a lambda that captures a global
constant int a = 1;
void f() { auto g = [a /* ERROR E1165 "'a' is not a local variable and cannot be captured" */]() { return a; }; }
//--- a lambda that captures nothing that it names
int f(int a) { auto g = []() { return a /* ERROR E1199 "'a' is not captured by the lambda" */; }; return g(); }
//--- a lambda that changes a copy
int f(int a) { auto g = [a]() { a = /* ERROR E1114 "object of type 'const int' cannot be assigned to" */ 2; return a; }; return g(); }
//--- a lambda with other arguments
int f() { auto g = [](int a) { return a; }; return g /* ERROR E1108 "too many arguments for 'operator()': 2 given, 1 taken" */(1, 2); }
//--- a lambda with two results
int f(int a) { auto g = [ /* WARNING E1170 "'operator()' does not return a value on every path" */=]() { if (a > 0) return 1; return /* ERROR E1209 "returns deduce the different types 'int' and 'float'" */ 2.0f; }; return int(g()); }
//--- a lambda at program scope that captures
auto /* ERROR E1157 "'g' at program scope must be in the address space 'constant'" */ g = [ /* ERROR E1165 "a lambda outside a function captures nothing" */&]() { return 1; };
//--- two constructors that fit
struct S { int a; S(int b, float c) : a(b) {} S(float b, int c) : a(c) {} };
void f() { S /* ERROR E1104 "constructor of 'S' is ambiguous for arguments of the types (int, int)" */ s(1, 2); }
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
kernel void k(device int *o) { Token a; Token b = a/* ERROR "the copy constructor of 'Token' is deleted" */; o[0] = take(a/* ERROR "the copy constructor of 'Token' is deleted" */); }
//--- destructor
#include <metal_stdlib>
using namespace metal;
struct Plain { int v; ~Plain() {} };
struct Guard { device int *p; ~/* ERROR U0104 "not supported: a destructor that does something" */Guard() { *p = 1; } };
kernel void k(device int *o) { Plain x; x.v = 1; Guard g; g.p = o; }
