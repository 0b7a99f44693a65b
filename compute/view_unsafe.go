package compute

import "unsafe"

// sizeOf returns the size of a T in bytes.
func sizeOf[T any]() uint { return uint(unsafe.Sizeof(*new(T))) }

// bytesOf returns the memory of a slice of a plain type.
func bytesOf[T any](data []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), uint(len(data))*sizeOf[T]())
}

// sliceOf returns memory as a slice of Ts. It must be aligned and hold a whole number of them.
func sliceOf[T any](raw []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(raw))), uint(len(raw))/sizeOf[T]())
}

// addressOf returns the address of the first byte.
func addressOf(raw []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(raw))) }

// valueBytes returns the memory of the plain value of size bytes that p points to.
func valueBytes(p unsafe.Pointer, size uintptr) []byte { return unsafe.Slice((*byte)(p), size) }
