package graph

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/contexttest"
)

// TestEndedContexts: every exported function that takes a context refuses one that has ended.
func TestEndedContexts(t *testing.T) {
	a := accelerator(t)
	k := kernels(t, a, `kernel void add(device uint *x [[buffer(0)]]) { x[0] += 1; }`)("add")
	s, x := newStream(t, a), bufferOf[uint32](t, a, 7)
	ranges := bufferOf(t, a, CommandRange{Count: 1})
	c, g := commandsOf(t, a, 1), New(a, "g")
	require.NoError(t, c.Set(t.Context(), 0, k, compute.Threads1D(1), x))
	_, err := g.Launch(k, compute.Threads1D(1), x)
	require.NoError(t, err)
	i, err := g.Instantiate(t.Context())
	require.NoError(t, err)
	t.Cleanup(i.Close)
	tasks := NewTaskGraph(a)
	wait := make(chan struct{})
	require.NoError(t, tasks.Add("waits", func(context.Context, *compute.Stream) error { <-wait; return nil }))
	run, err := tasks.Start(t.Context(), 1)
	require.NoError(t, err)
	idle := NewTaskGraph(a)
	require.NoError(t, idle.Add("none", func(context.Context, *compute.Stream) error {
		t.Error("called")
		return nil
	}))
	ctx := contexttest.Ended(t)
	contexttest.Check(t, map[string]func() error{
		"Commands.Execute":      func() error { return c.Execute(ctx, s, 0, 1) },
		"Commands.ExecuteRange": func() error { return c.ExecuteRange(ctx, s, ranges, 0) },
		"Commands.KernelHandle": func() error { _, err := c.KernelHandle(ctx, k); return err },
		"Commands.OptimizeOn":   func() error { return c.OptimizeOn(ctx, s, 0, 1) },
		"Commands.Reset":        func() error { return c.Reset(ctx, 0, 1) },
		"Commands.ResetOn":      func() error { return c.ResetOn(ctx, s, 0, 1) },
		"Commands.Set":          func() error { return c.Set(ctx, 0, k, compute.Threads1D(1), x) },
		"Commands.SetBarrier":   func() error { return c.SetBarrier(ctx, 0, true) },
		"Graph.Instantiate":     func() error { _, err := g.Instantiate(ctx); return err },
		"Graph.Record": func() error {
			_, err := g.Record(ctx, func(context.Context, *compute.Stream) error { t.Error("called"); return nil })
			return err
		},
		"Instance.Clone":  func() error { _, err := i.Clone(ctx); return err },
		"Instance.Replay": func() error { return i.Replay(ctx, s) },
		"Instance.Update": func() error { return i.Update(ctx, g) },
		"TaskGraph.Run":   func() error { _, err := idle.Run(ctx, 1); return err },
		"TaskGraph.Start": func() error { _, err := idle.Start(ctx, 1); return err },
		"TaskRun.Wait":    func() error { _, err := run.Wait(ctx); return err },
	}, compute.ErrCanceled)
	close(wait)
	_, err = run.Wait(t.Context())
	require.NoError(t, err)
	require.Zero(t, s.Stats().Commands)
}
