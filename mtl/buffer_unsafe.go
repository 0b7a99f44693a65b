package mtl

import (
	"reflect"
	"sync"
	"unsafe"
)

// Slice returns the buffer's memory as a slice of T, under the rules of [Buffer.Bytes]. T must be a
// number, a bool, or an array or structure of these: a T that contains pointers or has size zero is
// an error wrapping [ErrArgument]. A buffer that does not hold a whole number of T is an error
// wrapping [ErrLength].
func Slice[T any](b Buffer) ([]T, error) {
	const c = check("-[MTLBuffer contents]")
	bytes, err := b.Bytes()
	if err != nil {
		return nil, err
	}
	var zero T
	size := uint64(unsafe.Sizeof(zero))
	if size == 0 || !plain(reflect.TypeFor[T]()) {
		return nil, c.fail(ErrArgument, "a view of %v, want a plain type", reflect.TypeFor[T]())
	}
	p := unsafe.Pointer(unsafe.SliceData(bytes))
	if err := c.multipleOf("address", uint64(uintptr(p)), uint64(unsafe.Alignof(zero))); err != nil {
		return nil, err
	}
	n := uint64(len(bytes))
	if n%size != 0 {
		return nil, &LimitError{Call: string(c), What: "length in bytes", Value: n, Limit: size, Rule: MultipleOf,
			Err: ErrLength}
	}
	return unsafe.Slice((*T)(p), n/size), nil
}

// plainTypes caches which composite types are plain, since walking a type allocates.
var plainTypes sync.Map // reflect.Type -> bool

// plain reports whether values of a type contain no pointers.
func plain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array, reflect.Struct:
	default:
		return plainKind(t.Kind())
	}
	if known, ok := plainTypes.Load(t); ok {
		return known.(bool)
	}
	is := true
	if t.Kind() == reflect.Array {
		is = plain(t.Elem())
	} else {
		for i := range t.NumField() {
			is = is && plain(t.Field(i).Type)
		}
	}
	plainTypes.Store(t, is)
	return is
}

func plainKind(k reflect.Kind) bool {
	return k >= reflect.Bool && k <= reflect.Complex128
}
