package resilience

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/fallback"
	"github.com/puremetal/puremetal/compute/observe"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

// failing makes every n-th command buffer fail.
func failing(n int, code mtl.CommandBufferError) softmetal.Faults {
	return softmetal.Faults{CommandEvery: n, CommandCode: int(code)}
}

func bufferOf(t testing.TB, m *Manager, hostCopy bool, data ...uint32) *compute.Buffer[uint32] {
	t.Helper()
	o := compute.BufferOptions{HostCopy: hostCopy}
	o.Label = fmt.Sprint(t.Name(), " ", hostCopy)
	b, err := compute.NewBuffer[uint32](m.Accelerator(), len(data), o)
	require.NoError(t, err)
	require.NoError(t, b.Upload(t.Context(), data))
	return b
}

func dataOf(t testing.TB, b *compute.Buffer[uint32]) []uint32 {
	t.Helper()
	data := make([]uint32, b.Len())
	require.NoError(t, b.Download(t.Context(), data))
	return data
}

// TestNotRepeatable: a batch is repeated only if nothing can be applied twice.
func TestNotRepeatable(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0)})
	s, add, twice := streamOf(t, m), kernelOf(t, m, "add"), kernelOf(t, m, "twice")
	ctx, grid := t.Context(), compute.Threads1D(4)
	plain, kept := bufferOf(t, m, false, 1, 2, 3, 4), bufferOf(t, m, true, 1, 2, 3, 4)

	f.inject(failing(1, mtl.CommandBufferErrorInternal))
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(1)))
	require.ErrorIs(t, s.Sync(ctx), ErrNotRepeatable)
	require.NoError(t, s.Launch(ctx, twice, grid, plain, kept, compute.Overwrites(plain)))
	require.NoError(t, s.Launch(ctx, add, grid, kept, uint32(1), compute.Overwrites(kept)))
	require.ErrorIs(t, s.Sync(ctx), ErrExhausted, "kept has a host copy, and plain is only written")
	require.Equal(t, []uint32{1, 2, 3, 4}, dataOf(t, kept), "the batch had no effect")

	f.inject(failing(2, mtl.CommandBufferErrorInternal)) // the first one succeeds
	require.NoError(t, s.Launch(ctx, twice, grid, plain, kept, compute.Overwrites(plain)))
	require.NoError(t, s.Sync(ctx))
	require.NoError(t, s.Launch(ctx, twice, grid, plain, kept, compute.Overwrites(plain)))
	require.NoError(t, s.Sync(ctx), "the second attempt")
	f.inject(softmetal.Faults{})
	require.Equal(t, []uint32{2, 4, 6, 8}, dataOf(t, plain))
}

