package compute

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/puremetal/puremetal/compute/internal/fallback"
	"github.com/puremetal/puremetal/mtl"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byHand is a CPU that knows saxpy. Package compute/fallback has the tests with a real one.
type byHand struct {
	prepared []fallback.Kernel
	launches []fallback.Launch
	err      error  // of Run
	run      func() // called by Run
}

func (h *byHand) Prepare(_ context.Context, k fallback.Kernel) (fallback.Code, error) {
	h.prepared = append(h.prepared, k)
	return h, nil
}

func (h *byHand) Check(l *fallback.Launch) error {
	if len(l.Arguments) != 3 {
		return errors.New("not saxpy")
	}
	return nil
}

func (h *byHand) Run(_ context.Context, l *fallback.Launch) error {
	h.launches = append(h.launches, *l)
	if h.run != nil {
		h.run()
	}
	at := func(a fallback.Argument, i int) []byte { return l.Memory[a.Memory].Data[int(a.Offset)+4*i:] }
	load := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }
	x, y, scale := l.Arguments[0], l.Arguments[1], load(l.Arguments[2].Bytes)
	for i := range l.Grid[0] {
		binary.LittleEndian.PutUint32(at(y, i), math.Float32bits(scale*load(at(x, i))+load(at(y, i))))
	}
	return h.err
}

// TestFallbackStorage: the CPU is given shared memory, and copies of private memory, also where
// blits must be aligned, and only what an argument covers changes.
func TestFallbackStorage(t *testing.T) {
	for _, mode := range []mtl.StorageMode{mtl.StorageModeShared, mtl.StorageModePrivate} {
		for _, unit := range []uint{1, 4, 16} {
			t.Run(fmt.Sprintf("%v %d", mode, unit), func(t *testing.T) { fallbackStorage(t, mode, unit) })
		}
	}
}

func fallbackStorage(t *testing.T, mode mtl.StorageMode, unit uint) {
	h := &byHand{}
	a := accelerator(t, WithFallback(h))
	if !a.info.Software {
		t.Skip("the test changes what the device is like")
	}
	a.info.Limits.BlitAlignment, a.core.Info.Limits.BlitAlignment = unit, unit
	k, s, ctx := kernels(t, a, saxpy)("saxpy"), newStream(t, a), t.Context()
	all := make([]float32, 1001)
	for i := range all {
		all[i] = float32(i)
	}
	b, err := NewBuffer[float32](a, len(all), BufferOptions{Storage: &mode})
	require.NoError(t, err)
	defer b.Close()
	require.NoError(t, b.Upload(ctx, all))
	x, err := b.Slice(101, 201)
	require.NoError(t, err)
	y, err := b.Slice(901, 1001)
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, k, Threads1D(100), x, y, float32(1)))
	require.NoError(t, s.LaunchFallback(ctx, k, Threads1D(100), x, y, float32(2)))
	require.NoError(t, s.Launch(ctx, k, Threads1D(100), x, y, float32(4)))
	require.NoError(t, s.LaunchFallback(ctx, k, Threads1D(100), x, y, float32(8)))
	require.NoError(t, s.Sync(ctx))
	for i := range 100 {
		all[901+i] += 15 * all[101+i]
	}
	got := make([]float32, len(all))
	require.NoError(t, b.Download(ctx, got))
	assert.Equal(t, all, got)

	require.Len(t, h.prepared, 1, "compiled once")
	assert.Equal(t, "saxpy", h.prepared[0].Name)
	assert.Contains(t, h.prepared[0].Source, saxpy)
	assert.Equal(t, DefaultLanguage, h.prepared[0].Settings.LanguageVersion)
	require.Len(t, h.launches, 2)
	l := h.launches[0]
	require.Len(t, l.Memory, 1, "both arguments are in it")
	assert.Equal(t, uint(1001*4-256), l.Memory[0].Length)
	assert.Len(t, l.Memory[0].Data, 1001*4-256)
	assert.True(t, l.Memory[0].Writes)
	assert.Equal(t, uint(101*4-256), l.Arguments[0].Offset)
	assert.Equal(t, [3]int{100, 1, 1}, l.Grid)
}

// TestFallbackFailures: errors, panics and goroutines that end are failures of the launch.
func TestFallbackFailures(t *testing.T) {
	wrong := errors.New("wrong")
	aPanic := func(err error) {
		var p *PanicError
		require.ErrorAs(t, err, &p)
	}
	for name, c := range map[string]struct {
		h     *byHand
		kind  error
		check func(error)
	}{
		"error":   {&byHand{err: wrong}, ErrExecution, func(err error) { require.ErrorIs(t, err, wrong) }},
		"memory":  {&byHand{err: ErrOutOfMemory}, ErrOutOfMemory, func(error) {}},
		"timeout": {&byHand{err: ErrTimeout}, ErrTimeout, func(error) {}},
		"panic":   {&byHand{run: func() { panic(wrong) }}, ErrExecution, aPanic},
		"exit":    {&byHand{run: runtime.Goexit}, ErrExecution, aPanic},
	} {
		t.Run(name, func(t *testing.T) {
			a := accelerator(t, WithFallback(c.h))
			k, s, ctx := kernels(t, a, saxpy)("saxpy"), newStream(t, a), t.Context()
			x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 1)
			require.NoError(t, s.LaunchFallback(ctx, k, Threads1D(1), x, y, float32(1)))
			require.NoError(t, s.Launch(ctx, k, Threads1D(1), y, x, float32(1)))
			err := s.Sync(ctx)
			var failed *ExecutionError
			require.ErrorAs(t, err, &failed)
			assert.Equal(t, c.kind, failed.Kind)
			c.check(err)
			assert.EqualValues(t, 1, s.Stats().Failed)
			require.ErrorIs(t, y.Wait(ctx), c.kind)
			require.ErrorIs(t, x.Wait(ctx), c.kind, "a later launch has read it")
		})
	}
}

// TestFallbackRetired: a launch on the CPU needs nothing of Metal's, also when it is canceled.
func TestFallbackRetired(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	h := &byHand{run: func() { close(started); <-release }}
	a := accelerator(t, WithFallback(h))
	k := kernels(t, a, saxpy)("saxpy")
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 1)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := a.NewStream(StreamOptions{Label: "retired", Context: ctx})
	require.NoError(t, err)
	s.mu.Lock()
	s.metal.release()
	s.mu.Unlock()
	require.NoError(t, s.LaunchFallback(t.Context(), k, Threads1D(1), x, y, float32(1)))
	require.NoError(t, s.LaunchFallback(t.Context(), k, Threads1D(1), x, y, float32(1)))
	<-started
	cancel()
	s.mu.Lock() // the cancellation runs on another goroutine
	canceled := func() bool { return s.submission.inFlight[0].canceled != nil }
	for !canceled() {
		s.mu.Unlock()
		runtime.Gosched()
		s.mu.Lock()
	}
	s.mu.Unlock()
	close(release)
	require.ErrorIs(t, s.Sync(t.Context()), ErrCanceled)
	require.NoError(t, s.Close(t.Context()))
	assert.Len(t, h.launches, 1, "the second one did not run")
}
