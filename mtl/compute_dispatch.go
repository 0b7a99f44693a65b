package mtl

// DispatchThreadgroups runs the kernel over a grid of whole threadgroups. A pipeline state must be
// set ([ErrNoPipeline]). A threadgroup must have at least one thread in each dimension and no more
// than the pipeline and the device allow ([ErrThreadgroupSize]). The grid must have at least one
// threadgroup, and less than 2^32 threads in each dimension ([ErrGridSize]). Whether every argument
// of the kernel is set is not checked, as that takes the pipeline's reflection.
//
//	-[MTLComputeCommandEncoder dispatchThreadgroups:threadsPerThreadgroup:]
func (o ComputeCommandEncoder) DispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTLComputeCommandEncoder dispatchThreadgroups:threadsPerThreadgroup:]")
	if err := o.begin(c); err != nil {
		return err
	}
	err := o.compute().dispatchGroups(c, threadgroupsPerGrid, threadsPerThreadgroup, o.device())
	if err == nil {
		sendComputeCommandEncoderDispatchThreadgroups(o, threadgroupsPerGrid, threadsPerThreadgroup)
	}
	o.end()
	return err
}

// DispatchThreads runs the kernel over a grid of threads; threadgroups at the edges may be smaller.
// The rules of [ComputeCommandEncoder.DispatchThreadgroups] apply, and the device must support
// nonuniform threadgroup sizes ([ErrUnsupported]).
//
//	-[MTLComputeCommandEncoder dispatchThreads:threadsPerThreadgroup:]
func (o ComputeCommandEncoder) DispatchThreads(threadsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTLComputeCommandEncoder dispatchThreads:threadsPerThreadgroup:]")
	if err := o.begin(c); err != nil {
		return err
	}
	err := o.compute().dispatchThreads(c, threadsPerGrid, threadsPerThreadgroup, o.device())
	if err == nil {
		sendComputeCommandEncoderDispatchThreads(o, threadsPerGrid, threadsPerThreadgroup)
	}
	o.end()
	return err
}

// DispatchThreadgroupsWithIndirectBuffer runs the kernel over a grid whose size the GPU reads from
// a buffer: a [DispatchThreadgroupsIndirectArguments], 12 bytes at a multiple of 4. The size itself
// cannot be checked.
//
//	-[MTLComputeCommandEncoder dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:
//	    threadsPerThreadgroup:]
func (o ComputeCommandEncoder) DispatchThreadgroupsWithIndirectBuffer(indirectBuffer Buffer, indirectBufferOffset uint,
	threadsPerThreadgroup Size) error {
	const c = check("-[MTLComputeCommandEncoder dispatchThreadgroupsWithIndirectBuffer:indirectBufferOffset:threadsPerThreadgroup:]")
	return tryEncode(o, c, c.indirect("indirect buffer", indirectBuffer, indirectBufferOffset, 12, o.device()),
		func() error {
			if err := o.compute().dispatch(c, threadsPerThreadgroup, o.device()); err != nil {
				return err
			}
			sendComputeCommandEncoderDispatchThreadgroupsWithIndirectBuffer(o, indirectBuffer, indirectBufferOffset,
				threadsPerThreadgroup)
			return nil
		})
}

// dispatch does the checks common to all dispatches.
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
		return c.fail(ErrUnsupported, "nonuniform threadgroup sizes")
	}
	return c.grid(grid, Size{1, 1, 1})
}

// SetStageInRegion sets the part of the stage-in data that the following dispatches work on; every
// dimension of its size must be at least 1.
//
//	-[MTLComputeCommandEncoder setStageInRegion:]
func (o ComputeCommandEncoder) SetStageInRegion(region Region) error {
	const c = check("-[MTLComputeCommandEncoder setStageInRegion:]")
	return encode(o, c, c.atLeastOne("size of the region", region.Size, ErrRegion),
		func() { sendComputeCommandEncoderSetStageInRegion(o, region) })
}

// SetStageInRegionWithIndirectBuffer is SetStageInRegion with the region in a buffer: a
// [StageInRegionIndirectArguments], 24 bytes at a multiple of 4.
//
//	-[MTLComputeCommandEncoder setStageInRegionWithIndirectBuffer:indirectBufferOffset:]
func (o ComputeCommandEncoder) SetStageInRegionWithIndirectBuffer(indirectBuffer Buffer,
	indirectBufferOffset uint) error {
	const c = check("-[MTLComputeCommandEncoder setStageInRegionWithIndirectBuffer:indirectBufferOffset:]")
	return encode(o, c, c.indirect("indirect buffer", indirectBuffer, indirectBufferOffset, 24, o.device()), func() {
		sendComputeCommandEncoderSetStageInRegionWithIndirectBuffer(o, indirectBuffer, indirectBufferOffset)
	})
}

// SetImageblockWidth sets the size of the kernel's imageblocks in pixels; width and height must be
// at least 1.
//
//	-[MTLComputeCommandEncoder setImageblockWidth:height:]
func (o ComputeCommandEncoder) SetImageblockWidth(width, height uint) error {
	const c = check("-[MTLComputeCommandEncoder setImageblockWidth:height:]")
	return encode(o, c, c.atLeastOne("imageblock", Size{width, height, 1}, ErrRegion),
		func() { sendComputeCommandEncoderSetImageblockWidth(o, width, height) })
}

// ExecuteCommandsInBuffer runs a range of the commands of an indirect command buffer. The range
// must be within the command buffer. If the commands inherit their pipeline, the encoder must have
// one.
//
//	-[MTLComputeCommandEncoder executeCommandsInBuffer:withRange:]
func (o ComputeCommandEncoder) ExecuteCommandsInBuffer(indirectCommandBuffer IndirectCommandBuffer,
	executionRange Range) error {
	const c = check("-[MTLComputeCommandEncoder executeCommandsInBuffer:withRange:]")
	return tryEncode(o, c, indirectCommandBuffer.commands(c, "command", executionRange), func() error {
		if err := o.compute().execute(c, indirectCommandBuffer); err != nil {
			return err
		}
		sendComputeCommandEncoderExecuteCommandsInBuffer(o, indirectCommandBuffer, executionRange)
		return nil
	})
}

// ExecuteCommandsInBufferIndirectBuffer is ExecuteCommandsInBuffer with the range in a buffer: an
// [IndirectCommandBufferExecutionRange], 8 bytes at a multiple of 4. The range that the GPU reads
// cannot be checked.
//
//	-[MTLComputeCommandEncoder executeCommandsInBuffer:indirectBuffer:indirectBufferOffset:]
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
			sendComputeCommandEncoderExecuteCommandsInBufferIndirectBuffer(o, indirectCommandBuffer, indirectRangeBuffer,
				indirectBufferOffset)
			return nil
		})
}

// execute checks that commands that inherit their pipeline find one.
func (s *computeState) execute(c check, b IndirectCommandBuffer) error {
	if s != nil && s.pipeline == nil && b.state != nil && b.state.inheritPipeline {
		return c.fail(ErrNoPipeline, "the commands inherit it")
	}
	return nil
}
