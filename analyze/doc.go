// Package analyze says why a kernel is slow: how its threads access memory, how well its simdgroups
// are used, and what to change.
//
// [Kernels] says what the source alone tells: the pattern of each memory access and the lines of
// memory that a simdgroup needs for it, the mix of operations, arithmetic intensity, loops,
// divergent branches, and [Occupancy]. Each number is a [Figure], which says how it is known; what
// does not follow from the source is unknown or a bound, never a guess.
//
// [Observe] runs a part of a program on the software device and counts what its launches really do.
// Package analyze/event has the figures and says how each is known.
package analyze
