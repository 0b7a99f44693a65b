package tree

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/compute/internal/stream"
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
func (t *treeTest) replay(g *graph.Graph) *graph.Instance {
	t.Helper()
	i, err := g.Instantiate(t.Context())
	require.NoError(t, err)
	t.Cleanup(i.Close)
	for range 2 {
		require.NoError(t, i.Replay(t.Context(), t.stream))
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
		tree := t.tree(Options{Depth: 7, Capacity: 128, Continuations: 64, Timing: true})
		buffers := func() (x, other, copied *compute.Buffer[uint32]) {
			zero := make([]uint32, n)
			return bufferOf(t, t.acc, zero...), bufferOf(t, t.acc, zero...), bufferOf(t, t.acc, zero...)
		}
		all := treePart{0, n}
		record := func(x, other, copied *compute.Buffer[uint32]) {
			require.NoError(t, t.stream.Launch(ctx, t.kernel("scatter"), compute.Threads1D(n), x, uint32(7919)))
			run, err := tree.Launch(ctx, t.stream, t.kernel("part"), compute.Threads1D(1), x, other, all)
			require.NoError(t, err)
			if stream.QueueOf(t.stream).Capture() != nil {
				require.ErrorIs(t, run.Wait(ctx), compute.ErrCapture)
				_, err = run.Levels(ctx)
				require.ErrorIs(t, err, compute.ErrCapture)
			}
			require.NoError(t, compute.Copy(ctx, t.stream, copied, x))
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

		check := func(g *graph.Graph, got *compute.Buffer[uint32]) *graph.Instance {
			t.Helper()
			launches := t.kernel("part").Stats().Launches
			i := t.replay(g)
			require.EqualValues(t, 2, t.kernel("part").Stats().Launches-launches)
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
			require.Equal(t, graph.ByEncoding, how[1].Path)
			require.Contains(t, how[1].What, `launch tree "test" from part`)
			require.Contains(t, how[1].Reason, "its kernels decide in each replay which indirect commands there are")
			return i
		}
		x, other, copied = buffers()
		require.NoError(t, graph.BeginCapture(t.stream, "captured"))
		record(x, other, copied)
		g, err := graph.EndCapture(t.stream)
		require.NoError(t, err)
		check(g, copied)
		var dot strings.Builder
		require.NoError(t, g.WriteDOT(&dot))
		require.Contains(t, dot.String(), `1: launch tree`)

		x, other, copied = buffers()
		g = graph.New(t.acc, "by hand")
		_, err = g.Launch(t.kernel("scatter"), compute.Threads1D(n), x, uint32(7919))
		require.NoError(t, err)
		node, err := tree.AddTo(ctx, g, t.kernel("part"), compute.Threads1D(1), x, other, all)
		require.NoError(t, err)
		_, err = g.Record(ctx, func(ctx context.Context, s *compute.Stream) error { return compute.Copy(ctx, s, copied, x) })
		require.NoError(t, err)
		for n, on := range []graph.Node{0, 1} {
			after, err := g.Dependencies(graph.Node(n) + 1)
			require.NoError(t, err)
			require.Equal(t, on, after[0].On)
		}
		i := check(g, copied)

		// Sorts half of the numbers after an update.
		require.NoError(t, g.SetLaunch(node, compute.Threads1D(1), x, other, treePart{0, n / 2}))
		require.NoError(t, i.Update(ctx, g))
		require.NoError(t, i.Replay(ctx, t.stream))
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
		tree := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 1})
		start := make([]uint32, 64)
		for i := range start {
			start[i] = uint32(i)
		}
		x, y := bufferOf(t, t.acc, start...), bufferOf(t, t.acc, make([]uint32, 64)...)
		rounds := bufferOf[uint32](t, t.acc, 3)
		body := graph.New(t.acc, "body")
		_, err := tree.AddTo(ctx, body, t.kernel("iterate"), compute.Threads1D(1), x, y, uint32(8))
		require.NoError(t, err)
		_, err = body.Launch(t.kernel("countdown"), compute.Threads1D(1), rounds)
		require.NoError(t, err)
		g := graph.New(t.acc, "loop")
		_, err = tree.AddTo(ctx, g, t.kernel("iterate"), compute.Threads1D(1), x, y, uint32(2))
		require.NoError(t, err)
		_, err = g.While(rounds, body, 10)
		require.NoError(t, err)
		child := graph.New(t.acc, "outer")
		_, err = child.Child(g)
		require.NoError(t, err)
		i, err := child.Instantiate(ctx)
		require.NoError(t, err)
		defer i.Close()
		launches := t.kernel("iterate").Stats().Launches
		require.NoError(t, i.Replay(ctx, t.stream))
		require.NoError(t, t.stream.Sync(ctx))
		require.EqualValues(t, 4, t.kernel("iterate").Stats().Launches-launches)
		levels, ok := tree.LastLevels()
		require.True(t, ok)
		require.Equal(t, 8, levels[1].Launches)

		a, b := bufferOf(t, t.acc, start...), bufferOf(t, t.acc, make([]uint32, 64)...)
		for range 2 + 3*8 {
			require.NoError(t, t.stream.Launch(ctx, t.kernel("relax"), compute.Threads1D(64), a, b))
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
		tree := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 2})
		x, always := bufferOf[uint32](t, t.acc, 0), bufferOf[uint32](t, t.acc, 1)
		body := graph.New(t.acc, "body")
		node, err := tree.AddTo(ctx, body, t.kernel("grows"), compute.Threads1D(1), x, uint32(1))
		require.NoError(t, err)
		_, err = body.Launch(t.kernel("scatter"), compute.Threads1D(1), bufferOf[uint32](t, t.acc, 0), uint32(1))
		require.NoError(t, err)
		g := graph.New(t.acc, "fails")
		_, err = g.While(always, body, 1000)
		require.NoError(t, err)
		i, err := g.Instantiate(ctx)
		require.NoError(t, err)
		defer i.Close()
		launches := t.kernel("grows").Stats().Launches
		require.NoError(t, i.Replay(ctx, t.stream))
		var over *OverflowError
		require.ErrorAs(t, t.stream.Sync(ctx), &over)
		require.Equal(t, 3, over.Wanted)
		require.EqualValues(t, 1, t.kernel("grows").Stats().Launches-launches)
		_, ok := tree.LastLevels()
		require.False(t, ok)
		require.NoError(t, body.SetLaunch(node, compute.Threads1D(1), x, uint32(0)))
		require.NoError(t, x.Upload(ctx, []uint32{0})) // which the run that failed may have written
		t.replay(body)

		long := t.tree(Options{Depth: 1, Capacity: 1, Continuations: 1, Steps: maxTreeSteps})
		endless := graph.New(t.acc, "endless")
		_, err = long.AddTo(ctx, endless, t.kernel("endless"), compute.Threads1D(1), x)
		require.NoError(t, err)
		j, err := endless.Instantiate(ctx)
		require.NoError(t, err)
		defer j.Close()
		ended, cancel := context.WithCancel(ctx)
		s, err := t.acc.NewStream(compute.StreamOptions{Context: ended})
		require.NoError(t, err)
		require.NoError(t, j.Replay(ctx, s))
		cancel()
		require.ErrorIs(t, s.Sync(ctx), compute.ErrCanceled)
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
	tree, second := t.tree(Options{Depth: 1, Capacity: 1}), t.tree(Options{Depth: 1, Capacity: 1})
	x := bufferOf[uint32](t, t.acc, 0)
	g := graph.New(t.acc, "refused")
	add := func(g *graph.Graph, tree *Tree, k *compute.Kernel, args ...any) error {
		_, err := tree.AddTo(ctx, g, k, compute.Threads1D(1), args...)
		return err
	}
	endless := t.kernel("endless")
	require.ErrorIs(t, add(nil, tree, endless, x), compute.ErrNil)
	require.ErrorIs(t, add(g, nil, endless, x), compute.ErrNil)
	require.ErrorIs(t, add(g, tree, nil, x), compute.ErrNil)
	require.ErrorIs(t, add(graph.New(other.acc, ""), tree, endless, x), compute.ErrAccelerator)
	require.ErrorIs(t, add(g, tree, foreign, x), compute.ErrAccelerator)
	require.ErrorContains(t, add(g, tree, endless), "missing")
	require.Zero(t, g.Len())
	require.NoError(t, graph.BeginCapture(t.stream, "fails"))
	_, err := tree.Launch(ctx, t.stream, endless, compute.Threads1D(1))
	require.ErrorContains(t, err, "missing")
	_, err = graph.EndCapture(t.stream)
	require.NoError(t, err, "a launch that is refused is not part of the graph")

	require.NoError(t, add(g, tree, endless, x))
	require.ErrorContains(t, g.SetLaunch(0, compute.Threads1D(1)), "missing")
	i, err := g.Instantiate(ctx)
	require.NoError(t, err)
	defer i.Close()
	for want, make := range map[string]func(*graph.Graph) error{
		`launch tree "test" from`: func(g *graph.Graph) error { return add(g, second, endless, x) },
		"became launch tree":      func(g *graph.Graph) error { return add(g, tree, t.kernel("grows"), x, uint32(1)) },
		"became countdown": func(g *graph.Graph) error {
			_, err := g.Launch(t.kernel("countdown"), compute.Threads1D(1), x)
			return err
		},
	} {
		changed := graph.New(t.acc, "changed")
		require.NoError(t, make(changed))
		err := i.Update(ctx, changed)
		require.ErrorIs(t, err, graph.ErrGraph)
		require.ErrorContains(t, err, want)
	}
	tree.Close()
	require.ErrorIs(t, i.Replay(ctx, t.stream), compute.ErrClosed)
	require.ErrorIs(t, add(g, tree, endless, x), compute.ErrClosed)
	_, ok := (*Tree)(nil).LastLevels()
	require.False(t, ok)
}
