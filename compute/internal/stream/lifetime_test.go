package stream

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
	l := &Lifetime{}
	l.Init(c, c.release)
	require.NoError(t, l.Use())
	require.NoError(t, l.Use())
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.Wait(ended), context.Canceled)
	l.Done()
	assert.True(t, l.Close())
	assert.False(t, l.Close())
	require.ErrorIs(t, l.Use(), ErrClosed)
	require.ErrorIs(t, l.Open(), ErrClosed)
	require.ErrorIs(t, l.Hold(t.Context()), ErrClosed)
	assert.Zero(t, c.ends.Load())
	l.Done()
	assert.EqualValues(t, 1, c.ends.Load())
}

// TestLifetimeAwaited: everybody who waits is woken, whoever uses the object in between, and it
// ends once.
func TestLifetimeAwaited(t *testing.T) {
	for range 200 {
		c := &counted{}
		l := &Lifetime{}
		l.Init(c, c.release)
		var held atomic.Int32
		var all sync.WaitGroup
		require.NoError(t, l.Use())
		for range 3 {
			all.Go(func() {
				for range 10 {
					if l.Use() == nil {
						l.Done()
					}
				}
			})
			all.Go(func() {
				if l.Hold(t.Context()) == nil {
					assert.EqualValues(t, 1, held.Add(1), "nobody else has it by hold")
					held.Add(-1)
					l.Done()
				}
			})
		}
		l.Done()
		all.Wait()
		require.NoError(t, l.Wait(t.Context()))
		assert.True(t, l.Close())
		assert.EqualValues(t, 1, c.ends.Load())
	}
}
