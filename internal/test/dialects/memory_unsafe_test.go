package dialects

import (
	"reflect"
	"unsafe"
)

// memory returns the bytes of a slice's elements.
func memory(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), v.Len()*int(v.Type().Elem().Size()))
}
