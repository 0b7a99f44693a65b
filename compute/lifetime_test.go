package compute

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// counted is a subject that counts its ends.
type counted struct{ ends atomic.Int32 }

func (c *counted) String() string { return "a subject" }
func (c *counted) release()       { c.ends.Add(1) }

func TestLifetime(t *testing.T) {
	c := &counted{}
	l := lifetime{of: c}
	require.NoError(t, l.use())
	require.NoError(t, l.use())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.wait(ended), context.Canceled)
	l.done()
	assert.True(t, l.close())
	assert.False(t, l.close())
	require.ErrorIs(t, l.use(), ErrClosed)
	require.ErrorIs(t, l.open(), ErrClosed)
	require.ErrorIs(t, l.hold(t.Context()), ErrClosed)
	assert.Zero(t, c.ends.Load())
	l.done()
	assert.EqualValues(t, 1, c.ends.Load())
}

// TestLifetimeAwaited: everybody who waits is woken, whoever uses the object in between, and it
// ends once.
func TestLifetimeAwaited(t *testing.T) {
	for range 200 {
		c := &counted{}
		l := lifetime{of: c}
		var held atomic.Int32
		var all sync.WaitGroup
		require.NoError(t, l.use())
		for range 3 {
			all.Go(func() {
				for range 10 {
					if l.use() == nil {
						l.done()
					}
				}
			})
			all.Go(func() {
				if l.hold(t.Context()) == nil {
					assert.EqualValues(t, 1, held.Add(1), "nobody else has it by hold")
					held.Add(-1)
					l.done()
				}
			})
		}
		l.done()
		all.Wait()
		require.NoError(t, l.wait(t.Context()))
		assert.True(t, l.close())
		assert.EqualValues(t, 1, c.ends.Load())
	}
}

// TestHold: a held buffer counts as used by recorded work, and its memory is not reused.
func TestHold(t *testing.T) {
	a := accelerator(t)
	x := bufferOf[int32](t, a, 1, 2, 3)
	release, err := x.Hold()
	require.NoError(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, x.Wait(ended), ErrCanceled)
	more, err := x.Hold()
	require.NoError(t, err)
	m, at := x.Metal()
	x.Close()
	_, err = x.Hold()
	require.ErrorIs(t, err, ErrClosed)
	more()
	more()
	require.False(t, m.IsNil())
	for range 10 {
		other := bufferOf[int32](t, a, 4, 5, 6)
		n, _ := other.Metal()
		require.NotEqual(t, m.ID(), n.ID())
		other.Close()
	}
	raw, err := m.BytesAt(at, 4)
	require.NoError(t, err)
	require.EqualValues(t, 1, raw[0])
	release()
	_, err = (*Buffer[int32])(nil).Hold()
	require.ErrorIs(t, err, ErrNil)
}
