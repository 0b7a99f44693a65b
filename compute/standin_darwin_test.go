package compute

import (
	"testing"

	"github.com/ebitengine/purego"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/standin"
)

// TestReplayMessages: a replay of many launches sends Metal a few messages, and not some for each
// launch. Only the stand-in frameworks count them.
func TestReplayMessages(t *testing.T) {
	lib, is, err := standin.Library()
	require.NoError(t, err)
	if !is {
		t.Skip("the frameworks do not count messages")
	}
	var counter func(string) int64
	purego.RegisterLibFunc(&counter, lib, "vmac_counter")
	const n = 1000
	a := accelerator(t)
	k, s, ctx := kernels(t, a, graphKernels)("add"), stream(t, a), t.Context()
	x := bufferOf(t, a, make([]int32, 32)...)
	g := a.NewGraph("steps")
	l, err := k.Bind(Threads1D(32), x, int32(1))
	require.NoError(t, err)
	for range n {
		_, err := g.Launch(k, Threads1D(32), x, int32(1))
		require.NoError(t, err)
	}
	instance, err := g.Instantiate(ctx)
	require.NoError(t, err)
	defer instance.Close()
	count := func(run func()) int64 {
		run() // what comes first also makes the queue's objects
		require.NoError(t, s.Sync(ctx))
		before := counter("messages")
		run()
		require.NoError(t, s.Sync(ctx))
		return counter("messages") - before
	}
	launches := count(func() {
		for range n {
			require.NoError(t, s.Run(ctx, l))
		}
	})
	replay := count(func() { require.NoError(t, s.Replay(ctx, instance)) })
	path := instance.How()[0]
	t.Logf("%d launches: %d messages; their replay: %d (%v)", n, launches, replay, path)
	require.Greater(t, launches, int64(n))
	require.Less(t, 10*replay, 3*launches)
	data, err := x.Data()
	require.NoError(t, err)
	require.Equal(t, int32(4*n), data[0])
}
