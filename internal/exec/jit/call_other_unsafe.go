//go:build !amd64

package jit

import "unsafe"

func call(uintptr, unsafe.Pointer) int64 { panic("jit: no machine code for this processor") }
