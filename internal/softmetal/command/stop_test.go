package command

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/hook"
	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// spinning commits a buffer whose kernel never ends, and waits until it runs.
func (r *rig) spinning(q *Queue) *Buffer {
	r.Helper()
	x, _ := r.words(0, 0)
	began := make(chan struct{})
	r.gpu.Observe(func(*Launched) (hook.Hook, func(error)) {
		return &first{begun: sync.OnceFunc(func() { close(began) })}, nil
	})
	b := q.NewBuffer()
	b.EncoderStates = true
	r.encode(b, r.kernel("spin"), 1, x)
	b.Commit("c")
	<-began
	r.gpu.Observe(nil)
	return b
}

// first hears of the first instruction.
type first struct {
	hook.None
	begun func()
}

func (h *first) Instruction(*hook.Event) { h.begun() }

// failed waits for a buffer, and returns how it failed.
func (r *rig) failed(b *Buffer) *Error {
	r.Helper()
	b.WaitCompleted()
	var e *Error
	require.ErrorAs(r, b.Err(), &e)
	return e
}

// TestTimeout: a buffer that runs for longer than the limit fails. The clock goes on by some
// seconds whenever somebody looks at it.
func TestTimeout(t *testing.T) {
	assert.Equal(t, 5*time.Minute, newRig(t, Limits{}).gpu.NewQueue(0).Timeout(), "the default")
	r := newRig(t, Limits{Timeout: 30 * time.Second, Fuel: 1 << 26})
	var clock atomic.Uint64
	r.gpu.now = func() uint64 { return clock.Add(uint64(pollsPerClock * time.Second)) }
	q := r.gpu.NewQueue(0)
	e := r.failed(r.spinning(q))
	assert.Equal(t, CodeTimeout, e.Code)
	assert.Contains(t, e.Error(), `Caused GPU Timeout Error: kernel "spin", threadgroup (0, 0, 0): `)
	assert.Contains(t, e.Error(), "program_source:7:59: the command buffer has run for 30s, the limit; "+
		"PUREMETAL_SOFTWARE_TIMEOUT=duration or compute.WithTimeout sets another, 0 none")
	assert.Equal(t, EncoderFaulted, e.Encoders[0].State)
	assert.Less(t, time.Duration(clock.Load()), 2*time.Minute)

	q.SetTimeout(20 * time.Second)
	assert.Contains(t, r.failed(r.spinning(q)).Error(), "has run for 20s, the limit")

	q.SetTimeout(0) // then the fuel ends it
	e = r.failed(r.spinning(q))
	assert.Equal(t, CodeTimeout, e.Code)
	require.ErrorIs(t, e, exec.ErrFuel)
	assert.Contains(t, e.Error(),
		"program_source:7:59: the budget of 67108864 units of work is used up; "+
			"PUREMETAL_SOFTWARE_FUEL=units or compute.WithWorkBudget allows more")
}

// TestTimeoutWithoutWaits: what a buffer waits for an event is not part of its time.
func TestTimeoutWithoutWaits(t *testing.T) {
	r := newRig(t, Limits{Timeout: time.Minute, EventTimeout: time.Minute})
	var clock atomic.Uint64
	r.gpu.now = func() uint64 { return clock.Add(1) }
	x, mem := r.words(0)
	ev := NewEvent()
	waits := make(chan struct{})
	b := r.gpu.NewQueue(0).NewBuffer()
	p := b.Begin("begin", Compute, false, nil)
	p.Do("do", func() error { close(waits); return nil })
	p.End("end")
	b.Wait("w", ev, 1)
	r.encode(b, r.kernel("number"), 1, x)
	b.Commit("c")
	<-waits
	settle.Until(t, "an event is waited for", func() bool { return r.gpu.waits() > 0 })
	clock.Add(uint64(time.Hour))
	for range 100 { // the queue looks again, perhaps
		ev.Wake()
		runtime.Gosched()
	}
	ev.Signal(1)
	b.WaitCompleted()
	require.NoError(t, b.Err())
	assert.Equal(t, []uint32{1}, read(mem))
}

// waits returns how many events are waited for.
func (g *GPU) waits() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.waiting)
}

// TestCancel: of the buffers that are committed, the one that runs ends, and the others do not
// begin; those committed later run. Other queues go on.
func TestCancel(t *testing.T) {
	r := newRig(t, Limits{})
	q, other := r.gpu.NewQueue(0), r.gpu.NewQueue(0)
	ev := NewEvent()
	beside := other.NewBuffer()
	beside.Wait("w", ev, 1)
	beside.Commit("c")
	first := r.spinning(q)
	x, mem := r.words(0)
	second := q.NewBuffer()
	r.encode(second, r.kernel("number"), 1, x)
	second.Signal("s", ev, 1)
	second.Commit("c")
	enqueued := q.NewBuffer()
	require.True(t, enqueued.Enqueue())
	q.Cancel("canceled: enough")
	e := r.failed(first)
	assert.Equal(t, CodeInternal, e.Code)
	assert.Equal(t, `Internal Error: kernel "spin", threadgroup (0, 0, 0): program_source:7:59: canceled: enough`,
		e.Error())
	e = r.failed(second)
	assert.EqualError(t, e, "Internal Error: canceled: enough")
	assert.Equal(t, []uint32{0}, read(mem))
	beside.WaitCompleted()
	require.NoError(t, beside.Err(), "a buffer that is canceled signals")
	r.encode(enqueued, r.kernel("number"), 1, x)
	enqueued.Commit("c")
	enqueued.WaitCompleted()
	require.NoError(t, enqueued.Err())
	assert.Equal(t, []uint32{1}, read(mem))
}

// TestCancelWakes: a buffer that waits for an event ends when it is canceled.
func TestCancelWakes(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Hour})
	q := r.gpu.NewQueue(0)
	b := q.NewBuffer()
	b.Wait("w", NewEvent(), 1)
	b.Commit("c")
	settle.Until(t, "an event is waited for", func() bool { return r.gpu.waits() > 0 })
	q.Cancel("enough")
	assert.EqualError(t, r.failed(b), "Internal Error: w: enough")
}

// TestRemovalStopsKernels: when the device is removed, kernels that run end after a few seconds.
func TestRemovalStopsKernels(t *testing.T) {
	r := newRig(t, Limits{Timeout: time.Hour})
	var clock atomic.Uint64
	r.gpu.now = func() uint64 { return clock.Add(uint64(pollsPerClock * time.Second)) }
	b := r.spinning(r.gpu.NewQueue(0))
	r.gpu.Remove()
	e := r.failed(b)
	assert.Equal(t, CodeDeviceRemoved, e.Code)
	assert.Equal(t,
		`Device Removed: kernel "spin", threadgroup (0, 0, 0): program_source:7:59: the device was removed`, e.Error())
}

// TestScratch: what the engine needs counts, and more than there is is an error.
func TestScratch(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	x, _ := r.words(0)
	run := func() error {
		b := q.NewBuffer()
		r.encode(b, r.kernel("number"), 1, x)
		b.Commit("c")
		b.WaitCompleted()
		return b.Err()
	}
	r.memory.limit = 1
	var e *Error
	require.ErrorAs(t, run(), &e)
	assert.Equal(t, CodeOutOfMemory, e.Code)
	assert.Regexp(t,
		`^Insufficient Memory: exec: no working memory: kernel "number" needs (\d+) bytes .*: (\d+) bytes, more than 1$`,
		e.Error())
	assert.True(t, errors.Is(e, exec.ErrScratch))
	r.memory.limit = 0
	require.NoError(t, run())
}
