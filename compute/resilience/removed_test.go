package resilience

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/compute/fallback"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/mtl"
)

// errUnplugged is the error of an opener whose device is not there.
var errUnplugged = errors.New("no device")

// removable is a manager with the CPU, whose only device a test removes and brings back.
type removable struct {
	*Manager
	f         *faulty
	unplugged atomic.Bool
	tries     atomic.Int64
	mu        sync.Mutex
	now       time.Time
}

func newRemovable(t *testing.T, o Options) *removable {
	t.Helper()
	r := &removable{f: newFaulty(t, 0), now: time.Unix(1e9, 0)}
	cpu, err := fallback.New(fallback.Options{})
	require.NoError(t, err)
	open := r.f.opener(0, compute.WithFallback(cpu))
	o.CPU = true
	o.Now = func() time.Time {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.now
	}
	o.Open = func(ctx context.Context) (*compute.Accelerator, error) {
		r.tries.Add(1)
		if r.unplugged.Load() {
			return nil, errUnplugged
		}
		return open(ctx)
	}
	r.Manager = manager(t, o)
	return r
}

// unplug removes the device after some more command buffers.
func (r *removable) unplug(after int) {
	r.unplugged.Store(true)
	r.f.inject(softmetal.Faults{RemoveAfter: after})
}

// wait lets an open circuit breaker's time pass on the manager's clock.
func (r *removable) wait() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(r.o.Cooldown)
}

// TestRemovedCPU: after the removal of the only device, all work runs on the CPU: with programs and
// buffers from before and from after it, in batches of one and of many commands, whatever the
// memory. When the device is back, it goes on with what the CPU has made.
func TestRemovedCPU(t *testing.T) {
	ctx, grid := t.Context(), compute.Threads1D(4)
	r := newRemovable(t, Options{Batch: 8})
	s, add, twice := streamOf(t, r.Manager), kernelOf(t, r.Manager, "add"), kernelOf(t, r.Manager, "twice")
	x, y := bufferOf(t, r.Manager, true, 0, 0, 0, 0), bufferOf(t, r.Manager, true, 0, 0, 0, 0)
	private, err := compute.NewZeroed[uint32](ctx, r.Accelerator(), 4, compute.BufferOptions{HostCopy: true,
		Intent: compute.DeviceOnly})
	require.NoError(t, err)
	plain := bufferOf(t, r.Manager, false, 1, 2, 3, 4)
	require.NoError(t, s.Launch(ctx, add, grid, private, uint32(1)))
	require.NoError(t, s.Sync(ctx))

	r.unplug(7)
	for range 60 {
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		require.NoError(t, s.Sync(ctx))
	}
	require.Equal(t, []uint32{60, 120, 180, 240}, dataOf(t, x))
	for range 20 { // several in a batch, and batches that end by themselves
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		require.NoError(t, compute.Copy(ctx, s, y, x))
	}
	require.NoError(t, s.Launch(ctx, twice, grid, y, x, compute.Overwrites(y)))
	require.NoError(t, s.Launch(ctx, add, grid, private, uint32(1)))
	require.NoError(t, s.Sync(ctx))
	require.Equal(t, []uint32{80, 160, 240, 320}, dataOf(t, x))
	require.Equal(t, []uint32{160, 320, 480, 640}, dataOf(t, y))
	require.Equal(t, []uint32{2, 4, 6, 8}, dataOf(t, private))

	report := r.Report()
	require.Equal(t, Degraded, report.Health, report.Reasons)
	require.Contains(t, strings.Join(report.Reasons, "\n"), "the device is gone; work goes to the CPU")
	require.EqualValues(t, 1, report.Resets)
	require.Len(t, report.Lost, 1, "plain was on the device and had no host copy")
	require.NoError(t, s.Launch(ctx, add, grid, plain, uint32(1)))
	require.ErrorIs(t, s.Sync(ctx), ErrLost)

	p, err := r.Accelerator().Compile(ctx, `
	kernel void set(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
		x[i] = 3 * i;
	}`, compute.CompileOptions{})
	require.NoError(t, err)
	set, err := p.KernelContext(ctx, "set")
	require.NoError(t, err)
	made, err := compute.NewZeroed[uint32](ctx, r.Accelerator(), 4, compute.BufferOptions{}) // no host copy
	require.NoError(t, err)
	require.NoError(t, s.Launch(ctx, set, grid, made))
	require.NoError(t, s.Launch(ctx, add, grid, made, uint32(1)))
	require.NoError(t, s.Sync(ctx))
	require.Equal(t, []uint32{1, 5, 9, 13}, dataOf(t, made))

	tries := r.tries.Load()
	for range 10 {
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		require.NoError(t, s.Sync(ctx))
	}
	require.Equal(t, tries, r.tries.Load(), "the device is tried once in each cooldown")
	r.wait()
	require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
	require.NoError(t, s.Sync(ctx))
	require.Equal(t, tries+1, r.tries.Load())

	r.unplugged.Store(false)
	r.wait()
	onCPU := r.Report().OnCPU
	require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
	require.NoError(t, s.Launch(ctx, add, grid, made, uint32(1)))
	require.NoError(t, s.Launch(ctx, add, grid, private, uint32(1)))
	require.NoError(t, s.Launch(ctx, twice, grid, plain, x, compute.Overwrites(plain)))
	require.NoError(t, s.Sync(ctx))
	require.Equal(t, onCPU, r.Report().OnCPU, "on the device again")
	require.Equal(t, []uint32{92, 184, 276, 368}, dataOf(t, x))
	require.Equal(t, []uint32{2, 7, 12, 17}, dataOf(t, made), "it came with what the CPU had made")
	require.Equal(t, []uint32{3, 6, 9, 12}, dataOf(t, private))
	require.Equal(t, []uint32{184, 368, 552, 736}, dataOf(t, plain))

	r.unplug(0)
	r.f.inject(softmetal.Faults{RemoveAfter: 1})
	for range 10 { // once more
		require.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
		require.NoError(t, s.Sync(ctx))
	}
	require.Equal(t, []uint32{102, 204, 306, 408}, dataOf(t, x))
}

