package compute

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// searchOf returns a search for a grid of a kernel with these accesses.
func searchOf(grid Threads, accesses ...extension.ShapeAccess) *stream.GroupSearch {
	a := &Accelerator{info: Info{Limits: mtl.Limits{MaxThreadsPerThreadgroup: mtl.Size{Width: 1024, Height: 1024,
		Depth: 1024}}}}
	k := &Kernel{acc: a}
	k.core.SetMade(stream.Made{Limits: mtl.PipelineLimits{MaxTotalThreadsPerThreadgroup: 1024,
		ThreadExecutionWidth: 32}})
	k.shapes.report = stream.ShapeReport{Free: true, Accesses: accesses}
	g := k.newSearch(grid.Grid.metal())
	g.MayImprove = func(mtl.Size) bool { return false }
	return g
}

// TestFirstGroup: before anything is measured, simdgroups are along the axis whose neighbors share
// lines, and square where accesses differ.
func TestFirstGroup(t *testing.T) {
	type access = extension.ShapeAccess
	const far = extension.FarStride
	along := func(x, y, z int) access { return access{Weight: 1, Size: 4, Stride: [3]int{x, y, z}} }
	for _, c := range []struct {
		name     string
		grid     Threads
		accesses []access
		want     mtl.Size
	}{
		{"none", Threads2D(512, 512), nil, mtl.Size{Width: 32, Height: 8, Depth: 1}},
		{"rows", Threads2D(512, 512), []access{along(4, far, 0)}, mtl.Size{Width: 32, Height: 8, Depth: 1}},
		{"line", Threads1D(5000), []access{along(4, 0, 0)}, mtl.Size{Width: 256, Height: 1, Depth: 1}},
		{"columns", Threads2D(512, 512), []access{along(far, 4, 0)}, mtl.Size{Width: 1, Height: 256, Depth: 1}},
		{"layers", Threads3D(64, 64, 64), []access{along(far, far, 4)}, mtl.Size{Width: 1, Height: 4, Depth: 64}},
		{"narrow", Threads2D(5, 4000), []access{along(4, far, 0)}, mtl.Size{Width: 5, Height: 51, Depth: 1}},
	} {
		assert.Equal(t, c.want, searchOf(c.grid, c.accesses...).First, c.name)
	}
	g := searchOf(Threads2D(1024, 1024), along(4, far, 0), along(far, 4, 0)).First
	assert.True(t, g.Width >= 4 && g.Width <= 8, "a transposition has %v", g)
}

// TestGroupSearch: the search ends near the fastest shape after a bounded number of launches,
// although the first launches of each shape are slow and some take longer by chance, and stays
// there.
func TestGroupSearch(t *testing.T) {
	for _, want := range []mtl.Size{{Width: 8, Height: 64, Depth: 1}, {Width: 32, Height: 8, Depth: 1},
		{Width: 64, Height: 16, Depth: 1}, {Width: 16, Height: 4, Depth: 1}} {
		g := searchOf(Threads2D(1024, 1024))
		distance := func(a, b uint) time.Duration {
			for n := time.Duration(0); ; n++ {
				if a == b {
					return n
				}
				if a < b {
					a *= 2
				} else {
					a /= 2
				}
			}
		}
		costs := func(s mtl.Size) time.Duration {
			return time.Millisecond + 200*time.Microsecond*(distance(s.Width, want.Width)+distance(s.Height, want.Height))
		}
		launches, seen := 0, map[mtl.Size]int{}
		for ; !g.Ended.Load(); launches++ {
			require.Less(t, launches, 400)
			trial := g.Trial()
			if trial.Search == nil {
				assert.Less(t, launches, stream.SearchAfter)
				assert.Equal(t, g.First, trial.Group(g))
				continue
			}
			took := costs(trial.Size)
			if seen[trial.Size]++; seen[trial.Size] <= 2 {
				took *= 10
			}
			if launches%7 == 0 {
				took *= 3
			}
			trial.End(2*took, 2, nil)
		}
		best := g.Best()
		assert.LessOrEqual(t, costs(best), costs(want)*12/10, "%v after %d launches", best, launches)
		g.Measured(0, 1)
		assert.Equal(t, best, g.Best(), "it is final")
	}
}

