package mtl

// Copies of Metal 4's compute encoder; the checks are the blit encoder's.

// CopyFromBuffer copies size bytes, at least 1, between buffers or within one. Both ranges lie in their buffers, and apart
// if it is the same ([ErrOverlap]).
func (o ComputeCommandEncoder4) CopyFromBuffer(sourceBuffer Buffer, sourceOffset uint, destinationBuffer Buffer, destinationOffset, size uint) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:toBuffer:destinationOffset:size:]")
	if err := c.copyBuffer(sourceBuffer, sourceOffset, destinationBuffer, destinationOffset, size, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendCopyFromBuffer(sourceBuffer, sourceOffset, destinationBuffer, destinationOffset, size)
	return nil
}

// FillBuffer writes a byte to every place of a range, which is not empty and lies in the buffer.
func (o ComputeCommandEncoder4) FillBuffer(buffer Buffer, rng Range, value uint8) error {
	const c = check("-[MTL4ComputeCommandEncoder fillBuffer:range:value:]")
	if err := c.fill(buffer, rng, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendFillBuffer(buffer, rng, value)
	return nil
}

// CopyFromTensor copies a part of a tensor to a part of another with the same dimensions.
func (o ComputeCommandEncoder4) CopyFromTensor(sourceTensor Tensor, sourceOrigin, sourceDimensions TensorExtents, destinationTensor Tensor, destinationOrigin, destinationDimensions TensorExtents) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:]")
	if err := c.copyTensor(tensorPart{sourceTensor, sourceOrigin, sourceDimensions}, tensorPart{destinationTensor, destinationOrigin, destinationDimensions}); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendCopyFromTensor(sourceTensor, sourceOrigin, sourceDimensions, destinationTensor, destinationOrigin, destinationDimensions)
	return nil
}

// ResetCommandsInBuffer clears a range of the commands of an indirect command buffer.
func (o ComputeCommandEncoder4) ResetCommandsInBuffer(buffer IndirectCommandBuffer, rng Range) error {
	const c = check("-[MTL4ComputeCommandEncoder resetCommandsInBuffer:withRange:]")
	if err := buffer.commands(c, "command", rng); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendResetCommandsInBuffer(buffer, rng)
	return nil
}

// CopyIndirectCommandBuffer copies a range of commands to another indirect command buffer, or within one if the ranges do
// not overlap.
func (o ComputeCommandEncoder4) CopyIndirectCommandBuffer(source IndirectCommandBuffer, sourceRange Range, destination IndirectCommandBuffer, destinationIndex uint) error {
	const c = check("-[MTL4ComputeCommandEncoder copyIndirectCommandBuffer:sourceRange:destination:destinationIndex:]")
	if err := c.copyCommands(source, sourceRange, destination, destinationIndex); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendCopyIndirectCommandBuffer(source, sourceRange, destination, destinationIndex)
	return nil
}

// OptimizeIndirectCommandBuffer lets the GPU rearrange a range of commands so that they run faster.
func (o ComputeCommandEncoder4) OptimizeIndirectCommandBuffer(indirectCommandBuffer IndirectCommandBuffer, rng Range) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeIndirectCommandBuffer:withRange:]")
	if err := indirectCommandBuffer.commands(c, "command", rng); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendOptimizeIndirectCommandBuffer(indirectCommandBuffer, rng)
	return nil
}

// GenerateMipmapsForTexture computes the levels of a texture from its first one; there is more than one level, and pixels
// are neither compressed nor depth or stencil.
func (o ComputeCommandEncoder4) GenerateMipmapsForTexture(texture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder generateMipmapsForTexture:]")
	if err := c.mipmaps(texture, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendGenerateMipmapsForTexture(texture)
	return nil
}

// OptimizeContentsForGPUAccess lets the GPU store a texture as suits it.
func (o ComputeCommandEncoder4) OptimizeContentsForGPUAccess(texture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForGPUAccess:]")
	if err := c.anyTexture(texture, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendOptimizeContentsForGPUAccess(texture)
	return nil
}

// OptimizeContentsForGPUAccessSlice is OptimizeContentsForGPUAccess for one level of one slice.
func (o ComputeCommandEncoder4) OptimizeContentsForGPUAccessSlice(texture Texture, slice, level uint) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForGPUAccess:slice:level:]")
	if err := c.onePlace(texture, slice, level, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendOptimizeContentsForGPUAccessSlice(texture, slice, level)
	return nil
}

// OptimizeContentsForCPUAccess stores a texture so that the CPU reads it fast.
func (o ComputeCommandEncoder4) OptimizeContentsForCPUAccess(texture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForCPUAccess:]")
	if err := c.anyTexture(texture, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendOptimizeContentsForCPUAccess(texture)
	return nil
}

// OptimizeContentsForCPUAccessSlice is OptimizeContentsForCPUAccess for one level of one slice.
func (o ComputeCommandEncoder4) OptimizeContentsForCPUAccessSlice(texture Texture, slice, level uint) error {
	const c = check("-[MTL4ComputeCommandEncoder optimizeContentsForCPUAccess:slice:level:]")
	if err := c.onePlace(texture, slice, level, o.device()); err != nil {
		return err
	}
	if err := o.begin(c); err != nil {
		return err
	}
	defer o.end()
	o.sendOptimizeContentsForCPUAccessSlice(texture, slice, level)
	return nil
}
