package graph

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/stretchr/testify/require"
)

// counter returns a function that counts what a function makes the frameworks do, such as the
// "messages" they get. Only the stand-ins count.
func counter(t *testing.T) func(what string, run func()) int64 {
	lib, is, err := standin.Library()
	require.NoError(t, err)
	if !is {
		t.Skip("the frameworks do not count")
	}
	var value func(string) int64
	purego.RegisterLibFunc(&value, lib, "vmac_counter")
	return func(what string, run func()) int64 {
		run() // what comes first also makes the queue's objects
		before := value(what)
		run()
		return value(what) - before
	}
}

// TestDispatchNoneMessages: on older GPUs an execution sets each kernel's pipeline, binds its
// parameters and dispatches it, besides messages that ask for the lengths of buffers.
func TestDispatchNoneMessages(t *testing.T) {
	count, a := counter(t), accelerator(t)
	stream.DeviceOf(a).DispatchesNone = true
	kernel, s, ctx := kernels(t, a, commandKernels), newStream(t, a), t.Context()
	x, c := bufferOf[int32](t, a, 1, 2, 3, 4), commandsOf(t, a, 3)
	require.NoError(t, c.Set(ctx, 0, kernel("add"), compute.Threads1D(4), x, int32(1)))
	require.NoError(t, c.Set(ctx, 1, kernel("add"), compute.Threads1D(4), x, int32(1)))
	require.NoError(t, c.Set(ctx, 2, kernel("twice"), compute.Threads1D(4), x))
	const times = 20 // messages of an execution may be sent while the next one is counted
	run := func() {
		for range times {
			require.NoError(t, c.Execute(ctx, s, 0, 3))
			require.NoError(t, s.Sync(ctx))
		}
	}
	older := count("messages", run)
	stream.DeviceOf(a).DispatchesNone = false
	newer := count("messages", run)
	t.Logf("%d executions: %d messages, and %d on newer GPUs", times, older, newer)
	require.Greater(t, older, newer+times*(4+2))
}

// TestReplayMessages: a replay of many launches sends Metal a few messages, and not some for each
// launch.
func TestReplayMessages(t *testing.T) {
	const n = 1000
	count, a := counter(t), accelerator(t)
	k, s, ctx := kernels(t, a, graphKernels)("add"), newStream(t, a), t.Context()
	x := bufferOf(t, a, make([]int32, 32)...)
	g := New(a, "steps")
	l, err := k.Bind(compute.Threads1D(32), x, int32(1))
	require.NoError(t, err)
	for range n {
		_, err := g.Launch(k, compute.Threads1D(32), x, int32(1))
		require.NoError(t, err)
	}
	instance, err := g.Instantiate(ctx)
	require.NoError(t, err)
	defer instance.Close()
	launches := count("messages", func() {
		for range n {
			require.NoError(t, s.Run(ctx, l))
		}
		require.NoError(t, s.Sync(ctx))
	})
	replay := count("messages", func() {
		require.NoError(t, instance.Replay(ctx, s))
		require.NoError(t, s.Sync(ctx))
	})
	path := instance.How()[0]
	t.Logf("%d launches: %d messages; their replay: %d (%v)", n, launches, replay, path)
	require.Greater(t, launches, int64(n))
	require.Less(t, 10*replay, 3*launches)
	data, err := x.Data()
	require.NoError(t, err)
	require.Equal(t, int32(4*n), data[0])
}
