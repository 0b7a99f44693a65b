package tree

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/require"
)

// treeTest has kernels that launch one another.
type treeTest struct {
	testing.TB
	acc    *compute.Accelerator
	kernel func(string, ...compute.Constant) *compute.Kernel
	stream *compute.Stream
	names  []string
}

// eachWay runs a test with kernels as the software device compiles them, as plain source that other
// devices get, and with the dispatches without threadgroups that older GPUs get.
func eachWay(t *testing.T, source string, names []string, test func(t *treeTest)) {
	for name, options := range map[string][]compute.Option{"direct": nil, "translated": {compute.WithGridPhases()},
		"older": nil} {
		t.Run(name, func(t *testing.T) {
			tree := newTreeTest(t, source, names, options...)
			stream.DeviceOf(tree.acc).DispatchesNone = name == "older"
			test(tree)
		})
	}
}

func newTreeTest(t testing.TB, source string, names []string, options ...compute.Option) *treeTest {
	a := accelerator(t, options...)
	p, err := a.Compile(t.Context(), source, compute.CompileOptions{Name: "tree.metal", Macros: Numbers(names...)})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return &treeTest{t, a, func(name string, constants ...compute.Constant) *compute.Kernel {
		t.Helper()
		k, err := p.Kernel(name, constants...)
		require.NoError(t, err)
		return k
	}, newStream(t, a), names}
}

func (t *treeTest) tree(o Options) *Tree {
	t.Helper()
	var all []*compute.Kernel
	for _, name := range t.names {
		all = append(all, t.kernel(name))
	}
	o.Label = "test"
	tree, err := New(t.Context(), t.acc, all, o)
	require.NoError(t, err)
	t.Cleanup(tree.Close)
	return tree
}

// run runs a tree and returns its levels and its error.
func (t *treeTest) run(tree *Tree, kernel string, grid compute.Grid, args ...any) ([]Level, error) {
	t.Helper()
	run, err := tree.Launch(t.Context(), t.stream, t.kernel(kernel), grid, args...)
	require.NoError(t, err)
	levels, err := run.Levels(t.Context())
	synced := t.stream.Sync(t.Context())
	require.Equal(t, err == nil, synced == nil, "Sync: %v", synced)
	require.Equal(t, errors.Is(err, ErrLaunch), errors.Is(synced, ErrLaunch), "Sync: %v", synced)
	return levels, err
}

