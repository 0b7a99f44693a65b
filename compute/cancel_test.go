package compute

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	softcommand "github.com/puremetal/puremetal/internal/softmetal/command"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spinner launches kernels that never end by themselves, and hears when the device begins and ends
// each of them.
type spinner struct {
	*testing.T
	acc    *Accelerator
	kernel *Kernel
	x      *Buffer[uint32]
	began  chan struct{}
	ended  chan error
}

func newSpinner(t *testing.T, options ...Option) *spinner {
	t.Helper()
	rt := softmetal.Opened()
	a := accelerator(t, options...)
	if rt == nil {
		t.Skip("only the software device stops kernels that run")
	}
	p := compile(t, a, "kernel void spin(device uint *x) { while (x[0] == 0) {} }",
		CompileOptions{Name: "spins.metal"})
	t.Cleanup(p.Close)
	s := &spinner{T: t, acc: a, kernel: kernel(t, p, "spin"), began: make(chan struct{}, 9), ended: make(chan error, 9)}
	var err error
	s.x, err = BufferOf(t.Context(), a, []uint32{0})
	require.NoError(t, err)
	t.Cleanup(s.x.Close)
	observe := func(o softcommand.Observer) {
		require.NoError(t, softmetal.Observe(rt, objcsoft.ID(a.Device().ID()), o))
	}
	observe(func(*softcommand.Launched) (hook.Hook, func(error)) {
		s.began <- struct{}{}
		return nil, func(err error) { s.ended <- err }
	})
	t.Cleanup(func() { observe(nil) })
	return s
}

func (s *spinner) stream(o StreamOptions) *Stream {
	s.Helper()
	stream, err := s.acc.NewStream(o)
	require.NoError(s, err)
	return stream
}

// launch launches the kernel n times.
func (s *spinner) launch(stream *Stream, n int) {
	s.Helper()
	for range n {
		require.NoError(s, stream.Launch(s.Context(), s.kernel, Threads1D(1), s.x))
	}
}

// stopped checks that the one kernel that began has ended, and that no other does.
func (s *spinner) stopped() {
	s.Helper()
	require.Error(s, <-s.ended)
	assert.Empty(s, s.began)
}

// TestStreamContext: when the context ends that a stream was made with, the device stops its
// kernel, commands behind it do not run, and new ones are refused.
func TestStreamContext(t *testing.T) {
	s := newSpinner(t, WithBatching(Batching{Commands: 1, InFlight: 2}))
	ctx, cancel := context.WithCancelCause(t.Context())
	stream := s.stream(StreamOptions{Context: ctx, Label: "bounded"})
	s.launch(stream, 5) // two on the device, three pending
	<-s.began
	cause := errors.New("enough")
	cancel(cause)
	err := stream.Sync(context.Background())
	requireCanceled(t, err)
	require.ErrorIs(t, err, cause)
	var e *ExecutionError
	require.ErrorAs(t, err, &e)
	assert.ErrorContains(t, e, "compute: stream bounded: canceled: enough")
	s.stopped()
	require.NoError(t, stream.Sync(context.Background()), "reported once")
	err = stream.Launch(context.Background(), s.kernel, Threads1D(1), s.x)
	requireCanceled(t, err)
	require.ErrorIs(t, err, cause)
	assert.ErrorContains(t, err, "its context has ended: enough")
	require.NoError(t, stream.Close(context.Background()))
	assert.EqualValues(t, 5, s.acc.Stats().Commands)
}

// TestSyncCancels: a Sync that its context ends cancels the work of a stream that was made with a
// context, which then takes new work; of others it does not.
func TestSyncCancels(t *testing.T) {
	s := newSpinner(t)
	stream := s.stream(StreamOptions{Context: t.Context()})
	s.launch(stream, 1)
	<-s.began
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	requireCanceled(t, stream.Sync(ended))
	require.ErrorIs(t, stream.Sync(t.Context()), ErrCanceled)
	s.stopped()
	require.NoError(t, s.x.Upload(t.Context(), []uint32{1})) // the kernel ends at once from here on
	s.launch(stream, 1)
	require.NoError(t, stream.Close(t.Context()))
	<-s.began
	require.NoError(t, <-s.ended)

	plain := s.stream(StreamOptions{})
	s.launch(plain, 1)
	_ = plain.Sync(ended)
	require.NoError(t, plain.Sync(t.Context()), "the work went on")
	require.NoError(t, plain.Close(t.Context()))
}

// TestCloseCancels: a Close that its context ends stops the work, so that the next one succeeds.
func TestCloseCancels(t *testing.T) {
	s := newSpinner(t)
	stream := s.stream(StreamOptions{})
	s.launch(stream, 1)
	<-s.began
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	err := stream.Close(ended)
	requireCanceled(t, err)
	assert.ErrorContains(t, err, "stays open")
	s.stopped()
	require.ErrorIs(t, stream.Close(t.Context()), ErrCanceled)

	stream = s.stream(StreamOptions{})
	s.launch(stream, 1)
	<-s.began
	requireCanceled(t, s.acc.Close(ended))
	s.stopped()
	require.ErrorIs(t, stream.Close(t.Context()), ErrCanceled)
}

// TestTimeout: a command buffer that runs for longer than the option says fails, and says so.
func TestTimeout(t *testing.T) {
	s := newSpinner(t, WithTimeout(time.Millisecond))
	stream := s.stream(StreamOptions{})
	s.launch(stream, 1)
	err := stream.Close(t.Context())
	require.ErrorIs(t, err, ErrTimeout)
	assert.ErrorContains(t, err, "the command buffer has run for 1ms, the limit; "+
		"PUREMETAL_SOFTWARE_TIMEOUT=duration or compute.WithTimeout sets another")
	_, err = Open(WithTimeout(-1))
	require.ErrorIs(t, err, ErrOption)
}

// TestWorkBudget: a launch that does more work than the option says fails, with the name of the
// program, the limit, and what raises it. The budget survives the stream's queue.
func TestWorkBudget(t *testing.T) {
	s := newSpinner(t, WithWorkBudget(1<<22))
	stream := s.stream(StreamOptions{})
	for range 2 {
		s.launch(stream, 1)
		err := stream.Sync(t.Context())
		require.ErrorIs(t, err, ErrTimeout)
		assert.ErrorContains(t, err, "spins.metal:")
		assert.ErrorContains(t, err, "the budget of 4194304 units of work is used up; "+
			"PUREMETAL_SOFTWARE_FUEL=units or compute.WithWorkBudget allows more")
		stream.metal.release() // as after a long idle time
	}
	require.NoError(t, stream.Close(t.Context()))
	for _, n := range []int64{0, -1} {
		_, err := Open(WithWorkBudget(n))
		require.ErrorIs(t, err, ErrOption)
	}
}
