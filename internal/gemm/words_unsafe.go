package gemm

import "unsafe"

// floats returns words as floats, on the same memory.
func floats(w []uint32) []float32 {
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(w))), len(w))
}

// wordsOf returns floats as words, on the same memory.
func wordsOf(f []float32) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(f))), len(f))
}

// bytes returns words as bytes, on the same memory.
func bytes(w []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), 4*len(w))
}

// word returns the word that begins with a byte.
func word(b *byte) *uint32 { return (*uint32)(unsafe.Pointer(b)) }

// from returns n words from w on.
func from(w *uint32, n int) []uint32 { return unsafe.Slice(w, n) }
