// launch designated
// buffer 0: i32 3 4
// buffer 1: zero 24
// want 1: i32 3 0 4 7 0 9
#include <metal_stdlib>
using namespace metal;

struct Vars {
    device int *in;
    int unused;
    int2 pair;
};

struct List {
    int n[3];
};

int sum(Vars v) { return v.in[0] + v.pair.y; }

kernel void designated(device int *in [[buffer(0)]], device int *out [[buffer(1)]]) {
    const Vars vars = Vars{.in = in, .pair = int2(0, in[1])};
    out[0] = vars.in[0];
    out[1] = vars.unused;
    out[2] = vars.pair.y;
    out[3] = sum(Vars{.in = in, .pair = int2(4)});
    List l = List{.n = {0, 9}};
    out[4] = l.n[2];
    out[5] = l.n[1];
}
