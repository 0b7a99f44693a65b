package compute

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const treeGraphKernels = continueKernels + `
kernel void scatter(device uint *x [[buffer(0)]], constant uint &by [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  x[i] = i * by % 1000;
}
kernel void countdown(device uint *n [[buffer(0)]]) { n[0]--; }
`

func eachTreeGraph(tt *testing.T, test func(t *treeTest)) {
	eachWay(tt, treeGraphKernels, continueNames, test)
}

// replay instantiates a graph and replays it twice.
func (t *treeTest) replay(g *Graph) *Instance {
	t.Helper()
	i, err := g.Instantiate(t.Context())
	require.NoError(t, err)
	t.Cleanup(i.Close)
	for range 2 {
		require.NoError(t, t.stream.Replay(t.Context(), i))
	}
	require.NoError(t, t.stream.Sync(t.Context()))
	return i
}

type treePart struct{ From, Count uint32 }

// TestLaunchTreeGraph: a run between other nodes of a graph, which is made by hand or captured,
// gives what the same commands on a stream give.
func TestLaunchTreeGraph(tt *testing.T) {
	eachTreeGraph(tt, func(t *treeTest) {
		ctx := t.Context()
		const n = 256
		tree := t.tree(LaunchTreeOptions{Depth: 7, Capacity: 128, Continuations: 64, Timing: true})
		buffers := func() (x, other, copied *Buffer[uint32]) {
			zero := make([]uint32, n)
			return bufferOf(t, t.acc, zero...), bufferOf(t, t.acc, zero...), bufferOf(t, t.acc, zero...)
		}
		all := treePart{0, n}
		record := func(x, other, copied *Buffer[uint32]) {
			require.NoError(t, t.stream.Launch(ctx, t.kernel("scatter"), Threads1D(n), x, uint32(7919)))
			run, err := t.stream.LaunchTree(ctx, tree, t.kernel("part"), Threads1D(1), x, other, all)
			require.NoError(t, err)
			if t.stream.capture.Load() != nil {
				require.ErrorIs(t, run.Wait(ctx), ErrCapture)
				_, err = run.Levels(ctx)
				require.ErrorIs(t, err, ErrCapture)
			}
			require.NoError(t, Copy(ctx, t.stream, copied, x))
		}
		_, ok := tree.LastLevels()
		require.False(t, ok)
		x, other, copied := buffers()
		record(x, other, copied)
		require.NoError(t, t.stream.Sync(ctx))
		flat, ok := tree.LastLevels()
		require.True(t, ok)
		for i := range flat {
			require.Equal(t, flat[i].Launches > 0, flat[i].Time > 0)
			flat[i].Time, flat[i].Continuing = 0, 0
		}
		want := make([]uint32, n)
		require.NoError(t, copied.Download(ctx, want))
		require.True(t, slices.IsSorted(want))
		require.Less(t, want[0], want[n-1])

		check := func(g *Graph, got *Buffer[uint32]) *Instance {
			t.Helper()
			launches := t.kernel("part").core.Counters.Launches.Load()
			i := t.replay(g)
			require.EqualValues(t, 2, t.kernel("part").core.Counters.Launches.Load()-launches)
			data := make([]uint32, n)
			require.NoError(t, got.Download(ctx, data))
			require.Equal(t, want, data)
			levels, ok := tree.LastLevels()
			require.True(t, ok)
			for i := range levels {
				levels[i].Time, levels[i].Continuing = 0, 0
			}
			require.Equal(t, flat, levels)
			how := i.How()
			require.Len(t, how, 3)
			require.Equal(t, ByEncoding, how[1].Path)
			require.Contains(t, how[1].What, `launch tree "test" from part`)
			require.Contains(t, how[1].Reason, "its kernels decide in each replay which indirect commands there are")
			return i
		}
		x, other, copied = buffers()
		require.NoError(t, t.stream.BeginCapture("captured"))
		record(x, other, copied)
		g, err := t.stream.EndCapture()
		require.NoError(t, err)
		check(g, copied)
		var dot strings.Builder
		require.NoError(t, g.WriteDOT(&dot))
		require.Contains(t, dot.String(), `1: launch tree`)

		x, other, copied = buffers()
		g = t.acc.NewGraph("by hand")
		_, err = g.Launch(t.kernel("scatter"), Threads1D(n), x, uint32(7919))
		require.NoError(t, err)
		node, err := g.LaunchTree(ctx, tree, t.kernel("part"), Threads1D(1), x, other, all)
		require.NoError(t, err)
		_, err = g.Record(ctx, func(ctx context.Context, s *Stream) error { return Copy(ctx, s, copied, x) })
		require.NoError(t, err)
		for n, on := range []Node{0, 1} {
			after, err := g.Dependencies(Node(n) + 1)
			require.NoError(t, err)
			require.Equal(t, on, after[0].On)
		}
		i := check(g, copied)

		// Sorts half of the numbers after an update.
		require.NoError(t, g.SetLaunch(node, Threads1D(1), x, other, treePart{0, n / 2}))
		require.NoError(t, i.Update(ctx, g))
		require.NoError(t, t.stream.Replay(ctx, i))
		require.NoError(t, t.stream.Sync(ctx))
		data := make([]uint32, n)
		require.NoError(t, copied.Download(ctx, data))
		require.False(t, slices.IsSorted(data))
		require.True(t, slices.IsSorted(data[:n/2]))
	})
}

