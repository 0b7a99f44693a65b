package bindtest

import (
	"reflect"
	"unsafe"
)

// image returns the memory of a value without pointers as words, the last one filled up with
// zeros.
func image(v reflect.Value) []uintptr {
	b := imageBytes(v)
	words := make([]uintptr, (len(b)+7)/8)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(b)), b)
	return words
}

// fieldMask returns a value of type t with all bits of its fields set.
func fieldMask(t reflect.Type) reflect.Value {
	p := reflect.New(t)
	var set func(t reflect.Type, at unsafe.Pointer)
	set = func(t reflect.Type, at unsafe.Pointer) {
		if t.Kind() != reflect.Struct {
			for i := range t.Size() {
				*(*byte)(unsafe.Add(at, i)) = 0xff
			}
			return
		}
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				set(t.Field(i).Type, unsafe.Add(at, t.Field(i).Offset))
			}
		}
	}
	set(t, p.UnsafePointer())
	return p.Elem()
}

// sliceBytes copies the memory of a slice.
func sliceBytes(v reflect.Value) []byte {
	n := v.Len() * int(v.Type().Elem().Size())
	return append([]byte(nil), unsafe.Slice((*byte)(v.UnsafePointer()), n)...)
}

func imageBytes(v reflect.Value) []byte {
	p := reflect.New(v.Type())
	p.Elem().Set(v)
	n := int(v.Type().Size())
	return append([]byte(nil), unsafe.Slice((*byte)(p.UnsafePointer()), n)...)
}
