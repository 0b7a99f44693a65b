package compute

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFull fills a stream that cannot go on, with records of an event among the commands: the caller that finds no room is let go by its context, and when the
// stream goes on, everything ends.
func TestFull(t *testing.T) {
	a := accelerator(t)
	k, s, other := kernels(t, a, saxpy)("saxpy"), stream(t, a), stream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	gate, event := newEvent(t, a), newEvent(t, a)
	release := make(chan struct{})
	require.NoError(t, other.Callback(t.Context(), func(error) { <-release })) // callbacks run apart from the device's work
	require.NoError(t, other.Record(t.Context(), gate))
	require.NoError(t, s.WaitFor(t.Context(), gate))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range 3 * maxPending {
		require.NoError(t, s.Launch(ctx, k, Threads1D(1), x, y, float32(1)))
		require.NoError(t, s.Record(ctx, event))
		n++
	}
	close(release)
	require.NoError(t, s.Sync(t.Context()))
	got, err := y.Data()
	require.NoError(t, err)
	require.Equal(t, []float32{float32(n)}, got)
}

func newEvent(t testing.TB, a *Accelerator) *Event {
	t.Helper()
	e, err := a.NewEvent(EventOptions{Label: t.Name()})
	require.NoError(t, err)
	t.Cleanup(e.Close)
	return e
}
