package gemm

import "unsafe"

// floats returns words as floats, on the same memory.
func floats(w []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(w))), len(w))
}

// bytes returns words as bytes, on the same memory.
func bytes(w []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// from returns n words from w on.
func from(w *uint32, n int) []uint32 { return unsafe.Slice(w, n) }
