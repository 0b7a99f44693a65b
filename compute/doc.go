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
// ([Texture], [ViewTexture], [Textures] for an array), a [Sampler], [ThreadgroupMemory], textures
// and samplers of package mtl, and anything else by value: numbers, types of package simd,
// structures. They fill the kernel's indices in order, separately for each kind; [At] gives an
// argument's index, [Named] the parameter's name. [Reads] and [Writes] list buffers that the kernel
// accesses through pointers. Arguments are checked against [Kernel.Parameters]: type and layout,
// size, alignment, access.
//
// # Textures
//
// [NewTexture] makes a texture of a [TextureShape], [TextureOf] one of an image.Image, and
// [Buffer.Texture] one of a buffer's memory. The first two are in memory that only the device sees:
// [Texture.Upload], [Texture.Download] and their kin copy, [CopyToTexture] does so on the device.
// Launches are ordered by the levels and layers that their textures share, as by parts of buffers.
//
// # Order
//
// Commands of a [Stream] behave as if run one at a time. Different streams are not ordered: use an
// [Event], or Sync. Reading a buffer from Go by [Buffer.Data] needs a Sync of the streams that
// write it; [Buffer.Upload] and [Buffer.Download] wait by themselves, [UploadAsync] and
// [DownloadAsync] are commands of a stream. Streams have priorities; see [Priority].
//
// # Errors
//
// Argument errors are returned by the call itself; nothing reaches the device. Failures on the
// device are returned by [Stream.Sync], as an [ExecutionError] that lists the commands that were in
// progress and those before them. [Buffer.Download] returns the failure of the work that wrote the
// buffer. The log has the first failure of a cause at once, and those after it as a number every
// ten seconds. A panic of a callback is the stream's error, that of an operation the graph's: a
// [PanicError] with the stack.
//
// Everything that waits takes a context; when it ends, the wait ends and the work goes on. Two
// contexts cancel work: that of [StreamOptions], and that of a Close. On the software device that
// stops kernels that run; a GPU runs them to their end. A call with a context that has already
// ended does nothing, except Close, which closes what has nothing left to do. Methods of nil
// pointers return errors wrapping [ErrNil]; those that return no error do nothing, and return zero
// values.
//
// # Memory and caches
//
// Buffers come from a pool (package pool) and return to it once closed and no longer in use by the
// device; [Accelerator.Memory] returns its statistics. Textures do not, but count against the same
// limit, that of [WithMemoryLimit]. Programs of equal source and options, and
// their kernels, are shared in memory, and on disk with [WithDiskCache]; see
// [Accelerator.CacheStats].
//
// # Statistics
//
// [Stream.Stats] and [Accelerator.Stats] count commands, bytes, command buffers and device time,
// [Kernel.Stats] launches and threads, [Accelerator.EventStats] the pooled events; [Graph.Run]
// returns the result of each operation, and [Stream.Profile] the distribution of times.
//
// # Where it runs
//
// On a Mac with a GPU the work goes to Metal. On every other machine it goes to a built-in software
// device, which runs the same kernels on the CPU: [Info.Software] reports it, and [RequireHardware]
// refuses it.
package compute
