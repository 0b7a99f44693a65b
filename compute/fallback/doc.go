// Package fallback runs kernels on the CPU in the middle of a stream, with this module's compiler
// and engine: those of the software device, but without a device. So it works with either driver.
//
//	cpu, err := fallback.New(fallback.Options{})
//	acc, err := compute.Open(compute.WithFallback(cpu))
//	...
//	err = s.LaunchFallback(ctx, kernel, compute.Threads1D(n), x, y)
//
// The kernel is compiled again from the program's source and runs on the memory of its buffers.
// [compute.Stream.LaunchFallback] says what it cannot run. On the software device, its results are
// those of a launch bit for bit; on a GPU they differ as far as Metal allows devices to differ, and
// simdgroups have 32 threads whatever the GPU has.
//
// The build tag puremetal_nosoftware leaves the compiler and the engine out of a program. [New]
// then fails.
package fallback

// Options configures a CPU. Zero fields mean the default.
type Options struct {
	// Workers is the maximum number of threads that run kernels at once. The default is GOMAXPROCS.
	Workers int
}
