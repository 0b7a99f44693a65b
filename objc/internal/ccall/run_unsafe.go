//go:build (darwin || linux) && (amd64 || arm64)

package ccall

import "unsafe"

// cgocall is the runtime's transition into C: it tells the scheduler, switches
// to the system stack and calls fn with arg. The runtime keeps it open to
// packages that call C without cgo. arg escapes, as it must.
//
//go:linkname cgocall runtime.cgocall
func cgocall(fn uintptr, arg unsafe.Pointer) int32

// trampoline is the address of the assembly function that runs frames. It
// follows the C calling convention.
var trampoline uintptr

// run makes the call of a frame. mem is heap memory.
func run(mem []uintptr) { cgocall(trampoline, unsafe.Pointer(unsafe.SliceData(mem))) }

// addressOf returns the address of heap memory, which does not move.
func addressOf(mem []uintptr) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mem))) }
