package compute

import (
	"context"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute/observe"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// recorder keeps the events of an accelerator.
type recorder struct {
	mu        sync.Mutex
	records   []observe.RecordEvent
	encodes   []observe.EncodeEvent
	commits   []observe.CommitEvent
	completes []observe.CompleteEvent
	compiles  []observe.CompileEvent
	caches    []observe.CacheEvent
	transfers []observe.TransferEvent
	rents     []observe.RentEvent
	returns   []observe.ReturnEvent
	starts    []observe.OperationEvent
	ends      []observe.OperationEvent
	recovers  []observe.RecoverEvent
}

// keep appends an event to a list.
func keep[T any](r *recorder, list *[]T) func(T) {
	return func(e T) {
		r.mu.Lock()
		defer r.mu.Unlock()
		*list = append(*list, e)
	}
}

func (r *recorder) observer() *observe.Observer {
	return &observe.Observer{Record: keep(r, &r.records), Encode: keep(r, &r.encodes), Commit: keep(r, &r.commits),
		Complete: keep(r, &r.completes), Compile: keep(r, &r.compiles), Cache: keep(r, &r.caches),
		Transfer: keep(r, &r.transfers), Rent: keep(r, &r.rents), Return: keep(r, &r.returns),
		OperationStart: keep(r, &r.starts), OperationEnd: keep(r, &r.ends), Recover: keep(r, &r.recovers)}
}

// TestObserver: each event is seen once, with the figures that the statistics have.
func TestObserver(t *testing.T) {
	r := &recorder{}
	a := accelerator(t, WithObserver(r.observer()))
	ctx, s := t.Context(), newStream(t, a)
	k := kernels(t, a, addKernel)("add")
	x := bufferOf[int32](t, a, 1, 2, 3, 4)
	y := bufferOf[int32](t, a, 0, 0, 0, 0)
	within, end := a.Operation(ctx, "sum")
	inner, endInner := a.Operation(within, "part")
	for range 10 {
		require.NoError(t, s.Launch(inner, k, Threads1D(4), x, int32(1)))
	}
	endInner()
	end()
	require.NoError(t, Copy(ctx, s, y, x))
	require.NoError(t, Fill(ctx, s, x, 0))
	require.NoError(t, s.Sync(ctx))
	require.NoError(t, x.Upload(ctx, []int32{1, 2, 3, 4}))
	require.NoError(t, y.Download(ctx, make([]int32, 4)))
	require.NoError(t, DownloadAsync(ctx, s, make([]int32, 4), y, nil))
	require.NoError(t, s.Sync(ctx))

	stats := s.Stats()
	r.mu.Lock()
	var launches, bytes uint64
	last := uint64(0)
	for _, e := range r.records {
		if e.Stream.Number != s.number {
			continue
		}
		assert.Greater(t, e.Number, last, "in order")
		last = e.Number
		assert.NotNil(t, e.Ctx)
		switch e.Kind {
		case observe.CommandLaunch:
			launches++
			assert.Equal(t, "add", e.Kernel)
			assert.EqualValues(t, 4, e.Threads)
			assert.NotZero(t, e.Site)
			id, ok := OperationOf(e.Ctx)
			assert.True(t, ok)
			assert.Equal(t, "part", id.Name)
			assert.Equal(t, r.starts[0].ID.Number, id.Parent)
		case observe.CommandCopy, observe.CommandFill, observe.CommandHostCopy:
			bytes += e.Bytes
		}
	}
	assert.Equal(t, stats.Launches, launches)
	assert.Equal(t, stats.CopiedBytes+stats.FilledBytes, bytes)
	assert.EqualValues(t, stats.CommandBuffers, len(r.commits))
	assert.Len(t, r.completes, len(r.commits))
	assert.Len(t, r.encodes, len(r.commits))
	commands, encoders := 0, 0
	for i, e := range r.encodes {
		require.NoError(t, e.Err)
		commands += e.Buffer.Commands
		encoders += e.Encoders
		assert.Equal(t, e.Buffer, r.completes[i].Buffer)
		assert.LessOrEqual(t, r.completes[i].DeviceStart, r.completes[i].DeviceEnd)
		assert.Positive(t, r.completes[i].DeviceStart)
	}
	assert.EqualValues(t, stats.Commands, commands)
	assert.EqualValues(t, stats.Encoders, encoders)
	require.Len(t, r.starts, 2)
	require.Len(t, r.ends, 2)
	assert.Equal(t, "part", r.ends[0].ID.Name)
	assert.Len(t, r.transfers, 3+2, "with the uploads of the two new buffers")
	assert.Len(t, r.rents, 2)
	assert.Empty(t, r.returns)
	assert.Len(t, r.compiles, 2, "a program and a pipeline")
	assert.Len(t, r.caches, 2)
	r.mu.Unlock()

	kernels(t, a, addKernel)("add")
	x.Close()
	y.Close()
	_, err := NewBuffer[int32](a, 1<<50, BufferOptions{})
	require.ErrorIs(t, err, ErrOutOfMemory)
	a.Recovered(observe.RecoverEvent{Kind: observe.RecoveryRetry, What: "add"})
	r.mu.Lock()
	defer r.mu.Unlock()
	assert.Len(t, r.compiles, 2)
	assert.Len(t, r.caches, 4)
	assert.True(t, r.caches[3].Hit)
	require.Len(t, r.returns, 2)
	assert.Zero(t, r.returns[1].Allocated)
	require.Len(t, r.rents, 3)
	require.ErrorIs(t, r.rents[2].Err, ErrOutOfMemory)
	require.Len(t, r.recovers, 1)
	assert.False(t, r.recovers[0].At.IsZero())
	assert.NotNil(t, r.recovers[0].Ctx)
}

// TestObserveOrder: a command buffer is encoded, then committed, then complete. So once a stream is
// synchronized, all of these events have been seen.
func TestObserveOrder(t *testing.T) {
	var mu sync.Mutex
	var order []string
	add := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		order = append(order, name)
	}
	a := accelerator(t, WithObserver(&observe.Observer{Encode: func(observe.EncodeEvent) { add("encode") },
		Commit: func(observe.CommitEvent) { add("commit") }, Complete: func(observe.CompleteEvent) { add("complete") }}))
	s, k := newStream(t, a), kernels(t, a, addKernel)("add")
	x := bufferOf[int32](t, a, 1, 2, 3, 4)
	for range 5 {
		mu.Lock()
		order = nil
		mu.Unlock()
		require.NoError(t, s.Launch(t.Context(), k, Threads1D(4), x, int32(1)))
		require.NoError(t, s.Sync(t.Context()))
		mu.Lock()
		require.Equal(t, []string{"encode", "commit", "complete"}, order)
		mu.Unlock()
	}
}

// TestObserveStop: a removed observer is not called, and others still are.
func TestObserveStop(t *testing.T) {
	a := accelerator(t)
	var first, second recorder
	stop, err := a.Observe(first.observer())
	require.NoError(t, err)
	stopSecond, err := a.Observe(second.observer())
	require.NoError(t, err)
	a.Recovered(observe.RecoverEvent{})
	stop()
	stop()
	a.Recovered(observe.RecoverEvent{Ctx: context.Background()})
	stopSecond()
	a.Recovered(observe.RecoverEvent{})
	assert.Len(t, first.recovers, 1)
	assert.Len(t, second.recovers, 2)
	assert.Nil(t, a.core.Observers())
	_, err = a.Observe(nil)
	require.ErrorIs(t, err, ErrNil)
	_, err = Open(WithObserver(nil))
	require.ErrorIs(t, err, ErrNil)
}
