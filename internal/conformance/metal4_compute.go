package conformance

import (
	"encoding/binary"

	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// pointed returns a kernel that follows an address in memory.
func (r *rig) pointed() mtl.ComputePipelineState {
	r.Helper()
	return r.pipeline(`
struct links { device uint* x; uint k; };
kernel void linked(device const links& l [[buffer(0)]], uint i [[thread_position_in_grid]]) { l.x[i] += l.k; }`, "linked")
}

// descriptor4 returns a descriptor for tables with the given numbers of slots.
func (r *rig) descriptor4(buffers, textures, samplers uint) mtl.ArgumentTableDescriptor4 {
	r.Helper()
	d := own(r, must(mtl.NewArgumentTableDescriptor4()))
	d.SetMaxBufferBindCount(buffers)
	d.SetMaxTextureBindCount(textures)
	d.SetMaxSamplerStateBindCount(samplers)
	return d
}

func metal4ComputeCases() []aCase {
	return append(metal4TableCases(), []aCase{
		{"threads", "A dispatch of threads runs each thread of the grid once.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(4000)
			t := m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(1000), line(64))) })
			assert.Equal(r, count(1000), r.words(x))
		}},
		{"threadgroups", "A dispatch of threadgroups runs whole threadgroups.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(4*96)
			t := m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreadgroups(line(3), line(32))) })
			assert.Equal(r, count(96), r.words(x))
		}},
		{"indirect threadgroups", "The GPU reads from an address how many threadgroups there are.", func(r *rig) {
			m, p, x, n := r.metal4(), r.kernel("number"), r.buffer(4*64), r.uints(0, 2, 1, 1)
			t := m.table(x)
			m.reside(n.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				do(e.DispatchThreadgroupsWithIndirectBuffer(n.GPUAddress()+4, line(16)))
			})
			assert.Equal(r, append(count(32), make([]uint32, 32)...), r.words(x))
		}},
		{"indirect threads", "The GPU reads from an address how many threads there are, and how many make a threadgroup.",
			func(r *rig) {
				m, p, x, n := r.metal4(), r.kernel("number"), r.buffer(4*64), r.uints(40, 1, 1, 16, 1, 1)
				t := m.table(x)
				m.reside(n.Resource)
				m.run(func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					do(e.DispatchThreadsWithIndirectBuffer(n.GPUAddress()))
				})
				assert.Equal(r, append(count(40), make([]uint32, 24)...), r.words(x))
			}},
		{"computed size", "A kernel computes the size of a dispatch behind a barrier.", func(r *rig) {
			m, number, x, n := r.metal4(), r.kernel("number"), r.buffer(64), r.uints(0, 1, 1)
			size := r.pipeline("kernel void size(device uint* n [[buffer(0)]]) { n[0] = 3; }", "size")
			first, second := m.table(n), m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, size, first)
				do(e.DispatchThreads(line(1), line(1)))
				barrier4(e)
				set4(e, number, second)
				do(e.DispatchThreadgroupsWithIndirectBuffer(n.GPUAddress(), line(4)))
			})
			assert.Equal(r, append(count(12), 0, 0, 0, 0), r.words(x))
		}},
		{"threadgroup memory", "A kernel's threadgroup memory has the length that the encoder gives it.", func(r *rig) {
			m, p, in, out := r.metal4(), r.kernel("sum"), r.uints(count(64)...), r.buffer(8)
			t := m.table(in, out)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				do(e.SetThreadgroupMemoryLength(128, 0), e.DispatchThreadgroups(line(2), line(32)))
			})
			assert.Equal(r, []uint32{528, 1552}, r.words(out))
		}},
		{"encoder barrier", "A barrier between stages of an encoder orders its dispatches.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("twice"), r.uints(1)
			t := m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				for range 10 {
					do(e.DispatchThreads(line(1), line(1)))
					do(e.BarrierAfterEncoderStages(mtl.StageDispatch, mtl.StageDispatch, mtl.VisibilityOption4Device))
				}
			})
			assert.Equal(r, []uint32{1024}, r.words(x))
		}},
		{"consumer barrier", "A barrier after stages of the queue has an encoder wait for those before it.", func(r *rig) {
			m, number, twice, x := r.metal4(), r.kernel("number"), r.kernel("twice"), r.buffer(4096)
			t := m.table(x)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					set4(e, number, t)
					do(e.DispatchThreads(line(1024), line(64)))
				})
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					do(e.BarrierAfterQueueStages(mtl.StageDispatch, mtl.StageDispatch, mtl.VisibilityOption4Device))
					set4(e, twice, t)
					do(e.DispatchThreads(line(1024), line(64)))
				})
			})
			do(m.commit(m.buffer4).err)
			assert.Equal(r, uint32(2048), r.words(x)[1023])
		}},
		{"producer barrier", "A barrier before stages of the queue has later encoders wait.", func(r *rig) {
			m, number, x, y := r.metal4(), r.kernel("number"), r.buffer(4096), r.buffer(4096)
			t := m.table(x)
			m.reside(y.Resource)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					set4(e, number, t)
					do(e.DispatchThreads(line(1024), line(64)),
						e.BarrierAfterStages(mtl.StageDispatch, mtl.StageBlit, mtl.VisibilityOption4Device))
				})
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) { do(e.CopyFromBuffer(x, 0, y, 0, 4096)) })
			})
			do(m.commit(m.buffer4).err)
			assert.Equal(r, count(1024), r.words(y))
		}},
		{"fence", "An encoder that waits for a fence runs after the one that updates it.", func(r *rig) {
			m, number, twice, x, f := r.metal4(), r.kernel("number"), r.kernel("twice"), r.buffer(4096),
				own(r, r.device.NewFence())
			t := m.table(x)
			m.record(m.buffer4, func() {
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					set4(e, number, t)
					do(e.DispatchThreads(line(1024), line(64)), e.UpdateFence(f, mtl.StageDispatch))
				})
				encode4(m.buffer4, func(e mtl.ComputeCommandEncoder4) {
					do(e.WaitForFence(f, mtl.StageDispatch))
					set4(e, twice, t)
					do(e.DispatchThreads(line(1024), line(64)))
				})
			})
			do(m.commit(m.buffer4).err)
			assert.Equal(r, uint32(2048), r.words(x)[1023])
		}},
		{"between barriers", "Dispatches between barriers that touch different memory all happen.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64*256)
			t := m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.SetComputePipelineState(p), e.SetArgumentTable(t))
				for i := range uint64(64) {
					do(t.SetAddress(x.GPUAddress()+i*256, 0), e.DispatchThreads(line(64), line(32)))
				}
			})
			for i := range 64 {
				r.holds(assert.Equal(r, count(64), r.words(x)[i*64:i*64+64], "dispatch %d", i))
			}
		}},
		{"stages", "An encoder tells which stages its commands have.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				assert.Zero(r, e.Stages())
				set4(e, p, t)
				do(e.DispatchThreads(line(16), line(16)))
				assert.Equal(r, mtl.StageDispatch, e.Stages())
				barrier4(e)
				do(e.FillBuffer(x, mtl.Range{Length: 4}, 0))
				assert.Equal(r, mtl.StageDispatch|mtl.StageBlit, e.Stages())
			})
		}},
		{"encoder", "An encoder has its command buffer and keeps its label.", func(r *rig) {
			m := r.metal4()
			m.run(func(e mtl.ComputeCommandEncoder4) {
				e.SetLabel("encoder")
				assert.Equal(r, "encoder", e.Label())
				assert.Equal(r, m.buffer4.ID(), e.CommandBuffer().ID())
			})
		}},
		{"execute", "Indirect commands run in a range of the CPU's.", func(r *rig) {
			m, b, x, p := r.metal4(), r.indirectCommands(3, nil), r.buffer(64), r.indirectKernel("number")
			for i := range uint(3) {
				dispatch(b, i, p, x, i*16, i+2)
			}
			m.reside(x.Resource, b.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				do(e.ExecuteCommandsInBufferWithRange(b, mtl.Range{Location: 1, Length: 2}))
			})
			assert.Equal(r, []uint32{0, 0, 0, 0, 1, 2, 3, 0, 1, 2, 3, 4, 0, 0, 0, 0}, r.words(x))
		}},
		{"execute indirect", "Indirect commands run in a range that the GPU reads from an address.", func(r *rig) {
			m, b, x, p, rng := r.metal4(), r.indirectCommands(3, nil), r.buffer(64), r.indirectKernel("number"), r.uints(0, 2, 1)
			for i := range uint(3) {
				dispatch(b, i, p, x, i*16, 2)
			}
			m.reside(x.Resource, b.Resource, rng.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { do(e.ExecuteCommandsInBuffer(b, rng.GPUAddress()+4)) })
			assert.Equal(r, []uint32{0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, 0}, r.words(x))
		}},
		{"execute inherited", "Indirect commands inherit pipeline and table from the encoder.", func(r *rig) {
			m, x, p := r.metal4(), r.buffer(16), r.indirectKernel("number")
			b := r.indirectCommands(1, func(d mtl.IndirectCommandBufferDescriptor) {
				d.SetInheritPipelineState(true)
				d.SetInheritBuffers(true)
				d.SetMaxKernelBufferBindCount(0)
			})
			do(must(b.IndirectComputeCommandAtIndex(0)).ConcurrentDispatchThreads(line(4), line(4)))
			t := m.table(x)
			m.reside(b.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				do(e.ExecuteCommandsInBufferWithRange(b, mtl.Range{Length: 1}))
			})
			assert.Equal(r, count(4), r.words(x))
		}},
		{"no pipeline", "A dispatch without a pipeline is refused.", func(r *rig) {
			m := r.metal4()
			m.run(func(e mtl.ComputeCommandEncoder4) {
				r.refused(e.DispatchThreads(line(1), line(1)), mtl.ErrNoPipeline)
				r.refused(e.DispatchThreadsWithIndirectBuffer(64), mtl.ErrNoPipeline)
				r.refused(e.SetComputePipelineState(mtl.ComputePipelineState{}), mtl.ErrNil)
			})
		}},
		{"limits", "A dispatch beyond a limit is refused, with the value and the limit.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table(x)
			most := uint64(p.MaxTotalThreadsPerThreadgroup())
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				r.beyond(e.DispatchThreads(line(1), line(uint(most)+1)), mtl.ErrThreadgroupSize, most+1, most)
				r.beyond(e.DispatchThreadgroups(line(0), line(1)), mtl.ErrGridSize, 0, 1)
				r.beyond(e.DispatchThreadgroupsWithIndirectBuffer(x.GPUAddress()+2, line(1)), mtl.ErrAlignment, x.GPUAddress()+2, 4)
				r.beyond(e.SetThreadgroupMemoryLength(20, 0), mtl.ErrAlignment, 20, 16)
				r.beyond(e.SetThreadgroupMemoryLength(16, 31), mtl.ErrIndex, 31, 30)
				do(e.DispatchThreads(line(16), line(16)))
			})
			assert.Equal(r, count(16), r.words(x), "the encoder works on")
		}},
		{"barrier of nothing", "A barrier or fence without stages is refused.", func(r *rig) {
			m, f := r.metal4(), own(r, r.device.NewFence())
			m.run(func(e mtl.ComputeCommandEncoder4) {
				r.refused(e.BarrierAfterEncoderStages(0, mtl.StageAll, 0), mtl.ErrArgument)
				r.refused(e.BarrierAfterQueueStages(mtl.StageAll, 0, 0), mtl.ErrArgument)
				r.refused(e.BarrierAfterStages(mtl.StageAll, mtl.StageAll, 64), mtl.ErrArgument)
				r.refused(e.UpdateFence(f, 0), mtl.ErrArgument)
				r.refused(e.WaitForFence(mtl.Fence{}, mtl.StageAll), mtl.ErrNil)
			})
		}},
		{"ended", "An encoder that has ended takes no commands.", func(r *rig) {
			m := r.metal4()
			m.record(m.buffer4, func() {
				e := must(m.buffer4.ComputeCommandEncoder())
				do(e.EndEncoding())
				r.refused(e.EndEncoding(), mtl.ErrClosed)
				r.refused(e.DispatchThreads(line(1), line(1)), mtl.ErrClosed)
			})
			do(m.commit(m.buffer4).err)
		}},
		{"compiler", "A pipeline of a compiler of Metal 4 runs.", func(r *rig) {
			m, x := r.metal4(), r.buffer(64)
			k := own(r, must(r.device.NewCompiler4WithDescriptor(own(r, must(mtl.NewCompilerDescriptor4())))))
			f := own(r, must(mtl.NewLibraryFunctionDescriptor4()))
			f.SetLibrary(r.source(kernels))
			f.SetName("number")
			d := own(r, must(mtl.NewComputePipelineDescriptor4()))
			d.SetComputeFunctionDescriptor(f.FunctionDescriptor4)
			p := own(r, must(k.NewComputePipelineStateWithDescriptor(d, mtl.CompilerTaskOptions4{})))
			t := m.table(x)
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(16), line(16))) })
			assert.Equal(r, count(16), r.words(x))
		}},
	}...)
}

