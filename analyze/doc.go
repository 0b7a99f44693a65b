// Package analyze says why a kernel is slow: how its threads access memory, how well its simdgroups
// are used, and what to change.
//
// [Observe] runs a part of a program on the software device and counts what its launches really do.
// Package analyze/event has the figures and says how each is known.
package analyze
