package mtl

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQueues(t *testing.T) {
	d := testDevice(t)
	_, err := d.NewCommandQueueWithMaxCommandBufferCount(0)
	assert.Equal(t, uint64(1), limitOf(t, err, ErrLength).Limit)
	q, err := d.NewCommandQueueWithMaxCommandBufferCount(1)
	require.NoError(t, err)
	defer q.Release()
	for range 3 { // one at a time
		pooled(func() {
			b, err := q.CommandBufferWithUnretainedReferences()
			require.NoError(t, err)
			assert.False(t, b.RetainedReferences())
			require.NoError(t, b.Commit())
			require.NoError(t, b.WaitUntilCompleted())
		})
	}
	_, err = d.NewCommandQueueWithDescriptor(CommandQueueDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	desc, err := NewCommandQueueDescriptor()
	if err != nil {
		t.Skipf("no descriptors of queues: %v", err)
	}
	defer desc.Release()
	desc.SetMaxCommandBufferCount(0)
	_, err = d.NewCommandQueueWithDescriptor(desc)
	limitOf(t, err, ErrLength)
	desc.SetMaxCommandBufferCount(2)
	q2, err := d.NewCommandQueueWithDescriptor(desc)
	require.NoError(t, err)
	q2.Release()
}

func TestNilQueue(t *testing.T) {
	for _, f := range []func() (CommandBuffer, error){
		CommandQueue{}.CommandBuffer, CommandQueue{}.CommandBufferWithUnretainedReferences,
		func() (CommandBuffer, error) {
			return CommandQueue{}.CommandBufferWithDescriptor(CommandBufferDescriptor{})
		},
	} {
		b, err := f()
		require.ErrorIs(t, err, ErrNil)
		assert.True(t, b.IsNil())
	}
	_, err := Device{}.NewCommandQueue()
	require.ErrorIs(t, err, ErrNil)
	_, err = Device{}.NewCommandQueueWithMaxCommandBufferCount(1)
	require.ErrorIs(t, err, ErrNil)
	_, err = Device{}.NewCommandQueueWithDescriptor(CommandQueueDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	require.ErrorIs(t, CommandQueue{}.AddResidencySet(ResidencySet{}), ErrNil)
	require.ErrorIs(t, CommandQueue{}.RemoveResidencySet(ResidencySet{}), ErrNil)
	require.ErrorIs(t, CommandQueue{}.AddResidencySets(make([]ResidencySet, 1)), ErrNil)
	require.ErrorIs(t, CommandQueue{}.RemoveResidencySets(make([]ResidencySet, 1)), ErrNil)
}

func TestNilCommandBuffer(t *testing.T) {
	var b CommandBuffer
	for _, err := range []error{
		b.Commit(), b.Enqueue(), b.WaitUntilCompleted(), b.WaitUntilScheduled(), b.Wait(t.Context()),
		b.AddCompletedHandler(func(CommandBuffer) {}), b.AddCompletedHandler(nil), b.AddScheduledHandler(nil),
		b.PushDebugGroup(""), b.PopDebugGroup(), b.EncodeSignalEvent(Event{}, 1), b.EncodeWaitForEvent(Event{}, 1),
		b.UseResidencySet(ResidencySet{}), b.UseResidencySets(make([]ResidencySet, 1)),
	} {
		require.ErrorIs(t, err, ErrNil)
	}
	_, err := b.ComputeCommandEncoder()
	require.ErrorIs(t, err, ErrNil)
	_, err = b.ComputeCommandEncoderWithDescriptor(ComputePassDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	assert.NoError(t, b.Err())
}

// TestCommandBufferLife goes through every state and tries the calls that it does not allow.
func TestCommandBufferLife(t *testing.T) {
	r := newRig(t)
	b := r.commands()
	assert.Equal(t, CommandBufferStatusNotEnqueued, b.Status())
	require.ErrorIs(t, b.WaitUntilCompleted(), ErrState)
	require.ErrorIs(t, b.WaitUntilScheduled(), ErrState)
	require.ErrorIs(t, b.Wait(t.Context()), ErrState)
	require.ErrorIs(t, b.PopDebugGroup(), ErrState)
	require.NoError(t, b.PushDebugGroup("group"))
	require.NoError(t, b.PopDebugGroup())

	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	_, err = b.ComputeCommandEncoder()
	require.ErrorIs(t, err, ErrOpen)
	_, err = b.ComputeCommandEncoderWithDispatchType(DispatchTypeSerial)
	require.ErrorIs(t, err, ErrOpen)
	_, err = b.BlitCommandEncoder()
	require.ErrorIs(t, err, ErrOpen)
	_, err = b.ResourceStateCommandEncoder()
	require.ErrorIs(t, err, ErrOpen)
	_, err = b.AccelerationStructureCommandEncoder()
	require.ErrorIs(t, err, ErrOpen)
	require.ErrorIs(t, b.Commit(), ErrOpen)
	ev := r.device.NewEvent()
	defer ev.Release()
	require.ErrorIs(t, b.EncodeSignalEvent(ev, 1), ErrOpen)
	require.ErrorIs(t, b.EncodeWaitForEvent(ev, 1), ErrOpen)

	require.NoError(t, e.InsertDebugSignpost("here"))
	require.ErrorIs(t, e.PopDebugGroup(), ErrState)
	require.NoError(t, e.PushDebugGroup("group"))
	require.NoError(t, e.PopDebugGroup())
	same := e // copies share the state
	require.NoError(t, same.EndEncoding())
	require.ErrorIs(t, e.EndEncoding(), ErrClosed)
	require.ErrorIs(t, e.InsertDebugSignpost("late"), ErrClosed)
	require.ErrorIs(t, e.PushDebugGroup("late"), ErrClosed)
	require.ErrorIs(t, e.PopDebugGroup(), ErrClosed)
	require.ErrorIs(t, e.BarrierAfterQueueStages(StageAll, StageAll), ErrClosed)

	require.ErrorIs(t, b.EncodeSignalEvent(Event{}, 1), ErrNil)
	require.ErrorIs(t, b.EncodeWaitForEvent(Event{}, 1), ErrNil)
	require.NoError(t, b.Enqueue())
	require.ErrorIs(t, b.Enqueue(), ErrState)
	assert.Equal(t, CommandBufferStatusEnqueued, b.Status())
	require.ErrorIs(t, b.Wait(t.Context()), ErrState)
	require.NoError(t, b.Commit())

	err = b.Commit()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, err, ErrState)
	assert.ErrorContains(t, err, "-[MTLCommandBuffer commit]")
	require.ErrorIs(t, b.Enqueue(), ErrState)
	_, err = b.ComputeCommandEncoder()
	require.ErrorIs(t, err, ErrClosed)
	_, err = b.BlitCommandEncoder()
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, b.AddCompletedHandler(func(CommandBuffer) {}), ErrClosed)
	require.ErrorIs(t, b.AddScheduledHandler(func(CommandBuffer) {}), ErrClosed)
	require.ErrorIs(t, b.AddCompletedHandler(nil), ErrNil)
	require.ErrorIs(t, b.EncodeSignalEvent(ev, 1), ErrClosed)
	require.ErrorIs(t, b.PushDebugGroup("late"), ErrClosed)
	require.NoError(t, b.WaitUntilScheduled())
	require.NoError(t, b.WaitUntilCompleted())
	require.NoError(t, b.Wait(t.Context()), "any number of times")
}

// TestForeignCommandBuffer checks a command buffer whose wrapper has no state, where only Metal's
// own properties are known.
func TestForeignCommandBuffer(t *testing.T) {
	r := newRig(t)
	b := CommandBufferFrom(r.commands().ID())
	require.ErrorIs(t, b.WaitUntilCompleted(), ErrState)
	require.ErrorIs(t, b.Wait(t.Context()), ErrState)
	require.NoError(t, b.PushDebugGroup("group"))
	require.NoError(t, b.PopDebugGroup())
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	p, x := r.kernel("number"), r.buffer(16)
	r.set(e, p, x)
	limitOf(t, e.SetBuffer(x, 17, 0), ErrOffset)
	limitOf(t, e.DispatchThreads(line(4), line(1<<20)), ErrThreadgroupSize)
	require.NoError(t, e.SetBytes(word(1), 1))
	require.NoError(t, e.SetBufferOffset(0, 0))
	require.NoError(t, e.SetThreadgroupMemoryLength(16, 0))
	require.NoError(t, e.DispatchThreads(line(4), line(4)))
	require.NoError(t, e.EndEncoding())
	require.NoError(t, b.Enqueue())
	require.ErrorIs(t, b.Enqueue(), ErrState)
	called := make(chan struct{})
	require.NoError(t, b.AddCompletedHandler(func(CommandBuffer) { close(called) }))
	require.NoError(t, b.Commit())
	require.ErrorIs(t, b.Commit(), ErrState)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, b.Wait(ctx))
	<-called
	_, err = b.ComputeCommandEncoder()
	require.ErrorIs(t, err, ErrClosed)
	assert.Equal(t, []uint32{1, 2, 3, 4}, r.words(x))
}

