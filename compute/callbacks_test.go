package compute

import (
	"context"
	"errors"
	"runtime"
	"testing"
	"testing/synctest"

	"github.com/puremetal/puremetal/internal/contain"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestCallbacksInOrder: callbacks run after start, in order and one at a time, also those that are
// queued while one runs; then the goroutine ends.
func TestCallbacksInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c callbacks
		var got []error // without a lock: the race detector sees callbacks that run concurrently
		errs := []error{errors.New("0"), nil, errors.New("2"), errors.New("3")}
		add := func(err error) { c.add(1, func(err error) { got = append(got, err) }, err) }
		gate := make(chan struct{})
		add(errs[0])
		c.add(2, func(err error) { <-gate; got = append(got, err) }, errs[1])
		add(errs[2])
		synctest.Wait()
		assert.Empty(t, got, "before start")
		c.start()
		synctest.Wait()
		assert.Equal(t, errs[:1], got, "the second one is running")
		add(errs[3])
		c.start()
		synctest.Wait()
		assert.Equal(t, errs[:1], got, "no second goroutine")
		close(gate)
		synctest.Wait()
		assert.Equal(t, errs, got)
		assert.False(t, c.running)
		c.start() // with nothing queued
		assert.False(t, c.running)
	})
}

// TestCallbackAdds: a callback may queue callbacks, as it may use its stream.
func TestCallbackAdds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var c callbacks
		var got []string
		c.add(1, func(error) {
			got = append(got, "outer")
			c.add(2, func(error) { got = append(got, "inner") }, nil)
			c.start()
		}, nil)
		c.start()
		synctest.Wait()
		assert.Equal(t, []string{"outer", "inner"}, got)
	})
}

// TestCallbackPanics: a callback that panics, or ends its goroutine, is reported with its stack,
// and the next one runs.
func TestCallbackPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom := errors.New("boom")
		var errs []error
		var numbers []uint64
		c := callbacks{failed: func(number uint64, err error) {
			numbers, errs = append(numbers, number), append(errs, err)
		}}
		ran := 0
		c.add(3, func(error) { panic(boom) }, nil)
		c.add(4, func(error) { runtime.Goexit() }, nil)
		c.add(5, func(error) { ran++ }, nil)
		c.start()
		synctest.Wait()
		assert.Equal(t, []uint64{3, 4}, numbers)
		var p *PanicError
		require.ErrorAs(t, errs[0], &p)
		assert.ErrorIs(t, errs[0], boom)
		assert.Contains(t, string(p.Stack), "callbacks_test.go")
		assert.ErrorContains(t, errs[0], "the callback of command 3 panicked: boom")
		assert.ErrorIs(t, errs[1], contain.ErrExited)
		assert.Equal(t, 1, ran)
		assert.False(t, c.running)
	})
}

// TestCallbackPanicIsStreams: Sync returns the panic of a callback, once, and the stream goes on.
func TestCallbackPanicIsStreams(t *testing.T) {
	a := accelerator(t)
	s := newStream(t, a)
	ran := make(chan struct{})
	require.NoError(t, s.Callback(t.Context(), func(error) { panic("boom") }))
	require.NoError(t, s.Callback(t.Context(), func(error) { close(ran) }))
	<-ran
	err := s.Sync(t.Context())
	var p *PanicError
	require.ErrorAs(t, err, &p)
	assert.Equal(t, "boom", p.Value)
	assert.ErrorContains(t, err, "stream TestCallbackPanicIsStreams")
	require.NoError(t, s.Sync(t.Context()))
}

// TestCloseWaitsForCallbacks: Close of a stream or an accelerator returns the panic of a callback
// that was running when Close was called.
func TestCloseWaitsForCallbacks(t *testing.T) {
	for _, what := range []string{"stream", "accelerator"} {
		t.Run(what, func(t *testing.T) {
			a := accelerator(t)
			s := newStream(t, a)
			end := s.Close
			if what == "accelerator" {
				end = a.Close
			}
			running, gate := make(chan struct{}), make(chan struct{})
			require.NoError(t, s.Callback(t.Context(), func(error) {
				close(running)
				<-gate
				panic("boom")
			}))
			<-running
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := end(ctx)
			close(gate)
			requireCanceled(t, err)
			require.ErrorContains(t, err, `with callbacks`)
			var p *PanicError
			require.ErrorAs(t, end(context.Background()), &p)
			assert.Equal(t, "boom", p.Value)
		})
	}
}