// TestLost: buffers without a host copy report their loss by name, others survive.
func TestLost(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0)})
	s, add, ctx, grid := streamOf(t, m), kernelOf(t, m, "add"), t.Context(), compute.Threads1D(4)
	plain, kept := bufferOf(t, m, false, 1, 2, 3, 4), bufferOf(t, m, true, 5, 6, 7, 8)
	f.inject(softmetal.Faults{RemoveAfter: 1})
	for range 3 {
		require.NoError(t, s.Launch(ctx, add, grid, kept, uint32(10)))
		require.NoError(t, s.Sync(ctx))
	}
	require.Equal(t, []uint32{35, 66, 97, 128}, dataOf(t, kept), "programs, kernels, streams and the buffer survive")
	require.EqualValues(t, 2, f.opened.Load())
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(10)))
	err := s.Sync(ctx)
	require.ErrorIs(t, err, ErrLost)
	require.ErrorContains(t, err, plain.Label())
	require.ErrorIs(t, plain.Download(ctx, make([]uint32, 4)), ErrLost)
	r := m.Report()
	require.Len(t, r.Lost, 1)
	assert.Contains(t, r.Lost[0], plain.Label())
	assert.Equal(t, Degraded, r.Health)
	assert.EqualValues(t, 1, r.Resets)
	part, err := plain.Slice(0, 2)
	require.NoError(t, err)
	require.NoError(t, part.Upload(ctx, []uint32{1, 2}))
	require.NoError(t, part.Download(ctx, make([]uint32, 2)))
	require.ErrorIs(t, plain.Download(ctx, make([]uint32, 4)), ErrLost, "the rest is lost")
	require.NoError(t, plain.Upload(ctx, []uint32{1, 2, 3, 4}), "as if it were new")
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(10)))
	require.NoError(t, s.Sync(ctx))
	require.Equal(t, []uint32{11, 22, 33, 44}, dataOf(t, plain))

	f.inject(softmetal.Faults{RemoveAfter: 1})
	for range 2 {
		require.NoError(t, s.Launch(ctx, add, grid, kept, uint32(10)))
		require.NoError(t, s.Sync(ctx))
	}
	part, err = plain.Slice(0, 2)
	require.NoError(t, err)
	require.NoError(t, compute.Fill(ctx, s, part, 1))
	require.NoError(t, s.Sync(ctx))
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(1)))
	require.ErrorIs(t, s.Sync(ctx), ErrLost, "the rest is lost")
	require.NoError(t, compute.Fill(ctx, s, plain, 0))
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(1)))
	require.NoError(t, s.Sync(ctx), "all of it is written before it is read")
	require.Equal(t, []uint32{1, 2, 3, 4}, dataOf(t, plain))
}

// TestTimeoutInParts: a launch that is stopped for running too long runs in parts.
func TestTimeoutInParts(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0, compute.WithWorkBudget(40<<20))})
	s, k, ctx := streamOf(t, m), kernelOf(t, m, "long_one"), t.Context()
	x := bufferOf(t, m, true, make([]uint32, 1<<14)...)
	require.NoError(t, s.Launch(ctx, k, compute.Threads1D(1<<14), x))
	require.NoError(t, s.Sync(ctx))
	want := make([]uint32, 1<<14)
	for i := range want {
		v := uint32(i)
		for range 2000 {
			v = v*1664525 + 1013904223
		}
		want[i] = v
	}
	require.Equal(t, want, dataOf(t, x))
	require.Positive(t, m.Report().InParts)
}

// TestMemoryLadder: memory is trimmed, then the batch is divided, then refused with figures.
func TestMemoryLadder(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0), Attempts: 10, Trip: 1000})
	s, add, ctx, grid := streamOf(t, m), kernelOf(t, m, "add"), t.Context(), compute.Threads1D(4)
	x := bufferOf(t, m, true, 1, 2, 3, 4)
	for n := 3; n <= 4; n++ {
		f.inject(failing(1, mtl.CommandBufferErrorOutOfMemory))
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		err := s.Sync(ctx)
		require.ErrorIs(t, err, compute.ErrOutOfMemory)
		require.ErrorContains(t, err, "refused a batch of 1 commands: ")
	}
	r := m.Report()
	assert.EqualValues(t, 2, r.Refused)
	assert.EqualValues(t, 2, r.Divided)
	assert.Positive(t, r.Trims)
	f.inject(softmetal.Faults{})
	require.Equal(t, []uint32{1, 2, 3, 4}, dataOf(t, x))
}

