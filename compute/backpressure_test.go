package compute

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBackPressure fills a stream that cannot go on, with records of an event among the commands:
// the caller that finds no room is let go by its context, and when the stream goes on, everything
// ends.
func TestBackPressure(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), stream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	event := newEvent(t, a)
	release := blockStream(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // which nobody looks at while there is room
	n := 0
	var full error
	for full == nil && n < 2*maxPending {
		if full = s.Launch(ctx, k, Threads1D(1), x, y, float32(1)); full == nil {
			n++
			full = s.Record(ctx, event)
		}
	}
	require.ErrorIs(t, full, context.Canceled)
	require.ErrorContains(t, full, "room in stream "+t.Name())
	require.Greater(t, n, maxPending/2)
	release()
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

// TestRecordContext: a record waits for another of the event no longer than its context lasts.
func TestRecordContext(t *testing.T) {
	a := accelerator(t)
	s, e := stream(t, a), newEvent(t, a)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e.recording <- struct{}{}
	require.ErrorIs(t, s.Record(ctx, e), context.Canceled)
	<-e.recording
	require.NoError(t, s.Record(t.Context(), e))
	require.NoError(t, e.Wait(t.Context()))
}
