package analyze_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute"
)

// bounded has kernels, and what remains to do when one does as the advice says. No other test has
// them. Each pair ends in _0 and _1.
const bounded = `#include <metal_stdlib>
using namespace metal;
#define ARGS device uint *y [[buffer(0)]], device const uint *x [[buffer(1)]], device atomic_uint *c [[buffer(2)]]
#define ONE ARGS, uint i [[thread_position_in_grid]]
#define TWO ARGS, uint2 p [[thread_position_in_grid]], uint2 n [[threads_per_grid]]

#define BRANCH(name, decision) kernel void name(ONE) { \
	uint v = x[i]; \
	if (decision) { for (int j = 0; j < 40; j++) v = v * 3 + 1; } else { for (int j = 0; j < 40; j++) v = v * 5 + 7; } \
	y[i] = v; }
BRANCH(both_0, i & 1)
BRANCH(both_1, i & 32)

#define THREE(name, decision) kernel void name(ONE) { \
	uint v = x[i], d = decision; \
	if (d == 0) { for (int j = 0; j < 20; j++) v = v * 3 + 1; } \
	if (d == 1) { for (int j = 0; j < 20; j++) v = v * 5 + 1; } \
	if (d == 2) { for (int j = 0; j < 20; j++) v = v * 7 + 1; } \
	y[i] = v; }
THREE(same_0, i % 3)
THREE(same_1, i / 32 % 3)

#define LOOP(name, times) kernel void name(ONE) { \
	uint v = x[i]; \
	for (uint j = 0; j < times; j++) v = v * 3 + j; \
	y[i] = v; }
LOOP(loop_0, i % 32)
LOOP(loop_1, i / 32 % 32)

kernel void down_0(TWO) { y[p.x * n.y + p.y] = x[p.x * n.y + p.y] + 1; }
kernel void down_1(TWO) { y[p.y * n.x + p.x] = x[p.y * n.x + p.x] + 1; }

kernel void product_0(TWO) {
	uint v = 0;
	for (uint k = 0; k < 64; k++) v += x[p.x * 64 + k] * x[p.y * 64 + k];
	y[p.y * n.x + p.x] = v;
}
kernel void product_1(TWO, uint2 t [[thread_position_in_threadgroup]]) {
	threadgroup uint a[8][33], b[8][33];
	uint v = 0, row = t.y * 32 + t.x;
	for (uint k = 0; k < 64; k += 8) {
		for (uint j = row; j < 256; j += 256) {
			a[j % 8][j / 8] = x[(p.x - t.x + j / 8) * 64 + k + j % 8];
			b[j % 8][j / 8] = j < 64 ? x[(p.y - t.y + j / 8) * 64 + k + j % 8] : 0;
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (uint j = 0; j < 8; j++) v += a[j][t.x] * b[j][t.y];
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	y[p.y * n.x + p.x] = v;
}

kernel void wide_0(TWO) { y[p.y * n.x + p.x] = x[p.y * n.x + p.x] * x[p.y * 64]; }
kernel void wide_1(TWO) { y[p.y * n.x + p.x] = x[p.y * n.x + p.x] * x[p.y * 64]; }

struct S { uint a, b, c, d; };
kernel void members_0(ONE) { device const S *s = (device const S *)x; y[i] = s[i].a + s[i].c; }
kernel void members_1(ONE) { y[i] = x[i] + x[i + 8192]; }

kernel void gather_0(ONE) { y[i] = x[(i * 7919u) % 4096] + x[(i * 104729u) % 4096]; }
kernel void gather_1(ONE) { y[i] = x[i / 64] + x[(i + 5) / 64]; }

kernel void groups_0(ONE, uint g [[threadgroup_position_in_grid]]) {
	atomic_fetch_add_explicit(c + g, x[i], memory_order_relaxed);
}
kernel void groups_1(ONE, uint g [[threadgroup_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
	threadgroup atomic_uint own;
	if (t == 0) atomic_store_explicit(&own, 0, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	atomic_fetch_add_explicit(&own, x[i], memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (t == 0) atomic_fetch_add_explicit(c + g, atomic_load_explicit(&own, memory_order_relaxed), memory_order_relaxed);
}

#define TILE(name, pad) kernel void name(TWO, uint2 t [[thread_position_in_threadgroup]]) { \
	threadgroup uint tile[32][32 + pad]; \
	tile[t.x][t.y] = x[p.y * n.x + p.x]; \
	threadgroup_barrier(mem_flags::mem_threadgroup); \
	y[p.y * n.x + p.x] = tile[t.x][t.y] + tile[t.x][31 - t.y]; }
TILE(tile_0, 0)
TILE(tile_1, 1)

kernel void bytes_0(device uchar *y [[buffer(0)]], device const uchar *x [[buffer(1)]],
		device const uint *z [[buffer(2)]], uint i [[thread_position_in_grid]]) { y[i] = x[i] + z[0]; }
kernel void bytes_1(device uint4 *y [[buffer(0)]], device const uint4 *x [[buffer(1)]],
		device const uint *z [[buffer(2)]], uint i [[thread_position_in_grid]]) { y[i] = x[i] + z[0]; }

kernel void group_0(ONE) { y[i] = x[i] * 3; }
kernel void group_1(ONE) { y[i] = x[i] * 3; }
`

