// launch bits
// buffer 0: zero 12
// want 0: i32 5 3 13
// launch bits2
// buffer 0: zero 8
// want 0: i32 7 2
// launch boolbits
// buffer 0: zero 16
// want 0: i32 1 0 1 6
// launch unnamedbits
// buffer 0: zero 8
// want 0: i32 1 2
#include <metal_stdlib>
using namespace metal;

namespace in_bits {
struct B {
    uint a : 4;
    uint b : 3;
    int c : 5;
};
[[host_name("bits")]] kernel void bits(device int *o) {
    B x = {5, 3, 13};
    o[0] = x.a;
    o[1] = x.b;
    o[2] = x.c;
}
}

namespace in_bits2 {
struct B {
    uint a : 4 = 7;
    uint b : 3;
};
constant B cb = {7, 2};
[[host_name("bits2")]] kernel void bits2(device int *o) {
    o[0] = cb.a;
    o[1] = cb.b;
}
}

namespace in_boolbits {
struct F {
    bool a : 1;
    bool b : 1;
    bool c : 1;
    uint rest : 5;
};
[[host_name("boolbits")]] kernel void boolbits(device int *o) {
    F f = {true, false, true, 6};
    f.b = !f.a;
    o[0] = f.a;
    o[1] = f.b;
    o[2] = f.c;
    o[3] = f.rest;
}
}

namespace in_unnamedbits {
struct F {
    uint a : 4;
    uint : 4;
    uint b : 4;
};
[[host_name("unnamedbits")]] kernel void unnamedbits(device int *o) {
    F f = {1, 2};
    o[0] = f.a;
    o[1] = f.b;
}
}
