package conformance

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

func computeCases() []aCase {
	cases := []aCase{
		{"threads", "DispatchThreads runs each thread of the grid once.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(400)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.DispatchThreads(line(100), line(32)))
			})
			assert.Equal(r, count(100), r.words(x))
		}},
		{"threadgroups", "DispatchThreadgroups runs threadgroups times threads.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(256)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.DispatchThreadgroups(line(4), line(16)))
			})
			assert.Equal(r, count(64), r.words(x))
		}},
		{"three buffers", "A kernel reads and writes the buffers of its slots.", func(r *rig) {
			p, a, b, c := r.kernel("add"), r.uints(1, 2, 3, 4), r.uints(10, 20, 30, 40), r.buffer(16)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, a, b, c)
				do(e.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, []uint32{11, 22, 33, 44}, r.words(c))
			assert.Equal(r, []uint32{1, 2, 3, 4}, r.words(a))
		}},
		{"buffers at once", "SetBuffers fills slots from the first on, each with its offset.", func(r *rig) {
			p, a, b, c := r.kernel("add"), r.uints(1, 2, 3, 4), r.uints(10, 20), r.buffer(16)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.SetBuffers([]mtl.Buffer{a, b, c}, []uint{8, 0, 4}, 0),
					e.DispatchThreads(line(2), line(2)))
			})
			assert.Equal(r, []uint32{0, 13, 24, 0}, r.words(c))
		}},
		{"buffers from the second", "SetBuffers leaves the slots before the first alone.", func(r *rig) {
			p, a, b, c := r.kernel("add"), r.uints(1, 2), r.uints(10, 20), r.buffer(8)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, a)
				do(e.SetBuffers([]mtl.Buffer{b, c}, []uint{0, 0}, 1), e.DispatchThreads(line(2), line(2)))
			})
			assert.Equal(r, []uint32{11, 22}, r.words(c))
		}},
		{"one buffer twice", "One buffer may be in two slots.", func(r *rig) {
			p, a, c := r.kernel("add"), r.uints(1, 2), r.buffer(8)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, a, a, c)
				do(e.DispatchThreads(line(2), line(2)))
			})
			assert.Equal(r, []uint32{2, 4}, r.words(c))
		}},
		{"bytes", "SetBytes gives a kernel a copy of the bytes.", func(r *rig) {
			p, x := r.kernel("plus"), r.uints(1, 2, 3)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				data := word(10)
				do(e.SetBytes(data, 1))
				clear(data)
				do(e.DispatchThreads(line(3), line(3)))
			})
			assert.Equal(r, []uint32{11, 12, 13}, r.words(x))
		}},
		{"bytes change", "Each dispatch sees the bytes that were set before it.", func(r *rig) {
			p, x := r.kernel("plus"), r.uints(0)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				for k := range uint32(10) {
					do(e.SetBytes(word(k), 1), e.DispatchThreads(line(1), line(1)))
				}
			})
			assert.Equal(r, []uint32{45}, r.words(x))
		}},
		{"most bytes", "SetBytes takes 4096 bytes.", func(r *rig) {
			p, x := r.kernel("carry"), r.buffer(4096)
			data := make([]byte, 4096)
			data[4092] = 77
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.SetBytes(data, 0), e.SetBuffer(x, 0, 1), e.DispatchThreads(line(1024), line(32)))
			})
			assert.Equal(r, uint32(77), r.words(x)[1023])
		}},
		{"bytes then buffer", "A buffer takes the place of bytes in a slot.", func(r *rig) {
			p, x, k := r.kernel("plus"), r.uints(1), r.uints(5)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.SetBytes(word(100), 1), e.SetBuffer(k, 0, 1), e.DispatchThreads(line(1), line(1)))
			})
			assert.Equal(r, []uint32{6}, r.words(x))
		}},
		{"float bytes", "A number with a fraction reaches the kernel as it was.", func(r *rig) {
			p, x := r.kernel("scale"), r.floats(1, 2, -4)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.SetBytes(float(0.5), 1), e.DispatchThreads(line(3), line(3)))
			})
			assert.Equal(r, []float32{0.5, 1, -2}, must(mtl.Slice[float32](x)))
		}},
		{"pipelines in turn", "Dispatches of one encoder use the pipeline set before each.", func(r *rig) {
			a, b, x := r.kernel("number"), r.kernel("twice"), r.buffer(16)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, a, x)
				do(e.DispatchThreads(line(4), line(4)), e.SetComputePipelineState(b), e.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, []uint32{2, 4, 6, 8}, r.words(x))
		}},
		{"serial order", "Dispatches of a serial encoder run in order, each seeing what those before wrote.", func(r *rig) {
			a, b, x := r.kernel("plus"), r.kernel("twice"), r.uints(0)
			want := uint32(0)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				assert.Equal(r, mtl.DispatchTypeSerial, e.DispatchType())
				do(e.SetBuffer(x, 0, 0), e.SetBytes(word(1), 1))
				for range 20 {
					do(e.SetComputePipelineState(a), e.DispatchThreads(line(1), line(1)))
					do(e.SetComputePipelineState(b), e.DispatchThreads(line(1), line(1)))
					want = (want + 1) * 2
				}
			})
			assert.Equal(r, []uint32{want}, r.words(x))
		}},
		{"encoders in order", "Encoders of a command buffer run in order.", func(r *rig) {
			a, b, x := r.kernel("number"), r.kernel("twice"), r.buffer(16)
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, a, x); do(e.DispatchThreads(line(4), line(4))) })
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, b, x); do(e.DispatchThreads(line(4), line(4))) })
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, b, x); do(e.DispatchThreads(line(2), line(2))) })
			r.finish(cmd)
			assert.Equal(r, []uint32{4, 8, 6, 8}, r.words(x))
		}},
		{"new encoder is empty", "A new encoder has none of the settings of the one before.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(16)
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(4), line(4))) })
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) {
				r.refused(e.DispatchThreads(line(4), line(4)), mtl.ErrNoPipeline)
			})
			r.finish(cmd)
		}},
		{"private buffer", "Kernels read and write private buffers.", func(r *rig) {
			a, b, x, y := r.kernel("number"), r.kernel("carry"), r.private(64), r.buffer(64)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, a, x)
				do(e.DispatchThreads(line(16), line(16)))
				set(e, b, x, y)
				do(e.DispatchThreads(line(16), line(16)))
			})
			assert.Equal(r, count(16), r.words(y))
		}},
		{"heap buffer", "Kernels read and write buffers of a heap.", func(r *rig) {
			h := r.heap(1<<16, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
			p, x := r.kernel("number"), own(r, must(h.NewBuffer(64, mtl.ResourceStorageModeShared)))
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.UseHeap(h))
				set(e, p, x)
				do(e.DispatchThreads(line(16), line(16)))
			})
			assert.Equal(r, count(16), r.words(x))
		}},
		{"static threadgroup memory", "Threads of a group exchange values in the kernel's own threadgroup memory.",
			func(r *rig) {
				p, x := r.kernel("fixed"), r.buffer(256)
				r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(64), line(64))) })
				got := r.words(x)
				for i := range got {
					assert.Equal(r, uint32(63-i), got[i])
				}
			}},
		{"threadgroup memory", "A threadgroup argument has the memory that the encoder gives it; barriers order its use.",
			func(r *rig) {
				p, out := r.kernel("sum"), r.buffer(16)
				in := r.uints(count(256)...)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					set(e, p, in, out)
					do(e.SetThreadgroupMemoryLength(256, 0), e.DispatchThreadgroups(line(4), line(64)))
				})
				assert.Equal(r, []uint32{2080, 6176, 10272, 14368}, r.words(out))
			}},
		{"two threadgroup arguments", "Two threadgroup arguments are different memory.", func(r *rig) {
			p, out := r.kernel("two"), r.buffer(64)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, out)
				do(e.SetThreadgroupMemoryLength(64, 0), e.SetThreadgroupMemoryLength(64, 1), e.DispatchThreads(line(16), line(16)))
			})
			for i, v := range r.words(out) {
				assert.Equal(r, uint32((15-i)*1000+115-i), v)
			}
		}},
		{"most threadgroup memory", "A kernel can have all of the device's threadgroup memory.", func(r *rig) {
			p, out := r.kernel("sum"), r.buffer(4)
			in := r.uints(count(256)...)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, in, out)
				do(e.SetThreadgroupMemoryLength(r.device.MaxThreadgroupMemoryLength(), 0),
					e.DispatchThreadgroups(line(1), line(256)))
			})
			assert.Equal(r, []uint32{32896}, r.words(out))
		}},
		{"largest threadgroup", "A threadgroup as large as the pipeline allows runs.", func(r *rig) {
			p := r.kernel("number")
			n := p.MaxTotalThreadsPerThreadgroup()
			x := r.buffer(4 * n)
			r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreadgroups(line(1), line(n))) })
			assert.Equal(r, count(int(n)), r.words(x))
		}},
		{"indirect dispatch", "An indirect dispatch reads the number of threadgroups from a buffer.", func(r *rig) {
			p, x, args := r.kernel("number"), r.buffer(256), r.uints(9, 3, 1, 1)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				do(e.DispatchThreadgroupsWithIndirectBuffer(args, 4, line(16)))
			})
			assert.Equal(r, append(count(48), make([]uint32, 16)...), r.words(x))
		}},
		{"indirect from kernel", "An indirect dispatch reads what a kernel before it wrote.", func(r *rig) {
			p, one, x, args := r.kernel("number"), r.kernel("plus"), r.buffer(256), r.uints(0, 0, 0)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, one, args)
				do(e.SetBytes(word(1), 1), e.DispatchThreads(line(3), line(3)))
				set(e, p, x)
				do(e.DispatchThreadgroupsWithIndirectBuffer(args, 0, line(16)))
			})
			assert.Equal(r, append(count(16), make([]uint32, 48)...), r.words(x))
		}},
		{"atomics", "Atomic additions of all threads of all groups add up.", func(r *rig) {
			p, x := r.kernel("hits"), r.uints(0)
			r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(10000), line(128))) })
			assert.Equal(r, []uint32{10000}, r.words(x))
		}},
		{"concurrent", "Dispatches of a concurrent encoder that do not depend on each other all run.", func(r *rig) {
			p := r.kernel("number")
			var xs []mtl.Buffer
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
			assert.Equal(r, mtl.DispatchTypeConcurrent, e.DispatchType())
			for range 8 {
				x := r.buffer(64)
				xs = append(xs, x)
				set(e, p, x)
				do(e.DispatchThreads(line(16), line(16)))
			}
			do(e.EndEncoding())
			r.finish(cmd)
			for _, x := range xs {
				assert.Equal(r, count(16), r.words(x))
			}
		}},
		{"barrier of scope", "A barrier of buffers orders the dispatches of a concurrent encoder.", func(r *rig) {
			a, b, x := r.kernel("number"), r.kernel("twice"), r.buffer(4096)
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
			set(e, a, x)
			do(e.DispatchThreads(line(1024), line(64)), e.MemoryBarrierWithScope(mtl.BarrierScopeBuffers))
			set(e, b, x)
			do(e.DispatchThreads(line(1024), line(64)), e.EndEncoding())
			r.finish(cmd)
			for i, v := range r.words(x) {
				assert.Equal(r, uint32(2*i+2), v)
			}
		}},
		{"barrier of resources", "A barrier of resources orders the dispatches that use them.", func(r *rig) {
			a, b, x := r.kernel("number"), r.kernel("twice"), r.buffer(4096)
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoderWithDispatchType(mtl.DispatchTypeConcurrent))
			set(e, a, x)
			do(e.DispatchThreads(line(1024), line(64)), e.MemoryBarrierWithResources([]mtl.Resource{x.Resource}))
			set(e, b, x)
			do(e.DispatchThreads(line(1024), line(64)), e.EndEncoding())
			r.finish(cmd)
			for i, v := range r.words(x) {
				assert.Equal(r, uint32(2*i+2), v)
			}
		}},
		{"fence", "A fence orders encoders that use an untracked buffer.", func(r *rig) {
			a, b := r.kernel("number"), r.kernel("twice")
			x := own(r, must(r.device.NewBuffer(4096, mtl.ResourceHazardTrackingModeUntracked)))
			f := own(r, r.device.NewFence())
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) {
				set(e, a, x)
				do(e.DispatchThreads(line(1024), line(64)), e.UpdateFence(f))
			})
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) {
				do(e.WaitForFence(f))
				set(e, b, x)
				do(e.DispatchThreads(line(1024), line(64)))
			})
			r.finish(cmd)
			for i, v := range r.words(x) {
				assert.Equal(r, uint32(2*i+2), v)
			}
		}},
		{"fence label", "A fence keeps its label and knows its device.", func(r *rig) {
			f := own(r, r.device.NewFence())
			f.SetLabel("gate")
			assert.Equal(r, "gate", f.Label())
			assert.Equal(r, r.device.RegistryID(), f.Device().RegistryID())
		}},
		{"encoder label", "An encoder keeps its label and knows its device.", func(r *rig) {
			r.compute(func(e mtl.ComputeCommandEncoder) {
				e.SetLabel("work")
				assert.Equal(r, "work", e.Label())
				assert.Equal(r, r.device.RegistryID(), e.Device().RegistryID())
			})
		}},
		{"debug groups", "Debug groups of an encoder nest, and one that is not open cannot be closed.", func(r *rig) {
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.PushDebugGroup("a"), e.PushDebugGroup("b"), e.InsertDebugSignpost("here"), e.PopDebugGroup(),
					e.PopDebugGroup())
				assert.Error(r, e.PopDebugGroup())
			})
		}},
		{"use resource", "A resource can be declared for the dispatches that follow.", func(r *rig) {
			p, x := r.kernel("number"), r.buffer(16)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.UseResource(x.Resource, mtl.ResourceUsageWrite),
					e.UseResources([]mtl.Resource{x.Resource}, mtl.ResourceUsageRead|mtl.ResourceUsageWrite))
				set(e, p, x)
				do(e.DispatchThreads(line(4), line(4)))
			})
			assert.Equal(r, count(4), r.words(x))
		}},
		{"empty encoder", "An encoder without a dispatch does nothing.",
			func(r *rig) { r.compute(func(mtl.ComputeCommandEncoder) {}) }},
		{"pass descriptor", "An encoder of a pass descriptor has its dispatch type.", func(r *rig) {
			d := own(r, must(mtl.NewComputePassDescriptor()))
			d.SetDispatchType(mtl.DispatchTypeConcurrent)
			cmd := r.commands()
			e := must(cmd.ComputeCommandEncoderWithDescriptor(d))
			assert.Equal(r, mtl.DispatchTypeConcurrent, e.DispatchType())
			do(e.EndEncoding())
			r.finish(cmd)
		}},
		{"buffer released", "A command buffer keeps the buffers it uses alive.", func(r *rig) {
			p := r.kernel("number")
			x := must(r.device.NewBuffer(64, 0))
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(16), line(16))) })
			x.Release()
			r.finish(cmd)
		}},
		{"pipeline released", "A command buffer keeps the pipelines it uses alive.", func(r *rig) {
			f, x := r.function("number"), r.buffer(64)
			p := must(r.device.NewComputePipelineState(f))
			cmd := r.commands()
			r.encode(cmd, func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(16), line(16))) })
			p.Release()
			r.finish(cmd)
			assert.Equal(r, count(16), r.words(x))
		}},
		{"specialized", "Function constants have the values given, and those not given are not defined.", func(r *rig) {
			l := r.source(constantKernels)
			run := func(v mtl.FunctionConstantValues) []uint32 {
				f := own(r, must(l.NewFunctionWithConstants("special", v)))
				p, x := own(r, must(r.device.NewComputePipelineState(f))), r.buffer(8)
				r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(2), line(2))) })
				return r.words(x)
			}
			assert.Equal(r, []uint32{147, 147}, run(r.constants(nil)))
			assert.Equal(r, []uint32{143, 143},
				run(r.constants(func(v mtl.FunctionConstantValues) { do(v.Set(2, float32(3))) })))
			named := own(r, must(mtl.NewFunctionConstantValues()))
			do(named.Set(0, uint32(40)), named.SetNamed("on", false), named.SetNamed("f", float32(9)))
			assert.Equal(r, []uint32{49, 49}, run(named))
		}},
		{"constant range", "Constants can be given as a range.", func(r *rig) {
			l := r.source("constant uint a [[function_constant(3)]];\nconstant uint b [[function_constant(4)]];\nkernel void f(device uint* x [[buffer(0)]]) { x[0] = a * 10 + b; }")
			v := own(r, must(mtl.NewFunctionConstantValues()))
			do(v.SetRange(3, []uint32{4, 2}))
			f := own(r, must(l.NewFunctionWithConstants("f", v)))
			p, x := own(r, must(r.device.NewComputePipelineState(f))), r.buffer(4)
			r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(1), line(1))) })
			assert.Equal(r, []uint32{42}, r.words(x))
		}},
		{"thousand dispatches", "A thousand dispatches of one command buffer all run.", func(r *rig) {
			p, x := r.kernel("hits"), r.uints(0)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				set(e, p, x)
				for range 1000 {
					do(e.DispatchThreads(line(3), line(3)))
				}
			})
			assert.Equal(r, []uint32{3000}, r.words(x))
		}},
	}
	for _, n := range []uint{1, 31, 32, 33, 63, 65, 100, 257, 1000} {
		cases = append(cases, aCase{fmt.Sprintf("edge %d", n),
			"A grid that is no multiple of the threadgroup runs its threads and no more.", func(r *rig) {
				p, x := r.kernel("number"), r.buffer(4*n+64)
				r.compute(func(e mtl.ComputeCommandEncoder) { set(e, p, x); do(e.DispatchThreads(line(n), line(32))) })
				assert.Equal(r, append(count(int(n)), make([]uint32, 16)...), r.words(x))
			}})
	}
	for _, offset := range []uint{0, 4, 64, 256} {
		cases = append(cases,
			aCase{fmt.Sprintf("offset %d", offset), "A buffer is seen from its offset on.", func(r *rig) {
				p, x := r.kernel("number"), r.buffer(272)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					do(e.SetComputePipelineState(p), e.SetBuffer(x, offset, 0), e.DispatchThreads(line(4), line(4)))
				})
				assert.Equal(r, count(4), r.words(x)[offset/4:offset/4+4])
			}},
			aCase{fmt.Sprintf("moved to %d", offset), "SetBufferOffset moves where a bound buffer is seen from.", func(r *rig) {
				p, x := r.kernel("number"), r.buffer(272)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					do(e.SetComputePipelineState(p), e.SetBuffer(x, 8, 0), e.SetBufferOffset(offset, 0),
						e.DispatchThreads(line(4), line(4)))
				})
				assert.Equal(r, count(4), r.words(x)[offset/4:offset/4+4])
			}})
	}
	return append(cases, placeCases()...)
}

