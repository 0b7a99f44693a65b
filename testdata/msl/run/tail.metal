// launch collatz grid=4
// buffer 0: zero 16
// want 0: i32 0 1 7 2
#include <metal_stdlib>
using namespace metal;

struct Walk {
    int steps;
    void go(int n) thread {
        if (n <= 1) return;
        steps++;
        if (n % 2 == 0) {
            go(n / 2);
        } else {
            int next = 3 * n + 1;
            go(next);
        }
    }
};

kernel void collatz(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    Walk w;
    w.steps = 0;
    w.go(i + 1);
    out[i] = w.steps;
}
