package exectest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// TestThreadgroupSize: what kernels compute from the size of their threadgroup, which the vector
// engine does in advance, is the same in all its ways and on the oracle.
func TestThreadgroupSize(t *testing.T) {
	const text = `#include <metal_stdlib>
using namespace metal;
template <class T> static uint mix(T n, uint x) {
  T all[] = {T(n + 3), T(n - 40), T(n * n), T(n & 31), T(n | 5), T(n ^ 77), T(n >> 3), T(n >> (n & 7)),
    min(n, T(40)), max(n, T(40)), T(n == 64), T(n != 64), T(n < 64), T(n <= 64), T(40 < n), T(uchar(n * 3)), T(~n),
    T(n % 24), T(n / 3)};
  for (uint i = 0; i < sizeof(all) / sizeof(T); i++) x = x * 31 + uint(all[i]);
  return x;
}
static uint part(uint n, uint x) {
  if (n % 8 == 0) return simd_max(x);
  if (n % 3 == 0) { x += simd_min(x); if (n > 32) return x; }
  for (uint k = 0; k < n % 5; k++) x = x * 3 + k;
  return x;
}
kernel void k(device uint *out [[buffer(0)]], uint t [[thread_index_in_threadgroup]],
              uint3 i [[thread_position_in_grid]], uint3 n3 [[threads_per_grid]],
              uint3 size [[threads_per_threadgroup]], uint lane [[thread_index_in_simdgroup]]) {
  uint n = size.x * size.y * size.z, x = t;
  x = mix(n, x);
  x = mix(ushort(n), x);
  x = mix(ulong(n) * 0x123456789, x);
  uint3 v = size * 3 + 1;
  x += v.x * 5 + v.y * 7 + v.z;
  if (n % 32 == 0) x += simd_sum(lane); else x ^= 0x55;
  x += part(n, x) * 3;
  if (lane % 3 == 1) x += part(n, lane);
  if (n > 40) {
    if (lane % 2 != 0) x += simd_sum(x);
    if (n % 32 == 0) { x += 9; } else { x += simd_max(x) & 15; }
  }
  for (uint k = 0; k < size.x; k++) {
    if (size.y == 1 && k > 2) break;
    if (k == lane) continue;
    x = x * 3 + (n == 64 ? k : lane);
  }
  out[(i.z * n3.y + i.y) * n3.x + i.x] = x;
  if (size.x == 8) return;
  out[(i.z * n3.y + i.y) * n3.x + i.x] += simd_sum(x);
}`
	run(t, text, [][2][3]int{{{64}, {64}}, {{70}, {64}}, {{31}, {31}}, {{33}, {33}}, {{8, 8}, {8, 8}}, {{9, 9}, {8, 8}},
		{{1}, {1}}, {{5, 3, 2}, {4, 2, 2}}, {{256}, {128}}, {{40, 1, 2}, {40, 1, 1}}})
}

// TestActiveLanes: operations among active lanes, which are equal where the same lanes are active,
// differ where lanes have left a loop, a block or the kernel in between.
func TestActiveLanes(t *testing.T) {
	const text = `#include <metal_stdlib>
using namespace metal;
static uint active() { return uint(simd_vote::vote_t(simd_active_threads_mask())); }
static uint early(uint lane, uint x) {
  uint a = active();
  if ((lane ^ x) % 3 == 0) return a;
  uint b = active();
  if (lane > 20) x += active() * 3 + b;
  return x + (a ^ b) * 5 + active();
}
kernel void k(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]],
              uint lane [[thread_index_in_simdgroup]]) {
  uint x = active() + simd_sum(lane), y = x;
  x += active() * 3;
  if (lane % 5 == 1) x ^= active() + simd_sum(lane); else x ^= active() * 7 + simd_sum(lane);
  x += active() * 11 + simd_sum(lane);
  for (uint k = 0; k < 6; k++) {
    uint a = active();
    if ((lane + k) % 7 == 2) continue;
    uint b = active();
    for (uint j = 0; j < 3; j++) {
      if (j == lane % 4) break;
      x += active() * (j + 1);
    }
    uint c = active();
    if ((lane * k) % 11 == 9) break;
    uint d = active();
    x = x * 3 + (a ^ b) + (b == c ? 1 : 100) + (c ^ d) * 13;
    x += early(lane, k) + active();
    switch ((lane + k) % 4) {
    case 0: x += active(); break;
    case 1: x += active() * 3;
    case 2: x += active() * 5; break;
    }
    x += active() == d ? 1 : 50;
  }
  out[i] = x + y;
  uint before = active();
  if (lane == 3 || lane > 29) return;
  out[i] += (before ^ active()) + simd_sum(x);
  if (simd_is_first()) out[i] += 1000;
  if (quad_sum(x) % 3 == 0) out[i] += quad_sum(x);
  out[i] += quad_sum(x);
}`
	run(t, text, [][2][3]int{{{64}, {64}}, {{45}, {45}}, {{96}, {32}}, {{7}, {7}}})
}

// run compares the kernel k of a text on both engines, for grids and their threadgroups.
func run(t *testing.T, text string, sizes [][2][3]int) {
	t.Helper()
	m, diags := msl.Compile(context.Background(), msl.Source{Name: "k.metal", Text: text}, msl.Options{NoWarnings: true})
	require.Empty(t, diags)
	for _, size := range sizes {
		threads := 1
		for _, n := range size[0] {
			threads *= max(n, 1)
		}
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			Run(t, m.IR.Func("k"), testlaunch.Launch{Grid: size[0], Group: size[1], Fuel: 1 << 29,
				Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 4*threads)}}}, EveryWay()...)
		})
	}
}
