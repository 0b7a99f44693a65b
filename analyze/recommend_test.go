package analyze_test

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/analyze"
	"github.com/puremetal/puremetal/analyze/event"
	"github.com/puremetal/puremetal/compute"
)

// textbook has kernels as one writes them first, and as the advice says. They are launched over 256
// by 256 or over 65536 threads.
const textbook = `#include <metal_stdlib>
using namespace metal;

kernel void transposition_before(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                                 uint2 p [[thread_position_in_grid]]) {
	out[p.x * 256 + p.y] = in[p.y * 256 + p.x];
}
kernel void transposition_after(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                                uint2 p [[thread_position_in_grid]], uint2 g [[threadgroup_position_in_grid]],
                                uint2 t [[thread_position_in_threadgroup]]) {
	threadgroup uint tile[32][33];
	tile[t.y][t.x] = in[p.y * 256 + p.x];
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[(g.x * 32 + t.y) * 256 + g.y * 32 + t.x] = tile[t.x][t.y];
}

kernel void columns_before(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                           uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	for (uint k = 0; k < 256; k++) sum += in[i * 256 + k];
	out[i] = sum;
}
kernel void columns_after(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                          uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	for (uint k = 0; k < 256; k++) sum += in[k * 256 + i];
	out[i] = sum;
}

struct Particle { uint x, y, z, mass, vx, vy, vz, charge; };
kernel void structures_before(device const Particle *in [[buffer(0)]], device uint *out [[buffer(1)]],
                              uint i [[thread_position_in_grid]]) {
	out[i] = in[i].mass * 2;
}
kernel void structures_after(device const uint *mass [[buffer(0)]], device uint *out [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
	out[i] = mass[i] * 2;
}

kernel void histogram_before(device const uint *in [[buffer(0)]], device atomic_uint *bins [[buffer(1)]],
                             uint i [[thread_position_in_grid]]) {
	atomic_fetch_add_explicit(&bins[in[i] % 256], 1, memory_order_relaxed);
}
kernel void histogram_after(device const uint *in [[buffer(0)]], device atomic_uint *bins [[buffer(1)]],
                            uint i [[thread_position_in_grid]], uint t [[thread_index_in_threadgroup]]) {
	threadgroup atomic_uint own[256];
	if (t < 256) atomic_store_explicit(&own[t], 0, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	atomic_fetch_add_explicit(&own[in[i] % 256], 1, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (t < 256)
		atomic_fetch_add_explicit(&bins[t], atomic_load_explicit(&own[t], memory_order_relaxed), memory_order_relaxed);
}

kernel void copy_before(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                        uint i [[thread_position_in_grid]]) {
	out[i] = in[i * 4];
}
kernel void copy_after(device const uint *in [[buffer(0)]], device uint *out [[buffer(1)]],
                       uint i [[thread_position_in_grid]]) {
	out[i] = in[i];
}
`

type particle struct{ X, Y, Z, Mass, VX, VY, VZ, Charge uint32 }

