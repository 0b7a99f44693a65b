package conformance

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func eventCases() []aCase {
	return []aCase{
		{"event", "An event has a device and keeps its label.", func(r *rig) {
			e := own(r, r.device.NewEvent())
			e.SetLabel("ready")
			assert.Equal(r, "ready", e.Label())
			assert.Equal(r, r.device.RegistryID(), e.Device().RegistryID())
		}},
		{"starts at zero", "A shared event starts at zero.", func(r *rig) {
			assert.Zero(r, own(r, r.device.NewSharedEvent()).SignaledValue())
		}},
		{"cpu signals", "A shared event has the value that the CPU signals.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			do(e.SetSignaledValue(5))
			assert.Equal(r, uint64(5), e.SignaledValue())
		}},
		{"large value", "An event counts with 64 bits.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			do(e.SetSignaledValue(1<<63 + 1))
			assert.Equal(r, uint64(1<<63+1), e.SignaledValue())
		}},
		{"backwards", "An event does not count backwards: the value and the present one are in the error.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			do(e.SetSignaledValue(5))
			r.beyond(e.SetSignaledValue(4), mtl.ErrValue, 4, 5)
		}},
		{"gpu signals", "A command buffer signals an event when it gets there.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeSignalEvent(e.Event, 7))
			assert.Zero(r, e.SignaledValue())
			r.finish(b)
			assert.Equal(r, uint64(7), e.SignaledValue())
		}},
		{"gpu signals twice", "A command buffer signals several values in order.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeSignalEvent(e.Event, 1), b.EncodeSignalEvent(e.Event, 2))
			r.finish(b)
			assert.Equal(r, uint64(2), e.SignaledValue())
		}},
		{"gpu waits", "A command buffer waits for the value of an event.", func(r *rig) {
			p, x, e := r.kernel("twice"), r.uints(1), own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeWaitForEvent(e.Event, 3))
			r.encode(b, func(c mtl.ComputeCommandEncoder) { set(c, p, x); do(c.DispatchThreads(line(1), line(1))) })
			do(b.Commit(), e.SetSignaledValue(2))
			time.Sleep(10 * time.Millisecond)
			assert.Less(r, b.Status(), mtl.CommandBufferStatusCompleted)
			must(mtl.Slice[uint32](x))[0] = 21 // the GPU waits, so this is no race
			do(e.SetSignaledValue(3), b.Wait(r.Context()))
			assert.Equal(r, []uint32{42}, r.words(x))
		}},
		{"value passed", "A wait for a value that has been passed does not wait.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			do(e.SetSignaledValue(10))
			b := r.commands()
			do(b.EncodeWaitForEvent(e.Event, 3))
			r.finish(b)
		}},
		{"across queues", "An event orders command buffers of two queues.", func(r *rig) {
			p, q, x := r.kernel("number"), r.kernel("twice"),
				own(r, must(r.device.NewBuffer(4096, mtl.ResourceHazardTrackingModeUntracked)))
			e, other := own(r, r.device.NewEvent()), own(r, must(r.device.NewCommandQueue()))
			second := must(other.CommandBuffer())
			do(second.EncodeWaitForEvent(e, 1))
			r.encode(second, func(c mtl.ComputeCommandEncoder) { set(c, q, x); do(c.DispatchThreads(line(1024), line(64))) })
			do(second.Commit())
			first := r.commands()
			r.encode(first, func(c mtl.ComputeCommandEncoder) { set(c, p, x); do(c.DispatchThreads(line(1024), line(64))) })
			do(first.EncodeSignalEvent(e, 1), first.Commit(), second.Wait(r.Context()))
			for i, v := range r.words(x) {
				assert.Equal(r, uint32(2*i+2), v)
			}
		}},
		{"ping pong", "Two queues take turns by two values of one event.", func(r *rig) {
			p, q, x := r.kernel("plus"), r.kernel("twice"), r.uints(0)
			e, other := own(r, r.device.NewEvent()), own(r, must(r.device.NewCommandQueue()))
			want := uint32(0)
			var last mtl.CommandBuffer
			for i := range uint64(10) {
				a, b := r.commands(), must(other.CommandBuffer())
				do(a.EncodeWaitForEvent(e, 2*i))
				r.encode(a, func(c mtl.ComputeCommandEncoder) {
					set(c, p, x)
					do(c.SetBytes(word(1), 1), c.DispatchThreads(line(1), line(1)))
				})
				do(a.EncodeSignalEvent(e, 2*i+1), b.EncodeWaitForEvent(e, 2*i+1))
				r.encode(b, func(c mtl.ComputeCommandEncoder) { set(c, q, x); do(c.DispatchThreads(line(1), line(1))) })
				do(b.EncodeSignalEvent(e, 2*i+2), b.Commit(), a.Commit())
				want, last = (want+1)*2, b
			}
			do(last.Wait(r.Context()))
			assert.Equal(r, []uint32{want}, r.words(x))
		}},
		{"wait of cpu", "The CPU waits for a value that the GPU signals.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			b := r.commands()
			do(b.EncodeSignalEvent(e.Event, 1), b.Commit())
			assert.True(r, must(e.WaitUntilSignaledValue(1, 10000)))
			do(b.Wait(r.Context()))
		}},
		{"wait of cpu ends", "A wait of the CPU ends without the value after its time.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			assert.False(r, must(e.WaitUntilSignaledValue(1, 5)))
		}},
		{"wait with context", "A wait of the CPU ends with its context.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			ctx, cancel := context.WithTimeout(r.Context(), 10*time.Millisecond)
			defer cancel()
			r.refused(e.Wait(ctx, 1), context.DeadlineExceeded)
			do(e.SetSignaledValue(1), e.Wait(r.Context(), 1))
		}},
		{"listener", "A listener is told once when the value is reached.", func(r *rig) {
			e, l := own(r, r.device.NewSharedEvent()), own(r, must(mtl.NewSharedEventListener()))
			var calls atomic.Int32
			got := make(chan uint64, 4)
			do(e.NotifyListener(l, 2, func(_ mtl.SharedEvent, v uint64) { calls.Add(1); got <- v }))
			do(e.SetSignaledValue(1))
			select {
			case <-got:
				r.Error("told too early")
			case <-time.After(10 * time.Millisecond):
			}
			do(e.SetSignaledValue(2))
			assert.GreaterOrEqual(r, <-got, uint64(2))
			do(e.SetSignaledValue(3))
			time.Sleep(5 * time.Millisecond)
			assert.Equal(r, int32(1), calls.Load())
		}},
		{"listener late", "A listener of a value that has been reached is told at once.", func(r *rig) {
			e, l := own(r, r.device.NewSharedEvent()), own(r, must(mtl.NewSharedEventListener()))
			do(e.SetSignaledValue(9))
			got := make(chan uint64, 1)
			do(e.NotifyListener(l, 2, func(_ mtl.SharedEvent, v uint64) { got <- v }))
			assert.Equal(r, uint64(9), <-got)
		}},
		{"listener of gpu", "A listener is told of what the GPU signals.", func(r *rig) {
			e, l := own(r, r.device.NewSharedEvent()), own(r, must(mtl.NewSharedEventListener()))
			got := make(chan uint64, 1)
			do(e.NotifyListener(l, 4, func(_ mtl.SharedEvent, v uint64) { got <- v }))
			b := r.commands()
			do(b.EncodeSignalEvent(e.Event, 4))
			r.finish(b)
			assert.Equal(r, uint64(4), <-got)
		}},
		{"no listener", "A notification needs a listener and a function.", func(r *rig) {
			e, l := own(r, r.device.NewSharedEvent()), own(r, must(mtl.NewSharedEventListener()))
			r.refused(e.NotifyListener(mtl.SharedEventListener{}, 1, func(mtl.SharedEvent, uint64) {}), mtl.ErrNil)
			r.refused(e.NotifyListener(l, 1, nil), mtl.ErrNil)
		}},
		{"handle", "The handle of a shared event leads to the same event.", func(r *rig) {
			e := own(r, r.device.NewSharedEvent())
			h := own(r, must(e.NewSharedEventHandle()))
			same := own(r, must(r.device.NewSharedEventWithHandle(h)))
			do(e.SetSignaledValue(3))
			assert.Equal(r, uint64(3), same.SignaledValue())
			do(same.SetSignaledValue(4))
			assert.Equal(r, uint64(4), e.SignaledValue())
		}},
		{"nil event", "A command buffer refuses an event that is nil.", func(r *rig) {
			b := r.commands()
			r.refused(b.EncodeSignalEvent(mtl.Event{}, 1), mtl.ErrNil)
			r.refused(b.EncodeWaitForEvent(mtl.Event{}, 1), mtl.ErrNil)
			r.finish(b)
		}},
		{"inside encoder", "Events are not encoded while an encoder is open.", func(r *rig) {
			e := own(r, r.device.NewEvent())
			b := r.commands()
			c := must(b.ComputeCommandEncoder())
			r.holds(assert.ErrorIs(r, b.EncodeSignalEvent(e, 1), mtl.ErrOpen))
			r.holds(assert.ErrorIs(r, b.EncodeWaitForEvent(e, 1), mtl.ErrOpen))
			do(c.EndEncoding())
			r.finish(b)
		}},
		{"released while waiting", "A command buffer keeps the event that it waits for alive.", func(r *rig) {
			e := r.device.NewSharedEvent()
			h := own(r, must(e.NewSharedEventHandle()))
			b := r.commands()
			do(b.EncodeWaitForEvent(e.Event, 1), b.Commit())
			e.Release()
			same := own(r, must(r.device.NewSharedEventWithHandle(h)))
			do(same.SetSignaledValue(1), b.Wait(r.Context()))
		}},
	}
}
