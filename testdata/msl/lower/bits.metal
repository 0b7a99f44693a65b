// as_type changes the type and not the bits; bit fields are shifted and masked; conversions say whether they extend by sign; a pointer
// cast changes nothing but the size of what is loaded.
#include <metal_stdlib>
using namespace metal;

struct Flags { uint kind : 3; int level : 5; };

kernel void bits(device uint *p [[buffer(0)]], device Flags *f [[buffer(1)]], device char *c [[buffer(2)]]) {
    float x = as_type<float>(p[0]);
    half2 h = as_type<half2>(p[1]);
    p[2] = as_type<uint>(x + float(h.x));
    f[0].level = f[1].kind;
    p[3] = uint(c[0]) + uchar(c[1]);
    p[4] = *(device uint *)(c + 4);
    p[5] = uint(short(p[6])) >> 3u;
    c[2] = char(-7.5f);
}