// TestLaunchTreeLoop: runs in the body of a loop, whose continuations go on for longer than is
// recorded in advance, and in child graphs.
func TestLaunchTreeLoop(tt *testing.T) {
	eachTreeGraph(tt, func(t *treeTest) {
		ctx := t.Context()
		tree := t.tree(LaunchTreeOptions{Depth: 1, Capacity: 1, Continuations: 1})
		start := make([]uint32, 64)
		for i := range start {
			start[i] = uint32(i)
		}
		x, y := bufferOf(t, t.acc, start...), bufferOf(t, t.acc, make([]uint32, 64)...)
		rounds := bufferOf[uint32](t, t.acc, 3)
		body := t.acc.NewGraph("body")
		_, err := body.LaunchTree(ctx, tree, t.kernel("iterate"), Threads1D(1), x, y, uint32(8))
		require.NoError(t, err)
		_, err = body.Launch(t.kernel("countdown"), Threads1D(1), rounds)
		require.NoError(t, err)
		g := t.acc.NewGraph("loop")
		_, err = g.LaunchTree(ctx, tree, t.kernel("iterate"), Threads1D(1), x, y, uint32(2))
		require.NoError(t, err)
		_, err = g.While(rounds, body, 10)
		require.NoError(t, err)
		child := t.acc.NewGraph("outer")
		_, err = child.Child(g)
		require.NoError(t, err)
		i, err := child.Instantiate(ctx)
		require.NoError(t, err)
		defer i.Close()
		launches := t.kernel("iterate").core.Counters.Launches.Load()
		require.NoError(t, t.stream.Replay(ctx, i))
		require.NoError(t, t.stream.Sync(ctx))
		require.EqualValues(t, 4, t.kernel("iterate").core.Counters.Launches.Load()-launches)
		levels, ok := tree.LastLevels()
		require.True(t, ok)
		require.Equal(t, 8, levels[1].Launches)

		a, b := bufferOf(t, t.acc, start...), bufferOf(t, t.acc, make([]uint32, 64)...)
		for range 2 + 3*8 {
			require.NoError(t, t.stream.Launch(ctx, t.kernel("relax"), Threads1D(64), a, b))
			a, b = b, a
		}
		require.NoError(t, t.stream.Sync(ctx))
		want, err := a.Data()
		require.NoError(t, err)
		got, err := x.Data()
		require.NoError(t, err)
		require.Equal(t, want, got)
	})
}

