package graph

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
)

// TestTaskHealth: a graph tells which tasks failed how often, and how it is.
func TestTaskHealth(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	g := NewTaskGraph(a)
	broken := errors.New("broken")
	fails := false
	require.NoError(t, g.Add("load", func(context.Context, *compute.Stream) error {
		if fails {
			return broken
		}
		return nil
	}))
	require.NoError(t, g.Add("use", func(context.Context, *compute.Stream) error { return nil }, "load"))
	require.Equal(t, observe.Healthy, g.Health().State, "it has not run")
	run := func() error {
		_, err := g.Run(ctx, 1)
		return err
	}
	require.NoError(t, run())
	fails = true
	for n, state := range []observe.Health{observe.Degraded, observe.Degraded, observe.Failing, observe.Failing} {
		require.ErrorIs(t, run(), broken)
		require.Equal(t, state, g.Health().State, n)
	}
	h := g.Health()
	require.EqualValues(t, 5, h.Runs)
	require.EqualValues(t, 4, h.Failed)
	require.Equal(t, "load", h.Tasks[0].Name)
	require.ErrorIs(t, h.Tasks[0].Last, broken)
	h.Tasks[0].Last = nil
	assert.Equal(t, []TaskRecord{{Name: "load", Runs: 5, Failures: 4, InRow: 4}, {Name: "use", Runs: 1, Skipped: 4}},
		h.Tasks)
	require.Equal(t, []string{`task "load" has failed 4 of 5 times, 4 in a row: broken`}, h.Reasons)

	canceled, cancel := context.WithCancel(ctx)
	fails = false
	require.NoError(t, g.Add("cancel", func(context.Context, *compute.Stream) error { cancel(); return nil }, "use"))
	require.NoError(t, g.Add("never", func(context.Context, *compute.Stream) error { return nil }, "cancel"))
	r, err := g.Start(canceled, 1)
	require.NoError(t, err)
	_, err = r.Wait(ctx)
	require.ErrorIs(t, err, ErrSkipped)
	require.EqualValues(t, 5, g.Health().Runs, "the program has canceled it")
	require.NoError(t, run())
	require.Equal(t, observe.Healthy, g.Health().State)
	require.Empty(t, g.Health().Reasons)
}

// TestTaskState: what a task has stored in a run that succeeded is there in the next one, and
// nothing else is.
func TestTaskState(t *testing.T) {
	a, ctx := accelerator(t), t.Context()
	add := kernels(t, a, `
kernel void add(device uint *x [[buffer(0)]], constant uint &by [[buffer(1)]]) { x[0] += by; }`)
	x, err := compute.NewZeroed[uint32](ctx, a, 1, compute.BufferOptions{})
	require.NoError(t, err)
	defer x.Close()
	g := NewTaskGraph(a)
	var count *TaskState[uint32]
	broken, fails := errors.New("broken"), false
	require.NoError(t, g.Add("count", func(ctx context.Context, s *compute.Stream) error {
		n := count.Load() + 1
		if err := count.Store(n); err != nil {
			return err
		}
		require.Equal(t, n-1, count.Load(), "it is the next run's")
		if fails {
			return broken
		}
		return s.Launch(ctx, add("add"), compute.Threads1D(1), x, n)
	}))
	_, err = NewTaskState(g, "none", 1)
	require.ErrorIs(t, err, ErrGraph)
	count, err = NewTaskState[uint32](g, "count", 10)
	require.NoError(t, err)
	require.ErrorIs(t, count.Store(1), ErrGraph, "there is no run")
	run := func() error {
		_, err := g.Run(ctx, 1)
		return err
	}
	require.NoError(t, run())
	require.EqualValues(t, 11, count.Load())
	fails = true
	require.ErrorIs(t, run(), broken)
	require.EqualValues(t, 11, count.Load(), "the run failed")
	fails = false
	if rt := softmetal.Opened(); rt != nil {
		inject := func(f softmetal.Faults) { require.NoError(t, softmetal.Inject(rt, objcsoft.ID(a.Device().ID()), f)) }
		inject(softmetal.Faults{CommandEvery: 1, CommandCode: int(mtl.CommandBufferErrorInternal)})
		require.ErrorIs(t, run(), compute.ErrExecution)
		inject(softmetal.Faults{})
		require.EqualValues(t, 11, count.Load(), "its work failed on the device")
		require.NoError(t, x.Upload(ctx, []uint32{0}))
	}
	require.NoError(t, run())
	require.EqualValues(t, 12, count.Load())
	require.NoError(t, g.Reset())
	require.EqualValues(t, 10, count.Load())

	began, end := make(chan struct{}), make(chan struct{})
	require.NoError(t, g.Add("wait", func(context.Context, *compute.Stream) error { close(began); <-end; return nil }))
	r, err := g.Start(ctx, 2)
	require.NoError(t, err)
	<-began
	_, err = g.Start(ctx, 1)
	require.ErrorIs(t, err, ErrGraph)
	count.Reset()
	close(end)
	_, err = r.Wait(ctx)
	require.NoError(t, err)
}
