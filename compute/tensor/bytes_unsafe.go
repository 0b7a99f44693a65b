package tensor

import "unsafe"

// bytesOf returns the memory of a slice.
func bytesOf[T Element](data []T) []byte {
	if len(data) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(data))), len(data)*int(unsafe.Sizeof(data[0])))
}

// floatsAt returns count elements of memory, from an element on. The memory is a buffer's, which is
// aligned.
func floatsAt(raw []byte, from, count int) []float32 {
	if count == 0 {
		return nil
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(&raw[4*from : 4*(from+count)][0])), count)
}
