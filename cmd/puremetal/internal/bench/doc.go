// Package bench benchmarks a device with the operations that papers and libraries quote:
// element-wise sums, matrix products, memory allocation, launches, and the kernels that the
// software device is tuned with.
//
// Each case runs once to warm up, and its output is checked. Then it runs until its time is up, or
// a thousand times. The result is the median, with the 10th to 90th percentile as the spread.
// Device work is timed by the device's clock between two events; allocations and launches are timed
// on the host.
//
// Fractions are relative to the peak of this machine, measured before and after the cases: memory
// copies and float32 multiply-adds. See Peak. Report.Warnings says which results tell little.
package bench
