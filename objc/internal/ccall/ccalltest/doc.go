// Package ccalltest helps to test package ccall without C: it has an assembly
// function that records the registers and the stack it is called with and
// answers as told, and a way to run ccall's trampoline on a goroutine's stack,
// where no runtime support for C is needed. That lets a statically linked test
// run anywhere, an emulator included.
//
// Its own tests are those that call real C functions.
package ccalltest
