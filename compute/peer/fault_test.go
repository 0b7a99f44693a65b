package peer

import (
	"context"
	"errors"
	"testing"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// gate is a stream that waits until the test opens it.
type gate struct {
	t      testing.TB
	stream *compute.Stream
	event  mtl.SharedEvent
}

func newGate(t testing.TB, a *compute.Accelerator) *gate {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-ins run each command buffer when it is committed")
	}
	g := &gate{t: t, event: a.Device().NewSharedEvent()}
	t.Cleanup(func() { g.event.Release() })
	g.stream = stream(t, a)
	require.NoError(t, g.stream.Encode(t.Context(), func(b mtl.CommandBuffer) error {
		return b.EncodeWaitForEvent(g.event.Event, 1)
	}))
	t.Cleanup(g.open)
	return g
}

func (g *gate) open() {
	g.t.Helper()
	if g.event.SignaledValue() == 0 {
		require.NoError(g.t, g.event.SetSignaledValue(1))
	}
}

// inject makes the accelerator's device fail, until the end of the test.
func inject(t *testing.T, a *compute.Accelerator, f softmetal.Faults) {
	t.Helper()
	if !a.Info().Software {
		t.Skip("faults are injected into the software device")
	}
	rt, err := objc.SoftwareRuntime()
	require.NoError(t, err)
	id := objcsoft.ID(a.Device().ID())
	require.NoError(t, softmetal.Inject(rt, id, f))
	t.Cleanup(func() { require.NoError(t, softmetal.Inject(rt, id, softmetal.Faults{})) })
}

// TestFaults lets either device fail at each of its command buffers: the copy returns the failure,
// nothing hangs, and the link works afterwards.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name   string
		to     int
		faulty int // the device
	}{
		{"remote, sender", 1, 0}, {"remote, receiver", 1, 1}, {"staged, sender", 3, 0}, {"staged, receiver", 3, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := func(index int) *compute.Accelerator { return device(t, index) }
			accs := map[int]*compute.Accelerator{0: open(0), c.to: open(c.to)}
			l := connect(t, accs[0], accs[c.to], Options{Chunk: 4 << 10, Buffers: 2})
			const n = 40_000
			src, dst := buffer(t, accs[0], n, private), buffer(t, accs[c.to], n, private)
			upload(t, src, counting(n, 3))
			failures := 0
			var streams Streams
			if c.name == "remote, sender" { // which otherwise has no part in the copy
				streams.From = stream(t, accs[0])
			}
			for every := 1; every < 6; every++ {
				inject(t, accs[c.faulty], softmetal.Faults{CommandEvery: every, CommandCode: 9})
				x, err := CopyAsync(t.Context(), l, streams, dst, src)
				require.NoError(t, err)
				err = x.Wait(t.Context())
				assert.NotErrorIs(t, err, compute.ErrTimeout, "a wait that nothing ended")
				var failed *compute.ExecutionError
				if err != nil {
					require.ErrorAs(t, err, &failed)
					failures++
				}
				if streams.From != nil {
					_ = streams.From.Sync(t.Context()) // its commands may have failed as well
				}
				inject(t, accs[c.faulty], softmetal.Faults{})
				require.NoError(t, Copy(t.Context(), l, dst, src))
				require.Equal(t, counting(n, 3), contents(t, dst))
			}
			assert.Positive(t, failures)
			assert.EqualValues(t, failures, l.Stats().Failed)
		})
	}
}

// TestSourceFailed checks that a copy of data whose kernel failed returns that failure.
func TestSourceFailed(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{})
	src, dst := buffer(t, first, 100, private), buffer(t, second, 100, private)
	s, start := stream(t, first), kernel(t, first, stepSource, "start")
	inject(t, first, softmetal.Faults{CommandEvery: 1, CommandCode: 9})
	require.NoError(t, s.Launch(t.Context(), start, compute.Threads1D(100), src, uint32(1)))
	require.Error(t, s.Sync(t.Context()))
	err := Copy(t.Context(), l, dst, src)
	require.ErrorIs(t, err, compute.ErrExecution)
	assert.ErrorContains(t, err, "the work that wrote it failed")
	assert.Zero(t, l.Stats())
}