// TestRemovedConcurrent: goroutines with streams of their own lose nothing when the device is
// removed under them, comes back and is removed again.
func TestRemovedConcurrent(t *testing.T) {
	ctx, grid := t.Context(), compute.Threads1D(4)
	r := newRemovable(t, Options{Cooldown: time.Nanosecond}) // each batch tries the device again
	add := kernelOf(t, r.Manager, "add")
	r.unplug(5)
	var group sync.WaitGroup
	for n := range 4 {
		s, x := streamOf(t, r.Manager), bufferOf(t, r.Manager, true, 0, 0, 0, 0)
		group.Go(func() {
			for i := range 40 {
				if n == 0 && i == 20 {
					r.unplugged.Store(false)
					r.wait()
				}
				if n == 0 && i == 30 {
					r.unplug(3)
				}
				assert.NoError(t, s.Launch(ctx, add, grid, x, uint32(1)))
				assert.NoError(t, s.Sync(ctx))
			}
			assert.Equal(t, []uint32{40, 80, 120, 160}, dataOf(t, x))
		})
	}
	group.Wait()
}

// TestHealthOnCPU: failing means that no work is done.
func TestHealthOnCPU(t *testing.T) {
	ctx, grid := t.Context(), compute.Threads1D(4)
	run := func(m *Manager, s *compute.Stream, k *compute.Kernel, x *compute.Buffer[uint32]) error {
		require.NoError(t, s.Launch(ctx, k, grid, x, uint32(1)))
		return s.Sync(ctx)
	}
	t.Run("works", func(t *testing.T) {
		r := newRemovable(t, Options{Attempts: 2, Cooldown: time.Hour})
		s, add, x := streamOf(t, r.Manager), kernelOf(t, r.Manager, "add"), bufferOf(t, r.Manager, true, 0, 0, 0, 0)
		plain := bufferOf(t, r.Manager, false, 0, 0, 0, 0)
		r.f.inject(failing(1, mtl.CommandBufferErrorInternal))
		for range 20 {
			require.NoError(t, run(r.Manager, s, add, x))
		}
		report := r.Report()
		require.Equal(t, Degraded, report.Health, report.Reasons)
		require.Contains(t, report.Reasons, "the circuit breaker of the device is open; work goes to the CPU")
		require.NoError(t, run(r.Manager, s, add, plain), "the breaker kept it from the device, so nothing ran twice")
		require.Equal(t, []uint32{1, 2, 3, 4}, dataOf(t, plain))
	})
	t.Run("fails", func(t *testing.T) { // the device is opened without compute.WithFallback
		f := newFaulty(t, 0)
		m := manager(t, Options{Open: f.opener(0), CPU: true, Attempts: 2, Cooldown: time.Hour})
		s, add, x := streamOf(t, m), kernelOf(t, m, "add"), bufferOf(t, m, true, 0, 0, 0, 0)
		f.inject(failing(1, mtl.CommandBufferErrorInternal))
		for range 20 {
			require.ErrorIs(t, run(m, s, add, x), compute.ErrFallback)
		}
		require.Equal(t, Failing, m.Report().Health)
	})
	t.Run("fallback device", func(t *testing.T) {
		f, spare := newFaulty(t, 0), newFaulty(t, 1)
		m := manager(t, Options{Open: f.opener(0), Fallback: spare.opener(1), Attempts: 2, Trip: 2,
			Cooldown: time.Hour})
		s, add, x := streamOf(t, m), kernelOf(t, m, "add"), bufferOf(t, m, true, 0, 0, 0, 0)
		f.inject(failing(1, mtl.CommandBufferErrorInternal))
		for range 4 {
			require.NoError(t, run(m, s, add, x))
		}
		require.Equal(t, Degraded, m.Report().Health)
		spare.inject(failing(1, mtl.CommandBufferErrorInternal))
		for range 4 {
			require.Error(t, run(m, s, add, x))
		}
		require.Equal(t, Failing, m.Report().Health, "neither works")
	})
	t.Run("only the fallback device fails", func(t *testing.T) {
		r := Report{Health: Healthy, Device: "gpu", Breakers: map[string]string{"fallback device": "open"}}
		r.diagnose("", nil)
		require.Equal(t, Degraded, r.Health, "the device does the work")
	})
}
