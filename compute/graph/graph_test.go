package graph

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const graphKernels = `
#include <metal_stdlib>
using namespace metal;
kernel void add(device int *x [[buffer(0)]], constant int &by [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    x[i] += by;
}
kernel void scale(device int *x [[buffer(0)]], constant int &by [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    x[i] *= by;
}
kernel void sum(device const int *x [[buffer(0)]], device const int *y [[buffer(1)]], device int *z [[buffer(2)]],
                uint i [[thread_position_in_grid]]) {
    z[i] = x[i] * 3 + y[i];
}
// Adds 1, and says whether x is still below the limit.
kernel void count(device int *x [[buffer(0)]], device uint *more [[buffer(1)]], constant int &limit [[buffer(2)]]) {
    x[0] += 1;
    more[0] = x[0] < limit;
}
kernel void paint(texture2d<int, access::write> t [[texture(0)]], device const int *x [[buffer(0)]],
                  uint2 at [[thread_position_in_grid]]) {
    t.write(int4(x[at.x]), at);
}`

// graphTest is what tests of graphs share.
type graphTest struct {
	*testing.T
	a      *compute.Accelerator
	s      *compute.Stream
	kernel func(string, ...compute.Constant) *compute.Kernel
}

func newGraphTest(t *testing.T, options ...compute.Option) *graphTest {
	a := accelerator(t, options...)
	return &graphTest{t, a, newStream(t, a), kernels(t, a, graphKernels)}
}

// launch adds a launch over all elements of the first buffer.
func (t *graphTest) launch(g *Graph, name string, x *compute.Buffer[int32], args ...any) Node {
	t.Helper()
	n, err := g.Launch(t.kernel(name), compute.Threads1D(x.Len()), append([]any{x}, args...)...)
	require.NoError(t, err)
	return n
}

func (t *graphTest) instance(g *Graph) *Instance {
	t.Helper()
	i, err := g.Instantiate(t.Context())
	require.NoError(t, err)
	t.Cleanup(i.Close)
	return i
}

// replay replays an instance and waits.
func (t *graphTest) replay(i *Instance) {
	t.Helper()
	require.NoError(t, i.Replay(t.Context(), t.s))
	require.NoError(t, t.s.Sync(t.Context()))
}

func (t *graphTest) equal(x *compute.Buffer[int32], want ...int32) {
	t.Helper()
	got := make([]int32, x.Len())
	require.NoError(t, x.Download(t.Context(), got))
	assert.Equal(t, want, got)
}

// paths summarizes how an instance replays its nodes: "0 indirect commands".
func paths(i *Instance) (all []string) {
	for _, r := range i.How() {
		all = append(all, r.Node+" "+r.Path.String())
	}
	return all
}

// TestGraph replays nodes of every kind, made by hand.
func TestGraph(tt *testing.T) {
	t := newGraphTest(tt)
	ctx := t.Context()
	x, y, z := bufferOf[int32](t, t.a, 1, 2), bufferOf[int32](t, t.a, 0, 0), bufferOf[int32](t, t.a, 0, 0)
	picture := newTexture[int32](t, t.a, compute.Texture2D(2, 1),
		compute.TextureOptions{Usage: mtl.TextureUsageShaderWrite})
	g := New(t.a, "all")
	t.launch(g, "add", x, int32(1))
	t.launch(g, "add", y, int32(5))
	t.launch(g, "scale", x, int32(2))
	t.launch(g, "sum", x, y, z)
	var seen [][]int32
	_, err := g.Host(func() error {
		data, err := z.Data()
		seen = append(seen, append([]int32(nil), data...))
		return err
	}, compute.Reads(z))
	require.NoError(t, err)
	called := 0
	nodes, err := g.Record(ctx, func(ctx context.Context, s *compute.Stream) error {
		return errors.Join(compute.Copy(ctx, s, y, z), compute.Fill(ctx, s, z, 0),
			s.Launch(ctx, t.kernel("paint"), compute.Threads2D(2, 1), picture, y),
			compute.CopyFromTexture(ctx, s, z, picture),
			s.Callback(ctx, func(err error) { called++; assert.NoError(t, err) }),
			s.Encode(ctx, func(c mtl.CommandBuffer) error { return nil }, compute.Reads(z)))
	})
	require.NoError(t, err)
	assert.Equal(t, []Node{5, 6, 7, 8, 9, 10}, nodes)
	child := New(t.a, "child")
	t.launch(child, "add", z, int32(100))
	_, err = g.Child(child)
	require.NoError(t, err)
	t.launch(child, "add", z, int32(1000)) // the child is a copy
	assert.Equal(t, 12, g.Len())

	i := t.instance(g)
	t.replay(i)
	t.equal(x, 4, 6)
	t.equal(y, 17, 23)
	t.equal(z, 117, 123)
	assert.Equal(t, [][]int32{{17, 23}}, seen)
	t.replay(i)
	t.equal(x, 10, 14)
	t.equal(z, 10*3+17+5+100, 14*3+23+5+100)
	require.NoError(t, t.s.Sync(ctx))
	require.NoError(t, t.s.Callback(ctx, func(error) {})) // callbacks run in order
	assert.Equal(t, []string{"0 indirect commands", "1 indirect commands", "2 indirect commands", "3 indirect commands",
		"5 encoded", "4 host", "6 encoded", "7 encoded", "8 encoded", "10 encoded", "9 encoded", "11.0 encoded"}, paths(i))
	for _, r := range i.How() {
		assert.Equal(t, r.Path == ByCommands, r.Reason == "", r)
	}
	require.NoError(t, t.s.Close(ctx)) // waits for the callbacks
	assert.Equal(t, 2, called)
}

