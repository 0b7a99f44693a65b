// Control flow: loops in loops, what leaves them, switch, conditions with effects.
// run collatz grid=100
// out 0: uint 100
// run nests grid=64
// in 0: int 64
// out 1: int 256
// run switches grid=64
// in 0: int 64
// out 1: int 192
// run effects grid=64
// in 0: int 128
// out 1: int 256
// run primes grid=200
// out 0: uint 200
#include <metal_stdlib>
using namespace metal;

kernel void collatz(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint n = i + 1, steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    if (++steps > 1000) break;
  }
  out[i] = steps;
}

kernel void nests(device const int *in [[buffer(0)]], device int *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int v = in[i] & 0xff, sum = 0, skipped = 0;
  for (int a = 0; a < 10; a++) {
    if (a == (v & 7)) continue;
    for (int b = a;; b += 2) {
      if (b > 20) break;
      int c = 0;
      do {
        c++;
        if ((a + b + c) % 5 == 0) {
          skipped++;
          continue;
        }
        sum += c;
        if (sum > 400) break;
      } while (c < (v >> 4));
      if (sum % 7 == 3) break;
    }
  }
  out[4 * i] = sum;
  out[4 * i + 1] = skipped;
  int x = v, y = 0;
  for (int a = 0, b = 100; a < b; a++, b -= 3) {
    x += a * b;
    y = x % 11 ? y + 1 : y - 2;
  }
  out[4 * i + 2] = x;
  out[4 * i + 3] = y;
}

static int classify(int v, thread int &hits) {
  switch (v & 15) {
  case 0:
    return -1;
  case 1:
    hits++;
  case 2:
  case 3:
    hits += 10;
    break;
  case 4: {
    int t = hits;
    hits = t + 100;
    break;
  }
  default:
    hits += 1000;
  case 7:
    hits += 5;
    if (v & 32) break;
    hits += 7;
  }
  return hits;
}

kernel void switches(device const int *in [[buffer(0)]], device int *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int hits = 0, n = 0;
  int r = classify(in[i], hits);
  for (int k = 0; k < 20; k++) {
    switch ((in[i] + k) % 6) {
    case 0:
      continue;
    case 1:
      n += 1;
      break;
    case -2:
    case 2:
      n += 10;
      if (n > 50) {
        k += 3;
        break;
      }
      n++;
      break;
    default:
      n -= 2;
    }
    if (n < -20) break;
    n += 3;
  }
  out[3 * i] = r;
  out[3 * i + 1] = hits;
  out[3 * i + 2] = n;
}

static bool tick(thread int &n, bool b) {
  n = n * 2 + 1;
  return b;
}

static int early(int v) {
  if (v < 0) return -v;
  for (int k = 0; k < 8; k++) {
    if (v >> k == 1) return k;
    while (v & 1) {
      v >>= 1;
      if (v == 3) return 77;
    }
  }
  return 1000 + v;
}

kernel void effects(device const int2 *in [[buffer(0)]], device int4 *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  int2 v = in[i];
  int n = 0;
  bool b = tick(n, v.x > 0) && tick(n, v.y > 0) || tick(n, v.x == v.y);
  int m = b ? n++ : --n;
  int c = (n += 2, n * 3);
  n = m = c;
  int d = v.x > v.y ? v.x : v.y > 5 ? 5 : v.y;
  out[i] = int4(n, m + (b ? 100 : 0), d, early(v.x % 100));
}

kernel void primes(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  bool prime = i > 1;
  for (uint d = 2; d * d <= i && prime; ++d) prime = i % d != 0;
  out[i] = prime ? i : 0;
}
