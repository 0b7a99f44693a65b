package compute

import (
	"bytes"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFailedRecordsInOrder: a record in a command buffer that could not be made is forced only when
// all before it has ended, or those who wait for an earlier record of the event would go on too
// soon.
func TestFailedRecordsInOrder(t *testing.T) {
	a := accelerator(t)
	s, e := newStream(t, a), newEvent(t, a)
	x := bufferOf[int32](t, a, 1)
	release := blockStream(t, s)
	require.NoError(t, s.Record(t.Context(), e))
	settle.Until(t, "the record is submitted", func() bool { return s.Stats().Waiting == 0 })
	m := x.owner.Mem
	require.NoError(t, m.Use())
	// No encoder takes this fill.
	require.NoError(t, s.record(t.Context(),
		stream.Work{Command: &stream.FillCommand{Transfer: stream.Transfer{To: stream.ViewOf(m, 0, 0)}}}))
	require.NoError(t, s.Record(t.Context(), e))
	settle.Until(t, "a batch has ended", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, b := range s.submission.inFlight {
			if b.ended {
				return true
			}
		}
		return false
	})
	assert.Zero(t, e.timeline.shared.SignaledValue(), "the first record is not reached")
	release()
	require.ErrorIs(t, s.Sync(t.Context()), ErrExecution)
	assert.True(t, e.Reached())
}

// TestUploadKeepsMemory: memory that Upload and Download copy to and from is not given back
// meanwhile.
func TestUploadKeepsMemory(t *testing.T) {
	a := accelerator(t)
	const n = 1 << 20
	ones := bytes.Repeat([]byte{1}, n)
	for range 50 {
		b, err := NewBuffer[byte](a, n, BufferOptions{Intent: Readback})
		require.NoError(t, err)
		var upload sync.WaitGroup
		begun := make(chan struct{})
		upload.Go(func() {
			close(begun)
			for b.Upload(t.Context(), ones) == nil {
			}
		})
		<-begun
		b.Close()
		other, err := NewZeroed[byte](t.Context(), a, n, BufferOptions{Intent: Readback})
		require.NoError(t, err)
		upload.Wait()
		got, err := other.Data()
		require.NoError(t, err)
		require.Equal(t, 0, bytes.Count(got, []byte{1}), "the memory of another")
		other.Close()
	}
}
