package mtl

// GenerateMipmapsForTexture computes the other levels of a texture from the first. The texture must
// have more than one level, and a pixel format that is not compressed, depth, stencil or integer.
//
//	-[MTLBlitCommandEncoder generateMipmapsForTexture:]
func (o BlitCommandEncoder) GenerateMipmapsForTexture(texture Texture) error {
	const c = check("-[MTLBlitCommandEncoder generateMipmapsForTexture:]")
	return encode(o, c, c.mipmaps(texture, o.device()),
		func() { sendBlitCommandEncoderGenerateMipmapsForTexture(o, texture) })
}

// OptimizeContentsForGPUAccess lets the GPU store a texture in the layout that is fastest for it.
//
//	-[MTLBlitCommandEncoder optimizeContentsForGPUAccess:]
func (o BlitCommandEncoder) OptimizeContentsForGPUAccess(texture Texture) error {
	const c = check("-[MTLBlitCommandEncoder optimizeContentsForGPUAccess:]")
	return encode(o, c, c.anyTexture(texture, o.device()),
		func() { sendBlitCommandEncoderOptimizeContentsForGPUAccess(o, texture) })
}

// OptimizeContentsForGPUAccessSlice is OptimizeContentsForGPUAccess for one level of one slice.
//
//	-[MTLBlitCommandEncoder optimizeContentsForGPUAccess:slice:level:]
func (o BlitCommandEncoder) OptimizeContentsForGPUAccessSlice(texture Texture, slice, level uint) error {
	const c = check("-[MTLBlitCommandEncoder optimizeContentsForGPUAccess:slice:level:]")
	return encode(o, c, c.onePlace(texture, slice, level, o.device()),
		func() { sendBlitCommandEncoderOptimizeContentsForGPUAccessSlice(o, texture, slice, level) })
}

// OptimizeContentsForCPUAccess stores a texture in a layout that the CPU reads fast.
//
//	-[MTLBlitCommandEncoder optimizeContentsForCPUAccess:]
func (o BlitCommandEncoder) OptimizeContentsForCPUAccess(texture Texture) error {
	const c = check("-[MTLBlitCommandEncoder optimizeContentsForCPUAccess:]")
	return encode(o, c, c.anyTexture(texture, o.device()),
		func() { sendBlitCommandEncoderOptimizeContentsForCPUAccess(o, texture) })
}

// OptimizeContentsForCPUAccessSlice is OptimizeContentsForCPUAccess for one level of one slice.
//
//	-[MTLBlitCommandEncoder optimizeContentsForCPUAccess:slice:level:]
func (o BlitCommandEncoder) OptimizeContentsForCPUAccessSlice(texture Texture, slice, level uint) error {
	const c = check("-[MTLBlitCommandEncoder optimizeContentsForCPUAccess:slice:level:]")
	return encode(o, c, c.onePlace(texture, slice, level, o.device()),
		func() { sendBlitCommandEncoderOptimizeContentsForCPUAccessSlice(o, texture, slice, level) })
}

// GetTextureAccessCounters writes to a buffer how often each tile of a region of a sparse texture
// was accessed: 4 bytes for each tile, at a multiple of 4. The number of tiles depends on the
// device. Not every device implements it; on others the error wraps [objc.ErrUnavailable].
//
//	-[MTLBlitCommandEncoder getTextureAccessCounters:region:mipLevel:slice:resetCounters:
//	    countersBuffer:countersBufferOffset:]
func (o BlitCommandEncoder) GetTextureAccessCounters(texture Texture, region Region, mipLevel, slice uint,
	resetCounters bool, countersBuffer Buffer, countersBufferOffset uint) error {
	const c = check("-[MTLBlitCommandEncoder getTextureAccessCounters:region:mipLevel:slice:resetCounters:countersBuffer:countersBufferOffset:]")
	if err := c.tiles(texture, region, mipLevel, slice, o.device()); err != nil {
		return err
	}
	return tryEncode(o, c, c.indirect("counters buffer", countersBuffer, countersBufferOffset,
		4*uint64(min(volume(region.Size), 1<<32)), o.device()), func() error {
		return sendBlitCommandEncoderGetTextureAccessCounters(o, texture, region, mipLevel, slice, resetCounters,
			countersBuffer,
			countersBufferOffset)
	})
}

// ResetTextureAccessCounters clears the access counters of a region, given in tiles, of a sparse
// texture. Not every device implements it; on others the error wraps [objc.ErrUnavailable].
//
//	-[MTLBlitCommandEncoder resetTextureAccessCounters:region:mipLevel:slice:]
func (o BlitCommandEncoder) ResetTextureAccessCounters(texture Texture, region Region, mipLevel, slice uint) error {
	const c = check("-[MTLBlitCommandEncoder resetTextureAccessCounters:region:mipLevel:slice:]")
	return tryEncode(o, c, c.tiles(texture, region, mipLevel, slice, o.device()), func() error {
		return sendBlitCommandEncoderResetTextureAccessCounters(o, texture, region, mipLevel, slice)
	})
}

// CopyFromTensor copies a part of a tensor to a part of another with the same dimensions. Since
// macOS 26.0.
//
//	-[MTLBlitCommandEncoder copyFromTensor:sourceOrigin:sourceDimensions:toTensor:
//	    destinationOrigin:destinationDimensions:]
func (o BlitCommandEncoder) CopyFromTensor(sourceTensor Tensor, sourceOrigin, sourceDimensions TensorExtents,
	destinationTensor Tensor, destinationOrigin, destinationDimensions TensorExtents) error {
	const c = check("-[MTLBlitCommandEncoder copyFromTensor:sourceOrigin:sourceDimensions:toTensor:destinationOrigin:destinationDimensions:]")
	return tryEncode(o, c, c.copyTensor(tensorPart{sourceTensor, sourceOrigin, sourceDimensions},
		tensorPart{destinationTensor, destinationOrigin, destinationDimensions}), func() error {
		return sendBlitCommandEncoderCopyFromTensor(o, sourceTensor, sourceOrigin, sourceDimensions, destinationTensor,
			destinationOrigin,
			destinationDimensions)
	})
}

// mipmaps checks a texture whose mipmaps are to be generated.
func (c check) mipmaps(t Texture, d *deviceFacts) error {
	f, err := c.ownTexture("texture", t, d)
	if err != nil {
		return err
	}
	return c.filtered(f.textureShape)
}

func (c check) filtered(s textureShape) error {
	if err := c.atLeast("number of levels", uint64(s.levels), 2, ErrLength); err != nil {
		return err
	}
	if k := s.format.block().kind; k != pixelPlain || s.format.integer() {
		return c.fail(ErrArgument, "%v cannot be filtered", s.format)
	}
	return nil
}

// anyTexture checks a texture that the call uses as a whole.
func (c check) anyTexture(t Texture, d *deviceFacts) error {
	_, err := c.ownTexture("texture", t, d)
	return err
}

// onePlace checks a texture and one level of one slice.
func (c check) onePlace(t Texture, slice, level uint, d *deviceFacts) error {
	f, err := c.ownTexture("texture", t, d)
	if err != nil {
		return err
	}
	return c.place(f.textureShape, slice, level)
}
