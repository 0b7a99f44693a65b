//--- many
#include <metal_stdlib>
using namespace metal;
int f(int a) { return a; }
kernel void k(device int* p) { p[0] = f/* ERROR "too many arguments" */(1, 2); }
//--- few
#include <metal_stdlib>
using namespace metal;
int f(int a, int b) { return a; }
kernel void k(device int* p) { p[0] = f/* ERROR "too few arguments" */(1); }
//--- none
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
void f(int a) {}
void f(float a) {}
kernel void k(device int* p) { S s; f/* ERROR "no matching function for call to 'f' with arguments of types (S)" */(s); }
//--- ambiguous
#include <metal_stdlib>
using namespace metal;
void f(int a, float b) {}
void f(float a, int b) {}
kernel void k(device int* p) { f/* ERROR "is ambiguous" */(1, 1); }
//--- not_callable
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int a = 1; a/* ERROR "called object type 'int' is not a function or function pointer" */(1); }
//--- kernel
#include <metal_stdlib>
using namespace metal;
kernel void a(device int* p) {}
kernel void k(device int* p) { a/* ERROR "cannot be called" */(p); }
//--- return_value
#include <metal_stdlib>
using namespace metal;
void f() { return/* ERROR "void function 'f' should not return a value" */ 1; }
//--- return_nothing
#include <metal_stdlib>
using namespace metal;
int f() { return/* ERROR "non-void function 'f' should return a value of type 'int'" */; }
//--- value_or_reference
struct S { int x; };
int h(S);
int h(const thread S&);
int g(int);
int g(const thread int&);
template <typename T> int t(T);
template <typename T> int t(const thread T&);
void f() {
  S s;
  const S fixed = {1};
  int i = 1;
  h/* ERROR E1104 "call to 'h' is ambiguous for arguments of types (S)" */(s);
  h/* ERROR E1104 "call to 'h' is ambiguous for arguments of types (const S)" */(fixed);
  h/* ERROR E1104 "call to 'h' is ambiguous for arguments of types (S)" */(S());
  g/* ERROR E1104 "call to 'g' is ambiguous for arguments of types (int)" */(i);
  g/* ERROR E1104 "call to 'g' is ambiguous for arguments of types (int)" */(1);
  t/* ERROR E1104 "call to 't' is ambiguous for arguments of types (S)" */(s);
}
//--- value_or_reference_in_classes
struct S { int x; };
struct M {
  M(S);
  M(const thread S&);
  int m(S);
  int m(const thread S&);
};
int takes(M);
void f(thread M& m) {
  S s;
  m/* ERROR E1104 "call to 'm' is ambiguous for arguments of types (S)" */.m(s);
  M /* ERROR E1104 "call to constructor of 'M' is ambiguous for arguments of types (S)" */a(s);
  M b = s/* ERROR E1104 "call to constructor of 'M' is ambiguous for arguments of types (S)" */;
  takes(s/* ERROR E1104 "call to constructor of 'M' is ambiguous for arguments of types (S)" */);
}
//--- value_or_reference_operators
struct M { int v; };
int operator+(M, M);
int operator+(const thread M&, const thread M&);
struct N { int v; int operator-(N) const; };
int operator-(const thread N&, N);
void f(M a, N b) {
  a +/* ERROR E1104 "use of overloaded operator '+' is ambiguous (with operand types M, M)" */ a;
  const N c = b;
  c -/* ERROR E1104 "use of overloaded operator '-' is ambiguous (with operand types const N, N)" */ b;
}
//--- bases_beside_each_other
struct A { int a; };
struct B { int b; };
struct D : A, B { };
int h(thread A&);
int h(const thread B&);
template <typename T, int N> int a(const thread T (&)[N]);
template <typename T> int a(thread T*);
void f() {
  D d;
  h/* ERROR E1104 "call to 'h' is ambiguous for arguments of types (D)" */(d);
  int list[2] = {1, 2};
  a/* ERROR E1104 "call to 'a' is ambiguous for arguments of types (int[2])" */(list);
}
//--- deleted_operator
struct M { int v; int operator-(M) = delete; };
int operator+(M, M) = delete;
void f(M a) {
  a +/* ERROR E1263 "call to deleted function 'operator+' with arguments of types (M, M)" */ a;
  a -/* ERROR E1263 "call to deleted function 'operator-' with arguments of types (M, M)" */ a;
}
