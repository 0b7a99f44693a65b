// Package bench measures what a device does with the operations that papers and libraries quote:
// element-wise sums, matrix products, memory, launches, and the kernels that the engine is measured
// by.
//
// Each case runs once to warm up, and what it wrote is checked. Then it runs until its time is
// over, or a thousand times. A result is the median, with the tenth and the ninetieth percentile as
// the spread; the time is the device's clock between two events where work runs on the device, and
// the program's for allocations and launches.
//
// Fractions are of what this machine was measured to do just before: memory copied, and
// multiply-adds of float32. See Peak.
package bench
