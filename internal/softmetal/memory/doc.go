// Package memory implements the memory of a software GPU: blocks outside Go's heap, which programs
// see at fixed addresses and kernels address by number; the accounting; and the division of a heap
// into resources. It does not depend on Objective-C.
//
// A running kernel may still read a block after it has been freed. So its memory is given up only
// when all work that began earlier has ended. Up to 64 MiB of it are kept for the next blocks.
package memory