// TestCapture captures what a stream is given, and refuses what cannot be captured.
func TestCapture(tt *testing.T) {
	t := newGraphTest(tt)
	ctx, s := t.Context(), t.s
	x, y := bufferOf[int32](t, t.a, 1, 2), bufferOf[int32](t, t.a, 0, 0)
	l, err := t.kernel("scale").Bind(compute.Threads1D(2), x, int32(3))
	require.NoError(t, err)
	record := func() {
		require.NoError(t, s.Launch(ctx, t.kernel("add"), compute.Threads1D(2), x, int32(1)))
		require.NoError(t, s.Run(ctx, l))
		require.NoError(t, compute.Copy(ctx, s, y, x))
	}
	require.NoError(t, BeginCapture(s, "captured"))
	require.ErrorIs(t, BeginCapture(s, "again"), compute.ErrCapture)
	record()
	g, err := EndCapture(s)
	require.NoError(t, err)
	require.NoError(t, s.Sync(ctx))
	t.equal(x, 1, 2) // nothing has run
	i := t.instance(g)
	t.replay(i)
	t.equal(y, 6, 9)
	_, err = EndCapture(s)
	require.ErrorIs(t, err, compute.ErrCapture)
	assert.Contains(t, g.nodes[0].describe(), "add (graph_test.go:")

	require.NoError(t, BeginCapture(s, "with a replay"))
	require.NoError(t, i.Replay(ctx, s))
	record()
	both, err := EndCapture(s)
	require.NoError(t, err)
	t.replay(t.instance(both))
	t.equal(y, 66, 93)

	e, err := t.a.NewEvent(compute.EventOptions{Label: "captured"})
	require.NoError(t, err)
	defer e.Close()
	for name, call := range map[string]func() error{
		"record":   func() error { return s.Record(ctx, e) },
		"upload":   func() error { return compute.UploadAsync(ctx, s, x, []int32{1}, nil) },
		"download": func() error { return compute.DownloadAsync(ctx, s, make([]int32, 1), x, nil) },
		"sync":     func() error { return s.Sync(ctx) },
	} {
		require.NoError(t, BeginCapture(s, name))
		record()
		require.ErrorIs(t, call(), compute.ErrCapture, name)
		_, err = EndCapture(s)
		require.ErrorIs(t, err, compute.ErrCapture, name)
	}
	require.NoError(t, x.Upload(ctx, []int32{5, 6})) // nothing uses it any more
	require.NoError(t, s.Sync(ctx))
}

