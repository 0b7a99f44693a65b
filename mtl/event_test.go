package mtl

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRunEventsAcrossQueues orders two queues by an event.
func TestRunEventsAcrossQueues(t *testing.T) {
	r := newRig(t)
	other, err := r.device.NewCommandQueue()
	require.NoError(t, err)
	defer other.Release()
	ev := r.device.NewEvent()
	defer ev.Release()
	number, twice, x := r.kernel("number"), r.kernel("twice"), r.buffer(16)

	second, err := other.CommandBuffer()
	require.NoError(t, err)
	require.NoError(t, second.EncodeWaitForEvent(ev, 1))
	r.encode(second, func(e ComputeCommandEncoder) {
		r.set(e, twice, x)
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
	})
	require.NoError(t, second.Commit())

	first := r.commands()
	r.encode(first, func(e ComputeCommandEncoder) {
		r.set(e, number, x)
		require.NoError(t, e.DispatchThreads(line(4), line(4)))
	})
	require.NoError(t, first.EncodeSignalEvent(ev, 1))
	require.NoError(t, first.Commit())
	require.NoError(t, second.Wait(t.Context()))
	assert.Equal(t, []uint32{2, 4, 6, 8}, r.words(x))
}

// TestRunCPUAndGPUTakeTurns passes a word back and forth.
func TestRunCPUAndGPUTakeTurns(t *testing.T) {
	r := newRig(t)
	ev := r.device.NewSharedEvent()
	defer ev.Release()
	twice, x := r.kernel("twice"), r.uints(3)
	for turn := uint64(0); turn < 6; turn += 2 {
		b := r.commands()
		require.NoError(t, b.EncodeWaitForEvent(ev.Event, turn+1))
		r.encode(b, func(e ComputeCommandEncoder) {
			r.set(e, twice, x)
			require.NoError(t, e.DispatchThreads(line(1), line(1)))
		})
		require.NoError(t, b.EncodeSignalEvent(ev.Event, turn+2))
		require.NoError(t, b.Commit())
		require.NoError(t, ev.SetSignaledValue(turn+1))
		require.NoError(t, ev.Wait(t.Context(), turn+2))
		require.NoError(t, b.Wait(t.Context()))
	}
	assert.Equal(t, []uint32{24}, r.words(x))
	assert.Equal(t, uint64(6), ev.SignaledValue())
}

func TestSharedEvent(t *testing.T) {
	d := testDevice(t)
	ev := d.NewSharedEvent()
	defer ev.Release()
	require.NoError(t, ev.SetSignaledValue(5))
	require.NoError(t, ev.SetSignaledValue(5))
	l := limitOf(t, ev.SetSignaledValue(4), ErrValue)
	assert.Equal(t, uint64(5), l.Limit)
	ok, err := ev.WaitUntilSignaledValue(6, 1)
	require.NoError(t, err)
	assert.False(t, ok)
	ok, err = ev.WaitUntilSignaledValue(5, 0)
	require.NoError(t, err)
	assert.True(t, ok)

	require.NoError(t, ev.Wait(t.Context(), 5))
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Millisecond)
	defer cancel()
	err = ev.Wait(ctx, 6)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.ErrorContains(t, err, "value 5, waiting for 6")
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(5*time.Millisecond, stop)
	require.ErrorIs(t, ev.Wait(ctx, 6), context.Canceled)

	h, err := ev.NewSharedEventHandle()
	require.NoError(t, err)
	defer h.Release()
	same, err := d.NewSharedEventWithHandle(h)
	require.NoError(t, err)
	defer same.Release()
	require.NoError(t, same.SetSignaledValue(9))
	assert.Equal(t, uint64(9), ev.SignaledValue())
	_, err = d.NewSharedEventWithHandle(SharedEventHandle{})
	require.ErrorIs(t, err, ErrNil)
}

func TestNotifyListener(t *testing.T) {
	d := testDevice(t)
	ev := d.NewSharedEvent()
	defer ev.Release()
	own, err := NewSharedEventListener()
	require.NoError(t, err)
	defer own.Release()
	queued, err := NewSharedEventListenerWithDispatchQueue(own.DispatchQueue())
	require.NoError(t, err)
	defer queued.Release()
	assert.Equal(t, own.DispatchQueue().ID(), queued.DispatchQueue().ID())

	var calls atomic.Int32
	got := make(chan uint64, 2)
	for _, l := range []SharedEventListener{own, queued} {
		require.NoError(t, ev.NotifyListener(l, 3, func(e SharedEvent, v uint64) {
			calls.Add(1)
			assert.Equal(t, ev.ID(), e.ID())
			got <- v
		}))
	}
	require.NoError(t, ev.SetSignaledValue(2))
	require.NoError(t, ev.SetSignaledValue(4))
	assert.Equal(t, uint64(4), <-got)
	assert.Equal(t, uint64(4), <-got)
	require.NoError(t, ev.NotifyListener(own, 1, func(SharedEvent, uint64) { got <- 1 }), "at once")
	assert.Equal(t, uint64(1), <-got)
	assert.EqualValues(t, 2, calls.Load())

	require.ErrorIs(t, ev.NotifyListener(own, 1, nil), ErrNil)
	require.ErrorIs(t, ev.NotifyListener(SharedEventListener{}, 1, func(SharedEvent, uint64) {}), ErrNil)
}

func TestNilEvents(t *testing.T) {
	var ev SharedEvent
	_, err := ev.NewSharedEventHandle()
	require.ErrorIs(t, err, ErrNil)
	_, err = ev.WaitUntilSignaledValue(1, 1)
	require.ErrorIs(t, err, ErrNil)
	_, err = NewSharedEventListenerWithDispatchQueue(objc.Object{})
	require.ErrorIs(t, err, ErrNil)
	_, err = Device{}.NewSharedEventWithHandle(SharedEventHandle{})
	require.ErrorIs(t, err, ErrNil)
	require.ErrorIs(t, ev.Wait(t.Context(), 1), ErrNil)
	require.ErrorIs(t, ev.SetSignaledValue(1), ErrNil)
	require.ErrorIs(t, ev.NotifyListener(SharedEventListener{}, 1, nil), ErrNil)
}
