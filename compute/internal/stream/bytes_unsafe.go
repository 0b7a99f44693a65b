package stream

import "unsafe"

// SizeOf returns the size of a T in bytes.
func SizeOf[T any]() uint { return uint(unsafe.Sizeof(*new(T))) }

// BytesOf returns the memory of a slice of a plain type.
func BytesOf[T any](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), uint(len(data))*SizeOf[T]())
}

// SliceOf returns memory as a slice of Ts. It must be aligned and hold a whole number of them.
func SliceOf[T any](raw []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), uint(len(raw))/SizeOf[T]())
}