const treeKernels = `
#include <metal_stdlib>
#include <puremetal/cooperative>
using namespace metal;
using namespace puremetal;

// Launches n children that each write a part.
kernel void parent(device uint *out [[buffer(0)]], constant uint &n [[buffer(1)]],
                   device launcher &l [[buffer(30)]], uint i [[thread_position_in_grid]]) {
  if (i < n) launch(l, LAUNCH_child, 10 + i, 32, out + 100 * i, i);
}
kernel void child(device uint *out [[buffer(0)]], constant uint &mark [[buffer(2)]],
                  uint i [[thread_position_in_grid]], uint n [[threads_per_grid]]) {
  out[i] = 1000 * mark + n;
}

// Binary recursion; each leaf counts. The compiler adds the launcher, for a function of the kernel.
static void again(device atomic_uint *count, uint levels) { launch(LAUNCH_halves, 1, 1, count, levels); }
kernel void halves(device atomic_uint *count [[buffer(0)]], constant uint &levels [[buffer(1)]]) {
  if (levels == 0) atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
  for (uint i = 0; levels != 0 && i < 2; i++) again(count, levels - 1);
}

// x = x * 3 + add, by a chain of n launches.
kernel void chain(device uint *x [[buffer(0)]], constant uint &n [[buffer(1)]], device launcher &l [[buffer(30)]]) {
  child_launch(l, x, n);
}
kernel void advance(device uint *x [[buffer(0)]], constant uint &add [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * 3 + add;
}

// Sums a tree of numbers from its leaves: each level continues with the sum of its two children.
kernel void grow(device uint *x [[buffer(0)]], constant uint2 &at [[buffer(1)]]) {
  if (at.y == 0) {
    x[at.x] = at.x;
    return;
  }
  for (uint i = 1; i < 3; i++) launch(LAUNCH_grow, 1, 1, x, uint2(2 * at.x + i, at.y - 1));
  continue_with(LAUNCH_join, 1, 1, x, at.x);
}
kernel void join(device uint *x [[buffer(0)]], constant uint &at [[buffer(1)]]) {
  x[at] = at + x[2 * at + 1] + x[2 * at + 2];
}
// Reverses some numbers of each 64, by launches of a kernel with two parameters in threadgroup
// memory.
kernel void reverse(device uint *x [[buffer(0)]], constant uint &groups [[buffer(1)]],
                    uint i [[thread_position_in_grid]]) {
  uint n = 4 * (i + 1);
  threadgroup_memory bytes(4 * n);
  if (i < groups) launch(LAUNCH_reversed, n, n, x + 64 * i, bytes, bytes);
}
kernel void reversed(device uint *x [[buffer(0)]], threadgroup uint *a [[threadgroup(0)]],
                     threadgroup uint *b [[threadgroup(2)]], uint i [[thread_position_in_grid]],
                     uint n [[threads_per_grid]]) {
  a[i] = x[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  b[n - 1 - i] = a[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  x[i] = b[i];
}
kernel void late(device launcher &l [[buffer(30)]]) { launch(l, LAUNCH_late, 1, 1); }

// Launches in a wrong way.
kernel void wrong(device uint *x [[buffer(0)]], constant uint &how [[buffer(1)]], device launcher &l [[buffer(30)]]) {
  switch (how) {
  case 0: launch(l, 1234, 1, 1); break;
  case 1: launch(l, LAUNCH_child, 1, 1, x); break;
  case 2: launch(l, LAUNCH_child, 1, 1, x, float2(1)); break;
  case 3: launch(l, LAUNCH_child, 1, 1, 4u, 4u); break;
  case 4: launch(l, LAUNCH_child, 1, 0, x, 4u); break;
  case 5: launch(l, LAUNCH_child, 1, uint2(1000, 1000), x, 4u); break;
  case 6: child_launch(l, x, 9); break;
  case 7: for (uint i = 0; i < 20; i++) launch(l, LAUNCH_child, 1, 1, x, 4u); break;
  case 8: for (uint i = 0; i < 20; i++) continue_with(l, LAUNCH_child, 1, 1, x, 4u); break;
  case 9: launch(l, LAUNCH_late, 1, 1); break;
  case 10: continue_with(l, LAUNCH_late, 1, 1); break;
  case 11: launch(l, LAUNCH_child, 1, 1, (device uint *)nullptr, 4u); break;
  case 12: launch(l, LAUNCH_child, 1, uint3(~0u, ~0u, ~0u), x, 4u); break;
  case 13: launch(l, LAUNCH_child, uint3(4, 0, 1), 1, x, 4u); break; // no threads: no launch
  case 14: launch(l, LAUNCH_reversed, 1, 1, x, 4u, threadgroup_memory(16)); break;
  case 15: launch(l, LAUNCH_child, 1, 1, x, threadgroup_memory(16)); break;
  case 16: launch(l, LAUNCH_reversed, 1, 1, x, threadgroup_memory(16), threadgroup_memory(32768)); break;
  case 17: launch(l, LAUNCH_reversed, 1, 1, x, threadgroup_memory(24), threadgroup_memory(16)); break;
  }
}
`

var treeNames = []string{"child", "halves", "advance", "grow", "join", "late", "reversed"}

// chainFunction is child_launch, which kernels of treeKernels call.
const chainFunction = `
#include <metal_stdlib>
#include <puremetal/cooperative>
inline void child_launch(device puremetal::launcher &l, device uint *x, uint n) {
  puremetal::child c;
  for (uint i = 0; i < n; i++) {
    if (i == 0) c = puremetal::launch(l, LAUNCH_advance, 64, 16, x, 0u);
    else if (i % 2 == 0) c = puremetal::launch_after(l, c, LAUNCH_advance, 64, 16, x, i);
    else c = puremetal::launch_after(c, LAUNCH_advance, 64, 16, x, i); // the same launcher
  }
}
`

func eachTree(t *testing.T, test func(t *treeTest)) {
	eachWay(t, chainFunction+treeKernels, treeNames, test)
}

