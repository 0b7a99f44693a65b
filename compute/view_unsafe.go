package compute

import "unsafe"

// sizeOf returns the bytes of a T.
func sizeOf[T any]() uint { return uint(unsafe.Sizeof(*new(T))) }

// bytesOf returns the memory of a slice of a plain type.
func bytesOf[T any](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), uint(len(data))*sizeOf[T]())
}

// sliceOf returns memory that holds whole Ts, aligned for them, as a slice.
func sliceOf[T any](raw []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), uint(len(raw))/sizeOf[T]())
}

// addressOf returns where memory begins.
func addressOf(raw []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(raw))) }

// valueBytes returns the memory of what p points to, a plain value of size bytes.
func valueBytes(p unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(p), size) }
