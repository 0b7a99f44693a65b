package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden1 = map[string]func(any) any{
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
		sendResolveCounterHeap(counterHeap CounterHeap4, rng Range, bufferRange BufferRange4, fenceToWait,
			fenceToUpdate Fence)
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
		sendCopyBufferMappingsFromBuffer(sourceBuffer, destinationBuffer Buffer,
			operations []CopySparseBufferMappingOperation4)
	}) any {
		return x.sendCopyBufferMappingsFromBuffer
	}),
	"CommandQueue4.sendCopyTextureMappingsFromTexture": bound(func(x interface {
		sendCopyTextureMappingsFromTexture(sourceTexture, destinationTexture Texture,
			operations []CopySparseTextureMappingOperation4)
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
		sendNewBinaryFunctionWithDescriptor(descriptor BinaryFunctionDescriptor4,
			compilerTaskOptions CompilerTaskOptions4) (BinaryFunction4, error)
	}) any {
		return x.sendNewBinaryFunctionWithDescriptor
	}),
	"Compiler4.sendNewBinaryFunctionWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewBinaryFunctionWithDescriptorCompletionHandler(descriptor BinaryFunctionDescriptor4,
			compilerTaskOptions CompilerTaskOptions4, completionHandler func(BinaryFunction4, error)) CompilerTask4
	}) any {
		return x.sendNewBinaryFunctionWithDescriptorCompletionHandler
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor4,
			compilerTaskOptions CompilerTaskOptions4) (ComputePipelineState, error)
	}) any {
		return x.sendNewComputePipelineStateWithDescriptor
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorCompletionHandler(descriptor ComputePipelineDescriptor4,
			compilerTaskOptions CompilerTaskOptions4, completionHandler func(ComputePipelineState, error)) CompilerTask4
	}) any {
		return x.sendNewComputePipelineStateWithDescriptorCompletionHandler
	}),
	"Compiler4.sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorDynamicLinkingDescriptor(descriptor ComputePipelineDescriptor4,
			dynamicLinkingDescriptor PipelineStageDynamicLinkingDescriptor4,
			compilerTaskOptions CompilerTaskOptions4) (ComputePipelineState, error)
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
		sendNewLibraryWithDescriptorCompletionHandler(descriptor LibraryDescriptor4,
			completionHandler func(Library, error)) CompilerTask4
	}) any {
		return x.sendNewLibraryWithDescriptorCompletionHandler
	}),
	"Compiler4.sendNewMachineLearningPipelineStateWithDescriptor": bound(func(x interface {
		sendNewMachineLearningPipelineStateWithDescriptor(descriptor MachineLearningPipelineDescriptor4) (MachineLearningPipelineState4, error)
	}) any {
		return x.sendNewMachineLearningPipelineStateWithDescriptor
	}),
	"Compiler4.sendNewMachineLearningPipelineStateWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewMachineLearningPipelineStateWithDescriptorCompletionHandler(descriptor MachineLearningPipelineDescriptor4,
			completionHandler func(MachineLearningPipelineState4, error)) CompilerTask4
	}) any {
		return x.sendNewMachineLearningPipelineStateWithDescriptorCompletionHandler
	}),
}