// TestBreaker: a circuit breaker opens after failures in a row and refuses work; after its cooldown
// it lets a probe through, and closes when that succeeds.
func TestBreaker(t *testing.T) {
	f := newFaulty(t, 0)
	var kinds []observe.Recovery
	observer := &observe.Observer{Recover: func(e observe.RecoverEvent) {
		if e.Kind == observe.RecoveryOpen || e.Kind == observe.RecoveryProbe || e.Kind == observe.RecoveryClose {
			kinds = append(kinds, e.Kind)
		}
	}}
	attempted := func() softmetal.Attempts {
		n, err := softmetal.Attempted(softmetal.Opened(), idOf(f))
		require.NoError(t, err)
		return n
	}
	// opened returns a manager whose breaker has just opened, with one buffer and a launch on it.
	opened := func(cooldown time.Duration) (*Manager, *compute.Buffer[uint32], func() error) {
		m := manager(t, Options{Open: f.opener(0, compute.WithObserver(observer)), Attempts: 3, Trip: 6,
			Cooldown: cooldown})
		x, run := adding(t, m)
		f.inject(failing(1, mtl.CommandBufferErrorInternal))
		require.ErrorIs(t, run(), ErrExhausted)
		require.ErrorIs(t, run(), ErrExhausted)
		return m, x, run
	}
	m, _, run := opened(time.Hour)
	begun := attempted()
	for range 5 {
		require.ErrorIs(t, run(), ErrOpen)
	}
	require.Equal(t, begun, attempted(), "nothing reaches the device")
	r := m.Report()
	require.Equal(t, Failing, r.Health, "there is no fallback")
	require.Contains(t, strings.Join(r.Reasons, "\n"), "circuit breaker of the device is open")

	kinds = nil
	f.inject(softmetal.Faults{})
	m, x, run := opened(time.Nanosecond)
	require.ErrorIs(t, run(), ErrOpen, "the probe fails")
	f.inject(softmetal.Faults{})
	require.NoError(t, run())
	require.Equal(t, []uint32{2, 4, 6, 8}, dataOf(t, x))
	require.Equal(t, Healthy, m.Report().Health)
	assert.Contains(t, kinds, observe.RecoveryOpen)
	assert.Contains(t, kinds, observe.RecoveryProbe)
	assert.Equal(t, observe.RecoveryClose, kinds[len(kinds)-1])
}

// TestFallback: work that the device keeps failing moves to the fallback device, and comes back.
func TestFallback(t *testing.T) {
	f, spare := newFaulty(t, 0), newFaulty(t, 1)
	m := manager(t, Options{Open: f.opener(0), Fallback: spare.opener(1), Attempts: 2})
	s, add, ctx, grid := streamOf(t, m), kernelOf(t, m, "add"), t.Context(), compute.Threads1D(4)
	x, plain := bufferOf(t, m, true, 1, 2, 3, 4), bufferOf(t, m, false, 1, 2, 3, 4)
	run := func(x *compute.Buffer[uint32]) error {
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		return s.Sync(ctx)
	}
	require.NoError(t, run(x))
	f.inject(failing(1, mtl.CommandBufferErrorInternal))
	require.NoError(t, run(x), "on the fallback device")
	require.ErrorIs(t, run(plain), ErrNotRepeatable)
	f.inject(softmetal.Faults{})
	require.NoError(t, run(x), "on the device, with what the fallback device has written")
	require.Equal(t, []uint32{4, 8, 12, 16}, dataOf(t, x))
	r := m.Report()
	require.EqualValues(t, 1, r.Fallbacks)
	require.Equal(t, "PureMetal Software GPU 1", r.Fallback)
	require.Contains(t, r.String(), "1 moved to the fallback device")
}

