package tree

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/stretchr/testify/require"
)

// continueKernels have continuations that launch and continue.
const continueKernels = `
#include <metal_stdlib>
#include <puremetal/launch>
using namespace metal;

// Computes to from from, n times, in turns: each time by a launch, and goes on as a continuation.
kernel void iterate(device uint *from [[buffer(0)]], device uint *to [[buffer(1)]], constant uint &n [[buffer(2)]]) {
  if (n == 0) return;
  puremetal::launch(LAUNCH_relax, 64, 16, from, to);
  puremetal::continue_with(LAUNCH_iterate, 1, 1, to, from, n - 1);
}
kernel void relax(device uint *from [[buffer(0)]], device uint *to [[buffer(1)]], uint i [[thread_position_in_grid]],
                  uint n [[threads_per_grid]]) {
  to[i] = 3 * from[i] + from[(i + 1) % n] + i;
}

// Merge sort: parts are sorted by launches, and merged by continuations, which launch the threads
// that do it.
struct Part { uint from, count; };
kernel void part(device uint *x [[buffer(0)]], device uint *other [[buffer(1)]], constant Part &p [[buffer(2)]]) {
  if (p.count > 4) {
    Part left = {p.from, p.count / 2}, right = {p.from + p.count / 2, p.count - p.count / 2};
    puremetal::launch(LAUNCH_part, 1, 1, x, other, left);
    puremetal::launch(LAUNCH_part, 1, 1, x, other, right);
    puremetal::continue_with(LAUNCH_merge, 1, 1, x, other, p);
    return;
  }
  for (uint i = 1; i < p.count; i++)
    for (uint j = p.from + i; j > p.from && x[j - 1] > x[j]; j--) {
      uint v = x[j];
      x[j] = x[j - 1];
      x[j - 1] = v;
    }
}
kernel void merge(device uint *x [[buffer(0)]], device uint *other [[buffer(1)]], constant Part &p [[buffer(2)]]) {
  puremetal::launch(LAUNCH_place, p.count, 32, x + p.from, other + p.from, p.count / 2);
  puremetal::continue_with(LAUNCH_back, p.count, 32, other + p.from, x + p.from);
}
kernel void place(device uint *x [[buffer(0)]], device uint *other [[buffer(1)]], constant uint &middle [[buffer(2)]],
                  uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  uint v = x[i], begin = i < middle ? middle : 0, end = i < middle ? n : middle, at = i - (i < middle ? 0 : middle);
  for (uint j = begin; j < end && (i < middle ? x[j] < v : x[j] <= v); j++) at++;
  other[at] = v;
}
kernel void back(device uint *from [[buffer(0)]], device uint *to [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  to[i] = from[i];
}

// Logs seeds in the order of a walk that the seeds decide: one launch and one continuation at most.
kernel void walk(device uint *log [[buffer(0)]], constant uint2 &seed [[buffer(1)]]) {
  log[1 + log[0]++] = seed.x;
  uint level = seed.y, next = seed.x * 1664525 + 1013904223;
  if (level < 4 && (next >> 9) % 8 < 5) puremetal::launch(LAUNCH_walk, 1, 1, log, uint2(next, level + 1));
  if ((next >> 17) % 8 < 5) puremetal::continue_with(LAUNCH_walk, 1, 1, log, uint2(next ^ 0x5bd1e995, level));
}

// Continues for ever, and with more and more.
kernel void endless(device uint *x [[buffer(0)]]) { x[0]++; puremetal::continue_with(LAUNCH_endless, 1, 1, x); }
kernel void grows(device uint *x [[buffer(0)]], constant uint &n [[buffer(1)]]) {
  x[0] = n;
  for (uint i = 0; i < n; i++) puremetal::continue_with(i == 0 ? LAUNCH_grows : LAUNCH_nothing, 1, 1, x, n + 1);
}
kernel void nothing(device uint *x [[buffer(0)]], constant uint &n [[buffer(1)]]) {}
`

var continueNames = []string{"iterate", "relax", "part", "merge", "place", "back", "walk", "endless", "grows",
	"nothing"}

// TestLaunchTreeContinuations: continuations that launch and continue, with the results of launches
// from Go: more steps than are recorded in advance, a merge sort, and random walks in order.
func TestLaunchTreeContinuations(tt *testing.T) {
	eachWay(tt, continueKernels, continueNames, func(t *treeTest) {
		for _, timing := range []bool{false, true} {
			t.iterates(timing)
		}
		t.sorts()
		t.walks()
	})
}

// iterates compares iterations with launches from Go.
func (t *treeTest) iterates(timing bool) {
	ctx := t.Context()
	tree := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 1, Timing: timing})
	for _, n := range []int{0, 1, 2, 3, 57} {
		start := make([]uint32, 64)
		for i := range start {
			start[i] = uint32(i * i)
		}
		x, y := bufferOf(t, t.acc, start...), bufferOf(t, t.acc, make([]uint32, 64)...)
		levels, err := t.run(tree, "iterate", compute.Threads1D(1), x, y, uint32(n))
		require.NoError(t, err)
		require.Equal(t, n, levels[1].Launches)
		require.Equal(t, uint64(64*n), levels[1].Threads)
		require.Equal(t, n, levels[0].Continuations)
		require.Equal(t, timing && n > 0, levels[1].Time > 0 && levels[0].Continuing > 0)
		a, b := bufferOf(t, t.acc, start...), bufferOf(t, t.acc, make([]uint32, 64)...)
		for range n {
			require.NoError(t, t.stream.Launch(ctx, t.kernel("relax"), compute.Threads1D(64), a, b))
			a, b = b, a
			x, y = y, x
		}
		require.NoError(t, t.stream.Sync(ctx))
		want, err := a.Data()
		require.NoError(t, err)
		got, err := x.Data()
		require.NoError(t, err)
		require.Equal(t, want, got, "%d iterations", n)
	}
}

