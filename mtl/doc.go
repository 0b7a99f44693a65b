// Package mtl binds Metal's compute API: one Go type for each class and protocol, one method for
// each selector. It runs on a Mac's GPU or, on any machine, on a software device; see package objc.
// The render pipeline is not bound; zskipped.txt lists everything that is left out, with the
// reason. Package compute offers a simpler interface on top of this one.
//
// # Overview
//
//   - Devices: [DefaultDevice], [Devices] and [DeviceNamed] find a [Device], which makes everything
//     else; [ObserveDevices] returns a [DeviceObserver] of devices that come and go,
//     [Device.Limits] says what a device can do, and [Architecture] names its GPU.
//   - Memory: [Buffer], with [Slice] and [Buffer.Bytes] for Go's view of it; [Texture] with
//     [TextureDescriptor] and [SharedTextureHandle]; [SamplerState] with [SamplerDescriptor];
//     [Tensor] with [TensorDescriptor] and [TensorExtents]. [Heap] with [HeapDescriptor] is for
//     suballocation, [ResidencySet] with [ResidencySetDescriptor] for residency. [TextureViewPool],
//     a [ResourceViewPool] with [ResourceViewPoolDescriptor] and [TextureViewDescriptor], stores
//     views of textures. [Resource] and [Allocation] hold what memory has in common.
//   - Libraries and kernels: [Device.NewLibrary] compiles MSL with [CompileOptions] to a [Library]
//     of [Function] values, with [FunctionDescriptor] and [FunctionConstantValues] for
//     specialization; a failure is a [CompileError]. [DynamicLibrary] and [LinkedFunctions] are for
//     linking, [BinaryArchive] with [BinaryArchiveDescriptor] for caching.
//   - Stitching functions to new ones: [StitchedLibraryDescriptor] with one
//     [FunctionStitchingGraph] for each function. Its nodes are [FunctionStitchingNode],
//     [FunctionStitchingInputNode] and [FunctionStitchingFunctionNode], its attributes
//     [FunctionStitchingAttribute] and [FunctionStitchingAttributeAlwaysInline].
//   - Pipelines: [ComputePipelineState] is made from a kernel or a [ComputePipelineDescriptor],
//     which holds [PipelineBufferDescriptor] values in a [PipelineBufferDescriptorArray].
//     [StageInputOutputDescriptor] describes stage-in arguments, with [AttributeDescriptor],
//     [AttributeDescriptorArray], [BufferLayoutDescriptor] and [BufferLayoutDescriptorArray].
//   - Reflection: [ComputePipelineReflection] and [FunctionReflection] describe the arguments of a
//     kernel as [Binding], [BufferBinding], [TextureBinding], [ThreadgroupBinding], [TensorBinding]
//     and [ObjectPayloadBinding], or as an [Argument]. Their types are [Type], [ArrayType],
//     [PointerType], [StructType] with [StructMember], [TextureReferenceType] and
//     [TensorReferenceType]. [FunctionConstant], [Attribute] and [VertexAttribute] describe what
//     else a function declares.
//   - Encoding compute work: [CommandQueue] with [CommandQueueDescriptor], [CommandBuffer] with
//     [CommandBufferDescriptor], and [ComputeCommandEncoder] with [ComputePassDescriptor],
//     [ComputePassSampleBufferAttachmentDescriptor] and
//     [ComputePassSampleBufferAttachmentDescriptorArray]. [CommandEncoder] holds what all encoders
//     have in common, [CommandBufferEncoderInfo] holds the state of an encoder after a failure.
//   - Arguments and commands in memory: [ArgumentEncoder] with [ArgumentDescriptor] for argument
//     buffers, [VisibleFunctionTable] with [VisibleFunctionTableDescriptor] and [FunctionHandle]
//     for function pointers, [IndirectCommandBuffer] with [IndirectCommandBufferDescriptor] and
//     [IndirectComputeCommand] for commands that the GPU encodes or that are encoded once and run
//     often.
//   - Copies: [BlitCommandEncoder] for buffers and textures, with [BlitPassDescriptor],
//     [BlitPassSampleBufferAttachmentDescriptor] and
//     [BlitPassSampleBufferAttachmentDescriptorArray]; [ResourceStateCommandEncoder] for the tiles
//     of sparse textures, with [ResourceStatePassDescriptor],
//     [ResourceStatePassSampleBufferAttachmentDescriptor] and
//     [ResourceStatePassSampleBufferAttachmentDescriptorArray].
//   - Files: [IOCommandQueue] with [IOCommandQueueDescriptor] and [IOCommandBuffer] load an
//     [IOFileHandle] into resources, through an [IOScratchBuffer] from an
//     [IOScratchBufferAllocator].
//   - Synchronization: [Event] between queues, [SharedEvent] also with the CPU and, by
//     [SharedEventHandle], with other processes, [SharedEventListener] for callbacks, [Fence]
//     between encoders; [CommandBuffer.Wait] waits with a context.
//   - Ray tracing: [AccelerationStructure] is built by [AccelerationStructureCommandEncoder] from
//     an [AccelerationStructureDescriptor]: [PrimitiveAccelerationStructureDescriptor],
//     [InstanceAccelerationStructureDescriptor] or
//     [IndirectInstanceAccelerationStructureDescriptor]. Its geometry is an
//     [AccelerationStructureGeometryDescriptor]: [AccelerationStructureTriangleGeometryDescriptor],
//     [AccelerationStructureBoundingBoxGeometryDescriptor],
//     [AccelerationStructureCurveGeometryDescriptor] or, with [MotionKeyframeData],
//     [AccelerationStructureMotionTriangleGeometryDescriptor],
//     [AccelerationStructureMotionBoundingBoxGeometryDescriptor] and
//     [AccelerationStructureMotionCurveGeometryDescriptor]. The encoder has
//     [AccelerationStructurePassDescriptor],
//     [AccelerationStructurePassSampleBufferAttachmentDescriptor] and
//     [AccelerationStructurePassSampleBufferAttachmentDescriptorArray]. [IntersectionFunctionTable]
//     with [IntersectionFunctionTableDescriptor] holds intersection functions, which
//     [IntersectionFunctionDescriptor] describes.
//   - Observing: [CounterSampleBuffer] with [CounterSampleBufferDescriptor], [Counter] and
//     [CounterSet] for timestamps, [CaptureManager] with [CaptureDescriptor] and [CaptureScope] for
//     captures that Xcode opens, [LogState] with [LogStateDescriptor] for what kernels log, and
//     [LogContainer], [FunctionLog] and [FunctionLogDebugLocation] for the logs of a command
//     buffer.
//   - Metal 4, commands: names of Metal 4 end in 4. [CommandQueue4] with [CommandQueueDescriptor4],
//     [CommitOptions4] and [CommitFeedback4]; [CommandAllocator4] with
//     [CommandAllocatorDescriptor4]; [CommandBuffer4] with [CommandBufferOptions4];
//     [CommandEncoder4], [ComputeCommandEncoder4] and [MachineLearningCommandEncoder4];
//     [ArgumentTable4] with [ArgumentTableDescriptor4]; [CounterHeap4] with
//     [CounterHeapDescriptor4] for timestamps.
//   - Metal 4, compilation: [Compiler4] with [CompilerDescriptor4], [CompilerTask4] and
//     [CompilerTaskOptions4]; [LibraryDescriptor4]; [FunctionDescriptor4] with
//     [LibraryFunctionDescriptor4], [SpecializedFunctionDescriptor4] and
//     [StitchedFunctionDescriptor4]; [BinaryFunction4] with [BinaryFunctionDescriptor4];
//     [PipelineDescriptor4] with [ComputePipelineDescriptor4],
//     [MachineLearningPipelineDescriptor4], [PipelineOptions4], [StaticLinkingDescriptor4] and
//     [PipelineStageDynamicLinkingDescriptor4]; [MachineLearningPipelineState4] with
//     [MachineLearningPipelineReflection4]; [Archive4], and [PipelineDataSetSerializer4] with
//     [PipelineDataSetSerializerDescriptor4].
//   - Metal 4, ray tracing: [AccelerationStructureDescriptor4] with
//     [PrimitiveAccelerationStructureDescriptor4], [InstanceAccelerationStructureDescriptor4] and
//     [IndirectInstanceAccelerationStructureDescriptor4];
//     [AccelerationStructureGeometryDescriptor4] with
//     [AccelerationStructureTriangleGeometryDescriptor4],
//     [AccelerationStructureBoundingBoxGeometryDescriptor4],
//     [AccelerationStructureCurveGeometryDescriptor4],
//     [AccelerationStructureMotionTriangleGeometryDescriptor4],
//     [AccelerationStructureMotionBoundingBoxGeometryDescriptor4] and
//     [AccelerationStructureMotionCurveGeometryDescriptor4].
//   - Errors: [LimitError], [CommandError], [CompileError] and the sentinels at [ErrNil].
//
// Most types embed another one and have its methods too: a Buffer has the methods of Resource. The
// methods that every object has, such as Release, Retain, IsNil and ID, are documented at
// [objc.Object].
//
// The files named z*.go are generated. Names keep Metal's words without its prefix: MTLBuffer is
// [Buffer], and a type of Metal 4, such as MTL4CommandQueue, is [CommandQueue4]. NewX functions
// return a new descriptor that the caller owns, MakeX functions an autoreleased one. The other
// files add what Go programs expect: slices for memory, contexts for waiting, typed errors, and
// checks.
//
// # Checks
//
// Metal answers misuse with an Objective-C exception, which ends a Go program. Calls that can be
// misused are therefore checked before a message is sent. The error wraps one of the sentinels of
// this package, such as [ErrIndex] or [ErrThreadgroupSize], and names the call, the value and the
// limit. A method that needs a newer macOS than the running one returns an [objc.UnavailableError].
//
// A message to a nil wrapper returns zero. A message to a released object returns zero too and is
// reported; see [objc.OnFault].
//
// # Setters
//
// A setter returns an error if a correct program can see it fail, and only then:
//
//   - It is newer than its class, so the running macOS may lack it:
//     [SamplerDescriptor.SetLodBias] returns an [objc.UnavailableError] before macOS 26.
//   - It is checked against limits or state known only at run time. These setters are written by
//     hand: those of encoders, argument tables, indirect commands, function constants and shared
//     events, such as [ComputeCommandEncoder.SetBuffer].
//
// All others, such as [TextureDescriptor.SetWidth], return nothing. Metal stores the value; the
// method that makes an object from the descriptor checks it and returns the error. The elements of
// function tables, view pools and arrays of descriptors are set without a check of the index.
//
// A nil object where Metal needs one, or text that is not a URL, is a mistake in the program. A
// setter without an error then changes nothing and reports a fault; see [objc.OnFault].
//
// # Ownership
//
// The comment of each method says whether an object result is +1 or +0. The caller must release a
// +1 result. A +0 result lives until the current autorelease pool is drained. Encoders and command
// buffers are +0, so run the code that makes them in an [objc.Pool].
package mtl
