package mtl

// compute returns what is known about the encoder's pipeline and memory, or nil if it is unknown.
func (o ComputeCommandEncoder4) compute() *computeState { return o.state.argumentTable() }

// SetComputePipelineState sets the kernel for the dispatches that follow. It must not be nil and
// must belong to the device.
//
//	-[MTL4ComputeCommandEncoder setComputePipelineState:]
func (o ComputeCommandEncoder4) SetComputePipelineState(state ComputePipelineState) error {
	const c = check("-[MTL4ComputeCommandEncoder setComputePipelineState:]")
	if err := c.object("pipeline state", state.ID()); err != nil {
		return err
	}
	p := factsOfPipeline(state)
	return encode(o, c, c.device("pipeline state", p.device, o.device()), func() {
		sendComputeCommandEncoder4SetComputePipelineState(o, state)
		o.compute().use(p)
	})
}

// SetArgumentTable sets the table with the arguments of the dispatches that follow; nil sets none.
//
//	-[MTL4ComputeCommandEncoder setArgumentTable:]
func (o ComputeCommandEncoder4) SetArgumentTable(argumentTable ArgumentTable4) error {
	return encode(o, "-[MTL4ComputeCommandEncoder setArgumentTable:]", nil,
		func() { sendComputeCommandEncoder4SetArgumentTable(o, argumentTable) })
}

// SetThreadgroupMemoryLength sets the size of a threadgroup memory argument, under the rules of
// [ComputeCommandEncoder.SetThreadgroupMemoryLength].
//
//	-[MTL4ComputeCommandEncoder setThreadgroupMemoryLength:atIndex:]
func (o ComputeCommandEncoder4) SetThreadgroupMemoryLength(length, index uint) error {
	const c = check("-[MTL4ComputeCommandEncoder setThreadgroupMemoryLength:atIndex:]")
	return tryEncode(o, c, c.threadgroupSlot(length, index), func() error {
		if err := o.compute().reserve(c, uint64(length), index, o.device()); err != nil {
			return err
		}
		sendComputeCommandEncoder4SetThreadgroupMemoryLength(o, length, index)
		return nil
	})
}

// SetImageblockWidth sets the size of the kernel's imageblocks in pixels; width and height must be
// at least 1.
//
//	-[MTL4ComputeCommandEncoder setImageblockWidth:height:]
func (o ComputeCommandEncoder4) SetImageblockWidth(width, height uint) error {
	const c = check("-[MTL4ComputeCommandEncoder setImageblockWidth:height:]")
	return encode(o, c, c.atLeastOne("imageblock", Size{width, height, 1}, ErrRegion),
		func() { sendComputeCommandEncoder4SetImageblockWidth(o, width, height) })
}

// DispatchThreads runs the kernel over a grid of threads, under the rules of
// [ComputeCommandEncoder.DispatchThreads].
//
//	-[MTL4ComputeCommandEncoder dispatchThreads:threadsPerThreadgroup:]
func (o ComputeCommandEncoder4) DispatchThreads(threadsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTL4ComputeCommandEncoder dispatchThreads:threadsPerThreadgroup:]")
	return tryEncode(o, c, nil, func() error {
		if err := o.compute().dispatchThreads(c, threadsPerGrid, threadsPerThreadgroup, o.device()); err != nil {
			return err
		}
		sendComputeCommandEncoder4DispatchThreads(o, threadsPerGrid, threadsPerThreadgroup)
		return nil
	})
}

// DispatchThreadgroups runs the kernel over a grid of whole threadgroups, under the rules of
// [ComputeCommandEncoder.DispatchThreadgroups].
//
//	-[MTL4ComputeCommandEncoder dispatchThreadgroups:threadsPerThreadgroup:]
func (o ComputeCommandEncoder4) DispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size) error {
	const c = check("-[MTL4ComputeCommandEncoder dispatchThreadgroups:threadsPerThreadgroup:]")
	return tryEncode(o, c, nil, func() error {
		if err := o.compute().dispatchGroups(c, threadgroupsPerGrid, threadsPerThreadgroup, o.device()); err != nil {
			return err
		}
		sendComputeCommandEncoder4DispatchThreadgroups(o, threadgroupsPerGrid, threadsPerThreadgroup)
		return nil
	})
}

