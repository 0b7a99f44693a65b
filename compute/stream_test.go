package compute

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOutOfOrder ends the second of two batches first, as happens when it could not be encoded: the stream is idle when both have ended, and no longer counts as
// busy for streams of lower priority.
func TestOutOfOrder(t *testing.T) {
	a := accelerator(t)
	s := stream(t, a)
	busy := &a.busy[NormalPriority-LowPriority]
	batches := []*batch{{stream: s, works: []work{{kind: callWork, number: 1}}}, {stream: s, works: []work{{kind: callWork, number: 2}}}}
	s.mu.Lock()
	s.recorded, s.inFlight = 2, append([]*batch(nil), batches...)
	busy.Add(1)
	s.mu.Unlock()
	failure := errors.New("not encoded")
	s.finish(batches[1], failure)
	assert.EqualValues(t, 1, busy.Load())
	s.finish(batches[0], nil)
	assert.Zero(t, busy.Load())
	require.ErrorIs(t, s.Sync(t.Context()), failure)
}

// TestIdle sees that a stream whose work has ended is not busy, that it gives its queue back after long idleness and not before, and takes a new one for new work.
func TestIdle(t *testing.T) {
	now := time.Unix(1, 0)
	a := accelerator(t, func(c *config) error {
		c.now = func() time.Time { return now }
		return nil
	})
	k, s := kernels(t, a, saxpy)("saxpy"), stream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	work := func() {
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
		require.NoError(t, s.Sync(t.Context()))
		assert.Zero(t, a.busy[NormalPriority-LowPriority].Load())
	}
	has := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.running && !s.queue.IsNil()
	}
	settled := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.running
	}
	work()
	require.Eventually(t, settled, 10*time.Second, time.Millisecond) // the goroutine that submits looks once more
	s.retire()
	assert.True(t, has(), "it has just been used")
	now = now.Add(2 * defaultIdle)
	s.retire()
	assert.False(t, has())
	work()
	got, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{2}, got)
}
