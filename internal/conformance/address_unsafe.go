//go:build unix

package conformance

import "unsafe"

// addressOf returns where memory begins.
func addressOf(m []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(m))) }