func TestHandlers(t *testing.T) {
	r := newRig(t)
	b := r.commands()
	var order []string
	var mu sync.Mutex
	note := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, s)
	}
	require.NoError(t, b.AddScheduledHandler(func(CommandBuffer) { note("scheduled") }))
	require.NoError(t, b.AddCompletedHandler(func(c CommandBuffer) {
		note("completed")
		assert.Equal(t, b.ID(), c.ID())
		assert.ErrorIs(t, c.Commit(), ErrClosed, "it knows the state")
		assert.NoError(t, c.Err())
	}))
	require.NoError(t, b.AddCompletedHandler(func(CommandBuffer) { note("completed") }))
	r.run(b)
	mu.Lock()
	defer mu.Unlock()
	assert.Equal(t, []string{"scheduled", "completed", "completed"}, order)
}

// TestHandlerPanics: a panic in a handler is reported and ends neither the program nor the wait.
func TestHandlerPanics(t *testing.T) {
	r := newRig(t)
	var got atomic.Pointer[objc.PanicError]
	defer objc.OnPanic(func(p *objc.PanicError) { got.Store(p) })()
	b := r.commands()
	require.NoError(t, b.AddCompletedHandler(func(CommandBuffer) { panic("oops") }))
	r.run(b)
	require.NotNil(t, got.Load())
	assert.Equal(t, "oops", got.Load().Value)
}

