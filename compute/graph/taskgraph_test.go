package graph

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/contain"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTaskGraph(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, mixing)("blend")
	buffers := map[string]*compute.Buffer[int32]{}
	for _, n := range []string{"a", "b", "c", "d"} {
		b, err := compute.BufferOf(t.Context(), a, []int32{1, 2})
		require.NoError(t, err)
		buffers[n] = b
	}
	g := NewTaskGraph(a)
	mix := func(from, to string) func(context.Context, *compute.Stream) error {
		return func(ctx context.Context, s *compute.Stream) error {
			return s.Launch(ctx, k, compute.Threads1D(2), buffers[from], buffers[to], int32(2))
		}
	}
	require.NoError(t, g.Add("join", mix("b", "c"), "left", "right"))
	require.NoError(t, g.Add("root", mix("d", "a")))
	require.NoError(t, g.Add("left", mix("a", "b"), "root"))
	require.NoError(t, g.Add("right", mix("a", "c"), "root"))
	order, err := g.Order()
	require.NoError(t, err)
	assert.Equal(t, []string{"root", "left", "right", "join"}, order)
	require.NoError(t, g.Own("root", buffers["d"]))

	stats, err := g.Run(t.Context(), 3)
	require.NoError(t, err)
	require.Len(t, stats, 4)
	for _, s := range stats {
		assert.NoError(t, s.Err, s.Name)
		assert.Positive(t, s.Device, s.Name)
	}
	d := []int32{1, 2}
	model := map[string][]int32{"a": {1, 2}, "b": {1, 2}, "c": {1, 2}}
	mixed(d, model["a"], 2)
	mixed(model["a"], model["b"], 2)
	mixed(model["a"], model["c"], 2)
	mixed(model["b"], model["c"], 2)
	for n, want := range model {
		got, err := buffers[n].Data()
		require.NoError(t, err)
		assert.Equal(t, want, got, n)
		buffers[n].Close()
	}
	_, err = buffers["d"].Data()
	require.ErrorIs(t, err, compute.ErrClosed, "the graph owned it")
}

func TestTaskGraphErrors(t *testing.T) {
	a := accelerator(t)
	nothing := func(context.Context, *compute.Stream) error { return nil }
	g := NewTaskGraph(a)
	require.NoError(t, g.Add("a", nothing, "c"))
	require.ErrorIs(t, g.Add("a", nothing), ErrGraph)
	require.ErrorIs(t, g.Add("", nothing), ErrGraph)
	_, err := g.Order()
	require.ErrorIs(t, err, ErrGraph)
	assert.ErrorContains(t, err, `"a" comes after "c", which does not exist`)
	require.NoError(t, g.Add("b", nothing, "a"))
	require.NoError(t, g.Add("c", nothing, "b"))
	_, err = g.Run(t.Context(), 1)
	require.ErrorIs(t, err, ErrGraph)
	assert.ErrorContains(t, err, "a after c after b after a")
	require.ErrorIs(t, g.Own("x", nil), ErrGraph)

	failing := NewTaskGraph(a)
	broken := errors.New("broken")
	require.NoError(t, failing.Add("first", func(context.Context, *compute.Stream) error { return broken }))
	ran := false
	require.NoError(t, failing.Add("second", func(context.Context, *compute.Stream) error { ran = true; return nil },
		"first"))
	stats, err := failing.Run(t.Context(), 2)
	require.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, `task "first"`)
	assert.ErrorIs(t, stats[1].Err, ErrSkipped)
	assert.False(t, ran)

	ctx, cancel := context.WithCancel(t.Context())
	canceled := NewTaskGraph(a)
	require.NoError(t, canceled.Add("first", func(context.Context, *compute.Stream) error { cancel(); return nil }))
	require.NoError(t, canceled.Add("second", nothing, "first"))
	r, err := canceled.Start(ctx, 1)
	require.NoError(t, err)
	stats, err = r.Wait(t.Context())
	requireCanceled(t, err)
	require.ErrorIs(t, err, ErrSkipped)
	assert.EqualError(t, err, `compute: task "second": skipped: context canceled`)
	require.NoError(t, stats[0].Err, "it had run")
	assert.ErrorIs(t, stats[1].Err, ErrSkipped)
}

// TestTaskGraphPanics: a task that panics, or ends its goroutine, fails with that; those that
// depend on it are skipped.
func TestTaskGraphPanics(t *testing.T) {
	a := accelerator(t)
	for name, c := range map[string]struct {
		run  func()
		want any
	}{"panic": {func() { panic("boom") }, "boom"}, "exit": {runtime.Goexit, contain.ErrExited}} {
		t.Run(name, func(t *testing.T) {
			g := NewTaskGraph(a)
			require.NoError(t, g.Add("first", func(context.Context, *compute.Stream) error { c.run(); return nil }))
			require.NoError(t, g.Add("second", func(context.Context, *compute.Stream) error { return nil }, "first"))
			stats, err := g.Run(t.Context(), 1)
			var p *compute.PanicError
			require.ErrorAs(t, err, &p)
			assert.Equal(t, c.want, p.Value)
			assert.Contains(t, string(p.Stack), "taskgraph.go")
			assert.ErrorContains(t, err, `task "first"`)
			assert.ErrorIs(t, stats[1].Err, ErrSkipped)
		})
	}
}

// TestGroupPanics: a panic in a function of a group is the group's error.
func TestGroupPanics(t *testing.T) {
	g, err := accelerator(t).NewStreamGroup(t.Context(), 1)
	require.NoError(t, err)
	g.Go(func(context.Context, *compute.Stream) error { panic("boom") })
	var p *compute.PanicError
	require.ErrorAs(t, g.Wait(), &p)
	assert.Equal(t, "boom", p.Value)
}
