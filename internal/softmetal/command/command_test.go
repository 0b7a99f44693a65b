package command

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/puremetal/puremetal/internal/exec"
	"github.com/puremetal/puremetal/internal/exec/engines"
	"github.com/puremetal/puremetal/internal/ir"
	"github.com/puremetal/puremetal/internal/msl"
	"github.com/puremetal/puremetal/internal/softmetal/dispatch"
	"github.com/puremetal/puremetal/internal/test/settle"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

const source = `#include <metal_stdlib>
using namespace metal;
kernel void number(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[i] = i + 1; }
kernel void plus(device uint* x [[buffer(0)]], constant uint& k [[buffer(1)]], uint i [[thread_position_in_grid]]) { x[i] += k; }
kernel void twice(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] *= 2; }
kernel void nothing(uint i [[thread_position_in_grid]]) {}
kernel void spin(device volatile uint* x [[buffer(0)]]) { while (x[0] == 0) { x[1] = x[1] + 1; } }
kernel void shared(device uint* out [[buffer(0)]], threadgroup uint* mem [[threadgroup(0)]], uint i [[thread_position_in_threadgroup]]) {
    mem[i] = i; threadgroup_barrier(mem_flags::mem_threadgroup); out[i] = mem[3 - i];
}
`

// table is the memory of a test's device.
type memory struct {
	mu    sync.Mutex
	space exec.Space
	next  uint32
	objs  map[uint32]exec.Object

	running atomic.Int32
	scratch atomic.Int64
	limit   int64 // of scratch; 0 for none
}

func (m *memory) Space() *exec.Space { return &m.space }

func (m *memory) Add(o exec.Object) uint32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.next++
	m.set(m.next, o)
	return m.next
}

func (m *memory) set(id uint32, o exec.Object) {
	m.objs[id] = o
	m.space.Set(id, o)
}

func (m *memory) Change(id uint32, o exec.Object) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.set(id, o)
}

func (m *memory) Remove(id uint32) {
	m.Change(id, exec.Object{})
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.objs, id)
}

func (m *memory) TakeScratch(n int64) error {
	if m.scratch.Add(n) > m.limit && m.limit > 0 {
		m.scratch.Add(-n)
		return fmt.Errorf("%d bytes, more than %d", n, m.limit)
	}
	return nil
}

func (m *memory) GiveScratch(n int64) { m.scratch.Add(-n) }

func (m *memory) RemoteView(uint64) bool { return false }

func (m *memory) Begin() uint64 {
	m.running.Add(1)
	return 7
}

func (m *memory) End(token uint64) {
	if token == 7 {
		m.running.Add(-1)
	}
}

func (m *memory) Bytes(address uint64) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	o := m.objs[uint32(address>>40)]
	at := address & (1<<40 - 1)
	if at > uint64(len(o.Data)) {
		return nil
	}
	return o.Data[at:]
}

type rig struct {
	*testing.T
	memory *memory
	gpu    *GPU
	module *ir.Module
	made   int // objects of the test's own
}

func newRig(t *testing.T, limits Limits) *rig {
	t.Cleanup(func() { settle.NoError(t, func() error { return goleak.Find() }) })
	m, diags := msl.Compile(context.Background(), msl.Source{Text: source}, msl.Options{})
	require.Empty(t, diags)
	r := &rig{T: t, memory: &memory{objs: map[uint32]exec.Object{}}, module: m.IR}
	e := exec.NewEngine(2)
	t.Cleanup(e.Close)
	r.gpu = NewGPU(e, r.memory, limits)
	t.Cleanup(func() {
		assert.Zero(t, r.memory.running.Load())
		assert.Zero(t, r.memory.scratch.Load())
		r.gpu.Close()
		assert.LessOrEqual(t, len(r.memory.objs), r.made, "inline bytes are given back")
		r.gpu = nil
	})
	return r
}

