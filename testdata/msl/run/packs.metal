// launch foldassign
// buffer 0: zero 8
// want 0: i32 15 6
#include <metal_stdlib>
using namespace metal;

namespace in_foldassign {
template <class... T> int addall(T... t) {
    int s = 0;
    ((s += t), ...);
    return s;
}
template <class... T> int chain(int a, thread T &... t) {
    (t += ... += a);
    return a;
}
[[host_name("foldassign")]] kernel void foldassign(device int *o) {
    o[0] = addall(1,2,3,4,5);
    int x = 1, y = 2;
    chain(3, x, y);
    o[1] = x;
}
}