// TestBounds: what a change gains that follows an advice is within the bound of that advice,
// whether the change reaches one access, all of them, or several branches.
func TestBounds(t *testing.T) {
	acc := openCounting(t)
	p, err := acc.Compile(t.Context(), bounded, compute.CompileOptions{Name: "bounded.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	var buffers [3]any
	for i := range buffers {
		b, err := compute.NewZeroed[uint32](t.Context(), acc, 1<<16, compute.BufferOptions{})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		buffers[i] = b
	}
	bytes, err := compute.NewZeroed[uint8](t.Context(), acc, 1<<14, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(bytes.Close)
	vectors, err := compute.NewZeroed[[4]uint32](t.Context(), acc, 1<<10, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(vectors.Close)
	lines := func(l *event.Launch) int64 {
		all := l.Totals()
		return all.Transactions[2]
	}
	passes := func(l *event.Launch) (n int64) {
		for i := range l.Sites {
			n += l.Sites[i].BankPasses
		}
		return n
	}
	instructions := func(l *event.Launch) int64 { return l.Instructions }
	one := func(n, group int) compute.Threads { return compute.Threads1D(n).In(compute.Extent{X: group}) }
	two := func(x, y int, group compute.Extent) compute.Threads { return compute.Threads2D(x, y).In(group) }
	rows := compute.Extent{X: 32, Y: 8}
	for _, c := range []struct {
		kernel        string
		before, after compute.Threads
		remedy        analyze.Remedy
		count         func(*event.Launch) int64
		gain          float64 // what the change at least gains, so that the pair says something
	}{
		{"both", one(1024, 256), one(1024, 256), analyze.Converge, instructions, 1.8},
		{"same", one(3072, 96), one(3072, 96), analyze.Converge, instructions, 1.8},
		{"loop", one(2048, 256), one(2048, 256), analyze.Converge, instructions, 1.5},
		{"down", two(64, 64, rows), two(64, 64, rows), analyze.Interchange, lines, 20},
		{"product", two(64, 64, rows), two(64, 64, rows), analyze.Interchange, lines, 8},
		{"wide", two(64, 64, compute.Extent{X: 8, Y: 8}), two(64, 64, rows), analyze.Widen, lines, 2},
		{"members", one(4096, 256), one(4096, 256), analyze.SplitStructures, lines, 2},
		{"gather", one(4096, 256), one(4096, 256), analyze.Stage, lines, 10},
		{"groups", one(4096, 256), one(4096, 256), analyze.Privatize, lines, 1.5},
		{"tile", two(64, 64, compute.Extent{X: 32, Y: 32}), two(64, 64, compute.Extent{X: 32, Y: 32}), analyze.Pad, passes,
			10},
		{"bytes", one(4096, 256), one(4096/16, 256), analyze.Vectorize, analyze.Accesses, 10},
		{"group", one(4800, 40), one(4800, 160), analyze.Regroup, instructions, 1.5},
	} {
		observe := func(suffix string, size compute.Threads) *event.Launch {
			k, err := p.Kernel(c.kernel + suffix)
			require.NoError(t, err)
			args := buffers[:]
			switch c.kernel + suffix {
			case "bytes_0":
				args = []any{bytes, bytes, buffers[2]}
			case "bytes_1":
				args = []any{vectors, vectors, buffers[2]}
			}
			l, err := k.Bind(size, args...)
			require.NoError(t, err)
			return observed(t, acc, l)
		}
		before, after := observe("_0", c.before), observe("_1", c.after)
		advice, err := analyze.Recommend(before, 128)
		require.NoError(t, err)
		i := slices.IndexFunc(advice, func(r analyze.Recommendation) bool { return r.Remedy == c.remedy })
		require.GreaterOrEqual(t, i, 0, "%s: no advice to %s in %v", c.kernel, c.remedy, advice)
		gained := float64(c.count(before)) / float64(c.count(after))
		assert.GreaterOrEqual(t, gained, c.gain, c.kernel)
		for _, r := range advice {
			if r.Remedy == c.remedy {
				assert.LessOrEqual(t, gained, r.Gain*(1+1e-9), "%s: %s", c.kernel, r.String())
				t.Logf("%s: gained %.3g: %s", c.kernel, gained, r.String())
			}
		}
	}
}
