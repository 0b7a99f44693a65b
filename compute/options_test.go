package compute

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOpenErrors(t *testing.T) {
	for name, c := range map[string]struct {
		option Option
		kind   error
		text   string
	}{
		"nil":        {nil, ErrNil, "option 0 is nil"},
		"predicate":  {WithDevice(nil), ErrOption, "nil function"},
		"none fits":  {WithDevice(func(Info) bool { return false }), ErrNoDevice, "no device that fits the given function"},
		"index":      {WithDeviceIndex(-1), ErrOption, "index is -1, want at least 0"},
		"high index": {WithDeviceIndex(99), ErrNoDevice, "no device with index 99"},
		"name":       {WithDeviceName("x"), ErrNoDevice, `no device named "x"`},
		"logger":     {WithLogger(nil), ErrOption, "nil logger"},
		"limit":      {WithMemoryLimit(0), ErrOption, "0 bytes"},
		"validation": {WithValidation(9), ErrOption, "level 9, want at most 1"},
		"streams":    {WithStreams(65), ErrOption, "65, want 1 to 64"},
		"batching":   {WithBatching(Batching{Bytes: -1}), ErrOption, "negative limit"},
		"in flight":  {WithBatching(Batching{InFlight: 33}), ErrOption, "33 command buffers in flight, want at most 32"},
		"idle":       {WithIdleTime(0), ErrOption, "0s, want more than 0"},
		"history":    {WithHistory(5000), ErrOption, "5000 commands, want 0 to 4096"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(c.option)
			require.ErrorIs(t, err, c.kind)
			assert.ErrorContains(t, err, c.text)
		})
	}
}

func TestDevices(t *testing.T) {
	all, err := Devices()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	a := accelerator(t, WithDeviceIndex(0), WithDeviceName(all[0].Name),
		WithDevice(func(i Info) bool { return i.RegistryID == all[0].RegistryID }))
	i := a.Info()
	assert.Contains(t, i.String(), i.Name)
	assert.Positive(t, i.Memory)
	assert.NotEmpty(t, i.Families)
	assert.Equal(t, a.Device().Name(), i.Name)

	var text bytes.Buffer
	hardware, err := Open(RequireHardware(), WithLogger(slog.New(slog.NewTextHandler(&text, nil))))
	if driver, _ := objc.CurrentDriver(); driver == objc.DriverSoftware {
		require.ErrorIs(t, err, ErrSoftware)
		require.ErrorIs(t, err, ErrNoDevice)
		return
	}
	require.NoError(t, err)
	require.NoError(t, hardware.Close(t.Context()))
}

func TestMemoryLimit(t *testing.T) {
	a := accelerator(t, WithMemoryLimit(1<<20))
	b, err := NewBuffer[byte](a, 1<<19, BufferOptions{Label: "first"})
	require.NoError(t, err)
	_, err = NewBuffer[byte](a, 1<<19+1, BufferOptions{Label: "second"})
	require.ErrorIs(t, err, ErrOutOfMemory)
	assert.ErrorContains(t, err, `buffer 2 "second" (524289 bytes): with 524288 bytes already allocated, it would exceed the memory limit of 1048576`)
	assert.EqualValues(t, 1<<19, a.Allocated())
	b.Close()
	assert.Zero(t, a.Allocated())
	a.Trim()
}

// TestValidation: a program that reinterprets memory on purpose may, so long as sizes fit.
func TestValidation(t *testing.T) {
	a := accelerator(t, WithValidation(ValidateShape))
	k := kernels(t, a, saxpy)("saxpy")
	x := bufferOf[int32](t, a, 1)
	_, err := k.Bind(Threads1D(1), x, x, int32(1))
	require.NoError(t, err)
	_, err = k.Bind(Threads1D(1), x, x, int64(1))
	require.ErrorIs(t, err, ErrLayout)
	_, err = k.Bind(Threads1D(1), x, bufferOf[byte](t, a, 1), int32(1))
	require.ErrorIs(t, err, ErrRange)
}

