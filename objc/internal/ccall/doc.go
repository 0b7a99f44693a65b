// Package ccall calls C functions, and Objective-C methods through
// objc_msgSend, without cgo and without allocating.
//
// A [Plan] is made once per signature and records where the platform's calling
// convention puts each argument and the result. A call copies its words into a
// frame according to the plan. An assembly trampoline on the system stack loads
// the frame into registers and onto the stack, calls the function, and stores
// the result in the frame.
//
// # Words
//
// Every argument is a sequence of machine words. Integers, BOOL, pointers,
// objects and selectors take one, sign- or zero-extended. A float takes one,
// with its 32 bits in the lower half; a double takes one; a struct is its
// memory image, rounded up to whole words. The words of the arguments are
// concatenated in order. Results have the same form, at most [MaxResultWords].
//
// # Conventions
//
// amd64 uses the System V convention on macOS and Linux. arm64 uses Apple's
// variant of AAPCS64 on every operating system: arguments on the stack are
// packed at their natural size, whereas Linux gives each 8 bytes. This project
// calls Apple's frameworks; on linux/arm64 only functions whose arguments fit
// in registers, or whose stack arguments are 8 bytes wide, are called correctly.
//
// # Memory
//
// Frames live on the heap, because C may call back into Go, which may move the
// goroutine's stack while the trampoline still holds the frame's address. Words
// are plain numbers to the garbage collector: a caller that puts the address of
// Go memory into one must keep that memory alive, and off the stack, during the
// call.
//
// The package supports macOS and Linux on amd64 and arm64. It does not import
// purego, but on Linux a program must, so that the runtime can call C without
// cgo at all.
package ccall
