package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden6 = map[string]func(any) any{
	"IOCommandBuffer.sendCopyStatusToBuffer": bound(func(x interface {
		sendCopyStatusToBuffer(buffer Buffer, offset uint)
	}) any {
		return x.sendCopyStatusToBuffer
	}),
	"IOCommandBuffer.sendLoadBuffer": bound(func(x interface {
		sendLoadBuffer(buffer Buffer, offset, size uint, sourceHandle IOFileHandle, sourceHandleOffset uint)
	}) any {
		return x.sendLoadBuffer
	}),
	"IOCommandBuffer.sendLoadBytes": bound(func(x interface {
		sendLoadBytes(pointer uintptr, size uint, sourceHandle IOFileHandle, sourceHandleOffset uint)
	}) any {
		return x.sendLoadBytes
	}),
	"IOCommandBuffer.sendLoadTexture": bound(func(x interface {
		sendLoadTexture(texture Texture, slice, level uint, size Size, sourceBytesPerRow, sourceBytesPerImage uint,
			destinationOrigin Origin, sourceHandle IOFileHandle, sourceHandleOffset uint)
	}) any {
		return x.sendLoadTexture
	}),
	"IOCommandBuffer.sendSignalEvent": bound(func(x interface {
		sendSignalEvent(event SharedEvent, value uint64)
	}) any {
		return x.sendSignalEvent
	}),
	"IOCommandBuffer.sendWaitForEvent": bound(func(x interface {
		sendWaitForEvent(event SharedEvent, value uint64)
	}) any {
		return x.sendWaitForEvent
	}),
	"IndirectCommandBuffer.sendIndirectComputeCommandAtIndex": bound(func(x interface {
		sendIndirectComputeCommandAtIndex(commandIndex uint) IndirectComputeCommand
	}) any {
		return x.sendIndirectComputeCommandAtIndex
	}),
	"IndirectCommandBuffer.sendResetWithRange": bound(func(x interface{ sendResetWithRange(rng Range) }) any { return x.sendResetWithRange }),
	"IndirectComputeCommand.sendClearBarrier":  bound(func(x interface{ sendClearBarrier() }) any { return x.sendClearBarrier }),
	"IndirectComputeCommand.sendConcurrentDispatchThreadgroups": bound(func(x interface {
		sendConcurrentDispatchThreadgroups(threadgroupsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendConcurrentDispatchThreadgroups
	}),
	"IndirectComputeCommand.sendConcurrentDispatchThreads": bound(func(x interface {
		sendConcurrentDispatchThreads(threadsPerGrid, threadsPerThreadgroup Size)
	}) any {
		return x.sendConcurrentDispatchThreads
	}),
	"IndirectComputeCommand.sendReset":      bound(func(x interface{ sendReset() }) any { return x.sendReset }),
	"IndirectComputeCommand.sendSetBarrier": bound(func(x interface{ sendSetBarrier() }) any { return x.sendSetBarrier }),
	"IndirectComputeCommand.sendSetComputePipelineState": bound(func(x interface {
		sendSetComputePipelineState(pipelineState ComputePipelineState)
	}) any {
		return x.sendSetComputePipelineState
	}),
	"IndirectComputeCommand.sendSetImageblockWidth": bound(func(x interface {
		sendSetImageblockWidth(width,
			height uint)
	}) any {
		return x.sendSetImageblockWidth
	}),
	"IndirectComputeCommand.sendSetKernelBuffer": bound(func(x interface {
		sendSetKernelBuffer(buffer Buffer, offset, index uint)
	}) any {
		return x.sendSetKernelBuffer
	}),
	"IndirectComputeCommand.sendSetKernelBufferAttributeStride": bound(func(x interface {
		sendSetKernelBufferAttributeStride(buffer Buffer, offset, stride, index uint) error
	}) any {
		return x.sendSetKernelBufferAttributeStride
	}),
	"IndirectComputeCommand.sendSetStageInRegion": bound(func(x interface{ sendSetStageInRegion(region Region) }) any { return x.sendSetStageInRegion }),
	"IndirectComputeCommand.sendSetThreadgroupMemoryLength": bound(func(x interface {
		sendSetThreadgroupMemoryLength(length,
			index uint)
	}) any {
		return x.sendSetThreadgroupMemoryLength
	}),
}
