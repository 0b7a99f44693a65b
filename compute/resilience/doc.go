// Package resilience runs work on a device that may fail: it repeats what is safe to repeat, opens
// a device again that was removed, releases memory when there is too little, and moves to another
// device when the first one keeps failing.
//
// A [Manager] opens an accelerator and deals with the failures of its streams. The program uses
// [Manager.Accelerator] like any other: everything that takes an accelerator or a stream works with
// it, such as tensors, operations, graphs, cooperative launches and textures. Its handles outlive
// the device. When the device is opened again, what Metal has made for programs, kernels, buffers,
// textures, samplers, indirect commands and streams is made again in its place.
//
// A stream executes its commands in batches, each one command buffer. When a batch fails, the
// failure's class ([compute.ClassOf]) selects what is done:
//
//	class          strategy
//	invalid use    none: the error is returned
//	canceled       none; the batch has no effect on memory with a host copy
//	transient      repeated after a delay
//	internal       repeated after a delay, then moved to the fallback device
//	out of memory  caches are trimmed, then pools, then memory is defragmented, then the batch is
//	               divided, then refused with figures
//	timeout        each launch of the batch runs in parts: see [compute.Stream.LaunchParts]
//	page fault     none: the kernel is wrong. The error is returned
//	device lost    the device is opened again, memory is filled from its host copies, and the batch
//	               is repeated; then moved to the CPU or to the fallback device
//
// [compute.Stream.Sync] returns the failures for which there was no help. Strategies are the same
// for Apple silicon, discrete GPUs and the software device, except that a device that is built in
// is rarely lost, and that a kernel on the software device is only stopped by the limits that the
// program sets.
//
// # What is safe to repeat
//
// A batch that failed may have been executed in part. It is repeated only if that changes nothing:
// what it writes either has a host copy, from which it is filled again, or is not read by the same
// command or an earlier one of the batch ([compute.Overwrites] says so of a kernel's parameter).
// Other batches fail with an error that wraps [ErrNotRepeatable]. So nothing is applied twice.
//
// A buffer or texture has a host copy if its options say so ([compute.BufferOptions].HostCopy), or
// with [Options].KeepAll. It costs memory of the host, as much as [Options].HostCopies allows in
// all, and after each batch a copy of the ranges that were written.
//
// # What is lost with a device
//
// What has no host copy is lost with the device: commands and downloads that read it fail with
// [ErrLost], until all of what they read has been overwritten. So fail commands with what belongs
// to the device and cannot be made again: commands of [compute.Stream.Encode] that were recorded
// before, addresses and handles that the program has put into memory, indirect commands that a
// kernel has encoded, and kernels of closed programs. [compute.Buffer.Data] is an error on a
// manager's accelerator, because the memory may be replaced; so may objects that the program has by
// methods named Metal.
package resilience
