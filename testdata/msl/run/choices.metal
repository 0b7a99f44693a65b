// launch parts
// buffer 0: zero 64
// want 0: i32 1 2 3 10 20 30 7 8 9 1 3 5 2 4 6 5
// launch objects
// buffer 0: zero 48
// buffer 1: i32 1 2 3 4
// want 0: i32 2 3 5 1 2 4 40 3 2 1 8 9
// want 1: i32 9 2 8 4
#include <metal_stdlib>
using namespace metal;

// A choice between parts of constants, lanes, columns and swizzles: each alternative is read where it is.
struct plain { int a, b, c; int at(int i) const constant { return i ? b : a; } };
struct table { int e[3]; };
constant plain first = {1, 2, 3};
constant plain second = {4, 5, 6};
constant table t = {{7, 8, 9}};
constant int4 lanes = int4(10, 20, 30, 40);
constant float2x3 m = float2x3(1, 2, 3, 4, 5, 6);
constant int limits[3] = {1, 3, 5};

kernel void parts(device int *o [[buffer(0)]]) {
    int4 v = int4(2, 4, 6, 8);
    for (int i = 0; i < 3; i++) {
        o[i] = i == 0 ? first.a : i == 1 ? first.b : first.c;
        o[3 + i] = (i == 0 ? (lanes.x) : (i == 1 ? lanes.y : (lanes[i])));
        o[6 + i] = i == 0 ? t.e[0] : i == 1 ? t.e[i] : (t.e[i]);
        o[9 + i] = i == 0 ? limits[i] : (i == 1 ? limits[1] : limits[2]);
        o[12 + i] = (i == 0 ? v.xy : i == 1 ? v.yz : v.zw).x;
    }
    int i = o[15];
    float3 column = i == 1 ? m[0] : i == 0 ? m[1] : m[i];
    o[15] = int(column.y);
}

int read(constant int &n) { return n; }

kernel void objects(device int *o [[buffer(0)]], device int *d [[buffer(1)]]) {
    int i = o[0];
    constant plain &p = i == 1 ? first : second;
    constant int *q = i == 0 ? &t.e[1] : &first.c;
    o[0] = read(i == 0 ? first.b : second.c);
    o[1] = read(i == 1 ? first.b : i == 0 ? first.c : second.c);
    o[2] = p.at(i + 1);
    o[3] = (i == 0 ? first : second).a;
    o[4] = (i == 0 ? first : second).at(1);
    (i == 0 ? d[0] : d[1]) = 9;
    o[5] = p.a;
    o[6] = lanes[i + 3];
    int a = 1, b = 2;
    (i == 1 ? a : i == 0 ? b : a) += 1;
    o[7] = b;
    o[8] = (i == 1 ? a : i == 0 ? d[1] : b);
    o[9] = i == 0 ? i == 0 ? a : b : i == 2 ? b : a;
    o[10] = *q;
    (i == 1 ? d[1] : (o[0] == 2 ? d[2] : d[3])) = *q;
    o[11] = d[0];
}
