// A small struct is the values of its members; a branch gives only the member that it assigns. What is larger lives in memory
// and is copied as a whole.
#include <metal_stdlib>
using namespace metal;

struct Small { float a; int2 b; };
struct Large { float v[40]; Small s; };

kernel void structs(device Small *p [[buffer(0)]], device Large *q [[buffer(1)]]) {
    Small s = p[0];
    if (s.a > 0) s.b.y = 7;
    p[1] = s;
    Large l = q[0];
    l.s = s;
    q[1] = l;
}