// TestSearchBesideOtherWork: where other work mostly takes one of two processors, for long enough
// to disturb each launch of a shape that is measured alone, the choice is still close to the best.
func TestSearchBesideOtherWork(t *testing.T) {
	want := mtl.Size{Width: 64, Height: 4, Depth: 1}
	costs := func(s mtl.Size) time.Duration {
		return time.Millisecond + 150*time.Microsecond*time.Duration(stream.Distance(s, want))
	}
	for seed := range uint64(20) {
		g, r := searchOf(Threads2D(1024, 1024)), rand.New(rand.NewPCG(seed, 0))
		launches, busy, until := 0, false, 0
		for ; !g.Ended.Load(); launches++ {
			require.Less(t, launches, 500)
			if launches >= until { // for some 20 launches
				busy, until = r.IntN(4) > 0, launches+r.IntN(40)
			}
			trial := g.Trial()
			took := costs(trial.Size) + time.Duration(r.IntN(50_000))
			if busy {
				took = took*2 + time.Duration(r.IntN(300_000))
			}
			trial.End(took, 1, nil)
		}
		assert.LessOrEqual(t, costs(g.Best()), costs(want)*13/10, "%v after %d launches", g.Best(), launches)
	}
}

// TestSlowCompiler: launches that run before a shape has its machine code do not count, so the
// shape for which it comes last wins.
func TestSlowCompiler(t *testing.T) {
	want := mtl.Size{Width: 16, Height: 16, Depth: 1}
	g := searchOf(Threads2D(1024, 1024))
	left := map[mtl.Size]int{} // launches until there is machine code
	g.MayImprove = func(s mtl.Size) bool { return left[s] > 0 }
	for launches := 0; !g.Ended.Load(); launches++ {
		require.Less(t, launches, 500)
		trial := g.Trial()
		n, ok := left[trial.Size]
		if !ok {
			n = 5
			if trial.Size == want {
				n = stream.MaxWarming - 2
			}
		}
		took := time.Millisecond + 100*time.Microsecond*time.Duration(stream.Distance(trial.Size, want))
		if n > 0 {
			took *= 9
		}
		left[trial.Size] = n - 1
		trial.End(took, 1, nil)
	}
	assert.Equal(t, want, g.Best())
}

// TestFailedTrials: a shape whose launch fails is not tried again, and the search ends with one
// that runs, or with the first if none does.
func TestFailedTrials(t *testing.T) {
	for _, fails := range []func(mtl.Size) bool{
		func(mtl.Size) bool { return true },
		func(s mtl.Size) bool { return s.Width == 32 }, // the first, too
		func(s mtl.Size) bool { return s.Height > 4 },
	} {
		g := searchOf(Threads2D(1024, 1024))
		failed := map[mtl.Size]bool{}
		for launches := 0; !g.Ended.Load(); launches++ {
			require.Less(t, launches, 500)
			trial := g.Trial()
			if trial.Search == nil {
				continue
			}
			require.False(t, failed[trial.Size], "%v again", trial.Size)
			var err error
			if failed[trial.Size] = fails(trial.Size); failed[trial.Size] {
				err = ErrRange
			}
			trial.End(time.Millisecond+time.Microsecond*time.Duration(trial.Size.Width), 1, err)
		}
		assert.True(t, !fails(g.Best()) || g.Best() == g.First)
	}
}

// TestShortLaunches: where all shapes are fast, none is searched for.
func TestShortLaunches(t *testing.T) {
	g := searchOf(Threads2D(100, 100))
	for range stream.SearchAfter + stream.MinWarming + stream.Heats[0].Samples {
		trial := g.Trial()
		trial.End(10*time.Microsecond, 1, nil)
	}
	assert.True(t, g.Ended.Load())
	assert.Equal(t, g.First, g.Best())
}

