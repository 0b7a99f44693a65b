package exectest

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/test/testlaunch"
)

// heldCases are bodies of kernels that compute x from the lane l, and what x is then.
var heldCases = []struct {
	name, body string
	want       func(l int) int
}{
	{"scan", "x = 1; if (l >= 1) x += simd_shuffle_up(x, 1); if (l >= 2) x += simd_shuffle_up(x, 2);" +
		"if (l >= 4) x += simd_shuffle_up(x, 4); if (l >= 8) x += simd_shuffle_up(x, 8);" +
		"if (l >= 16) x += simd_shuffle_up(x, 16);", func(l int) int { return l + 1 }},
	{"scan by a loop that lanes leave", "x = 1; for (uint d = 1; d <= l; d *= 2) x += simd_shuffle_up(x, d);",
		func(l int) int { return l + 1 }},
	{"function with a reference", "x = 1; for (uint d = 1; d < 32; d *= 2) step(x, l, d);",
		func(l int) int { return l + 1 }},
	{"method", "S s; s.v = 1; s.l = l; for (uint d = 1; d < 32; d *= 2) s.step(d); x = s.v;",
		func(l int) int { return l + 1 }},
	{"lane of a vector", "int4 v(l, 2 * l, 3, 4); if (l > 20) x = simd_broadcast(v.y, 7);", choice(20, 14, -1)},
	{"conversion", "int v = 3 * l; if (l > 20) x = simd_shuffle(short(v), 5);", choice(20, 15, -1)},
	{"truth value", "bool v = l < 9; if (l > 20) x = simd_shuffle_xor(v, 16);",
		func(l int) int { return choice(20, b2i(l^16 < 9), -1)(l) }},
	{"halves", "half4 v = half4(l); if (l > 20) x = int(simd_shuffle_down(v, 30).z);",
		func(l int) int { return choice(20, l, -1)(l) }},
	{"constant", "if (l > 20) x = simd_shuffle(6, 2);", choice(20, 6, -1)},
	{"computed in the branch only", "if (l > 20) { int v = l * out[99]; x = simd_shuffle(v + 7, 2); }",
		choice(20, 0, -1)},
	{"second region", "int v = l + 50; if (l < 8) x = simd_rotate(v); else x = simd_shuffle(v, 3);",
		func(l int) int {
			if l < 8 {
				return 50 + (l+31)%32
			}
			return 53
		}},
	{"returned", "int v = l * 2; if (l == 4) return; x = simd_shuffle(v, 4);",
		func(l int) int { return choice(-1, 8, 0)(l) * b2i(l != 4) }},
	{"fill", "int v = l, w = 100 + l; if (l > 20) x = simd_shuffle_and_fill_up(v, w, 25);",
		func(l int) int {
			if l <= 20 {
				return -1
			} else if l >= 25 {
				return l - 25
			}
			return 100 + 32 + l - 25
		}},
	{"quad", "int v = l + 1; if (l % 4 == 3) x = quad_broadcast(v, 0) + " +
		"quad_shuffle_up(v, 1) + quad_shuffle_xor(v, 1);",
		func(l int) int {
			if l%4 != 3 {
				return -1
			}
			return l - 2 + l + l
		}},
	{"nested", "int v = l; if (l > 4) { v += 100; " +
		"if (l > 9) { if (l > 15) x = simd_shuffle(v, 6) + simd_shuffle(v, 2); } }",
		choice(15, 106, -1)},
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// choice returns more for lanes above one, and other for those up to it.
func choice(above, more, other int) func(int) int {
	return func(l int) int {
		if l > above {
			return more
		}
		return other
	}
}

// TestHeldLanes: a shuffle from a lane that a branch switched off gives the value that the lane had
// when it last computed the operand, 0 if it never has, in every engine and way to compile.
func TestHeldLanes(t *testing.T) {
	for _, c := range heldCases {
		m, diags := msl.Compile(context.Background(), msl.Source{Name: "held.metal", Text: `#include <metal_stdlib>
using namespace metal;
int simd_rotate(int v) { return simd_shuffle_rotate_up(v, 1); }
void step(thread int &s, uint l, uint d) { if (l >= d) s += simd_shuffle_up(s, d); }
struct S { int v; uint l; void step(uint d) { if (l >= d) v += simd_shuffle_up(v, d); } };
kernel void k(device int *out [[buffer(0)]], uint l [[thread_index_in_simdgroup]],
              uint t [[thread_index_in_threadgroup]]) {
  int x = -1;
  ` + c.body + `
  out[t] = x;
}`}, msl.Options{NoWarnings: true, Verify: true})
		require.Empty(t, diags, c.name)
		l := testlaunch.Launch{Grid: [3]int{64}, Group: [3]int{64}, Fuel: 1 << 30,
			Buffers: map[int]testlaunch.Buffer{0: {Data: make([]byte, 400)}}}
		Run(t, m.IR.Func("k"), l, EveryWay()...)
		for i := range 64 {
			got := int(int32(binary.LittleEndian.Uint32(l.Buffers[0].Data[4*i:])))
			assert.Equal(t, c.want(i%32), got, "%s: thread %d", c.name, i)
		}
	}
}
