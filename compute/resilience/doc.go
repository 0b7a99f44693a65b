// Package resilience runs work on a device that may fail: it repeats what is safe to repeat, opens
// a device again that was removed, releases memory when there is too little, and moves to another
// device when the first one keeps failing.
//
// A [Manager] owns the accelerator. Programs, kernels and buffers made with it are handles that
// outlive the device: [Program], [Kernel], [Buffer]. A [Stream] takes commands and executes them in
// batches; when a batch fails, the failure's class ([compute.ClassOf]) selects what is done:
//
//	class          strategy
//	invalid use    none: the error is returned
//	canceled       none; the batch has no effect on buffers with a host copy
//	transient      repeated after a delay
//	internal       repeated after a delay, then moved to the fallback device
//	out of memory  caches are trimmed, then pools, then memory is defragmented, then the batch is
//	               divided, then refused with figures
//	timeout        each launch of the batch runs in parts: see [compute.Stream.LaunchParts]
//	page fault     none: the kernel is wrong. The error is returned
//	device lost    the device is opened again, buffers are filled from their host copies, and the
//	               batch is repeated; then moved to the CPU or to the fallback device
//
// Strategies are the same for Apple silicon, discrete GPUs and the software device, except that a
// device that is built in is rarely lost, and that a kernel on the software device is only stopped
// by the limits that the program sets.
//
// # What is safe to repeat
//
// A batch that failed may have been executed in part. It is repeated only if that changes nothing:
// each of its buffers that is written either has a host copy ([BufferOptions].HostCopy), from which
// it is filled again, or is not read by the same command or an earlier one of the batch ([Out] says
// so of a kernel's parameter). Other batches fail with an error that wraps [ErrNotRepeatable]. So
// nothing is applied twice.
//
// A host copy costs memory of the host, as much as [Options].HostCopies allows in all, and after
// each batch a copy of the ranges that were written.
package resilience