// TestSearchedKernels: a threadgroup depends on measurements only where results do not depend on
// it.
func TestSearchedKernels(t *testing.T) {
	a := accelerator(t)
	load := kernels(t, a, `
#include <metal_stdlib>
using namespace metal;
#define I uint i [[thread_position_in_grid]]
#define K(name, more, body) kernel void name(device float *y [[buffer(0)]], I more) { body }
#define C ,
#define A(name, body) kernel void name(device atomic_uint *y [[buffer(0)]], uint i [[thread_position_in_grid]]) { body }
K(plain, , y[i] = i;)
K(size, C uint n [[threads_per_grid]], y[i] = n;)
A(count, atomic_fetch_add_explicit(y, 1u, memory_order_relaxed);)
K(group, C uint g [[threads_per_threadgroup]], y[i] = g;)
K(position, C uint g [[thread_position_in_threadgroup]], y[i] = g;)
K(lane, C uint l [[thread_index_in_simdgroup]], y[i] = l;)
K(sum, , y[i] = simd_sum(float(i));)
K(quad, , y[i] = quad_sum(float(i));)
K(barrier, , threadgroup_barrier(mem_flags::mem_none); y[i] = 1;)
K(shared, , threadgroup float t[4]; t[i % 4] = i; y[i] = t[0];)
A(result, uint n = atomic_fetch_add_explicit(y, 1u, memory_order_relaxed);
	atomic_fetch_max_explicit(y + 1, n, memory_order_relaxed);)
A(exchange, atomic_store_explicit(y, i, memory_order_relaxed);)
kernel void floats(device atomic_float *y [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	atomic_fetch_add_explicit(y, 0.1f * i, memory_order_relaxed);
}
kernel void fixed [[required_threads_per_threadgroup(32, 1, 1)]] (device float *y [[buffer(0)]],
	uint i [[thread_position_in_grid]]) { y[i] = i; }
`)
	floats, words := bufferOf(t, a, make([]float32, 256)...), bufferOf(t, a, make([]uint32, 256)...)
	for _, name := range []string{"plain", "size", "count", "group", "position", "lane", "sum", "quad", "barrier",
		"shared", "result", "exchange", "floats"} {
		var y any = floats
		if name == "count" || name == "result" || name == "exchange" {
			y = words
		}
		k := load(name)
		l, err := k.Bind(Threads1D(256), y)
		require.NoError(t, err, name)
		free := name == "plain" || name == "size" || name == "count"
		if !a.info.Software {
			free = false
		}
		assert.Equal(t, free, l.core.Search != nil, name)
		l, err = k.Bind(Threads1D(256).In(Extent{X: 64}), y)
		require.NoError(t, err)
		assert.Nil(t, l.core.Search, "%s in a given threadgroup", name)
	}
}

// TestSearchResults: while threadgroups are searched for, results stay the same, and the search
// ends.
func TestSearchResults(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, `
kernel void visit(device uint *out [[buffer(0)]], uint2 i [[thread_position_in_grid]], uint2 n [[threads_per_grid]]) {
	uint v = i.x;
	for (uint k = 0; k < 60; k++) v = v * 1664525 + i.y;
	out[i.x * n.y + i.y] += v;
}`)("visit"), newStream(t, a)
	const w, h, launches = 130, 70, 40
	out := bufferOf(t, a, make([]uint32, w*h+1)...)
	l, err := k.Bind(Threads2D(w, h), out)
	require.NoError(t, err)
	for range launches {
		require.NoError(t, s.Run(t.Context(), l))
		require.NoError(t, s.Sync(t.Context()))
	}
	got, err := out.Data()
	require.NoError(t, err)
	for x := range uint32(w) {
		for y := range uint32(h) {
			v := x
			for range 60 {
				v = v*1664525 + y
			}
			require.Equal(t, v*launches, got[x*h+y])
		}
	}
	assert.Zero(t, got[w*h])
	e := l.Group()
	assert.Greater(t, e.X*e.Y*e.Z, 31)
}
