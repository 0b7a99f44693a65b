// launch library grid=2 group=2
// buffer 0: i32 0
// want 0: i32 3
// launch enums
// buffer 0: zero 12
// want 0: i32 6 3 1
// The library's functions are found by their arguments where no using directive names its namespace.
#include <metal_stdlib>

kernel void library(device metal::atomic_uint *sum [[buffer(0)]], uint i [[thread_position_in_threadgroup]], uint n [[threads_per_threadgroup]]) {
    threadgroup metal::atomic_uint part;
    if (i == 0) atomic_store_explicit(&part, 0, metal::memory_order_relaxed);
    threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&part, i + 1, metal::memory_order_relaxed);
    threadgroup_barrier(metal::mem_flags::mem_threadgroup);
    if (i + 1 == n) atomic_store_explicit(sum, atomic_load_explicit(&part, metal::memory_order_relaxed), metal::memory_order_relaxed);
}

namespace paint {
enum class Channel : uint { red = 1, green = 2, blue = 4 };
constexpr Channel operator|(Channel a, Channel b) { return Channel(uint(a) | uint(b)); }
bool has(Channel set, Channel one) { return (uint(set) & uint(one)) != 0; }
int weight(Channel c) { return int(c) * 3; }
}

kernel void enums(device int *out [[buffer(0)]]) {
    auto c = paint::Channel::green | paint::Channel::blue;
    out[0] = int(c);
    out[1] = weight(paint::Channel::red);
    out[2] = has(c, paint::Channel::blue) && !has(c, paint::Channel::red);
}
