package profile

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/observe"
)

// script calls a recorder's observer with events at times of its own.
type script struct {
	*observe.Observer
	rec   *Recorder
	began time.Time
	now   time.Time
}

func newScript(t *testing.T, o Options) *script {
	t.Helper()
	s := &script{began: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
	s.now = s.began
	var err error
	s.rec, s.Observer, err = newRecorder(o, func() time.Time { return s.now })
	require.NoError(t, err)
	return s
}

// ms is a time of milliseconds after the beginning.
func (s *script) ms(n float64) time.Time { return s.began.Add(time.Duration(n * 1e6)) }

// stop ends the recording after milliseconds.
func (s *script) stop(ms float64) *Profile {
	s.now = s.ms(ms)
	return s.rec.Stop()
}

func (s *script) launch(ctx context.Context, stream, number uint64, kernel string, ms float64) {
	s.Record(observe.RecordEvent{Ctx: ctx, At: s.ms(ms), Stream: observe.StreamID{Number: stream, Label: "s"},
		Number: number, Kind: observe.CommandLaunch, Kernel: kernel, Threads: 10, Bytes: 1000})
}

func bufferID(stream, number, first, last uint64) observe.BufferID {
	return observe.BufferID{Stream: observe.StreamID{Number: stream, Label: "s"}, Number: number, First: first, Last: last,
		Commands: int(last - first + 1)}
}

// run executes a command buffer: commit, start, end and notification in milliseconds. The device's
// clock is 100 s ahead.
func (s *script) run(b observe.BufferID, commit, start, end, notified float64, launches ...observe.LaunchTime) {
	s.Commit(observe.CommitEvent{Buffer: b, At: s.ms(commit)})
	s.Encode(observe.EncodeEvent{Buffer: b, Start: s.ms(commit - 1), Took: 2 * time.Millisecond, Encoders: 1, Barriers: 2})
	s.Complete(observe.CompleteEvent{Buffer: b, At: s.ms(notified), DeviceStart: 100 + start/1e3, DeviceEnd: 100 + end/1e3,
		Launches: launches})
}

const ms = time.Millisecond

// TestClock: the offset lies between what commits and notifications allow.
func TestClock(t *testing.T) {
	s := newScript(t, Options{})
	s.run(bufferID(1, 1, 1, 1), 10, 14, 20, 26) // offset between -4 and 6 ms, less 100 s
	s.run(bufferID(1, 2, 2, 2), 30, 32, 40, 44) // between -2 and 4
	p := s.stop(100)
	assert.InDelta(t, -100+0.001, p.Clock.Offset, 1e-9)
	assert.InDelta(t, 3e6, p.Clock.Error, 10)
	assert.Equal(t, 2, p.Clock.Buffers)
	assert.False(t, p.Clock.Drift)
	assert.InDelta(t, 15*ms, p.Buffers[0].Start, 10)
	assert.InDelta(t, 41*ms, p.Buffers[1].End, 10)

	s = newScript(t, Options{})
	s.run(bufferID(1, 1, 1, 1), 10, 11, 20, 21) // between -1 and 1
	s.run(bufferID(1, 2, 2, 2), 30, 27, 30, 37) // between 3 and 7
	p = s.stop(100)
	assert.True(t, p.Clock.Drift)
	assert.InDelta(t, 1e6, p.Clock.Error, 10)
	assert.Equal(t, Clock{}, newScript(t, Options{}).stop(1).Clock)
}

// near compares durations up to the rounding of the device's seconds.
func near(t *testing.T, want, got time.Duration, what string) {
	t.Helper()
	assert.InDelta(t, want, got, 20, what)
}

// TestKernels: device times by kernel, from command buffers of one command, counters and shares.
func TestKernels(t *testing.T) {
	s := newScript(t, Options{Work: map[string]Work{"a": {Flops: 6e6, Bytes: 3e6}}, Peak: Peak{GFLOPS: 4, GBs: 1},
		LaunchTimes: observe.LaunchTimesByCounter})
	ctx := context.Background()
	s.rec.SetWork("c", Work{Flops: 1e6})
	for i, k := range []string{"a", "a", "a", "b", "c", "c"} {
		s.launch(ctx, 1, uint64(i+1), k, float64(i))
	}
	s.launch(ctx, 1, 7, "never", 9)
	s.run(bufferID(1, 1, 1, 1), 10, 10, 12, 12)
	s.run(bufferID(1, 2, 2, 4), 20, 20, 40, 40, observe.LaunchTime{Number: 2, Start: 100.020, End: 100.021},
		observe.LaunchTime{Number: 3, Start: 100.022, End: 100.025})
	s.run(bufferID(1, 3, 5, 6), 50, 50, 60, 60)
	p := s.stop(100)
	near(t, 0, p.Clock.Error, "error")
	k := p.Kernels()
	require.Len(t, k, 4)
	assert.Equal(t, "b", k[0].Kernel)
	near(t, 16*ms, k[0].Total, "what is left of its command buffer")
	assert.Equal(t, 1, k[0].Estimated)
	assert.Equal(t, "c", k[1].Kernel)
	assert.Equal(t, 2, k[1].Estimated)
	near(t, 5*ms, k[1].P50, "half a command buffer")
	assert.InDelta(t, 2e6/10e6, k[1].GFLOPS, 1e-4)
	a := k[2]
	assert.Equal(t, "a", a.Kernel)
	assert.Equal(t, 3, a.Exact)
	assert.Zero(t, a.Estimated)
	near(t, 6*ms, a.Total, "2 + 1 + 3")
	near(t, 2*ms, a.Mean, "mean")
	near(t, 2*ms, a.P50, "median")
	near(t, 3*ms, a.P99, "p99")
	assert.InDelta(t, 6.0/32, a.Share, 1e-4)
	assert.InDelta(t, 3, a.GFLOPS, 1e-3)
	assert.InDelta(t, 1.5, a.GBs, 1e-3)
	assert.InDelta(t, 1.5, a.OfPeak, 1e-3, "bytes are the larger share, which shows that the peak is wrong")
	assert.Equal(t, KernelSummary{Kernel: "never", Count: 1}, k[3])
	assert.Equal(t, "counters", p.LaunchTimes)

	assert.Equal(t, []int{0, 1, 1, 1, 2, 2, -1}, func() (list []int) {
		for _, c := range p.Commands {
			list = append(list, c.Buffer)
		}
		return list
	}())
}

// TestStreams: occupancy, gaps and waits of streams whose command buffers overlap.
func TestStreams(t *testing.T) {
	s := newScript(t, Options{})
	s.run(bufferID(1, 1, 1, 4), 10, 10, 20, 20)
	s.run(bufferID(1, 2, 5, 5), 12, 15, 25, 27) // overlaps
	s.run(bufferID(1, 3, 6, 6), 30, 30, 40, 40)
	s.run(bufferID(2, 1, 1, 1), 31, 35, 45, 45)
	p := s.stop(100)
	list, busy := p.Streams()
	require.Len(t, list, 2)
	near(t, 30*ms, busy, "10 to 25 and 30 to 45")
	one := list[0]
	assert.Equal(t, "s", one.Label)
	assert.Equal(t, 3, one.Buffers)
	assert.Equal(t, 6, one.Commands)
	assert.Equal(t, 4, one.MostCommands)
	near(t, 25*ms, one.Busy, "busy")
	near(t, 5*ms, one.Idle, "idle")
	assert.InDelta(t, 0.25, one.Occupancy, 1e-4)
	near(t, 6*ms, one.Encode, "encode")
	near(t, 3*ms, one.Queued, "queued")
	near(t, 2*ms, one.Notify, "notify")
}

// TestByOperation: figures go to the operation of the context and to those around it.
func TestByOperation(t *testing.T) {
	s := newScript(t, Options{})
	acc := (*compute.Accelerator)(nil) // which makes contexts, and tells nobody
	start := func(ctx context.Context, name string, ms float64) (context.Context, func(float64)) {
		ctx, _ = acc.Operation(ctx, name)
		id, _ := compute.OperationOf(ctx)
		s.OperationStart(observe.OperationEvent{Ctx: ctx, At: s.ms(ms), ID: id})
		return ctx, func(ms float64) { s.OperationEnd(observe.OperationEvent{Ctx: ctx, At: s.ms(ms), ID: id}) }
	}
	background := context.Background()
	outer, endOuter := start(background, "layer", 0)
	inner, endInner := start(outer, "attention", 10)
	again, endAgain := start(inner, "layer", 12) // recursion
	s.Rent(observe.RentEvent{At: s.ms(13), Bytes: 500, Allocated: 500})
	s.launch(again, 1, 1, "a", 14)
	endAgain(15)
	s.launch(inner, 1, 2, "a", 16)
	s.launch(outer, 1, 3, "b", 17)
	s.launch(background, 1, 4, "b", 18)
	s.Cache(observe.CacheEvent{Kernel: "a", Hit: true})
	s.Cache(observe.CacheEvent{Kernel: "b"})
	s.Compile(observe.CompileEvent{Ctx: inner, Kernel: "b", Start: s.ms(19), Took: 3 * ms})
	s.Transfer(observe.TransferEvent{Ctx: inner, Start: s.ms(20), Took: 2 * ms, Bytes: 4000, Upload: true})
	s.Record(observe.RecordEvent{Ctx: outer, At: s.ms(21), Stream: observe.StreamID{Number: 1}, Number: 5,
		Kind: observe.CommandHostCopy, Bytes: 50})
	s.Transfer(observe.TransferEvent{Start: s.ms(21), Took: ms, Bytes: 50, Stream: observe.StreamID{Number: 1}, Number: 5})
	_, endOther := start(background, "other", 21) // overlaps: what has no context belongs to none
	s.Rent(observe.RentEvent{At: s.ms(22), Bytes: 70, Allocated: 570})
	s.Rent(observe.RentEvent{At: s.ms(22), Bytes: 1 << 40, Allocated: 570, Err: errors.New("too much")})
	s.Return(observe.ReturnEvent{At: s.ms(22), Bytes: 500, Allocated: 70})
	endInner(30)
	endOther(31)
	for i := range uint64(4) {
		at := float64(40 + 10*i)
		s.run(bufferID(1, i+1, i+1, i+1), at, at, at+float64(i+1), at+float64(i+1))
	}
	p := s.stop(100) // "layer" is open
	endOuter(101)
	byName := map[string]OperationSummary{}
	for _, o := range p.ByOperation() {
		byName[o.Name] = o
	}
	layer, attention, outside := byName["layer"], byName["attention"], byName[Outside]
	assert.Equal(t, 2, layer.Runs)
	assert.Equal(t, 100*ms, layer.Host, "the inner run is part of the outer one")
	assert.Equal(t, 20*ms, attention.Host)
	near(t, 6*ms, layer.Inclusive.Device, "1 + 2 + 3")
	near(t, 4*ms, layer.Self.Device, "1 + 3")
	near(t, 3*ms, attention.Inclusive.Device, "1 + 2")
	near(t, 2*ms, attention.Self.Device, "own")
	near(t, 4*ms, outside.Self.Device, "outside")
	assert.Equal(t, 3, layer.Inclusive.Launches)
	assert.Equal(t, 4, layer.Inclusive.Commands)
	assert.EqualValues(t, 4050, layer.Inclusive.MovedBytes)
	assert.EqualValues(t, 50, layer.Self.MovedBytes)
	assert.Equal(t, 3*ms, layer.Inclusive.MoveTime)
	assert.EqualValues(t, 1, layer.Self.Allocations)
	assert.EqualValues(t, 500, attention.Inclusive.AllocBytes)
	assert.EqualValues(t, 70, outside.Self.AllocBytes)
	assert.Equal(t, 1, attention.Self.CacheHits)
	assert.Equal(t, 1, layer.Inclusive.CacheMisses)
	assert.Equal(t, 3*ms, attention.Self.CompileTime)
	assert.EqualValues(t, 570, p.MostMemory())
	assert.True(t, p.Operations[0].Open)

	var b strings.Builder
	require.NoError(t, p.WriteText(&b))
	for _, want := range []string{"kernel", "attention", "(outside)", "1 of 2", "upload", "s (1)"} {
		assert.Contains(t, b.String(), want)
	}
	b.Reset()
	require.NoError(t, p.WriteJSON(&b))
	var back struct {
		Profile
		KernelSummary []KernelSummary
	}
	require.NoError(t, json.Unmarshal([]byte(b.String()), &back))
	assert.Equal(t, p.Kernels(), back.KernelSummary)
	assert.Equal(t, p.Kernels(), back.Profile.Kernels(), "the events have all that the summary needs")
}

// TestLimit: what does not fit is counted, and what was recorded still gets its device time.
func TestLimit(t *testing.T) {
	s := newScript(t, Options{Limit: 2})
	ctx := context.Background()
	s.launch(ctx, 1, 1, "a", 1)
	s.Commit(observe.CommitEvent{Buffer: bufferID(1, 1, 1, 2), At: s.ms(2)})
	s.launch(ctx, 1, 2, "a", 3)
	s.run(bufferID(1, 1, 1, 2), 2, 2, 4, 4)
	s.run(bufferID(1, 2, 3, 3), 5, 5, 6, 6)
	p := s.stop(10)
	assert.Len(t, p.Commands, 1)
	assert.Len(t, p.Buffers, 1)
	assert.EqualValues(t, 3, p.Dropped, "a command, and a buffer at its commit and at its encoding")
	assert.True(t, p.Buffers[0].Timed)
	var b strings.Builder
	require.NoError(t, p.WriteText(&b))
	assert.Contains(t, b.String(), "3 events were dropped")
	s.launch(ctx, 1, 9, "late", 20)
	s.rec.SetWork("late", Work{Flops: 1})
	assert.Empty(t, s.rec.Stop().Work, "after the end")
	assert.Len(t, s.rec.Stop().Commands, 1, "after the end")
}

// TestSplit: a recorder that asked for counters says if the device has split instead.
func TestSplit(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		want     string
		last     uint64 // command of the command buffer
		launches []observe.LaunchTime
	}{
		{"split", 1, nil}, {"counters", 1, []observe.LaunchTime{{Number: 1, Start: 100.002, End: 100.003}}},
		{"counters", 2, nil},
	} {
		s := newScript(t, Options{LaunchTimes: observe.LaunchTimesByCounter})
		s.launch(ctx, 1, 1, "a", 1)
		s.launch(ctx, 1, 2, "a", 1)
		s.run(bufferID(1, 1, 1, c.last), 2, 2, 4, 4, c.launches...)
		assert.Equal(t, c.want, s.stop(10).LaunchTimes)
	}
	s := newScript(t, Options{LaunchTimes: observe.LaunchTimesByCounter})
	assert.Equal(t, "counters", s.stop(1).LaunchTimes, "nothing ran")
}

func TestOptions(t *testing.T) {
	_, err := Start(nil, Options{})
	require.ErrorIs(t, err, compute.ErrNil)
	_, _, err = WithProfile(Options{Limit: -1})
	require.ErrorIs(t, err, compute.ErrOption)
	require.ErrorContains(t, err, "-1")
}

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0s", 999: "999ns", 12345678: "12.35ms", 123456789012: "2m3.5s",
		1234567: "1.235ms", -12345678: "-12.35ms"} {
		assert.Equal(t, want, short(d))
	}
	assert.Equal(t, "512 B", bytes(512))
	assert.Equal(t, "1.5 KiB", bytes(1536))
}