// TestTextbook: for five textbook kernels, the advice is the textbook's, and the order of the
// predicted gains is that of the gains measured with the kernels that follow it.
func TestTextbook(t *testing.T) {
	acc := openCounting(t)
	ctx := t.Context()
	p, err := acc.Compile(ctx, textbook, compute.CompileOptions{Name: "textbook.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	in, err := compute.NewBuffer[uint32](acc, 65536*8, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(in.Close)
	out, err := compute.NewBuffer[uint32](acc, 65536, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(out.Close)
	particles, err := compute.NewBuffer[particle](acc, 65536, compute.BufferOptions{})
	require.NoError(t, err)
	t.Cleanup(particles.Close)
	data := make([]uint32, in.Len())
	for i := range data {
		data[i] = uint32(i) * 2654435761 >> 16 // values that look random
	}
	require.NoError(t, in.Upload(ctx, data))

	observe := func(name string, size compute.Threads) *event.Launch {
		k, err := p.Kernel(name)
		require.NoError(t, err)
		l, err := k.Bind(size, in, out)
		if name == "structures_before" {
			l, err = k.Bind(size, particles, out)
		}
		require.NoError(t, err)
		return observed(t, acc, l)
	}
	type gain struct {
		name                string
		predicted, measured float64
	}
	var gains []gain
	line := compute.Threads{Grid: compute.Extent{X: 65536}, Group: compute.Extent{X: 1024}}
	for _, c := range []struct {
		name   string
		size   compute.Threads
		remedy analyze.Remedy
		line   int
	}{
		{"copy", line, analyze.SplitStructures, 80},
		{"structures", line, analyze.SplitStructures, 40},
		{"histogram", line, analyze.Privatize, 50},
		{"transposition", compute.Threads{Grid: compute.Extent{X: 256, Y: 256}, Group: compute.Extent{X: 32, Y: 32}},
			analyze.Interchange, 6},
		{"columns", compute.Threads{Grid: compute.Extent{X: 256}, Group: compute.Extent{X: 256}}, analyze.Interchange, 24},
	} {
		before := observe(c.name+"_before", c.size)
		advice, err := analyze.Recommend(before, 128)
		require.NoError(t, err)
		require.NotEmpty(t, advice, c.name)
		assert.Equal(t, c.remedy, advice[0].Remedy, advice[0].String())
		t.Log(advice[0].String())
		after := observe(c.name+"_after", c.size)
		left, err := analyze.Recommend(after, 128)
		require.NoError(t, err)
		left = slices.DeleteFunc(left, func(r analyze.Recommendation) bool { return r.Remedy == analyze.Vectorize })
		assert.Empty(t, left, "no lines are left to save for %s", c.name)
		b, a := before.Totals(), after.Totals()
		gains = append(gains, gain{c.name, advice[0].Gain, float64(b.Transactions[2]) / float64(a.Transactions[2])})
	}
	t.Log(gains)
	slices.SortFunc(gains, func(a, b gain) int { return cmp.Compare(a.predicted, b.predicted) })
	assert.True(t, slices.IsSortedFunc(gains, func(a, b gain) int { return cmp.Compare(a.measured, b.measured) }), gains)
	for _, g := range gains {
		assert.InDelta(t, g.predicted, g.measured, 0.01*g.measured, g.name)
	}
}

// TestWiden: threadgroups of 16 by 16 access rows of half a line, and those of 32 by 8 gain what is
// predicted, for rows and for one element of each row. Nothing is to be widened in one dimension.
func TestWiden(t *testing.T) {
	acc := openCounting(t)
	p, err := acc.Compile(t.Context(), `kernel void k(device const float *rows [[buffer(0)]],
	device const float *heads [[buffer(1)]], device float *out [[buffer(2)]], uint2 p [[thread_position_in_grid]]) {
	out[p.y * 64 + p.x] = rows[p.y * 64 + p.x] * heads[p.y * 64];
}
kernel void flat(device const float *rows [[buffer(0)]], device const float *heads [[buffer(1)]],
	device float *out [[buffer(2)]], uint2 p [[thread_position_in_grid]]) {
	out[p.x] = rows[p.x % 16 + p.x / 16 * 64];
}`, compute.CompileOptions{Name: "k.metal"})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	var buffers [3]any
	for i := range buffers {
		b, err := compute.NewBuffer[float32](acc, 1<<14, compute.BufferOptions{})
		require.NoError(t, err)
		t.Cleanup(b.Close)
		buffers[i] = b
	}
	observe := func(kernel string, grid, group compute.Extent) (*event.Launch, []analyze.Recommendation) {
		k, err := p.Kernel(kernel)
		require.NoError(t, err)
		l, err := k.Bind(compute.Threads{Grid: grid, Group: group}, buffers[:]...)
		require.NoError(t, err)
		launch := observed(t, acc, l)
		advice, err := analyze.Recommend(launch, 128)
		require.NoError(t, err)
		return launch, slices.DeleteFunc(advice, func(r analyze.Recommendation) bool {
			return r.Remedy == analyze.Vectorize
		})
	}
	grid := compute.Extent{X: 64, Y: 64}
	narrow, advice := observe("k", grid, compute.Extent{X: 16, Y: 16})
	require.Len(t, advice, 3, "rows, heads and out")
	saved := int64(0)
	for _, r := range advice {
		assert.Equal(t, analyze.Widen, r.Remedy, r.String())
		saved += r.Before - r.After
	}
	wide, left := observe("k", grid, compute.Extent{X: 32, Y: 8})
	assert.Empty(t, left)
	before, after := narrow.Totals(), wide.Totals()
	assert.Equal(t, before.Transactions[2]-saved, after.Transactions[2])
	_, advice = observe("flat", compute.Extent{X: 256}, compute.Extent{X: 64})
	require.Len(t, advice, 1)
	assert.Equal(t, analyze.Interchange, advice[0].Remedy)
}

// TestRecommend: advice on what is not memory traffic, and none for nothing.
func TestRecommend(t *testing.T) {
	_, err := analyze.Recommend(&event.Launch{}, 100)
	require.ErrorIs(t, err, analyze.ErrOptions)
	none, err := analyze.Recommend(&event.Launch{Threadgroup: [3]int{5, 1, 1}}, 64)
	require.NoError(t, err)
	assert.Empty(t, none, "nothing ran")
	l := &event.Launch{Threadgroup: [3]int{20, 2, 1}, Instructions: 1000, ActiveLanes: 16000, Sites: []event.Site{
		{Space: event.Threadgroup, Operation: event.Load, Memory: "tile", Size: 4, Executions: 10, BankPasses: 320,
			Patterns: event.Patterns{Strided: 1280}},
		{Space: event.Device, Size: 4, Executions: 10, Accesses: 320, Bytes: 1280, Unique: 1280, Footprint: 1280,
			Transactions: [3]int64{250, 240, 200}, Patterns: event.Patterns{Random: 1280}},
	}, Branches: []event.Branch{{Kind: "if", Entries: 100, Divergent: 100, Active: 320, Before: 3200}}}
	list, err := analyze.Recommend(l, 32)
	require.NoError(t, err)
	var remedies []analyze.Remedy
	for _, r := range list {
		remedies = append(remedies, r.Remedy)
		assert.NotEmpty(t, r.Model)
		assert.Greater(t, r.Before, r.After)
	}
	assert.Equal(t, []analyze.Remedy{analyze.Pad, analyze.Stage, analyze.Regroup, analyze.Converge}, remedies)
	assert.InDelta(t, 32, list[0].Gain, 1e-9)
	assert.InDelta(t, 250.0/10, list[1].Gain, 1e-9, "10 simdgroups that may share lines")
	assert.InDelta(t, 2, list[2].Gain, 1e-9, "half the lanes are active")
	assert.InDelta(t, 2, list[3].Gain, 1e-9)
}

// TestRecommendVectors: accesses in sequence can be those of vectors, and those at the same address
// of all lanes become fewer with the simdgroups; others do not count.
func TestRecommendVectors(t *testing.T) {
	site := func(size int, p event.Patterns) event.Site {
		return event.Site{Space: event.Device, Size: size, Executions: 100, Accesses: 3200,
			Transactions: [3]int64{100, 100, 100},
			Unique:       12800, Patterns: p}
	}
	l := &event.Launch{Grid: [3]int{127, 1, 1}, Threadgroup: [3]int{64, 1, 1}, Instructions: 1000, Sites: []event.Site{
		site(4, event.Patterns{Sequential: 12800}), site(4, event.Patterns{Broadcast: 12800}),
		site(4, event.Patterns{Random: 12800})}}
	l.Sites[0].Place = event.Place{File: "k.metal", Line: 7, Column: 2}
	list, err := analyze.Recommend(l, 128)
	require.NoError(t, err)
	require.Empty(t, list, "less than a simdgroup of threads would remain")
	l.Grid[0]++
	list, err = analyze.Recommend(l, 128)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, analyze.Vectorize, list[0].Remedy)
	assert.Equal(t, 7, list[0].Line)
	assert.Equal(t, []int64{300, 150}, []int64{list[0].Before, list[0].After})
	assert.InDelta(t, 2, list[0].Gain, 1e-9)
	l.Sites[0].Size = 8 // two of them are 16 bytes
	list, err = analyze.Recommend(l, 128)
	require.NoError(t, err)
	assert.Equal(t, int64(200), list[0].After)
	for _, change := range []func(){
		func() { l.Sites[0].Size = 16 },
		func() { l.Sites[0].Size, l.Instructions = 4, 2001 }, // accesses are less than a twentieth
		func() { l.Instructions, l.Sites[0].Operation = 1000, event.Atomic },
	} {
		change()
		list, err = analyze.Recommend(l, 128)
		require.NoError(t, err)
		assert.Empty(t, list)
	}
}

// TestModeledTime: memory or instructions, whichever take longer at the peaks.
func TestModeledTime(t *testing.T) {
	p, err := analyze.MeasuredPeaks("test", 640, 64)
	require.NoError(t, err)
	l := &event.Launch{Instructions: 100, Sites: []event.Site{{Transactions: [3]int64{0, 0, 10}}}}
	assert.InDelta(t, 20e-9, p.Time(l, 128).Value, 1e-15, "1280 bytes at 64 GB/s")
	l.Instructions = 1000
	assert.InDelta(t, 100e-9, p.Time(l, 128).Value, 1e-15, "1000 instructions of 64 operations at 640 GFLOPS")
	assert.Equal(t, analyze.Estimate, p.Time(l, 128).Certainty)
	assert.Equal(t, analyze.Unknown, p.Time(l, 100).Certainty)
	p, ok := analyze.ChipPeaks("M3")
	require.True(t, ok)
	assert.Equal(t, analyze.Unknown, p.Time(l, 128).Certainty, "its arithmetic is not published")
}
