// Kernels with mistakes, each before its correct form. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void read_right_edge_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                  uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(i % 17, 3)).x; // FIND bounds
}

kernel void read_right_edge_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                  uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(i % 16, 3)).x;
}

kernel void write_right_edge_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                   uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(i % 17, i / 17)); // FIND bounds
}

kernel void write_right_edge_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                   uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(i % 16, i / 16));
}

kernel void read_bottom_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                              uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(3, i / 8 + 1)).x; // FIND bounds
}

kernel void read_bottom_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                              uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(3, i / 8)).x;
}

kernel void write_bottom_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                               uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(i % 8, i / 8 + 1)); // FIND bounds
}

kernel void write_bottom_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                               uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(i % 8, i / 8));
}

kernel void read_minus_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                             uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(int2(int(i % 16) - 1, 2))).x; // FIND bounds
}

kernel void read_minus_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                             uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(int2(max(int(i % 16) - 1, 0), 2))).x;
}

kernel void write_minus_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                              uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(int2(int(i % 16) - 1, i / 16))); // FIND bounds
}

kernel void write_minus_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                              uint i [[thread_position_in_grid]]) {
    if (i % 16 > 0)
        tex.write(uint4(i), uint2(int2(int(i % 16) - 1, i / 16)));
}

kernel void read_swapped_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                               uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(i / 64, i % 64)).x; // FIND bounds
}

kernel void read_swapped_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                               uint i [[thread_position_in_grid]]) {
    out[i] = tex.read(uint2(i % 16, i / 64)).x;
}

kernel void write_swapped_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(i / 64, i % 64)); // FIND bounds
}

kernel void write_swapped_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                uint i [[thread_position_in_grid]]) {
    tex.write(uint4(i), uint2(i % 16, i / 16));
}

kernel void inclusive_guard_wrong(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                  uint i [[thread_position_in_grid]]) {
    uint2 at = uint2(i % 32, i / 32);
    if (at.x <= tex.get_width())
        tex.write(uint4(i), at); // FIND bounds
}

kernel void inclusive_guard_right(texture2d<uint, access::read_write> tex [[texture(0)]], device uint *out [[buffer(0)]],
                                  uint i [[thread_position_in_grid]]) {
    uint2 at = uint2(i % 32, i / 32);
    if (at.x < tex.get_width())
        tex.write(uint4(i), at);
}
