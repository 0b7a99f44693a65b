package mtl

// Written by TestBoundTable with PUREMETAL_UPDATE=1.

import "github.com/puremetal/puremetal/objc"

var boundHidden4 = map[string]func(any) any{
	"Device.sendHeapBufferSizeAndAlignWithLength": bound(func(x interface {
		sendHeapBufferSizeAndAlignWithLength(length uint, options ResourceOptions) SizeAndAlign
	}) any {
		return x.sendHeapBufferSizeAndAlignWithLength
	}),
	"Device.sendHeapTextureSizeAndAlignWithDescriptor": bound(func(x interface {
		sendHeapTextureSizeAndAlignWithDescriptor(desc TextureDescriptor) SizeAndAlign
	}) any {
		return x.sendHeapTextureSizeAndAlignWithDescriptor
	}),
	"Device.sendMinimumLinearTextureAlignmentForPixelFormat": bound(func(x interface{ sendMinimumLinearTextureAlignmentForPixelFormat(format PixelFormat) uint }) any {
		return x.sendMinimumLinearTextureAlignmentForPixelFormat
	}),
	"Device.sendMinimumTextureBufferAlignmentForPixelFormat": bound(func(x interface{ sendMinimumTextureBufferAlignmentForPixelFormat(format PixelFormat) uint }) any {
		return x.sendMinimumTextureBufferAlignmentForPixelFormat
	}),
	"Device.sendNewArgumentEncoderWithArguments": bound(func(x interface {
		sendNewArgumentEncoderWithArguments(arguments []ArgumentDescriptor) ArgumentEncoder
	}) any {
		return x.sendNewArgumentEncoderWithArguments
	}),
	"Device.sendNewArgumentEncoderWithBufferBinding": bound(func(x interface {
		sendNewArgumentEncoderWithBufferBinding(bufferBinding BufferBinding) ArgumentEncoder
	}) any {
		return x.sendNewArgumentEncoderWithBufferBinding
	}),
	"Device.sendNewArgumentTableWithDescriptor": bound(func(x interface {
		sendNewArgumentTableWithDescriptor(descriptor ArgumentTableDescriptor4) (ArgumentTable4, error)
	}) any {
		return x.sendNewArgumentTableWithDescriptor
	}),
	"Device.sendNewBinaryArchiveWithDescriptor": bound(func(x interface {
		sendNewBinaryArchiveWithDescriptor(descriptor BinaryArchiveDescriptor) (BinaryArchive, error)
	}) any {
		return x.sendNewBinaryArchiveWithDescriptor
	}),
	"Device.sendNewBufferWithBytes": bound(func(x interface {
		sendNewBufferWithBytes(pointer []byte, options ResourceOptions) Buffer
	}) any {
		return x.sendNewBufferWithBytes
	}),
	"Device.sendNewBufferWithBytesNoCopy": bound(func(x interface {
		sendNewBufferWithBytesNoCopy(pointer uintptr, length uint, options ResourceOptions,
			deallocator func(uintptr, uint)) Buffer
	}) any {
		return x.sendNewBufferWithBytesNoCopy
	}),
	"Device.sendNewBufferWithLength": bound(func(x interface {
		sendNewBufferWithLength(length uint, options ResourceOptions) Buffer
	}) any {
		return x.sendNewBufferWithLength
	}),
	"Device.sendNewBufferWithLengthPlacementSparsePageSize": bound(func(x interface {
		sendNewBufferWithLengthPlacementSparsePageSize(length uint, options ResourceOptions,
			placementSparsePageSize SparsePageSize) (Buffer, error)
	}) any {
		return x.sendNewBufferWithLengthPlacementSparsePageSize
	}),
	"Device.sendNewCommandAllocator": bound(func(x interface {
		sendNewCommandAllocator() (CommandAllocator4, error)
	}) any {
		return x.sendNewCommandAllocator
	}),
	"Device.sendNewCommandAllocatorWithDescriptor": bound(func(x interface {
		sendNewCommandAllocatorWithDescriptor(descriptor CommandAllocatorDescriptor4) (CommandAllocator4, error)
	}) any {
		return x.sendNewCommandAllocatorWithDescriptor
	}),
	"Device.sendNewCommandBuffer": bound(func(x interface {
		sendNewCommandBuffer() (CommandBuffer4, error)
	}) any {
		return x.sendNewCommandBuffer
	}),
	"Device.sendNewCommandQueue": bound(func(x interface{ sendNewCommandQueue() CommandQueue }) any { return x.sendNewCommandQueue }),
	"Device.sendNewCommandQueueWithDescriptor": bound(func(x interface {
		sendNewCommandQueueWithDescriptor(descriptor CommandQueueDescriptor) (CommandQueue, error)
	}) any {
		return x.sendNewCommandQueueWithDescriptor
	}),
	"Device.sendNewCommandQueueWithMaxCommandBufferCount": bound(func(x interface {
		sendNewCommandQueueWithMaxCommandBufferCount(maxCommandBufferCount uint) CommandQueue
	}) any {
		return x.sendNewCommandQueueWithMaxCommandBufferCount
	}),
	"Device.sendNewCompilerWithDescriptor": bound(func(x interface {
		sendNewCompilerWithDescriptor(descriptor CompilerDescriptor4) (Compiler4, error)
	}) any {
		return x.sendNewCompilerWithDescriptor
	}),
	"Device.sendNewComputePipelineStateWithDescriptor": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptor(descriptor ComputePipelineDescriptor,
			options PipelineOption) (ComputePipelineState, ComputePipelineReflection, error)
	}) any {
		return x.sendNewComputePipelineStateWithDescriptor
	}),
	"Device.sendNewComputePipelineStateWithDescriptorCompletionHandler": bound(func(x interface {
		sendNewComputePipelineStateWithDescriptorCompletionHandler(descriptor ComputePipelineDescriptor,
			options PipelineOption, completionHandler func(ComputePipelineState, ComputePipelineReflection, error))
	}) any {
		return x.sendNewComputePipelineStateWithDescriptorCompletionHandler
	}),
	"Device.sendNewComputePipelineStateWithFunction": bound(func(x interface {
		sendNewComputePipelineStateWithFunction(computeFunction Function) (ComputePipelineState, error)
	}) any {
		return x.sendNewComputePipelineStateWithFunction
	}),
	"Device.sendNewComputePipelineStateWithFunctionCompletionHandler": bound(func(x interface {
		sendNewComputePipelineStateWithFunctionCompletionHandler(computeFunction Function,
			completionHandler func(ComputePipelineState, error))
	}) any {
		return x.sendNewComputePipelineStateWithFunctionCompletionHandler
	}),
	"Device.sendNewComputePipelineStateWithFunctionOptions": bound(func(x interface {
		sendNewComputePipelineStateWithFunctionOptions(computeFunction Function,
			options PipelineOption) (ComputePipelineState, ComputePipelineReflection, error)
	}) any {
		return x.sendNewComputePipelineStateWithFunctionOptions
	}),
	"Device.sendNewComputePipelineStateWithFunctionOptionsCompletionHandler": bound(func(x interface {
		sendNewComputePipelineStateWithFunctionOptionsCompletionHandler(computeFunction Function, options PipelineOption,
			completionHandler func(ComputePipelineState, ComputePipelineReflection, error))
	}) any {
		return x.sendNewComputePipelineStateWithFunctionOptionsCompletionHandler
	}),
	"Device.sendNewCounterHeapWithDescriptor": bound(func(x interface {
		sendNewCounterHeapWithDescriptor(descriptor CounterHeapDescriptor4) (CounterHeap4, error)
	}) any {
		return x.sendNewCounterHeapWithDescriptor
	}),
	"Device.sendNewCounterSampleBufferWithDescriptor": bound(func(x interface {
		sendNewCounterSampleBufferWithDescriptor(descriptor CounterSampleBufferDescriptor) (CounterSampleBuffer, error)
	}) any {
		return x.sendNewCounterSampleBufferWithDescriptor
	}),
	"Device.sendNewDefaultLibrary": bound(func(x interface{ sendNewDefaultLibrary() Library }) any { return x.sendNewDefaultLibrary }),
	"Device.sendNewDefaultLibraryWithBundle": bound(func(x interface {
		sendNewDefaultLibraryWithBundle(bundle objc.Object) (Library, error)
	}) any {
		return x.sendNewDefaultLibraryWithBundle
	}),
	"Device.sendNewDynamicLibrary": bound(func(x interface {
		sendNewDynamicLibrary(library Library) (DynamicLibrary, error)
	}) any {
		return x.sendNewDynamicLibrary
	}),
	"Device.sendNewDynamicLibraryWithURL": bound(func(x interface {
		sendNewDynamicLibraryWithURL(url string) (DynamicLibrary, error)
	}) any {
		return x.sendNewDynamicLibraryWithURL
	}),
	"Device.sendNewHeapWithDescriptor": bound(func(x interface {
		sendNewHeapWithDescriptor(descriptor HeapDescriptor) Heap
	}) any {
		return x.sendNewHeapWithDescriptor
	}),
	"Device.sendNewIOCommandQueueWithDescriptor": bound(func(x interface {
		sendNewIOCommandQueueWithDescriptor(descriptor IOCommandQueueDescriptor) (IOCommandQueue, error)
	}) any {
		return x.sendNewIOCommandQueueWithDescriptor
	}),
	"Device.sendNewIOFileHandleWithURL": bound(func(x interface {
		sendNewIOFileHandleWithURL(url string) (IOFileHandle, error)
	}) any {
		return x.sendNewIOFileHandleWithURL
	}),
	"Device.sendNewIOFileHandleWithURLCompressionMethod": bound(func(x interface {
		sendNewIOFileHandleWithURLCompressionMethod(url string, compressionMethod IOCompressionMethod) (IOFileHandle, error)
	}) any {
		return x.sendNewIOFileHandleWithURLCompressionMethod
	}),
	"Device.sendNewIOHandleWithURL": bound(func(x interface {
		sendNewIOHandleWithURL(url string) (IOFileHandle, error)
	}) any {
		return x.sendNewIOHandleWithURL
	}),
	"Device.sendNewIOHandleWithURLCompressionMethod": bound(func(x interface {
		sendNewIOHandleWithURLCompressionMethod(url string, compressionMethod IOCompressionMethod) (IOFileHandle, error)
	}) any {
		return x.sendNewIOHandleWithURLCompressionMethod
	}),
	"Device.sendNewIndirectCommandBufferWithDescriptor": bound(func(x interface {
		sendNewIndirectCommandBufferWithDescriptor(descriptor IndirectCommandBufferDescriptor, maxCount uint,
			options ResourceOptions) IndirectCommandBuffer
	}) any {
		return x.sendNewIndirectCommandBufferWithDescriptor
	}),
	"Device.sendNewLibraryWithData": bound(func(x interface {
		sendNewLibraryWithData(data []byte) (Library, error)
	}) any {
		return x.sendNewLibraryWithData
	}),
	"Device.sendNewLibraryWithFile": bound(func(x interface {
		sendNewLibraryWithFile(filepath string) (Library, error)
	}) any {
		return x.sendNewLibraryWithFile
	}),
	"Device.sendNewLibraryWithSource": bound(func(x interface {
		sendNewLibraryWithSource(source string, options CompileOptions) (Library, error)
	}) any {
		return x.sendNewLibraryWithSource
	}),
	"Device.sendNewLibraryWithSourceCompletionHandler": bound(func(x interface {
		sendNewLibraryWithSourceCompletionHandler(source string, options CompileOptions,
			completionHandler func(Library, error))
	}) any {
		return x.sendNewLibraryWithSourceCompletionHandler
	}),
	"Device.sendNewLibraryWithStitchedDescriptor": bound(func(x interface {
		sendNewLibraryWithStitchedDescriptor(descriptor StitchedLibraryDescriptor) (Library, error)
	}) any {
		return x.sendNewLibraryWithStitchedDescriptor
	}),
	"Device.sendNewLibraryWithStitchedDescriptorCompletionHandler": bound(func(x interface {
		sendNewLibraryWithStitchedDescriptorCompletionHandler(descriptor StitchedLibraryDescriptor,
			completionHandler func(Library, error))
	}) any {
		return x.sendNewLibraryWithStitchedDescriptorCompletionHandler
	}),
	"Device.sendNewLibraryWithURL": bound(func(x interface {
		sendNewLibraryWithURL(url string) (Library, error)
	}) any {
		return x.sendNewLibraryWithURL
	}),
	"Device.sendNewMTL4CommandQueueWithDescriptor": bound(func(x interface {
		sendNewMTL4CommandQueueWithDescriptor(descriptor CommandQueueDescriptor4) (CommandQueue4, error)
	}) any {
		return x.sendNewMTL4CommandQueueWithDescriptor
	}),
	"Device.sendNewResidencySetWithDescriptor": bound(func(x interface {
		sendNewResidencySetWithDescriptor(desc ResidencySetDescriptor) (ResidencySet, error)
	}) any {
		return x.sendNewResidencySetWithDescriptor
	}),
	"Device.sendNewSamplerStateWithDescriptor": bound(func(x interface {
		sendNewSamplerStateWithDescriptor(descriptor SamplerDescriptor) SamplerState
	}) any {
		return x.sendNewSamplerStateWithDescriptor
	}),
	"Device.sendNewSharedEventWithHandle": bound(func(x interface {
		sendNewSharedEventWithHandle(sharedEventHandle SharedEventHandle) SharedEvent
	}) any {
		return x.sendNewSharedEventWithHandle
	}),
	"Device.sendNewSharedTextureWithDescriptor": bound(func(x interface {
		sendNewSharedTextureWithDescriptor(descriptor TextureDescriptor) Texture
	}) any {
		return x.sendNewSharedTextureWithDescriptor
	}),
	"Device.sendNewSharedTextureWithHandle": bound(func(x interface {
		sendNewSharedTextureWithHandle(sharedHandle SharedTextureHandle) Texture
	}) any {
		return x.sendNewSharedTextureWithHandle
	}),
	"Device.sendNewTensorWithDescriptor": bound(func(x interface {
		sendNewTensorWithDescriptor(descriptor TensorDescriptor) (Tensor, error)
	}) any {
		return x.sendNewTensorWithDescriptor
	}),
	"Device.sendNewTextureWithDescriptor": bound(func(x interface {
		sendNewTextureWithDescriptor(descriptor TextureDescriptor) Texture
	}) any {
		return x.sendNewTextureWithDescriptor
	}),
	"Device.sendNewTextureWithDescriptorIOSurface": bound(func(x interface {
		sendNewTextureWithDescriptorIOSurface(descriptor TextureDescriptor, iosurface uintptr, plane uint) Texture
	}) any {
		return x.sendNewTextureWithDescriptorIOSurface
	}),
	"Device.sendTensorSizeAndAlignWithDescriptor": bound(func(x interface {
		sendTensorSizeAndAlignWithDescriptor(descriptor TensorDescriptor) (SizeAndAlign, error)
	}) any {
		return x.sendTensorSizeAndAlignWithDescriptor
	}),
	"DynamicLibrary.sendSerializeToURL": bound(func(x interface{ sendSerializeToURL(url string) error }) any { return x.sendSerializeToURL }),
}
