//go:build amd64

package jit

import "unsafe"

// call runs machine code with a context. The code is a leaf function: it needs no stack but for its
// return address, and leaves R14, BP and SP as they are.
//
//go:noescape
func call(code uintptr, context unsafe.Pointer) int64
