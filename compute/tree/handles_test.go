package tree

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/graph"
	"github.com/puremetal/puremetal/internal/test/handletest"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	p, err := a.Compile(ctx, `#include <puremetal/launch>
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
	launches, err := New(ctx, a, []*compute.Kernel{child}, Options{Depth: 1, Capacity: 1})
	require.NoError(t, err)
	t.Cleanup(launches.Close)
	run, err := launches.Launch(ctx, s, root, compute.Threads1D(1), x)
	require.NoError(t, err)
	queue, err := NewWorkQueue[int32](a, WorkQueueOptions{Capacity: 1})
	require.NoError(t, err)
	t.Cleanup(queue.Close)
	handletest.Check(t, handletest.Package{
		Handles:   []any{launches, run, queue},
		Foreign:   []any{a, s, root, x, graph.New(a, "g")},
		Values:    []any{compute.Grid(compute.Threads1D(1)), "child", Options{Depth: 1, Capacity: 1}, any(x)},
		Functions: map[string]any{"New": New, "NewWorkQueue": NewWorkQueue[int32], "Numbers": Numbers},
		Without:   []string{"Level", "OverflowError", "WorkStats"},
		Ends:      []string{"Tree.Close", "WorkQueue.Close"},
		Err:       compute.ErrNil,
	})
	require.NoError(t, s.Sync(ctx))
}