func (r *rig) kernel(name string) *dispatch.Pipeline {
	f := r.module.Func(name)
	require.NotNil(r, f, name)
	return dispatch.New(dispatch.Pipeline{Name: name, Code: exec.NewKernel(f, exec.Options{Backend: engines.Default()}),
		Args: f.Args, MaxThreads: ir.MaxThreads, Indirect: true})
}

// words makes an object and returns its address and its memory.
func (r *rig) words(v ...uint32) (uint64, []byte) {
	b := make([]byte, 0, 4*len(v))
	for _, w := range v {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	r.made++
	return exec.Address(r.memory.Add(exec.Object{Data: b}), 0), b
}

func read(b []byte) []uint32 {
	var v []uint32
	for ; len(b) >= 4; b = b[4:] {
		v = append(v, binary.LittleEndian.Uint32(b))
	}
	return v
}

// setBytes binds a copy of bytes.
func (e *Encoder) setBytes(call string, data []byte, index uint64) {
	copy(e.Bytes(call, len(data), index), data)
}

// encode writes one dispatch.
func (r *rig) encode(b *Buffer, k *dispatch.Pipeline, n uint64, buffers ...uint64) {
	e := b.Begin("begin", Compute, false, nil)
	require.NotNil(r, e)
	e.SetPipeline("kernel", k)
	for i, a := range buffers {
		e.SetBuffer("buffer", a, uint64(i))
	}
	e.Dispatch("dispatch", Size{n, 1, 1}, Size{min(n, 64), 1, 1})
	e.End("end")
}

func TestDispatch(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	x, mem := r.words(0, 0, 0, 0)
	b := q.NewBuffer()
	e := b.Begin("begin", Compute, false, nil)
	e.SetBuffer("b", x, 0)
	e.SetPipeline("k", r.kernel("number"))
	e.Dispatch("d", Size{4, 1, 1}, Size{4, 1, 1})
	e.SetPipeline("k", r.kernel("plus"))
	for _, k := range []byte{10, 20} {
		e.setBytes("bytes", []byte{k, 0, 0, 0}, 1)
		e.DispatchGroups("d", Size{2, 1, 1}, Size{2, 1, 1})
	}
	e.End("end")
	assert.Equal(t, NotEnqueued, b.Status())
	require.True(t, b.Commit("commit"))
	assert.False(t, b.Commit("commit"), "twice")
	b.WaitCompleted()
	assert.Equal(t, Completed, b.Status())
	require.NoError(t, b.Err())
	assert.Equal(t, []uint32{31, 32, 33, 34}, read(mem))
	for i := KernelStart; i < GPUEnd; i++ {
		assert.LessOrEqual(t, b.Time(i), b.Time(i+1), "time %d", i)
	}
}

func TestBytesEndWhereTheyEnd(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	b := q.NewBuffer()
	e := b.Begin("begin", Compute, false, nil)
	e.setBytes("bytes", slices.Repeat([]byte{1}, 64), 0)
	e.setBytes("bytes", []byte{1, 2, 3}, 1)
	long, short := e.BufferAt(0), e.BufferAt(1)
	assert.Len(t, r.memory.Bytes(long), 64)
	assert.Equal(t, []byte{1, 2, 3}, r.memory.Bytes(short))
	e.End("end")
	b.Commit("commit")
	b.WaitCompleted()
	b = q.NewBuffer()
	e = b.Begin("begin", Compute, false, nil)
	e.setBytes("bytes", []byte{9}, 0)
	assert.Equal(t, []byte{9}, r.memory.Bytes(e.BufferAt(0)), "used again, and no longer than it is")
	e.End("end")
	b.Abandon()
}

// TestOrder has enqueued buffers run in the order of their places, whatever the order of commits.
func TestOrder(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	x, mem := r.words(1)
	k := r.kernel("plus")
	bs := make([]*Buffer, 5)
	for i := range bs {
		b := q.NewBuffer()
		bs[i] = b
		require.True(t, b.Enqueue())
		require.False(t, b.Enqueue())
		assert.Equal(t, Enqueued, b.Status())
		r.encode(b, r.kernel("twice"), 1, x)
		e := b.Begin("begin", Compute, false, nil)
		e.SetPipeline("k", k)
		e.SetBuffer("b", x, 0)
		e.setBytes("b", []byte{byte(i), 0, 0, 0}, 1)
		e.Dispatch("d", Size{1, 1, 1}, Size{1, 1, 1})
		e.End("end")
	}
	var order []int
	var mu sync.Mutex
	for i, b := range bs {
		note := func(n int) func() {
			return func() {
				mu.Lock()
				defer mu.Unlock()
				order = append(order, n)
			}
		}
		b.OnScheduled("h", note(i))
		b.OnCompleted("h", note(100+i))
		b.OnCompleted("h", note(200+i))
	}
	want := uint32(1)
	for i := range bs {
		want = want*2 + uint32(i)
	}
	bs[4].Commit("c")
	assert.Equal(t, Committed, bs[4].Status(), "others are before it")
	for i := range 4 {
		bs[3-i].Commit("c")
	}
	bs[4].WaitCompleted()
	assert.Equal(t, []uint32{want}, read(mem))
	mu.Lock()
	defer mu.Unlock()
	var scheduled, completed []int
	for at, n := range order {
		if n < 100 {
			scheduled = append(scheduled, n)
		} else {
			completed = append(completed, n)
			assert.Contains(t, order[:at], n%100, "scheduled before completed")
		}
	}
	assert.Equal(t, []int{0, 1, 2, 3, 4}, scheduled)
	assert.Equal(t, []int{100, 200, 101, 201, 102, 202, 103, 203, 104, 204}, completed)
}

// TestAbandon has the queue go on when a buffer with a place in it goes away.
func TestAbandon(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(2)
	a, b := q.NewBuffer(), q.NewBuffer()
	a.Enqueue()
	b.Commit("c")
	made := make(chan *Buffer)
	go func() { made <- q.NewBuffer() }()
	settle.Equal(t, "buffers that wait for room", 1, func() int {
		q.mu.Lock()
		defer q.mu.Unlock()
		return q.waiting
	})
	require.Empty(t, made, "a third buffer of two")
	a.Abandon()
	b.WaitCompleted()
	c := <-made
	c.Abandon()
	c.Abandon()
}

// TestHandlersDoNotHoldTheQueue has a completed handler wait for a later buffer's event.
func TestHandlersDoNotHoldTheQueue(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	ev := NewEvent()
	a, b := q.NewBuffer(), q.NewBuffer()
	var got atomic.Bool
	a.OnCompleted("h", func() { got.Store(ev.Wait(1, settle.Limit(t), nil)) })
	b.Signal("s", ev, 1)
	a.Commit("c")
	b.Commit("c")
	a.WaitCompleted()
	assert.True(t, got.Load())
	b.WaitCompleted()

	// And one that commits more work and waits for it to be scheduled.
	c := q.NewBuffer()
	var d *Buffer
	c.OnCompleted("h", func() {
		d = q.NewBuffer()
		d.Commit("c")
		d.WaitScheduled()
	})
	c.Commit("c")
	c.WaitCompleted()
	d.WaitCompleted()
	assert.Equal(t, Completed, d.Status())
}

func TestEventsAcrossQueues(t *testing.T) {
	r := newRig(t, Limits{})
	x, mem := r.words(0, 0, 0, 0)
	ev := NewEvent()
	first, second := r.gpu.NewQueue(0).NewBuffer(), r.gpu.NewQueue(0).NewBuffer()
	second.Wait("w", ev, 3)
	r.encode(second, r.kernel("twice"), 4, x)
	second.Commit("c")
	second.WaitScheduled()
	assert.Equal(t, Scheduled, second.Status())
	r.encode(first, r.kernel("number"), 4, x)
	first.Signal("s", ev, 3)
	first.Commit("c")
	second.WaitCompleted()
	assert.Equal(t, []uint32{2, 4, 6, 8}, read(mem))
	first.WaitCompleted()
}

func TestNotices(t *testing.T) {
	defer settle.NoError(t, func() error { return goleak.Find() })
	ev := NewEvent()
	var l Listener
	got := make(chan string, 9)
	for _, v := range []uint64{5, 1, 3, 3} {
		ev.Notify(&l, v, t, func(now uint64) func() { return func() { got <- fmt.Sprint(v, " at ", now) } })
	}
	ev.Signal(4)
	ev.Signal(2)
	assert.Equal(t, uint64(4), ev.Value(), "it does not fall")
	assert.Equal(t, []string{"1 at 4", "3 at 4", "3 at 4"}, []string{<-got, <-got, <-got})
	ev.Notify(&l, 2, t, func(now uint64) func() { return func() { got <- fmt.Sprint("late ", now) } })
	assert.Equal(t, "late 4", <-got)
	ev.Forget(t)
	ev.Signal(9)
	assert.True(t, ev.Wait(9, 0, nil))
	assert.False(t, ev.Wait(10, time.Millisecond, nil))
	assert.Empty(t, got)
}

func TestErrors(t *testing.T) {
	r := newRig(t, Limits{Fuel: 100000, EventTimeout: 5 * time.Millisecond})
	x, _ := r.words(0, 0)
	q := r.gpu.NewQueue(0)
	run := func(encode func(b *Buffer)) *Error {
		t.Helper()
		b := q.NewBuffer()
		b.EncoderStates = true
		encode(b)
		b.Commit("commit")
		b.WaitCompleted()
		require.Equal(t, Failed, b.Status())
		var e *Error
		require.ErrorAs(t, b.Err(), &e)
		return e
	}
	ev := NewEvent()
	e := run(func(b *Buffer) {
		r.encode(b, r.kernel("nothing"), 1)
		p := b.Begin("begin", Compute, false, nil)
		p.SetLabel("spinner")
		p.Signpost("before")
		p.SetPipeline("k", r.kernel("spin"))
		p.SetBuffer("b", x, 0)
		p.Dispatch("d", Size{1, 1, 1}, Size{1, 1, 1})
		p.Signpost("after")
		p.End("end")
		r.encode(b, r.kernel("nothing"), 1)
		b.Signal("s", ev, 7)
	})
	assert.Equal(t, CodeTimeout, e.Code)
	require.ErrorIs(t, e, exec.ErrFuel)
	assert.Equal(t, []EncoderInfo{
		{State: EncoderCompleted, Signposts: []string{}},
		{Label: "spinner", State: EncoderFaulted, Signposts: []string{"before"}},
		{State: EncoderPending, Signposts: []string{}},
	}, e.Encoders)
	assert.Equal(t, uint64(7), ev.Value(), "a failed buffer signals")

	e = run(func(b *Buffer) { b.Wait("wait", ev, 8) })
	assert.Equal(t, CodeTimeout, e.Code)
	assert.EqualError(t, e, "Caused GPU Timeout Error: wait: the event has value 7, and did not reach 8 in 5ms")

	e = run(func(b *Buffer) {
		p := b.Begin("begin", Compute, false, nil)
		p.SetPipeline("k", r.kernel("spin"))
		p.DispatchGroupsAt("d", 1<<40*500, Size{1, 1, 1})
		p.End("end")
	})
	assert.EqualError(t, e, `Invalid Resource: d: kernel "spin": nothing is bound at buffer index 0, argument "x"`)
	e = run(func(b *Buffer) {
		p := b.Begin("begin", Compute, false, nil)
		p.SetPipeline("k", r.kernel("nothing"))
		p.DispatchGroupsAt("d", exec.Address(500, 0), Size{1, 1, 1})
		p.End("end")
	})
	assert.Equal(t, CodePageFault, e.Code)
	e = run(func(b *Buffer) { b.Do("d", func() error { return errors.New("odd") }) })
	assert.EqualError(t, e, "Internal Error: odd")
}

func TestMisuse(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	x, mem := r.words(0, 0, 0, 0)
	k := r.kernel("number")
	required := *k
	required.Required = [3]int{2, 2, 1}
	icb, err := r.gpu.NewIndirect(Shape{Threads: true, InheritPipeline: true}, 2)
	require.NoError(t, err)
	defer icb.Close()
	for _, c := range []struct {
		want string
		do   func(e *Encoder)
	}{
		{"f: no pipeline state is set", func(e *Encoder) { e.Dispatch("f", Size{1, 1, 1}, Size{1, 1, 1}) }},
		{"f: buffer index is 31, want at most 30", func(e *Encoder) { e.SetBuffer("f", x, 31) }},
		{"f: texture index is 128, want at most 127", func(e *Encoder) { e.SetTexture("f", 1, 128) }},
		{"f: sampler index is 16, want at most 15", func(e *Encoder) { e.SetSampler("f", 1, 16) }},
		{"f: length is 4097 bytes, want 1 to 4096", func(e *Encoder) { e.setBytes("f", make([]byte, 4097), 0) }},
		{"f: length is 0 bytes, want 1 to 4096", func(e *Encoder) { e.setBytes("f", nil, 0) }},
		{"f: length is 8 bytes, want a multiple of 16", func(e *Encoder) { e.SetThreadgroupMemory("f", 8, 0) }},
		{"f: length is 32784 bytes, want at most 32768", func(e *Encoder) { e.SetThreadgroupMemory("f", 32784, 0) }},
		{`f: kernel "number": the threadgroup has 1025 threads (1025 x 1 x 1), want at most 1024`, func(e *Encoder) {
			e.SetPipeline("k", k)
			e.Dispatch("f", Size{1, 1, 1}, Size{1025, 1, 1})
		}},
		{`f: kernel "number": the threadgroup is 1 x 0 x 1 threads, want at least 1 each way`, func(e *Encoder) {
			e.SetPipeline("k", k)
			e.Dispatch("f", Size{1, 1, 1}, Size{1, 0, 1})
		}},
		{`f: kernel "number": the threadgroup is 4 x 1 x 1 threads, the pipeline requires 2 x 2 x 1`, func(e *Encoder) {
			e.SetPipeline("k", &required)
			e.Dispatch("f", Size{1, 1, 1}, Size{4, 1, 1})
		}},
		{"f: the grid's height is 0, want at least 1", func(e *Encoder) {
			e.SetPipeline("k", k)
			e.Dispatch("f", Size{1, 0, 1}, Size{1, 1, 1})
		}},
		{"f: the grid's width is 4294967295 x 2 threads, want at most 4294967295", func(e *Encoder) {
			e.SetPipeline("k", k)
			e.DispatchGroups("f", Size{1<<32 - 1, 1, 1}, Size{2, 1, 1})
		}},
		{`f: kernel "number": threadgroup memory is 49152 bytes, 0 of them the kernel's own, want at most 32768`,
			func(e *Encoder) {
				e.SetPipeline("k", k)
				e.SetThreadgroupMemory("m", 24576, 0)
				e.SetThreadgroupMemory("m", 24576, 1)
				e.Dispatch("f", Size{1, 1, 1}, Size{1, 1, 1})
			}},
		{`f: kernel "number": nothing is bound at buffer index 0, argument "out"`, func(e *Encoder) {
			e.SetPipeline("k", k)
			e.SetBuffer("b", 0, 0)
			e.Dispatch("f", Size{1, 1, 1}, Size{1, 1, 1})
		}},
		{"f: no pipeline state is set, which the commands inherit", func(e *Encoder) { e.Execute("f", icb, 0, 1) }},
		{"f: commands 1 to 3 of 2", func(e *Encoder) {
			e.SetPipeline("k", k)
			e.Execute("f", icb, 1, 2)
		}},
		{"f: an encoder of the command buffer has not ended", func(e *Encoder) { e.b.Begin("f", Blit, false, nil) }},
		{"f: the encoder has ended", func(e *Encoder) {
			e.End("e")
			e.SetBuffer("f", x, 0)
		}},
	} {
		b := q.NewBuffer()
		r.encode(b, k, 4, x)
		e := b.Begin("begin", Compute, false, nil)
		e.SetBuffer("b", x, 0)
		c.do(e)
		if !e.Ended() {
			e.End("end")
		}
		b.Commit("commit")
		b.WaitCompleted()
		require.EqualError(t, b.Err(), "Invalid Resource: "+c.want)
		assert.Equal(t, make([]uint32, 4), read(mem), "nothing ran")
	}
	b := q.NewBuffer()
	b.Begin("begin", Compute, false, nil)
	b.Commit("commit")
	b.WaitCompleted()
	assert.EqualError(t, b.Err(), "Invalid Resource: commit: an encoder of the command buffer has not ended")
}

func TestFaults(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Minute})
	q := r.gpu.NewQueue(0)
	run := func() error {
		b := q.NewBuffer()
		b.EncoderStates = true
		r.encode(b, r.kernel("nothing"), 1)
		b.Commit("commit")
		b.WaitCompleted()
		return b.Err()
	}
	r.gpu.Inject(&Faults{CommandEvery: 2, CommandCode: CodePageFault, Slow: 3 * time.Millisecond})
	var slept time.Duration
	r.gpu.sleep = func(d time.Duration) { slept += d }
	require.NoError(t, run())
	assert.Equal(t, 3*time.Millisecond, slept)
	var e *Error
	require.ErrorAs(t, run(), &e)
	assert.Equal(t, CodePageFault, e.Code)
	assert.Equal(t, []EncoderInfo{{State: EncoderAffected, Signposts: []string{}}}, e.Encoders)
	require.NoError(t, run())

	r.gpu.Inject(&Faults{RemoveAfter: 1})
	require.NoError(t, run())
	// A queue that waits is woken.
	b := r.gpu.NewQueue(0).NewBuffer()
	b.Commit("c")
	b.WaitCompleted()
	require.ErrorAs(t, run(), &e)
	assert.Equal(t, CodeDeviceRemoved, e.Code)
	assert.True(t, r.gpu.Removed())
}

