package mtl

// CopyFromBuffer copies size bytes, at least 1, between buffers or within one. Both ranges must be
// within their buffers and, if it is the same buffer, must not overlap ([ErrOverlap]). On Macs
// without an Apple GPU, offsets and size must be multiples of 4 ([ErrAlignment]).
//
//	-[MTLBlitCommandEncoder copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:]
func (o BlitCommandEncoder) CopyFromBuffer(sourceBuffer Buffer, sourceOffset uint, destinationBuffer Buffer,
	destinationOffset, size uint) error {
	const c = check("-[MTLBlitCommandEncoder copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:]")
	return encode(o, c, c.copyBuffer(sourceBuffer, sourceOffset, destinationBuffer, destinationOffset, size, o.device()),
		func() {
			sendBlitCommandEncoderCopyFromBuffer(o, sourceBuffer, sourceOffset, destinationBuffer, destinationOffset, size)
		})
}

// FillBuffer sets every byte of a range to a value. The range must not be empty and must be within
// the buffer. On Macs without an Apple GPU, its offset and length must be multiples of 4.
//
//	-[MTLBlitCommandEncoder fillBuffer:range:value:]
func (o BlitCommandEncoder) FillBuffer(buffer Buffer, rng Range, value uint8) error {
	const c = check("-[MTLBlitCommandEncoder fillBuffer:range:value:]")
	return encode(o, c, c.fill(buffer, rng, o.device()),
		func() { sendBlitCommandEncoderFillBuffer(o, buffer, rng, value) })
}

// SynchronizeResource makes the GPU's writes to a managed resource visible to the CPU. Resources
// with another storage mode are refused with [ErrStorageMode].
//
//	-[MTLBlitCommandEncoder synchronizeResource:]
func (o BlitCommandEncoder) SynchronizeResource(resource Resource) error {
	const c = check("-[MTLBlitCommandEncoder synchronizeResource:]")
	return encode(o, c, c.managed(resource), func() { sendBlitCommandEncoderSynchronizeResource(o, resource) })
}

func (c check) managed(r Resource) error {
	if err := c.object("resource", r.ID()); err != nil {
		return err
	}
	return c.managedMode(r.StorageMode())
}

func (c check) managedMode(mode StorageMode) error {
	if mode != StorageModeManaged {
		return c.fail(ErrStorageMode, "%v, want %v", mode, StorageModeManaged)
	}
	return nil
}

// SynchronizeTexture is SynchronizeResource for one level of one slice of a managed texture.
//
//	-[MTLBlitCommandEncoder synchronizeTexture:slice:level:]
func (o BlitCommandEncoder) SynchronizeTexture(texture Texture, slice, level uint) error {
	const c = check("-[MTLBlitCommandEncoder synchronizeTexture:slice:level:]")
	if err := c.managed(texture.Resource); err != nil {
		return err
	}
	return encode(o, c, c.place(factsOfTexture(texture).textureShape, slice, level),
		func() { sendBlitCommandEncoderSynchronizeTexture(o, texture, slice, level) })
}

// UpdateFence signals a fence when the encoder's commands have completed; other encoders of the
// same queue can wait for it.
//
//	-[MTLBlitCommandEncoder updateFence:]
func (o BlitCommandEncoder) UpdateFence(fence Fence) error {
	const c = check("-[MTLBlitCommandEncoder updateFence:]")
	return encode(o, c, c.object("fence", fence.ID()), func() { sendBlitCommandEncoderUpdateFence(o, fence) })
}

// WaitForFence makes the encoder's commands wait for a fence that an earlier encoder updates.
//
//	-[MTLBlitCommandEncoder waitForFence:]
func (o BlitCommandEncoder) WaitForFence(fence Fence) error {
	const c = check("-[MTLBlitCommandEncoder waitForFence:]")
	return encode(o, c, c.object("fence", fence.ID()), func() { sendBlitCommandEncoderWaitForFence(o, fence) })
}

