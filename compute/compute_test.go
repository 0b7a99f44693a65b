package compute

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// accelerator opens the default device, and sees that the test leaves nothing open.
func accelerator(t testing.TB, options ...Option) *Accelerator {
	t.Helper()
	objects := objc.LiveObjects()
	a, err := Open(append([]Option{WithLogger(slog.New(slog.DiscardHandler))}, options...)...)
	require.NoError(t, err)
	d, before := a.device, a.device.CurrentAllocatedSize()
	d.Retain()
	t.Cleanup(func() {
		assert.NoError(t, a.Close(context.Background()))
		nothingLeft(t, d, before, objects)
	})
	return a
}

// nothingLeft releases a device and sees that it has no more memory than before, and that no more
// objects live. Metal's own threads let go of what they call handlers with a little after the
// handlers have told everybody, hence the patience.
func nothingLeft(t testing.TB, d mtl.Device, bytes uint, objects int) {
	t.Helper()
	settle.Equal(t, "bytes on the device", bytes, d.CurrentAllocatedSize)
	d.Release()
	settle.AtMost(t, "live objects", objects, objc.LiveObjects)
	if t.Failed() {
		t.Log(objc.Leaks())
	}
}

// plantsMistakes skips a test whose kernels are wrong on purpose where all kernels are sanitized:
// whoever runs the tests that way takes a finding in the log for a mistake.
func plantsMistakes(t testing.TB) {
	t.Helper()
	if os.Getenv("PUREMETAL_SANITIZE") != "" {
		t.Skip("the kernels are wrong on purpose, and PUREMETAL_SANITIZE logs that")
	}
}

// softwareOnly skips a test of what only the software device does.
func softwareOnly(t testing.TB, what string) {
	t.Helper()
	if !accelerator(t).Info().Software {
		t.Skip("only the software device " + what)
	}
}

// kernels compiles source for a test and returns its kernels by name.
func kernels(t testing.TB, a *Accelerator, source string) func(name string, constants ...Constant) *Kernel {
	t.Helper()
	p, err := a.Compile(t.Context(), source, CompileOptions{Name: t.Name()})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return func(name string, constants ...Constant) *Kernel {
		t.Helper()
		k, err := p.Kernel(name, constants...)
		require.NoError(t, err)
		return k
	}
}

func newStream(t testing.TB, a *Accelerator) *Stream {
	t.Helper()
	s, err := a.NewStream(StreamOptions{Label: t.Name()})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, s.Close(context.Background())) })
	return s
}

// bufferOf makes a buffer that ends with the test.
func bufferOf[T any](t testing.TB, a *Accelerator, data ...T) *Buffer[T] {
	t.Helper()
	b, err := BufferOf(t.Context(), a, data)
	require.NoError(t, err)
	t.Cleanup(b.Close)
	return b
}

const saxpy = `
kernel void saxpy(device const float *x [[buffer(0)]], device float *y [[buffer(1)]], constant float &a [[buffer(2)]],
                  uint i [[thread_position_in_grid]]) {
    y[i] = a * x[i] + y[i];
}`

const addKernel = `
kernel void add(device int *x [[buffer(0)]], constant int &by [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    x[i] += by;
}`

func TestLaunch(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1, 2, 3, 4, 5), bufferOf[float32](t, a, 10, 20, 30, 40, 50)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(5), x, y, float32(2)))
	require.NoError(t, s.Sync(t.Context()))
	got, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{12, 24, 36, 48, 60}, got)
}

// TestOrder gives one stream launches that depend on each other and some that do not: the result is
// that of serial order, and where memory does not meet there is no barrier.
func TestOrder(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	ones := bufferOf[float32](t, a, 1, 1, 1, 1)
	var apart [4]*Buffer[float32]
	for i := range apart {
		apart[i] = bufferOf[float32](t, a, 0, 0, 0, 0)
	}
	for range 8 {
		for _, y := range apart {
			require.NoError(t, s.Launch(t.Context(), k, Threads1D(4), ones, y, float32(1)))
		}
	}
	require.NoError(t, s.Sync(t.Context()))
	for _, y := range apart {
		got, err := y.Data()
		require.NoError(t, err)
		assert.Equal(t, []float32{8, 8, 8, 8}, got)
	}
	stats := s.Stats()
	assert.EqualValues(t, 32, stats.Commands)
	assert.Zero(t, stats.InFlight)
	assert.Less(t, stats.Barriers, uint64(8))
}

func TestPrivate(t *testing.T) {
	a := accelerator(t)
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	y, err := NewBuffer[float32](a, 3, BufferOptions{Intent: DeviceOnly, Label: "y"})
	require.NoError(t, err)
	defer y.Close()
	_, err = y.Data()
	require.ErrorIs(t, err, ErrStorage)
	x := bufferOf[float32](t, a, 1, 2, 3)
	require.NoError(t, y.Upload(t.Context(), []float32{5, 5, 5}))
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(3), x, y, float32(10)))
	got := make([]float32, 3)
	require.NoError(t, y.Download(t.Context(), got))
	assert.Equal(t, []float32{15, 25, 35}, got)
}

func TestEvents(t *testing.T) {
	a := accelerator(t)
	k, first, second := kernels(t, a, saxpy)("saxpy"), newStream(t, a), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	start, err := a.NewEvent(EventOptions{Label: "start", Timing: true})
	require.NoError(t, err)
	defer start.Close()
	end, err := a.NewEvent(EventOptions{Label: "end", Timing: true})
	require.NoError(t, err)
	defer end.Close()
	require.NoError(t, first.Record(t.Context(), start))
	for range 10 {
		require.NoError(t, first.Launch(t.Context(), k, Threads1D(1), x, y, float32(1)))
	}
	require.NoError(t, first.Record(t.Context(), end))
	require.NoError(t, second.WaitFor(t.Context(), end))
	require.NoError(t, second.Launch(t.Context(), k, Threads1D(1), y, y, float32(1)))
	require.NoError(t, second.Sync(t.Context()))
	got, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{20}, got)
	d, _, err := Elapsed(t.Context(), start, end)
	require.NoError(t, err)
	assert.Positive(t, d)
	assert.True(t, end.Reached())
}
