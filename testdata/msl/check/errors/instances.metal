//--- no function for these types, with the reason of each candidate
template <typename T> T lerp(T a, T b, float t) { return a + (b - a) * t; }
float lerp(float a, int b) { return a + b; }
int f() { return lerp /* ERROR E1181 "no matching function for call to 'lerp' with arguments of types (int, float, float)" */(1, 2.0f, 0.5f); }
//--- deduction of two types for one parameter
template <typename T> T pick(T a, T b) { return a; }
int f() { return pick /* ERROR E1181 "no matching function for call to 'pick' with arguments of types (int, float)" */(1, 2.0f); }
//--- a parameter that cannot be deduced
template <typename T> T zero() { return T(0); }
int f() { return zero /* ERROR E1181 "no matching function for call to 'zero' with arguments of types ()" */(); }
//--- a parameter that stands in the result only
template <typename R, typename T> R convert(T a) { return R(a); }
int f() { return convert /* ERROR E1181 "no matching function for call to 'convert' with arguments of types (float)" */(1.0f); }
//--- too many template arguments for a function
template <typename T> T id(T a) { return a; }
int f() { return id /* ERROR E1181 "no matching function for call to 'id' with arguments of types (int)" */<int, float>(1); }
//--- a value for a type parameter
template <typename T> T id(T a) { return a; }
int f() { return id /* ERROR E1181 "no matching function for call to 'id' with arguments of types (int)" */<3>(1); }
//--- a type for a value parameter
template <int N> int times(int a) { return a * N; }
int f() { return times /* ERROR E1181 "no matching function for call to 'times' with arguments of types (int)" */<float>(1); }
//--- a template argument that is not constant
template <int N> int times(int a) { return a * N; }
int f(int n) { return times /* ERROR E1181 "no matching function for call to 'times' with arguments of types (int)" */<n>(1); }
//--- a template argument that divides by zero
template <int N> int times(int a) { return a * N; }
int f() { return times /* ERROR E1181 "no matching function for call to 'times' with arguments of types (int)" */<1 / 0>(1); }
//--- a template argument that does not fit
template <uchar N> int times(int a) { return a * N; }
int f() { return times /* ERROR E1181 "no matching function for call to 'times' with arguments of types (int)" */<300>(1); }
//--- a template argument of another type
template <int N> struct S { int a[N]; };
S /* ERROR E1219 "template argument 1.5 does not fit in 'int'" */<1.5f> f();
//--- too many template arguments for a class
template <typename T> struct S { T a; };
void f() { S /* ERROR E1225 "too many template arguments for 'S': 2 given, 1 expected" */<int, float> s; }
//--- too few template arguments for a class
template <typename T, int N> struct S { T a[N]; };
void f() { S /* ERROR E1223 "too few template arguments for 'S': 1 given" */<int> s; }
//--- too many template arguments for an alias
template <typename T> using P = device T *;
void f(P /* ERROR E1225 "too many template arguments for 'P': 2 given, 1 expected" */<int, float> p) {}
//--- a template parameter without a default behind one with
template <typename T = int, typename /* ERROR E1261 "template parameter 'U' missing a default argument" */ U> struct S { T a; };
//--- a template for a type
template <typename T> struct S { T a; };
template <typename T> struct B { T a; };
void f() { S<B /* ERROR E1171 "use of template 'B' requires template arguments" */> s; }
//--- a type for a template
template <template <typename> class C> struct S { C<int> a; };
void f() { S /* ERROR E1218 "template argument for 'C' must be a class template" */<int> s; }
//--- a template with other parameters for a template
template <template <typename> class C> struct S { C /* ERROR E1223 "too few template arguments for 'B': 1 given" */<int> a; };
template <typename T, int N> struct B { T a[N]; };
void f() { S<B> s; }
//--- a failing assertion in an instantiation
template <typename T> struct Tile { static_assert /* ERROR E1212 "static assertion failed: tiles have elements of four bytes" */(sizeof(T) == 4, "tiles have elements of four bytes"); T a[4]; };
template <typename T> T sum(T x) { Tile<T> t; t.a[0] = x; return t.a[0]; }
kernel void k(device half *p [[buffer(0)]]) { p[0] = sum(p[1]); }
//--- an operator that a type lacks
struct V { float x; };
template <typename T> T twice(T a) { return a + /* ERROR E1132 "invalid operands to binary '+' ('V' and 'V')" */ a; }
V f(V v) { return twice(v); }
//--- a member that a type lacks
struct V { float x; };
template <typename T> float height(T a) { return a.y /* ERROR E1182 "no member named 'y' in 'V'" */; }
float f(V v) { return height(v); }
//--- a member type that a type lacks
struct V { float x; };
template <typename T> struct Of { typename T::value_type /* ERROR E1183 "no type named 'value_type' in 'V'" */ a; };
void f() { Of<V> o; }
//--- a function for what is enabled
#include <metal_stdlib>
using namespace metal;
template <typename T, typename = enable_if_t<is_integral<T>::value>> T half_of(T a) { return a / 2; }
float f() { return half_of /* ERROR E1181 "no matching function for call to 'half_of' with arguments of types (float)" */(1.0f); }
//--- two functions that are enabled
template <typename T> int f(T a, int b) { return 1; }
template <typename T> int f(int a, T b) { return 2; }
int g() { return f /* ERROR E1104 "call to 'f' is ambiguous for arguments of types (int, int)" */(1, 2); }
//--- two functions that fit equally well
int f(int a, float b) { return 1; }
int f(float a, int b) { return 2; }
int g() { return f /* ERROR E1104 "call to 'f' is ambiguous for arguments of types (int, int)" */(1, 2); }
//--- ambiguous partial specializations
template <typename A, typename B> struct S { static constexpr constant int n = 0; };
template <typename A> struct S<A, int> { static constexpr constant int n = 1; };
template <typename B> struct /* ERROR E1107 "ambiguous partial specializations of 'S<int, int>'" */ S<int, B> { static constexpr constant int n = 2; };
static_assert(S<int, int>::n == 1, "");
//--- a specialization of no template
struct S { int a; };
template <> struct S /* ERROR E1187 "there is no class template 'S' to specialize" */<int> { int b; };
//--- a specialization of no function template
int f(int a) { return a; }
template <> int f /* ERROR E1187 "no function template matches function template specialization 'f'" */<float>(float a) { return 1; }
//--- a specialization of a function that fits none
template <typename T> T f(T a) { return a; }
template <> int f /* ERROR E1187 "no function template matches function template specialization 'f'" */<float>(int a, int b) { return 1; }
//--- a specialization behind the use of a class
template <typename T> struct S { T a; };
S<int> s();
void f() { S<int> t; }
struct D { S<int> s; };
template <> struct /* ERROR E1166 "explicit specialization of 'S<int>' after instantiation" */ S<int> { float b; };
//--- a specialization behind the use of a function
template <typename T> T f(T a) { return a; }
constant int a = sizeof(f(1));
int g() { return f(1); }
template <> int /* ERROR E1166 "explicit specialization of 'f' after its first use" */ f<int>(int a) { return 1; }
//--- a specialization twice
template <typename T> struct S { T a; };
template <> struct S<int> { int b; };
template <> struct /* ERROR E1207 "redefinition of the specialization of 'S'" */ S<int> { int c; };
//--- an instantiation of nothing
template int f /* ERROR E1187 "there is no function template 'f' to instantiate" */<int>(int);
//--- an instantiation with another signature
template <typename T> T f(T a) { return a; }
template int f /* ERROR E1187 "no function template matches the explicit instantiation of 'f'" */<float>(int);
//--- a host name twice
template <typename T> kernel void copy(device T *p [[buffer(0)]]) { p[0] = p[1]; }
template [[host_name("copy")]] kernel void copy<float>(device float *p [[buffer(0)]]);
template /* ERROR E1149 "redefinition of entry point 'copy'" */ [[host_name("copy")]] kernel void copy<int>(device int *p [[buffer(0)]]);
//--- a host name that is no string
template <typename T> kernel void copy(device T *p [[buffer(0)]]) { p[0] = p[1]; }
template [[host_name /* ERROR E1116 "'host_name' attribute requires a string" */(copy)]] kernel void copy<float>(device float *p [[buffer(0)]]);
//--- a host name of a function
template <typename T> T twice(T a) { return a + a; }
template [[host_name /* ERROR E1118 "'host_name' attribute only applies to entry points, and 'twice' is not one" */("twice")]] float twice<float>(float);
//--- an instantiation of what is no template
kernel void copy(device float *p [[buffer(0)]]) { p[0] = p[1]; }
template [[host_name("copy_float")]] kernel void copy /* ERROR E1187 "no function template matches the explicit instantiation of 'copy'" */<float>(device float *p [[buffer(0)]]);
//--- instantiations without an end
template <int N> struct S { static constexpr constant int n = S<N + 1 /* ERROR E1163 "recursive template instantiation exceeded maximum depth of 512" */>::n; };
constant int a = S<0>::n;
//--- calls of instantiations without an end
template <int N> int f(int a) { return f<N + 1 /* ERROR E1163 "recursive template instantiation exceeded maximum depth of 512" */>(a); }
int g() { return f<0>(1); }
//--- a pack that is not expanded
template <typename... T> int f(T... t) { return t /* ERROR E1227 "unexpanded parameter pack 't'" */; }
int g() { return f(1, 2); }
//--- an expansion without a pack
template <typename T> int f(T t) { return g(t /* ERROR E1186 "pack expansion does not contain any unexpanded parameter packs" */...); }
int g(int a) { return a; }
int h() { return f(1); }
//--- packs of different lengths
template <typename... T> struct A { template <typename... U> static int f(U... u) { return sum(T /* ERROR E1202 "pack expansion contains parameter packs that have different lengths (2 vs. 3)" */(u)...); } static int sum(int a, int b) { return a + b; } };
int g() { return A<int, int>::f(1, 2, 3); }
//--- a pack that is not last
template <typename /* ERROR E1203 "template parameter pack must be the last template parameter" */... T, typename U> struct S { U a; };
//--- the size of what is no pack
template <typename T> int f(T t) { return sizeof /* ERROR E1186 "'t' does not refer to the name of a parameter pack" */...(t); }
int g() { return f(1); }
//--- a fold over an empty pack
template <typename... T> int f(T... t) { return ( /* ERROR E1150 "unary fold expression has empty expansion for operator '+' with no fallback value" */t + ...); }
int g() { return f(); }
//--- a variable template without arguments
template <typename T> constexpr constant int size_of = sizeof(T);
int f() { return size_of /* ERROR E1171 "use of variable template 'size_of' requires template arguments" */; }
//--- a class template without arguments in a function
template <typename T> struct S { T a; };
void f() { S /* ERROR E1171 "use of template 'S' requires template arguments" */ s = {1}; }
//--- an overloaded function as an argument
int f(int a) { return a; }
float f(float a) { return a; }
template <typename F> int call(F g) { return g(1); }
int h() { return call /* ERROR E1181 "no matching function for call to 'call' with arguments of types (function f)" */(f); }
//--- a function as an argument that does not fit
int f(int a) { return a; }
template <int (*F)(float)> int call() { return F(1); }
int h() { return call /* ERROR E1181 "no matching function for call to 'call' with arguments of types ()" */<f>(); }
//--- a function parameter without such an overload
int f(int a) { return a; }
int f(uint a) { return a; }
template <int (*F)(float)> int call() { return F(1); }
int h() { return call /* ERROR E1181 "no matching function for call to 'call' with arguments of types ()" */<f>(); }
//--- a pointer to a reference by an argument
template <typename T> struct P { device /* ERROR E1206 "cannot form a pointer to a reference of type 'thread int &'" */ T *p; };
void f() { P<thread int &> p; }
//--- an array of references by an argument
template <typename T> struct A { T /* ERROR E1122 "array has invalid element type 'thread int &'" */ a[2]; };
void f() { A<thread int &> a; }
//--- void for an element
template <typename T> struct A { T /* ERROR E1231 "object has incomplete type 'void'" */ a; };
void f() { A<void> a; }
//--- a template in a function
void f() { template /* ERROR E0318 "templates can only be declared in namespace or class scope" */ <typename T> struct S { T a; }; }
//--- a template of a kernel that is called
template <typename T> kernel void k(device T *p [[buffer(0)]]) { p[0] = 1; }
kernel void j(device int *p [[buffer(0)]]) { k /* ERROR E1141 "'k' is a kernel function and cannot be called" */<int>(p); }
//--- a recursive template without a base
template <int N> int power(int a) { return a * power<N - 1 /* ERROR E1163 "recursive template instantiation exceeded maximum depth of 512" */>(a); }
int f() { return power<3>(2); }
//--- an explicit argument that the rest contradicts
template <typename T> T pick(T a, device T *b) { return a; }
int f(device float *p) { return pick /* ERROR E1181 "no matching function for call to 'pick' with arguments of types (int, device float *)" */<int>(1, p); }
//--- address spaces that exclude each other
template <typename T> T first(device const T *p) { return p[0]; }
kernel void k(constant float *p [[buffer(0)]], device float *q [[buffer(1)]]) { q[0] = first /* ERROR E1181 "no matching function for call to 'first' with arguments of types (constant float *)" */(p); }
//--- a constructor template that does not fit
struct S { int a; template <typename T> S(device T *p) : a(p[0]) {} };
void f() { S /* ERROR E1175 "no matching constructor for initialization of 'S' with arguments of types (int)" */ s(1); }
//--- an empty template argument
#include <metal_stdlib>
using namespace metal;
template <typename T, typename U = int> struct S { T a; };
kernel void k(device int* p) { S<int, >/* ERROR E0301 "expected a template argument after ',', found '>'" */ s; }