// TestGraphLoops: conditions and loops that the device decides on, those that the host does, and
// loops within them, end with the condition or at their limit.
func TestGraphLoops(tt *testing.T) {
	t := newGraphTest(tt)
	ctx := t.Context()
	x, y := bufferOf[int32](t, t.a, 0), bufferOf[int32](t, t.a, 0)
	more, never, always := bufferOf[uint32](t, t.a, 1), bufferOf[uint32](t, t.a, 0), bufferOf[uint32](t, t.a, 7)
	for _, host := range []bool{false, true} {
		for _, c := range []struct{ limit, most, want int }{
			{5, 1, 1}, {5, 3, 3}, {5, 5, 5}, {5, 64, 5}, {5, 1000, 5}, {64, 65, 64}, {200, 1000, 200}, {200, 130, 130},
		} {
			name := fmt.Sprint("host ", host, c)
			body := New(t.a, "body")
			_, err := body.Launch(t.kernel("count"), compute.Threads1D(1), x, more, int32(c.limit))
			require.NoError(t, err)
			if host {
				_, err := body.Record(ctx, func(ctx context.Context, s *compute.Stream) error { return compute.Copy(ctx, s, y, x) })
				require.NoError(t, err)
			}
			g := New(t.a, name)
			_, err = g.While(more, body, c.most)
			require.NoError(t, err)
			t.launch(g, "add", x, int32(1000))
			_, err = g.If(never, body)
			require.NoError(t, err)
			i := t.instance(g)
			path := i.How()[0].Path
			assert.Equal(t, host, path == ByHost, name)
			for range 2 {
				require.NoError(t, x.Upload(ctx, []int32{0}))
				require.NoError(t, more.Upload(ctx, []uint32{1}))
				t.replay(i)
				t.equal(x, int32(c.want+1000))
			}
			i.Close()
		}
	}
	// A loop of two iterations within one of three, between other nodes, several replays pending.
	inner, outer, g := New(t.a, "inner"), New(t.a, "outer"), New(t.a, "nested")
	t.launch(inner, "add", x, int32(1))
	_, err := inner.Record(ctx, func(ctx context.Context, s *compute.Stream) error { return compute.Copy(ctx, s, y, x) })
	require.NoError(t, err)
	_, err = outer.While(always, inner, 2)
	require.NoError(t, err)
	t.launch(outer, "scale", x, int32(2))
	t.launch(g, "scale", x, int32(0))
	_, err = g.While(always, outer, 3)
	require.NoError(t, err)
	t.launch(g, "add", y, int32(1))
	_, err = g.If(always, inner)
	require.NoError(t, err)
	i := t.instance(g)
	for range 3 {
		require.NoError(t, i.Replay(ctx, t.s))
	}
	require.NoError(t, t.s.Sync(ctx))
	t.equal(x, ((0+2)*2+2)*2*2+2*2+1)
	t.equal(y, ((0+2)*2+2)*2*2+2*2+1)
}

// TestGraphLoopFails: a loop ends when its body fails, and a stream's end of context ends it too.
func TestGraphLoopFails(tt *testing.T) {
	t := newGraphTest(tt)
	broken := errors.New("broken")
	always := bufferOf[uint32](t, t.a, 1)
	calls := 0
	body := New(t.a, "body")
	_, err := body.Host(func() error {
		if calls++; calls == 3 {
			return broken
		}
		return nil
	})
	require.NoError(t, err)
	g := New(t.a, "fails")
	_, err = g.While(always, body, 100)
	require.NoError(t, err)
	i := t.instance(g)
	require.NoError(t, i.Replay(t.Context(), t.s))
	require.ErrorIs(t, t.s.Sync(t.Context()), broken)
	assert.Equal(t, 3, calls)

	ctx, cancel := context.WithCancelCause(t.Context())
	s, err := t.a.NewStream(compute.StreamOptions{Context: ctx})
	require.NoError(t, err)
	endless := New(t.a, "endless")
	stop := New(t.a, "stop")
	runs := 0
	_, err = stop.Host(func() error {
		if runs++; runs == 10 {
			cancel(broken)
		}
		return nil
	})
	require.NoError(t, err)
	_, err = endless.While(always, stop, maxIterations)
	require.NoError(t, err)
	require.NoError(t, t.instance(endless).Replay(t.Context(), s))
	require.ErrorIs(t, s.Sync(t.Context()), compute.ErrCanceled)
	assert.Less(t, runs, maxIterations)
	require.NoError(t, s.Close(t.Context()))
}

