package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

var boundHidden7 = map[string]func(any) any{
	"Library.sendNewFunctionWithDescriptor": bound(func(x interface {
		sendNewFunctionWithDescriptor(descriptor FunctionDescriptor) (Function, error)
	}) any {
		return x.sendNewFunctionWithDescriptor
	}),
	"Library.sendNewFunctionWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewFunctionWithDescriptorCompletionHandler(descriptor FunctionDescriptor, completionHandler func(Function, error))
	}) any {
		return x.sendNewFunctionWithDescriptorCompletionHandler
	}),
	"Library.sendNewFunctionWithName": bound(func(x interface {
		sendNewFunctionWithName(functionName string) Function
	}) any {
		return x.sendNewFunctionWithName
	}),
	"Library.sendNewFunctionWithNameConstantValues": bound(func(x interface {
		sendNewFunctionWithNameConstantValues(name string, constantValues FunctionConstantValues) (Function, error)
	}) any {
		return x.sendNewFunctionWithNameConstantValues
	}),
	"Library.sendNewFunctionWithNameConstantValuesCompletionHandler": bound(func(x interface {
		sendNewFunctionWithNameConstantValuesCompletionHandler(name string, constantValues FunctionConstantValues,
			completionHandler func(Function, error))
	}) any {
		return x.sendNewFunctionWithNameConstantValuesCompletionHandler
	}),
	"Library.sendNewIntersectionFunctionWithDescriptor": bound(func(x interface {
		sendNewIntersectionFunctionWithDescriptor(descriptor IntersectionFunctionDescriptor) (Function, error)
	}) any {
		return x.sendNewIntersectionFunctionWithDescriptor
	}),
	"Library.sendNewIntersectionFunctionWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewIntersectionFunctionWithDescriptorCompletionHandler(descriptor IntersectionFunctionDescriptor,
			completionHandler func(Function, error))
	}) any {
		return x.sendNewIntersectionFunctionWithDescriptorCompletionHandler
	}),
	"Library.sendReflectionForFunctionWithName": bound(func(x interface {
		sendReflectionForFunctionWithName(functionName string) (FunctionReflection, error)
	}) any {
		return x.sendReflectionForFunctionWithName
	}),
	"MachineLearningCommandEncoder4.sendDispatchNetworkWithIntermediatesHeap": bound(func(x interface{ sendDispatchNetworkWithIntermediatesHeap(heap Heap) }) any {
		return x.sendDispatchNetworkWithIntermediatesHeap
	}),
	"MachineLearningCommandEncoder4.sendSetArgumentTable": bound(func(x interface {
		sendSetArgumentTable(argumentTable ArgumentTable4)
	}) any {
		return x.sendSetArgumentTable
	}),
	"MachineLearningCommandEncoder4.sendSetPipelineState": bound(func(x interface {
		sendSetPipelineState(pipelineState MachineLearningPipelineState4)
	}) any {
		return x.sendSetPipelineState
	}),
	"PipelineBufferDescriptorArray.sendObjectAtIndexedSubscript": bound(func(x interface {
		sendObjectAtIndexedSubscript(bufferIndex uint) PipelineBufferDescriptor
	}) any {
		return x.sendObjectAtIndexedSubscript
	}),
	"PipelineBufferDescriptorArray.sendSetObject": bound(func(x interface {
		sendSetObject(buffer PipelineBufferDescriptor, bufferIndex uint)
	}) any {
		return x.sendSetObject
	}),
	"ResidencySet.sendAddAllocation": bound(func(x interface{ sendAddAllocation(allocation Allocation) }) any { return x.sendAddAllocation }),
	"ResidencySet.sendAddAllocations": bound(func(x interface {
		sendAddAllocations(allocations []Allocation)
	}) any {
		return x.sendAddAllocations
	}),
	"ResidencySet.sendContainsAllocation": bound(func(x interface {
		sendContainsAllocation(anAllocation Allocation) bool
	}) any {
		return x.sendContainsAllocation
	}),
	"ResidencySet.sendRemoveAllocation": bound(func(x interface{ sendRemoveAllocation(allocation Allocation) }) any { return x.sendRemoveAllocation }),
	"ResidencySet.sendRemoveAllocations": bound(func(x interface {
		sendRemoveAllocations(allocations []Allocation)
	}) any {
		return x.sendRemoveAllocations
	}),
	"Resource.sendMakeAliasable": bound(func(x interface{ sendMakeAliasable() }) any { return x.sendMakeAliasable }),
	"ResourceStateCommandEncoder.sendMoveTextureMappingsFromTexture": bound(func(x interface {
		sendMoveTextureMappingsFromTexture(sourceTexture Texture, sourceSlice, sourceLevel uint, sourceOrigin Origin,
			sourceSize Size, destinationTexture Texture, destinationSlice, destinationLevel uint, destinationOrigin Origin) error
	}) any {
		return x.sendMoveTextureMappingsFromTexture
	}),
	"ResourceStateCommandEncoder.sendUpdateFence": bound(func(x interface{ sendUpdateFence(fence Fence) error }) any { return x.sendUpdateFence }),
	"ResourceStateCommandEncoder.sendUpdateTextureMapping": bound(func(x interface {
		sendUpdateTextureMapping(texture Texture, mode SparseTextureMappingMode, region Region, mipLevel, slice uint) error
	}) any {
		return x.sendUpdateTextureMapping
	}),
	"ResourceStateCommandEncoder.sendUpdateTextureMappingIndirect": bound(func(x interface {
		sendUpdateTextureMappingIndirect(texture Texture, mode SparseTextureMappingMode, indirectBuffer Buffer,
			indirectBufferOffset uint) error
	}) any {
		return x.sendUpdateTextureMappingIndirect
	}),
	"ResourceStateCommandEncoder.sendUpdateTextureMappings": bound(func(x interface {
		sendUpdateTextureMappings(texture Texture, mode SparseTextureMappingMode, regions []Region, mipLevels,
			slices []uint) error
	}) any {
		return x.sendUpdateTextureMappings
	}),
	"ResourceStateCommandEncoder.sendWaitForFence": bound(func(x interface{ sendWaitForFence(fence Fence) error }) any { return x.sendWaitForFence }),
	"SharedEvent.sendNewSharedEventHandle": bound(func(x interface{ sendNewSharedEventHandle() SharedEventHandle }) any {
		return x.sendNewSharedEventHandle
	}),
	"SharedEvent.sendNotifyListener": bound(func(x interface {
		sendNotifyListener(listener SharedEventListener, value uint64, block func(SharedEvent, uint64))
	}) any {
		return x.sendNotifyListener
	}),
	"SharedEvent.sendSetSignaledValue": bound(func(x interface{ sendSetSignaledValue(signaledValue uint64) }) any { return x.sendSetSignaledValue }),
	"SharedEvent.sendWaitUntilSignaledValue": bound(func(x interface {
		sendWaitUntilSignaledValue(value, milliseconds uint64) bool
	}) any {
		return x.sendWaitUntilSignaledValue
	}),
	"Tensor.sendGetBytes": bound(func(x interface {
		sendGetBytes(bytes []byte, strides, sliceOrigin, sliceDimensions TensorExtents)
	}) any {
		return x.sendGetBytes
	}),
	"Tensor.sendReplaceSliceOrigin": bound(func(x interface {
		sendReplaceSliceOrigin(sliceOrigin, sliceDimensions TensorExtents, bytes []byte, strides TensorExtents)
	}) any {
		return x.sendReplaceSliceOrigin
	}),
	"TensorExtents.sendExtentAtDimensionIndex": bound(func(x interface{ sendExtentAtDimensionIndex(dimensionIndex uint) int }) any {
		return x.sendExtentAtDimensionIndex
	}),
	"Texture.sendGetBytes": bound(func(x interface {
		sendGetBytes(pixelBytes []byte, bytesPerRow uint, region Region, level uint)
	}) any {
		return x.sendGetBytes
	}),
	"Texture.sendGetBytesBytesPerImage": bound(func(x interface {
		sendGetBytesBytesPerImage(pixelBytes []byte, bytesPerRow, bytesPerImage uint, region Region, level, slice uint)
	}) any {
		return x.sendGetBytesBytesPerImage
	}),
	"Texture.sendNewRemoteTextureViewForDevice": bound(func(x interface{ sendNewRemoteTextureViewForDevice(device Device) Texture }) any {
		return x.sendNewRemoteTextureViewForDevice
	}),
	"Texture.sendNewSharedTextureHandle": bound(func(x interface{ sendNewSharedTextureHandle() SharedTextureHandle }) any {
		return x.sendNewSharedTextureHandle
	}),
	"Texture.sendNewTextureViewWithDescriptor": bound(func(x interface {
		sendNewTextureViewWithDescriptor(descriptor TextureViewDescriptor) (Texture, error)
	}) any {
		return x.sendNewTextureViewWithDescriptor
	}),
	"Texture.sendNewTextureViewWithPixelFormat": bound(func(x interface {
		sendNewTextureViewWithPixelFormat(pixelFormat PixelFormat) Texture
	}) any {
		return x.sendNewTextureViewWithPixelFormat
	}),
	"Texture.sendNewTextureViewWithPixelFormatSwizzle": bound(func(x interface {
		sendNewTextureViewWithPixelFormatSwizzle(pixelFormat PixelFormat, textureType TextureType, levelRange,
			sliceRange Range, swizzle TextureSwizzleChannels) Texture
	}) any {
		return x.sendNewTextureViewWithPixelFormatSwizzle
	}),
	"Texture.sendNewTextureViewWithPixelFormatTextureType": bound(func(x interface {
		sendNewTextureViewWithPixelFormatTextureType(pixelFormat PixelFormat, textureType TextureType, levelRange,
			sliceRange Range) Texture
	}) any {
		return x.sendNewTextureViewWithPixelFormatTextureType
	}),
	"Texture.sendReplaceRegion": bound(func(x interface {
		sendReplaceRegion(region Region, level uint, pixelBytes []byte, bytesPerRow uint)
	}) any {
		return x.sendReplaceRegion
	}),
	"Texture.sendReplaceRegionSlice": bound(func(x interface {
		sendReplaceRegionSlice(region Region, level, slice uint, pixelBytes []byte, bytesPerRow, bytesPerImage uint)
	}) any {
		return x.sendReplaceRegionSlice
	}),
}
