package command

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestClaims: a queue claims a worker while it has buffers, but not while it waits for an event.
func TestClaims(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	require.NoError(t, q.SetPriority(1))
	e := NewEvent()
	claimed := func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.claims.needed()
	}
	b := q.NewBuffer()
	inside := false
	b.Do("test", func() error {
		inside = claimed()
		return nil
	})
	b.Wait("test", e, 1)
	require.True(t, b.Commit("test"))
	settle.Until(t, "the buffer waits", func() bool {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.claims.waiting
	})
	assert.False(t, claimed())
	e.Signal(1)
	b.WaitCompleted()
	assert.True(t, inside)
	assert.False(t, claimed())
	assert.Zero(t, q.claims.buffers)
}

// TestHandlersAfterClaims: a queue that has no more work has no claim when completed handlers run.
// It used to give its claim back after them: the goroutines of lower priority that this lets run
// then took the processor that the program's waiting goroutine had just been woken on.
func TestHandlersAfterClaims(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	require.NoError(t, q.SetPriority(1))
	b := q.NewBuffer()
	claimed := true
	b.OnCompleted("h", func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		claimed = q.claims.needed()
	})
	b.Commit("test")
	b.WaitCompleted()
	assert.False(t, claimed)
}

// TestSetPriority: a priority that there is not, or that comes too late, is refused.
func TestSetPriority(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	require.ErrorContains(t, q.SetPriority(2), "the priority is 2, want -1 to 1")
	require.NoError(t, q.SetPriority(-1))
	assert.EqualValues(t, -1, q.Priority())
	b := q.NewBuffer()
	b.Commit("test")
	b.WaitCompleted()
	require.ErrorContains(t, q.SetPriority(1), "after the first commit")
}
