package command

import (
	"sync"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record records one dispatch into a buffer of an allocator and closes it.
func (r *rig) record(a *Allocator, k *dispatch.Pipeline, n uint64, buffers ...uint64) *Buffer {
	b := a.Begin()
	require.NotNil(r, b)
	e := b.Begin("begin", Compute, false, nil)
	e.SetPipeline("kernel", k)
	e.SetTable("table", buffers, nil, nil)
	e.Dispatch("dispatch", Size{n, 1, 1}, Size{min(n, 64), 1, 1})
	e.End("end")
	b.Close()
	return b
}

// reach waits until a queue gets to a place behind all that it was given. Its handlers may be
// behind; the test's end waits for them.
func (r *rig) reach(q *Queue) {
	e, done := NewEvent(), make(chan error, 1)
	r.Cleanup(func() { assert.NoError(r, <-done) })
	q.SignalEvent("signal", e, 1, func(err error) { done <- err })
	assert.True(r, e.Wait(1, time.Minute, nil))
}

// TestAllocator goes through an allocator's life: one buffer at a time, memory that stays, and none
// given up that the GPU still reads.
func TestAllocator(t *testing.T) {
	r := newRig(t, Limits{})
	a, q := r.gpu.NewAllocator(), r.gpu.NewQueue(0)
	assert.Zero(t, a.Size())
	x, mem := r.words(1)
	b := a.Begin()
	assert.Nil(t, a.Begin(), "one is being recorded")
	require.ErrorContains(t, a.Reset(), "being encoded")
	b.Close()
	require.NoError(t, a.Reset())
	require.ErrorContains(t, q.CommitAll([]*Buffer{b}), "command buffer 0: its allocator was reset")

	gate := NewEvent()
	q.WaitForEvent("wait", gate, 1, func(err error) { assert.NoError(t, err) })
	first, second := r.record(a, r.kernel("twice"), 1, x), r.record(a, r.kernel("twice"), 1, x)
	size := a.Size()
	assert.NotZero(t, size)
	require.NoError(t, q.CommitAll([]*Buffer{first}))
	require.ErrorContains(t, a.Reset(), "has not completed 1 of the allocator's command buffers, want 0")
	require.ErrorContains(t, q.CommitAll([]*Buffer{second, b}), "command buffer 1:")
	gate.Signal(1)
	r.reach(q)
	require.NoError(t, a.Reset(), "the GPU is done, whether handlers have run or not")
	assert.Equal(t, []uint32{2}, read(mem))
	assert.Equal(t, size, a.Size(), "the memory is kept")
	require.ErrorContains(t, q.CommitAll([]*Buffer{second}), "its allocator was reset")
	for range 10 {
		require.NoError(t, q.CommitAll([]*Buffer{r.record(a, r.kernel("twice"), 1, x)}))
		r.reach(q)
		require.NoError(t, a.Reset())
	}
	assert.Equal(t, []uint32{2048}, read(mem))
	assert.Equal(t, size, a.Size(), "and used again")
}

// TestCommitAll has one buffer of several fail: those before it have run, those after it have not,
// and the next commit does.
func TestCommitAll(t *testing.T) {
	r := newRig(t, Limits{})
	a, q := r.gpu.NewAllocator(), r.gpu.NewQueue(0)
	x, mem := r.words(1)
	twice := r.kernel("twice")
	bs := []*Buffer{r.record(a, twice, 1, x), r.record(a, twice, 1, x), r.record(a, twice, 1, x)}
	bs[1].Misuse("call", "wrong")
	ended := make(chan error, 1)
	bs[2].Finish = func() { ended <- bs[2].Err() }
	require.NoError(t, q.CommitAll(bs))
	var e *Error
	require.ErrorAs(t, <-ended, &e)
	assert.Equal(t, "Invalid Resource: call: wrong", e.Error())
	assert.Equal(t, []uint32{2}, read(mem))
	require.NoError(t, q.CommitAll([]*Buffer{r.record(a, twice, 1, x)}))
	r.reach(q)
	assert.Equal(t, []uint32{4}, read(mem))
	assert.Equal(t, []Status{Completed, Failed, Failed}, []Status{bs[0].Status(), bs[1].Status(), bs[2].Status()})
}

// TestQueueEvents has a wait that is never answered fail the commit behind it, and no other.
func TestQueueEvents(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Millisecond})
	a, q := r.gpu.NewAllocator(), r.gpu.NewQueue(0)
	x, mem := r.words(1)
	twice := r.kernel("twice")
	never, behind := NewEvent(), NewEvent()
	failures := make(chan error, 2)
	q.WaitForEvent("wait", never, 3, func(err error) { failures <- err })
	q.SignalEvent("signal", behind, 1, func(err error) { failures <- err })
	b := r.record(a, twice, 1, x)
	ended := make(chan error, 1)
	b.Finish = func() { ended <- b.Err() }
	require.NoError(t, q.CommitAll([]*Buffer{b}))
	for range 2 {
		var e *Error
		require.ErrorAs(t, <-failures, &e)
		assert.Equal(t, CodeTimeout, e.Code)
		assert.ErrorContains(t, e, "wait: the event has value 0, and did not reach 3")
	}
	assert.EqualValues(t, 1, behind.Value(), "nobody waits for ever")
	require.Error(t, <-ended)
	assert.Equal(t, []uint32{1}, read(mem))
	require.NoError(t, q.CommitAll([]*Buffer{r.record(a, twice, 1, x)}))
	r.reach(q)
	assert.Equal(t, []uint32{2}, read(mem))
	require.NoError(t, a.Reset())
}

