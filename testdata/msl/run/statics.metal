// launch stat
// buffer 0: zero 12
// want 0: i32 7 11 3
// launch localstatic
// buffer 0: zero 8
// want 0: i32 5 9
// launch statspec
// buffer 0: zero 12
// want 0: i32 2 9 4
#include <metal_stdlib>
using namespace metal;

namespace in_stat {
template <class T> struct S {
    static constexpr constant int n = 7;
    static constant int tab[3];
    static constexpr int f() {
        return 11;
    }
};
template <class T> constant int S<T>::tab[3] = {1, 2, 3};
[[host_name("stat")]] kernel void stat(device int *o) {
    o[0] = S<int>::n;
    o[1] = S<float>::f();
    o[2] = S<int>::tab[2];
}
}

namespace in_localstatic {
[[host_name("localstatic")]] kernel void localstatic(device int *o, uint i [[thread_position_in_grid]]) {
    constexpr int a[3] = {1, 5, 9};
    static constexpr constant int b[2] = {9, 8};
    const int c[2] = {3, 4};
    o[0] = a[i + 1];
    o[1] = b[i] + c[i] - 3;
}
}

namespace in_statspec {
template <int N, int M> struct Wino {
};
template <> struct Wino<2, 3> {
    static constant constexpr int n = 2;
    static constant constexpr int tab[2][2] = {{1, 2}, {3, 9}
};
static constant int late[1];
};
constant constexpr const int Wino<2, 3>::tab[2][2];
constant int Wino<2, 3>::late[1] = {4};
[[host_name("statspec")]] kernel void statspec(device int *o) {
    o[0] = Wino<2, 3>::n;
    o[1] = Wino<2, 3>::tab[1][1];
    o[2] = Wino<2, 3>::late[0];
}
}
