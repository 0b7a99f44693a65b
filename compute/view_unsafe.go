package compute

import "unsafe"

// addressOf returns the address of the first byte.
func addressOf(raw []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(raw))) }

// valueBytes returns the memory of the plain value of size bytes that p points to.
func valueBytes(p unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(p), size) }