func TestRemovalWakesQueues(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Minute})
	b := r.gpu.NewQueue(0).NewBuffer()
	b.Wait("w", NewEvent(), 1)
	b.Commit("c")
	for b.Time(GPUStart) == 0 {
		runtime.Gosched()
	}
	r.gpu.Remove()
	b.WaitCompleted()
	assert.EqualError(t, b.Err(), "Device Removed")
}

func TestIndirectDispatch(t *testing.T) {
	r := newRig(t, Limits{})
	x, mem := r.words(0, 0, 0, 0, 0, 0, 0, 0)
	size, sizeMem := r.words(2, 1, 1)
	threads, _ := r.words(5, 1, 1, 2, 1, 1)
	b := r.gpu.NewQueue(0).NewBuffer()
	e := b.Begin("begin", Compute, true, nil)
	e.SetBuffer("b", x, 0)
	e.SetPipeline("k", r.kernel("number"))
	e.DispatchGroupsAt("d", size, Size{3, 1, 1})
	e.Barrier("b")
	e.SetPipeline("k", r.kernel("twice"))
	e.DispatchAt("d", threads)
	e.End("end")
	binary.LittleEndian.PutUint32(sizeMem, 2)
	b.Commit("c")
	b.WaitCompleted()
	require.NoError(t, b.Err())
	assert.Equal(t, []uint32{2, 4, 6, 8, 10, 6, 0, 0}, read(mem))
}

