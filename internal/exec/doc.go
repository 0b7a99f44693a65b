// Package exec runs kernels. It contains what all engines share: launches and their limits, the
// address space of device memory, execution errors, kernels with their compiled programs, and the
// scheduling of threadgroups on worker goroutines.
//
// A Backend compiles the low-level form of a kernel (package lir) to a Program and runs its
// threadgroups. Package vm, a vector interpreter, is a backend; package engines selects the backend
// for the machine. The scalar oracle (package ref), used only by tests, takes the same Launch and
// Space but executes the compiler's output directly. The semantics of kernels are defined in
// package ir: every backend produces the same bits as the oracle, with any number of workers.
//
// Kernels access memory through addresses, which consist of an object's number and an offset, and
// are resolved in a Space. Out-of-bounds reads return 0, and out-of-bounds writes are discarded.
//
// A Kernel in this package is a function prepared for execution. Other packages have types for the
// stages before and after: msl.Kernel is reflection without code, dispatch.Pipeline is what a queue
// launches, and compute.Kernel is the user's handle.
package exec
