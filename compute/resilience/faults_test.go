package resilience

import (
	"context"
	"flag"
	"log/slog"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/compute"
	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal"
	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"
)

var (
	faultLaunches = flag.Int("resilience.launches", 20000, "the launches of TestFaults")
	faultSeed     = flag.Uint64("resilience.seed", 1, "the seed of TestFaults")
)

const source = `
kernel void add(device uint *x [[buffer(0)]], constant uint &by [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  x[i] += by * (i + 1);
}
kernel void blend(device uint *x [[buffer(0)]], device const uint *y [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * 3 + y[i];
}
kernel void twice(device uint *out [[buffer(0)]], device const uint *in [[buffer(1)]],
                  uint i [[thread_position_in_grid]]) {
  out[i] = in[i] * 2;
}
kernel void spin(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  while (x[0] != 77) {}
  x[i + 1] = i;
}
kernel void long_one(device uint *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  uint v = i;
  for (uint n = 0; n < 2000; n++) v = v * 1664525 + 1013904223;
  x[i] += v;
}
`

// faulty is a device that fails on demand.
type faulty struct {
	t      testing.TB
	device mtl.Device
	opened atomic.Int64
}

// newFaulty takes the device with an index.
func newFaulty(t testing.TB, index int) *faulty {
	t.Helper()
	if softmetal.Opened() == nil {
		if _, err := compute.Devices(); err != nil || softmetal.Opened() == nil {
			t.Skip("only the software device fails on demand while a program runs")
		}
	}
	all, err := mtl.Devices()
	require.NoError(t, err)
	f := &faulty{t: t, device: all[index]}
	f.device.Retain()
	mtl.ReleaseAll(all)
	t.Cleanup(func() {
		f.inject(softmetal.Faults{})
		f.device.Release()
	})
	return f
}

// inject makes the device fail from now on. One that was removed comes back.
func (f *faulty) inject(x softmetal.Faults) {
	if err := softmetal.Inject(softmetal.Opened(), objcsoft.ID(f.device.ID()), x); err != nil {
		f.t.Error(err)
	}
}

// opener opens the device, which comes back if it was removed.
func (f *faulty) opener(index int, options ...compute.Option) Opener {
	return func(context.Context) (*compute.Accelerator, error) {
		f.opened.Add(1)
		f.inject(softmetal.Faults{})
		return compute.Open(append(options, compute.WithDeviceIndex(index), compute.WithLogger(quiet))...)
	}
}

var quiet = slog.New(slog.DiscardHandler)

// manager makes a manager that waits for nothing.
func manager(t testing.TB, o Options) *Manager {
	t.Helper()
	o.Logger = quiet
	if o.Delay == 0 {
		o.Delay = time.Hour // so that batches are what the test records before it waits
	}
	if o.Sleep == nil {
		o.Sleep = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	}
	m, err := New(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, m.Close(context.Background())) })
	return m
}

func kernelOf(t testing.TB, m *Manager, name string) *compute.Kernel {
	t.Helper()
	p, err := m.Accelerator().Compile(t.Context(), source, compute.CompileOptions{})
	require.NoError(t, err)
	k, err := p.KernelContext(t.Context(), name)
	require.NoError(t, err)
	return k
}

func streamOf(t testing.TB, m *Manager) *compute.Stream {
	t.Helper()
	s, err := m.Accelerator().NewStream(compute.StreamOptions{})
	require.NoError(t, err)
	return s
}

// actor writes random commands to a stream, and follows them in a model.
type actor struct {
	s         *compute.Stream
	batch     int
	rnd       *rand.Rand
	kernels   map[string]*compute.Kernel
	buffers   []*compute.Buffer[uint32]
	committed [][]uint32
	pending   []func(model [][]uint32)
	done      int // commands that have succeeded
	failed    int
}

const actorWords = 48

func newActor(t *testing.T, m *Manager, seed uint64) *actor {
	a := &actor{s: streamOf(t, m), batch: m.o.Batch, rnd: rand.New(rand.NewPCG(seed, 3)),
		kernels: map[string]*compute.Kernel{}}
	for _, name := range []string{"add", "blend", "twice"} {
		a.kernels[name] = kernelOf(t, m, name)
	}
	for i := range 3 {
		b, err := compute.NewBuffer[uint32](m.Accelerator(), actorWords, compute.BufferOptions{HostCopy: true})
		require.NoError(t, err)
		data := make([]uint32, actorWords)
		for j := range data {
			data[j] = uint32(100*i + j)
		}
		require.NoError(t, b.Upload(t.Context(), data))
		a.buffers, a.committed = append(a.buffers, b), append(a.committed, data)
	}
	return a
}