// placeCases check the position that a thread sees, for a grid with edges and one without.
func placeCases() []aCase {
	type place struct{ at, grid, l, g, groups, tg, full mtl.Size }
	index := func(p place) uint { return (p.l.Depth*p.tg.Height+p.l.Height)*p.tg.Width + p.l.Width }
	volume := func(s mtl.Size) uint { return s.Width * s.Height * s.Depth }
	three := func(a, b, c uint) mtl.Size { return size(a, b, c) }
	values := []struct {
		name, asserts string
		want          func(place) mtl.Size
	}{
		{"thread_position_in_grid", "A thread knows its position in the grid.", func(p place) mtl.Size { return p.at }},
		{"threads_per_grid", "A thread knows the size of the grid in threads.", func(p place) mtl.Size { return p.grid }},
		{"thread_position_in_threadgroup", "A thread knows its position in its threadgroup.",
			func(p place) mtl.Size { return p.l }},
		{"threadgroup_position_in_grid", "A thread knows the position of its threadgroup.",
			func(p place) mtl.Size { return p.g }},
		{"threadgroups_per_grid", "A thread knows the size of the grid in threadgroups.",
			func(p place) mtl.Size { return p.groups }},
		{"threads_per_threadgroup", "A thread knows the size of its own threadgroup, smaller at the edge.",
			func(p place) mtl.Size { return p.tg }},
		{"dispatch_threads_per_threadgroup", "A thread knows the size of threadgroup that was dispatched.",
			func(p place) mtl.Size { return p.full }},
		{"thread_index_in_threadgroup", "A thread's index in its group counts along x, then y, then z.",
			func(p place) mtl.Size { return three(index(p), 0, 0) }},
		{"simdgroup and lane", "SIMD groups of 32 are cut from a threadgroup in order of the thread's index.",
			func(p place) mtl.Size { return three(index(p)%32, index(p)/32, 0) }},
		{"simdgroups_per_threadgroup", "A thread knows how many SIMD groups its group has, and how wide they are.",
			func(p place) mtl.Size { return three((volume(p.tg)+31)/32, 32, 0) }},
	}
	var cases []aCase
	for which, v := range values {
		for _, shape := range []struct {
			name     string
			grid, tg mtl.Size
		}{
			{"line with edge", size(70, 1, 1), size(32, 1, 1)},
			{"volume with edges", size(11, 7, 3), size(4, 4, 2)},
			{"whole groups", size(16, 8, 2), size(8, 4, 2)},
		} {
			cases = append(cases, aCase{v.name + ", " + shape.name, v.asserts, func(r *rig) {
				p, n := r.kernel("place"), volume(shape.grid)
				x := r.buffer(12 * n)
				r.compute(func(e mtl.ComputeCommandEncoder) {
					set(e, p, x)
					do(e.SetBytes(word(uint32(which)), 1), e.DispatchThreads(shape.grid, shape.tg))
				})
				got := r.words(x)
				up := func(a, b uint) uint { return (a + b - 1) / b }
				for o := range n {
					at := size(o%shape.grid.Width, o/shape.grid.Width%shape.grid.Height, o/(shape.grid.Width*shape.grid.Height))
					g := size(at.Width/shape.tg.Width, at.Height/shape.tg.Height, at.Depth/shape.tg.Depth)
					pl := place{at: at, grid: shape.grid, g: g, full: shape.tg,
						l: size(at.Width%shape.tg.Width, at.Height%shape.tg.Height, at.Depth%shape.tg.Depth),
						groups: size(up(shape.grid.Width, shape.tg.Width), up(shape.grid.Height, shape.tg.Height),
							up(shape.grid.Depth, shape.tg.Depth)),
						tg: size(min(shape.tg.Width, shape.grid.Width-g.Width*shape.tg.Width),
							min(shape.tg.Height, shape.grid.Height-g.Height*shape.tg.Height),
							min(shape.tg.Depth, shape.grid.Depth-g.Depth*shape.tg.Depth))}
					w := v.want(pl)
					if !assert.Equal(r, []uint32{uint32(w.Width), uint32(w.Height), uint32(w.Depth)}, got[3*o:3*o+3], "thread %+v",
						at) {
						return
					}
				}
			}})
		}
	}
	return cases
}
