package conformance

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func commandCases() []aCase {
	return []aCase{
		{"not enqueued", "A new command buffer is not enqueued.", func(r *rig) {
			assert.Equal(r, mtl.CommandBufferStatusNotEnqueued, r.commands().Status())
		}},
		{"enqueued", "Enqueue makes a command buffer enqueued.", func(r *rig) {
			b := r.commands()
			do(b.Enqueue())
			assert.Equal(r, mtl.CommandBufferStatusEnqueued, b.Status())
			r.finish(b)
		}},
		{"completed", "A command buffer that was committed and waited for is completed, without error.", func(r *rig) {
			b := r.commands()
			r.finish(b)
			assert.Equal(r, mtl.CommandBufferStatusCompleted, b.Status())
			do(b.Err())
		}},
		{"committed", "A command buffer is at least committed once Commit returns.", func(r *rig) {
			b := r.commands()
			do(b.Commit())
			assert.GreaterOrEqual(r, b.Status(), mtl.CommandBufferStatusCommitted)
			do(b.Wait(r.Context()))
		}},
		{"scheduled", "Waiting until scheduled returns with a command buffer that is scheduled or further.", func(r *rig) {
			b := r.commands()
			do(b.Commit(), b.WaitUntilScheduled())
			assert.GreaterOrEqual(r, b.Status(), mtl.CommandBufferStatusScheduled)
			do(b.WaitUntilCompleted())
			assert.Equal(r, mtl.CommandBufferStatusCompleted, b.Status())
		}},
		{"commit twice", "A command buffer is committed once.", func(r *rig) {
			b := r.commands()
			r.finish(b)
			assert.Error(r, b.Commit())
		}},
		{"wait before commit", "Nobody waits for a command buffer that is not committed.", func(r *rig) {
			b := r.commands()
			r.refused(b.WaitUntilCompleted(), mtl.ErrState)
			r.refused(b.WaitUntilScheduled(), mtl.ErrState)
			r.refused(b.Wait(r.Context()), mtl.ErrState)
			r.finish(b)
		}},
		{"commit with open encoder", "A command buffer with an open encoder is not committed.", func(r *rig) {
			b := r.commands()
			e := must(b.ComputeCommandEncoder())
			r.refused(b.Commit(), mtl.ErrOpen)
			do(e.EndEncoding())
			r.finish(b)
		}},
		{"two encoders", "A command buffer has one open encoder at a time.", func(r *rig) {
			b := r.commands()
			e := must(b.ComputeCommandEncoder())
			_, err := b.BlitCommandEncoder()
			r.refused(err, mtl.ErrOpen)
			do(e.EndEncoding())
			r.finish(b)
		}},
		{"encode after commit", "A committed command buffer takes no encoders.", func(r *rig) {
			b := r.commands()
			r.finish(b)
			_, err := b.ComputeCommandEncoder()
			r.refused(err, mtl.ErrClosed)
		}},
		{"handlers after commit", "A committed command buffer takes no handlers.", func(r *rig) {
			b := r.commands()
			r.finish(b)
			r.refused(b.AddCompletedHandler(func(mtl.CommandBuffer) {}), mtl.ErrClosed)
			r.refused(b.AddScheduledHandler(func(mtl.CommandBuffer) {}), mtl.ErrClosed)
		}},
		{"nil handler", "A handler that is nil is refused.", func(r *rig) {
			b := r.commands()
			r.refused(b.AddCompletedHandler(nil), mtl.ErrNil)
			r.refused(b.AddScheduledHandler(nil), mtl.ErrNil)
			r.finish(b)
		}},
		{"handlers' order", "Scheduled handlers run before completed handlers, each kind in the order they were added.",
			func(r *rig) {
				b := r.commands()
				var mu sync.Mutex
				var got []string
				note := func(s string) func(mtl.CommandBuffer) {
					return func(mtl.CommandBuffer) { mu.Lock(); defer mu.Unlock(); got = append(got, s) }
				}
				do(b.AddCompletedHandler(note("c1")), b.AddScheduledHandler(note("s1")), b.AddCompletedHandler(note("c2")),
					b.AddScheduledHandler(note("s2")))
				r.finish(b)
				mu.Lock()
				defer mu.Unlock()
				assert.Equal(r, []string{"s1", "s2", "c1", "c2"}, got)
			}},
		{"handler's status", "A completed handler sees a completed command buffer.", func(r *rig) {
			b := r.commands()
			var status atomic.Int64
			do(b.AddCompletedHandler(func(b mtl.CommandBuffer) { status.Store(int64(b.Status())) }))
			r.finish(b)
			assert.Equal(r, int64(mtl.CommandBufferStatusCompleted), status.Load())
		}},
		{"handlers before wait", "Waiting for completion returns after the completed handlers have run.", func(r *rig) {
			b := r.commands()
			var done atomic.Bool
			do(b.AddCompletedHandler(func(mtl.CommandBuffer) { time.Sleep(5 * time.Millisecond); done.Store(true) }))
			r.finish(b)
			assert.True(r, done.Load())
		}},
		{"completion in order", "Command buffers of a queue complete in the order of their commits.", func(r *rig) {
			var mu sync.Mutex
			var got []int
			var last mtl.CommandBuffer
			for i := range 20 {
				b := r.commands()
				do(b.AddCompletedHandler(func(mtl.CommandBuffer) { mu.Lock(); defer mu.Unlock(); got = append(got, i) }),
					b.Commit())
				last = b
			}
			do(last.Wait(r.Context()))
			mu.Lock()
			defer mu.Unlock()
			assert.Len(r, got, 20)
			assert.True(r, slices.IsSorted(got), "%v", got)
		}},
		{"enqueue reserves", "Command buffers run in the order they were enqueued, not committed.", func(r *rig) {
			a, b := r.kernel("plus"), r.kernel("twice")
			x := r.uints(1)
			first, second := r.commands(), r.commands()
			do(first.Enqueue(), second.Enqueue())
			r.encode(second, func(e mtl.ComputeCommandEncoder) { set(e, b, x); do(e.DispatchThreads(line(1), line(1))) })
			do(second.Commit())
			r.encode(first, func(e mtl.ComputeCommandEncoder) {
				set(e, a, x)
				do(e.SetBytes(word(4), 1), e.DispatchThreads(line(1), line(1)))
			})
			do(first.Commit(), second.Wait(r.Context()))
			assert.Equal(r, []uint32{10}, r.words(x))
		}},
		{"queue order", "A command buffer sees what the one committed before it wrote.", func(r *rig) {
			p, x := r.kernel("twice"), r.uints(1)
			var last mtl.CommandBuffer
			for range 10 {
				last = r.commands()
				r.encode(last, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(1), line(1))) })
				do(last.Commit())
			}
			do(last.Wait(r.Context()))
			assert.Equal(r, []uint32{1024}, r.words(x))
		}},
		{"times", "A completed command buffer has times of the GPU that do not go back.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(4096)
			b := r.commands()
			r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(1024), line(64))) })
			r.finish(b)
			assert.Less(r, 0, b.GPUStartTime())
			assert.GreaterOrEqual(r, b.GPUEndTime(), b.GPUStartTime())
			assert.GreaterOrEqual(r, b.KernelEndTime(), b.KernelStartTime())
		}},
		{"label", "A command buffer and its queue keep their labels.", func(r *rig) {
			b := r.commands()
			b.SetLabel("frame 1")
			r.queue().SetLabel("main queue")
			assert.Equal(r, "frame 1", b.Label())
			assert.Equal(r, "main queue", b.CommandQueue().Label())
			r.finish(b)
		}},
		{"belongs", "A command buffer names its queue and device.", func(r *rig) {
			b := r.commands()
			assert.Equal(r, r.queue().ID(), b.CommandQueue().ID())
			assert.Equal(r, r.device.RegistryID(), b.Device().RegistryID())
			r.finish(b)
		}},
		{"retained references", "A command buffer retains its resources unless asked not to.", func(r *rig) {
			b, u := r.commands(), must(r.queue().CommandBufferWithUnretainedReferences())
			assert.True(r, b.RetainedReferences())
			assert.False(r, u.RetainedReferences())
			r.finish(b)
			r.finish(u)
		}},
		{"unretained runs", "A command buffer with unretained references runs as any other.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(64)
			b := must(r.queue().CommandBufferWithUnretainedReferences())
			r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(16), line(16))) })
			r.finish(b)
			assert.Equal(r, count(16), r.words(x))
		}},
		{"descriptor", "A command buffer has the options of its descriptor.", func(r *rig) {
			d := own(r, must(mtl.NewCommandBufferDescriptor()))
			assert.True(r, d.RetainedReferences())
			assert.Equal(r, mtl.CommandBufferErrorOptionNone, d.ErrorOptions())
			d.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
			d.SetRetainedReferences(false)
			b := must(r.queue().CommandBufferWithDescriptor(d))
			assert.Equal(r, mtl.CommandBufferErrorOptionEncoderExecutionStatus, b.ErrorOptions())
			assert.False(r, b.RetainedReferences())
			r.finish(b)
		}},
		{"debug groups", "Debug groups of a command buffer nest, and one that is not open cannot be closed.", func(r *rig) {
			b := r.commands()
			do(b.PushDebugGroup("x"), b.PopDebugGroup())
			assert.Error(r, b.PopDebugGroup())
			r.finish(b)
		}},
		{"no queue of nothing", "A queue of no command buffers is refused, with the least number.", func(r *rig) {
			_, err := r.device.NewCommandQueueWithMaxCommandBufferCount(0)
			r.beyond(err, mtl.ErrLength, 0, 1)
		}},
		{"small queue", "A queue of one command buffer runs them one after the other.", func(r *rig) {
			q := own(r, must(r.device.NewCommandQueueWithMaxCommandBufferCount(1)))
			p, x := r.kernel("twice"), r.uints(1)
			for range 5 {
				pooled(func() {
					b := must(q.CommandBuffer())
					r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(1), line(1))) })
					r.finish(b)
				})
			}
			assert.Equal(r, []uint32{32}, r.words(x))
		}},
		{"full queue waits", "A queue whose command buffers are all in use makes the next one wait.", func(r *rig) {
			q := own(r, must(r.device.NewCommandQueueWithMaxCommandBufferCount(1)))
			ev := own(r, r.device.NewSharedEvent())
			got := make(chan struct{})
			pooled(func() {
				b := must(q.CommandBuffer())
				do(b.EncodeWaitForEvent(ev.Event, 1), b.Commit())
			})
			go pooled(func() {
				b, err := q.CommandBuffer()
				if assert.NoError(r, err) {
					assert.NoError(r, b.Commit())
					assert.NoError(r, b.WaitUntilCompleted())
				}
				close(got)
			})
			select {
			case <-got:
				r.Error("two command buffers of a queue of one")
			case <-time.After(20 * time.Millisecond):
			}
			do(ev.SetSignaledValue(1))
			<-got
		}},
		{"wait gives up", "A wait whose context ends returns its error, and the command buffer goes on.", func(r *rig) {
			ev := own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeWaitForEvent(ev.Event, 1), b.Commit())
			ctx, cancel := context.WithTimeout(r.Context(), 10*time.Millisecond)
			defer cancel()
			r.refused(b.Wait(ctx), context.DeadlineExceeded)
			do(ev.SetSignaledValue(1), b.Wait(r.Context()))
		}},
		{"many wait", "Any number of goroutines wait for one command buffer.", func(r *rig) {
			ev := own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeWaitForEvent(ev.Event, 1), b.Commit())
			var wg sync.WaitGroup
			for range 16 {
				wg.Go(func() { assert.NoError(r, b.Wait(r.Context())) })
			}
			do(ev.SetSignaledValue(1))
			wg.Wait()
		}},
		{"queue released", "Command buffers outlive the release of their queue.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(64)
			q := must(r.device.NewCommandQueue())
			b := must(q.CommandBuffer())
			q.Release()
			r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(16), line(16))) })
			r.finish(b)
			assert.Equal(r, count(16), r.words(x))
		}},
		{"never committed", "A command buffer that is never committed leaves nothing behind.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(64)
			pooled(func() {
				r.encode(r.commands(), func(e mtl.ComputeCommandEncoder) {
					set(e, p, x)
					do(e.DispatchThreads(line(16), line(16)))
				})
			})
			assert.Equal(r, make([]uint32, 16), r.words(x))
		}},
		{"two queues", "Queues of one device run apart: one that waits does not hold the other.", func(r *rig) {
			ev, q := own(r, r.device.NewSharedEvent()), own(r, must(r.device.NewCommandQueue()))
			a := r.commands()
			do(a.EncodeWaitForEvent(ev.Event, 1), a.Commit())
			b := must(q.CommandBuffer())
			r.finish(b)
			r.holds(assert.Less(r, a.Status(), mtl.CommandBufferStatusCompleted))
			do(ev.SetSignaledValue(1), a.Wait(r.Context()))
		}},
	}
}
