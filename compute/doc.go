// Package compute runs kernels written in the Metal Shading Language: open a device, make typed buffers, compile, launch on a stream, wait, read. Metal as
// it is lies below, in package mtl; this package adds the checks, the memory, the batching and the ordering that programs would otherwise write themselves.
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
// A launch takes buffers and sub-buffers ([Buffer], [Buffer.Slice]), [ThreadgroupMemory], textures and samplers of package mtl, and anything else by value:
// numbers, types of package simd, structures. They fill the kernel's indices in order, each kind for itself; [At] gives one an index, [Named] the name of a
// parameter. [Reads] and [Writes] name buffers that the kernel reaches through pointers. What [Kernel.Parameters] says is checked: type and layout, size,
// alignment, access.
//
// # Order
//
// A [Stream] runs what it is given as if one after the other. Different streams are not ordered among each other: use an [Event], or Sync. Reading a
// buffer from Go, by [Buffer.Data], needs a Sync of the streams that write it; [Buffer.Upload] and [Buffer.Download] wait by themselves.
//
// # Errors
//
// What is wrong with arguments comes back from the call, before anything reaches the device. What goes wrong on the device comes back from [Stream.Sync], as an
// [ExecutionError] that says what was under way and what the stream had done before. Everything that waits takes a context; when it ends, the wait ends and the work goes on.
//
// # Memory and caches
//
// Buffers come from a pool (package pool) and go back to it when they are closed and the device is through: [Accelerator.Memory] tells its figures. Programs that are
// compiled again with the same source and options, and their kernels, are shared in memory, and on disk if [WithDiskCache] says where:
// [Accelerator.CacheStats].
//
// # Figures
//
// [Stream.Stats] and [Accelerator.Stats] count commands, bytes, command buffers and the device's time, [Kernel.Stats] launches and threads; [Graph.Run] tells what
// became of each operation, and [Stream.Profile] how times are spread.
//
// # Where it runs
//
// On a Mac with a GPU the work goes to Metal. On every other machine it goes to a device made of software, which runs the same kernels on the
// processor: [Info.Software] says so, and [RequireHardware] refuses it.
package compute
