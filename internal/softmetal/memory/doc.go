// Package memory is the memory of a software GPU: blocks outside Go's heap, which programs see at
// fixed addresses and kernels reach by number; the accounts of who holds how much; and the division
// of a heap into resources. It knows nothing of Objective-C.
//
// A block that is given up may still be read by a kernel that runs: its memory goes back to the
// system when all work that began before has ended.
package memory
