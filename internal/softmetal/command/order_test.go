package command

import (
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/puremetal/puremetal/internal/exec/hook"
)

// turns records the turns of launches and copies, in the order of their starts.
type turns struct {
	*rig
	mu   sync.Mutex
	list []*Turn
}

func newTurns(t *testing.T) *turns {
	o := &turns{rig: newRig(t, Limits{})}
	o.gpu.ObserveOrder(func(c *Copied) {
		if !c.Untracked { // else an execution reads an indirect command buffer
			o.add(c.Turn)
		}
	})
	o.gpu.Observe(func(l *Launched) (hook.Hook, func(error)) {
		o.add(l.Turn)
		return nil, nil
	})
	return o
}

// orderedBytes are the memory that two commands access, through buffers.
var orderedBytes = make([]byte, 200)

func (o *turns) add(t *Turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, t)
}

// two returns whether the earlier one of two commands in the list of their command buffer is before
// the other, with tracked memory or without.
func (o *turns) two() (untracked, tracked bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	require.Len(o, o.list, 2)
	a, b := o.list[0], o.list[1]
	if a.pass == b.pass && (a.op > b.op || a.op == b.op && a.index > b.index) {
		a, b = b, a // they have run side by side
	}
	assert.False(o, b.Before(a, true, 100, Buffers))
	at := reflect.ValueOf(orderedBytes).Pointer() + 100
	return a.Before(b, false, at, Buffers), a.Before(b, true, at, Buffers)
}

// open opens an encoder with a kernel that accesses no memory: most of the commands here may run at
// the same time, and the race detector reports what they would do to each other's.
func (o *turns) open(b *Buffer, concurrent bool) *Encoder {
	e := b.Begin("begin", Compute, concurrent, nil)
	require.NotNil(o, e)
	e.SetPipeline("kernel", o.kernel("nothing"))
	return e
}

func (e *Encoder) one() { e.Dispatch("dispatch", Size{1, 1, 1}, Size{1, 1, 1}) }

// inEncoder runs commands of one encoder.
func (o *turns) inEncoder(concurrent bool, do func(e *Encoder)) {
	b := o.gpu.NewQueue(0).NewBuffer()
	e := o.open(b, concurrent)
	do(e)
	e.End("end")
	b.Commit("commit")
	b.WaitCompleted()
	require.NoError(o, b.Err())
}

// inEncoders runs two encoders of a queue, of Metal 4 if there is an allocator.
func (o *turns) inEncoders(a *Allocator, first, second func(e *Encoder)) {
	q := o.gpu.NewQueue(0)
	var b *Buffer
	if a != nil {
		b = a.Begin()
	} else {
		b = q.NewBuffer()
	}
	for _, do := range []func(e *Encoder){first, second} {
		e := o.open(b, true)
		do(e)
		e.End("end")
	}
	if a != nil {
		b.Close()
		require.NoError(o, q.CommitAll([]*Buffer{b}))
		o.reach(q)
		return
	}
	b.Commit("commit")
	b.WaitCompleted()
	require.NoError(o, b.Err())
}

