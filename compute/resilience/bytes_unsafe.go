package resilience

import "unsafe"

// bytesOf returns the memory of a slice.
func bytesOf[T any](data []T) []byte {
	var x T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(x)))
}