// SampleCountersInBuffer samples the GPU's counters at this point of the encoder. The index must be
// less than the buffer's sample count ([ErrIndex]). Devices that sample only at encoder boundaries
// refuse the call with [ErrUnsupported].
//
//	-[MTLBlitCommandEncoder sampleCountersInBuffer:atSampleIndex:withBarrier:]
func (o BlitCommandEncoder) SampleCountersInBuffer(sampleBuffer CounterSampleBuffer, sampleIndex uint,
	barrier bool) error {
	const c = check("-[MTLBlitCommandEncoder sampleCountersInBuffer:atSampleIndex:withBarrier:]")
	return tryEncode(o, c, c.sample(sampleBuffer, sampleIndex), func() error {
		if d := o.device(); d != nil && !d.sampleBlits {
			return c.fail(ErrUnsupported, "counter sampling between blits")
		}
		sendBlitCommandEncoderSampleCountersInBuffer(o, sampleBuffer, sampleIndex, barrier)
		return nil
	})
}

// resolvedAlignment is the alignment of the offset of resolved counters.
const resolvedAlignment = 8

// ResolveCounters writes a range of samples to a buffer, in the form that belongs to the counter
// set, such as [CounterResultTimestamp]: at least 8 bytes for each sample, at a multiple of 8.
//
//	-[MTLBlitCommandEncoder resolveCounters:inRange:destinationBuffer:destinationOffset:]
func (o BlitCommandEncoder) ResolveCounters(sampleBuffer CounterSampleBuffer, rng Range, destinationBuffer Buffer,
	destinationOffset uint) error {
	const c = check("-[MTLBlitCommandEncoder resolveCounters:inRange:destinationBuffer:destinationOffset:]")
	if err := c.object("counter sample buffer", sampleBuffer.ID()); err != nil {
		return err
	}
	if err := c.entries("sample", rng, uint64(sampleBuffer.SampleCount())); err != nil {
		return err
	}
	if err := c.multipleOf("destination offset in bytes", uint64(destinationOffset), resolvedAlignment); err != nil {
		return err
	}
	return encode(o, c, c.span("destination buffer", destinationBuffer, uint64(destinationOffset), 8*uint64(rng.Length),
		o.device()), func() {
		sendBlitCommandEncoderResolveCounters(o, sampleBuffer, rng, destinationBuffer, destinationOffset)
	})
}

// ResetCommandsInBuffer clears a range of commands of an indirect command buffer.
//
//	-[MTLBlitCommandEncoder resetCommandsInBuffer:withRange:]
func (o BlitCommandEncoder) ResetCommandsInBuffer(buffer IndirectCommandBuffer, rng Range) error {
	const c = check("-[MTLBlitCommandEncoder resetCommandsInBuffer:withRange:]")
	return encode(o, c, buffer.commands(c, "command", rng),
		func() { sendBlitCommandEncoderResetCommandsInBuffer(o, buffer, rng) })
}

// CopyIndirectCommandBuffer copies a range of commands to another indirect command buffer, or
// within one if the ranges do not overlap.
//
//	-[MTLBlitCommandEncoder copyIndirectCommandBuffer:sourceRange:destination:
//	    destinationIndex:]
func (o BlitCommandEncoder) CopyIndirectCommandBuffer(source IndirectCommandBuffer, sourceRange Range,
	destination IndirectCommandBuffer, destinationIndex uint) error {
	const c = check("-[MTLBlitCommandEncoder copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:]")
	return encode(o, c, c.copyCommands(source, sourceRange, destination, destinationIndex), func() {
		sendBlitCommandEncoderCopyIndirectCommandBuffer(o, source, sourceRange, destination, destinationIndex)
	})
}

// OptimizeIndirectCommandBuffer lets the GPU rearrange a range of commands so that they run faster.
//
//	-[MTLBlitCommandEncoder optimizeIndirectCommandBuffer:withRange:]
func (o BlitCommandEncoder) OptimizeIndirectCommandBuffer(indirectCommandBuffer IndirectCommandBuffer,
	rng Range) error {
	const c = check("-[MTLBlitCommandEncoder optimizeIndirectCommandBuffer:withRange:]")
	return encode(o, c, indirectCommandBuffer.commands(c, "command", rng),
		func() { sendBlitCommandEncoderOptimizeIndirectCommandBuffer(o, indirectCommandBuffer, rng) })
}
