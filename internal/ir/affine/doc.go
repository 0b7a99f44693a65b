// Package affine finds out which addresses a kernel accesses, as polynomials over the thread's
// position, loop counters and values that the lanes of a simdgroup share. What it cannot express is
// left open and never guessed.
//
// # Claims
//
// Of returns, for each access to memory that threads share, either the polynomial of its address or
// nothing. The claim is about every execution of the access: its address is the base plus the
// polynomial's value, if the atoms have their values at that time. It holds under one assumption,
// which compilers for GPUs make too: integers that the program extends to 64 bits to index with
// have not wrapped around in their own type, and positions in a grid are below 2^31.
//
// [Address.Lanes] specializes an address for the lanes of one simdgroup in a full threadgroup of a
// known shape.
package affine
