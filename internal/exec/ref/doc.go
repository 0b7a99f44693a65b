// Package ref runs kernels slowly and plainly. It is the living definition of what package ir's comment says: one thread after the other, one instruction after
// the other, on bits, with no lowering in between. Engines are compared with it; only tests use it.
//
// Each thread is a stack of open regions (see thread) that runs until it comes to an instruction at which threads meet, or ends. When no thread of a threadgroup
// can go on, the lanes of each simdgroup that stand furthest back in the program, which nobody else can join any more, do their operation together; when all stand at a
// barrier, it opens. So the order of everything is fixed, and two runs of one launch are the same.
package ref