// TestCPU: batches that the device keeps failing are executed on the CPU, launches and copies.
func TestCPU(t *testing.T) {
	f := newFaulty(t, 0)
	cpu, err := fallback.New(fallback.Options{})
	require.NoError(t, err)
	m := manager(t, Options{Open: f.opener(0, compute.WithFallback(cpu)), CPU: true, Attempts: 2})
	s, add, ctx, grid := streamOf(t, m), kernelOf(t, m, "add"), t.Context(), compute.Threads1D(4)
	x, y := bufferOf(t, m, true, 1, 2, 3, 4), bufferOf(t, m, true, 0, 0, 0, 0)
	z, plain := bufferOf(t, m, true, 0, 0), bufferOf(t, m, false, 1, 2, 3, 4)
	f.inject(failing(1, mtl.CommandBufferErrorInternal))
	for range 3 {
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		require.NoError(t, compute.Fill(ctx, s, y, 0xff))
		require.NoError(t, compute.Copy(ctx, s, y, x))
		require.NoError(t, s.Launch(ctx, add, grid, y, uint32(10)))
		require.NoError(t, compute.Fill(ctx, s, z, 0x20))
		require.NoError(t, s.Sync(ctx))
	}
	require.Equal(t, []uint32{4, 8, 12, 16}, dataOf(t, x))
	require.Equal(t, []uint32{14, 28, 42, 56}, dataOf(t, y))
	require.Equal(t, []uint32{0x20202020, 0x20202020}, dataOf(t, z))
	require.EqualValues(t, 3, m.Report().OnCPU)
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(1)))
	require.ErrorIs(t, s.Sync(ctx), ErrNotRepeatable)
	f.inject(softmetal.Faults{})
	require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
	require.NoError(t, s.Sync(ctx), "on the device, with what the CPU has written")
	require.Equal(t, []uint32{5, 10, 15, 20}, dataOf(t, x))
	require.EqualValues(t, 3, m.Report().OnCPU)
}

// TestCanceledBatch: a batch whose context ends has no effect.
func TestCanceledBatch(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0, compute.WithTimeout(2*time.Second))})
	add, spin := kernelOf(t, m, "add"), kernelOf(t, m, "spin")
	x := bufferOf(t, m, true, make([]uint32, 8)...)
	ctx, cancel := context.WithCancel(t.Context())
	s, err := m.Accelerator().NewStream(compute.StreamOptions{Context: ctx})
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, add, compute.Threads1D(8), x, uint32(1)))
	require.NoError(t, s.Launch(ctx, spin, compute.Threads1D(4), x))
	time.AfterFunc(20*time.Millisecond, cancel)
	require.ErrorIs(t, s.Sync(t.Context()), compute.ErrCanceled)
	s = streamOf(t, m)
	require.NoError(t, s.Launch(t.Context(), add, compute.Threads1D(8), x, uint32(1)))
	require.NoError(t, s.Sync(t.Context()))
	require.Equal(t, []uint32{1, 2, 3, 4, 5, 6, 7, 8}, dataOf(t, x))
}

// TestWedged: a device that does not end a batch is replaced.
func TestWedged(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0, compute.WithTimeout(time.Second)), Attempts: 2,
		Wedged: 50 * time.Millisecond})
	s, add, spin := streamOf(t, m), kernelOf(t, m, "add"), kernelOf(t, m, "spin")
	x := bufferOf(t, m, true, make([]uint32, 8)...)
	require.NoError(t, s.Launch(t.Context(), spin, compute.Threads1D(4), x))
	err := s.Sync(t.Context())
	require.ErrorIs(t, err, ErrExhausted)
	require.ErrorIs(t, err, compute.ErrDeviceLost)
	require.Positive(t, m.Report().Resets)
	m.o.Wedged = time.Hour // on a busy machine this batch may take longer
	require.NoError(t, s.Launch(t.Context(), add, compute.Threads1D(8), x, uint32(1)))
	require.NoError(t, s.Sync(t.Context()))
	require.Equal(t, []uint32{1, 2, 3, 4, 5, 6, 7, 8}, dataOf(t, x))
}

// adding returns a buffer, and a function that adds 1 to its elements and waits for that.
func adding(t *testing.T, m *Manager) (*compute.Buffer[uint32], func() error) {
	s, add, ctx, grid := streamOf(t, m), kernelOf(t, m, "add"), t.Context(), compute.Threads1D(4)
	x := bufferOf(t, m, true, 1, 2, 3, 4)
	return x, func() error {
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		return s.Sync(ctx)
	}
}