// TestGraphUpdate replaces buffers, values and grids, and refuses what an instance cannot change.
func TestGraphUpdate(tt *testing.T) {
	t := newGraphTest(tt)
	ctx := t.Context()
	x, y, z := bufferOf[int32](t, t.a, 1, 1), bufferOf[int32](t, t.a, 1, 1), bufferOf[int32](t, t.a, 0, 0)
	cond := bufferOf[uint32](t, t.a, 1)
	body := New(t.a, "body")
	t.launch(body, "add", x, int32(10))
	build := func() *Graph {
		g := New(t.a, "updated")
		t.launch(g, "add", x, int32(1))
		t.launch(g, "add", y, int32(2))
		t.launch(g, "sum", x, y, z)
		_, err := g.If(cond, body)
		require.NoError(t, err)
		return g
	}
	g := build()
	i := t.instance(g)
	t.replay(i)
	t.equal(x, 12, 12)
	t.equal(z, 2*3+3, 2*3+3)
	require.NoError(t, g.SetLaunch(0, compute.Threads1D(1), x, int32(-1)))
	t.replay(i) // not yet
	t.equal(x, 23, 23)
	require.NoError(t, i.Replay(ctx, t.s))
	require.NoError(t, i.Update(ctx, g)) // waits
	t.equal(x, 34, 34)
	t.replay(i)
	t.equal(x, 43, 44)
	other := g.Clone()
	other.nodes[3].body = New(t.a, "body")
	t.launch(other.nodes[3].body, "add", y, int32(1000))
	require.NoError(t, i.Update(ctx, other))
	t.replay(i)
	t.equal(x, 42, 44)
	t.equal(y, 1+2*5+1000, 1+2*5+1000)

	one := func(_ Node, err error) { require.NoError(t, err) }
	for name, change := range map[string]struct {
		to   func(g *Graph)
		want string
	}{
		"more nodes": {func(g *Graph) { t.launch(g, "add", x, int32(1)) }, "5 nodes instead of 4"},
		"kernel": {func(g *Graph) {
			l, _ := t.kernel("scale").Bind(compute.Threads1D(2), y, int32(1))
			g.nodes[1].work.Command = stream.LaunchOf(l)
		}, "node 1: kernel add became kernel scale"},
		"kind": {func(g *Graph) {
			g.nodes[1] = node{work: stream.Work{Command: &stream.FillCommand{Transfer: stream.Transfer{To: stream.BufferOf(y)}}}}
		},
			"node 1: add became fill of 8 bytes"},
		"limit":      {func(g *Graph) { g.nodes[3].most = 2 }, "node 3: if became while, at most 2 times"},
		"dependency": {func(g *Graph) { require.NoError(t, g.After(1, 0)) }, "node 1 now depends on node 0"},
		"memory": {func(g *Graph) { require.NoError(t, g.SetLaunch(1, compute.Threads1D(2), x, int32(1))) },
			"node 1 now depends on node 0"},
		"body": {func(g *Graph) { one(g.nodes[3].body.Launch(t.kernel("add"), compute.Threads1D(1), x, int32(1))) },
			"2 nodes instead of 1"},
	} {
		g := build()
		change.to(g)
		err := i.Update(ctx, g)
		require.ErrorIs(t, err, ErrGraph, name)
		assert.ErrorContains(t, err, change.want, name)
	}
	t.replay(i) // as before
	t.equal(x, 41, 44)
}

// TestGraphClones replays clones with buffers of their own at the same time.
func TestGraphClones(tt *testing.T) {
	t := newGraphTest(tt)
	ctx := t.Context()
	x := bufferOf[int32](t, t.a, make([]int32, 64)...)
	g := New(t.a, "cloned")
	for range 20 {
		t.launch(g, "add", x, int32(1))
		t.launch(g, "scale", x, int32(3))
	}
	first := t.instance(g)
	var all sync.WaitGroup
	for n := range 4 {
		i, err := first.Clone(ctx)
		require.NoError(t, err)
		defer i.Close()
		mine := bufferOf[int32](t, t.a, make([]int32, 64)...)
		own, s := i.Graph(), newStream(t, t.a)
		for j := range own.Len() {
			require.NoError(t, own.SetLaunch(Node(j), compute.Threads1D(64), mine, int32(j%3+n)))
		}
		require.NoError(t, i.Update(ctx, own))
		all.Go(func() {
			for range 10 {
				assert.NoError(t, i.Replay(ctx, s))
			}
			assert.NoError(t, s.Sync(ctx))
			want := int32(0)
			for range 10 {
				for j := range 40 {
					if j%2 == 0 {
						want += int32(j%3 + n)
					} else {
						want *= int32(j%3 + n)
					}
				}
			}
			got, err := mine.Data()
			assert.NoError(t, err)
			assert.Equal(t, want, got[63])
		})
	}
	all.Wait()
}

