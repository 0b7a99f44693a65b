// Package ref is the scalar oracle: it executes kernels slowly and plainly, one thread after the
// other, one instruction after the other, on bits, with no lowering in between. It is the
// executable form of the rules in package ir's comment. Engines are compared with it, and only
// tests use it.
//
// Each thread is a stack of open regions (see thread). It runs until it ends or comes to an
// instruction at which threads meet. When no thread of a threadgroup can go on, the lanes of each
// simdgroup that are furthest back in the program, which no other lane can join any more, do their
// operation together; when all wait at a barrier, it opens. So the order of everything is fixed,
// and two runs of a launch are the same.
package ref
