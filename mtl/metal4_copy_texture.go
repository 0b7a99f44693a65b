package mtl

// CopyFromTexture copies all slices and levels that two textures of the same format and sample
// count have in common.
//
//	-[MTL4ComputeCommandEncoder copyFromTexture:toTexture:]
func (o ComputeCommandEncoder4) CopyFromTexture(sourceTexture, destinationTexture Texture) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTexture:toTexture:]")
	return encode(o, c, c.copyTexture(sourceTexture, destinationTexture, o.device()), func() {
		sendComputeCommandEncoder4CopyFromTexture(o, sourceTexture, destinationTexture)
	})
}

// CopyFromTextureSlices copies whole slices and levels, at least one of each, between textures of
// the same format and sample count whose levels have the same size.
//
//	-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:toTexture:
//	    destinationSlice:destinationLevel:sliceCount:levelCount:]
func (o ComputeCommandEncoder4) CopyFromTextureSlices(sourceTexture Texture, sourceSlice, sourceLevel uint,
	destinationTexture Texture, destinationSlice, destinationLevel, sliceCount, levelCount uint) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:toTexture:destinationSlice:destinationLevel:sliceCount:levelCount:]")
	return encode(o, c, c.copySlices(texturePart{texture: sourceTexture, slice: sourceSlice, level: sourceLevel},
		texturePart{texture: destinationTexture, slice: destinationSlice, level: destinationLevel}, sliceCount, levelCount,
		o.device()), func() {
		sendComputeCommandEncoder4CopyFromTextureSlices(o, sourceTexture, sourceSlice, sourceLevel, destinationTexture,
			destinationSlice,
			destinationLevel, sliceCount, levelCount)
	})
}

// CopyFromTextureToTexture copies a region between textures with pixels of the same size, or within
// one texture. Both regions must be within their levels ([ErrRegion]); in the same level of the
// same texture they must not overlap ([ErrOverlap]).
//
//	-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:
//	    sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:]
func (o ComputeCommandEncoder4) CopyFromTextureToTexture(sourceTexture Texture, sourceSlice, sourceLevel uint,
	sourceOrigin Origin, sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint,
	destinationOrigin Origin) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:]")
	return encode(o, c, c.copyRegion(texturePart{sourceTexture, sourceSlice, sourceLevel, sourceOrigin},
		texturePart{destinationTexture, destinationSlice, destinationLevel, destinationOrigin}, sourceSize, o.device()),
		func() {
			sendComputeCommandEncoder4CopyFromTextureToTexture(o, sourceTexture, sourceSlice, sourceLevel, sourceOrigin,
				sourceSize, destinationTexture,
				destinationSlice, destinationLevel, destinationOrigin)
		})
}

// CopyFromBufferToTexture copies pixels from a buffer to a region of a texture. The offset must be
// a multiple of the size of a pixel, or of a block of a compressed format, and the rows must be
// within the buffer.
//
//	-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:sourceBytesPerRow:
//	    sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:
//	    destinationOrigin:]
func (o ComputeCommandEncoder4) CopyFromBufferToTexture(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow,
	sourceBytesPerImage uint, sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint,
	destinationOrigin Origin) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:]")
	return encode(o, c, c.copyToTexture(pixelPlace{sourceBuffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage},
		texturePart{destinationTexture, destinationSlice, destinationLevel, destinationOrigin}, sourceSize, BlitOptionNone,
		o.device()), func() {
		sendComputeCommandEncoder4CopyFromBufferToTexture(o, sourceBuffer, sourceOffset, sourceBytesPerRow,
			sourceBytesPerImage, sourceSize,
			destinationTexture, destinationSlice, destinationLevel, destinationOrigin)
	})
}

// CopyFromBufferToTextureOptions is CopyFromBufferToTexture for only depth or only stencil;
// textures that have both require this choice.
//
//	-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:sourceBytesPerRow:
//	    sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:
//	    destinationOrigin:options:]
func (o ComputeCommandEncoder4) CopyFromBufferToTextureOptions(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow,
	sourceBytesPerImage uint, sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint,
	destinationOrigin Origin, options BlitOption) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromBuffer:sourceOffset:sourceBytesPerRow:sourceBytesPerImage:sourceSize:toTexture:destinationSlice:destinationLevel:destinationOrigin:options:]")
	return encode(o, c, c.copyToTexture(pixelPlace{sourceBuffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage},
		texturePart{destinationTexture, destinationSlice, destinationLevel, destinationOrigin}, sourceSize, options,
		o.device()), func() {
		sendComputeCommandEncoder4CopyFromBufferToTextureOptions(o, sourceBuffer, sourceOffset, sourceBytesPerRow,
			sourceBytesPerImage, sourceSize,
			destinationTexture, destinationSlice, destinationLevel, destinationOrigin, options)
	})
}

// CopyFromTextureToBuffer copies the pixels of a region of a texture to a buffer. The offset must
// be a multiple of the size of a pixel, or of a block of a compressed format, and the rows must fit
// into the buffer.
//
//	-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:
//	    sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:
//	    ]
func (o ComputeCommandEncoder4) CopyFromTextureToBuffer(sourceTexture Texture, sourceSlice, sourceLevel uint,
	sourceOrigin Origin, sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow,
	destinationBytesPerImage uint) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:]")
	return encode(o, c, c.copyToBuffer(pixelPlace{destinationBuffer, destinationOffset, destinationBytesPerRow,
		destinationBytesPerImage}, texturePart{sourceTexture, sourceSlice, sourceLevel, sourceOrigin}, sourceSize,
		BlitOptionNone, o.device()), func() {
		sendComputeCommandEncoder4CopyFromTextureToBuffer(o, sourceTexture, sourceSlice, sourceLevel, sourceOrigin,
			sourceSize, destinationBuffer,
			destinationOffset, destinationBytesPerRow, destinationBytesPerImage)
	})
}

// CopyFromTextureToBufferOptions is CopyFromTextureToBuffer for only depth or only stencil;
// textures that have both require this choice.
//
//	-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:
//	    sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:
//	    options:]
func (o ComputeCommandEncoder4) CopyFromTextureToBufferOptions(sourceTexture Texture, sourceSlice, sourceLevel uint,
	sourceOrigin Origin, sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow,
	destinationBytesPerImage uint, options BlitOption) error {
	const c = check("-[MTL4ComputeCommandEncoder copyFromTexture:sourceSlice:sourceLevel:sourceOrigin:sourceSize:toBuffer:destinationOffset:destinationBytesPerRow:destinationBytesPerImage:options:]")
	return encode(o, c, c.copyToBuffer(pixelPlace{destinationBuffer, destinationOffset, destinationBytesPerRow,
		destinationBytesPerImage}, texturePart{sourceTexture, sourceSlice, sourceLevel, sourceOrigin}, sourceSize, options,
		o.device()), func() {
		sendComputeCommandEncoder4CopyFromTextureToBufferOptions(o, sourceTexture, sourceSlice, sourceLevel, sourceOrigin,
			sourceSize,
			destinationBuffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage, options)
	})
}
