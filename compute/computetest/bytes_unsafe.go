package computetest

import (
	"reflect"
	"unsafe"
)

// bytesOf returns the memory of a slice.
func bytesOf(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}