// DispatchThreadgroupsWithIndirectBuffer runs the kernel over a grid whose size the GPU reads as a
// [DispatchThreadgroupsIndirectArguments] from an address, which must be a multiple of 4.
//
//	-[MTL4ComputeCommandEncoder dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:]
func (o ComputeCommandEncoder4) DispatchThreadgroupsWithIndirectBuffer(indirectBuffer uint64,
	threadsPerThreadgroup Size) error {
	const c = check("-[MTL4ComputeCommandEncoder dispatchThreadgroupsWithIndirectBuffer:threadsPerThreadgroup:]")
	return tryEncode(o, c, c.address("indirect buffer", indirectBuffer), func() error {
		if err := o.compute().dispatch(c, threadsPerThreadgroup, o.device()); err != nil {
			return err
		}
		sendComputeCommandEncoder4DispatchThreadgroupsWithIndirectBuffer(o, indirectBuffer, threadsPerThreadgroup)
		return nil
	})
}

// DispatchThreadsWithIndirectBuffer runs the kernel over a grid in threadgroups whose sizes the GPU
// reads as a [DispatchThreadsIndirectArguments] from an address, which must be a multiple of 4.
//
//	-[MTL4ComputeCommandEncoder dispatchThreadsWithIndirectBuffer:]
func (o ComputeCommandEncoder4) DispatchThreadsWithIndirectBuffer(indirectBuffer uint64) error {
	const c = check("-[MTL4ComputeCommandEncoder dispatchThreadsWithIndirectBuffer:]")
	return tryEncode(o, c, c.address("indirect buffer", indirectBuffer), func() error {
		if s := o.compute(); s != nil && s.pipeline == nil {
			return c.fail(ErrNoPipeline, "dispatch")
		}
		sendComputeCommandEncoder4DispatchThreadsWithIndirectBuffer(o, indirectBuffer)
		return nil
	})
}

// address checks the address of indirect arguments.
func (c check) address(what string, a uint64) error {
	if a == 0 {
		return c.fail(ErrNil, "address of the %s", what)
	}
	if a%indirectAlignment != 0 {
		return c.multipleOf("address of the "+what, a, indirectAlignment)
	}
	return nil
}

// ExecuteCommandsInBufferWithRange runs a range of the commands of an indirect command buffer,
// under the rules of [ComputeCommandEncoder.ExecuteCommandsInBuffer].
//
//	-[MTL4ComputeCommandEncoder executeCommandsInBuffer:withRange:]
func (o ComputeCommandEncoder4) ExecuteCommandsInBufferWithRange(indirectCommandBuffer IndirectCommandBuffer,
	executionRange Range) error {
	const c = check("-[MTL4ComputeCommandEncoder executeCommandsInBuffer:withRange:]")
	return tryEncode(o, c, indirectCommandBuffer.commands(c, "command", executionRange), func() error {
		if err := o.compute().execute(c, indirectCommandBuffer); err != nil {
			return err
		}
		sendComputeCommandEncoder4ExecuteCommandsInBufferWithRange(o, indirectCommandBuffer, executionRange)
		return nil
	})
}

// ExecuteCommandsInBuffer is ExecuteCommandsInBufferWithRange with the range in memory: an
// [IndirectCommandBufferExecutionRange] at an address that is a multiple of 4.
//
//	-[MTL4ComputeCommandEncoder executeCommandsInBuffer:indirectBuffer:]
func (o ComputeCommandEncoder4) ExecuteCommandsInBuffer(indirectCommandBuffer IndirectCommandBuffer,
	indirectRangeBuffer uint64) error {
	const c = check("-[MTL4ComputeCommandEncoder executeCommandsInBuffer:indirectBuffer:]")
	if err := c.object("indirect command buffer", indirectCommandBuffer.ID()); err != nil {
		return err
	}
	return tryEncode(o, c, c.address("range buffer", indirectRangeBuffer), func() error {
		if err := o.compute().execute(c, indirectCommandBuffer); err != nil {
			return err
		}
		sendComputeCommandEncoder4ExecuteCommandsInBuffer(o, indirectCommandBuffer, indirectRangeBuffer)
		return nil
	})
}

// WriteTimestampWithGranularity writes a timestamp to an entry of a counter heap. The index must be
// less than the heap's count.
//
//	-[MTL4ComputeCommandEncoder writeTimestampWithGranularity:intoHeap:atIndex:]
func (o ComputeCommandEncoder4) WriteTimestampWithGranularity(granularity TimestampGranularity4,
	counterHeap CounterHeap4, index uint) error {
	const c = check("-[MTL4ComputeCommandEncoder writeTimestampWithGranularity:intoHeap:atIndex:]")
	return encode(o, c, c.heapEntry(counterHeap, index),
		func() { sendComputeCommandEncoder4WriteTimestampWithGranularity(o, granularity, counterHeap, index) })
}
