package conformance

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// orderingCases are about what runs before what, and about what runs on which device.
func orderingCases() []aCase {
	// concurrently runs what f encodes in a concurrent encoder.
	concurrently := func(r *rig, f func(mtl.ComputeCommandEncoder)) {
		b := r.commands()
		e := must(b.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
		f(e)
		do(e.EndEncoding())
		r.finish(b)
	}
	// many is more dispatches than any device runs at one time.
	const many = 64
	rows := func(r *rig) mtl.Buffer { return r.buffer(many * 256) }
	each := func(e mtl.ComputeCommandEncoder, p mtl.ComputePipelineState, x mtl.Buffer) {
		for i := range uint(many) {
			do(e.SetComputePipelineState(p), e.SetBuffer(x, i*256, 0), e.DispatchThreads(line(64), line(32)))
		}
	}
	wantRows := func(r *rig, x mtl.Buffer, factor uint32) {
		for i, v := range r.words(x) {
			if want := uint32(i%64+1) * factor; v != want {
				r.Errorf("word %d is %d, want %d", i, v, want)
				return
			}
		}
	}
	barriers := map[string]func(e mtl.ComputeCommandEncoder, x mtl.Buffer) error{
		"scope": func(e mtl.ComputeCommandEncoder, _ mtl.Buffer) error {
			return e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers)
		},
		"resources": func(e mtl.ComputeCommandEncoder, x mtl.Buffer) error {
			return e.MemoryBarrierWithResources([]mtl.Resource{x.Resource})
		},
	}
	var cases []aCase
	for _, kind := range []string{"scope", "resources"} {
		cases = append(cases, aCase{"many dispatches, barrier of " + kind,
			"Between two barriers dispatches run in any order, and never across them.", func(r *rig) {
				number, twice, x := r.kernel("number"), r.kernel("twice"), rows(r)
				concurrently(r, func(e mtl.ComputeCommandEncoder) {
					each(e, number, x)
					for range 5 {
						do(barriers[kind](e, x))
						each(e, twice, x)
					}
				})
				wantRows(r, x, 32)
			}})
	}
	return append(cases, []aCase{
		{"serial dispatches", "Dispatches of a serial encoder see what those before them wrote, without barriers.",
			func(r *rig) {
				number, twice, x := r.kernel("number"), r.kernel("twice"), rows(r)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					each(e, number, x)
					for range 5 {
						each(e, twice, x)
					}
				})
				wantRows(r, x, 32)
			}},
		{"barrier in serial", "A serial encoder takes barriers, which change nothing.", func(r *rig) {
			number, twice, x := r.kernel("number"), r.kernel("twice"), rows(r)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				each(e, number, x)
				do(e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
				each(e, twice, x)
			})
			wantRows(r, x, 2)
		}},
		{"empty between barriers", "Barriers at the beginning, at the end and next to each other are allowed.", func(r *rig) {
			number, x := r.kernel("number"), rows(r)
			concurrently(r, func(e mtl.ComputeCommandEncoder) {
				do(e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers), e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
				each(e, number, x)
				do(e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers), e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
			})
			wantRows(r, x, 1)
		}},
		{"concurrent atomics", "Atomic additions of concurrent dispatches add up.", func(r *rig) {
			p, x := r.kernel("hits"), r.uints(0)
			concurrently(r, func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				for range many {
					do(e.DispatchThreads(line(50), line(32)))
				}
			})
			assert.Equal(r, []uint32{50 * many}, r.words(x))
		}},
		{"bytes of each dispatch", "Each concurrent dispatch has the bytes that were set when it was encoded.", func(r *rig) {
			p, x := r.kernel("plus"), r.buffer(4*many)
			concurrently(r, func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p))
				for i := range uint(many) {
					do(e.SetBuffer(x, 4*i, 0), e.SetBytes(word(uint32(i+1)), 1), e.DispatchThreads(line(1), line(1)))
				}
			})
			assert.Equal(r, count(many), r.words(x))
		}},
		{"encoders in order", "Encoders of a command buffer see what those before them wrote to tracked buffers, whatever their kind.", func(r *rig) {
			number, twice, x, y := r.kernel("number"), r.kernel("twice"), rows(r), rows(r)
			b := r.commands()
			e := must(b.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
			each(e, number, x)
			do(e.EndEncoding())
			r.blit(b, func(c mtl.BlitCommandEncoder) { do(c.CopyFromBuffer(x, 0, y, 0, many*256)) })
			e = must(b.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
			each(e, twice, y)
			do(e.EndEncoding())
			r.finish(b)
			wantRows(r, x, 1)
			wantRows(r, y, 2)
		}},
		{"fences of a heap", "Fences order encoders that use an untracked buffer of a heap, over command buffers too.",
			func(r *rig) {
				h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
				x := own(r, must(h.NewBuffer(many*256, mtl.ResourceStorageModeShared)))
				assert.Equal(r, mtl.HazardTrackingModeUntracked, x.HazardTrackingMode())
				number, twice, f := r.kernel("number"), r.kernel("twice"), own(r, r.device.NewFence())
				var last mtl.CommandBuffer
				for i, p := range []mtl.ComputePipelineState{number, twice, twice} {
					last = r.commands()
					r.encode(last, func(e mtl.ComputeCommandEncoder) {
						if i > 0 {
							do(e.WaitForFence(f))
						}
						each(e, p, x)
						do(e.UpdateFence(f))
					})
					do(last.Commit())
				}
				do(last.Wait(r.Context()))
				wantRows(r, x, 4)
			}},
		{"events order queues", "Queues that wait for each other's events take turns.", func(r *rig) {
			ev, p, x := own(r, r.device.NewSharedEvent()), r.kernel("plus"), r.uints(1)
			qs := [2]mtl.CommandQueue{r.queue(), own(r, must(r.device.NewCommandQueue()))}
			twice := r.kernel("twice")
			var last mtl.CommandBuffer
			for i := range uint64(10) {
				last = must(qs[i%2].CommandBuffer())
				do(last.EncodeWaitForEvent(ev.Event, i))
				r.encode(last, func(e mtl.ComputeCommandEncoder) {
					if i%2 == 0 {
						set(e, twice, x)
					} else {
						set(e, p, x)
						do(e.SetBytes(word(1), 1))
					}
					do(e.DispatchThreads(line(1), line(1)))
				})
				do(last.EncodeSignalEvent(ev.Event, i+1), last.Commit())
			}
			do(last.Wait(r.Context()))
			assert.Equal(r, []uint32{63}, r.words(x))
		}},
		{"indirect barriers", "Commands of an indirect command buffer that a barrier does not order touch different memory; those behind one see what was written.", func(r *rig) {
			x := rows(r)
			b := r.indirectCommands(2*many, nil)
			number, twice := r.indirectKernel("number"), r.indirectKernel("twice")
			for i := range uint(many) {
				dispatch(b, i, number, x, i*256, 64)
				dispatch(b, many+i, twice, x, i*256, 64)
			}
			do(must(b.IndirectComputeCommandAtIndex(many)).SetBarrier())
			r.execute(b, mtl.Range{Length: 2 * many}, x)
			wantRows(r, x, 2)
		}},
		{"execution status", "A command buffer that is to tell of its encoders has nothing to tell when it has completed.",
			func(r *rig) {
				d := own(r, must(mtl.NewCommandBufferDescriptor()))
				d.SetErrorOptions(mtl.CommandBufferErrorOptionEncoderExecutionStatus)
				b := must(r.queue().CommandBufferWithDescriptor(d))
				p, x := r.kernel("number"), rows(r)
				r.encode(b, func(e mtl.ComputeCommandEncoder) { e.SetLabel("work"); each(e, p, x) })
				r.finish(b)
				assert.NoError(r, b.Err())
				wantRows(r, x, 1)
			}},
		{"handlers of several queues", "Completed handlers of each queue run in its order, whatever other queues do.",
			func(r *rig) {
				var mu sync.Mutex
				got := make([][]int, 4)
				r.together(len(got), func(i int) error {
					q := must(r.device.NewCommandQueue())
					defer q.Release()
					var last mtl.CommandBuffer
					for n := range 20 {
						last = must(q.CommandBuffer())
						do(last.AddCompletedHandler(func(mtl.CommandBuffer) { mu.Lock(); defer mu.Unlock(); got[i] = append(got[i], n) }),
							last.Commit())
					}
					return last.Wait(context.Background())
				})
				mu.Lock()
				defer mu.Unlock()
				for _, list := range got {
					assert.Len(r, list, 20)
					assert.True(r, slices.IsSorted(list), list)
				}
			}},
		{"managed", "A managed buffer is brought over to the CPU, or the device has none.", func(r *rig) {
			x, err := r.device.NewBuffer(64, mtl.ResourceStorageModeManaged)
			if errors.Is(err, mtl.ErrStorageMode) {
				assert.True(r, r.device.HasUnifiedMemory())
				return
			}
			do(err)
			defer x.Release()
			m := must(mtl.Slice[uint32](x))
			m[0] = 5
			do(x.DidModifyRange(mtl.Range{Length: 4}))
			p, b := r.kernel("twice"), r.commands()
			r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(1), line(1))) })
			r.blit(b, func(c mtl.BlitCommandEncoder) { do(c.SynchronizeResource(x.Resource)) })
			r.finish(b)
			assert.Equal(r, uint32(10), r.words(x)[0])
		}},
		{"synchronize shared", "Only a managed resource is brought over.", func(r *rig) {
			x := r.buffer(64)
			b := r.commands()
			r.blit(b, func(c mtl.BlitCommandEncoder) { r.refused(c.SynchronizeResource(x.Resource), mtl.ErrStorageMode) })
			r.finish(b)
		}},
		{"peers", "Devices of one peer group differ in their index, and a device without peers has no group.", func(r *rig) {
			all := must(mtl.Devices())
			defer mtl.ReleaseAll(all)
			seen := map[[2]uint64]bool{}
			for _, d := range all {
				if d.PeerGroupID() == 0 {
					assert.Zero(r, d.PeerCount())
					continue
				}
				at := [2]uint64{d.PeerGroupID(), uint64(d.PeerIndex())}
				assert.False(r, seen[at], "two devices at index %d of a group", at[1])
				assert.Less(r, d.PeerIndex(), d.PeerCount())
				seen[at] = true
			}
		}},
		{"remote view", "A peer reads a private buffer through a view, which keeps the memory.", func(r *rig) {
			peer := r.peer()
			x, ev := must(r.device.NewBuffer(64, mtl.ResourceStorageModePrivate)), own(r, r.device.NewSharedEvent())
			view := own(r, must(x.NewRemoteBufferView(peer)))
			assert.Equal(r, peer.RegistryID(), view.Device().RegistryID())
			assert.Equal(r, x.ID(), view.RemoteStorageBuffer().ID())
			out := own(r, must(peer.NewBuffer(64, mtl.ResourceStorageModeShared)))
			q := own(r, must(peer.NewCommandQueue()))
			copies := must(q.CommandBuffer())
			do(copies.EncodeWaitForEvent(ev.Event, 1))
			r.blit(copies, func(c mtl.BlitCommandEncoder) { do(c.CopyFromBuffer(view, 0, out, 0, 64)) })
			do(copies.Commit())
			b, p := r.commands(), r.kernel("number")
			r.encode(b, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(16), line(16))) })
			do(b.EncodeSignalEvent(ev.Event, 1))
			x.Release()
			r.finish(b)
			do(copies.Wait(r.Context()))
			assert.Equal(r, count(16), r.words(out))
		}},
		{"function table", "A kernel calls the functions that a visible function table holds, and a new entry takes the place of the old.", func(r *rig) {
			l := r.source(`
[[visible]] uint twofold(uint x) { return x * 2; }
[[visible]] uint square(uint x) { return x * x; }
kernel void call(device uint* x [[buffer(0)]], visible_function_table<uint(uint)> f [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    x[i] = f[i % 2](x[i]);
}`)
			twofold, square := own(r, must(l.NewFunction("twofold"))), own(r, must(l.NewFunction("square")))
			links := own(r, must(mtl.NewLinkedFunctions()))
			links.SetFunctions([]mtl.Function{twofold, square})
			d := r.described(own(r, must(l.NewFunction("call"))))
			d.SetLinkedFunctions(links)
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			do(err)
			own(r, p)
			td := own(r, must(mtl.NewVisibleFunctionTableDescriptor()))
			td.SetFunctionCount(2)
			table := own(r, p.NewVisibleFunctionTableWithDescriptor(td))
			double, times := p.FunctionHandleWithFunction(twofold), p.FunctionHandleWithFunction(square)
			r.holds(assert.False(r, double.IsNil()))
			table.SetFunctions([]mtl.FunctionHandle{double, times}, 0)
			x := r.uints(3, 3, 5, 5)
			run := func() {
				r.compute(func(e mtl.ComputeCommandEncoder) {
					set(e, p, x)
					do(e.SetVisibleFunctionTable(table, 1), e.DispatchThreads(line(4), line(4)))
				})
			}
			run()
			assert.Equal(r, []uint32{6, 9, 10, 25}, r.words(x))
			table.SetFunction(double, 1)
			run()
			assert.Equal(r, []uint32{12, 18, 20, 50}, r.words(x))
		}},
	}...)
}