// TestLeaks: what is open at Close is named and released.
func TestLeaks(t *testing.T) {
	objects := objc.LiveObjects()
	var text bytes.Buffer
	a, err := Open(WithLogger(slog.New(slog.NewTextHandler(&text, nil))))
	require.NoError(t, err)
	d, before := a.device, a.device.CurrentAllocatedSize()
	d.Retain()
	b, err := NewBuffer[byte](a, 8, BufferOptions{Label: "forgotten"})
	require.NoError(t, err)
	_, err = a.NewStream(StreamOptions{Label: "left"})
	require.NoError(t, err)
	_, err = a.NewEvent(EventOptions{Label: "lost"})
	require.NoError(t, err)
	_, err = a.Compile(t.Context(), saxpy, CompileOptions{Name: "kept"})
	require.NoError(t, err)
	_, err = a.NextStream() // the accelerator's own
	require.NoError(t, err)
	err = a.Close(t.Context())
	var leak *LeakError
	require.ErrorAs(t, err, &leak)
	want := []string{`buffer 1 "forgotten" (8 bytes)`, `event "lost"`, `program "kept"`, `stream "left"`}
	assert.Equal(t, want, leak.Objects)
	assert.ErrorContains(t, err, "4 objects were open at Close: buffer 1")
	assert.Contains(t, text.String(), "objects were open at Close")
	b.Close()
	require.NoError(t, a.Close(t.Context()), "a second Close does nothing")
	nothingLeft(t, d, before, objects)
}

// TestDropped: a buffer that nobody has any more is closed by the garbage collector, and the log
// says so.
func TestDropped(t *testing.T) {
	logged := make(chan string, 8)
	a := accelerator(t, WithLogger(slog.New(slog.NewTextHandler(writerTo(logged), nil))))
	func() {
		b, err := NewBuffer[byte](a, 8, BufferOptions{Label: "dropped"})
		require.NoError(t, err)
		_, err = b.Slice(1, 2)
		require.NoError(t, err)
	}()
	settle.AtMost(t, "bytes of buffers", 0, collect(a))
	for text := range logged {
		if bytes.Contains([]byte(text), []byte("dropped without Close")) {
			assert.Contains(t, text, "dropped")
			return
		}
	}
}

// writerTo sends what is written to a channel.
type writerTo chan string

func (w writerTo) Write(p []byte) (int, error) {
	w <- string(p)
	return len(p), nil
}

// TestSlice: a part is at least one element, and within.
func TestSlice(t *testing.T) {
	a := accelerator(t)
	b := bufferOf[int32](t, a, 1, 2, 3)
	for _, bad := range [][2]int{{-1, 1}, {0, 0}, {2, 1}, {0, 4}, {3, 4}, {math.MaxInt, 1}, {math.MaxInt, math.MinInt},
		{math.MinInt, 1}} {
		_, err := b.Slice(bad[0], bad[1])
		require.ErrorIs(t, err, ErrRange, "%v", bad)
	}
	part, err := b.Slice(1, 3)
	require.NoError(t, err)
	got, err := part.Data()
	require.NoError(t, err)
	assert.Equal(t, []int32{2, 3}, got)
}

// TestStorage: the mode follows from the intent and from whose memory the device uses, unless the
// program says.
func TestStorage(t *testing.T) {
	memoryless, managed, private, unknown := mtl.StorageModeMemoryless, mtl.StorageModeManaged, mtl.StorageModePrivate,
		mtl.StorageMode(7)
	for _, c := range []struct {
		o       BufferOptions
		unified bool
		want    mtl.StorageMode
		cache   mtl.CPUCacheMode
		err     error
	}{
		{BufferOptions{}, true, mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{}, false, mtl.StorageModeManaged, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{Intent: DeviceOnly}, true, mtl.StorageModePrivate, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{Intent: Intermediate}, false, mtl.StorageModePrivate, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{Intent: Staging}, false, mtl.StorageModeShared, mtl.CPUCacheModeWriteCombined, nil},
		{BufferOptions{Intent: Staging, Storage: &private}, true, mtl.StorageModePrivate, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{Intent: Readback}, false, mtl.StorageModeShared, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{Storage: &managed}, false, mtl.StorageModeManaged, mtl.CPUCacheModeDefaultCache, nil},
		{BufferOptions{Storage: &managed}, true, 0, 0, ErrStorage},
		{BufferOptions{Storage: &memoryless}, true, 0, 0, ErrStorage},
		{BufferOptions{Storage: &unknown}, true, 0, 0, ErrStorage},
		{BufferOptions{Intent: 99}, true, 0, 0, ErrOption},
	} {
		got, err := c.o.resourceOptions(c.unified)
		if c.err != nil {
			require.ErrorIs(t, err, c.err, "%+v", c)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, c.want, got.StorageMode(), "%+v", c)
		assert.Equal(t, c.cache, got.CPUCacheMode(), "%+v", c)
	}
}

