// Package compute runs kernels written in the Metal Shading Language: open a device, make typed
// buffers, compile, launch on a stream, wait, read. It builds on package mtl, the plain bindings of
// Metal, and adds the argument checks, memory management, batching and ordering that programs would
// otherwise write themselves.
//
//	acc, err := compute.Open()
//	defer acc.Close(ctx)
//	x, err := compute.BufferOf(ctx, acc, []float32{1, 2, 3, 4})
//	program, err := acc.Compile(ctx, source, compute.CompileOptions{})
//	double, err := program.Kernel("double")
//	stream, err := acc.NextStream()
//	err = stream.Launch(ctx, double, compute.Threads1D(x.Len()), x)
//	err = stream.Sync(ctx)
//	values, err := x.Data()
//
// # Arguments
//
// A launch takes buffers and sub-buffers ([Buffer], [Buffer.Slice]), textures and their views
// ([Texture], [ViewTexture], [Textures] for an array), a [Sampler]
// ([Samplers] for an array), [ThreadgroupMemory], textures
// and samplers of package mtl, and anything else by value: numbers, types of package simd,
// structures. Arguments fill the kernel's indices in order, separately for each kind; [At] passes
// one at an explicit index, [Named] to the parameter of that name. [Reads] and [Writes] list
// buffers that the kernel accesses through pointers. Arguments are checked against
// [Kernel.Parameters]: type and layout, size, alignment, access.
//
// # Textures
//
// [NewTexture] makes a texture of a given [TextureShape], [TextureOf] one from an image.Image, and
// [LinearTexture] one backed by a buffer's memory. The first two are in private memory, which only
// the device can access: [Texture.Upload] and [Texture.Download] copy from and to the host,
// [CopyToTexture] and [CopyFromTexture] between texture and buffer. Launches that use the same
// levels and layers of a texture are ordered, as are launches that use the same part of a buffer.
//
// # Order
//
// Commands of a [Stream] behave as if run one at a time. Different streams are not ordered: use an
// [Event], or Sync. Before reading a buffer with [Buffer.Data], Sync the streams that write it.
// [Buffer.Upload] and [Buffer.Download] wait for the buffer's work by themselves; [UploadAsync] and
// [DownloadAsync] are commands of a stream. [Stream.Encode] puts other commands of Metal among
// them, such as those of Metal Performance Shaders. Streams have priorities; see [Priority].
//
// # Errors
//
// Argument errors are returned by the call itself; nothing reaches the device. Failures on the
// device are returned by [Stream.Sync], as an [ExecutionError] that lists the commands that were in
// progress and those before them. [Buffer.Download] returns the failure of the work that wrote the
// buffer, or of what it read, until the buffer is overwritten; for launches see [Overwrites].
// Failures are also logged: the first one of each cause immediately, repetitions as a count
// every ten seconds. A panic in a callback is returned by its stream, and one in a function of a
// graph or group by that: as a [PanicError] with the stack.
//
// For debugging, kernels write messages with os_log; see [CompileOptions.Logging].
//
// Everything that waits takes a context. When the context ends, the wait ends, but the work goes
// on. Two contexts cancel the work itself: the one in [StreamOptions], and that of a Close. The
// software device then stops kernels in progress; a GPU runs them to completion. A call with a
// context that has already ended does nothing, except Close, which closes objects that have no work
// left.
//
// A handle is made by a function of this package. One that is nil or the zero value of its type,
// such as &compute.Buffer[float32]{}, gives an error wrapping [ErrNil], as the receiver of a method
// and as an argument; methods without an error result do nothing and return zero values.
//
// # Memory and caches
//
// Buffers come from a pool (package pool) and return to it once closed and no longer in use by the
// device; [Accelerator.Memory] returns its statistics. Textures are not pooled. Both count against
// [WithMemoryLimit]. Programs with the same source and options share one compiled library, and
// their kernels share pipelines: in memory, and with [WithDiskCache] also on disk. See
// [Accelerator.CacheStats].
//
// # Statistics
//
// [Stream.Stats] and [Accelerator.Stats] count commands, bytes, command buffers and device time.
// [Kernel.Stats] counts launches and threads, [Accelerator.EventStats] pooled events.
// Package graph has the times and the errors of tasks, and [Stream.Measure] returns the
// distribution of times over many runs.
//
// # Where it runs
//
// On a Mac with a GPU the work goes to Metal. On every other machine it goes to a built-in software
// device, which runs the same kernels on the CPU: [Info.Software] reports it, and [RequireHardware]
// rejects it.
package compute
