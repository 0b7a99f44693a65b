package conformance

import (
	"context"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func metal4CommandCases() []aCase {
	return []aCase{
		{"queue", "A queue of Metal 4 has its device, and the label of its descriptor.", func(r *rig) {
			m := r.metal4()
			assert.Equal(r, r.device.RegistryID(), m.queue.Device().RegistryID())
			d := own(r, must(mtl.NewCommandQueueDescriptor4()))
			d.SetLabel("work")
			assert.Equal(r, "work", own(r, must(r.device.NewCommandQueue4WithDescriptor(d))).Label())
		}},
		{"allocator", "An allocator has its device, and the label of its descriptor.", func(r *rig) {
			m := r.metal4()
			assert.Equal(r, r.device.RegistryID(), m.allocator.Device().RegistryID())
			d := own(r, must(mtl.NewCommandAllocatorDescriptor4()))
			d.SetLabel("memory")
			assert.Equal(r, "memory", own(r, must(r.device.NewCommandAllocator4WithDescriptor(d))).Label())
		}},
		{"allocated size", "An allocator has memory once commands are encoded, and keeps it when it is reset.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table(x)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					for range 100 {
						do(e.DispatchThreads(line(16), line(16)))
						barrier4(e) // each writes the same bytes
					}
				})
			})
			full := m.allocator.AllocatedSize()
			assert.NotZero(r, full)
			do(m.commit(m.buffer4).err, m.allocator.Reset())
			assert.Equal(r, full, m.allocator.AllocatedSize())
		}},
		{"command buffer", "A command buffer has its device and keeps its label.", func(r *rig) {
			m := r.metal4()
			m.buffer4.SetLabel("buffer")
			assert.Equal(r, "buffer", m.buffer4.Label())
			assert.Equal(r, r.device.RegistryID(), m.buffer4.Device().RegistryID())
		}},
		{"empty", "A command buffer without commands completes.", func(r *rig) {
			m := r.metal4()
			m.record(m.buffer4, func() {})
			do(m.commit(m.buffer4).err)
		}},
		{"feedback times", "Feedback says when the GPU began and ended.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(4096)
			t := m.table(x)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					do(e.DispatchThreads(line(1024), line(64)))
				})
			})
			f := m.commit(m.buffer4)
			do(f.err)
			assert.Less(r, 0, f.start)
			assert.GreaterOrEqual(r, f.end, f.start)
		}},
		{"several handlers", "Every feedback handler of a commit is called, in the order in which they were added.",
			func(r *rig) {
				m := r.metal4()
				o := own(r, must(mtl.NewCommitOptions4()))
				reports := make(chan int, 3)
				for i := range 3 {
					do(o.AddFeedbackHandler(func(mtl.CommitFeedback4) { reports <- i }))
				}
				m.record(m.buffer4, func() {})
				do(m.queue.CommitOptions([]mtl.CommandBuffer4{m.buffer4}, o))
				assert.Equal(r, []int{0, 1, 2}, []int{<-reports, <-reports, <-reports})
			}},
		{"options again", "Options serve more than one commit.", func(r *rig) {
			m := r.metal4()
			o := own(r, must(mtl.NewCommitOptions4()))
			reports := make(chan error, 2)
			do(o.AddFeedbackHandler(func(f mtl.CommitFeedback4) { reports <- f.Err() }))
			for range 2 {
				m.record(m.buffer4, func() {})
				do(m.queue.CommitOptions([]mtl.CommandBuffer4{m.buffer4}, o))
			}
			do(<-reports, <-reports)
		}},
		{"without options", "A commit without options runs, and an event tells when it is done.", func(r *rig) {
			m, p, x, done := r.metal4(), r.kernel("number"), r.buffer(64), own(r, r.device.NewSharedEvent())
			t := m.table(x)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			})
			do(m.queue.Commit([]mtl.CommandBuffer4{m.buffer4}), m.queue.SignalEvent(done.Event, 1), done.Wait(r.Context(), 1))
			assert.Equal(r, count(16), r.words(x))
			do(m.allocator.Reset()) // the GPU is done: the event said so
		}},
		{"again", "A command buffer is begun again after its commit, also while the GPU runs it.", func(r *rig) {
			m, p, x, gate := r.metal4(), r.kernel("plus"), r.uints(0), own(r, r.device.NewSharedEvent())
			k := r.uints(3)
			t := m.table(x, k)
			do(m.queue.WaitForEvent(gate.Event, 1))
			for range 5 {
				m.record(m.buffer4, func() {
					encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
						do(e.BarrierAfterQueueStages(mtl.StageAll, mtl.StageDispatch, mtl.VisibilityOption4Device))
						set4(e, p, t)
						do(e.DispatchThreads(line(1), line(1)))
					})
				})
				do(m.queue.Commit([]mtl.CommandBuffer4{m.buffer4}))
			}
			do(gate.SetSignaledValue(1))
			m.record(m.buffer4, func() {})
			do(m.commit(m.buffer4).err)
			assert.Equal(r, []uint32{15}, r.words(x))
		}},
		{"several", "The command buffers of a commit run in order.", func(r *rig) {
			m, plus, twice, x, k := r.metal4(), r.kernel("plus"), r.kernel("twice"), r.uints(1), r.uints(3)
			t := m.table(x, k)
			second := own(r, must(r.device.NewCommandBuffer4()))
			for i, p := range []mtl.ComputePipelineState{plus, twice} {
				b := []mtl.CommandBuffer4{m.buffer4, second}[i]
				m.record(b, func() {
					encode4(b, func(e mtl.ComputeCommandEncoder4) {
						do(e.BarrierAfterQueueStages(mtl.StageAll, mtl.StageDispatch, mtl.VisibilityOption4Device))
						set4(e, p, t)
						do(e.DispatchThreads(line(1), line(1)))
					})
				})
			}
			do(m.commit(m.buffer4, second).err)
			assert.Equal(r, []uint32{8}, r.words(x))
		}},
		{"wait", "What is committed after a wait does not run before the event has its value.", func(r *rig) {
			m, p, x, e := r.metal4(), r.kernel("carry"), r.uints(1), own(r, r.device.NewSharedEvent())
			y := r.uints(0)
			t := m.table(x, y)
			do(m.queue.WaitForEvent(e.Event, 2))
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(1), line(1))) })
			})
			o := own(r, must(mtl.NewCommitOptions4()))
			reports := make(chan error, 1)
			do(o.AddFeedbackHandler(func(f mtl.CommitFeedback4) { reports <- f.Err() }))
			do(m.queue.CommitOptions([]mtl.CommandBuffer4{m.buffer4}, o), e.SetSignaledValue(1))
			must(mtl.Slice[uint32](x))[0] = 7 // before the kernel reads it
			do(e.SetSignaledValue(2), <-reports)
			assert.Equal(r, []uint32{7}, r.words(y))
		}},
		{"two queues", "A signal of one queue lets the work of another go on.", func(r *rig) {
			m, p, x, e := r.metal4(), r.kernel("number"), r.buffer(64), own(r, r.device.NewEvent())
			t, y := m.table(x), r.buffer(64)
			m.reside(y.Resource)
			other, second := own(r, must(r.device.NewCommandQueue4())), own(r, must(r.device.NewCommandBuffer4()))
			do(other.AddResidencySet(m.set), other.WaitForEvent(e, 1))
			m.record(second, func() {
				encode4(second, func(e mtl.ComputeCommandEncoder4) { do(e.CopyFromBuffer(x, 0, y, 0, 64)) })
			})
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			})
			done := own(r, r.device.NewSharedEvent())
			do(other.Commit([]mtl.CommandBuffer4{second}), other.SignalEvent(done.Event, 1))
			do(m.queue.Commit([]mtl.CommandBuffer4{m.buffer4}), m.queue.SignalEvent(e, 1), done.Wait(r.Context(), 1))
			assert.Equal(r, count(16), r.words(y))
		}},
		{"older queue", "An event orders the work of a queue of Metal 4 and of one that is not.", func(r *rig) {
			m, p, x, e := r.metal4(), r.kernel("number"), r.buffer(64), own(r, r.device.NewSharedEvent())
			t := m.table(x)
			b := r.commands()
			do(b.EncodeWaitForEvent(e.Event, 1))
			r.encode(b, func(c mtl.ComputeCommandEncoder) {
				set(c, r.kernel("twice"), x)
				do(c.DispatchThreads(line(16), line(16)))
			})
			do(b.Commit())
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			})
			do(m.queue.Commit([]mtl.CommandBuffer4{m.buffer4}), m.queue.SignalEvent(e.Event, 1), b.Wait(r.Context()))
			assert.Equal(r, []uint32{2, 4, 6}, r.words(x)[:3])
		}},
		{"wait for less", "A wait for a value that the event has passed does not hold anything up.", func(r *rig) {
			m, e := r.metal4(), own(r, r.device.NewSharedEvent())
			do(e.SetSignaledValue(9), m.queue.WaitForEvent(e.Event, 4), m.queue.SignalEvent(e.Event, 10))
			do(e.Wait(context.Background(), 10))
			assert.Equal(r, uint64(10), e.SignaledValue())
		}},
		{"goes on", "A commit that fails does not harm the next one.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table(x)
			m.set.RemoveAllAllocations()
			m.set.Commit()
			dispatch := func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) }
			r.holds(assert.Error(r, m.try(dispatch)))
			m.reside(x.Resource)
			m.run(dispatch)
			assert.Equal(r, count(16), r.words(x))
		}},
		{"life", "A command buffer is begun, ended and committed, in this order.", func(r *rig) {
			m := r.metal4()
			b, all := m.buffer4, []mtl.CommandBuffer4{m.buffer4}
			_, err := b.ComputeCommandEncoder()
			r.refused(err, mtl.ErrState)
			r.refused(b.EndCommandBuffer(), mtl.ErrState)
			r.refused(m.queue.Commit(all), mtl.ErrState)
			do(b.BeginCommandBufferWithAllocator(m.allocator))
			r.refused(b.BeginCommandBufferWithAllocator(m.allocator), mtl.ErrState)
			e := must(b.ComputeCommandEncoder())
			r.refused(b.EndCommandBuffer(), mtl.ErrOpen)
			do(e.EndEncoding(), b.EndCommandBuffer())
			do(m.commit(b).err)
			r.refused(m.queue.Commit(all), mtl.ErrState)
		}},
		{"nothing", "A commit of no command buffers, of nil or of one twice is refused.", func(r *rig) {
			m := r.metal4()
			r.refused(m.queue.Commit(nil), mtl.ErrLength)
			r.refused(m.queue.Commit([]mtl.CommandBuffer4{{}}), mtl.ErrNil)
			m.record(m.buffer4, func() {})
			r.refused(m.queue.Commit([]mtl.CommandBuffer4{m.buffer4, m.buffer4}), mtl.ErrArgument)
			do(m.commit(m.buffer4).err)
		}},
		{"allocator in use", "An allocator serves one command buffer at a time, and is not reset meanwhile.", func(r *rig) {
			m, second := r.metal4(), own(r, must(r.device.NewCommandBuffer4()))
			m.record(m.buffer4, func() {
				r.refused(second.BeginCommandBufferWithAllocator(m.allocator), mtl.ErrState)
				r.refused(m.allocator.Reset(), mtl.ErrState)
			})
			m.record(second, func() {})
			do(m.commit(m.buffer4, second).err, m.allocator.Reset())
		}},
		{"abandoned", "A command buffer that is encoded and never committed leaves nothing behind.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table(x)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			})
			assert.Equal(r, make([]uint32, 16), r.words(x))
		}},
		{"released", "Work goes on when queue, allocator and command buffer are released after the commit.", func(r *rig) {
			p, x, done := r.kernel("number"), r.buffer(64), own(r, r.device.NewSharedEvent())
			m := r.metal4()
			t := m.table(x)
			q, a, b := must(r.device.NewCommandQueue4()), must(r.device.NewCommandAllocator4()),
				must(r.device.NewCommandBuffer4())
			do(q.AddResidencySet(m.set), q.WaitForEvent(done.Event, 1), b.BeginCommandBufferWithAllocator(a))
			encode4(b, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			do(b.EndCommandBuffer(), q.Commit([]mtl.CommandBuffer4{b}), q.SignalEvent(done.Event, 2), done.SetSignaledValue(1),
				done.Wait(r.Context(), 2))
			b.Release()
			a.Release()
			q.Release()
			assert.Equal(r, count(16), r.words(x))
		}},
		{"debug groups", "Debug groups are closed as often as they are opened.", func(r *rig) {
			m := r.metal4()
			m.record(m.buffer4, func() {
				r.refused(m.buffer4.PopDebugGroup(), mtl.ErrState)
				do(m.buffer4.PushDebugGroup("outer"))
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					do(e.PushDebugGroup("inner"), e.InsertDebugSignpost("here"), e.PopDebugGroup())
					r.refused(e.PopDebugGroup(), mtl.ErrState)
				})
				do(m.buffer4.PopDebugGroup())
			})
			do(m.commit(m.buffer4).err)
		}},
		{"log state", "The options that a command buffer is begun with keep a log state, which outlives its release until the commands have run.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			l := must(r.device.NewLogStateWithDescriptor(own(r, must(mtl.NewLogStateDescriptor()))))
			t, o := m.table(x), own(r, must(mtl.NewCommandBufferOptions4()))
			o.SetLogState(l)
			assert.Equal(r, l.ID(), o.LogState().ID())
			do(m.buffer4.BeginCommandBufferWithAllocatorOptions(m.allocator, o))
			o.SetLogState(mtl.LogState{})
			l.Release()
			encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			do(m.buffer4.EndCommandBuffer(), m.commit(m.buffer4).err)
			assert.Equal(r, count(16), r.words(x))
		}},
		{"queue's set", "A resource in no residency set is not to be used: the error names kernel and argument.",
			func(r *rig) {
				m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
				t := m.table()
				do(t.SetAddress(x.GPUAddress(), 0))
				dispatch := func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) }
				m.failed(m.try(dispatch), mtl.CommandQueueError4Internal, `"number"`, `"out"`, "residency set")
				m.reside(x.Resource)
				m.run(dispatch)
				do(m.queue.RemoveResidencySet(m.set))
				r.holds(assert.Error(r, m.try(dispatch)))
				do(m.queue.AddResidencySets([]mtl.ResidencySet{m.set}))
				m.run(dispatch)
			}},
		{"command buffer's set", "A residency set of a command buffer serves this recording of it.", func(r *rig) {
			m, p, x, s := r.metal4(), r.kernel("number"), r.buffer(64), r.residency()
			t := m.table()
			do(t.SetAddress(x.GPUAddress(), 0), s.AddAllocation(x.Allocation))
			s.Commit()
			dispatch := func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) }
			for _, use := range []func(mtl.CommandBuffer4) error{
				func(b mtl.CommandBuffer4) error { return b.UseResidencySet(s) },
				func(b mtl.CommandBuffer4) error { return b.UseResidencySets([]mtl.ResidencySet{s}) },
			} {
				m.record(m.buffer4, func() { do(use(m.buffer4)); encode4(m.buffer4, dispatch) })
				do(m.commit(m.buffer4).err)
			}
			assert.Equal(r, count(16), r.words(x))
			m.failed(m.try(dispatch), mtl.CommandQueueError4Internal, "residency set")
		}},
		{"uncommitted set", "What is added to a residency set is resident when the set is committed.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table()
			do(t.SetAddress(x.GPUAddress(), 0), m.set.AddAllocation(x.Allocation))
			dispatch := func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) }
			m.failed(m.try(dispatch), mtl.CommandQueueError4Internal, "residency set")
			m.set.Commit()
			m.run(dispatch)
		}},
		{"heap in a set", "A heap in a residency set makes what lies in it resident.", func(r *rig) {
			m, p := r.metal4(), r.kernel("number")
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
			x := own(r, must(h.NewBuffer(64, mtl.ResourceStorageModeShared)))
			t := m.table()
			do(t.SetAddress(x.GPUAddress(), 0), m.set.AddAllocation(h.Allocation))
			m.set.Commit()
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			assert.Equal(r, count(16), r.words(x))
		}},
		{"many at once", "Goroutines with allocators and command buffers of their own share a queue.", func(r *rig) {
			m, p := r.metal4(), r.kernel("hits")
			x := r.uints(0)
			t := m.table(x)
			r.together(8, func(int) error {
				pooled(func() {
					a, b, done := must(r.device.NewCommandAllocator4()), must(r.device.NewCommandBuffer4()), r.device.NewSharedEvent()
					defer a.Release()
					defer b.Release()
					defer done.Release()
					for i := range uint64(10) {
						do(b.BeginCommandBufferWithAllocator(a))
						encode4(b, func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(100), line(10))) })
						do(b.EndCommandBuffer(), m.queue.Commit([]mtl.CommandBuffer4{b}), m.queue.SignalEvent(done.Event, i+1))
						do(done.Wait(context.Background(), i+1), a.Reset())
					}
				})
				return nil
			})
			assert.Equal(r, []uint32{8000}, r.words(x))
		}},
	}
}
