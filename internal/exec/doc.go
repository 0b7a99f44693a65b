// Package exec runs kernels. It holds everything that engines share: launches and their limits, the
// address space of device memory, the errors of execution, kernels with their compiled programs,
// and the distribution of threadgroups over worker goroutines.
//
// A Backend turns the low-level form of a kernel (package lir) into a Program and runs its
// threadgroups. Package vm, a vector interpreter, is one; package engines picks the backend of a
// machine. The scalar oracle (package ref) takes the same Launch and the same Space, but executes
// the compiler's output directly, and only tests use it. A kernel's meaning is defined in package
// ir: every backend leaves the oracle's bits, however many workers there are.
//
// Memory is reached through addresses: an object's number and an offset, resolved in a Space. Reads
// out of bounds give 0 and writes out of bounds vanish.
//
// A Kernel here is a function prepared for execution. Other packages' kernels are the stages before
// and after: msl.Kernel is reflection without code, dispatch.Pipeline what a queue launches, and
// compute.Kernel the user's handle.
package exec