// step adds a command.
func (a *actor) step(ctx context.Context) error {
	x, y := a.rnd.IntN(3), a.rnd.IntN(2)
	if y >= x {
		y++
	}
	grid, by := compute.Threads1D(actorWords), a.rnd.Uint32()
	each := func(do func(model [][]uint32, i int)) {
		a.pending = append(a.pending, func(model [][]uint32) {
			for i := range actorWords {
				do(model, i)
			}
		})
	}
	var err error
	switch a.rnd.IntN(5) {
	case 0:
		each(func(m [][]uint32, i int) { m[x][i] += by * uint32(i+1) })
		err = a.s.Launch(ctx, a.kernels["add"], grid, a.buffers[x], by)
	case 1:
		each(func(m [][]uint32, i int) { m[x][i] = m[x][i]*3 + m[y][i] })
		err = a.s.Launch(ctx, a.kernels["blend"], grid, a.buffers[x], a.buffers[y])
	case 2:
		each(func(m [][]uint32, i int) { m[x][i] = m[y][i] * 2 })
		err = a.s.Launch(ctx, a.kernels["twice"], grid, a.buffers[x], a.buffers[y],
			compute.Overwrites(a.buffers[x]))
	case 3:
		each(func(m [][]uint32, i int) { m[x][i] = by & 0xff * 0x01010101 })
		err = compute.Fill(ctx, a.s, a.buffers[x], uint8(by))
	case 4:
		each(func(m [][]uint32, i int) { m[x][i] = m[y][i] })
		err = compute.Copy(ctx, a.s, a.buffers[x], a.buffers[y])
	}
	if len(a.pending) == a.batch {
		err = a.s.Sync(ctx)
		a.settle(err)
	}
	return err
}

// settle makes the pending commands those of a batch that has ended.
func (a *actor) settle(err error) {
	if err != nil {
		a.failed += len(a.pending)
	} else {
		a.done += len(a.pending)
		for _, do := range a.pending {
			do(a.committed)
		}
	}
	a.pending = a.pending[:0]
}

// compare compares the buffers with the model.
func (a *actor) compare(t *testing.T) bool {
	a.settle(a.s.Sync(t.Context()))
	got := make([]uint32, actorWords)
	for i, b := range a.buffers {
		err := b.Download(t.Context(), got)
		if !assert.NoError(t, err) || !assert.Equal(t, a.committed[i], got, "buffer %d", i) {
			return false
		}
	}
	return true
}

// faultsOf chooses what goes wrong next.
func faultsOf(rnd *rand.Rand) softmetal.Faults {
	var f softmetal.Faults
	switch rnd.IntN(8) {
	case 0, 1:
		codes := []mtl.CommandBufferError{mtl.CommandBufferErrorInternal, mtl.CommandBufferErrorNotPermitted,
			mtl.CommandBufferErrorOutOfMemory, mtl.CommandBufferErrorTimeout}
		f.CommandEvery, f.CommandCode = 3+rnd.IntN(20), int(codes[rnd.IntN(len(codes))])
	case 2:
		f.AllocationEvery = 2 + rnd.IntN(5)
	case 3:
		f.RemoveAfter = 1 + rnd.IntN(30)
	case 4:
		f.Slow = 30 * time.Microsecond
	case 5:
		f.CommandEvery, f.CommandCode = 10, int(mtl.CommandBufferErrorAccessRevoked)
	}
	return f
}

// TestFaults runs random commands on a device that fails: command buffers, allocations, removals,
// slow commands, at seeded random points. The results are those of a run without failures; nothing
// is lost, applied twice or left over.
func TestFaults(t *testing.T) {
	f, spare := newFaulty(t, 0), newFaulty(t, 1)
	before, objects := f.device.CurrentAllocatedSize(), objc.LiveObjects()
	const actors = 3
	began := time.Now()
	m, err := New(t.Context(), Options{Open: f.opener(0), Fallback: spare.opener(1), Batch: 16, Attempts: 12,
		Delay:    time.Hour,
		Cooldown: time.Millisecond, Logger: quiet,
		Sleep: func(ctx context.Context, d time.Duration) error { return sleep(ctx, d/100) }})
	require.NoError(t, err)
	var all [actors]*actor
	for i := range all {
		all[i] = newActor(t, m, *faultSeed*actors+uint64(i))
	}
	// What goes wrong changes with the commands' number, not with time.
	var faults sync.Mutex
	rnd := rand.New(rand.NewPCG(*faultSeed, 9))
	steps, next, changes := 0, 0, 0
	step := func() {
		faults.Lock()
		defer faults.Unlock()
		if steps >= next {
			f.inject(faultsOf(rnd))
			changes++
			next += 100 + rnd.IntN(400)
		}
		steps++
	}
	var g sync.WaitGroup
	for _, a := range all {
		g.Go(func() {
			for n := range *faultLaunches / actors {
				step()
				_ = a.step(t.Context()) // the model counts it
				if n%5000 == 0 && !a.compare(t) {
					return
				}
			}
		})
	}
	g.Wait()
	f.inject(softmetal.Faults{})
	done, failed := 0, 0
	for _, a := range all {
		a.compare(t)
		done, failed = done+a.done, failed+a.failed
	}
	r := m.Report()
	t.Logf("%d commands succeeded, %d failed (%.4f %%) in %v; faults changed %d times\n%v", done, failed,
		100*float64(failed)/float64(done+failed), time.Since(began).Round(time.Millisecond), changes, r)
	assert.LessOrEqual(t, float64(failed), 0.001*float64(done+failed))
	assert.EqualValues(t, *faultLaunches/actors*actors, done+failed, "nothing is lost")
	assert.Positive(t, r.Retries)
	assert.Positive(t, r.Resets)
	require.NoError(t, m.Close(t.Context()))
	assert.Zero(t, m.copies, "bytes of host copies")
	settle.Equal(t, "bytes on the device", before, f.device.CurrentAllocatedSize)
	// Metal's threads release handlers a little after they have called them.
	settle.AtMost(t, "live objects", objects, objc.LiveObjects)
}

func idOf(f *faulty) objcsoft.ID { return objcsoft.ID(f.device.ID()) }