// TestLaunchTreeGraphFailure: kernels that launch too many fail the replay, and end a loop; replays
// after it run. A canceled replay ends.
func TestLaunchTreeGraphFailure(tt *testing.T) {
	eachTreeGraph(tt, func(t *treeTest) {
		ctx := t.Context()
		tree := t.tree(LaunchTreeOptions{Depth: 1, Capacity: 1, Continuations: 2})
		x, always := bufferOf[uint32](t, t.acc, 0), bufferOf[uint32](t, t.acc, 1)
		body := t.acc.NewGraph("body")
		node, err := body.LaunchTree(ctx, tree, t.kernel("grows"), Threads1D(1), x, uint32(1))
		require.NoError(t, err)
		_, err = body.Launch(t.kernel("scatter"), Threads1D(1), bufferOf[uint32](t, t.acc, 0), uint32(1))
		require.NoError(t, err)
		g := t.acc.NewGraph("fails")
		_, err = g.While(always, body, 1000)
		require.NoError(t, err)
		i, err := g.Instantiate(ctx)
		require.NoError(t, err)
		defer i.Close()
		launches := t.kernel("grows").core.Counters.Launches.Load()
		require.NoError(t, t.stream.Replay(ctx, i))
		var over *LaunchOverflowError
		require.ErrorAs(t, t.stream.Sync(ctx), &over)
		require.Equal(t, 3, over.Wanted)
		require.EqualValues(t, 1, t.kernel("grows").core.Counters.Launches.Load()-launches)
		_, ok := tree.LastLevels()
		require.False(t, ok)
		require.NoError(t, body.SetLaunch(node, Threads1D(1), x, uint32(0)))
		require.NoError(t, x.Upload(ctx, []uint32{0})) // which the run that failed may have written
		t.replay(body)

		long := t.tree(LaunchTreeOptions{Depth: 1, Capacity: 1, Continuations: 1, Steps: maxTreeSteps})
		endless := t.acc.NewGraph("endless")
		_, err = endless.LaunchTree(ctx, long, t.kernel("endless"), Threads1D(1), x)
		require.NoError(t, err)
		j, err := endless.Instantiate(ctx)
		require.NoError(t, err)
		defer j.Close()
		ended, cancel := context.WithCancel(ctx)
		s, err := t.acc.NewStream(StreamOptions{Context: ended})
		require.NoError(t, err)
		require.NoError(t, s.Replay(ctx, j))
		cancel()
		require.ErrorIs(t, s.Sync(ctx), ErrCanceled)
		require.NoError(t, s.Close(ctx))
	})
}

// TestLaunchTreeGraphMisuse: what graphs refuse.
func TestLaunchTreeGraphMisuse(tt *testing.T) {
	// Made first, because each accelerator sees at its end what was made after it.
	other := newTreeTest(tt, treeGraphKernels, continueNames)
	foreign := other.kernel("endless")
	t := newTreeTest(tt, treeGraphKernels, continueNames)
	ctx := t.Context()
	tree, second := t.tree(LaunchTreeOptions{Depth: 1, Capacity: 1}), t.tree(LaunchTreeOptions{Depth: 1, Capacity: 1})
	x := bufferOf[uint32](t, t.acc, 0)
	g := t.acc.NewGraph("refused")
	add := func(g *Graph, tree *LaunchTree, k *Kernel, args ...any) error {
		_, err := g.LaunchTree(ctx, tree, k, Threads1D(1), args...)
		return err
	}
	endless := t.kernel("endless")
	require.ErrorIs(t, add(nil, tree, endless, x), ErrNil)
	require.ErrorIs(t, add(g, nil, endless, x), ErrNil)
	require.ErrorIs(t, add(g, tree, nil, x), ErrNil)
	require.ErrorIs(t, add(other.acc.NewGraph(""), tree, endless, x), ErrAccelerator)
	require.ErrorIs(t, add(g, tree, foreign, x), ErrAccelerator)
	require.ErrorContains(t, add(g, tree, endless), "missing")
	require.Zero(t, g.Len())
	require.NoError(t, t.stream.BeginCapture("fails"))
	_, err := t.stream.LaunchTree(ctx, tree, endless, Threads1D(1))
	require.ErrorContains(t, err, "missing")
	_, err = t.stream.EndCapture()
	require.NoError(t, err, "a launch that is refused is not part of the graph")

	require.NoError(t, add(g, tree, endless, x))
	require.ErrorContains(t, g.SetLaunch(0, Threads1D(1)), "missing")
	i, err := g.Instantiate(ctx)
	require.NoError(t, err)
	defer i.Close()
	for want, make := range map[string]func(*Graph) error{
		`launch tree "test" from`: func(g *Graph) error { return add(g, second, endless, x) },
		"became launch tree":      func(g *Graph) error { return add(g, tree, t.kernel("grows"), x, uint32(1)) },
		"became countdown": func(g *Graph) error {
			_, err := g.Launch(t.kernel("countdown"), Threads1D(1), x)
			return err
		},
	} {
		changed := t.acc.NewGraph("changed")
		require.NoError(t, make(changed))
		err := i.Update(ctx, changed)
		require.ErrorIs(t, err, ErrGraph)
		require.ErrorContains(t, err, want)
	}
	tree.Close()
	require.ErrorIs(t, t.stream.Replay(ctx, i), ErrClosed)
	require.ErrorIs(t, add(g, tree, endless, x), ErrClosed)
	_, ok := (*LaunchTree)(nil).LastLevels()
	require.False(t, ok)
}