func TestThreadgroupMemory(t *testing.T) {
	r := newRig(t, Limits{})
	x, mem := r.words(0, 0, 0, 0)
	b := r.gpu.NewQueue(0).NewBuffer()
	e := b.Begin("begin", Compute, false, nil)
	e.SetBuffer("b", x, 0)
	e.SetThreadgroupMemory("m", 16, 0)
	e.SetPipeline("k", r.kernel("shared"))
	e.Dispatch("d", Size{4, 1, 1}, Size{4, 1, 1})
	e.End("end")
	b.Commit("c")
	b.WaitCompleted()
	require.NoError(t, b.Err())
	assert.Equal(t, []uint32{3, 2, 1, 0}, read(mem))
}

func TestIndirectCommands(t *testing.T) {
	r := newRig(t, Limits{})
	x, mem := r.words(0, 0, 0, 0)
	ten, _ := r.words(10)
	icb, err := r.gpu.NewIndirect(Shape{Threads: true, Threadgroups: true, Buffers: 2}, 4)
	require.NoError(t, err)
	require.NoError(t, icb.SetPipeline(0, r.kernel("number")))
	require.NoError(t, icb.SetBuffer(0, x, 0))
	require.NoError(t, icb.Dispatch(0, Size{4, 1, 1}, Size{4, 1, 1}))
	plus := r.kernel("plus")
	r.gpu.AddPipeline(77, plus)
	// As a kernel would.
	k := &encoding{gpu: r.gpu}
	h := k.At(icb.Handle(), 2)
	require.NotZero(t, h)
	assert.Zero(t, k.At(icb.Handle()+1<<32, 0))
	assert.Equal(t, uint32(4), k.Count(icb.Handle()))
	k.Set(h, ir.CommandPipeline, 77, [3]uint32{}, [3]uint32{})
	k.Set(h, ir.CommandBuffer, x, [3]uint32{0}, [3]uint32{})
	k.Set(h, ir.CommandBuffer, ten, [3]uint32{1}, [3]uint32{})
	k.Set(h, ir.CommandThreadgroups, 0, [3]uint32{2, 1, 1}, [3]uint32{2, 1, 1})
	k.Set(h, ir.CommandBarrier, 0, [3]uint32{1}, [3]uint32{})
	require.NoError(t, k.take())
	rng, _ := r.words(0, 3)
	q := r.gpu.NewQueue(0)
	run := func(do func(*Encoder)) error {
		b := q.NewBuffer()
		e := b.Begin("begin", Compute, true, nil)
		do(e)
		e.End("end")
		b.Commit("c")
		b.WaitCompleted()
		return b.Err()
	}
	require.NoError(t, run(func(e *Encoder) { e.Execute("x", icb, 0, 4) }))
	assert.Equal(t, []uint32{11, 12, 13, 14}, read(mem))
	require.NoError(t, run(func(e *Encoder) { e.Execute("x", icb, 2, 1) }))
	assert.Equal(t, []uint32{21, 22, 23, 24}, read(mem))
	require.NoError(t, run(func(e *Encoder) { e.ExecuteAt("x", icb, rng) }))
	assert.Equal(t, []uint32{11, 12, 13, 14}, read(mem))
	bad, _ := r.words(3, 2)
	require.EqualError(t, run(func(e *Encoder) { e.ExecuteAt("x", icb, bad) }),
		"Invalid Resource: x: the range in memory has commands 3 to 5 of 4")

	other, err := r.gpu.NewIndirect(icb.Shape(), 2)
	require.NoError(t, err)
	require.NoError(t, other.Copy(1, icb, 2, 1))
	icb.Reset(0, 4)
	require.NoError(t, run(func(e *Encoder) { e.Execute("x", icb, 0, 4) }))
	assert.Equal(t, []uint32{11, 12, 13, 14}, read(mem), "nothing")
	require.NoError(t, run(func(e *Encoder) { e.Execute("x", other, 0, 2) }))
	assert.Equal(t, []uint32{21, 22, 23, 24}, read(mem))

	require.NoError(t, icb.Dispatch(1, Size{4, 1, 1}, Size{4, 1, 1}))
	require.EqualError(t, run(func(e *Encoder) { e.Execute("x", icb, 1, 1) }),
		"Invalid Resource: x: command 1 has no pipeline state")
	require.Error(t, icb.SetBuffer(0, x, 2))
	require.Error(t, icb.SetMemory(0, 8, 0))
	icb.Close()
	assert.Zero(t, k.Count(icb.Handle()))
	k.Set(h, ir.CommandPipeline, 77, [3]uint32{}, [3]uint32{})
	require.EqualError(t, k.take(),
		"compute_command::set_compute_pipeline_state: the command is of no indirect command buffer")
	r.gpu.RemovePipeline(77)
	other.Close()
	_, err = r.gpu.NewIndirect(Shape{}, 16385)
	require.ErrorContains(t, err, "want 1 to 16384")
}

