package graph

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/test/handletest"
)

// TestHandles gives every exported function and method nil and zero handles.
func TestHandles(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	k := kernels(t, a, `kernel void add(device uint *x [[buffer(0)]]) { x[0] += 1; }`)("add")
	s, x := newStream(t, a), bufferOf[uint32](t, a, 7)
	ranges := bufferOf(t, a, CommandRange{}, CommandRange{})
	g := New(a, "g")
	_, err := g.Launch(k, compute.Threads1D(1), x)
	require.NoError(t, err)
	i, err := g.Instantiate(ctx)
	require.NoError(t, err)
	t.Cleanup(i.Close)
	tasks := NewTaskGraph(a)
	require.NoError(t, tasks.Add("nothing", func(context.Context, *compute.Stream) error { return nil }))
	state, err := NewTaskState(tasks, "nothing", uint32(1))
	require.NoError(t, err)
	run, err := tasks.Start(ctx, 1)
	require.NoError(t, err)
	_, err = run.Wait(ctx)
	require.NoError(t, err)
	handletest.Check(t, handletest.Package{
		Handles: []any{commandsOf(t, a, 2), g, i, tasks, run, state},
		Foreign: []any{a, s, k, x, ranges},
		Values:  []any{compute.Grid(compute.Threads1D(1)), "nothing", 1, uint32(1), any(x), &bytes.Buffer{}},
		Functions: map[string]any{"BeginCapture": BeginCapture, "EndCapture": EndCapture, "Fills": Fills, "New": New,
			"NewCommands": NewCommands, "NewTaskGraph": NewTaskGraph, "NewTaskState": NewTaskState[uint32]},
		Without: []string{"CommandRange", "Dependency", "Node", "Path", "Replayed", "TaskHealth", "TaskRecord", "TaskStats"},
		Ends:    []string{"Commands.Close", "Instance.Close"},
		Err:     compute.ErrNil,
	})
	require.NoError(t, s.Sync(ctx))
}