// TestGraphClosed: a replay of something closed is refused and records nothing; what was recorded
// before runs.
func TestGraphClosed(tt *testing.T) {
	t := newGraphTest(tt)
	ctx := t.Context()
	x, err := compute.BufferOf(ctx, t.a, []int32{1, 2})
	require.NoError(t, err)
	y, always := bufferOf[int32](t, t.a, 0, 0), bufferOf[uint32](t, t.a, 1)
	body, g := New(t.a, "body"), New(t.a, "closed")
	t.launch(body, "add", x, int32(1))
	_, err = body.Record(ctx, func(ctx context.Context, s *compute.Stream) error { return compute.Copy(ctx, s, y, x) })
	require.NoError(t, err)
	_, err = g.While(always, body, 3)
	require.NoError(t, err)
	i := t.instance(g)
	require.NoError(t, i.Replay(ctx, t.s))
	x.Close()
	err = i.Replay(ctx, t.s)
	require.ErrorIs(t, err, compute.ErrClosed)
	assert.ErrorContains(t, err, "buffer")
	require.NoError(t, t.s.Sync(ctx))
	t.equal(y, 4, 5)
	_, err = g.Instantiate(ctx)
	require.ErrorIs(t, err, compute.ErrClosed)
	i.Close()
	require.ErrorIs(t, i.Replay(ctx, t.s), compute.ErrClosed)
	require.ErrorIs(t, i.Update(ctx, g), compute.ErrClosed)
	assert.Empty(t, i.How())
}

