package tree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/internal/test/contexttest"
)

// TestEndedContexts: every exported function that takes a context refuses one that has ended.
func TestEndedContexts(t *testing.T) {
	a := accelerator(t)
	p, err := a.Compile(t.Context(), `#include <puremetal/launch>
kernel void root(device uint *x [[buffer(0)]], device puremetal::launcher &l [[buffer(30)]]) {
    puremetal::launch(l, LAUNCH_child, 1, 1, x);
}
kernel void child(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] += 1; }`,
		compute.CompileOptions{Macros: Numbers("child")})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	root, err := p.Kernel("root")
	require.NoError(t, err)
	child, err := p.Kernel("child")
	require.NoError(t, err)
	s, x := newStream(t, a), bufferOf[uint32](t, a, 7)
	options := Options{Depth: 1, Capacity: 1}
	launches, err := New(t.Context(), a, []*compute.Kernel{child}, options)
	require.NoError(t, err)
	t.Cleanup(launches.Close)
	run, err := launches.Launch(t.Context(), s, root, compute.Threads1D(1), x)
	require.NoError(t, err)
	queue, err := NewWorkQueue[int32](a, WorkQueueOptions{Capacity: 1})
	require.NoError(t, err)
	t.Cleanup(queue.Close)
	g, one := graph.New(a, "g"), compute.Threads1D(1)
	ctx := contexttest.Ended(t)
	contexttest.Check(t, map[string]func() error{
		"New": func() error { _, err := New(ctx, a, []*compute.Kernel{child}, options); return err },
		"Tree.AddTo": func() error {
			_, err := launches.AddTo(ctx, g, root, one, x)
			return err
		},
		"Tree.Launch":     func() error { _, err := launches.Launch(ctx, s, root, one, x); return err },
		"Run.Wait":        func() error { return run.Wait(ctx) },
		"Run.Levels":      func() error { _, err := run.Levels(ctx); return err },
		"WorkQueue.Drain": func() error { _, err := queue.Drain(ctx, s, root, one, x); return err },
	}, compute.ErrCanceled)
	require.NoError(t, s.Sync(t.Context()))
}
