// Package ccall calls C functions, and Objective-C methods through
// objc_msgSend, without cgo and without allocating.
//
// A [Plan] is made once per signature: it says where the platform's calling
// convention puts every argument and the result. A call copies its words into a
// frame as the plan says. An assembly trampoline on the system stack loads the
// frame into registers and onto the stack, calls, and stores the result back.
//
// # Words
//
// Every argument is a sequence of machine words. Integers, BOOL, pointers,
// objects and selectors take one, sign- or zero-extended; a float has its 32
// bits in one, a double its 64; a struct is its memory image, rounded up to
// words. The words of the arguments follow each other in order. Results come
// back in the same form: at most [MaxResultWords] of them.
//
// # Conventions
//
// amd64 is the System V convention, the same on macOS and Linux. arm64 is
// Apple's variant of AAPCS64 on every operating system: it packs arguments that
// do not fit registers at their natural size, where Linux gives each 8 bytes.
// The calls of this project go to Apple's frameworks; on linux/arm64 only
// functions whose arguments fit registers, or whose spilled arguments are 8
// bytes wide, are called correctly.
//
// # Memory
//
// Frames live on the heap: C may call back into Go, which may move the
// goroutine's stack, and the trampoline still holds the frame's address. Words
// are plain numbers to the garbage collector: whoever puts the address of Go
// memory into one keeps that memory alive, and off the stack, during the call.
//
// The package has content on macOS and Linux, on amd64 and arm64. It does not
// import purego, but on Linux a program must, so that the runtime can call C
// without cgo at all.
package ccall
