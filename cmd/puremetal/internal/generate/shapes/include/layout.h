#pragma once

enum class Mode : ushort { off, on };

struct Base {
    char tag;
    int id;
};

struct Inner {
    half3 h;
    packed_half3 p;
    bool flags[3];
};

// Every kind of member that has a Go type, most of them behind padding.
struct Everything : Base {
    uchar lead;
    Inner in[2];
    float3x2 m32;
    char gap;
    float3x3 m33;
    half2x4 m24;
    Mode mode;
    packed_uchar3 color;
    short2 pair;
    ulong big;
    packed_long2 longs;
    array<short3, 2> triples;
    float grid[2][3];
    bfloat brain;
    uchar type; // a keyword of Go
};

struct Overlapping {
    union { float f; uint u; };
    int next;
};

struct Node {
    float value;
    device const Node *next;
};

struct Scene {
    device const Node *nodes;
    uint first;
};