// TestTurns: which of two commands is before the other, as far as Metal promises it.
func TestTurns(t *testing.T) {
	one := func(e *Encoder) { e.one() }
	twice := func(between func(e *Encoder)) func(e *Encoder) {
		return func(e *Encoder) {
			e.one()
			between(e)
			e.one()
		}
	}
	nothing := func(*Encoder) {}
	commit := func(b *Buffer, o *turns) {
		e := o.open(b, false)
		e.one()
		e.End("end")
		b.Commit("commit")
	}
	for name, x := range map[string]struct {
		run                func(o *turns)
		untracked, tracked bool
	}{
		"serial encoder":     {func(o *turns) { o.inEncoder(false, twice(nothing)) }, true, true},
		"concurrent encoder": {func(o *turns) { o.inEncoder(true, twice(nothing)) }, false, false},
		"concurrent encoder with a barrier": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) { e.Barrier("barrier") }))
		}, true, true},
		"barrier of buffers": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) { e.BarrierFor("barrier", BarrierOf{Scope: Buffers}) }))
		}, true, true},
		"barrier of textures": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) { e.BarrierFor("barrier", BarrierOf{Scope: Textures}) }))
		}, false, false},
		"barrier of textures, then of all": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) {
				e.BarrierFor("barrier", BarrierOf{Scope: Textures})
				e.Barrier("barrier")
			}))
		}, true, true},
		"barrier of all, then of textures": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) {
				e.Barrier("barrier")
				e.BarrierFor("barrier", BarrierOf{Scope: Textures})
			}))
		}, true, true},
		"barrier of the resource": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) {
				e.BarrierFor("barrier", BarrierOf{Memory: [][]byte{{1}, orderedBytes}})
			}))
		}, true, true},
		"barrier of other resources": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) {
				e.BarrierFor("barrier", BarrierOf{Memory: [][]byte{{1}, orderedBytes[:100]}})
			}))
		}, false, false},
		"barrier of no memory": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) { e.BarrierFor("barrier", BarrierOf{}) }))
		}, false, false},
		"barrier of the resource, after another": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) {
				e.BarrierFor("barrier", BarrierOf{Memory: [][]byte{orderedBytes}})
				e.BarrierFor("barrier", BarrierOf{Scope: Textures})
			}))
		}, true, true},
		"barrier after a fence": {func(o *turns) {
			o.inEncoder(true, twice(func(e *Encoder) {
				e.UpdateFence("update", new(Fence))
				e.Barrier("barrier")
			}))
		}, true, true},
		"encoders": {func(o *turns) { o.inEncoders(nil, one, one) }, false, true},
		"encoders with a fence": {func(o *turns) {
			f := new(Fence)
			o.inEncoders(nil, func(e *Encoder) {
				e.one()
				e.UpdateFence("update", f)
			}, func(e *Encoder) {
				e.WaitFence("wait", f)
				e.one()
			})
		}, true, true},
		"a wait after the command": {func(o *turns) {
			f := new(Fence)
			o.inEncoders(nil, func(e *Encoder) {
				e.one()
				e.UpdateFence("update", f)
			}, func(e *Encoder) {
				e.one()
				e.WaitFence("wait", f)
			})
		}, false, true},
		"an update before the command": {func(o *turns) {
			f := new(Fence)
			o.inEncoders(nil, func(e *Encoder) {
				e.UpdateFence("update", f)
				e.one()
			}, func(e *Encoder) {
				e.WaitFence("wait", f)
				e.one()
			})
		}, false, true},
		"another fence": {func(o *turns) {
			o.inEncoders(nil, func(e *Encoder) {
				e.one()
				e.UpdateFence("update", new(Fence))
			}, func(e *Encoder) {
				e.WaitFence("wait", new(Fence))
				e.one()
			})
		}, false, true},
		"encoders of Metal 4": {func(o *turns) { o.inEncoders(o.gpu.NewAllocator(), one, one) }, false, false},
		"a barrier after stages of the queue": {func(o *turns) {
			o.inEncoders(o.gpu.NewAllocator(), one, func(e *Encoder) {
				e.BarrierAfterQueue("barrier")
				e.one()
			})
		}, true, true},
		"a barrier before stages of the queue": {func(o *turns) {
			o.inEncoders(o.gpu.NewAllocator(), func(e *Encoder) {
				e.one()
				e.BarrierBeforeQueue("barrier")
			}, one)
		}, true, true},
		"a barrier between stages of an encoder": {func(o *turns) {
			o.inEncoders(o.gpu.NewAllocator(), func(e *Encoder) {
				e.one()
				e.Barrier("barrier")
			}, one)
		}, false, false},
		"queues": {func(o *turns) {
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			commit(a, o)
			o.reachQuietly(a)
			commit(b, o)
			b.WaitCompleted()
		}, false, false},
		"queues, and the program waits": {func(o *turns) {
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			commit(a, o)
			a.WaitCompleted()
			commit(b, o)
			b.WaitCompleted()
		}, true, true},
		"queues, and a handler": {func(o *turns) {
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			called := make(chan bool)
			a.OnCompleted("handler", func() { close(called) })
			commit(a, o)
			<-called
			commit(b, o)
			b.WaitCompleted()
		}, true, true},
		"queues, and a quiet handler": {func(o *turns) {
			q := o.gpu.NewQueue(0)
			require.NotZero(o, q.QuietHandlers())
			a, b := q.NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			called := make(chan bool)
			a.OnCompleted("handler", func() { close(called) })
			commit(a, o)
			<-called
			commit(b, o)
			b.WaitCompleted()
		}, false, false},
		"queues, and what the owner of a quiet one has seen": {func(o *turns) {
			q := o.gpu.NewQueue(0)
			n := q.QuietHandlers()
			a, b := q.NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			commit(a, o)
			a.WaitCompleted()
			o.gpu.Seen(n)
			commit(b, o)
			b.WaitCompleted()
		}, true, true},
		"queues, committed before the wait": {func(o *turns) {
			gate := NewEvent()
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			b.Wait("wait", gate, 1)
			commit(b, o)
			commit(a, o)
			a.WaitCompleted()
			gate.Signal(1) // not by the program, as far as the record knows
			b.WaitCompleted()
		}, false, false},
		"queues, and the program signals after a wait": {func(o *turns) {
			gate := NewEvent()
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			b.Wait("wait", gate, 1)
			commit(b, o)
			commit(a, o)
			a.WaitCompleted()
			o.gpu.SignalByProgram(gate, 1)
			b.WaitCompleted()
		}, true, true},
		"queues with an event": {func(o *turns) {
			ev := NewEvent()
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			b.Wait("wait", ev, 3)
			commit(b, o)
			e := o.open(a, true)
			e.one()
			e.End("end")
			a.Signal("signal", ev, 5)
			a.Commit("commit")
			b.WaitCompleted()
			a.WaitCompleted()
		}, true, true},
		"a signal before the command": {func(o *turns) {
			ev := NewEvent()
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			a.Signal("signal", ev, 1)
			commit(a, o)
			o.reachQuietly(a)
			b.Wait("wait", ev, 1)
			commit(b, o)
			b.WaitCompleted()
		}, false, false},
		"the program sees an event": {func(o *turns) {
			ev := NewEvent()
			a, b := o.gpu.NewQueue(0).NewBuffer(), o.gpu.NewQueue(0).NewBuffer()
			e := o.open(a, true)
			e.one()
			e.End("end")
			a.Signal("signal", ev, 1)
			a.Commit("commit")
			require.True(o, ev.Wait(1, time.Minute, nil))
			o.gpu.SeenEvent(ev, 1)
			commit(b, o)
			b.WaitCompleted()
			a.WaitCompleted()
		}, true, true},
		"copies of a concurrent encoder": {func(o *turns) {
			o.inEncoder(true, func(e *Encoder) {
				e.Copy("copy", func(c *Copies) error { c.Copied([]byte{1}, nil); return nil })
				e.one()
			})
		}, false, false},
		"commands of an indirect command buffer": {func(o *turns) { o.indirect(false) }, false, false},
		"such commands with a barrier":           {func(o *turns) { o.indirect(true) }, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			o := newTurns(t)
			x.run(o)
			untracked, tracked := o.two()
			assert.Equal(t, [2]bool{x.untracked, x.tracked}, [2]bool{untracked, tracked})
			if !tracked {
				what, advice := o.list[0].Missing(o.list[1])
				assert.Contains(t, what, "nothing orders")
				assert.NotEmpty(t, advice)
			}
		})
	}
}

