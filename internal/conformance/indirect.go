package conformance

import (
	"github.com/puremetal/puremetal/internal/conformance/assert"
	"github.com/puremetal/puremetal/mtl"
)

// indirectCommands returns an indirect command buffer of n dispatches with two buffers each.
func (r *rig) indirectCommands(n uint, change func(mtl.IndirectCommandBufferDescriptor)) mtl.IndirectCommandBuffer {
	r.Helper()
	d := own(r, must(mtl.NewIndirectCommandBufferDescriptor()))
	d.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatch | mtl.IndirectCommandTypeConcurrentDispatchThreads)
	d.SetInheritPipelineState(false)
	d.SetInheritBuffers(false)
	d.SetMaxKernelBufferBindCount(2)
	if change != nil {
		change(d)
	}
	return own(r, must(r.device.NewIndirectCommandBufferWithDescriptor(d, n, mtl.ResourceStorageModeShared)))
}

// indirectKernel is kernel for indirect commands.
func (r *rig) indirectKernel(name string) mtl.ComputePipelineState {
	r.Helper()
	d := r.described(r.function(name))
	d.SetSupportIndirectCommandBuffers(true)
	p, _, err := r.device.NewComputePipelineStateWithDescriptor(d, 0)
	do(err)
	return own(r, p)
}

// dispatch fills one command.
func dispatch(b mtl.IndirectCommandBuffer, i uint, p mtl.ComputePipelineState, x mtl.Buffer, offset, n uint) {
	c := must(b.IndirectComputeCommandAtIndex(i))
	do(c.SetComputePipelineState(p), c.SetKernelBuffer(x, offset, 0), c.ConcurrentDispatchThreads(line(n), line(n)))
}

// execute runs a range of commands that write to buffers.
func (r *rig) execute(b mtl.IndirectCommandBuffer, rng mtl.Range, uses ...mtl.Buffer) {
	r.Helper()
	r.compute(func(e mtl.ComputeCommandEncoder) {
		for _, x := range uses {
			do(e.UseResource(x.Resource, mtl.ResourceUsageRead|mtl.ResourceUsageWrite))
		}
		do(e.ExecuteCommandsInBuffer(b, rng))
	})
}