// TestBudget: a stream's retries end with its budget, and successes earn new ones.
func TestBudget(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0), Attempts: 100, Budget: 5, Trip: 1000})
	_, run := adding(t, m)
	f.inject(failing(1, mtl.CommandBufferErrorInternal))
	require.ErrorIs(t, run(), ErrExhausted)
	require.EqualValues(t, 5, m.Report().Retries)
	require.ErrorIs(t, run(), ErrExhausted)
	require.EqualValues(t, 5, m.Report().Retries)
	f.inject(softmetal.Faults{})
	for range 21 {
		require.NoError(t, run())
	}
	f.inject(failing(1, mtl.CommandBufferErrorInternal))
	require.ErrorIs(t, run(), ErrExhausted)
	require.EqualValues(t, 7, m.Report().Retries)
	f.inject(softmetal.Faults{})
}

// TestGovernor: heat lowers the number of batches at once at once, and it rises only after a while.
func TestGovernor(t *testing.T) {
	now, state := time.Unix(0, 0), objc.ProcessInfo{}
	var events []observe.Recovery
	observer := &observe.Observer{Recover: func(e observe.RecoverEvent) { events = append(events, e.Kind) }}
	m := manager(t, Options{Concurrent: 8, Poll: time.Second, Calm: 10 * time.Second,
		Now:     func() time.Time { return now },
		Machine: func() (objc.ProcessInfo, error) { return state, nil },
		Open: func(context.Context) (*compute.Accelerator, error) {
			return compute.Open(compute.WithLogger(quiet), compute.WithObserver(observer))
		}})
	limit := func(after time.Duration) int {
		now = now.Add(after)
		require.NoError(t, m.governor.enter(t.Context(), m))
		m.governor.leave()
		return m.Report().Concurrent
	}
	require.Equal(t, 8, limit(0))
	state.Thermal = objc.ThermalSerious
	require.Equal(t, 8, limit(500*time.Millisecond), "not asked yet")
	require.Equal(t, 4, limit(time.Second))
	state.Thermal = objc.ThermalCritical
	require.Equal(t, 1, limit(time.Second))
	require.Equal(t, Degraded, m.Report().Health)
	state.Thermal = objc.ThermalNominal
	require.Equal(t, 1, limit(time.Second))
	require.Equal(t, 1, limit(9*time.Second))
	state.Thermal = objc.ThermalCritical
	require.Equal(t, 1, limit(time.Second))
	state = objc.ProcessInfo{LowPower: true}
	require.Equal(t, 1, limit(5*time.Second), "calm begins anew")
	require.Equal(t, 4, limit(10*time.Second))
	state = objc.ProcessInfo{}
	require.Equal(t, 4, limit(time.Second))
	require.Equal(t, 8, limit(10*time.Second))
	require.Equal(t, []observe.Recovery{observe.RecoveryThrottle, observe.RecoveryThrottle, observe.RecoveryRestore,
		observe.RecoveryRestore}, events)

	state.Thermal = objc.ThermalCritical // one at once: the second waits for its turn, or gives up
	now = now.Add(time.Second)
	require.NoError(t, m.governor.enter(t.Context(), m))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, m.governor.enter(ctx, m), compute.ErrCanceled)
	entered := make(chan error)
	go func() { entered <- m.governor.enter(context.Background(), m) }()
	m.governor.leave()
	require.NoError(t, <-entered)
	m.governor.leave()
}

