package compute

import (
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/extension"
	"github.com/puremetal/puremetal/internal/softmetal/extension/client"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBusyStreams: only streams of higher priority count, and only while they have work.
func TestBusyStreams(t *testing.T) {
	var b busyStreams
	b.begin(NormalPriority)
	b.begin(NormalPriority)
	assert.True(t, b.above(LowPriority))
	assert.False(t, b.above(NormalPriority))
	assert.False(t, b.above(HighPriority))
	b.end(NormalPriority)
	assert.True(t, b.above(LowPriority))
	assert.Equal(t, 1, b.count(NormalPriority))
	b.end(NormalPriority)
	assert.False(t, b.above(LowPriority))
	b.begin(HighPriority)
	assert.True(t, b.above(NormalPriority))
	assert.True(t, b.above(LowPriority))
	assert.False(t, b.above(HighPriority))
}

// TestQueuePriority: the software device's queue gets the stream's priority, also one that the
// stream makes anew after it has been idle.
func TestQueuePriority(t *testing.T) {
	a := accelerator(t)
	if !a.info.Software {
		t.Skip("Metal's queues have no priorities")
	}
	for _, p := range []Priority{LowPriority, NormalPriority, HighPriority} {
		s, err := a.NewStream(StreamOptions{Priority: p})
		require.NoError(t, err)
		for range 2 {
			s.mu.Lock()
			require.NoError(t, s.metal.acquire(s))
			assert.Equal(t, p, Priority(client.Send(&extension.Priority, s.metal.queue.ID())))
			s.metal.release()
			s.mu.Unlock()
		}
		require.NoError(t, s.Close(t.Context()))
	}
}
