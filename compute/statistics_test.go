package compute

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/stream"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// failOn has the software device fail every n-th command buffer from now on with an error code,
// until the test ends; 0 ends it at once.
func failOn(t *testing.T, a *Accelerator, f softmetal.Faults) {
	t.Helper()
	rt := softmetal.Opened()
	if rt == nil {
		t.Skip("only the software device fails on demand while a program runs")
	}
	id := objcsoft.ID(a.device.ID())
	require.NoError(t, softmetal.Inject(rt, id, f))
	t.Cleanup(func() { require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{})) })
}

// TestHistory: a failed command buffer's error tells what was under way and what the stream had
// done before, as far back as the option says.
func TestHistory(t *testing.T) {
	a := accelerator(t, WithHistory(3))
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1, 2), bufferOf[float32](t, a, 0, 0)
	launch := func() { require.NoError(t, s.Launch(t.Context(), k, Threads1D(2), x, y, float32(1))) }
	assert.Empty(t, s.History())
	require.NoError(t, Fill(t.Context(), s, y, 0))
	require.NoError(t, s.Sync(t.Context()))
	assert.Len(t, s.History(), 1)
	require.NoError(t, Copy(t.Context(), s, y, x))
	for range 2 {
		launch()
	}
	require.NoError(t, s.Sync(t.Context()))
	assert.Len(t, s.History(), 3)

	failOn(t, a, softmetal.Faults{CommandEvery: 1, CommandCode: 2})
	launch()
	err := s.Sync(t.Context())
	var e *ExecutionError
	require.ErrorAs(t, err, &e)
	require.Len(t, e.Commands, 1)
	assert.Contains(t, e.Commands[0], "saxpy (statistics_test.go:")
	require.Len(t, e.Before, 3)
	assert.Contains(t, e.Before[0], "copy of 8 bytes (statistics_test.go:")
	assert.Contains(t, e.Before[2], "saxpy (statistics_test.go:")
	assert.ErrorContains(t, err, "; before: copy of 8 bytes (")
	assert.EqualValues(t, 1, s.Stats().Failed)
	assert.Equal(t, KernelStats{Launches: 3, Threads: 6, Failed: 1}, k.Stats())
}

// TestFaultedEncoder: where Metal says which encoder is at fault, the error lists only that one's
// commands as under way.
func TestFaultedEncoder(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	l := &Launch{kernel: k, core: stream.Launch{Kernel: &k.core}}
	b := &batch{stream: s, works: []stream.Work{{Command: &stream.CopyCommand{}, Encoder: 1}, {Command: &l.core,
		Encoder: 2},
		{Command: &l.core, Encoder: 2}, {Command: &stream.FillCommand{}, Encoder: 3}}}
	label := stream.EncoderLabel(s.label, 2)
	err := b.executionError(&mtl.CommandError{Encoders: []mtl.EncoderError{
		{Label: stream.EncoderLabel(s.label, 1), State: mtl.CommandEncoderErrorStateCompleted},
		{Label: label, State: mtl.CommandEncoderErrorStateFaulted},
		{Label: stream.EncoderLabel(s.label, 3), State: mtl.CommandEncoderErrorStatePending},
	}})
	var e *ExecutionError
	require.ErrorAs(t, err, &e)
	assert.Equal(t, label, e.Encoder)
	assert.Equal(t, []string{"saxpy", "saxpy"}, e.Commands)
	assert.Equal(t, []string{"copy of 0 bytes"}, e.Before)
	assert.EqualValues(t, 2, k.Stats().Failed)
}

// TestTransferFailures: an upload or download whose copy failed says so, wherever the stream cut
// its work into command buffers, and what says nothing is right.
func TestTransferFailures(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Commands: 1}))
	b, err := NewZeroed[int32](t.Context(), a, 4, BufferOptions{Intent: DeviceOnly})
	require.NoError(t, err)
	defer b.Close()
	failOn(t, a, softmetal.Faults{CommandEvery: 3, CommandCode: 2})
	has, failures := int32(0), map[*ExecutionError]bool{}
	failed := func(err error) {
		require.ErrorIs(t, err, ErrTimeout)
		var e *ExecutionError
		require.ErrorAs(t, err, &e)
		failures[e] = true // a download also returns the failure of the upload before it
	}
	for i := range int32(12) {
		data := []int32{i, i, i, i}
		if err := b.Upload(t.Context(), data); err == nil {
			has = i
		} else {
			failed(err)
		}
		if i%4 == 0 { // so that it is not always the same of the two that fails
			continue
		}
		if err := b.Download(t.Context(), data); err == nil {
			require.Equal(t, []int32{has, has, has, has}, data)
		} else {
			failed(err)
		}
	}
	assert.NotEmpty(t, failures)
	assert.EqualValues(t, len(failures), a.Stats().Failed, "command buffers")
	require.NoError(t, a.Sync(t.Context()), "a failure that a transfer has returned is not returned again")
}

// TestTransfersShareFailure: two transfers in one command buffer that fails both say so.
func TestTransfersShareFailure(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{InFlight: 1}))
	failOn(t, a, softmetal.Faults{}) // skips before anything is held back
	s, err := a.transferStream()
	require.NoError(t, err)
	var buffers [2]*Buffer[int32]
	for i := range buffers {
		buffers[i], err = NewBuffer[int32](a, 4, BufferOptions{Intent: DeviceOnly})
		require.NoError(t, err)
		defer buffers[i].Close()
	}
	// The first command buffer waits until both copies are recorded, the second one fails. Counting
	// from the first makes it certain which one does: it may begin at any time.
	failOn(t, a, softmetal.Faults{CommandEvery: 2, CommandCode: 2})
	release := blockStream(t, s)
	var both sync.WaitGroup
	var errs [2]error
	for i, b := range buffers {
		both.Go(func() { errs[i] = b.Upload(t.Context(), []int32{1, 2, 3, 4}) })
	}
	settle.Until(t, "both copies are recorded", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.submission.recorded == 3
	})
	release()
	both.Wait()
	require.ErrorIs(t, errs[0], ErrTimeout)
	assert.Same(t, errs[0], errs[1], "they were in one command buffer")
	require.NoError(t, a.Sync(t.Context()), "a failure that a transfer has returned is not returned again")
}

