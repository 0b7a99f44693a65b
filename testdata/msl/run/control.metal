// launch loops
// buffer 0: zero 48
// want 0: i32 45 25 3 10 7 111 6 12 4 9 2 55
// launch switches grid=7 group=7
// buffer 0: zero 28
// want 0: i32 10 31 21 100 7 7 -1
// launch calls grid=5
// buffer 0: zero 20
// want 0: i32 -1 1 2 3 5
#include <metal_stdlib>
using namespace metal;

static int first_over(int limit) {
    for (int i = 0;; i++) {
        for (int j = 0; j < i; j++)
            if (i * j > limit) return i + j;
    }
    return -1;
}

static bool bump(thread int &n) { n++; return n > 100; }

kernel void loops(device int *out [[buffer(0)]]) {
    int sum = 0;
    for (int i = 0; i < 10; i++) sum += i;
    out[0] = sum;
    sum = 0;
    for (int i = 0; i < 10; ++i) {
        if (i % 2 == 0) continue;
        sum += i;
    }
    out[1] = sum;
    int n = 0;
    while (true) {
        if (++n == 3) break;
    }
    out[2] = n;
    int k = 0;
    do { k += 5; } while (k < 10);
    out[3] = k;
    out[4] = first_over(10);
    int c = 0, acc = 111;
    if (false && bump(c)) acc = 5;
    if (true || bump(c)) acc += c;
    out[5] = acc;
    int w = 4, z = 0;
    while (w --> 0) z += w;
    out[6] = z;
    int a[4] = {1, 2, 3};
    a[3] = 6;
    int total = 0;
    for (uint i = 0; i < 4; i++) total += a[i];
    out[7] = total;
    int x = 3;
    out[8] = x++ == 3 ? x : 0;
    int y = 1;
    y <<= 3;
    y |= 1;
    out[9] = y;
    out[10] = (7 & ~5);
    int s2 = 0;
    for (int i = 1, j = 10; i <= j; i++, j--) {
        s2 += i + j;
    }
    out[11] = s2;
}

kernel void switches(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    int r = 0;
    switch (i) {
    case 0:
        r = 10;
        break;
    case 1:
        r += 10;
        // falls through
    case 2:
        r += 21;
        break;
    default:
        r = -1;
        break;
    case 3: {
        for (int k = 0; k < 3; k++) {
            if (k == 1) break;
            r = 100;
        }
        break;
    }
    case 4:
    case 5:
        out[i] = 7;
        return;
    }
    out[i] = r;
}

static int pick(int n) {
    if (n < 1) return -1;
    if (n == 4) { return 5; }
    int r = n;
    return r;
}

kernel void calls(device int *out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = pick(i); }
