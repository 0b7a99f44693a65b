// Indices that do not fit in 32 bits. See order.metal for the form of this file.
#include <metal_stdlib>
using namespace metal;

kernel void product_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[(i + 70000) * 65536 - 292552704u - 65535 * i] = i; // FIND overflow
}

kernel void product_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[(ulong(i) + 70000) * 65536 - 4587520000ul - 65535 * i] = i;
}

kernel void minus_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i - 1 + 1] = i;
}

kernel void hash_right(device atomic_uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(&out[(i * 2654435761u) % 1024], 1u, memory_order_relaxed);
    atomic_fetch_add_explicit(&out[(i * 2654435761u + 12345u) >> 22], 1u, memory_order_relaxed);
    atomic_fetch_add_explicit(&out[(i * 2654435761u) & 1023], 1u, memory_order_relaxed);
}

kernel void signed_wrong(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[int(i) * 20000000 - int(i) * 19999999] = i; // FIND overflow
}

kernel void signed_right(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[long(i) * 20000000 - long(i) * 19999999] = i;
}
