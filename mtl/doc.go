// Package mtl binds Metal's compute API: one Go type for each class and protocol, one method for
// each selector. It runs on a Mac's GPU or, on any machine, on a software device; see package objc.
// The render pipeline is not bound; zskipped.txt lists everything that is left out, with the
// reason. Package compute offers a simpler interface on top of this one.
//
// # Overview
//
//   - Devices: [DefaultDevice], [Devices] and [DeviceNamed] find a [Device], which makes everything
//     else; [ObserveDevices] reports devices that come and go, [Device.Limits] what a device can
//     do.
//   - Memory: [Buffer] with [Slice] and [Buffer.Bytes] for Go's view of it, [Texture],
//     [SamplerState] and [Tensor]; [Heap] for suballocation, [ResidencySet] for residency.
//     [Resource] and [Allocation] hold what these have in common.
//   - Libraries and kernels: [Device.NewLibrary] compiles MSL with [CompileOptions] to a [Library]
//     of [Function] values, with [FunctionConstantValues] for specialization; a failure is a
//     [CompileError]. [DynamicLibrary], [BinaryArchive] and [StitchedLibraryDescriptor] are for
//     linking, caching and stitching.
//   - Pipelines: [ComputePipelineState], from a Function or a [ComputePipelineDescriptor];
//     [ComputePipelineReflection] and [Binding] describe a kernel's arguments.
//   - Encoding compute work: [CommandQueue], [CommandBuffer] and [ComputeCommandEncoder];
//     [ArgumentEncoder] for argument buffers, [VisibleFunctionTable] for function pointers,
//     [IndirectCommandBuffer] for commands that the GPU encodes or that are encoded once and run
//     often.
//   - Copies: [BlitCommandEncoder] for buffers and textures, [ResourceStateCommandEncoder] for the
//     tiles of sparse textures, [IOCommandQueue] for loading files into resources.
//   - Synchronization: [Event] between queues, [SharedEvent] also with the CPU, [Fence] between
//     encoders; [CommandBuffer.Wait] waits with a context.
//   - Ray tracing: [AccelerationStructure] with its descriptors,
//     [AccelerationStructureCommandEncoder] and [IntersectionFunctionTable].
//   - Metal 4: names end in 4, such as [CommandQueue4], [CommandBuffer4], [CommandAllocator4],
//     [ComputeCommandEncoder4], [ArgumentTable4], [Compiler4] and [MachineLearningCommandEncoder4].
//   - Observing: [CounterSampleBuffer] and [CounterHeap4] for timestamps, [CaptureManager] and
//     [CaptureScope] for captures that Xcode opens, [LogState] for what kernels log.
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
// # Ownership
//
// The comment of each method says whether an object result is +1 or +0. The caller must release a
// +1 result. A +0 result lives until the current autorelease pool is drained. Encoders and command
// buffers are +0, so run the code that makes them in an [objc.Pool].
package mtl