// TestNil: nil where something is needed is an error.
func TestNil(t *testing.T) {
	a := accelerator(t)
	s, x := newStream(t, a), bufferOf[int32](t, a, 1)
	ctx := t.Context()
	group, err := a.NewStreamGroup(ctx, 1)
	require.NoError(t, err)
	group.Go(nil)
	_, _, elapsed := Elapsed(ctx, nil, nil)
	_, profile := s.Measure(ctx, 1, nil)
	for i, err := range []error{
		Copy(ctx, s, x, nil), Copy(ctx, s, nil, x), Fill[int32](ctx, s, nil, 0), s.Launch(ctx, nil, Threads1D(1)),
		s.Run(ctx, nil), s.Callback(ctx, nil),
		s.Record(ctx, nil), s.WaitFor(ctx, nil), group.Wait(), elapsed, profile,
	} {
		require.ErrorIs(t, err, ErrNil, i)
	}
}

// TestDelay: commands wait for others, but not for longer than the delay, and not when somebody
// waits for them.
func TestDelay(t *testing.T) {
	a := accelerator(t, WithBatching(Batching{Delay: time.Millisecond}))
	k, s := kernels(t, a, saxpy)("saxpy"), newStream(t, a)
	x, y := bufferOf[float32](t, a, 1), bufferOf[float32](t, a, 0)
	done := make(chan error, 1)
	require.NoError(t, s.Launch(t.Context(), k, Threads1D(1), x, y, float32(3)))
	require.NoError(t, s.Callback(t.Context(), func(err error) { done <- err }))
	require.NoError(t, <-done)
	values, err := y.Data()
	require.NoError(t, err)
	assert.Equal(t, []float32{3}, values, "nobody waited, and the launch has run")

	b := accelerator(t, WithBatching(Batching{Delay: time.Hour}))
	other := newStream(t, b)
	z, err := NewZeroed[float32](t.Context(), b, 1, BufferOptions{Intent: DeviceOnly}) // waits, and so does not
	require.NoError(t, err)
	defer z.Close()
	require.NoError(t, Fill(t.Context(), other, z, 1))
	require.NoError(t, b.Sync(t.Context()))
	values = []float32{0}
	require.NoError(t, z.Download(t.Context(), values))
	assert.Equal(t, []float32{math.Float32frombits(0x01010101)}, values, "the fill did not wait for the delay")
}

// TestPriority: while a stream of higher priority has work, one of lower has a single command
// buffer on the device.
func TestPriority(t *testing.T) {
	a := accelerator(t)
	room := func(p Priority) int {
		s := &Stream{acc: a, priority: p}
		return s.inFlightLimit()
	}
	assert.Equal(t, []int{defaultInFlight, defaultInFlight}, []int{room(LowPriority), room(HighPriority)})
	a.busy[NormalPriority-LowPriority].Add(1)
	assert.Equal(t, []int{1, defaultInFlight, defaultInFlight},
		[]int{room(LowPriority), room(NormalPriority), room(HighPriority)})
	a.busy[NormalPriority-LowPriority].Add(-1)
	_, err := a.NewStream(StreamOptions{Priority: 2})
	require.ErrorIs(t, err, ErrOption)
}

// TestExecutionErrorText reads as one sentence after the other.
func TestExecutionErrorText(t *testing.T) {
	e := &ExecutionError{Stream: "s", Commands: []string{"a", "b"}, Before: []string{"c"}, Kind: ErrTimeout,
		Err: errors.New("why")}
	assert.EqualError(t, e, "compute: stream s: kernel ran too long: why; in progress: a, b; before: c")
	require.ErrorIs(t, e, ErrTimeout)
	require.ErrorIs(t, e, e.Err)
}
