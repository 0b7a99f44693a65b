package compute

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBackPressure fills a stream that cannot go on, with records of an event among the commands:
// the caller that finds no room is let go by its context, and when the stream goes on, everything
// ends. How many commands find room depends on when batches go to the device.
func TestBackPressure(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	event := newEvent(t, a)
	release := blockStream(t, s)
	n := 0
	for range maxPending / 2 { // all of which waits, as the stream is blocked
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
		require.NoError(t, s.Record(t.Context(), event))
		n++
	}
	var full error
	for full == nil && n < 2*maxPending { // there is room where batches have gone to the device
		if full = s.Launch(newImpatient(t.Context(), nil), k, Threads1D(1), x, y, float32(1)); full == nil {
			n++
		}
	}
	requireCanceled(t, full)
	require.ErrorContains(t, full, "room in stream "+t.Name())
	release()
	require.NoError(t, s.Sync(t.Context()))
	got, err := y.Data()
	require.NoError(t, err)
	require.Equal(t, []float32{float32(n)}, got)
}

// impatient is a context that ends when somebody begins to wait for its end.
type impatient struct {
	context.Context
	cancel context.CancelCauseFunc
	cause  error
}

func newImpatient(ctx context.Context, cause error) impatient {
	ctx, cancel := context.WithCancelCause(ctx)
	return impatient{ctx, cancel, cause}
}

func (c impatient) Done() <-chan struct{} {
	c.cancel(c.cause)
	return c.Context.Done()
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
	s, e := newStream(t, a), newEvent(t, a)
	e.recording <- struct{}{}
	err := s.Record(newImpatient(t.Context(), nil), e)
	requireCanceled(t, err)
	require.ErrorContains(t, err, "waiting for another record of")
	<-e.recording
	require.NoError(t, s.Record(t.Context(), e))
	require.NoError(t, e.Wait(t.Context()))
}