// TestStats counts each kind of command, for the stream and for the accelerator, also when the
// stream is closed.
func TestStats(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1, 2), bufferOf[float32](t, a, 0, 0)
	e := newEvent(t, a)
	ctx := t.Context()
	require.NoError(t, Fill(ctx, s, y, 0))
	require.NoError(t, Copy(ctx, s, y, x))
	require.NoError(t, s.Launch(ctx, k, Threadgroups{Grid: Extent{X: 1}, Group: Extent{X: 2}}, x, y, float32(1)))
	require.NoError(t, s.Record(ctx, e))
	require.NoError(t, s.WaitFor(ctx, e))
	require.NoError(t, s.Callback(ctx, func(error) {}))
	require.NoError(t, s.Encode(ctx, func(mtl.CommandBuffer) error { return nil }))
	require.NoError(t, s.Sync(ctx))
	got := s.Stats()
	assert.Positive(t, got.CommandBuffers)
	assert.Positive(t, got.Encoders)
	assert.Positive(t, got.DeviceTime)
	want := StreamStats{Commands: 7, Launches: 1, Copies: 1, Fills: 1, Records: 1, Waits: 1, Calls: 1, Encodes: 1,
		CopiedBytes: 8, FilledBytes: 8,
		CommandBuffers: got.CommandBuffers, Encoders: got.Encoders, DeviceTime: got.DeviceTime}
	assert.Equal(t, want, got)
	assert.Equal(t, want, a.Stats())
	require.NoError(t, s.Close(ctx))
	assert.Equal(t, want, a.Stats())
	assert.Equal(t, KernelStats{Launches: 1, Threads: 2}, k.Stats())
}

// blockStream has a stream wait until the returned function is called.
func blockStream(t *testing.T, s *Stream) (release func()) {
	t.Helper()
	gate := s.acc.device.NewSharedEvent()
	require.False(t, gate.IsNil())
	t.Cleanup(gate.Release)
	p := &timeline{shared: gate, pool: s.acc.timelines}
	p.uses.Store(1 << 20) // it is not the pool's
	require.NoError(t, s.record(t.Context(), stream.Work{Command: &waitCommand{timeline: p, value: 1}}))
	// what comes now goes into another command buffer
	settle.Until(t, "the wait is submitted", func() bool { return s.Stats().Waiting == 0 })
	return func() { require.NoError(t, gate.SetSignaledValue(1)) }
}

// TestGroupContext: streams of a group whose context has ended before their work are the
// accelerator's to close, and no leaks.
func TestGroupContext(t *testing.T) {
	a := accelerator(t) // whose Close finds no leaks
	ctx, cancel := context.WithCancel(t.Context())
	g, err := a.NewStreamGroup(ctx, 2)
	require.NoError(t, err)
	release := blockStream(t, g.streams[1])
	g.Go(func(context.Context, *Stream) error { cancel(); return nil })
	err = g.Wait()
	requireCanceled(t, err)
	assert.ErrorContains(t, err, `stream "group 1" with 1 of 1 commands stays open`)
	if a.info.Software { // Wait has canceled the work; a GPU runs it to its end
		require.ErrorIs(t, a.Sync(t.Context()), ErrCanceled)
	}
	release()
	require.NoError(t, a.Sync(t.Context()))
}

// TestCloseContext: a context that has ended does not keep what has nothing left to do from
// closing; where work is left, it is canceled, nothing closes, and the error says what was left.
func TestCloseContext(t *testing.T) {
	// with one command buffer in flight, what is recorded behind the gate stays with the stream
	a := accelerator(t, WithBatching(Batching{InFlight: 1}))
	k, s, held := kernels(t, a, saxpy)("saxpy"), newStream(t, a), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
	require.NoError(t, s.Sync(t.Context()))
	require.NoError(t, s.Close(ended))
	require.ErrorIs(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)), ErrClosed)

	for _, c := range []struct {
		close func(context.Context) error
		want  string
	}{
		{held.Close, `stream "TestCloseContext" with 2 of %d commands stays open`},
		{a.Close, `stays open, waiting for stream "TestCloseContext" with 2 of %d commands`},
	} {
		release := blockStream(t, held)
		require.NoError(t, held.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
		recorded := held.submission.recorded
		err := c.close(ended)
		requireCanceled(t, err)
		assert.ErrorContains(t, err, fmt.Sprintf(c.want, recorded))
		if !a.info.Software {
			release()
		}
		require.ErrorIs(t, held.Sync(t.Context()), ErrCanceled)
		release()
		require.NoError(t, held.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)), "both are still open")
		require.NoError(t, held.Sync(t.Context()))
	}
	got, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{3}, got, "three launches of five were not canceled")

	b, err := Open(WithLogger(a.log))
	require.NoError(t, err)
	require.NoError(t, b.Close(ended), "nothing is left to do")
	_, err = b.NewStream(StreamOptions{})
	require.ErrorIs(t, err, ErrClosed)
}
