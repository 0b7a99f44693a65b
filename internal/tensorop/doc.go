// Package tensorop turns operations on tensors into kernel launches: the text of kernels in the
// Metal Shading Language, their grids and their arguments. It runs nothing and knows neither Metal
// nor Objective-C, so that package compute/tensor and the software device's MPSGraph can have the
// same operations.
//
// An operation is written with a [Builder]: its operands are views of buffers, and each method adds
// launches. The result is a [Plan], which an executor encodes in order, each launch after the one
// before it. Kernels depend on operations, types and ranks, and not on sizes: those are arguments,
// so an executor can keep pipelines by their source.
//
// # Numbers
//
// 16-bit floating-point numbers are converted to float32 for computing, and each operation rounds
// its result once. Integers wrap around. A Bool takes a byte that is 0 or 1; any other byte counts
// as true. The kernels are to be compiled with safe math.
package tensorop