// TestGraphMisuse: wrong calls are refused with what is wrong.
func TestGraphMisuse(tt *testing.T) {
	other := accelerator(tt)
	foreign := New(other, "foreign")
	t := newGraphTest(tt)
	ctx := t.Context()
	x, two := bufferOf[int32](t, t.a, 1), bufferOf[uint32](t, t.a, 1, 2)
	cond := bufferOf[uint32](t, t.a, 1)
	g := New(t.a, "misused")
	t.launch(g, "add", x, int32(1))
	fill, err := g.Record(ctx, func(ctx context.Context, s *compute.Stream) error {
		return errors.Join(compute.Fill(ctx, s, x, 0), s.Callback(ctx, func(error) {}))
	})
	require.NoError(t, err)
	t.launch(g, "add", x, int32(1))
	deep := New(t.a, "deep")
	t.launch(deep, "add", x, int32(1))
	for range maxNesting - 1 {
		next := New(t.a, "deep")
		_, err := next.Child(deep)
		require.NoError(t, err)
		deep = next
	}
	one := func(_ any, err error) error { return err }
	for name, k := range map[string]struct {
		err  error
		kind error
		want string
	}{
		"argument":  {one(g.Launch(t.kernel("add"), compute.Threads1D(1), x)), compute.ErrInvalidLaunch, "missing"},
		"no kernel": {one(g.Launch(nil, compute.Threads1D(1))), compute.ErrInvalidLaunch, "launch of nil"},
		"foreign": {one(foreign.Launch(t.kernel("add"), compute.Threads1D(1), x, int32(1))), compute.ErrAccelerator,
			""},
		"set a fill":    {g.SetLaunch(fill[0], compute.Threads1D(1), x), ErrGraph, "node 1 is fill of 4 bytes"},
		"set no node":   {g.SetLaunch(4, compute.Threads1D(1), x), compute.ErrRange, "node 4 of 4"},
		"after later":   {g.After(0, 1), ErrGraph, "node 0 after node 1, which was added later"},
		"after itself":  {g.After(1, 1), ErrGraph, "node 1 after node 1"},
		"after a call":  {g.After(3, 2), ErrGraph, "node 2, a callback, for which nothing waits"},
		"dependencies":  {one(g.Dependencies(-1)), compute.ErrRange, "node -1 of 4"},
		"itself":        {one(g.Child(g)), ErrGraph, "Child of itself"},
		"empty":         {one(g.Child(New(t.a, "nothing"))), ErrGraph, "which is empty"},
		"nil":           {one(g.Child(nil)), compute.ErrNil, ""},
		"foreign child": {one(g.Child(foreign)), compute.ErrAccelerator, ""},
		"nested":        {one(g.Child(deep)), ErrGraph, "more than 16 graphs within each other"},
		"condition":     {one(g.If(two, g.Clone())), compute.ErrRange, "the condition has 2 elements, want 1"},
		"no condition":  {one(g.If(nil, g)), compute.ErrNil, ""},
		"no iterations": {one(g.While(cond, g.Clone(), 0)), compute.ErrRange, "0 iterations, want 1 to 1048576"},
		"no function":   {one(g.Host(nil)), compute.ErrNil, ""},
		"not an access": {one(g.Host(func() error { return nil }, x)), compute.ErrOption, "access 0"},
		"sync": {one(g.Record(ctx, func(ctx context.Context, s *compute.Stream) error { return s.Sync(ctx) })),
			compute.ErrCapture, "Sync"},
		"panics":     {one(g.Record(ctx, func(context.Context, *compute.Stream) error { panic("boom") })), nil, "boom"},
		"nil replay": {(*Instance)(nil).Replay(ctx, t.s), compute.ErrNil, ""},
	} {
		require.Error(t, k.err, name)
		if k.kind != nil {
			require.ErrorIs(t, k.err, k.kind, name)
		}
		assert.ErrorContains(t, k.err, k.want, name)
	}
	assert.Equal(t, 4, g.Len())
	t.replay(t.instance(New(t.a, "empty")))
}

// TestGraphDependencies: dependencies follow from memory, and can be added; DOT shows both.
func TestGraphDependencies(tt *testing.T) {
	t := newGraphTest(tt)
	x, err := compute.NewBuffer[int32](t.a, 2, compute.BufferOptions{Label: "x"})
	require.NoError(t, err)
	defer x.Close()
	y, z := bufferOf[int32](t, t.a, 0, 0), bufferOf[int32](t, t.a, 0, 0)
	g := New(t.a, "shown")
	t.launch(g, "add", x, int32(1))
	t.launch(g, "add", y, int32(1))
	t.launch(g, "sum", x, y, z)
	t.launch(g, "scale", x, int32(2))
	require.NoError(t, g.After(1, 0))
	child := New(t.a, "child \"c\"")
	t.launch(child, "scale", z, int32(2))
	_, err = g.Child(child)
	require.NoError(t, err)
	of := func(n Node) string {
		all, err := g.Dependencies(n)
		require.NoError(t, err)
		var text []string
		for _, d := range all {
			name, _, _ := strings.Cut(d.Memory, " (")
			text = append(text, fmt.Sprintf("%d %t %s", d.On, d.Added, name))
		}
		return strings.Join(text, "; ")
	}
	b := func(x *compute.Buffer[int32]) string { return fmt.Sprint("buffer ", x.ID()) }
	assert.Empty(t, of(0))
	assert.Equal(t, "0 true ", of(1))
	assert.Equal(t, "0 false "+b(x)+` "x"; 1 false `+b(y), of(2))
	assert.Equal(t, "0 false "+b(x)+` "x"; 2 false `+b(x)+` "x"`, of(3))
	assert.Equal(t, "2 false "+b(z), of(4))
	var dot strings.Builder
	require.NoError(t, g.WriteDOT(&dot))
	for _, want := range []string{`digraph "shown" {`, `"n2" [label="2: sum\n2x1x1 threads in 2x1x1"];`,
		`"n0" -> "n1" [style=dashed];`, `subgraph "cluster_n4"`, `label="4: child child \"c\""`, `lhead="cluster_n4"`} {
		assert.Contains(t, dot.String(), want)
	}
}
