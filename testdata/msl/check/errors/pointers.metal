//--- device_to_thread
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { thread int* q = (/* ERROR E1211 "cast from 'device int *' to 'thread int *' converts between mismatching address spaces" */thread int*)p; }
//--- device_to_threadgroup
#include <metal_stdlib>
using namespace metal;
void f(threadgroup int* t) {}
kernel void k(device int* p) { f(p/* ERROR E1211 "parameter of type 'threadgroup int *' does not accept 'device int *', which points to a different address space" */); }
//--- thread_to_device
#include <metal_stdlib>
using namespace metal;
void f(device int* t) {}
kernel void k(device int* p) { int n = 1; f(&n/* ERROR E1211 "parameter of type 'device int *' does not accept 'thread int *', which points to a different address space" */); }
//--- constant_to_device
#include <metal_stdlib>
using namespace metal;
void f(device const int* t) {}
kernel void k(constant int* p) { f(p/* ERROR E1211 "parameter of type 'const device int *' does not accept 'constant int *', which points to a different address space" */); }
//--- no_space_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int/* ERROR E1272 "pointer type of variable 'q' must have explicit address space qualifier, such as 'thread' or 'device'" */* q = p/* ERROR E1211 "variable 'q' of type 'thread int *' does not accept 'device int *', which points to a different address space" */; }
//--- no_space_param
#include <metal_stdlib>
using namespace metal;
void f(int/* ERROR E1272 "pointer type of parameter 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */* p) {}
kernel void k(device int* p) { f(p/* ERROR E1211 "parameter of type 'thread int *' does not accept 'device int *', which points to a different address space" */); }
//--- no_space_reference
#include <metal_stdlib>
using namespace metal;
void f(int/* ERROR E1272 "reference type of parameter 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */& p) {}
kernel void k(device int* p) { f(p/* ERROR E1211 "parameter of type 'thread int &' cannot bind to an object in address space 'device'" */[0]); }
//--- static_cast_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto q = static_cast/* ERROR E1211 "cast from 'device int *' to 'threadgroup int *' converts between mismatching address spaces" */<threadgroup int*>(p); }
//--- reinterpret_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { auto q = reinterpret_cast/* ERROR E1211 "cast from 'device int *' to 'threadgroup int *' converts between mismatching address spaces" */<threadgroup int*>(p); }
//--- reference_cast_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { thread int& r = (/* ERROR E1211 "cast of an object in address space 'device' to 'thread int &' changes the address space" */thread int&)p[0]; }
//--- return_space
#include <metal_stdlib>
using namespace metal;
device int* f(threadgroup int* p) { return p/* ERROR E1211 "return value of type 'device int *' does not accept 'threadgroup int *', which points to a different address space" */; }
kernel void k(device int* p) {}
//--- return_reference_space
#include <metal_stdlib>
using namespace metal;
thread int& f(device int* p) { return *p/* ERROR E1211 "return value of type 'thread int &' cannot bind to an object in address space 'device'" */; }
kernel void k(device int* p) {}
//--- write_through_const
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device const int* q = p; *q =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 1; }
//--- assign_const_pointer
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device int* const q = p; q =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const device int *'" */ p + 1; }
//--- assign_const_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device const int& q = p[0]; q =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 1; }
//--- assign_const_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { const int a[2] = {1, 2}; a[0] =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 3; }
//--- assign_const_member
#include <metal_stdlib>
using namespace metal;
struct S { const int a; int b; };
kernel void k(device int* p) { S s = {1, 2}; s.a =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 3; }
//--- assign_struct_with_const
#include <metal_stdlib>
using namespace metal;
struct S { const int a; };
kernel void k(device int* p) { S s = {1}; S t = {2}; s =/* ERROR E1114 "object of type 'S' is not assignable because its member 'a' is const" */ t; }
//--- assign_constant_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(constant int& n) { n =/* ERROR E1114 "cannot assign to an object in address space 'constant'" */ 1; }
//--- assign_constant_member
#include <metal_stdlib>
using namespace metal;
struct S { int a; };
kernel void k(constant S& s) { s.a =/* ERROR E1114 "cannot assign to an object in address space 'constant'" */ 1; }
//--- assign_global
#include <metal_stdlib>
using namespace metal;
constant int n = 1;
kernel void k(device int* p) { n =/* ERROR E1114 "cannot assign to an object in address space 'constant'" */ 2; }
//--- increment_constant
#include <metal_stdlib>
using namespace metal;
kernel void k(constant int* p) { p/* ERROR E1114 "cannot assign to an object in address space 'constant'" */[0]++; }
//--- assign_reference_param_const
#include <metal_stdlib>
using namespace metal;
void f(thread const float4& v) { v.x =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const float'" */ 1; }
kernel void k(device int* p) { f(float4(1)); }
//--- drop_const_reference
#include <metal_stdlib>
using namespace metal;
void f(device int& r) {}
kernel void k(device const int* p) { f(p/* ERROR E1147 "parameter of type 'device int &' drops qualifiers of 'const device int'" */[0]); }
//--- drop_const_return
#include <metal_stdlib>
using namespace metal;
device int* f(device const int* p) { return p/* ERROR E1147 "return value of type 'device int *' drops qualifiers of 'const device int *'" */; }
kernel void k(device int* p) {}
//--- drop_volatile
#include <metal_stdlib>
using namespace metal;
kernel void k(device volatile int* p) { device int* q = p/* ERROR E1147 "variable 'q' of type 'device int *' drops qualifiers of 'volatile device int *'" */; }
//--- const_pointer_pointer
#include <metal_stdlib>
using namespace metal;
void f(thread const int* thread* p) {}
kernel void k(device int* p) { int n = 0; thread int* q = &n; f(&q/* ERROR E1176 "no viable conversion from 'thread int *thread*' to 'const thread int *thread*' for parameter" */); }
//--- pointer_depth
#include <metal_stdlib>
using namespace metal;
void f(thread int* p) {}
kernel void k(device int* p) { int n = 0; thread int* q = &n; f(&q/* ERROR E1176 "no viable conversion from 'thread int *thread*' to 'thread int *' for parameter" */); }
//--- array_element_type
#include <metal_stdlib>
using namespace metal;
void f(thread float* p) {}
kernel void k(device int* p) { int a[2] = {1, 2}; f(a/* ERROR E1176 "no viable conversion from 'int[2]' to 'thread float *' for parameter" */); }
//--- threadgroup_in_function
#include <metal_stdlib>
using namespace metal;
void f() { threadgroup/* ERROR E1222 "variable 'n' in threadgroup memory must be declared in a kernel" */ int n; n = 1; }
kernel void k(device int* p) { f(); }
//--- thread_at_program_scope
#include <metal_stdlib>
using namespace metal;
thread/* ERROR E1157 "program scope variable 'n' must reside in constant address space" */ int n = 1;
kernel void k(device int* p) { p[0] = n; }
//--- no_space_at_program_scope
#include <metal_stdlib>
using namespace metal;
int/* ERROR E1157 "program scope variable 'n' must reside in constant address space" */ n = 1;
kernel void k(device int* p) { p[0] = n; }
//--- const_without_space
#include <metal_stdlib>
using namespace metal;
const/* ERROR E1157 "program scope variable 'n' must reside in constant address space" */ int n = 1;
kernel void k(device int* p) { p[0] = n; }
//--- constant_uninitialized
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1130 "variable 'n' in constant address space must be initialized" */ int n;
kernel void k(device int* p) { p[0] = n; }
//--- constant_array_uninitialized
#include <metal_stdlib>
using namespace metal;
constant/* ERROR E1130 "variable 'n' in constant address space must be initialized" */ int n[4];
kernel void k(device int* p) { p[0] = n[0]; }
//--- constant_from_call
#include <metal_stdlib>
using namespace metal;
int f() { return 1; }
constant/* ERROR E1200 "initializer of 'n' is not a constant expression: non-constexpr function 'f' cannot be used in a constant expression" */ int n = f();
kernel void k(device int* p) { p[0] = n; }
//--- constant_local_runtime
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { static/* ERROR E1200 "initializer of 'n' is not a constant expression: read of non-constexpr variable 'p' is not allowed" */ constant int n = p[0]; }
//--- device_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device/* ERROR E1167 "local variable 'n' cannot be in address space 'device'" */ int n; }
//--- parameter_in_space
#include <metal_stdlib>
using namespace metal;
void f(threadgroup/* ERROR E1204 "parameter 'n' may not be qualified with address space 'threadgroup'" */ int n) {}
kernel void k(device int* p) {}
//--- member_in_space
#include <metal_stdlib>
using namespace metal;
struct S { threadgroup/* ERROR E1152 "member 'n' may not be qualified with address space 'threadgroup'" */ int n; };
kernel void k(device S* p) {}
//--- space_of_space
#include <metal_stdlib>
using namespace metal;
kernel void k(device threadgroup/* ERROR E0311 "multiple address spaces specified for type: 'threadgroup' follows 'device'" */ int* p) {}
//--- array_in_device
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { device/* ERROR E1167 "local variable 'a' cannot be in address space 'device'" */ int a[4]; }
//--- reference_to_reference
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n = 1; thread int& &r/* ERROR E0315 "cannot declare a reference to a reference" */ = n; }
//--- reference_to_void
#include <metal_stdlib>
using namespace metal;
kernel void k(device/* ERROR E1135 "cannot form a reference to 'void'" */ void& p) {}
//--- void_variable
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { void v/* ERROR E1231 "object has incomplete type 'void'" */; }
//--- void_array
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { void/* ERROR E1122 "array has incomplete element type 'void'" */ v[2]; }
//--- void_member
#include <metal_stdlib>
using namespace metal;
struct S { void/* ERROR E1231 "object has incomplete type 'void'" */ v; };
kernel void k(device int* p) {}
//--- reference_uninitialized_member
#include <metal_stdlib>
using namespace metal;
struct S { thread int& r; };
kernel void k(device int* p) { S/* ERROR E1130 "object of type 'S' requires an initializer because its member 'r' is a reference" */ s; }
//--- reference_to_other_type
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n = 1; thread float& r = n/* ERROR E1176 "no viable conversion from 'int' to 'thread float &' for reference 'r'" */; }
//--- reference_to_literal
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { thread int& r = 1/* ERROR E1138 "reference 'r' of type 'thread int &' cannot bind to a temporary" */; }
//--- rebind_reference_list
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) { int n = 1; thread int& r{1/* ERROR E1138 "reference 'r' of type 'thread int &' cannot bind to a temporary" */}; }
//--- overload_by_space
#include <metal_stdlib>
using namespace metal;
void f(device int* p) {}
void f(threadgroup int* p) {}
kernel void k(constant int* p) { f/* ERROR E1181 "no matching function for call to 'f' with arguments of types (constant int *)" */(p); }
//--- method_in_constant
#include <metal_stdlib>
using namespace metal;
struct S { int a; int get() { return a; } };
kernel void k(constant S& s, device int* p) { p[0] = s/* ERROR E1181 "no matching function for call to 'get' with arguments of types () on an object of type 'constant S'" */.get(); }
//--- method_in_device
#include <metal_stdlib>
using namespace metal;
struct S { int a; void set() { a = 1; } };
kernel void k(device S& s) { s/* ERROR E1181 "no matching function for call to 'set' with arguments of types () on an object of type 'device S'" */.set(); }
//--- method_const_assigns
#include <metal_stdlib>
using namespace metal;
struct S { int a; void set() const { a =/* ERROR E1114 "cannot assign to an object with const-qualified type 'const int'" */ 1; } };
kernel void k(device int* p) { S s; s.set(); }
//--- pointer_to_local
#include <metal_stdlib>
using namespace metal;
static thread int* f() { int a = 1; return &/* WARNING E1306 "'f' returns the address of its local variable 'a', which is gone after the call" */a; }
static thread int& g() { int a = 1; return a/* WARNING E1306 "'g' returns the address of its local variable 'a'" */; }
static thread int* h(thread int* a) { return a + 1; }
kernel void k(device int* p) { int a[2] = {1, 2}; p[0] = *f() + g() + *h(a); }
//--- pointer_parameters
#include <metal_stdlib>
using namespace metal;
typedef device int* output;
typedef threadgroup float shared;
template <typename T> void deduced(T* p) { *p = 1; }
template <typename T> struct Box { T v; void copy(thread T* p) { *p = v; } };
template <typename T> struct View { T* p; View(T* q) : p(q) {} T& operator[](int i) const { return p[i]; } };
void named(output p, shared* q, thread int* const r, int (*f)(int)) {}
void list(int/* ERROR E1272 "pointer type of parameter 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */* const p, int n) {}
int twice(device int* thread* p, const/* ERROR E1272 "pointer type of parameter 'q' must have explicit address space qualifier, such as 'thread' or 'device'" */ int* q);
struct S {
  int v;
  S(const/* ERROR E1272 "pointer type of parameter 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ S* p) : v(1) {}
  void set(int/* ERROR E1272 "pointer type of parameter 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */* p) { v = *p; }
  void get(thread int* p) const { *p = this->v; }
};
kernel void k(device int* p) {
  int x = 0;
  deduced(&x);
  deduced(p);
  Box<int> b = {2};
  View<device int> view(p);
  view[1] = 3;
  b.copy(&x);
  auto each = [](auto* q) { return *q; };
  p[0] = each(&x) + each(p);
}
//--- constant_local
#include <metal_stdlib>
using namespace metal;
kernel void k(device int* p) {
  static constant int a[2] = {1, 2};
  static constexpr constant int b = 3;
  constant/* ERROR E1167 "local variable 'c' in constant address space must be static" */ int c = 4;
  constexpr/* ERROR E1167 "local variable 'd' in constant address space must be static" */ constant int d[2] = {5, 6};
  constant int* q = a;
  constant int& r = b;
  p[0] = q[1] + r + c + d[0];
}
//--- block_specifiers
constant int shared = 1;
inline int helper() { return 1; }
kernel void k(device int* p) {
  inline/* ERROR E1271 "local variable 'a' cannot be inline" */ int a = 1;
  extern/* ERROR E1271 "local variable 'b' cannot be extern" */ int b;
  p[0] = a + b + shared + helper();
}
//--- declarations without an address space
#include <metal_stdlib>
using namespace metal;
struct Members { float/* ERROR E1272 "pointer type of member 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ *p; float/* ERROR E1272 "reference type of member 'r' must have explicit address space qualifier, such as 'thread' or 'device'" */ &r; device/* ERROR E1272 "pointer type of member 'pp' must have explicit address space qualifier, such as 'thread' or 'device'" */ float **pp; const/* ERROR E1272 "pointer type of member 'list' must have explicit address space qualifier, such as 'thread' or 'device'" */ float *list[2]; device float *d; thread float *thread *t; int (*f)(int); };
struct Class {
  int v;
  Class(const/* ERROR E1272 "reference type of parameter 'o' must have explicit address space qualifier, such as 'thread' or 'device'" */ Class &o) : v(o.v) {}
  Class/* ERROR E1272 "reference type of the result of 'operator=' must have explicit address space qualifier, such as 'thread' or 'device'" */ &operator=(const/* ERROR E1272 "reference type of parameter 'o' must have explicit address space qualifier, such as 'thread' or 'device'" */ Class &o) { v = o.v; return *this; }
  bool operator==(const/* ERROR E1272 "reference type of parameter 'o' must have explicit address space qualifier, such as 'thread' or 'device'" */ Class &o) const { return v == o.v; }
  void set(thread int &x, int/* ERROR E1272 "reference type of parameter 'y' must have explicit address space qualifier, such as 'thread' or 'device'" */ &y, int/* ERROR E1272 "reference type of parameter 'z' must have explicit address space qualifier, such as 'thread' or 'device'" */ &&z);
  operator int/* ERROR E1272 "pointer type of the result of 'operator <type>' must have explicit address space qualifier, such as 'thread' or 'device'" */ *();
  thread int *get() { return &v; }
  static int next(device int *&p) { return *p++; }
};
int first(device int *(&a)[2], constant int *const (&b)[2][3]) { return *a[0] + *b[1][2]; }
int second(int/* ERROR E1272 "pointer type of parameter 'a' must have explicit address space qualifier, such as 'thread' or 'device'" */ *(&a)[2]);
int/* ERROR E1272 "pointer type of the result of 'result' must have explicit address space qualifier, such as 'thread' or 'device'" */ *result(device int *p);
auto trailing(device int *p) -> int/* ERROR E1272 "reference type of the result of 'trailing' must have explicit address space qualifier, such as 'thread' or 'device'" */ &;
float/* ERROR E1272 "reference type of the result of 'operator+' must have explicit address space qualifier, such as 'thread' or 'device'" */ &operator+(thread Class &a, thread Class &b);
typedef/* ERROR E1272 "pointer type of 'Pointer' must have explicit address space qualifier, such as 'thread' or 'device'" */ int *Pointer;
using/* ERROR E1272 "reference type of 'Reference' must have explicit address space qualifier, such as 'thread' or 'device'" */ Reference = float &;
using Output = device float *;
int/* ERROR E1272 "pointer type of variable 'names' must have explicit address space qualifier, such as 'thread' or 'device'" */ *constant names = nullptr;
kernel void k(device int *o) {
  int x = 2, a[2] = {1, 2};
  int/* ERROR E1272 "pointer type of variable 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ *p = &x;
  int/* ERROR E1272 "reference type of variable 'r' must have explicit address space qualifier, such as 'thread' or 'device'" */ &r = x;
  const/* ERROR E1272 "reference type of variable 'c' must have explicit address space qualifier, such as 'thread' or 'device'" */ int &c = x;
  int/* ERROR E1272 "reference type of variable 'rows' must have explicit address space qualifier, such as 'thread' or 'device'" */ (&rows)[2] = a;
  auto *q = &x;
  auto &s = x;
  const auto &t = a;
  for (int/* ERROR E1272 "reference type of variable 'e' must have explicit address space qualifier, such as 'thread' or 'device'" */ &e : a) e++;
  for (auto &e : a) e++;
  for (thread int &e : a) e++;
  auto l = [](int/* ERROR E1272 "reference type of parameter 'n' must have explicit address space qualifier, such as 'thread' or 'device'" */ &n) { return n; };
  thread int (&fine)[2] = a;
  decltype(x) thread &d = x;
  Output out = nullptr;
  o[0] = *q + s + t[0] + fine[0] + d;
}
//--- declarations without an address space in templates
#include <metal_stdlib>
using namespace metal;
template <typename T> T deduced(T *p, T &r) { T *q = p; T &s = r; return *q + s; }
template <typename T> T forward(T &&x) { return x; }
template <typename T> float/* ERROR E1272 "pointer type of the result of 'unused' must have explicit address space qualifier, such as 'thread' or 'device'" */ *unused(float4/* ERROR E1272 "reference type of parameter 'v' must have explicit address space qualifier, such as 'thread' or 'device'" */ &v, vec/* ERROR E1272 "reference type of parameter 'w' must have explicit address space qualifier, such as 'thread' or 'device'" */<T, 2> &w) { float/* ERROR E1272 "pointer type of variable 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ *p = nullptr; return p; }
template <typename T> struct Unused {
  T *maybe;
  int/* ERROR E1272 "pointer type of member 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ *p;
  void method(const/* ERROR E1272 "reference type of parameter 'x' must have explicit address space qualifier, such as 'thread' or 'device'" */ float &x) { half/* ERROR E1272 "reference type of variable 'y' must have explicit address space qualifier, such as 'thread' or 'device'" */ &y = h; }
  template <typename U> void inner(U *u, int/* ERROR E1272 "pointer type of parameter 'i' must have explicit address space qualifier, such as 'thread' or 'device'" */ *i);
  half h;
};
template <typename T> struct Used {
  T/* ERROR E1272 "pointer type of member 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ *p;
  void set(T/* ERROR E1272 "reference type of parameter 'x' must have explicit address space qualifier, such as 'thread' or 'device'" */ &x) { T/* ERROR E1272 "pointer type of variable 'q' must have explicit address space qualifier, such as 'thread' or 'device'" */ *q = &x; p = q; }
  using type = T *;
};
template <typename T> struct Spaced {
  T *p;
  Spaced(T *q) : p(q) {}
  T &operator[](int i) const { T &r = p[i]; return r; }
  template <typename F> void each(F f) { f(*p); }
};
kernel void k(device int *o, constant float4 &v) {
  int x = 2;
  o[0] = deduced(&x, x) + deduced(o, o[1]) + forward(x) + forward(3);
  Used<int> u;
  u.set(x);
  Spaced<device int> s(o);
  s[1] = 2;
  s.each([](auto &n) { n = 4; });
  s.each([](device int &n) { n = 4; });
}
//--- expressions and template arguments without an address space
#include <metal_stdlib>
using namespace metal;
template <typename/* ERROR E1272 "pointer type of template parameter 'T' must have explicit address space qualifier, such as 'thread' or 'device'" */ T = float *> struct Default { T t; };
template <typename T, typename/* ERROR E1272 "pointer type of template parameter 'U' must have explicit address space qualifier, such as 'thread' or 'device'" */ U = float *> int defaults(T t) { return 1; }
template <typename T> int size() { return sizeof(T); }
template <typename T> struct Box { int n; int count() { return sizeof(T/* ERROR E1272 "pointer type of the operand of sizeof must have explicit address space qualifier, such as 'thread' or 'device'" */ *) + (reinterpret_cast<T/* ERROR E1272 "pointer type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ *>(&n) != nullptr); } };
template <typename T> int unused(T x) { return sizeof(float/* ERROR E1272 "pointer type of the operand of sizeof must have explicit address space qualifier, such as 'thread' or 'device'" */ *) + *(float/* ERROR E1272 "pointer type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ *)&x + *reinterpret_cast<thread T *>(&x) + is_same<T, float/* ERROR E1272 "pointer type of a template argument must have explicit address space qualifier, such as 'thread' or 'device'" */ *>::value; }
template <typename T> int computed(T p) { using E = remove_reference_t<decltype(*p)>; using R = T &; return is_same<T &, R>::value + is_same<E, int>::value; }
template <typename T> using/* ERROR E1272 "pointer type of 'Alias' must have explicit address space qualifier, such as 'thread' or 'device'" */ Alias = float *;
using F = void (*)(float/* ERROR E1272 "pointer type of a parameter must have explicit address space qualifier, such as 'thread' or 'device'" */ *);
typedef/* ERROR E1272 "pointer type of 'G' must have explicit address space qualifier, such as 'thread' or 'device'" */ float *(*G)(int, thread float *);
typedef thread float *(*H)(device float *);
void callback(void (*f)(float/* ERROR E1272 "pointer type of parameter 'p' must have explicit address space qualifier, such as 'thread' or 'device'" */ *p));
kernel void k(device float *o) {
  float x = 2;
  thread float *p = &x;
  o[0] = *(float/* ERROR E1272 "pointer type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ *)&x + *(thread const float *)p;
  o[1] = *reinterpret_cast<int/* ERROR E1272 "pointer type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ *>(p) + (float/* ERROR E1272 "reference type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ &)x;
  o[2] = *static_cast<float/* ERROR E1272 "pointer type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ *>(p) + *static_cast<thread float *>((void/* ERROR E1272 "pointer type of a cast must have explicit address space qualifier, such as 'thread' or 'device'" */ *)p);
  o[3] = size<float/* ERROR E1272 "pointer type of a template argument must have explicit address space qualifier, such as 'thread' or 'device'" */ *>() + sizeof(float/* ERROR E1272 "pointer type of the operand of sizeof must have explicit address space qualifier, such as 'thread' or 'device'" */ *) + alignof(float/* ERROR E1272 "reference type of the operand of sizeof must have explicit address space qualifier, such as 'thread' or 'device'" */ &) + size<device float *>() + is_same<float/* ERROR E1272 "reference type of a template argument must have explicit address space qualifier, such as 'thread' or 'device'" */ &, float>::value;
  Default<> d;
  Default<float/* ERROR E1272 "pointer type of a template argument must have explicit address space qualifier, such as 'thread' or 'device'" */ *> e;
  array<float/* ERROR E1272 "pointer type of a template argument must have explicit address space qualifier, such as 'thread' or 'device'" */ *, 2> a;
  Box<int> b;
  o[4] = b.count() + computed(p) + defaults(2);
}