// TestLaunchTree: a kernel launches others, with grids and arguments of its own.
func TestLaunchTree(tt *testing.T) {
	eachTree(tt, func(t *treeTest) {
		tree := t.tree(Options{Depth: 2, Capacity: 8})
		out := bufferOf(t, t.acc, make([]uint32, 1000)...)
		levels, err := t.run(tree, "parent", compute.Threads1D(64), out, uint32(7))
		require.NoError(t, err)
		require.Equal(t, []Level{{Launches: 1, Threads: 64}, {Launches: 7, Threads: 70 + 21}, {}}, levels)
		got, err := out.Data()
		require.NoError(t, err)
		for i, v := range got {
			part, at := uint32(i/100), uint32(i%100)
			if part < 7 && at < 10+part {
				require.Equal(t, 1000*part+10+part, v, i)
			} else {
				require.Zero(t, v, i)
			}
		}

		// again, with fewer launches, recorded twice before waiting
		again := []*Run{nil, nil}
		for i := range again {
			again[i], err = tree.Launch(t.Context(), t.stream, t.kernel("parent"), compute.Threads1D(64), out, uint32(i+1))
			require.NoError(t, err)
		}
		for i, r := range again {
			levels, err := r.Levels(t.Context())
			require.NoError(t, err)
			require.Equal(t, i+1, levels[1].Launches)
		}
	})
}

// TestLaunchTreeLevels: recursion down to the tree's depth.
func TestLaunchTreeLevels(tt *testing.T) {
	eachTree(tt, func(t *treeTest) {
		tree := t.tree(Options{Depth: 8, Capacity: 256, Timing: true})
		count := bufferOf[uint32](t, t.acc, 0)
		levels, err := t.run(tree, "halves", compute.Threads1D(1), count, uint32(8))
		require.NoError(t, err)
		require.Len(t, levels, 9)
		for i, l := range levels {
			require.Equal(t, 1<<i, l.Launches)
			require.Equal(t, uint64(1)<<i, l.Threads)
			require.Positive(t, l.Time)
		}
		got, err := count.Data()
		require.NoError(t, err)
		require.Equal(t, []uint32{256}, got)
	})
}

// TestLaunchTreeOrder: launches after others, and continuations after everything below.
func TestLaunchTreeOrder(tt *testing.T) {
	eachTree(tt, func(t *treeTest) {
		x := bufferOf(t, t.acc, make([]uint32, 64)...)
		levels, err := t.run(t.tree(Options{Depth: 1, Capacity: 8}), "chain", compute.Threads1D(1), x, uint32(8))
		require.NoError(t, err)
		require.Equal(t, Level{Launches: 8, Threads: 8 * 64}, levels[1])
		want := uint32(0)
		for i := range uint32(8) {
			want = want*3 + i
		}
		got, err := x.Data()
		require.NoError(t, err)
		for _, v := range got {
			require.Equal(t, want, v)
		}

		const nodes = 1<<6 - 1
		sums := bufferOf(t, t.acc, make([]uint32, nodes)...)
		tree := t.tree(Options{Depth: 6, Capacity: 32, Continuations: 16, Timing: true})
		levels, err = t.run(tree, "grow", compute.Threads1D(1), sums, [2]uint32{0, 5})
		require.NoError(t, err)
		for i, l := range levels {
			if i < 5 {
				require.Equal(t, 1<<i, l.Continuations)
			} else {
				require.Zero(t, l.Continuations)
			}
			require.Equal(t, l.Continuations > 0, l.Continuing > 0)
		}
		got, err = sums.Data()
		require.NoError(t, err)
		for i := nodes - 1; i >= 0; i-- {
			want := uint32(i)
			if i < nodes/2 {
				want += got[2*i+1] + got[2*i+2]
			}
			require.Equal(t, want, got[i], i)
		}
		require.EqualValues(t, nodes*(nodes-1)/2, got[0])
	})
}