// TestFaultsOfCommits counts buffers of the program and not the queue's own commands.
func TestFaultsOfCommits(t *testing.T) {
	r := newRig(t, Limits{})
	a, q := r.gpu.NewAllocator(), r.gpu.NewQueue(0)
	x, mem := r.words(1)
	r.gpu.Inject(&Faults{CommandEvery: 2, CommandCode: CodeOutOfMemory})
	var statuses []Status
	for range 4 {
		r.reach(q)
		b := r.record(a, r.kernel("twice"), 1, x)
		ended := make(chan Status, 1)
		b.Finish = func() { ended <- b.Status() }
		require.NoError(t, q.CommitAll([]*Buffer{b}))
		statuses = append(statuses, <-ended)
	}
	assert.Equal(t, []Status{Completed, Failed, Completed, Failed}, statuses)
	assert.Equal(t, []uint32{4}, read(mem))
}

// TestResident has dispatches of all kinds ask whether what they use is resident.
func TestResident(t *testing.T) {
	r := newRig(t, Limits{})
	x, _ := r.words(0, 0, 0, 0)
	size, _ := r.words(1, 1, 1)
	icb, err := r.gpu.NewIndirect(Shape{Buffers: 1, Threads: true}, 1)
	require.NoError(t, err)
	defer icb.Close()
	require.NoError(t, icb.SetPipeline(0, r.kernel("number")))
	require.NoError(t, icb.SetBuffer(0, x, 0))
	require.NoError(t, icb.Dispatch(0, Size{1, 1, 1}, Size{1, 1, 1}))
	rng, _ := r.words(0, 1)
	for _, c := range []struct {
		name  string
		lacks uint64
		words string
		do    func(e *Encoder)
	}{
		{"dispatch", x, `d: kernel "number": the buffer at index 0, argument "out", is in no residency set`,
			func(e *Encoder) { e.Dispatch("d", Size{4, 1, 1}, Size{4, 1, 1}) }},
		{"arguments", size, "d: the arguments at address", func(e *Encoder) { e.DispatchGroupsAt("d", size, Size{1, 1, 1}) }},
		{"command", x, `d: command 0: kernel "number": the buffer at index 0`,
			func(e *Encoder) { e.Execute("d", icb, 0, 1) }},
		{"range", rng, "d: the commands' numbers at address", func(e *Encoder) { e.ExecuteAt("d", icb, rng) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, lacks := range []uint64{0, c.lacks} {
				a, q := r.gpu.NewAllocator(), r.gpu.NewQueue(0)
				b := a.Begin()
				b.Resident = func(kind ir.ArgKind, word uint64) bool {
					assert.Equal(t, ir.ArgBuffer, kind)
					return word != lacks
				}
				e := b.Begin("begin", Compute, false, nil)
				e.SetPipeline("kernel", r.kernel("number"))
				e.SetTable("table", []uint64{x}, nil, nil)
				c.do(e)
				e.End("end")
				b.Close()
				ended := make(chan error, 1)
				b.Finish = func() { ended <- b.Err() }
				require.NoError(t, q.CommitAll([]*Buffer{b}))
				if err := <-ended; lacks == 0 {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.words)
				}
			}
		})
	}
}

