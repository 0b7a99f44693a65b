// launch desig
// buffer 0: zero 16
// want 0: i32 0 5 0 9
// launch desigrange
// buffer 0: zero 16
// want 0: i32 4 4 4 7
// launch desigs
// buffer 0: zero 16
// want 0: i32 1 0 3 4
// launch designest
// buffer 0: zero 12
// want 0: i32 0 2 0
// launch nobraces
// buffer 0: zero 16
// want 0: i32 1 2 3 4
#include <metal_stdlib>
using namespace metal;

namespace in_desig {
[[host_name("desig")]] kernel void desig(device int *o) {
    int a[4] = {[1] = 5, [3] = 9};
    for (int i = 0; i < 4; i++) o[i] = a[i];
}
}

namespace in_desigrange {
constant int t[4] = {[0 ... 2] = 4, [3] = 7};
[[host_name("desigrange")]] kernel void desigrange(device int *o) {
    for (int i = 0; i < 4; i++) o[i] = t[i];
}
}

namespace in_desigs {
struct P {
    int x, y;
    int z[2];
};
[[host_name("desigs")]] kernel void desigs(device int *o) {
    P p = {.x = 1, .z = {3, 4}
};
o[0] = p.x;
o[1] = p.y;
o[2] = p.z[0];
o[3] = p.z[1];
P q{.x = 2};
(void)q;
}
}

namespace in_designest {
struct P {
    int x, y;
};
struct Q {
    P a;
    int b;
};
[[host_name("designest")]] kernel void designest(device int *o) {
    Q q = {.a.y = 2};
    o[0] = q.a.x;
    o[1] = q.a.y;
    o[2] = q.b;
}
}

namespace in_nobraces {
struct P {
    int a[2];
    int b;
};
struct Q {
    P p;
    int c;
};
[[host_name("nobraces")]] kernel void nobraces(device int *o) {
    Q q = {1, 2, 3, 4};
    o[0] = q.p.a[0];
    o[1] = q.p.a[1];
    o[2] = q.p.b;
    o[3] = q.c;
    P arr[2] = {1, 2, 3, 4, 5, 6};
    o[0] = arr[1].a[0] - 3;
}
}
