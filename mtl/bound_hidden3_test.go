package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden3 = map[string]func(any) any{
	"ComputeCommandEncoder4.sendBuildAccelerationStructure": bound(func(x interface {
		sendBuildAccelerationStructure(accelerationStructure AccelerationStructure,
			descriptor AccelerationStructureDescriptor4, scratchBuffer BufferRange4)
	}) any {
		return x.sendBuildAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendCopyAccelerationStructure": bound(func(x interface {
		sendCopyAccelerationStructure(sourceAccelerationStructure, destinationAccelerationStructure AccelerationStructure)
	}) any {
		return x.sendCopyAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendCopyAndCompactAccelerationStructure": bound(func(x interface {
		sendCopyAndCompactAccelerationStructure(sourceAccelerationStructure,
			destinationAccelerationStructure AccelerationStructure)
	}) any {
		return x.sendCopyAndCompactAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendCopyFromBuffer": bound(func(x interface {
		sendCopyFromBuffer(sourceBuffer Buffer, sourceOffset uint, destinationBuffer Buffer, destinationOffset, size uint)
	}) any {
		return x.sendCopyFromBuffer
	}),
	"ComputeCommandEncoder4.sendCopyFromBufferToTexture": bound(func(x interface {
		sendCopyFromBufferToTexture(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage uint,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin)
	}) any {
		return x.sendCopyFromBufferToTexture
	}),
	"ComputeCommandEncoder4.sendCopyFromBufferToTextureOptions": bound(func(x interface {
		sendCopyFromBufferToTextureOptions(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage uint,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin,
			options BlitOption)
	}) any {
		return x.sendCopyFromBufferToTextureOptions
	}),
	"ComputeCommandEncoder4.sendCopyFromTensor": bound(func(x interface {
		sendCopyFromTensor(sourceTensor Tensor, sourceOrigin, sourceDimensions TensorExtents, destinationTensor Tensor,
			destinationOrigin, destinationDimensions TensorExtents)
	}) any {
		return x.sendCopyFromTensor
	}),
	"ComputeCommandEncoder4.sendCopyFromTexture": bound(func(x interface {
		sendCopyFromTexture(sourceTexture, destinationTexture Texture)
	}) any {
		return x.sendCopyFromTexture
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureSlices": bound(func(x interface {
		sendCopyFromTextureSlices(sourceTexture Texture, sourceSlice, sourceLevel uint, destinationTexture Texture,
			destinationSlice, destinationLevel, sliceCount, levelCount uint)
	}) any {
		return x.sendCopyFromTextureSlices
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureToBuffer": bound(func(x interface {
		sendCopyFromTextureToBuffer(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage uint)
	}) any {
		return x.sendCopyFromTextureToBuffer
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureToBufferOptions": bound(func(x interface {
		sendCopyFromTextureToBufferOptions(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage uint,
			options BlitOption)
	}) any {
		return x.sendCopyFromTextureToBufferOptions
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureToTexture": bound(func(x interface {
		sendCopyFromTextureToTexture(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin)
	}) any {
		return x.sendCopyFromTextureToTexture
	}),
	"ComputeCommandEncoder4.sendCopyIndirectCommandBuffer": bound(func(x interface {
		sendCopyIndirectCommandBuffer(source IndirectCommandBuffer, sourceRange Range, destination IndirectCommandBuffer,
			destinationIndex uint)
	}) any {
		return x.sendCopyIndirectCommandBuffer
	}),
	"ComputeCommandEncoder4.sendDispatchThreadgroups": bound(func(x interface {
		sendDispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreadgroups
	}),
	"ComputeCommandEncoder4.sendDispatchThreadgroupsWithIndirectBuffer": bound(func(x interface {
		sendDispatchThreadgroupsWithIndirectBuffer(indirectBuffer uint64, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreadgroupsWithIndirectBuffer
	}),
	"ComputeCommandEncoder4.sendDispatchThreads": bound(func(x interface {
		sendDispatchThreads(threadsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreads
	}),
	"ComputeCommandEncoder4.sendDispatchThreadsWithIndirectBuffer": bound(func(x interface{ sendDispatchThreadsWithIndirectBuffer(indirectBuffer uint64) }) any {
		return x.sendDispatchThreadsWithIndirectBuffer
	}),
	"ComputeCommandEncoder4.sendExecuteCommandsInBuffer": bound(func(x interface {
		sendExecuteCommandsInBuffer(indirectCommandbuffer IndirectCommandBuffer, indirectRangeBuffer uint64)
	}) any {
		return x.sendExecuteCommandsInBuffer
	}),
	"ComputeCommandEncoder4.sendExecuteCommandsInBufferWithRange": bound(func(x interface {
		sendExecuteCommandsInBufferWithRange(indirectCommandBuffer IndirectCommandBuffer, executionRange Range)
	}) any {
		return x.sendExecuteCommandsInBufferWithRange
	}),
	"ComputeCommandEncoder4.sendFillBuffer": bound(func(x interface {
		sendFillBuffer(buffer Buffer, rng Range, value uint8)
	}) any {
		return x.sendFillBuffer
	}),
	"ComputeCommandEncoder4.sendGenerateMipmapsForTexture": bound(func(x interface{ sendGenerateMipmapsForTexture(texture Texture) }) any {
		return x.sendGenerateMipmapsForTexture
	}),
	"ComputeCommandEncoder4.sendOptimizeContentsForCPUAccess": bound(func(x interface{ sendOptimizeContentsForCPUAccess(texture Texture) }) any {
		return x.sendOptimizeContentsForCPUAccess
	}),
	"ComputeCommandEncoder4.sendOptimizeContentsForCPUAccessSlice": bound(func(x interface {
		sendOptimizeContentsForCPUAccessSlice(texture Texture, slice, level uint)
	}) any {
		return x.sendOptimizeContentsForCPUAccessSlice
	}),
	"ComputeCommandEncoder4.sendOptimizeContentsForGPUAccess": bound(func(x interface{ sendOptimizeContentsForGPUAccess(texture Texture) }) any {
		return x.sendOptimizeContentsForGPUAccess
	}),
	"ComputeCommandEncoder4.sendOptimizeContentsForGPUAccessSlice": bound(func(x interface {
		sendOptimizeContentsForGPUAccessSlice(texture Texture, slice, level uint)
	}) any {
		return x.sendOptimizeContentsForGPUAccessSlice
	}),
	"ComputeCommandEncoder4.sendOptimizeIndirectCommandBuffer": bound(func(x interface {
		sendOptimizeIndirectCommandBuffer(indirectCommandBuffer IndirectCommandBuffer, rng Range)
	}) any {
		return x.sendOptimizeIndirectCommandBuffer
	}),
	"ComputeCommandEncoder4.sendRefitAccelerationStructure": bound(func(x interface {
		sendRefitAccelerationStructure(sourceAccelerationStructure AccelerationStructure,
			descriptor AccelerationStructureDescriptor4, destinationAccelerationStructure AccelerationStructure,
			scratchBuffer BufferRange4)
	}) any {
		return x.sendRefitAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendRefitAccelerationStructureOptions": bound(func(x interface {
		sendRefitAccelerationStructureOptions(sourceAccelerationStructure AccelerationStructure,
			descriptor AccelerationStructureDescriptor4, destinationAccelerationStructure AccelerationStructure,
			scratchBuffer BufferRange4, options AccelerationStructureRefitOptions)
	}) any {
		return x.sendRefitAccelerationStructureOptions
	}),
	"ComputeCommandEncoder4.sendResetCommandsInBuffer": bound(func(x interface {
		sendResetCommandsInBuffer(buffer IndirectCommandBuffer, rng Range)
	}) any {
		return x.sendResetCommandsInBuffer
	}),
	"ComputeCommandEncoder4.sendSetArgumentTable": bound(func(x interface {
		sendSetArgumentTable(argumentTable ArgumentTable4)
	}) any {
		return x.sendSetArgumentTable
	}),
	"ComputeCommandEncoder4.sendSetComputePipelineState": bound(func(x interface {
		sendSetComputePipelineState(state ComputePipelineState)
	}) any {
		return x.sendSetComputePipelineState
	}),
	"ComputeCommandEncoder4.sendSetImageblockWidth": bound(func(x interface {
		sendSetImageblockWidth(width,
			height uint)
	}) any {
		return x.sendSetImageblockWidth
	}),
	"ComputeCommandEncoder4.sendSetThreadgroupMemoryLength": bound(func(x interface {
		sendSetThreadgroupMemoryLength(length,
			index uint)
	}) any {
		return x.sendSetThreadgroupMemoryLength
	}),
	"ComputeCommandEncoder4.sendWriteCompactedAccelerationStructureSize": bound(func(x interface {
		sendWriteCompactedAccelerationStructureSize(accelerationStructure AccelerationStructure, buffer BufferRange4)
	}) any {
		return x.sendWriteCompactedAccelerationStructureSize
	}),
	"ComputeCommandEncoder4.sendWriteTimestampWithGranularity": bound(func(x interface {
		sendWriteTimestampWithGranularity(granularity TimestampGranularity4, counterHeap CounterHeap4, index uint)
	}) any {
		return x.sendWriteTimestampWithGranularity
	}),
	"CounterHeap4.sendInvalidateCounterRange":     bound(func(x interface{ sendInvalidateCounterRange(rng Range) }) any { return x.sendInvalidateCounterRange }),
	"CounterHeap4.sendResolveCounterRange":        bound(func(x interface{ sendResolveCounterRange(rng Range) []byte }) any { return x.sendResolveCounterRange }),
	"CounterSampleBuffer.sendResolveCounterRange": bound(func(x interface{ sendResolveCounterRange(rng Range) []byte }) any { return x.sendResolveCounterRange }),
}
