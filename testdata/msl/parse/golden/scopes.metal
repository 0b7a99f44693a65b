#include <metal_stdlib>
using namespace metal;
// A name that is a type outside and a value inside, and the other way round.
struct T { int v; };
int f(int array, int vec) { return array < vec && vec > (array); }
int g(int T, int b) { return T * b + (T) - 1; }
void h() { T *p; { int T = 3; T * 2; } T *q; }
template <typename X> struct H {
    void late() { member m = value; Y y; y.a<3>(); }
    using member = int;
    struct Y { template <int N> void a() {} };
    int value;
};
namespace lib { struct Q {}; template <typename A> A id(A a) { return a; } }
void i(lib::Q q) { lib::Q *a = &q; lib::id<int>(3) < 4; using namespace lib; Q *b; id<Q>(q); }
namespace lib { Q *again; }
struct B { typedef int num; };
struct D : B { num *n; void m() { num *k; } };
typedef D Alias;
void j() { Alias::num *x; D::num(3); }
enum E { first, last };
int k() { return first < last; }
int l(int x) { return lib::unknown < x; }
template <typename A> void m(A a) {
    typename A::type *p;
    A::value * a;
    a.template go<int>();
    A::template make<3>(a);
    typename A::template in<int>::type q(a);
}
