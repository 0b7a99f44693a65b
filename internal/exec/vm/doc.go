// Package vm runs kernels: a vector interpreter of the low-level representation (package lir), which does each instruction for all lanes of a strip
// of up to 256 threads before it goes to the next. What a kernel means is said in package ir; this package gives the bits that the scalar oracle
// (package ref) gives.
//
// An Engine has workers that take threadgroups; the results do not depend on how many there are. A Kernel keeps a program for each shape of threadgroup that
// it has been run with. Memory is reached through addresses, an object's number and an offset, of which the objects stand in a Space: out of bounds, reads give 0 and
// writes vanish.
package vm

//go:generate go run ./internal/kernelgen .