func metal4TableCases() []aCase {
	return []aCase{
		{"table", "A table has its device, and the label of its descriptor.", func(r *rig) {
			r.metal4()
			d := r.descriptor4(1, 0, 0)
			d.SetLabel("arguments")
			t := own(r, must(r.device.NewArgumentTable4WithDescriptor(d)))
			assert.Equal(r, "arguments", t.Label())
			assert.Equal(r, r.device.RegistryID(), t.Device().RegistryID())
		}},
		{"table's limits", "Tables have at most 31 buffers, 128 textures and 16 samplers.", func(r *rig) {
			r.metal4()
			for i, n := range []uint64{31, 128, 16} {
				var sizes [3]uint
				sizes[i] = uint(n)
				own(r, must(r.device.NewArgumentTable4WithDescriptor(r.descriptor4(sizes[0], sizes[1], sizes[2]))))
				sizes[i]++
				_, err := r.device.NewArgumentTable4WithDescriptor(r.descriptor4(sizes[0], sizes[1], sizes[2]))
				r.beyond(err, mtl.ErrIndex, n+1, n)
			}
		}},
		{"table's slots", "A slot that the table does not have is refused, with the index and the last one.", func(r *rig) {
			r.metal4()
			t := own(r, must(r.device.NewArgumentTable4WithDescriptor(r.descriptor4(2, 1, 1))))
			do(t.SetAddress(64, 1), t.SetTexture(mtl.ResourceID{}, 0), t.SetSamplerState(mtl.ResourceID{}, 0))
			r.beyond(t.SetAddress(64, 2), mtl.ErrIndex, 2, 1)
			r.beyond(t.SetResource(mtl.ResourceID{}, 2), mtl.ErrIndex, 2, 1)
			r.beyond(t.SetTexture(mtl.ResourceID{}, 1), mtl.ErrIndex, 1, 0)
			r.beyond(t.SetSamplerState(mtl.ResourceID{}, 1), mtl.ErrIndex, 1, 0)
		}},
		{"strides", "A table takes strides if its descriptor says that it supports them.", func(r *rig) {
			r.metal4()
			d := r.descriptor4(1, 0, 0)
			r.refused(own(r, must(r.device.NewArgumentTable4WithDescriptor(d))).SetAddressAttributeStride(64, 16, 0),
				mtl.ErrState)
			d.SetSupportAttributeStrides(true)
			do(own(r, must(r.device.NewArgumentTable4WithDescriptor(d))).SetAddressAttributeStride(64, 16, 0))
		}},
		{"offset", "An address is a buffer's address and an offset.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			t := m.table(x)
			do(t.SetAddress(x.GPUAddress()+32, 0))
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(8), line(8))) })
			assert.Equal(r, append(make([]uint32, 8), count(8)...), r.words(x))
		}},
		{"taken at dispatch", "A dispatch has what the table has when it is encoded, not when it runs.", func(r *rig) {
			m, p, x, y, k := r.metal4(), r.kernel("plus"), r.uints(0), r.uints(0), r.uints(1, 10, 100)
			t := m.table(x, k)
			m.reside(y.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				one := func() { do(e.DispatchThreads(line(1), line(1))); barrier4(e) }
				one()
				do(t.SetAddress(k.GPUAddress()+4, 1))
				one()
				do(t.SetAddress(y.GPUAddress(), 0))
				one()
				do(t.SetAddress(k.GPUAddress()+8, 1))
				one()
				do(t.SetAddress(0, 0), t.SetAddress(0, 1))
			})
			assert.Equal(r, []uint32{11}, r.words(x))
			assert.Equal(r, []uint32{110}, r.words(y))
		}},
		{"two tables", "Each dispatch takes the table that is set.", func(r *rig) {
			m, p, x, y := r.metal4(), r.kernel("number"), r.buffer(16), r.buffer(16)
			a, b := m.table(x), m.table(y)
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, a)
				do(e.DispatchThreads(line(2), line(2)), e.SetArgumentTable(b), e.DispatchThreads(line(3), line(3)))
			})
			assert.Equal(r, []uint32{1, 2, 0, 0}, r.words(x))
			assert.Equal(r, []uint32{1, 2, 3, 0}, r.words(y))
		}},
		{"two encoders", "One table serves several encoders and queues.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("plus"), r.uints(0)
			k := r.uints(2)
			t := m.table(x, k)
			for range 3 {
				m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(1), line(1))) })
			}
			assert.Equal(r, []uint32{6}, r.words(x))
		}},
		{"released table", "A table may be released when the dispatch is encoded.", func(r *rig) {
			m, p, x := r.metal4(), r.kernel("number"), r.buffer(64)
			m.reside(x.Resource)
			t := must(r.device.NewArgumentTable4WithDescriptor(r.descriptor4(1, 0, 0)))
			do(t.SetAddress(x.GPUAddress(), 0))
			m.run(func(e mtl.ComputeCommandEncoder4) {
				set4(e, p, t)
				do(e.DispatchThreads(line(16), line(16)))
				t.Release()
			})
			assert.Equal(r, count(16), r.words(x))
		}},
		{"pointers in memory", "A kernel follows addresses in a buffer that the program has written.", func(r *rig) {
			m, p, x, l := r.metal4(), r.pointed(), r.uints(1, 2, 3), r.buffer(16)
			b := must(mtl.Slice[byte](l))
			binary.LittleEndian.PutUint64(b, x.GPUAddress())
			binary.LittleEndian.PutUint32(b[8:], 10)
			t := m.table(l)
			m.reside(x.Resource)
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(3), line(3))) })
			assert.Equal(r, []uint32{11, 12, 13}, r.words(x))
		}},
		{"textures", "A kernel reads and writes the textures of a table.", func(r *rig) {
			m, p := r.metal4(), r.pipeline(textureKernels, "invert")
			a, b := r.texture(mtl.PixelFormatR8Unorm, 2, 2), r.texture(mtl.PixelFormatR8Unorm, 2, 2)
			do(a.ReplaceRegion(area(0, 0, 2, 2), 0, []byte{0, 255, 55, 200}, 2))
			t := m.table()
			m.reside(a.Resource, b.Resource)
			do(t.SetTexture(a.GPUResourceID(), 0), t.SetTexture(b.GPUResourceID(), 1))
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(size(2, 2, 1), size(2, 2, 1))) })
			out := make([]byte, 4)
			do(b.GetBytes(out, 2, area(0, 0, 2, 2), 0))
			assert.Equal(r, []byte{255, 0, 200, 55}, out)
		}},
		{"sampler", "A kernel samples with the sampler of a table.", func(r *rig) {
			m, p := r.metal4(), r.pipeline(textureKernels, "sampled")
			a, out := r.texture(mtl.PixelFormatR32Float, 2, 1), r.floats(0, 0)
			at := r.floats(0.25, 0.5, 0.75, 0.5)
			do(a.ReplaceRegion(area(0, 0, 2, 1), 0, append(float(3), float(5)...), 8))
			d := own(r, must(mtl.NewSamplerDescriptor()))
			d.SetSupportArgumentBuffers(true)
			s := own(r, must(r.device.NewSamplerState(d)))
			t := m.table(out, at)
			m.reside(a.Resource)
			do(t.SetTexture(a.GPUResourceID(), 0), t.SetSamplerState(s.GPUResourceID(), 0))
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(2), line(2))) })
			assert.Equal(r, []float32{3, 5}, append([]float32(nil), must(mtl.Slice[float32](out))...))
		}},
		{"functions", "A kernel calls the functions of a table's function table.", func(r *rig) {
			m := r.metal4()
			l := r.source(`
[[visible]] uint plus_one(uint x) { return x + 1; }
[[visible]] uint times_ten(uint x) { return x * 10; }
kernel void call(device uint* out [[buffer(0)]], visible_function_table<uint(uint)> f [[buffer(1)]],
                 uint i [[thread_position_in_grid]]) { out[i] = f[i](i + 1); }`)
			linked := own(r, must(mtl.NewLinkedFunctions()))
			one, ten := own(r, must(l.NewFunction("plus_one"))), own(r, must(l.NewFunction("times_ten")))
			linked.SetFunctions([]mtl.Function{one, ten})
			d := r.described(own(r, must(l.NewFunction("call"))))
			d.SetLinkedFunctions(linked)
			p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
			do(err)
			own(r, p)
			td := own(r, must(mtl.NewVisibleFunctionTableDescriptor()))
			td.SetFunctionCount(2)
			functions := own(r, p.NewVisibleFunctionTableWithDescriptor(td))
			functions.SetFunction(p.FunctionHandleWithFunction(one), 0)
			functions.SetFunction(p.FunctionHandleWithFunction(ten), 1)
			out := r.buffer(8)
			t := m.table(out)
			m.reside(functions.Resource)
			do(t.SetResource(functions.GPUResourceID(), 1))
			m.run(func(e mtl.ComputeCommandEncoder4) { set4(e, p, t); do(e.DispatchThreads(line(2), line(2))) })
			assert.Equal(r, []uint32{2, 20}, r.words(out))
		}},
		{"textures' set", "A texture that is in no residency set is not to be used; one whose buffer is in one is.",
			func(r *rig) {
				m, p := r.metal4(), r.pipeline(textureKernels, "ids")
				x := r.buffer(64)
				d := must(mtl.Texture2DDescriptorWithPixelFormat(mtl.PixelFormatR32Uint, 4, 1, false))
				d.SetStorageMode(mtl.StorageModeShared)
				d.SetUsage(mtl.TextureUsageShaderWrite)
				b := own(r, must(x.NewTexture(d, 0, 16)))
				t := m.table()
				do(t.SetTexture(b.GPUResourceID(), 0))
				dispatch := func(e mtl.ComputeCommandEncoder4) {
					set4(e, p, t)
					do(e.DispatchThreads(size(4, 1, 1), size(4, 1, 1)))
				}
				m.failed(m.try(dispatch), mtl.CommandQueueError4Internal, `"ids"`, "texture", "residency set")
				m.reside(x.Resource)
				m.run(dispatch)
				assert.Equal(r, []uint32{0, 1, 2, 3}, r.words(x)[:4])
			}},
	}
}