// TestLaunchTreeMemory: launches say how much threadgroup memory their kernel gets.
func TestLaunchTreeMemory(tt *testing.T) {
	eachTree(tt, func(t *treeTest) {
		const groups = 16
		want := make([]uint32, 64*groups)
		for i := range want {
			want[i] = uint32(i)
		}
		x := bufferOf(t, t.acc, want...)
		levels, err := t.run(t.tree(Options{Depth: 1, Capacity: groups}), "reverse", compute.Threads1D(groups), x,
			uint32(groups))
		require.NoError(t, err)
		require.Equal(t, groups, levels[1].Launches)
		for i := range groups {
			slices.Reverse(want[64*i:][:4*(i+1)])
		}
		got, err := x.Data()
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// TestLaunchTreeWrong: what kernels launch wrongly is an error that says how much, and nothing of
// the level runs.
func TestLaunchTreeWrong(tt *testing.T) {
	eachTree(tt, func(t *treeTest) {
		tree := t.tree(Options{Depth: 2, Capacity: 16, Continuations: 4})
		for how, want := range []string{
			`launch tree "test": a kernel of level 0 launches kernel 1234, and the tree has 7`,
			`a kernel of level 0 launches "child": 1 arguments, want 2`,
			`argument 1 has 8 bytes, want 4`,
			`argument 0 is a value of 4 bytes, want a pointer to device memory`,
			`0 threads in a threadgroup, want 1 to 1024`,
			`1000000 threads in a threadgroup, want 1 to 1024`,
			`launches "advance": 9 launches that wait for each other, want at most 8`,
			`launch tree "test": the kernels of level 0 want 20 launches, but the tree's capacity is 16`,
			`the kernels of level 0 want 20 continuations, but the tree's room for continuations is 4`,
			`the kernels of level 2 want 1 launches, but the tree's depth is 2`,
			`the kernels of level 2 want 1 launches, but the tree's depth is 2`,
			`nothing is bound at buffer index 0`,
			`4294967295 threads in a threadgroup, want 1 to 1024`,
			``,
			`argument 1 is a pointer or a value, want puremetal::threadgroup_memory`,
			`argument 1 is threadgroup memory, want a buffer or a value`,
			`argument 2 has 32768 bytes of threadgroup memory, want a multiple of 16 and at most 32768 in all`,
			`argument 1 has 24 bytes of threadgroup memory`,
		} {
			if how == 11 && !t.acc.Info().Software {
				continue // what a null pointer does is undefined
			}
			x := bufferOf(t, t.acc, make([]uint32, 64)...)
			levels, err := t.run(tree, "wrong", compute.Threads1D(1), x, uint32(how))
			got, bad := x.Data()
			require.NoError(t, bad)
			require.Zero(t, got[0], want)
			if want == "" {
				require.NoError(t, err)
				require.Zero(t, levels[1].Launches)
				continue
			}
			require.ErrorContains(t, err, want)
			if how == 11 {
				require.ErrorIs(t, err, compute.ErrExecution)
				continue
			}
			require.ErrorIs(t, err, ErrLaunch)
			require.Zero(t, levels[1].Continuations)
			var over *OverflowError
			require.Equal(t, how >= 7 && how <= 10, errors.As(err, &over), want)
		}
		// The tree is as good as new.
		out := bufferOf(t, t.acc, make([]uint32, 1000)...)
		levels, err := t.run(tree, "parent", compute.Threads1D(64), out, uint32(7))
		require.NoError(t, err)
		require.Equal(t, 7, levels[1].Launches)
	})
}

// TestLaunchTreeFailure: a run tells that one of its commands failed, also if that was in another
// command buffer than its last one, and not of failures of other commands.
func TestLaunchTreeFailure(tt *testing.T) {
	plantsMistakes(tt) // steps read what a failed command should have written
	t := newTreeTest(tt, chainFunction+treeKernels, treeNames, compute.WithBatching(compute.Batching{Commands: 3,
		InFlight: 2}))
	if !t.acc.Info().Software {
		t.Skip("it makes a kernel fail by a null pointer, which is undefined on other devices")
	}
	ctx := t.Context()
	tree := t.tree(Options{Depth: 8, Capacity: 4})
	out := bufferOf[uint32](t, t.acc, 0)
	fails := func() {
		require.NoError(t, t.stream.Encode(ctx, func(mtl.CommandBuffer) error { return errors.New("planned") }))
	}
	start := func(how uint32) *Run {
		r, err := tree.Launch(ctx, t.stream, t.kernel("wrong"), compute.Threads1D(1), out, how)
		require.NoError(t, err)
		return r
	}
	bad := start(11)
	require.NoError(t, t.stream.Callback(ctx, func(error) {}))
	err := bad.Wait(ctx)
	require.ErrorIs(t, err, compute.ErrExecution)
	require.ErrorContains(t, err, "a command of the run failed, see Stream.Sync")
	require.ErrorContains(t, t.stream.Sync(ctx), "nothing is bound")

	fails()
	require.ErrorContains(t, t.stream.Sync(ctx), "planned")
	require.NoError(t, out.Upload(ctx, []uint32{0})) // which the bad run may have written
	good := start(13)
	require.NoError(t, t.stream.Sync(ctx))
	fails()
	require.NoError(t, good.Wait(ctx))
	require.ErrorContains(t, t.stream.Sync(ctx), "planned")
}

// TestLaunchTreeMisuse: what programs do wrong is refused before anything runs.
func TestLaunchTreeMisuse(tt *testing.T) {
	t := newTreeTest(tt, chainFunction+treeKernels+`
kernel void paint(array<texture2d<float, access::write>, 2> t [[texture(0)]]) { t[1].write(float4(1), uint2(0)); }
kernel void many(device uint *a, device uint *b, device uint *c, device uint *d, device uint *e, device uint *f,
                 device uint *g, device uint *h, device uint *i) { *a = *b + *c + *d + *e + *f + *g + *h + *i; }
kernel void synced(device uint *a) { this_grid().sync(); *a = 1; }
`, treeNames)
	ctx := t.Context()
	child := t.kernel("child")
	make := func(o Options, k ...*compute.Kernel) error {
		tree, err := New(ctx, t.acc, k, o)
		require.Nil(t, tree)
		return err
	}
	good := Options{Depth: 1, Capacity: 1}
	deep, narrow, wide, negative, long := good, good, good, good, good
	deep.Depth, narrow.Capacity, wide.Capacity, negative.Continuations, long.Steps = 65, 0, 16385, -1, 1<<20+1
	for want, err := range map[string]error{
		"kernels 0, want 1 to 65535":                                   make(good),
		"Depth 0, want 1 to 64":                                        make(Options{Capacity: 1}, child),
		"Depth 65, want 1 to 64":                                       make(deep, child),
		"Capacity 0, want 1 to 16384":                                  make(narrow, child),
		"Continuations -1, want 0 to":                                  make(negative, child),
		"Steps 1048577, want 0 to 1048576":                             make(long, child),
		"Capacity 16385, want 1 to":                                    make(wide, child),
		"kernel 1: nil or zero argument":                               make(good, child, nil),
		"texture 0 (t) is an array":                                    make(good, t.kernel("paint")),
		"buffer 8 (i): launches from kernels have at most 8 arguments": make(good, t.kernel("many")),
		"synchronizes the whole grid":                                  make(good, child, t.kernel("synced")),
	} {
		require.ErrorContains(t, err, want)
	}
	require.ErrorIs(t, make(good, t.kernel("many")), graph.ErrIndirect)
	require.ErrorIs(t, make(Options{}, child), compute.ErrOption)

	tree := t.tree(good)
	out := bufferOf[uint32](t, t.acc, 0, 0)
	launch := func(s *compute.Stream, tree *Tree, k *compute.Kernel, args ...any) error {
		r, err := tree.Launch(ctx, s, k, compute.Threads1D(1), args...)
		require.Nil(t, r)
		return err
	}
	parent := t.kernel("parent")
	other := newTreeTest(tt, chainFunction+treeKernels, treeNames)
	require.ErrorIs(t, launch(nil, tree, parent), compute.ErrNil)
	require.ErrorIs(t, launch(t.stream, nil, parent), compute.ErrNil)
	require.ErrorIs(t, launch(t.stream, tree, nil), compute.ErrNil)
	require.ErrorIs(t, launch(other.stream, tree, parent), compute.ErrAccelerator)
	require.ErrorIs(t, launch(t.stream, tree, other.kernel("parent")), compute.ErrAccelerator)
	require.ErrorIs(t, launch(t.stream, tree, child, out, uint32(1)), compute.ErrInvalidLaunch)
	require.ErrorContains(t, launch(t.stream, tree, parent, out), "missing")
	require.ErrorContains(t, t.stream.Launch(ctx, parent, compute.Threads1D(1), out, uint32(1)), "buffer 30 (l): missing")
	var none *Run
	require.ErrorIs(t, none.Wait(ctx), compute.ErrNil)
	_, err := none.Levels(ctx)
	require.ErrorIs(t, err, compute.ErrNil)

	run, err := tree.Launch(ctx, t.stream, t.kernel("halves"), compute.Threads1D(1), out, uint32(1))
	require.NoError(t, err)
	tree.Close()
	tree.Close()
	(*Tree)(nil).Close()
	require.ErrorIs(t, launch(t.stream, tree, parent, out, uint32(1)), compute.ErrClosed)
	over, cancel := context.WithCancel(ctx)
	cancel()
	_, err = New(over, t.acc, []*compute.Kernel{child}, good)
	require.Error(t, err)
	var e *OverflowError
	require.ErrorAs(t, run.Wait(ctx), &e) // the tree was closed after the run was recorded
	require.Equal(t, &OverflowError{Tree: tree.String(), Wanted: 2, Capacity: 1, Depth: 1}, e)
	require.Error(t, t.stream.Sync(ctx))
}
