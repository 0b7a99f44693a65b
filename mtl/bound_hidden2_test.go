package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden2 = map[string]func(any) any{
	"ComputeCommandEncoder.sendDispatchThreadgroups": bound(func(x interface {
		sendDispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendDispatchThreadgroups
	}),
	"ComputeCommandEncoder.sendDispatchThreadgroupsWithIndirectBuffer": bound(func(x interface {
		sendDispatchThreadgroupsWithIndirectBuffer(indirectBuffer Buffer, indirectBufferOffset uint,
			threadsPerThreadgroup Size)
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
		sendExecuteCommandsInBufferIndirectBuffer(indirectCommandbuffer IndirectCommandBuffer, indirectRangeBuffer Buffer,
			indirectBufferOffset uint)
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
	"ComputeCommandEncoder.sendSetBufferOffset": bound(func(x interface {
		sendSetBufferOffset(offset,
			index uint)
	}) any {
		return x.sendSetBufferOffset
	}),
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
	"ComputeCommandEncoder.sendSetImageblockWidth": bound(func(x interface {
		sendSetImageblockWidth(width,
			height uint)
	}) any {
		return x.sendSetImageblockWidth
	}),
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
	"ComputeCommandEncoder.sendSetThreadgroupMemoryLength": bound(func(x interface {
		sendSetThreadgroupMemoryLength(length,
			index uint)
	}) any {
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
}