// TestMisuse: invalid use is an error that names the value and the limit.
func TestMisuse(t *testing.T) {
	_, err := New(t.Context(), Options{Batch: -1})
	require.ErrorIs(t, err, compute.ErrOption)
	broken := errors.New("no device today")
	_, err = New(t.Context(), Options{Open: func(context.Context) (*compute.Accelerator, error) { return nil, broken }})
	require.ErrorIs(t, err, broken)
	m := manager(t, Options{HostCopies: 100, Open: func(context.Context) (*compute.Accelerator, error) {
		return compute.Open(compute.WithLogger(quiet))
	}})
	other := manager(t, Options{Open: m.o.Open})
	ctx, s, add := t.Context(), streamOf(t, m), kernelOf(t, m, "add")
	_, err = compute.NewBuffer[uint32](m.Accelerator(), 0, compute.BufferOptions{})
	require.ErrorIs(t, err, compute.ErrRange)
	_, err = compute.NewBuffer[uint32](m.Accelerator(), 13, compute.BufferOptions{HostCopy: true})
	require.ErrorIs(t, err, ErrHostCopies)
	require.ErrorContains(t, err, "takes 104 bytes, with 0 in use of 100")
	x, foreign := bufferOf(t, m, true, 1, 2, 3, 4), bufferOf(t, other, false, 1)
	require.ErrorIs(t, s.Launch(ctx, add, compute.Threads1D(1), foreign, uint32(1)), compute.ErrAccelerator)
	require.ErrorIs(t, s.Launch(ctx, add, compute.Threads1D(4), x), compute.ErrInvalidLaunch)
	_, err = x.Slice(3, 5)
	require.ErrorIs(t, err, compute.ErrRange)
	part, err := x.Slice(1, 3)
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, add, compute.Threads1D(2), part, uint32(1)))
	require.NoError(t, s.Sync(ctx))
	require.Equal(t, []uint32{1, 3, 5, 4}, dataOf(t, x))
	require.Equal(t, []uint32{3, 5}, dataOf(t, part))
	x.Close()
	x.Close()
	require.ErrorIs(t, s.Launch(ctx, add, compute.Threads1D(2), part, uint32(1)), compute.ErrClosed)
	require.NoError(t, s.Close(ctx))
	require.ErrorIs(t, s.Launch(ctx, add, compute.Threads1D(2), part, uint32(1)), compute.ErrClosed)
	require.NoError(t, m.Probe(ctx))
	require.NoError(t, m.Close(ctx))
	require.NoError(t, m.Close(ctx))
	_, err = m.Accelerator().Compile(ctx, source, compute.CompileOptions{})
	require.ErrorIs(t, err, compute.ErrClosed)
}

// TestDo: calls run concurrently on streams of their own, which are used again.
func TestDo(t *testing.T) {
	f := newFaulty(t, 0)
	m := manager(t, Options{Open: f.opener(0), Concurrent: 2})
	add := kernelOf(t, m, "add")
	var buffers []*compute.Buffer[uint32]
	for range 20 {
		buffers = append(buffers, bufferOf(t, m, true, 1, 2, 3, 4))
	}
	for _, p := range []compute.Priority{compute.LowPriority, compute.HighPriority} {
		var g sync.WaitGroup
		for _, x := range buffers {
			g.Go(func() {
				assert.NoError(t, m.Do(t.Context(), p, func(ctx context.Context, s *compute.Stream) error {
					assert.Equal(t, "work", s.Label())
					return s.Launch(ctx, add, compute.Threads1D(4), x, uint32(1))
				}))
			})
		}
		g.Wait()
	}
	for _, x := range buffers {
		require.Equal(t, []uint32{3, 6, 9, 12}, dataOf(t, x))
	}
	broken := errors.New("broken")
	fails := func(context.Context, *compute.Stream) error { return broken }
	require.ErrorIs(t, m.Do(t.Context(), compute.LowPriority, fails), broken)
	made := len(m.idle[compute.LowPriority])
	require.NoError(t, m.Do(t.Context(), compute.LowPriority, func(context.Context, *compute.Stream) error { return nil }))
	require.Len(t, m.idle[compute.LowPriority], made)
}

