// launch globals
// buffer 0: zero 96
// want 0: i32 1 2 3 4 15 16 22 25 31 36 37 38 41 42 0 0 53 54 61 64 65 71 72 0
// launch locals
// buffer 0: i32 5 6 7 8 8*0
// want 0: i32 5 6 7 8 6 26 8 9 3 4 5 6
// launch literals
// buffer 0: zero 76
// want 0: i32 97 98 99 0 4 100 101 0 0 120 121 0 0 7 122 119 0 3 200
// launch samplers grid=4 group=4
// texture 0: R32Float 2 1: f32 0 8
// buffer 0: zero 64
// want 0: f32 8 0 8 0 0 8 0 8 8 0 8 0 8 0 8 0
// launch empty
// buffer 0: zero 12
// want 0: i32 3 4 5
#include <metal_stdlib>
using namespace metal;

// Braces may be left out around the elements of metal::array, as of every aggregate.
struct Big {
    array<uint, 4> limbs;
};
struct Pair {
    Big a;
    uint b;
};
constant Big one = {1, 2, 3, 4};
constant Pair flat = {12, 13, 14, 15, 16};
constant Pair half_flat = {{22, 23, 24, 25}, 26};
constant Pair nested = {{{31, 32, 33, 34}}, 36};
constant Pair full = {{{{31, 32, 33, 37}}}, 38};
constant Big shorter = {41, 42};
constant array<array<uint, 2>, 2> square = {51, 52, 53, 54};
constant Big row[2] = {61, 62, 63, 64, 65};
constant array<Big, 2> big = {{71, 72}};

kernel void globals(device uint *o) {
    for (uint i = 0; i < 4; i++) o[i] = one.limbs[i];
    o[4] = flat.a.limbs[3];
    o[5] = flat.b;
    o[6] = half_flat.a.limbs[0];
    o[7] = half_flat.a.limbs[3];
    o[8] = nested.a.limbs[0];
    o[9] = nested.b;
    o[10] = full.a.limbs[3];
    o[11] = full.b;
    for (uint i = 0; i < 4; i++) o[12 + i] = shorter.limbs[i];
    o[16] = square[1][0];
    o[17] = square[1][1];
    o[18] = row[0].limbs[0];
    o[19] = row[0].limbs[3];
    o[20] = row[1].limbs[0];
    o[21] = big[0].limbs[0];
    o[22] = big[0].limbs[1];
    o[23] = big[1].limbs[0];
}

kernel void locals(device uint *o) {
    Big b = {o[0], o[1], o[2], o[3]};
    array<uint, 4> v = {6, 26, 8, 9};
    Pair p{v, 3}; // an array is an element itself
    Pair q = {b.limbs, 4};
    for (uint i = 0; i < 4; i++) o[i] = q.a.limbs[i];
    for (uint i = 0; i < 4; i++) o[4 + i] = p.a.limbs[i];
    o[8] = p.b;
    o[9] = q.b;
    o[10] = Big{5, 6}.limbs[0];
    o[11] = Big{5, 6}.limbs[1];
}

// A string literal initializes arrays of char and of uchar.
struct Named {
    uchar name[4];
    int x;
};
constant uchar letters[] = "abc";
constant uchar rows[2][2] = {"d", "e"};
constant Named named = {"xy", 7};
constant uchar high[] = "\xc8";

kernel void literals(device int *o) {
    uchar own[] = {"zw"};
    for (int i = 0; i < 4; i++) o[i] = letters[i];
    o[4] = sizeof(letters);
    o[5] = rows[0][0];
    o[6] = rows[1][0];
    o[7] = rows[0][1];
    o[8] = rows[1][1];
    for (int i = 0; i < 4; i++) o[9 + i] = named.name[i];
    o[13] = named.x;
    for (int i = 0; i < 3; i++) o[14 + i] = own[i];
    o[17] = sizeof(own);
    o[18] = high[0];
}

// Arrays of samplers are constants of the program too.
constexpr constant array<sampler, 2> clamped = {sampler(address::clamp_to_edge), sampler(address::clamp_to_zero)};
constexpr constant sampler repeated[2] = {sampler(address::mirrored_repeat), sampler(address::repeat)};

kernel void samplers(texture2d<float> t [[texture(0)]], device float *o, uint i [[thread_position_in_grid]]) {
    constexpr array<sampler, 2> own = {{sampler(address::repeat), sampler(address::clamp_to_edge)}};
    float2 at = float2(1.25f, 0.5f);
    o[i] = t.sample(clamped[i % 2], at).x;
    o[4 + i] = t.sample(own[i % 2], at).x;
    o[8 + i] = t.sample(clamped[0], i % 2 ? -at : at).x;
    o[12 + i] = t.sample(repeated[i % 2], at).x;
}

// Members without elements of their own take one all the same.
struct Tag {};
template <class T> struct Tagged {
    T tag;
    Tag other;
    uint value;
};
template <class T> static uint tagged(T t, uint v) {
    Tagged<T> x = {t, Tag(), v};
    return x.value;
}
kernel void empty(device uint *o [[buffer(0)]]) {
    Tagged<Tag> y = {{}, {}, 5};
    o[0] = tagged(Tag(), 3);
    o[1] = tagged(1, 4);
    o[2] = y.value;
}