// sorts compares merge sorts with a sort of the host.
func (t *treeTest) sorts() {
	tree := t.tree(Options{Depth: 8, Capacity: 256, Continuations: 128})
	for _, n := range []int{3, 100, 512} {
		x := make([]uint32, n)
		for i := range x {
			x[i] = uint32(i) * 2654435761 % 1000
		}
		in, other := bufferOf(t, t.acc, x...), bufferOf(t, t.acc, make([]uint32, n)...)
		levels, err := t.run(tree, "part", compute.Threads1D(1), in, other, struct{ From, Count uint32 }{0, uint32(n)})
		require.NoError(t, err)
		if n == 512 {
			require.Equal(t, 2+1, levels[1].Launches) // the halves, and the threads that merge them
			require.Equal(t, 2, levels[0].Continuations)
		}
		slices.Sort(x)
		got, err := in.Data()
		require.NoError(t, err)
		require.Equal(t, x, got)
	}
}

// walks compares the order of random walks with that of a function of the host.
func (t *treeTest) walks() {
	tree := t.tree(Options{Depth: 4, Capacity: 1, Continuations: 1})
	const most = 1000
	long := 0
	for seed := uint32(1); seed < 40; seed++ {
		want := []uint32{0}
		launches := make([]int, 5)
		var visit func(seed, level uint32)
		visit = func(seed, level uint32) {
			want = append(want, seed)
			next := seed*1664525 + 1013904223
			if level < 4 && next>>9%8 < 5 {
				launches[level+1]++
				visit(next, level+1)
			}
			if next>>17%8 < 5 {
				visit(next^0x5bd1e995, level)
			}
		}
		visit(seed, 0)
		want[0] = uint32(len(want) - 1)
		require.Less(t, len(want), most)
		if len(want) > 20 {
			long++
		}
		log := bufferOf(t, t.acc, make([]uint32, most)...)
		levels, err := t.run(tree, "walk", compute.Threads1D(1), log, [2]uint32{seed, 0})
		require.NoError(t, err)
		got, err := log.Data()
		require.NoError(t, err)
		require.Equal(t, want, got[:len(want)], "seed %d", seed)
		for level, n := range launches[1:] {
			require.Equal(t, n, levels[level+1].Launches, "seed %d, level %d", seed, level+1)
		}
	}
	require.Positive(t, long)
}

// TestLaunchTreeSteps: runs that do not end are errors that name the limit, and too many
// continuations of continuations as well.
func TestLaunchTreeSteps(tt *testing.T) {
	eachWay(tt, continueKernels, continueNames, func(t *treeTest) {
		for _, steps := range []int{1, 4, 5, 100} {
			tree := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 1, Steps: steps})
			x := bufferOf[uint32](t, t.acc, 0)
			levels, err := t.run(tree, "endless", compute.Threads1D(1), x)
			require.ErrorIs(t, err, ErrLaunch)
			require.ErrorContains(t, err, fmt.Sprintf("the run is not over after %d steps", steps))
			require.Equal(t, steps, levels[0].Continuations)
			got, err := x.Data()
			require.NoError(t, err)
			require.EqualValues(t, steps+1, got[0])
		}
		tree := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 20})
		x := bufferOf[uint32](t, t.acc, 0)
		_, err := t.run(tree, "grows", compute.Threads1D(1), x, uint32(1))
		var over *OverflowError
		require.ErrorAs(t, err, &over)
		require.Equal(t, &OverflowError{Tree: tree.String(), Continuations: true, Wanted: 21, Capacity: 20,
			Depth: 1}, over)
		got, err := x.Data()
		require.NoError(t, err)
		require.EqualValues(t, 21, got[0])
	})
}

// TestLaunchTreeCanceled: a run that would go on for long ends with the context of its stream.
func TestLaunchTreeCanceled(tt *testing.T) {
	t := newTreeTest(tt, continueKernels, continueNames)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := t.acc.NewStream(compute.StreamOptions{Context: ctx})
	require.NoError(t, err)
	x := bufferOf[uint32](t, t.acc, 0)
	tree := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 1, Steps: maxTreeSteps})
	run, err := tree.Launch(t.Context(), s, t.kernel("endless"), compute.Threads1D(1), x)
	require.NoError(t, err)
	cancel()
	require.ErrorIs(t, s.Sync(t.Context()), compute.ErrCanceled)
	require.Error(t, run.Wait(t.Context()))
	require.NoError(t, s.Close(t.Context()))
	levels, err := t.run(tree, "iterate", compute.Threads1D(1), bufferOf(t, t.acc, make([]uint32, 64)...),
		bufferOf(t, t.acc, make([]uint32, 64)...), uint32(3)) // the tree is as good as new
	require.NoError(t, err)
	require.Equal(t, 3, levels[1].Launches)
}