// TestMemory lets each allocation and each new object fail, of either device.
func TestMemory(t *testing.T) {
	for every := 1; every < 40; every++ {
		for _, f := range []softmetal.Faults{{AllocationEvery: every}, {ObjectEvery: every}} {
			first, alone := device(t, 0), device(t, 3)
			src, dst := buffer(t, first, 5000, private), buffer(t, alone, 5000, private)
			upload(t, src, counting(5000, 3))
			inject(t, first, f)
			inject(t, alone, f)
			l, err := Connect(first, alone, Options{Chunk: 4 << 10})
			require.NoError(t, err)
			x, err := CopyAsync(t.Context(), l, Streams{}, dst, src)
			if err == nil {
				err = x.Wait(t.Context())
			}
			inject(t, first, softmetal.Faults{})
			inject(t, alone, softmetal.Faults{})
			if err != nil {
				require.NoError(t, Copy(t.Context(), l, dst, src), "after %v", err)
			}
			require.Equal(t, counting(5000, 3), contents(t, dst))
			require.NoError(t, l.Close(t.Context()))
		}
	}
}

// TestClose checks that Close waits for transfers, gives up with its context, and refuses later
// copies.
func TestClose(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	l := connect(t, first, second, Options{})
	src, dst := buffer(t, first, 100, private), buffer(t, second, 100, private)
	upload(t, src, counting(100, 9))
	g := newGate(t, first)
	x, err := CopyAsync(t.Context(), l, Streams{From: g.stream}, dst, src)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = l.Close(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.ErrorContains(t, err, "stays open with 1 transfers")
	require.ErrorIs(t, l.Enable(), ErrClosed)
	g.open()
	require.NoError(t, l.Close(t.Context()))
	require.NoError(t, errors.Join(x.Wait(t.Context()), g.stream.Sync(t.Context())))
	assert.Equal(t, counting(100, 9), contents(t, dst))
	require.ErrorIs(t, Copy(t.Context(), l, dst, src), ErrClosed)
	require.NoError(t, l.Close(t.Context()), "again")
}

// TestMisuse checks the errors of calls that make no sense.
func TestMisuse(t *testing.T) {
	first, second := device(t, 0), device(t, 1)
	ctx, none := t.Context(), (*Link)(nil)
	var noContext context.Context
	l := connect(t, first, second, Options{})
	src, dst := buffer(t, first, 100, private), buffer(t, second, 100, private)
	short, err := dst.Slice(0, 99)
	require.NoError(t, err)
	closed := buffer(t, first, 100, private)
	closed.Close()
	_, nilEnd := Connect(nil, second, Options{})
	_, sameEnd := Connect(first, first, Options{})
	_, manyBuffers := Connect(first, second, Options{Buffers: 17})
	_, smallChunk := Connect(first, second, Options{Chunk: -1})
	for _, c := range []struct {
		got  error
		want error
		text string
	}{
		{nilEnd, compute.ErrNil, "no accelerator"},
		{sameEnd, compute.ErrOption, "same accelerator"},
		{manyBuffers, compute.ErrOption, "option Buffers is 17, want 2 to 16"},
		{smallChunk, compute.ErrOption, "option Chunk is -1, want 1 to 1073741824"},
		{Copy(ctx, none, dst, src), compute.ErrNil, "no link"},
		{Copy(noContext, l, dst, src), compute.ErrNil, "nil context"},
		{Copy(ctx, l, nil, src), compute.ErrNil, "no buffer"},
		{Copy(ctx, l, short, src), compute.ErrRange, "copy of 100 elements to a buffer of 99"},
		{Copy(ctx, l, src, dst), compute.ErrAccelerator, "belongs to another accelerator"},
		{Copy(ctx, l, dst.ReadOnly(), src), compute.ErrStorage, "read-only"},
		{Copy(ctx, l, dst, closed), compute.ErrClosed, "closed"},
		{none.Enable(), compute.ErrNil, "no link"},
		{none.Close(ctx), compute.ErrNil, "no link"},
		{(*Transfer)(nil).Wait(ctx), compute.ErrNil, "no transfer"},
	} {
		require.ErrorIs(t, c.got, c.want)
		assert.ErrorContains(t, c.got, c.text)
	}
	none.Disable()
	(*Transfer)(nil).Cancel()
	assert.Nil(t, none.From())
	assert.Nil(t, none.To())
	assert.Zero(t, none.Stats())
	upload(t, src, counting(100, 1))
	require.NoError(t, Copy(ctx, l, dst, src), "after all that")
}
