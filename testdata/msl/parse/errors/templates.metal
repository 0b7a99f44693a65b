//--- parameters
template <int, 3 /* ERROR E0303 "expected a template parameter, found '3'" */> struct A {};
template <typename T
struct /* ERROR E0301 "expected '>' to close the template arguments, found 'struct'" */ B {};
//--- a template of nothing
template <typename T> int /* ERROR E0318 "only classes, functions, variables and aliases can be templates" */;
//--- a template of a directive
template /* ERROR E0318 "only classes, functions, variables and aliases can be templates" */ <typename T> using namespace metal;
template /* ERROR E0318 "only classes, functions, variables and aliases can be templates" */ <typename T> static_assert(true, "");
//--- two declarators
template <typename T> T a, b /* ERROR E0318 "template declaration can only declare a single entity" */;
//--- in a block
void f(int a) { template /* ERROR E0318 "templates can only be declared in namespace or class scope" */ <typename T> struct S {}; a = 1; }
//--- instantiation with a body
template <typename T> void f(T t) {}
template void f<int>(int t) { /* ERROR E0318 "explicit template instantiation cannot have a definition" */ }
template <typename T> struct S {};
template struct /* ERROR E0318 "explicit template instantiation cannot have a definition" */ S<int> { };
template [[host_name("x")]] using /* ERROR E0305 "'using' begins no declaration" */ T = int;
template /* ERROR E0318 "explicit template instantiation must name a single function, class or variable" */ int a, b;
constant int y = 0;
//--- typename
template <typename T> void f(T t) {
    T /* ERROR E0313 "missing 'typename' prior to dependent type name 'T::type'" */::type x;
    typename T::type y;
    typename 3 /* ERROR E0304 "expected a name, found '3'" */ z;
}
//--- no typename
template <typename T> void f(T t) { T /* ERROR E0313 "missing 'typename' prior to dependent type name 'T::type'" */ ::type x; }
//--- angle and equals
template <typename T> struct S {};
template <typename T = S<int>= /* ERROR E0314 "a space is required between '>' and '='" */ /* ERROR E0301 "expected '>' to close the template arguments, found '='" */ 3> struct R {};
S<int>= /* ERROR E0314 "a space is required between '>' and '='" */ /* ERROR E0304 "expected a name, found '='" */a;
//--- template template parameters
template <template <typename> int /* ERROR E0301 "expected 'class' or 'typename', found 'int'" */ C> struct A {};
template <template typename /* ERROR E0301 "expected '<' after 'template', found 'typename'" */ C> struct B {};
//--- constraints
template <typename T> requires /* ERROR E0310 "constraints are not supported in Metal" */ true void f(T t);
constant int y = 0;