func TestSamples(t *testing.T) {
	r := newRig(t, Limits{})
	s := NewSamples(3)
	b := r.gpu.NewQueue(0).NewBuffer()
	e := b.Begin("begin", Compute, false, []Boundary{{s, 0, 2}, {s, DontSample, DontSample}})
	e.End("end")
	b.Commit("c")
	b.WaitCompleted()
	require.NoError(t, b.Err())
	got := s.Read(0, 3)
	first, last := binary.LittleEndian.Uint64(got), binary.LittleEndian.Uint64(got[16:])
	assert.LessOrEqual(t, b.Time(GPUStart), first)
	assert.Less(t, uint64(0), first)
	assert.LessOrEqual(t, first, last)
	assert.LessOrEqual(t, last, b.Time(GPUEnd))
	assert.Zero(t, binary.LittleEndian.Uint64(got[8:]))
	assert.Nil(t, s.Read(1, 3))
	s.Clear(0, 9)
	assert.Equal(t, make([]byte, 24), s.Read(0, 3))
	b = r.gpu.NewQueue(0).NewBuffer()
	b.Begin("begin", Compute, false, []Boundary{{s, 3, DontSample}}).End("end")
	b.Commit("c")
	b.WaitCompleted()
	require.ErrorContains(t, b.Err(), "sample index is 3, the counter sample buffer has 3 samples")
}