// TestWaitGivesUp: a wait whose context ends leaves nothing behind, and the command buffer
// continues.
func TestWaitGivesUp(t *testing.T) {
	r := newRig(t)
	ev := r.device.NewSharedEvent()
	defer ev.Release()
	b := r.commands()
	require.NoError(t, b.EncodeWaitForEvent(ev.Event, 1))
	require.NoError(t, b.Commit())

	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := b.Wait(ctx)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorIs(t, b.Wait(ctx), context.DeadlineExceeded)
	foreign := CommandBufferFrom(b.ID())
	require.ErrorIs(t, foreign.Wait(ctx), context.DeadlineExceeded)
	ctx, cancel = context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	require.ErrorIs(t, foreign.Wait(ctx), context.DeadlineExceeded)

	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { assert.NoError(t, b.Wait(t.Context())) })
	}
	require.NoError(t, ev.SetSignaledValue(1))
	wg.Wait()
}

// TestCommitRaces: of many goroutines that commit and wait, exactly one commits, and nobody waits
// for an uncommitted command buffer.
func TestCommitRaces(t *testing.T) {
	r := newRig(t)
	for range 20 {
		b := r.commands()
		var commits atomic.Int32
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				switch err := b.Commit(); {
				case err == nil:
					commits.Add(1)
				case !errors.Is(err, ErrState):
					assert.NoError(t, err)
				}
				assert.NoError(t, b.Wait(t.Context()))
			})
		}
		wg.Wait()
		assert.EqualValues(t, 1, commits.Load())
	}
}
