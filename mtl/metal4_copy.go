package mtl

// Copies of Metal 4's compute encoder. The checks are those of the blit encoder.

// CopyFromBuffer copies size bytes, at least 1, between buffers or within one. Both ranges must be
// within their buffers and, if it is the same buffer, must not overlap ([ErrOverlap]).
//
//	-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:]
func (o ComputeCommandEncoder4) CopyFromBuffer(sourceBuffer Buffer, sourceOffset uint, destinationBuffer Buffer,
	destinationOffset, size uint) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:]")
	return encode(o, c, c.copyBuffer(sourceBuffer, sourceOffset, destinationBuffer, destinationOffset, size, o.device()),
		func() {
			sendComputeCommandEncoder4CopyFromBuffer(o, sourceBuffer, sourceOffset, destinationBuffer, destinationOffset, size)
		})
}

// FillBuffer sets every byte of a range to a value. The range must not be empty and must be within
// the buffer.
//
//	-[MTL4ComputeCommandEncoder fillBuffer:range:value:]
func (o ComputeCommandEncoder4) FillBuffer(buffer Buffer, rng Range, value uint8) error {
	const c = check("-[MTL4ComputeCommandEncoder fillBuffer:range:value:]")
	return encode(o, c, c.fill(buffer, rng, o.device()),
		func() { sendComputeCommandEncoder4FillBuffer(o, buffer, rng, value) })
}

// CopyFromTensor copies a part of a tensor to a part of another with the same dimensions.
//
//	-[MTL4ComputeCommandEncoder copyFromTensor:sourceOrigin:sourceDimensions:toTensor:
//	    destinationOrigin:destinationDimensions:]
func (o ComputeCommandEncoder4) CopyFromTensor(sourceTensor Tensor, sourceOrigin, sourceDimensions TensorExtents,
	destinationTensor Tensor, destinationOrigin, destinationDimensions TensorExtents) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:]")
	return encode(o, c, c.copyTensor(tensorPart{sourceTensor, sourceOrigin, sourceDimensions},
		tensorPart{destinationTensor, destinationOrigin, destinationDimensions}), func() {
		sendComputeCommandEncoder4CopyFromTensor(o, sourceTensor, sourceOrigin, sourceDimensions, destinationTensor,
			destinationOrigin,
			destinationDimensions)
	})
}

// ResetCommandsInBuffer clears a range of the commands of an indirect command buffer.
//
//	-[MTL4ComputeCommandEncoder resetCommandsInBuffer:withRange:]
func (o ComputeCommandEncoder4) ResetCommandsInBuffer(buffer IndirectCommandBuffer, rng Range) error {
	const c = check("-[MTL4ComputeCommandEncoder resetCommandsInBuffer:withRange:]")
	return encode(o, c, buffer.commands(c, "command", rng),
		func() { sendComputeCommandEncoder4ResetCommandsInBuffer(o, buffer, rng) })
}

// CopyIndirectCommandBuffer copies a range of commands to another indirect command buffer, or
// within one if the ranges do not overlap.
//
//	-[MTL4ComputeCommandEncoder copyIndirectCommandBuffer:sourceRange:destination:
//	    destinationIndex:]
func (o ComputeCommandEncoder4) CopyIndirectCommandBuffer(source IndirectCommandBuffer, sourceRange Range,
	destination IndirectCommandBuffer, destinationIndex uint) error {
	const c = check("-[MTL4ComputeCommandEncoder copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:]")
	return encode(o, c, c.copyCommands(source, sourceRange, destination, destinationIndex), func() {
		sendComputeCommandEncoder4CopyIndirectCommandBuffer(o, source, sourceRange, destination, destinationIndex)
	})
}

// OptimizeIndirectCommandBuffer lets the GPU rearrange a range of commands so that they run faster.
//
//	-[MTL4ComputeCommandEncoder optimizeIndirectCommandBuffer:withRange:]
func (o ComputeCommandEncoder4) OptimizeIndirectCommandBuffer(indirectCommandBuffer IndirectCommandBuffer,
	rng Range) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeIndirectCommandBuffer:withRange:]")
	return encode(o, c, indirectCommandBuffer.commands(c, "command", rng),
		func() { sendComputeCommandEncoder4OptimizeIndirectCommandBuffer(o, indirectCommandBuffer, rng) })
}

// GenerateMipmapsForTexture computes the other levels of a texture from the first. The texture must
// have more than one level, and a pixel format that is not compressed, depth, stencil or integer.
//
//	-[MTL4ComputeCommandEncoder generateMipmapsForTexture:]
func (o ComputeCommandEncoder4) GenerateMipmapsForTexture(texture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder generateMipmapsForTexture:]")
	return encode(o, c, c.mipmaps(texture, o.device()),
		func() { sendComputeCommandEncoder4GenerateMipmapsForTexture(o, texture) })
}

// OptimizeContentsForGPUAccess lets the GPU store a texture in the layout that is fastest for it.
//
//	-[MTL4ComputeCommandEncoder optimizeContentsForGPUAccess:]
func (o ComputeCommandEncoder4) OptimizeContentsForGPUAccess(texture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForGPUAccess:]")
	return encode(o, c, c.anyTexture(texture, o.device()),
		func() { sendComputeCommandEncoder4OptimizeContentsForGPUAccess(o, texture) })
}

// OptimizeContentsForGPUAccessSlice is OptimizeContentsForGPUAccess for one level of one slice.
//
//	-[MTL4ComputeCommandEncoder optimizeContentsForGPUAccess:slice:level:]
func (o ComputeCommandEncoder4) OptimizeContentsForGPUAccessSlice(texture Texture, slice, level uint) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForGPUAccess:slice:level:]")
	return encode(o, c, c.onePlace(texture, slice, level, o.device()),
		func() { sendComputeCommandEncoder4OptimizeContentsForGPUAccessSlice(o, texture, slice, level) })
}

// OptimizeContentsForCPUAccess stores a texture in a layout that the CPU reads fast.
//
//	-[MTL4ComputeCommandEncoder optimizeContentsForCPUAccess:]
func (o ComputeCommandEncoder4) OptimizeContentsForCPUAccess(texture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForCPUAccess:]")
	return encode(o, c, c.anyTexture(texture, o.device()),
		func() { sendComputeCommandEncoder4OptimizeContentsForCPUAccess(o, texture) })
}

// OptimizeContentsForCPUAccessSlice is OptimizeContentsForCPUAccess for one level of one slice.
//
//	-[MTL4ComputeCommandEncoder optimizeContentsForCPUAccess:slice:level:]
func (o ComputeCommandEncoder4) OptimizeContentsForCPUAccessSlice(texture Texture, slice, level uint) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForCPUAccess:slice:level:]")
	return encode(o, c, c.onePlace(texture, slice, level, o.device()),
		func() { sendComputeCommandEncoder4OptimizeContentsForCPUAccessSlice(o, texture, slice, level) })
}
