package mtl

// Written by TestBoundTable with -bound.write.

var boundHiddenCC = map[string]func(any) any{
	"CommandAllocator4.sendReset": bound(func(x interface{ sendReset() }) any { return x.sendReset }),
	"CommandBuffer.sendAccelerationStructureCommandEncoder": bound(func(x interface {
		sendAccelerationStructureCommandEncoder() AccelerationStructureCommandEncoder
	}) any {
		return x.sendAccelerationStructureCommandEncoder
	}),
	"CommandBuffer.sendAccelerationStructureCommandEncoderWithDescriptor": bound(func(x interface {
		sendAccelerationStructureCommandEncoderWithDescriptor(descriptor AccelerationStructurePassDescriptor) AccelerationStructureCommandEncoder
	}) any {
		return x.sendAccelerationStructureCommandEncoderWithDescriptor
	}),
	"CommandBuffer.sendAddCompletedHandler": bound(func(x interface {
		sendAddCompletedHandler(block func(CommandBuffer))
	}) any {
		return x.sendAddCompletedHandler
	}),
	"CommandBuffer.sendAddScheduledHandler": bound(func(x interface {
		sendAddScheduledHandler(block func(CommandBuffer))
	}) any {
		return x.sendAddScheduledHandler
	}),
	"CommandBuffer.sendBlitCommandEncoder": bound(func(x interface{ sendBlitCommandEncoder() BlitCommandEncoder }) any { return x.sendBlitCommandEncoder }),
	"CommandBuffer.sendBlitCommandEncoderWithDescriptor": bound(func(x interface {
		sendBlitCommandEncoderWithDescriptor(blitPassDescriptor BlitPassDescriptor) BlitCommandEncoder
	}) any {
		return x.sendBlitCommandEncoderWithDescriptor
	}),
	"CommandBuffer.sendCommit": bound(func(x interface{ sendCommit() }) any { return x.sendCommit }),
	"CommandBuffer.sendComputeCommandEncoder": bound(func(x interface{ sendComputeCommandEncoder() ComputeCommandEncoder }) any {
		return x.sendComputeCommandEncoder
	}),
	"CommandBuffer.sendComputeCommandEncoderWithDescriptor": bound(func(x interface {
		sendComputeCommandEncoderWithDescriptor(computePassDescriptor ComputePassDescriptor) ComputeCommandEncoder
	}) any {
		return x.sendComputeCommandEncoderWithDescriptor
	}),
	"CommandBuffer.sendComputeCommandEncoderWithDispatchType": bound(func(x interface {
		sendComputeCommandEncoderWithDispatchType(dispatchType DispatchType) ComputeCommandEncoder
	}) any {
		return x.sendComputeCommandEncoderWithDispatchType
	}),
	"CommandBuffer.sendEncodeSignalEvent": bound(func(x interface {
		sendEncodeSignalEvent(event Event, value uint64)
	}) any {
		return x.sendEncodeSignalEvent
	}),
	"CommandBuffer.sendEncodeWaitForEvent": bound(func(x interface {
		sendEncodeWaitForEvent(event Event, value uint64)
	}) any {
		return x.sendEncodeWaitForEvent
	}),
	"CommandBuffer.sendEnqueue":        bound(func(x interface{ sendEnqueue() }) any { return x.sendEnqueue }),
	"CommandBuffer.sendPopDebugGroup":  bound(func(x interface{ sendPopDebugGroup() }) any { return x.sendPopDebugGroup }),
	"CommandBuffer.sendPushDebugGroup": bound(func(x interface{ sendPushDebugGroup(string_ string) }) any { return x.sendPushDebugGroup }),
	"CommandBuffer.sendResourceStateCommandEncoder": bound(func(x interface {
		sendResourceStateCommandEncoder() ResourceStateCommandEncoder
	}) any {
		return x.sendResourceStateCommandEncoder
	}),
	"CommandBuffer.sendResourceStateCommandEncoderWithDescriptor": bound(func(x interface {
		sendResourceStateCommandEncoderWithDescriptor(resourceStatePassDescriptor ResourceStatePassDescriptor) ResourceStateCommandEncoder
	}) any {
		return x.sendResourceStateCommandEncoderWithDescriptor
	}),
	"CommandBuffer.sendUseResidencySet": bound(func(x interface {
		sendUseResidencySet(residencySet ResidencySet) error
	}) any {
		return x.sendUseResidencySet
	}),
	"CommandBuffer.sendUseResidencySets": bound(func(x interface {
		sendUseResidencySets(residencySets []ResidencySet) error
	}) any {
		return x.sendUseResidencySets
	}),
	"CommandBuffer.sendWaitUntilCompleted": bound(func(x interface{ sendWaitUntilCompleted() }) any { return x.sendWaitUntilCompleted }),
	"CommandBuffer.sendWaitUntilScheduled": bound(func(x interface{ sendWaitUntilScheduled() }) any { return x.sendWaitUntilScheduled }),
	"CommandBuffer4.sendBeginCommandBufferWithAllocator": bound(func(x interface {
		sendBeginCommandBufferWithAllocator(allocator CommandAllocator4)
	}) any {
		return x.sendBeginCommandBufferWithAllocator
	}),
	"CommandBuffer4.sendBeginCommandBufferWithAllocatorOptions": bound(func(x interface {
		sendBeginCommandBufferWithAllocatorOptions(allocator CommandAllocator4, options CommandBufferOptions4)
	}) any {
		return x.sendBeginCommandBufferWithAllocatorOptions
	}),
	"CommandBuffer4.sendComputeCommandEncoder": bound(func(x interface{ sendComputeCommandEncoder() ComputeCommandEncoder4 }) any {
		return x.sendComputeCommandEncoder
	}),
	"CommandBuffer4.sendEndCommandBuffer": bound(func(x interface{ sendEndCommandBuffer() }) any { return x.sendEndCommandBuffer }),
	"CommandBuffer4.sendMachineLearningCommandEncoder": bound(func(x interface {
		sendMachineLearningCommandEncoder() MachineLearningCommandEncoder4
	}) any {
		return x.sendMachineLearningCommandEncoder
	}),
	"CommandBuffer4.sendPopDebugGroup":  bound(func(x interface{ sendPopDebugGroup() }) any { return x.sendPopDebugGroup }),
	"CommandBuffer4.sendPushDebugGroup": bound(func(x interface{ sendPushDebugGroup(string_ string) }) any { return x.sendPushDebugGroup }),
	"CommandBuffer4.sendResolveCounterHeap": bound(func(x interface {
		sendResolveCounterHeap(counterHeap CounterHeap4, rng Range, bufferRange BufferRange4, fenceToWait, fenceToUpdate Fence)
	}) any {
		return x.sendResolveCounterHeap
	}),
	"CommandBuffer4.sendUseResidencySet": bound(func(x interface {
		sendUseResidencySet(residencySet ResidencySet)
	}) any {
		return x.sendUseResidencySet
	}),
	"CommandBuffer4.sendUseResidencySets": bound(func(x interface {
		sendUseResidencySets(residencySets []ResidencySet)
	}) any {
		return x.sendUseResidencySets
	}),
	"CommandBuffer4.sendWriteTimestampIntoHeap": bound(func(x interface {
		sendWriteTimestampIntoHeap(counterHeap CounterHeap4, index uint)
	}) any {
		return x.sendWriteTimestampIntoHeap
	}),
	"CommandEncoder.sendBarrierAfterQueueStages": bound(func(x interface {
		sendBarrierAfterQueueStages(afterQueueStages, beforeStages Stages) error
	}) any {
		return x.sendBarrierAfterQueueStages
	}),
	"CommandEncoder.sendEndEncoding":         bound(func(x interface{ sendEndEncoding() }) any { return x.sendEndEncoding }),
	"CommandEncoder.sendInsertDebugSignpost": bound(func(x interface{ sendInsertDebugSignpost(string_ string) }) any { return x.sendInsertDebugSignpost }),
	"CommandEncoder.sendPopDebugGroup":       bound(func(x interface{ sendPopDebugGroup() }) any { return x.sendPopDebugGroup }),
	"CommandEncoder.sendPushDebugGroup":      bound(func(x interface{ sendPushDebugGroup(string_ string) }) any { return x.sendPushDebugGroup }),
	"CommandEncoder4.sendBarrierAfterEncoderStages": bound(func(x interface {
		sendBarrierAfterEncoderStages(afterEncoderStages, beforeEncoderStages Stages, visibilityOptions VisibilityOptions4)
	}) any {
		return x.sendBarrierAfterEncoderStages
	}),
	"CommandEncoder4.sendBarrierAfterQueueStages": bound(func(x interface {
		sendBarrierAfterQueueStages(afterQueueStages, beforeStages Stages, visibilityOptions VisibilityOptions4)
	}) any {
		return x.sendBarrierAfterQueueStages
	}),
	"CommandEncoder4.sendBarrierAfterStages": bound(func(x interface {
		sendBarrierAfterStages(afterStages, beforeQueueStages Stages, visibilityOptions VisibilityOptions4)
	}) any {
		return x.sendBarrierAfterStages
	}),
	"CommandEncoder4.sendEndEncoding":         bound(func(x interface{ sendEndEncoding() }) any { return x.sendEndEncoding }),
	"CommandEncoder4.sendInsertDebugSignpost": bound(func(x interface{ sendInsertDebugSignpost(string_ string) }) any { return x.sendInsertDebugSignpost }),
	"CommandEncoder4.sendPopDebugGroup":       bound(func(x interface{ sendPopDebugGroup() }) any { return x.sendPopDebugGroup }),
	"CommandEncoder4.sendPushDebugGroup":      bound(func(x interface{ sendPushDebugGroup(string_ string) }) any { return x.sendPushDebugGroup }),
	"CommandEncoder4.sendUpdateFence": bound(func(x interface {
		sendUpdateFence(fence Fence, afterEncoderStages Stages)
	}) any {
		return x.sendUpdateFence
	}),
	"CommandEncoder4.sendWaitForFence": bound(func(x interface {
		sendWaitForFence(fence Fence, beforeEncoderStages Stages)
	}) any {
		return x.sendWaitForFence
	}),
	"CommandQueue.sendAddResidencySet": bound(func(x interface {
		sendAddResidencySet(residencySet ResidencySet) error
	}) any {
		return x.sendAddResidencySet
	}),
	"CommandQueue.sendAddResidencySets": bound(func(x interface {
		sendAddResidencySets(residencySets []ResidencySet) error
	}) any {
		return x.sendAddResidencySets
	}),
	"CommandQueue.sendCommandBuffer": bound(func(x interface{ sendCommandBuffer() CommandBuffer }) any { return x.sendCommandBuffer }),
	"CommandQueue.sendCommandBufferWithDescriptor": bound(func(x interface {
		sendCommandBufferWithDescriptor(descriptor CommandBufferDescriptor) CommandBuffer
	}) any {
		return x.sendCommandBufferWithDescriptor
	}),
	"CommandQueue.sendCommandBufferWithUnretainedReferences": bound(func(x interface{ sendCommandBufferWithUnretainedReferences() CommandBuffer }) any {
		return x.sendCommandBufferWithUnretainedReferences
	}),
	"CommandQueue.sendRemoveResidencySet": bound(func(x interface {
		sendRemoveResidencySet(residencySet ResidencySet) error
	}) any {
		return x.sendRemoveResidencySet
	}),
	"CommandQueue.sendRemoveResidencySets": bound(func(x interface {
		sendRemoveResidencySets(residencySets []ResidencySet) error
	}) any {
		return x.sendRemoveResidencySets
	}),
	"CommandQueue4.sendAddResidencySet": bound(func(x interface {
		sendAddResidencySet(residencySet ResidencySet)
	}) any {
		return x.sendAddResidencySet
	}),
	"CommandQueue4.sendAddResidencySets": bound(func(x interface {
		sendAddResidencySets(residencySets []ResidencySet)
	}) any {
		return x.sendAddResidencySets
	}),
	"CommandQueue4.sendCommit": bound(func(x interface {
		sendCommit(commandBuffers []CommandBuffer4)
	}) any {
		return x.sendCommit
	}),
	"CommandQueue4.sendCommitOptions": bound(func(x interface {
		sendCommitOptions(commandBuffers []CommandBuffer4, options CommitOptions4)
	}) any {
		return x.sendCommitOptions
	}),
	"CommandQueue4.sendCopyBufferMappingsFromBuffer": bound(func(x interface {
		sendCopyBufferMappingsFromBuffer(sourceBuffer, destinationBuffer Buffer, operations []CopySparseBufferMappingOperation4)
	}) any {
		return x.sendCopyBufferMappingsFromBuffer
	}),
	"CommandQueue4.sendCopyTextureMappingsFromTexture": bound(func(x interface {
		sendCopyTextureMappingsFromTexture(sourceTexture, destinationTexture Texture, operations []CopySparseTextureMappingOperation4)
	}) any {
		return x.sendCopyTextureMappingsFromTexture
	}),
	"CommandQueue4.sendRemoveResidencySet": bound(func(x interface {
		sendRemoveResidencySet(residencySet ResidencySet)
	}) any {
		return x.sendRemoveResidencySet
	}),
	"CommandQueue4.sendRemoveResidencySets": bound(func(x interface {
		sendRemoveResidencySets(residencySets []ResidencySet)
	}) any {
		return x.sendRemoveResidencySets
	}),
	"CommandQueue4.sendSignalEvent": bound(func(x interface {
		sendSignalEvent(event Event, value uint64)
	}) any {
		return x.sendSignalEvent
	}),
	"CommandQueue4.sendUpdateBufferMappings": bound(func(x interface {
		sendUpdateBufferMappings(buffer Buffer, heap Heap, operations []UpdateSparseBufferMappingOperation4)
	}) any {
		return x.sendUpdateBufferMappings
	}),
	"CommandQueue4.sendUpdateTextureMappings": bound(func(x interface {
		sendUpdateTextureMappings(texture Texture, heap Heap, operations []UpdateSparseTextureMappingOperation4)
	}) any {
		return x.sendUpdateTextureMappings
	}),
	"CommandQueue4.sendWaitForEvent": bound(func(x interface {
		sendWaitForEvent(event Event, value uint64)
	}) any {
		return x.sendWaitForEvent
	}),
	"CommitOptions4.sendAddFeedbackHandler": bound(func(x interface {
		sendAddFeedbackHandler(block func(CommitFeedback4))
	}) any {
		return x.sendAddFeedbackHandler
	}),
	"Compiler4.sendNewBinaryFunctionWithDescriptor": bound(func(x interface {
		sendNewBinaryFunctionWithDescriptor(descriptor BinaryFunctionDescriptor4, compilerTaskOptions CompilerTaskOptions4) (BinaryFunction4, error)
	}) any {
		return x.sendNewBinaryFunctionWithDescriptor
	}),
	"Compiler4.sendNewBinaryFunctionWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewBinaryFunctionWithDescriptorCompletionHandler(descriptor BinaryFunctionDescriptor4, compilerTaskOptions CompilerTaskOptions4, completionHandler func(BinaryFunction4, error)) CompilerTask4
	}) any {
		return x.sendNewBinaryFunctionWithDescriptorCompletionHandler
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor4, compilerTaskOptions CompilerTaskOptions4) (ComputePipelineState, error)
	}) any {
		return x.sendNewComputePipelineStateWithDescriptor
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorCompletionHandler(descriptor ComputePipelineDescriptor4, compilerTaskOptions CompilerTaskOptions4, completionHandler func(ComputePipelineState, error)) CompilerTask4
	}) any {
		return x.sendNewComputePipelineStateWithDescriptorCompletionHandler
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(descriptor ComputePipelineDescriptor4, dynamicLinkingDescriptor PipelineStageDynamicLinkingDescriptor4, compilerTaskOptions CompilerTaskOptions4) (ComputePipelineState, error)
	}) any {
		return x.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptorCompletionHandler": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptorCompletionHandler(descriptor ComputePipelineDescriptor4, dynamicLinkingDescriptor PipelineStageDynamicLinkingDescriptor4, compilerTaskOptions CompilerTaskOptions4, completionHandler func(ComputePipelineState, error)) CompilerTask4
	}) any {
		return x.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptorCompletionHandler
	}),
	"Compiler4.sendNewDynamicLibrary": bound(func(x interface {
		sendNewDynamicLibrary(library Library) (DynamicLibrary, error)
	}) any {
		return x.sendNewDynamicLibrary
	}),
	"Compiler4.sendNewDynamicLibraryCompletionHandler": bound(func(x interface {
		sendNewDynamicLibraryCompletionHandler(library Library, completionHandler func(DynamicLibrary, error)) CompilerTask4
	}) any {
		return x.sendNewDynamicLibraryCompletionHandler
	}),
	"Compiler4.sendNewDynamicLibraryWithURL": bound(func(x interface {
		sendNewDynamicLibraryWithURL(url string) (DynamicLibrary, error)
	}) any {
		return x.sendNewDynamicLibraryWithURL
	}),
	"Compiler4.sendNewDynamicLibraryWithURLCompletionHandler": bound(func(x interface {
		sendNewDynamicLibraryWithURLCompletionHandler(url string, completionHandler func(DynamicLibrary, error)) CompilerTask4
	}) any {
		return x.sendNewDynamicLibraryWithURLCompletionHandler
	}),
	"Compiler4.sendNewLibraryWithDescriptor": bound(func(x interface {
		sendNewLibraryWithDescriptor(descriptor LibraryDescriptor4) (Library, error)
	}) any {
		return x.sendNewLibraryWithDescriptor
	}),
	"Compiler4.sendNewLibraryWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewLibraryWithDescriptorCompletionHandler(descriptor LibraryDescriptor4, completionHandler func(Library, error)) CompilerTask4
	}) any {
		return x.sendNewLibraryWithDescriptorCompletionHandler
	}),
	"Compiler4.sendNewMachineLearningPipelineStateWithDescriptor": bound(func(x interface {
		sendNewMachineLearningPipelineStateWithDescriptor(descriptor MachineLearningPipelineDescriptor4) (MachineLearningPipelineState4, error)
	}) any {
		return x.sendNewMachineLearningPipelineStateWithDescriptor
	}),
	"Compiler4.sendNewMachineLearningPipelineStateWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewMachineLearningPipelineStateWithDescriptorCompletionHandler(descriptor MachineLearningPipelineDescriptor4, completionHandler func(MachineLearningPipelineState4, error)) CompilerTask4
	}) any {
		return x.sendNewMachineLearningPipelineStateWithDescriptorCompletionHandler
	}),
	"ComputeCommandEncoder.sendDispatchThreadgroups": bound(func(x interface {
		sendDispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreadgroups
	}),
	"ComputeCommandEncoder.sendDispatchThreadgroupsWithIndirectBuffer": bound(func(x interface {
		sendDispatchThreadgroupsWithIndirectBuffer(indirectBuffer Buffer, indirectBufferOffset uint, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreadgroupsWithIndirectBuffer
	}),
	"ComputeCommandEncoder.sendDispatchThreads": bound(func(x interface {
		sendDispatchThreads(threadsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreads
	}),
	"ComputeCommandEncoder.sendExecuteCommandsInBuffer": bound(func(x interface {
		sendExecuteCommandsInBuffer(indirectCommandBuffer IndirectCommandBuffer, executionRange Range)
	}) any {
		return x.sendExecuteCommandsInBuffer
	}),
	"ComputeCommandEncoder.sendExecuteCommandsInBufferIndirectBuffer": bound(func(x interface {
		sendExecuteCommandsInBufferIndirectBuffer(indirectCommandbuffer IndirectCommandBuffer, indirectRangeBuffer Buffer, indirectBufferOffset uint)
	}) any {
		return x.sendExecuteCommandsInBufferIndirectBuffer
	}),
	"ComputeCommandEncoder.sendMemoryBarrierWithResources": bound(func(x interface{ sendMemoryBarrierWithResources(resources []Resource) }) any {
		return x.sendMemoryBarrierWithResources
	}),
	"ComputeCommandEncoder.sendMemoryBarrierWithScope": bound(func(x interface{ sendMemoryBarrierWithScope(scope BarrierScope) }) any {
		return x.sendMemoryBarrierWithScope
	}),
	"ComputeCommandEncoder.sendSampleCountersInBuffer": bound(func(x interface {
		sendSampleCountersInBuffer(sampleBuffer CounterSampleBuffer, sampleIndex uint, barrier bool)
	}) any {
		return x.sendSampleCountersInBuffer
	}),
	"ComputeCommandEncoder.sendSetAccelerationStructure": bound(func(x interface {
		sendSetAccelerationStructure(accelerationStructure AccelerationStructure, bufferIndex uint)
	}) any {
		return x.sendSetAccelerationStructure
	}),
	"ComputeCommandEncoder.sendSetBuffer": bound(func(x interface {
		sendSetBuffer(buffer Buffer, offset, index uint)
	}) any {
		return x.sendSetBuffer
	}),
	"ComputeCommandEncoder.sendSetBufferAttributeStride": bound(func(x interface {
		sendSetBufferAttributeStride(buffer Buffer, offset, stride, index uint) error
	}) any {
		return x.sendSetBufferAttributeStride
	}),
	"ComputeCommandEncoder.sendSetBufferOffset": bound(func(x interface{ sendSetBufferOffset(offset, index uint) }) any { return x.sendSetBufferOffset }),
	"ComputeCommandEncoder.sendSetBufferOffsetAttributeStride": bound(func(x interface {
		sendSetBufferOffsetAttributeStride(offset, stride, index uint) error
	}) any {
		return x.sendSetBufferOffsetAttributeStride
	}),
	"ComputeCommandEncoder.sendSetBuffers": bound(func(x interface {
		sendSetBuffers(buffers []Buffer, offsets []uint, first uint)
	}) any {
		return x.sendSetBuffers
	}),
	"ComputeCommandEncoder.sendSetBuffersAttributeStrides": bound(func(x interface {
		sendSetBuffersAttributeStrides(buffers []Buffer, offsets, strides []uint, first uint) error
	}) any {
		return x.sendSetBuffersAttributeStrides
	}),
	"ComputeCommandEncoder.sendSetBytes": bound(func(x interface {
		sendSetBytes(bytes []byte, index uint)
	}) any {
		return x.sendSetBytes
	}),
	"ComputeCommandEncoder.sendSetBytesAttributeStride": bound(func(x interface {
		sendSetBytesAttributeStride(bytes []byte, stride, index uint) error
	}) any {
		return x.sendSetBytesAttributeStride
	}),
	"ComputeCommandEncoder.sendSetComputePipelineState": bound(func(x interface {
		sendSetComputePipelineState(state ComputePipelineState)
	}) any {
		return x.sendSetComputePipelineState
	}),
	"ComputeCommandEncoder.sendSetImageblockWidth": bound(func(x interface{ sendSetImageblockWidth(width, height uint) }) any { return x.sendSetImageblockWidth }),
	"ComputeCommandEncoder.sendSetIntersectionFunctionTable": bound(func(x interface {
		sendSetIntersectionFunctionTable(intersectionFunctionTable IntersectionFunctionTable, bufferIndex uint)
	}) any {
		return x.sendSetIntersectionFunctionTable
	}),
	"ComputeCommandEncoder.sendSetIntersectionFunctionTables": bound(func(x interface {
		sendSetIntersectionFunctionTables(intersectionFunctionTables []IntersectionFunctionTable, first uint)
	}) any {
		return x.sendSetIntersectionFunctionTables
	}),
	"ComputeCommandEncoder.sendSetSamplerState": bound(func(x interface {
		sendSetSamplerState(sampler SamplerState, index uint)
	}) any {
		return x.sendSetSamplerState
	}),
	"ComputeCommandEncoder.sendSetSamplerStateLodMinClamp": bound(func(x interface {
		sendSetSamplerStateLodMinClamp(sampler SamplerState, lodMinClamp, lodMaxClamp float32, index uint)
	}) any {
		return x.sendSetSamplerStateLodMinClamp
	}),
	"ComputeCommandEncoder.sendSetSamplerStates": bound(func(x interface {
		sendSetSamplerStates(samplers []SamplerState, first uint)
	}) any {
		return x.sendSetSamplerStates
	}),
	"ComputeCommandEncoder.sendSetSamplerStatesLodMinClamps": bound(func(x interface {
		sendSetSamplerStatesLodMinClamps(samplers []SamplerState, lodMinClamps, lodMaxClamps []float32, first uint)
	}) any {
		return x.sendSetSamplerStatesLodMinClamps
	}),
	"ComputeCommandEncoder.sendSetStageInRegion": bound(func(x interface{ sendSetStageInRegion(region Region) }) any { return x.sendSetStageInRegion }),
	"ComputeCommandEncoder.sendSetStageInRegionWithIndirectBuffer": bound(func(x interface {
		sendSetStageInRegionWithIndirectBuffer(indirectBuffer Buffer, indirectBufferOffset uint)
	}) any {
		return x.sendSetStageInRegionWithIndirectBuffer
	}),
	"ComputeCommandEncoder.sendSetTexture": bound(func(x interface {
		sendSetTexture(texture Texture, index uint)
	}) any {
		return x.sendSetTexture
	}),
	"ComputeCommandEncoder.sendSetTextures": bound(func(x interface {
		sendSetTextures(textures []Texture, first uint)
	}) any {
		return x.sendSetTextures
	}),
	"ComputeCommandEncoder.sendSetThreadgroupMemoryLength": bound(func(x interface{ sendSetThreadgroupMemoryLength(length, index uint) }) any {
		return x.sendSetThreadgroupMemoryLength
	}),
	"ComputeCommandEncoder.sendSetVisibleFunctionTable": bound(func(x interface {
		sendSetVisibleFunctionTable(visibleFunctionTable VisibleFunctionTable, bufferIndex uint)
	}) any {
		return x.sendSetVisibleFunctionTable
	}),
	"ComputeCommandEncoder.sendSetVisibleFunctionTables": bound(func(x interface {
		sendSetVisibleFunctionTables(visibleFunctionTables []VisibleFunctionTable, first uint)
	}) any {
		return x.sendSetVisibleFunctionTables
	}),
	"ComputeCommandEncoder.sendUpdateFence": bound(func(x interface{ sendUpdateFence(fence Fence) }) any { return x.sendUpdateFence }),
	"ComputeCommandEncoder.sendUseHeap":     bound(func(x interface{ sendUseHeap(heap Heap) }) any { return x.sendUseHeap }),
	"ComputeCommandEncoder.sendUseHeaps":    bound(func(x interface{ sendUseHeaps(heaps []Heap) }) any { return x.sendUseHeaps }),
	"ComputeCommandEncoder.sendUseResource": bound(func(x interface {
		sendUseResource(resource Resource, usage ResourceUsage)
	}) any {
		return x.sendUseResource
	}),
	"ComputeCommandEncoder.sendUseResources": bound(func(x interface {
		sendUseResources(resources []Resource, usage ResourceUsage)
	}) any {
		return x.sendUseResources
	}),
	"ComputeCommandEncoder.sendWaitForFence": bound(func(x interface{ sendWaitForFence(fence Fence) }) any { return x.sendWaitForFence }),
	"ComputeCommandEncoder4.sendBuildAccelerationStructure": bound(func(x interface {
		sendBuildAccelerationStructure(accelerationStructure AccelerationStructure, descriptor AccelerationStructureDescriptor4, scratchBuffer BufferRange4)
	}) any {
		return x.sendBuildAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendCopyAccelerationStructure": bound(func(x interface {
		sendCopyAccelerationStructure(sourceAccelerationStructure, destinationAccelerationStructure AccelerationStructure)
	}) any {
		return x.sendCopyAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendCopyAndCompactAccelerationStructure": bound(func(x interface {
		sendCopyAndCompactAccelerationStructure(sourceAccelerationStructure, destinationAccelerationStructure AccelerationStructure)
	}) any {
		return x.sendCopyAndCompactAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendCopyFromBuffer": bound(func(x interface {
		sendCopyFromBuffer(sourceBuffer Buffer, sourceOffset uint, destinationBuffer Buffer, destinationOffset, size uint)
	}) any {
		return x.sendCopyFromBuffer
	}),
	"ComputeCommandEncoder4.sendCopyFromBufferToTexture": bound(func(x interface {
		sendCopyFromBufferToTexture(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage uint, sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin)
	}) any {
		return x.sendCopyFromBufferToTexture
	}),
	"ComputeCommandEncoder4.sendCopyFromBufferToTextureOptions": bound(func(x interface {
		sendCopyFromBufferToTextureOptions(sourceBuffer Buffer, sourceOffset, sourceBytesPerRow, sourceBytesPerImage uint, sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin, options BlitOption)
	}) any {
		return x.sendCopyFromBufferToTextureOptions
	}),
	"ComputeCommandEncoder4.sendCopyFromTensor": bound(func(x interface {
		sendCopyFromTensor(sourceTensor Tensor, sourceOrigin, sourceDimensions TensorExtents, destinationTensor Tensor, destinationOrigin, destinationDimensions TensorExtents)
	}) any {
		return x.sendCopyFromTensor
	}),
	"ComputeCommandEncoder4.sendCopyFromTexture": bound(func(x interface {
		sendCopyFromTexture(sourceTexture, destinationTexture Texture)
	}) any {
		return x.sendCopyFromTexture
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureSlices": bound(func(x interface {
		sendCopyFromTextureSlices(sourceTexture Texture, sourceSlice, sourceLevel uint, destinationTexture Texture, destinationSlice, destinationLevel, sliceCount, levelCount uint)
	}) any {
		return x.sendCopyFromTextureSlices
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureToBuffer": bound(func(x interface {
		sendCopyFromTextureToBuffer(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin, sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage uint)
	}) any {
		return x.sendCopyFromTextureToBuffer
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureToBufferOptions": bound(func(x interface {
		sendCopyFromTextureToBufferOptions(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin, sourceSize Size, destinationBuffer Buffer, destinationOffset, destinationBytesPerRow, destinationBytesPerImage uint, options BlitOption)
	}) any {
		return x.sendCopyFromTextureToBufferOptions
	}),
	"ComputeCommandEncoder4.sendCopyFromTextureToTexture": bound(func(x interface {
		sendCopyFromTextureToTexture(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin, sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin)
	}) any {
		return x.sendCopyFromTextureToTexture
	}),
	"ComputeCommandEncoder4.sendCopyIndirectCommandBuffer": bound(func(x interface {
		sendCopyIndirectCommandBuffer(source IndirectCommandBuffer, sourceRange Range, destination IndirectCommandBuffer, destinationIndex uint)
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
		sendRefitAccelerationStructure(sourceAccelerationStructure AccelerationStructure, descriptor AccelerationStructureDescriptor4, destinationAccelerationStructure AccelerationStructure, scratchBuffer BufferRange4)
	}) any {
		return x.sendRefitAccelerationStructure
	}),
	"ComputeCommandEncoder4.sendRefitAccelerationStructureOptions": bound(func(x interface {
		sendRefitAccelerationStructureOptions(sourceAccelerationStructure AccelerationStructure, descriptor AccelerationStructureDescriptor4, destinationAccelerationStructure AccelerationStructure, scratchBuffer BufferRange4, options AccelerationStructureRefitOptions)
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
	"ComputeCommandEncoder4.sendSetImageblockWidth": bound(func(x interface{ sendSetImageblockWidth(width, height uint) }) any { return x.sendSetImageblockWidth }),
	"ComputeCommandEncoder4.sendSetThreadgroupMemoryLength": bound(func(x interface{ sendSetThreadgroupMemoryLength(length, index uint) }) any {
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
