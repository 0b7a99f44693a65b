// metal 400
// launch flat grid=4
// texture 0: R32Uint 2 1: i32 5 9
// texture 1: R32Sint 2 1: i32 -3 4
// buffer 0: zero 32
// wanttexture 0: i32 41 4
// wanttexture 1: i32 -7 100
// want 0: i32 1 41 4 0 -3
// launch layers
// texture 0: R32Uint 3 1 1 2: i32 1 2 3 4 5 6
// texture 1: R32Uint 1 1 2: i32 1 0x80000000
// texture 2: R32Uint 2: i32 0 6
// buffer 0: zero 16
// wanttexture 0: i32 1 2 3 4 5 14
// wanttexture 1: i32 1 7
// wanttexture 2: i32 0 6
// want 0: i32 6 -2147483648 6
// launch wide
// texture 0: RG32Uint 2 1: i32 1 2 0 1
// wanttexture 0: i32 1 2 0xffffffff 0
// buffer 0: zero 4
// launch faces
// texture 0: R32Uint 1 1 1 12: i32 0 1 2 3 4 5 6 7 8 9 10 11
// wanttexture 0: i32 0 1 2 3 4 5 6 7 8 19 10 11
// buffer 0: zero 4
// want 0: i32 9
#include <metal_stdlib>
using namespace metal;

kernel void flat(texture2d<uint, access::read_write> u [[texture(0)]], texture2d<int, access::read_write> s [[texture(1)]],
                 device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    u.atomic_fetch_add(uint2(0, 0), i * 6u);
    s.atomic_fetch_sub(ushort2(0), 1);
    u.atomic_fetch_add(uint2(7, 0), 100u); // there is no such texel
    if (i < 3) return;
    uint4 expected = 9;
    out[0] = u.atomic_compare_exchange_weak(uint2(1, 0), &expected, 4u);
    if (u.atomic_compare_exchange_weak(uint2(0, 0), &expected, 4u)) out[0] = -1;
    out[1] = expected.x;
    out[2] = u.atomic_load(uint2(1, 0)).x;
    out[3] = u.atomic_load(uint2(1, 0)).y;
    s.atomic_store(int4(-5, 1, 1, 1), uint2(1, 0));
    s.atomic_fetch_max(uint2(1, 0), -3);
    out[4] = s.atomic_exchange(uint2(1, 0), 100).x;
}

kernel void layers(texture2d_array<uint, access::read_write> a [[texture(0)]], texture3d<uint, access::read_write> d [[texture(1)]],
                   texture_buffer<uint, access::read_write> b [[texture(2)]], device uint *out [[buffer(0)]]) {
    out[0] = a.atomic_fetch_or(uint2(2, 0), 1u, 8u).x;
    out[1] = d.atomic_fetch_min(uint3(0, 0, 1), 7u).x;
    out[2] = b.atomic_fetch_and(1u, 14u).x;
    b.atomic_fetch_xor(0u, 0u);
}

kernel void wide(texture2d<ulong, access::read_write> t [[texture(0)]]) {
    t.atomic_max(uint2(0), 0xfffffffful);
    t.atomic_min(uint2(1, 0), 0xfffffffful);
}

kernel void faces(texturecube_array<uint, access::read_write> t [[texture(0)]], device uint *out [[buffer(0)]]) {
    *out = t.atomic_fetch_add(uint2(0), 3u, 1u, 10u).x;
}
