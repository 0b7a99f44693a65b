// Package ref is the scalar oracle: it executes kernels slowly and simply, one thread and one
// instruction at a time, on bits, without any lowering. It is the executable form of the rules in
// package ir's comment. Only tests use it, to compare engines with it.
//
// Each thread is a stack of open regions (see thread). It runs until it ends or reaches an
// instruction where threads synchronize. When no thread of a threadgroup can continue, the lanes of
// each simdgroup that are furthest back in the program, which no other lane can join now, execute
// their operation together. When all threads wait at a barrier, it opens. The order is thus
// completely determined, and every run of a launch is the same.
package ref
