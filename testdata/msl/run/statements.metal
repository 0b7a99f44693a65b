// launch arrstruct
// buffer 0: zero 16
// want 0: i32 1 2 3 4
// launch ternlv
// buffer 0: zero 12
// want 0: i32 5 7 9
// launch fall
// buffer 0: zero 8
// want 0: i32 13 4
// launch vol
// buffer 0: zero 4
// want 0: i32 3
// launch attrs
// buffer 0: zero 4
// want 0: i32 3
#include <metal_stdlib>
using namespace metal;

namespace in_arrstruct {
struct P {
    int a;
    float b;
};
constant P ps[] = {{1, 2.0f}, {3, 4.0f}};
[[host_name("arrstruct")]] kernel void arrstruct(device int *o) {
    o[0] = ps[0].a;
    o[1] = int(ps[0].b);
    P q[2] = {ps[1], {4, 0}
};
o[2] = q[0].a;
o[3] = q[1].a;
}
}

namespace in_ternlv {
[[host_name("ternlv")]] kernel void ternlv(device int *o) {
    int a = 1, b = 2;
    (a > b ? a : b) = 5;
    o[0] = b;
    (a, b) = 7;
    o[1] = b;
    int x = (a = 3, a * 3);
    o[2] = x;
}
}

namespace in_fall {
int f(int n) {
    int s = 0;
    switch (n) {
        case 0: s += 1;
        case 1: for (int i = 0; i < 3; i++) {
            if (i == 1) continue;
            switch (i) {
                case 0: s += 2;
                break;
                default: s += 10;
            }
        }
        break;
        case 2: s = 4;
        default: ;
    }
    return s;
}
[[host_name("fall")]] kernel void fall(device int *o) {
    o[0] = f(0);
    o[1] = f(2);
}
}

namespace in_vol {
[[host_name("vol")]] kernel void vol(device int *o) {
    volatile int x = 1;
    x = x + 2;
    o[0] = x;
}
}

namespace in_attrs {
[[maybe_unused]] static inline __attribute__((always_inline)) int f([[maybe_unused]] int x) {
    return 3;
}
struct [[nodiscard]] N {
    int v;
};
struct __attribute__((packed)) PK { char a; int b; };
[[host_name("attrs")]] kernel void attrs(device int *o) {
    [[maybe_unused]] int q = 1;
    if (q) [[likely]] { o[0] = f(2); } for (int i = 0; i < 1; i++) {
    }
}
}