// TestTables has a table that is set replace all of the one before.
func TestTables(t *testing.T) {
	r := newRig(t, Limits{})
	a := r.gpu.NewAllocator()
	x, _ := r.words(0)
	b := a.Begin()
	e := b.Begin("begin", Compute, false, nil)
	e.SetThreadgroupMemory("memory", 64, 0)
	e.SetTable("table", []uint64{1, 2, 3}, []uint64{4}, []uint64{5, 6})
	e.SetTable("table", []uint64{x}, nil, []uint64{7})
	assert.Equal(t, []uint64{x, 0, 0}, []uint64{e.BufferAt(0), e.BufferAt(1), e.BufferAt(2)})
	got := b.list.table.bindings()
	assert.Equal(t, dispatch.Bindings{Buffers: []uint64{x}, Textures: []uint64{}, Samplers: []uint64{7},
		Memory: []uint64{64}}, got)
	assert.Zero(t, b.list.table.textures[0])
	assert.Zero(t, b.list.table.samplers[1])
	e.End("end")
	e.SetTable("table", []uint64{1}, nil, nil)
	require.ErrorContains(t, b.Broken(), "table: the encoder has ended")
	b.Close()
	require.NoError(t, a.Reset())
}

// TestAllocatorsTogether has goroutines with allocators of their own commit to one queue.
func TestAllocatorsTogether(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	x, mem := r.words(0)
	one, _ := r.words(1)
	plus := r.kernel("plus")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			a := r.gpu.NewAllocator()
			for range 20 {
				if err := q.CommitAll([]*Buffer{r.record(a, plus, 1, x, one), r.record(a, plus, 1, x, one)}); err != nil {
					t.Error(err)
				}
				r.reach(q)
				if err := a.Reset(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	assert.Equal(t, []uint32{320}, read(mem))
}

// TestTraceBeforeRun has the queue come to a buffer while who is told of commits still looks at it:
// it waits.
func TestTraceBeforeRun(t *testing.T) {
	r := newRig(t, Limits{})
	q, a := r.gpu.NewQueue(0), r.gpu.NewAllocator()
	x, mem := r.words(1)
	twice := r.kernel("twice")
	classic := q.NewBuffer()
	r.encode(classic, twice, 1, x)
	second := r.record(a, twice, 1, x)
	for _, b := range []*Buffer{classic, second} {
		gate, before := NewEvent(), q.NewBuffer()
		before.Wait("wait", gate, 1)
		before.Commit("commit")
		r.gpu.OnCommit(func(_ *Queue, b *Buffer) {
			gate.Signal(1)
			before.WaitCompleted()
			assert.Equal(t, Committed, b.Status())
			assert.False(t, b == classic && b.Commit("commit"), "again, meanwhile")
		})
		if b == classic {
			require.True(t, b.Commit("commit"))
		} else {
			require.NoError(t, q.CommitAll([]*Buffer{b}))
		}
		r.gpu.OnCommit(nil)
		r.reach(q)
	}
	assert.Equal(t, []uint32{4}, read(mem))
}

// TestTraceAfterReset: a trace says what a buffer did also when its allocator is at other things
// before the handlers have run.
func TestTraceAfterReset(t *testing.T) {
	r := newRig(t, Limits{})
	q, a := r.gpu.NewQueue(0), r.gpu.NewAllocator()
	x, _ := r.words(1)
	before, hold := q.NewBuffer(), make(chan struct{})
	before.OnCompleted("handler", func() { <-hold })
	before.Commit("commit")
	b := r.record(a, r.kernel("twice"), 1, x)
	traces := make(chan Trace, 1)
	r.gpu.OnCommit(func(_ *Queue, b *Buffer) { b.Traced = func(b *Buffer) { traces <- b.Trace() } })
	require.NoError(t, q.CommitAll([]*Buffer{b}))
	r.gpu.OnCommit(nil)
	r.reach(q)
	require.NoError(t, a.Reset())
	a.Begin().Close()
	close(hold)
	trace := <-traces
	require.Len(t, trace.Commands, 3)
	assert.Equal(t, []string{"begin", "dispatch", "end"},
		[]string{trace.Commands[0].Kind, trace.Commands[1].Kind, trace.Commands[2].Kind})
	assert.Equal(t, &[3]uint32{1, 1, 1}, trace.Commands[1].Threads)
	assert.Equal(t, "twice", trace.Commands[1].Kernel)
}