// reachQuietly waits for the end of a buffer without the record's knowing.
func (o *turns) reachQuietly(b *Buffer) {
	require.Eventually(o, func() bool { return b.Status() == Completed }, time.Minute, time.Millisecond)
}

// indirect runs two commands of an indirect command buffer.
func (o *turns) indirect(barrier bool) {
	icb, err := o.gpu.NewIndirect(Shape{Threads: true, InheritPipeline: true, InheritBuffers: true}, 2)
	require.NoError(o, err)
	defer icb.Close()
	for i := range 2 {
		require.NoError(o, icb.Dispatch(i, Size{1, 1, 1}, Size{1, 1, 1}))
	}
	icb.SetBarrier(1, barrier)
	o.inEncoder(true, func(e *Encoder) { e.Execute("execute", icb, 0, 2) })
}

// TestClockStaysShort: encoders that a chain of fences orders take one number, not one each.
func TestClockStaysShort(t *testing.T) {
	o := newTurns(t)
	q, f := o.gpu.NewQueue(0), new(Fence)
	for range 100 {
		b := q.NewBuffer()
		e := o.open(b, true)
		e.WaitFence("wait", f)
		e.one()
		e.UpdateFence("update", f)
		e.End("end")
		b.Commit("commit")
		o.reachQuietly(b)
	}
	last := o.list[len(o.list)-1]
	for _, x := range o.list[:99] {
		require.True(t, x.Before(last, false, 0, Buffers))
		require.False(t, last.Before(x, false, 0, Buffers))
	}
	assert.LessOrEqual(t, len(last.before.passes), 2)
}
