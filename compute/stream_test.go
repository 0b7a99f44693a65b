package compute

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOutOfOrder ends the second of two batches first, as happens when it could not be encoded: the
// stream is idle only when both have ended, and no longer counts as busy for streams of lower
// priority.
func TestOutOfOrder(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	s.mu.Lock()
	batches := handmadeInFlight(s, "c c", func(error) {})
	s.mu.Unlock()
	failure := errors.New("not encoded")
	s.finish(batches[1], failure)
	assert.Equal(t, 1, a.busy.count(NormalPriority))
	s.finish(batches[0], nil)
	assert.Zero(t, a.busy.count(NormalPriority))
	require.ErrorIs(t, s.Sync(t.Context()), failure)
}

// TestCallbackFailures: a callback runs when everything before it has ended, and gets the first
// failure of a command buffer since the previous callback.
func TestCallbackFailures(t *testing.T) {
	one, two := errors.New("one"), errors.New("two")
	for _, c := range []struct {
		name    string
		batches string  // the commands of each: c for a callback and w for other work
		errs    []error // of the batches
		want    []error // of the callbacks
	}{
		{"no failure", "wc wc", []error{nil, nil}, []error{nil, nil}},
		{"its own", "wc wc", []error{one, nil}, []error{one, nil}},
		{"the work before", "w c c", []error{one, nil, nil}, []error{one, nil}},
		{"the first of two", "w wc c", []error{one, two, nil}, []error{one, nil}},
		{"two in one", "wcc c", []error{one, nil}, []error{one, one, nil}},
		{"work after a callback in the same", "wcw c c", []error{one, nil, nil}, []error{one, one, nil}},
		{"work after a callback in another", "wc w c", []error{nil, two, nil}, []error{nil, two}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, backwards := range []bool{false, true} { // as happens when the later ones could not be encoded
				s := newStream(t, accelerator(t))
				calls := make(chan error, len(c.want))
				s.mu.Lock()
				batches := handmadeInFlight(s, c.batches, func(err error) { calls <- err })
				s.mu.Unlock()
				if backwards {
					for i := len(batches) - 1; i > 0; i-- {
						s.finish(batches[i], c.errs[i])
					}
					assert.Empty(t, calls, "a callback before the first command buffer has ended")
					assert.False(t, s.callbacks.running)
					s.finish(batches[0], c.errs[0])
				} else {
					for i, b := range batches {
						s.finish(b, c.errs[i])
					}
				}
				for i, want := range c.want {
					assert.Equal(t, want, <-calls, "callback %d, backwards: %v", i, backwards)
				}
				assert.Equal(t, errors.Join(c.errs...), s.Sync(t.Context()))
			}
		})
	}
}

// handmadeInFlight puts batches in flight that no device runs: c is a callback, w for other
// work, and a space ends a batch. The lock is held.
func handmadeInFlight(s *Stream, batches string, call func(error)) []*batch {
	s.acc.busy.begin(s.priority)
	for _, commands := range strings.Fields(batches) {
		b := &batch{stream: s}
		for _, c := range commands {
			s.submission.recorded++
			w := stream.Work{Command: &encoding{}, Number: s.submission.recorded}
			if c == 'c' {
				w.Command = &stream.CallbackCommand{Call: call}
			}
			b.works = append(b.works, w)
		}
		s.submission.inFlight = append(s.submission.inFlight, b)
	}
	return slices.Clone(s.submission.inFlight)
}

// TestIdle: a stream whose work has ended is not busy. It gives its queue back after long idleness
// and not before, and takes a new one for new work.
func TestIdle(t *testing.T) {
	now := time.Unix(1, 0)
	a := accelerator(t, func(c *config) error {
		c.now = func() time.Time { return now }
		return nil
	})
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	work := func() {
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
		require.NoError(t, s.Sync(t.Context()))
		assert.Zero(t, a.busy.count(NormalPriority))
	}
	has := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.submission.submitting && !s.metal.queue.IsNil()
	}
	s.retire()
	assert.True(t, has(), "it is new")
	now = now.Add(2 * defaultIdle)
	s.retire()
	assert.False(t, has(), "also when it has never been used")
	settled := func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return !s.submission.submitting
	}
	work()
	settle.Until(t, "the goroutine that submits looks once more", settled)
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