func indirectCases() []aCase {
	all := func(n uint) mtl.Range { return mtl.Range{Length: n} }
	return []aCase{
		{"size", "An indirect command buffer has room for the commands asked for.", func(r *rig) {
			assert.Equal(r, uint(7), r.indirectCommands(7, nil).Size())
		}},
		{"one", "A command encoded by the CPU runs when it is executed.", func(r *rig) {
			b, x := r.indirectCommands(1, nil), r.buffer(16)
			dispatch(b, 0, r.indirectKernel("number"), x, 0, 4)
			assert.Equal(r, make([]uint32, 4), r.words(x), "not before")
			r.execute(b, all(1), x)
			assert.Equal(r, count(4), r.words(x))
		}},
		{"several", "Each command has pipeline, buffers and size of its own.", func(r *rig) {
			b, x, y := r.indirectCommands(3, nil), r.buffer(32), r.uints(5, 6, 7)
			number, twice := r.indirectKernel("number"), r.indirectKernel("twice")
			dispatch(b, 0, number, x, 0, 3)
			dispatch(b, 1, number, x, 16, 2)
			dispatch(b, 2, twice, y, 4, 2)
			r.execute(b, all(3), x, y)
			assert.Equal(r, []uint32{1, 2, 3, 0, 1, 2, 0, 0}, r.words(x))
			assert.Equal(r, []uint32{5, 12, 14}, r.words(y))
		}},
		{"threadgroups", "A command dispatches threadgroups.", func(r *rig) {
			b, x, p := r.indirectCommands(1, nil), r.buffer(64), r.indirectKernel("number")
			c := must(b.IndirectComputeCommandAtIndex(0))
			do(c.SetComputePipelineState(p), c.SetKernelBuffer(x, 0, 0), c.ConcurrentDispatchThreadgroups(line(2), line(4)))
			r.execute(b, all(1), x)
			assert.Equal(r, append(count(8), make([]uint32, 8)...), r.words(x))
		}},
		{"empty commands", "Commands that nobody has encoded do nothing.", func(r *rig) {
			b, x := r.indirectCommands(4, nil), r.buffer(16)
			dispatch(b, 2, r.indirectKernel("number"), x, 0, 4)
			r.execute(b, all(4), x)
			assert.Equal(r, count(4), r.words(x))
		}},
		{"range", "Only the commands of the range run.", func(r *rig) {
			b, x, y := r.indirectCommands(2, nil), r.buffer(16), r.buffer(16)
			p := r.indirectKernel("number")
			dispatch(b, 0, p, x, 0, 4)
			dispatch(b, 1, p, y, 0, 4)
			r.execute(b, mtl.Range{Location: 1, Length: 1}, x, y)
			assert.Equal(r, make([]uint32, 4), r.words(x))
			assert.Equal(r, count(4), r.words(y))
		}},
		{"indirect range", "The range of commands can come from a buffer.", func(r *rig) {
			b, x, y, at := r.indirectCommands(2, nil), r.buffer(16), r.buffer(16), r.uints(0, 1, 1)
			p := r.indirectKernel("number")
			dispatch(b, 0, p, x, 0, 4)
			dispatch(b, 1, p, y, 0, 4)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.UseResources([]mtl.Resource{x.Resource, y.Resource}, mtl.ResourceUsageWrite))
				do(e.ExecuteCommandsInBufferIndirectBuffer(b, at, 4))
			})
			assert.Equal(r, make([]uint32, 4), r.words(x))
			assert.Equal(r, count(4), r.words(y))
		}},
		{"again", "Commands can be executed any number of times.", func(r *rig) {
			b, x := r.indirectCommands(1, nil), r.uints(1)
			dispatch(b, 0, r.indirectKernel("twice"), x, 0, 1)
			for range 5 {
				r.execute(b, all(1), x)
			}
			assert.Equal(r, []uint32{32}, r.words(x))
		}},
		{"barrier", "A barrier has a command see what those before it wrote.", func(r *rig) {
			b, x := r.indirectCommands(2, nil), r.buffer(1024)
			dispatch(b, 0, r.indirectKernel("number"), x, 0, 256)
			dispatch(b, 1, r.indirectKernel("twice"), x, 0, 256)
			do(must(b.IndirectComputeCommandAtIndex(1)).SetBarrier())
			r.execute(b, all(2), x)
			for i, v := range r.words(x) {
				assert.Equal(r, uint32(2*i+2), v)
			}
		}},
		{"reset", "A command that is reset does nothing.", func(r *rig) {
			b, x := r.indirectCommands(2, nil), r.buffer(16)
			p := r.indirectKernel("number")
			dispatch(b, 0, p, x, 0, 4)
			do(must(b.IndirectComputeCommandAtIndex(0)).Reset())
			r.execute(b, all(2), x)
			assert.Equal(r, make([]uint32, 4), r.words(x))
		}},
		{"reset range", "A range of commands is reset by the CPU.", func(r *rig) {
			b, x, y := r.indirectCommands(2, nil), r.buffer(16), r.buffer(16)
			p := r.indirectKernel("number")
			dispatch(b, 0, p, x, 0, 4)
			dispatch(b, 1, p, y, 0, 4)
			do(b.ResetWithRange(all(1)))
			r.execute(b, all(2), x, y)
			assert.Equal(r, make([]uint32, 4), r.words(x))
			assert.Equal(r, count(4), r.words(y))
		}},
		{"reset by blit", "A range of commands is reset by the GPU.", func(r *rig) {
			b, x := r.indirectCommands(1, nil), r.buffer(16)
			dispatch(b, 0, r.indirectKernel("number"), x, 0, 4)
			r.copies(func(e mtl.BlitCommandEncoder) { do(e.ResetCommandsInBuffer(b, all(1))) })
			r.execute(b, all(1), x)
			assert.Equal(r, make([]uint32, 4), r.words(x))
		}},
		{"copied", "Commands are copied by the GPU and run from the copy.", func(r *rig) {
			from, to, x := r.indirectCommands(2, nil), r.indirectCommands(3, nil), r.buffer(16)
			dispatch(from, 1, r.indirectKernel("number"), x, 0, 4)
			r.copies(func(e mtl.BlitCommandEncoder) {
				do(e.ResetCommandsInBuffer(to, all(3)), e.CopyIndirectCommandBuffer(from, mtl.Range{Location: 1, Length: 1}, to, 2),
					e.OptimizeIndirectCommandBuffer(to, all(3)))
			})
			r.execute(to, mtl.Range{Location: 2, Length: 1}, x)
			assert.Equal(r, count(4), r.words(x))
		}},
		{"inherited buffers", "Commands that inherit take the encoder's buffers.", func(r *rig) {
			b := r.indirectCommands(1, func(d mtl.IndirectCommandBufferDescriptor) { d.SetInheritBuffers(true) })
			x, p := r.buffer(16), r.indirectKernel("number")
			c := must(b.IndirectComputeCommandAtIndex(0))
			do(c.SetComputePipelineState(p), c.ConcurrentDispatchThreads(line(4), line(4)))
			r.compute(func(e mtl.ComputeCommandEncoder) { do(e.SetBuffer(x, 0, 0), e.ExecuteCommandsInBuffer(b, all(1))) })
			assert.Equal(r, count(4), r.words(x))
		}},
		{"inherited pipeline", "Commands that inherit take the encoder's pipeline.", func(r *rig) {
			b := r.indirectCommands(1, func(d mtl.IndirectCommandBufferDescriptor) { d.SetInheritPipelineState(true) })
			x, p := r.buffer(16), r.indirectKernel("number")
			c := must(b.IndirectComputeCommandAtIndex(0))
			do(c.SetKernelBuffer(x, 0, 0), c.ConcurrentDispatchThreads(line(4), line(4)))
			r.compute(func(e mtl.ComputeCommandEncoder) {
				do(e.SetComputePipelineState(p), e.UseResource(x.Resource, mtl.ResourceUsageWrite),
					e.ExecuteCommandsInBuffer(b, all(1)))
			})
			assert.Equal(r, count(4), r.words(x))
		}},
		{"no such command", "A command beyond the last is refused, with the last index.", func(r *rig) {
			_, err := r.indirectCommands(2, nil).IndirectComputeCommandAtIndex(2)
			r.beyond(err, mtl.ErrIndex, 2, 1)
		}},
		{"too many", "A range beyond the last command is refused, with how many there are.", func(r *rig) {
			b := r.indirectCommands(2, nil)
			r.compute(func(e mtl.ComputeCommandEncoder) {
				r.beyond(e.ExecuteCommandsInBuffer(b, mtl.Range{Location: 1, Length: 2}), mtl.ErrLength, 2, 1)
			})
			r.beyond(b.ResetWithRange(all(3)), mtl.ErrLength, 3, 2)
		}},
		{"plain pipeline", "A pipeline without support for indirect commands is refused.", func(r *rig) {
			c := must(r.indirectCommands(1, nil).IndirectComputeCommandAtIndex(0))
			r.refused(c.SetComputePipelineState(r.kernel("number")), mtl.ErrArgument)
		}},
		{"kernel buffer index", "A buffer beyond those that the descriptor allows is refused, with the last index.",
			func(r *rig) {
				x := r.buffer(16)
				c := must(r.indirectCommands(1, nil).IndirectComputeCommandAtIndex(0))
				r.refused(c.SetKernelBuffer(x, 0, 2), mtl.ErrIndex)
				r.beyond(c.SetKernelBuffer(x, 17, 0), mtl.ErrOffset, 17, 16)
				r.refused(c.SetKernelBuffer(mtl.Buffer{}, 0, 0), mtl.ErrNil)
			}},
		{"no pipeline", "A command needs a pipeline.", func(r *rig) {
			c := must(r.indirectCommands(1, nil).IndirectComputeCommandAtIndex(0))
			r.refused(c.ConcurrentDispatchThreads(line(4), line(4)), mtl.ErrNoPipeline)
		}},
		{"descriptor", "The descriptor of indirect commands keeps what it is given.", func(r *rig) {
			d := own(r, must(mtl.NewIndirectCommandBufferDescriptor()))
			d.SetMaxKernelBufferBindCount(5)
			d.SetInheritBuffers(true)
			d.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatch)
			assert.Equal(r, uint(5), d.MaxKernelBufferBindCount())
			assert.True(r, d.InheritBuffers())
			assert.Equal(r, mtl.IndirectCommandTypeConcurrentDispatch, d.CommandTypes())
		}},
	}
}
