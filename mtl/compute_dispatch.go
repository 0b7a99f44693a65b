package mtl

// DispatchThreadgroups runs the kernel over a grid of whole threadgroups. It needs a pipeline state
// ([ErrNoPipeline]); a threadgroup has at least one thread in each dimension and no more than
// pipeline and device run ([ErrThreadgroupSize]); the grid has at least one threadgroup and less
// than 2^32 threads in each dimension ([ErrGridSize]). That every argument of the kernel has been
// set is not checked here: it takes the pipeline's reflection.
func (o ComputeCommandEncoder) DispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTLComputeCommandEncoder dispatchThreadgroups:threadsPerThreadgroup:]")
	if err := o.begin(c); err != nil {
		return err
	}
	err := o.compute().dispatchGroups(c, threadgroupsPerGrid, threadsPerThreadgroup, o.device())
	if err == nil {
		o.sendDispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup)
	}
	o.end()
	return err
}

// DispatchThreads runs the kernel over a grid of threads, where threadgroups at the edges may be
// smaller. It needs what DispatchThreadgroups needs, and a device that runs threadgroups of
// different sizes ([ErrUnsupported]).
func (o ComputeCommandEncoder) DispatchThreads(threadsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTLComputeCommandEncoder dispatchThreads:threadsPerThreadgroup:]")
	if err := o.begin(c); err != nil {
		return err
	}
	err := o.compute().dispatchThreads(c, threadsPerGrid, threadsPerThreadgroup, o.device())
	if err == nil {
		o.sendDispatchThreads(threadsPerGrid, threadsPerThreadgroup)
	}
	o.end()
	return err
}

// DispatchThreadgroupsWithIndirectBuffer runs the kernel over a grid whose size the GPU reads from
// a buffer: a [DispatchThreadgroupsIndirectArguments], 12 bytes at a multiple of 4. The size itself
// cannot be checked here.
func (o ComputeCommandEncoder) DispatchThreadgroupsWithIndirectBuffer(indirectBuffer Buffer, indirectBufferOffset uint,
	threadsPerThreadgroup Size) error {
	const c = check("-[MTLComputeCommandEncoder dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:]")
	return tryEncode(o, c, c.indirect("indirect buffer", indirectBuffer, indirectBufferOffset, 12, o.device()),
		func() error {
			if err := o.compute().dispatch(c, threadsPerThreadgroup, o.device()); err != nil {
				return err
			}
			o.sendDispatchThreadgroupsWithIndirectBuffer(indirectBuffer, indirectBufferOffset, threadsPerThreadgroup)
			return nil
		})
}

// dispatch checks what all dispatches need.
func (s *computeState) dispatch(c check, t Size, d *deviceFacts) error {
	if s == nil {
		return c.threadgroup(t, nil, d)
	}
	if s.pipeline == nil {
		return c.fail(ErrNoPipeline, "dispatch")
	}
	if err := c.threadgroup(t, s.pipeline, d); err != nil {
		return err
	}
	return c.memory(s.pipeline.staticMemory, s.dynamic, d)
}

// dispatchGroups checks a dispatch of a grid of threadgroups.
func (s *computeState) dispatchGroups(c check, grid, t Size, d *deviceFacts) error {
	if err := s.dispatch(c, t, d); err != nil {
		return err
	}
	return c.grid(grid, t)
}

// dispatchThreads checks a dispatch of a grid of threads.
func (s *computeState) dispatchThreads(c check, grid, t Size, d *deviceFacts) error {
	if err := s.dispatch(c, t, d); err != nil {
		return err
	}
	return c.threadGrid(grid, d)
}

// threadGrid checks a grid given in threads.
func (c check) threadGrid(grid Size, d *deviceFacts) error {
	if d != nil && !d.nonUniform {
		return c.fail(ErrUnsupported, "threadgroups of different sizes")
	}
	return c.grid(grid, Size{1, 1, 1})
}

// SetStageInRegion chooses the part of the stage-in data that the next dispatches work on; every
// dimension of its size is at least 1.
func (o ComputeCommandEncoder) SetStageInRegion(region Region) error {
	const c = check("-[MTLComputeCommandEncoder setStageInRegion:]")
	return encode(o, c, c.atLeastOne("size of the region", region.Size, ErrRegion),
		func() { o.sendSetStageInRegion(region) })
}

// SetStageInRegionWithIndirectBuffer is SetStageInRegion with the region in a buffer: a
// [StageInRegionIndirectArguments], 24 bytes at a multiple of 4.
func (o ComputeCommandEncoder) SetStageInRegionWithIndirectBuffer(indirectBuffer Buffer,
	indirectBufferOffset uint) error {
	const c = check("-[MTLComputeCommandEncoder setStageInRegionWithIndirectBuffer:indirectBufferOffset:]")
	return encode(o, c, c.indirect("indirect buffer", indirectBuffer, indirectBufferOffset, 24, o.device()), func() {
		o.sendSetStageInRegionWithIndirectBuffer(indirectBuffer, indirectBufferOffset)
	})
}

// SetImageblockWidth sets the size of the imageblocks that the kernel uses, in pixels, at least 1
// each way.
func (o ComputeCommandEncoder) SetImageblockWidth(width, height uint) error {
	const c = check("-[MTLComputeCommandEncoder setImageblockWidth:height:]")
	return encode(o, c, c.atLeastOne("imageblock", Size{width, height, 1}, ErrRegion),
		func() { o.sendSetImageblockWidth(width, height) })
}

// ExecuteCommandsInBuffer runs a range of the commands of an indirect command buffer. The range
// lies within its size; commands that inherit the pipeline need one here.
func (o ComputeCommandEncoder) ExecuteCommandsInBuffer(indirectCommandBuffer IndirectCommandBuffer,
	executionRange Range) error {
	const c = check("-[MTLComputeCommandEncoder executeCommandsInBuffer:withRange:]")
	return tryEncode(o, c, indirectCommandBuffer.commands(c, "command", executionRange), func() error {
		if err := o.compute().execute(c, indirectCommandBuffer); err != nil {
			return err
		}
		o.sendExecuteCommandsInBuffer(indirectCommandBuffer, executionRange)
		return nil
	})
}

// ExecuteCommandsInBufferIndirectBuffer is ExecuteCommandsInBuffer with the range in a buffer: an
// [IndirectCommandBufferExecutionRange], 8 bytes at a multiple of 4. What the GPU finds there
// cannot be checked.
func (o ComputeCommandEncoder) ExecuteCommandsInBufferIndirectBuffer(indirectCommandBuffer IndirectCommandBuffer,
	indirectRangeBuffer Buffer, indirectBufferOffset uint) error {
	const c = check("-[MTLComputeCommandEncoder executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:]")
	if err := c.object("indirect command buffer", indirectCommandBuffer.ID()); err != nil {
		return err
	}
	return tryEncode(o, c, c.indirect("range buffer", indirectRangeBuffer, indirectBufferOffset, 8, o.device()),
		func() error {
			if err := o.compute().execute(c, indirectCommandBuffer); err != nil {
				return err
			}
			o.sendExecuteCommandsInBufferIndirectBuffer(indirectCommandBuffer, indirectRangeBuffer, indirectBufferOffset)
			return nil
		})
}

// execute checks that commands which inherit a pipeline find one.
func (s *computeState) execute(c check, b IndirectCommandBuffer) error {
	if s != nil && s.pipeline == nil && b.state != nil && b.state.inheritPipeline {
		return c.fail(ErrNoPipeline, "the commands inherit it")
	}
	return nil
}
