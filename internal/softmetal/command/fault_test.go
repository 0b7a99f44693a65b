package command

import (
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// states are those of a failed buffer's encoders.
func states(t *testing.T, b *Buffer) []EncoderState {
	t.Helper()
	var e *Error
	require.ErrorAs(t, b.Err(), &e)
	var out []EncoderState
	for _, i := range e.Encoders {
		out = append(out, i.State)
	}
	return out
}

// TestFailedBufferKeepsItsPlace: one that fails before it begins signals only after what it would
// have waited for.
func TestFailedBufferKeepsItsPlace(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Minute})
	for name, breaks := range map[string]func(*Buffer){
		"injected": func(*Buffer) { r.gpu.Inject(&Faults{CommandEvery: 1, CommandCode: CodeInternal}) },
		"misuse":   func(b *Buffer) { b.Misuse("call", "wrong") },
		"prepare":  func(b *Buffer) { b.Prepare = func() error { return errors.New("not ready") } },
		"command": func(b *Buffer) {
			b.Do("call", func() error { return errors.New("failed") })
		},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := NewEvent(), NewEvent()
			b := r.gpu.NewQueue(0).NewBuffer()
			if name == "command" {
				breaks(b)
			}
			b.Wait("w", before, 1)
			b.Signal("s", after, 1)
			if name != "command" {
				breaks(b)
			}
			b.Commit("c")
			assert.False(t, after.Wait(1, 5*time.Millisecond, nil), "before it was its turn")
			before.Signal(1)
			b.WaitCompleted()
			require.Error(t, b.Err())
			assert.EqualValues(t, 1, after.Value())
			r.gpu.Inject(nil)
		})
	}
}

// TestFailedWaitsEnd: of a failed buffer's waits, one that times out is the last, and its signals
// come all the same.
func TestFailedWaitsEnd(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Millisecond})
	never, after := NewEvent(), NewEvent()
	b := r.gpu.NewQueue(0).NewBuffer()
	b.EncoderStates = true
	r.encode(b, r.kernel("nothing"), 1)
	for range 1000 {
		b.Wait("w", never, 1)
	}
	b.Signal("s", after, 5)
	r.encode(b, r.kernel("nothing"), 1)
	b.Commit("c")
	b.WaitCompleted()
	require.EqualError(t, b.Err(), "Caused GPU Timeout Error: w: the event has value 0, and did not reach 1 in 1ms")
	assert.EqualValues(t, 5, after.Value())
	assert.Equal(t, []EncoderState{EncoderCompleted, EncoderPending}, states(t, b), "the wait is no encoder's fault")
}

// TestFailedBufferWithoutSignals does not wait for what orders nothing.
func TestFailedBufferWithoutSignals(t *testing.T) {
	r := newRig(t, Limits{EventTimeout: time.Hour})
	b := r.gpu.NewQueue(0).NewBuffer()
	b.Signal("s", NewEvent(), 1)
	b.Wait("w", NewEvent(), 1)
	b.Misuse("call", "wrong")
	b.Commit("c")
	b.WaitCompleted()
	require.Error(t, b.Err())
}

// TestMisusedEncoders: of a buffer with a misuse nothing runs, and its error says so.
func TestMisusedEncoders(t *testing.T) {
	r := newRig(t, Limits{})
	b := r.gpu.NewQueue(0).NewBuffer()
	b.EncoderStates = true
	r.encode(b, r.kernel("nothing"), 1)
	e := b.Begin("begin", Compute, false, nil)
	e.Signpost("before")
	e.Dispatch("d", Size{1, 1, 1}, Size{1, 1, 1})
	e.End("end")
	r.encode(b, r.kernel("nothing"), 1)
	b.Commit("c")
	b.WaitCompleted()
	assert.Equal(t, []EncoderState{EncoderPending, EncoderFaulted, EncoderPending}, states(t, b))

	b = r.gpu.NewQueue(0).NewBuffer()
	b.EncoderStates = true
	r.encode(b, r.kernel("nothing"), 1)
	b.Misuse("call", "wrong")
	b.Commit("c")
	b.WaitCompleted()
	assert.Equal(t, []EncoderState{EncoderPending}, states(t, b))
}

// TestHandlersOfFailures: handlers run, in their order, whatever becomes of the buffers, and each
// finds its own at its end.
func TestHandlersOfFailures(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	const n = 30
	r.gpu.Inject(&Faults{CommandEvery: 3, CommandCode: CodeOutOfMemory, RemoveAfter: 20})
	var mu sync.Mutex
	var scheduled, completed []int
	var got [n]Status
	bs := make([]*Buffer, n)
	for i := range bs {
		b := q.NewBuffer()
		bs[i] = b
		r.encode(b, r.kernel("nothing"), 1)
		if i%7 == 3 {
			b.Misuse("call", "wrong")
		}
		b.OnScheduled("h", func() { mu.Lock(); defer mu.Unlock(); scheduled = append(scheduled, i) })
		b.OnCompleted("h", func() { mu.Lock(); defer mu.Unlock(); completed = append(completed, i); got[i] = b.Status() })
	}
	for _, b := range bs {
		b.Commit("c")
	}
	bs[n-1].WaitCompleted()
	mu.Lock()
	defer mu.Unlock()
	assert.Len(t, scheduled, n)
	assert.IsIncreasing(t, scheduled)
	assert.Len(t, completed, n)
	assert.IsIncreasing(t, completed)
	begun := 0 // those that faults count
	for i, b := range bs {
		want := CodeNone
		switch {
		case begun >= 20 && i%7 != 3, r.removedBy(b):
			want = CodeDeviceRemoved
		case i%7 == 3:
			want = CodeInvalidResource
		default:
			if begun++; begun%3 == 0 {
				want = CodeOutOfMemory
			}
		}
		var e *Error
		if want == CodeNone {
			assert.NoError(t, b.Err(), "buffer %d", i)
			assert.Equal(t, Completed, got[i])
			continue
		}
		require.ErrorAs(t, b.Err(), &e, "buffer %d", i)
		assert.Equal(t, want, e.Code, "buffer %d", i)
		assert.Equal(t, Failed, got[i])
	}
	assert.Equal(t, 20, begun)
}

// removedBy reports whether a buffer failed because the device had been removed before it began.
func (r *rig) removedBy(b *Buffer) bool {
	var e *Error
	return errors.As(b.Err(), &e) && e.Code == CodeDeviceRemoved
}

// TestRestore has who watches hear once of each change, and the queue go on afterwards.
func TestRestore(t *testing.T) {
	r := newRig(t, Limits{})
	q := r.gpu.NewQueue(0)
	var heard []bool
	r.gpu.OnAttached(func(here bool) { heard = append(heard, here) })
	run := func() *Buffer {
		b := q.NewBuffer()
		b.EncoderStates = true
		r.encode(b, r.kernel("nothing"), 1)
		b.Commit("c")
		b.WaitCompleted()
		return b
	}
	r.gpu.Restore()
	require.NoError(t, run().Err())
	r.gpu.Remove()
	r.gpu.Remove()
	for range 3 {
		b := run()
		require.EqualError(t, b.Err(), "Device Removed")
		assert.Equal(t, []EncoderState{EncoderPending}, states(t, b))
	}
	r.gpu.Restore()
	require.NoError(t, run().Err())
	assert.Equal(t, []bool{false, true}, heard)
}

func TestCodes(t *testing.T) {
	var known []Code
	for c := Code(-1); c < 20; c++ {
		if c.Known() {
			known = append(known, c)
		}
	}
	assert.Equal(t, []Code{1, 2, 3, 4, 7, 8, 9, 10, 11, 12}, known)
}
