package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden0 = map[string]func(any) any{
	"AccelerationStructureCommandEncoder.sendBuildAccelerationStructure": bound(func(x interface {
		sendBuildAccelerationStructure(accelerationStructure AccelerationStructure,
			descriptor AccelerationStructureDescriptor, scratchBuffer Buffer, scratchBufferOffset uint)
	}) any {
		return x.sendBuildAccelerationStructure
	}),
	"AccelerationStructureCommandEncoder.sendCopyAccelerationStructure": bound(func(x interface {
		sendCopyAccelerationStructure(sourceAccelerationStructure, destinationAccelerationStructure AccelerationStructure)
	}) any {
		return x.sendCopyAccelerationStructure
	}),
	"AccelerationStructureCommandEncoder.sendCopyAndCompactAccelerationStructure": bound(func(x interface {
		sendCopyAndCompactAccelerationStructure(sourceAccelerationStructure,
			destinationAccelerationStructure AccelerationStructure)
	}) any {
		return x.sendCopyAndCompactAccelerationStructure
	}),
	"AccelerationStructureCommandEncoder.sendRefitAccelerationStructure": bound(func(x interface {
		sendRefitAccelerationStructure(sourceAccelerationStructure AccelerationStructure,
			descriptor AccelerationStructureDescriptor, destinationAccelerationStructure AccelerationStructure,
			scratchBuffer Buffer, scratchBufferOffset uint)
	}) any {
		return x.sendRefitAccelerationStructure
	}),
	"AccelerationStructureCommandEncoder.sendRefitAccelerationStructureOptions": bound(func(x interface {
		sendRefitAccelerationStructureOptions(sourceAccelerationStructure AccelerationStructure,
			descriptor AccelerationStructureDescriptor, destinationAccelerationStructure AccelerationStructure,
			scratchBuffer Buffer, scratchBufferOffset uint, options AccelerationStructureRefitOptions)
	}) any {
		return x.sendRefitAccelerationStructureOptions
	}),
	"AccelerationStructureCommandEncoder.sendSampleCountersInBuffer": bound(func(x interface {
		sendSampleCountersInBuffer(sampleBuffer CounterSampleBuffer, sampleIndex uint, barrier bool)
	}) any {
		return x.sendSampleCountersInBuffer
	}),
	"AccelerationStructureCommandEncoder.sendUpdateFence": bound(func(x interface{ sendUpdateFence(fence Fence) }) any { return x.sendUpdateFence }),
	"AccelerationStructureCommandEncoder.sendUseHeap":     bound(func(x interface{ sendUseHeap(heap Heap) }) any { return x.sendUseHeap }),
	"AccelerationStructureCommandEncoder.sendUseHeaps":    bound(func(x interface{ sendUseHeaps(heaps []Heap) }) any { return x.sendUseHeaps }),
	"AccelerationStructureCommandEncoder.sendUseResource": bound(func(x interface {
		sendUseResource(resource Resource, usage ResourceUsage)
	}) any {
		return x.sendUseResource
	}),
	"AccelerationStructureCommandEncoder.sendUseResources": bound(func(x interface {
		sendUseResources(resources []Resource, usage ResourceUsage)
	}) any {
		return x.sendUseResources
	}),
	"AccelerationStructureCommandEncoder.sendWaitForFence": bound(func(x interface{ sendWaitForFence(fence Fence) }) any { return x.sendWaitForFence }),
	"AccelerationStructureCommandEncoder.sendWriteCompactedAccelerationStructureSize": bound(func(x interface {
		sendWriteCompactedAccelerationStructureSize(accelerationStructure AccelerationStructure, buffer Buffer, offset uint)
	}) any {
		return x.sendWriteCompactedAccelerationStructureSize
	}),
	"AccelerationStructureCommandEncoder.sendWriteCompactedAccelerationStructureSizeAs": bound(func(x interface {
		sendWriteCompactedAccelerationStructureSizeAs(accelerationStructure AccelerationStructure, buffer Buffer, offset uint,
			sizeDataType DataType)
	}) any {
		return x.sendWriteCompactedAccelerationStructureSizeAs
	}),
	"Archive4.sendNewBinaryFunctionWithDescriptor": bound(func(x interface {
		sendNewBinaryFunctionWithDescriptor(descriptor BinaryFunctionDescriptor4) (BinaryFunction4, error)
	}) any {
		return x.sendNewBinaryFunctionWithDescriptor
	}),
	"Archive4.sendNewComputePipelineStateWithDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor4) (ComputePipelineState, error)
	}) any {
		return x.sendNewComputePipelineStateWithDescriptor
	}),
	"Archive4.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(descriptor ComputePipelineDescriptor4,
			dynamicLinkingDescriptor PipelineStageDynamicLinkingDescriptor4) (ComputePipelineState, error)
	}) any {
		return x.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor
	}),
	"ArgumentEncoder.sendConstantDataAtIndex": bound(func(x interface{ sendConstantDataAtIndex(index uint) uintptr }) any { return x.sendConstantDataAtIndex }),
	"ArgumentEncoder.sendNewArgumentEncoderForBufferAtIndex": bound(func(x interface {
		sendNewArgumentEncoderForBufferAtIndex(index uint) ArgumentEncoder
	}) any {
		return x.sendNewArgumentEncoderForBufferAtIndex
	}),
	"ArgumentEncoder.sendSetAccelerationStructure": bound(func(x interface {
		sendSetAccelerationStructure(accelerationStructure AccelerationStructure, index uint)
	}) any {
		return x.sendSetAccelerationStructure
	}),
	"ArgumentEncoder.sendSetArgumentBuffer": bound(func(x interface {
		sendSetArgumentBuffer(argumentBuffer Buffer, offset uint)
	}) any {
		return x.sendSetArgumentBuffer
	}),
	"ArgumentEncoder.sendSetArgumentBufferStartOffset": bound(func(x interface {
		sendSetArgumentBufferStartOffset(argumentBuffer Buffer, startOffset, arrayElement uint)
	}) any {
		return x.sendSetArgumentBufferStartOffset
	}),
	"ArgumentEncoder.sendSetBuffer": bound(func(x interface {
		sendSetBuffer(buffer Buffer, offset, index uint)
	}) any {
		return x.sendSetBuffer
	}),
	"ArgumentEncoder.sendSetBuffers": bound(func(x interface {
		sendSetBuffers(buffers []Buffer, offsets []uint, first uint)
	}) any {
		return x.sendSetBuffers
	}),
	"ArgumentEncoder.sendSetComputePipelineState": bound(func(x interface {
		sendSetComputePipelineState(pipeline ComputePipelineState, index uint)
	}) any {
		return x.sendSetComputePipelineState
	}),
	"ArgumentEncoder.sendSetComputePipelineStates": bound(func(x interface {
		sendSetComputePipelineStates(pipelines []ComputePipelineState, first uint)
	}) any {
		return x.sendSetComputePipelineStates
	}),
	"ArgumentEncoder.sendSetIndirectCommandBuffer": bound(func(x interface {
		sendSetIndirectCommandBuffer(indirectCommandBuffer IndirectCommandBuffer, index uint)
	}) any {
		return x.sendSetIndirectCommandBuffer
	}),
	"ArgumentEncoder.sendSetIndirectCommandBuffers": bound(func(x interface {
		sendSetIndirectCommandBuffers(buffers []IndirectCommandBuffer, first uint)
	}) any {
		return x.sendSetIndirectCommandBuffers
	}),
	"ArgumentEncoder.sendSetIntersectionFunctionTable": bound(func(x interface {
		sendSetIntersectionFunctionTable(intersectionFunctionTable IntersectionFunctionTable, index uint)
	}) any {
		return x.sendSetIntersectionFunctionTable
	}),
	"ArgumentEncoder.sendSetIntersectionFunctionTables": bound(func(x interface {
		sendSetIntersectionFunctionTables(intersectionFunctionTables []IntersectionFunctionTable, first uint)
	}) any {
		return x.sendSetIntersectionFunctionTables
	}),
	"ArgumentEncoder.sendSetSamplerState": bound(func(x interface {
		sendSetSamplerState(sampler SamplerState, index uint)
	}) any {
		return x.sendSetSamplerState
	}),
	"ArgumentEncoder.sendSetSamplerStates": bound(func(x interface {
		sendSetSamplerStates(samplers []SamplerState, first uint)
	}) any {
		return x.sendSetSamplerStates
	}),
	"ArgumentEncoder.sendSetTexture": bound(func(x interface {
		sendSetTexture(texture Texture, index uint)
	}) any {
		return x.sendSetTexture
	}),
	"ArgumentEncoder.sendSetTextures": bound(func(x interface {
		sendSetTextures(textures []Texture, first uint)
	}) any {
		return x.sendSetTextures
	}),
	"ArgumentEncoder.sendSetVisibleFunctionTable": bound(func(x interface {
		sendSetVisibleFunctionTable(visibleFunctionTable VisibleFunctionTable, index uint)
	}) any {
		return x.sendSetVisibleFunctionTable
	}),
	"ArgumentEncoder.sendSetVisibleFunctionTables": bound(func(x interface {
		sendSetVisibleFunctionTables(visibleFunctionTables []VisibleFunctionTable, first uint)
	}) any {
		return x.sendSetVisibleFunctionTables
	}),
	"ArgumentTable4.sendSetAddress": bound(func(x interface {
		sendSetAddress(gpuAddress uint64, bindingIndex uint)
	}) any {
		return x.sendSetAddress
	}),
	"ArgumentTable4.sendSetAddressAttributeStride": bound(func(x interface {
		sendSetAddressAttributeStride(gpuAddress uint64, stride, bindingIndex uint)
	}) any {
		return x.sendSetAddressAttributeStride
	}),
	"ArgumentTable4.sendSetResource": bound(func(x interface {
		sendSetResource(resourceID ResourceID, bindingIndex uint)
	}) any {
		return x.sendSetResource
	}),
	"ArgumentTable4.sendSetSamplerState": bound(func(x interface {
		sendSetSamplerState(resourceID ResourceID, bindingIndex uint)
	}) any {
		return x.sendSetSamplerState
	}),
	"ArgumentTable4.sendSetTexture": bound(func(x interface {
		sendSetTexture(resourceID ResourceID, bindingIndex uint)
	}) any {
		return x.sendSetTexture
	}),
	"AttributeDescriptorArray.sendObjectAtIndexedSubscript": bound(func(x interface {
		sendObjectAtIndexedSubscript(index uint) AttributeDescriptor
	}) any {
		return x.sendObjectAtIndexedSubscript
	}),
	"AttributeDescriptorArray.sendSetObject": bound(func(x interface {
		sendSetObject(attributeDesc AttributeDescriptor, index uint)
	}) any {
		return x.sendSetObject
	}),
	"BinaryArchive.sendAddComputePipelineFunctionsWithDescriptor": bound(func(x interface {
		sendAddComputePipelineFunctionsWithDescriptor(descriptor ComputePipelineDescriptor) error
	}) any {
		return x.sendAddComputePipelineFunctionsWithDescriptor
	}),
	"BinaryArchive.sendAddFunctionWithDescriptor": bound(func(x interface {
		sendAddFunctionWithDescriptor(descriptor FunctionDescriptor, library Library) error
	}) any {
		return x.sendAddFunctionWithDescriptor
	}),
	"BinaryArchive.sendAddLibraryWithDescriptor": bound(func(x interface {
		sendAddLibraryWithDescriptor(descriptor StitchedLibraryDescriptor) error
	}) any {
		return x.sendAddLibraryWithDescriptor
	}),
	"BinaryArchive.sendSerializeToURL": bound(func(x interface{ sendSerializeToURL(url string) error }) any { return x.sendSerializeToURL }),
	"BlitCommandEncoder.sendCopyFromBuffer": bound(func(x interface {
		sendCopyFromBuffer(sourceBuffer Buffer, sourceOffset uint, destinationBuffer Buffer, destinationOffset, size uint)
	}) any {
		return x.sendCopyFromBuffer
	}),
	"BlitCommandEncoder.sendCopyFromBufferToTexture": bound(func(x interface {
		sendCopyFromBufferToTexture(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage uint,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin)
	}) any {
		return x.sendCopyFromBufferToTexture
	}),
	"BlitCommandEncoder.sendCopyFromBufferToTextureOptions": bound(func(x interface {
		sendCopyFromBufferToTextureOptions(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage uint,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin,
			options BlitOption)
	}) any {
		return x.sendCopyFromBufferToTextureOptions
	}),
	"BlitCommandEncoder.sendCopyFromTensor": bound(func(x interface {
		sendCopyFromTensor(sourceTensor Tensor, sourceOrigin, sourceDimensions TensorExtents, destinationTensor Tensor,
			destinationOrigin, destinationDimensions TensorExtents) error
	}) any {
		return x.sendCopyFromTensor
	}),
	"BlitCommandEncoder.sendCopyFromTexture": bound(func(x interface {
		sendCopyFromTexture(sourceTexture, destinationTexture Texture)
	}) any {
		return x.sendCopyFromTexture
	}),
	"BlitCommandEncoder.sendCopyFromTextureSlices": bound(func(x interface {
		sendCopyFromTextureSlices(sourceTexture Texture, sourceSlice, sourceLevel uint, destinationTexture Texture,
			destinationSlice, destinationLevel, sliceCount, levelCount uint)
	}) any {
		return x.sendCopyFromTextureSlices
	}),
	"BlitCommandEncoder.sendCopyFromTextureToBuffer": bound(func(x interface {
		sendCopyFromTextureToBuffer(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage uint)
	}) any {
		return x.sendCopyFromTextureToBuffer
	}),
	"BlitCommandEncoder.sendCopyFromTextureToBufferOptions": bound(func(x interface {
		sendCopyFromTextureToBufferOptions(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage uint,
			options BlitOption)
	}) any {
		return x.sendCopyFromTextureToBufferOptions
	}),
	"BlitCommandEncoder.sendCopyFromTextureToTexture": bound(func(x interface {
		sendCopyFromTextureToTexture(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin)
	}) any {
		return x.sendCopyFromTextureToTexture
	}),
	"BlitCommandEncoder.sendCopyIndirectCommandBuffer": bound(func(x interface {
		sendCopyIndirectCommandBuffer(source IndirectCommandBuffer, sourceRange Range, destination IndirectCommandBuffer,
			destinationIndex uint)
	}) any {
		return x.sendCopyIndirectCommandBuffer
	}),
	"BlitCommandEncoder.sendFillBuffer": bound(func(x interface {
		sendFillBuffer(buffer Buffer, rng Range, value uint8)
	}) any {
		return x.sendFillBuffer
	}),
	"BlitCommandEncoder.sendGenerateMipmapsForTexture": bound(func(x interface{ sendGenerateMipmapsForTexture(texture Texture) }) any {
		return x.sendGenerateMipmapsForTexture
	}),
	"BlitCommandEncoder.sendGetTextureAccessCounters": bound(func(x interface {
		sendGetTextureAccessCounters(texture Texture, region Region, mipLevel, slice uint, resetCounters bool,
			countersBuffer Buffer, countersBufferOffset uint) error
	}) any {
		return x.sendGetTextureAccessCounters
	}),
	"BlitCommandEncoder.sendOptimizeContentsForCPUAccess": bound(func(x interface{ sendOptimizeContentsForCPUAccess(texture Texture) }) any {
		return x.sendOptimizeContentsForCPUAccess
	}),
	"BlitCommandEncoder.sendOptimizeContentsForCPUAccessSlice": bound(func(x interface {
		sendOptimizeContentsForCPUAccessSlice(texture Texture, slice, level uint)
	}) any {
		return x.sendOptimizeContentsForCPUAccessSlice
	}),
	"BlitCommandEncoder.sendOptimizeContentsForGPUAccess": bound(func(x interface{ sendOptimizeContentsForGPUAccess(texture Texture) }) any {
		return x.sendOptimizeContentsForGPUAccess
	}),
	"BlitCommandEncoder.sendOptimizeContentsForGPUAccessSlice": bound(func(x interface {
		sendOptimizeContentsForGPUAccessSlice(texture Texture, slice, level uint)
	}) any {
		return x.sendOptimizeContentsForGPUAccessSlice
	}),
	"BlitCommandEncoder.sendOptimizeIndirectCommandBuffer": bound(func(x interface {
		sendOptimizeIndirectCommandBuffer(indirectCommandBuffer IndirectCommandBuffer, rng Range)
	}) any {
		return x.sendOptimizeIndirectCommandBuffer
	}),
	"BlitCommandEncoder.sendResetCommandsInBuffer": bound(func(x interface {
		sendResetCommandsInBuffer(buffer IndirectCommandBuffer, rng Range)
	}) any {
		return x.sendResetCommandsInBuffer
	}),
	"BlitCommandEncoder.sendResetTextureAccessCounters": bound(func(x interface {
		sendResetTextureAccessCounters(texture Texture, region Region, mipLevel, slice uint) error
	}) any {
		return x.sendResetTextureAccessCounters
	}),
	"BlitCommandEncoder.sendResolveCounters": bound(func(x interface {
		sendResolveCounters(sampleBuffer CounterSampleBuffer, rng Range, destinationBuffer Buffer, destinationOffset uint)
	}) any {
		return x.sendResolveCounters
	}),
	"BlitCommandEncoder.sendSampleCountersInBuffer": bound(func(x interface {
		sendSampleCountersInBuffer(sampleBuffer CounterSampleBuffer, sampleIndex uint, barrier bool)
	}) any {
		return x.sendSampleCountersInBuffer
	}),
	"BlitCommandEncoder.sendSynchronizeResource": bound(func(x interface{ sendSynchronizeResource(resource Resource) }) any { return x.sendSynchronizeResource }),
	"BlitCommandEncoder.sendSynchronizeTexture": bound(func(x interface {
		sendSynchronizeTexture(texture Texture, slice, level uint)
	}) any {
		return x.sendSynchronizeTexture
	}),
	"BlitCommandEncoder.sendUpdateFence":  bound(func(x interface{ sendUpdateFence(fence Fence) }) any { return x.sendUpdateFence }),
	"BlitCommandEncoder.sendWaitForFence": bound(func(x interface{ sendWaitForFence(fence Fence) }) any { return x.sendWaitForFence }),
	"Buffer.sendAddDebugMarker": bound(func(x interface {
		sendAddDebugMarker(marker string, rng Range)
	}) any {
		return x.sendAddDebugMarker
	}),
	"Buffer.sendDidModifyRange": bound(func(x interface{ sendDidModifyRange(rng Range) }) any { return x.sendDidModifyRange }),
	"Buffer.sendNewRemoteBufferViewForDevice": bound(func(x interface{ sendNewRemoteBufferViewForDevice(device Device) Buffer }) any {
		return x.sendNewRemoteBufferViewForDevice
	}),
	"Buffer.sendNewTensorWithDescriptor": bound(func(x interface {
		sendNewTensorWithDescriptor(descriptor TensorDescriptor, offset uint) (Tensor, error)
	}) any {
		return x.sendNewTensorWithDescriptor
	}),
	"Buffer.sendNewTextureWithDescriptor": bound(func(x interface {
		sendNewTextureWithDescriptor(descriptor TextureDescriptor, offset, bytesPerRow uint) Texture
	}) any {
		return x.sendNewTextureWithDescriptor
	}),
	"BufferLayoutDescriptorArray.sendObjectAtIndexedSubscript": bound(func(x interface {
		sendObjectAtIndexedSubscript(index uint) BufferLayoutDescriptor
	}) any {
		return x.sendObjectAtIndexedSubscript
	}),
	"BufferLayoutDescriptorArray.sendSetObject": bound(func(x interface {
		sendSetObject(bufferDesc BufferLayoutDescriptor, index uint)
	}) any {
		return x.sendSetObject
	}),
}
