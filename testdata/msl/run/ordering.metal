// launch partial
// buffer 0: zero 16
// want 0: i32 3 2 1 4
// launch partial2
// buffer 0: zero 16
// want 0: i32 2 1 2 3
// launch partial3
// buffer 0: zero 12
// want 0: i32 2 1 5
#include <metal_stdlib>
using namespace metal;

namespace in_partial {
template <class T> int f(T) {
    return 1;
}
template <class T> int f(T *) {
    return 2;
}
template <class T> int f(thread const T *) {
    return 3;
}
template <class T, class U> struct P {
};
template <class T> int g(T) {
    return 1;
}
template <class T, class U> int g(P<T, U>) {
    return 2;
}
template <class T> int g(P<T, T>) {
    return 4;
}
[[host_name("partial")]] kernel void partial(device int *o) {
    int x = 0;
    const int y = 0;
    o[0] = f(&y);
    o[1] = f(&x);
    o[2] = f(x);
    o[3] = g(P<int, int>());
}
}

namespace in_partial2 {
template <class T> int f(T, T) {
    return 1;
}
template <class T> int f(T, int) {
    return 2;
}
template <class T, class... R> int h(T, R...) {
    return 1;
}
template <class T, class U> int h(T, U) {
    return 2;
}
template <class T> int v(vec<T, 4>) {
    return 3;
}
template <class T, int N> int v(vec<T, N>) {
    return 4;
}
[[host_name("partial2")]] kernel void partial2(device int *o) {
    o[0] = f(1.0f, 1);
    o[1] = f(1.f, 1.f);
    o[2] = h(1, 2);
    o[3] = v(float4(0));
}
}

namespace in_partial3 {
template <class A> int f(thread A &) {
    return 2;
}
template <class A> int f(device A &) {
    return 1;
}
template <class T> struct tag {
};
template <class T> int q(tag<T>, long) {
    return 5;
}
template <template <class> class C, class T> int q(C<T>, long) {
    return 6;
}
[[host_name("partial3")]] kernel void partial3(device int *o) {
    int x;
    o[0] = f(x);
    o[1] = f(o[0]);
    o[2] = q(tag<int>(), 0L);
}
}
