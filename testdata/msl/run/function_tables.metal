// launch through grid=5
// buffer 0: f32 1 2 3 4 5
// buffer 1: i32 4 0 3 0 0 0 1 0 2 0
// buffer 2: zero 16
// want 0: f32 -1 0 13 8 0
// want 2: i32 4 0 0 1
// launch pairs grid=1
// buffer 0: zero 12
// buffer 1: i32 2 0 4 0 5 0
// want 0: i32 7 12 0
#include <metal_stdlib>
using namespace metal;

struct Pair { int a, b; };

[[visible]] float plus_ten(float x, device int *calls) { return x + 10; }
[[visible]] float doubled(float x, device int *calls) {
    if (x < 0) return 0;
    return x * 2;
}
namespace inner {
[[visible]] float negated(float x, device int *calls) {
    calls[3] = 1;
    return -x;
}
}
[[visible]] Pair sum_first(Pair p) { return {p.a + p.b, p.b}; }
[[visible]] Pair product_first(Pair p) { return {p.a * p.b, p.b}; }

// Thread 0 calls the third function, thread 1 an empty entry, threads 2 and 3 the first two, and thread 4 an entry that is not there.
kernel void through(device float *p [[buffer(0)]], visible_function_table<float(float, device int *)> table [[buffer(1)]], device int *q [[buffer(2)]],
                    uint i [[thread_position_in_grid]]) {
    p[i] = table[i](p[i], q);
    if (i == 0) {
        q[0] = table.size();
        q[1] = table.empty();
        q[2] = is_null_visible_function_table(table);
    }
}

static int first(visible_function_table<Pair(Pair)> table, uint n) {
    auto f = table[n];
    return f({3, 4}).a;
}

kernel void pairs(device int *p [[buffer(0)]], visible_function_table<Pair(Pair)> table [[buffer(1)]], visible_function_table<Pair(Pair)> unbound [[buffer(2)]]) {
    p[0] = first(table, 0);
    p[1] = first(table, 1);
    p[2] = first(unbound, 0);
}