// TestPersist: compilations survive a lost device, and one that is not there for a while.
func TestPersist(t *testing.T) {
	f := newFaulty(t, 0)
	missing := 0
	open := f.opener(0)
	m := manager(t, Options{Open: func(ctx context.Context) (*compute.Accelerator, error) {
		if missing > 0 {
			missing--
			return nil, compute.ErrNoDevice
		}
		return open(ctx)
	}})
	x := bufferOf(t, m, true, 1, 2, 3, 4)
	s, add := streamOf(t, m), kernelOf(t, m, "add")
	f.inject(softmetal.Faults{RemoveAfter: 1})
	missing = 3
	for range 2 {
		require.NoError(t, s.Launch(t.Context(), add, compute.Threads1D(4), x, uint32(1)))
		require.NoError(t, s.Sync(t.Context()))
	}
	require.Equal(t, []uint32{3, 6, 9, 12}, dataOf(t, x))
	require.Zero(t, missing)
	missing = 100
	f.inject(softmetal.Faults{RemoveAfter: 1})
	for range 2 {
		_ = s.Launch(t.Context(), add, compute.Threads1D(4), x, uint32(1))
		_ = s.Sync(t.Context())
	}
	_, err := m.Accelerator().Compile(t.Context(), source, compute.CompileOptions{})
	require.ErrorIs(t, err, ErrExhausted)
	require.ErrorIs(t, err, compute.ErrNoDevice)
	missing = 2
	_, err = m.Accelerator().Compile(t.Context(), source, compute.CompileOptions{})
	require.NoError(t, err)
}

// TestBackoffEnds: when the back-off has no more delays, there are no more attempts.
func TestBackoffEnds(t *testing.T) {
	f := newFaulty(t, 0)
	missing, open := false, f.opener(0)
	m := manager(t, Options{Backoff: func() backoff.BackOff { return &backoff.StopBackOff{} },
		Open: func(ctx context.Context) (*compute.Accelerator, error) {
			if missing {
				return nil, compute.ErrNoDevice
			}
			return open(ctx)
		}})
	x := bufferOf(t, m, true, 1, 2, 3, 4)
	s, add := streamOf(t, m), kernelOf(t, m, "add")
	missing = true
	var err error
	f.inject(softmetal.Faults{RemoveAfter: 1})
	for range 2 { // the device is removed after the first
		require.NoError(t, s.Launch(t.Context(), add, compute.Threads1D(4), x, uint32(1)))
		err = s.Sync(t.Context())
	}
	require.ErrorIs(t, err, ErrExhausted)
	_, err = m.Accelerator().Compile(t.Context(), source, compute.CompileOptions{})
	require.ErrorIs(t, err, ErrExhausted)
	require.ErrorContains(t, err, "the back-off ended")
	require.ErrorIs(t, err, compute.ErrNoDevice)
	require.Zero(t, m.Report().Retries)
	missing = false
	_, err = m.Accelerator().Compile(t.Context(), source, compute.CompileOptions{})
	require.NoError(t, err)
}

// inStandin is set for processes that TestStandinFaults starts.
const inStandin = "PUREMETAL_TEST_RESILIENCE"

// TestStandinFaults runs the random commands on the stand-ins for Apple's frameworks, with the
// failures that they make.
func TestStandinFaults(t *testing.T) {
	if !standin.Running() {
		t.Skip("only with the stand-ins for Apple's frameworks")
	}
	if os.Getenv(inStandin) != "" {
		m, err := New(t.Context(), Options{Batch: 4, Logger: quiet, Attempts: 20, Trip: 1000,
			Sleep: func(context.Context, time.Duration) error { return nil }})
		require.NoError(t, err)
		a := newActor(t, m, 5)
		for range 400 {
			_ = a.step(t.Context())
		}
		a.compare(t)
		r := m.Report()
		t.Log(a.done, a.failed, r)
		require.Zero(t, a.failed)
		require.Positive(t, r.Retries)
		require.NoError(t, m.Close(t.Context()))
		return
	}
	// A batch must fit between two failures: with a command buffer for each command and copy, and for
	// each part of a launch after a timeout.
	for _, fault := range []string{"VMAC_FAIL_COMMAND=23:1", "VMAC_FAIL_COMMAND=29:2", "VMAC_FAIL_COMMAND=19:8",
		"VMAC_FAIL_COMMAND=31:11"} {
		c := exec.Command(os.Args[0], "-test.run=^TestStandinFaults$", "-test.v")
		c.Env = append(os.Environ(), inStandin+"=1", fault)
		out, err := c.CombinedOutput()
		assert.NoError(t, err, "%s:\n%s", fault, out)
	}
}