// TestManyGoroutines has queues and buffers of many goroutines share the GPU.
func TestManyGoroutines(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(8)
	k := r.kernel("plus")
	var wg sync.WaitGroup
	for g := range 16 {
		x, mem := r.words(0, 0, 0, 0)
		wg.Add(1)
		go func() {
			defer wg.Done()
			mine := q
			if g%2 == 0 {
				mine = r.gpu.NewQueue(2)
			}
			var ran atomic.Int32
			for i := range 50 {
				b := mine.NewBuffer()
				e := b.Begin("begin", Compute, false, nil)
				e.SetPipeline("k", k)
				e.SetBuffer("b", x, 0)
				e.setBytes("b", []byte{1, 0, 0, 0}, 1)
				e.Dispatch("d", Size{4, 1, 1}, Size{4, 1, 1})
				e.End("end")
				b.OnCompleted("h", func() { ran.Add(1) })
				if i%3 == 0 {
					b.OnScheduled("h", func() { ran.Add(1) })
				}
				b.Commit("c")
				if i%4 != 0 || i == 48 {
					b.WaitCompleted()
				}
			}
			last := mine.NewBuffer()
			last.Commit("c")
			last.WaitCompleted()
			assert.Equal(t, []uint32{50, 50, 50, 50}, read(mem))
			assert.Equal(t, int32(67), ran.Load())
		}()
	}
	wg.Wait()
}
