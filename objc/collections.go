package objc

import (
	"fmt"
	"sync"
)

// NewArray returns an NSArray of the elements, +1. The array retains its elements. A nil element,
// which NSArray cannot hold, is reported as a [Fault], and the result is nil.
func NewArray[T interface{ ID() ID }](elements []T) ID {
	return newArray(&classArray, fnArrayInit, elements)
}

// NewMutableArray is [NewArray] for an NSMutableArray.
func NewMutableArray[T interface{ ID() ID }](elements []T) ID {
	return newArray(&classMutableArray, fnMutableArrayInit, elements)
}

func newArray[T interface{ ID() ID }](class *ClassRef, init int, elements []T) ID {
	for i, e := range elements {
		if e.ID() == 0 {
			report("NSArray", fmt.Errorf("element %d of %d is nil: %w", i, len(elements), ErrNotObject))
			return 0
		}
	}
	a := IDArrayOf(elements)
	defer a.Free()
	return build(class, init, a.Word(), uintptr(len(elements)))
}

// Append adds the elements to an NSMutableArray, which retains them.
func Append[T interface{ ID() ID }](array ID, elements []T) {
	for _, e := range elements {
		fn(fnMutableArrayAdd).Call(array, uintptr(e.ID()))
	}
}

// NewArrays returns an NSArray of NSArrays of the elements, +1.
func NewArrays[T interface{ ID() ID }](lists [][]T) ID {
	arrays := make([]ID, 0, len(lists))
	defer func() { releaseAll(arrays) }()
	for _, l := range lists {
		a := NewArray(l)
		if a == 0 {
			return 0
		}
		arrays = append(arrays, a)
	}
	return NewArray(arrays)
}

// RetainedOf appends to list the elements that an NSMutableArray, which was made from list, has got
// since; they are +1 and converted by wrap.
func RetainedOf[T any](list []T, array ID, wrap func(ID) T) []T {
	n := int(fn(fnArrayCount).Call(array))
	for i := len(list); i < n; i++ {
		list = append(list, wrap(ID(fn(fnArrayAt).Call(array, uintptr(i))).Retain()))
	}
	return list
}

// NewInts returns an NSArray of NSNumbers, +1.
func NewInts(numbers []int) ID {
	ids := make([]ID, len(numbers))
	for i, n := range numbers {
		ids[i] = NewInt(int64(n))
	}
	defer releaseAll(ids)
	return NewArray(ids)
}

// GoInts returns the values of an NSArray of NSNumbers. For nil it returns a nil slice.
func GoInts(array ID) []int {
	return ArrayOf(array, func(id ID) int { return int(GoInt(id)) })
}

// NewDictionary returns an NSDictionary with objects as keys, +1. The dictionary retains its values
// and copies its keys, which must adopt NSCopying. A nil key or value is reported as a [Fault], and
// the result is nil.
func NewDictionary[K interface {
	comparable
	ID() ID
}, V interface{ ID() ID }](m map[K]V) ID {
	keys, values := make([]K, 0, len(m)), make([]V, 0, len(m))
	for k, v := range m {
		if k.ID() == 0 || v.ID() == 0 {
			report("NSDictionary", fmt.Errorf("a key or a value of %d is nil: %w", len(m), ErrNotObject))
			return 0
		}
		keys, values = append(keys, k), append(values, v)
	}
	ka, va := IDArrayOf(keys), IDArrayOf(values)
	defer ka.Free()
	defer va.Free()
	return build(&classDictionary, fnDictionaryInit, va.Word(), ka.Word(), uintptr(len(m)))
}

// DictionaryOf returns the entries of an NSDictionary with objects as keys, +0, converted by key
// and value. For nil it returns a nil map.
func DictionaryOf[K comparable, V any](dictionary ID, key func(ID) K, value func(ID) V) map[K]V {
	if dictionary == 0 {
		return nil
	}
	keys := ArrayOf(ID(fn(fnDictionaryKeys).Call(dictionary)), func(id ID) ID { return id })
	m := make(map[K]V, len(keys))
	for _, k := range keys {
		m[key(k)] = value(ID(fn(fnDictionaryObject).Call(dictionary, uintptr(k))))
	}
	return m
}

// ArrayOf returns the elements of an NSArray, +0, each converted by wrap. For nil it returns a nil
// slice.
func ArrayOf[T any](array ID, wrap func(ID) T) []T {
	if array == 0 {
		return nil
	}
	n := int(fn(fnArrayCount).Call(array))
	ts := make([]T, 0, n)
	for i := range n {
		ts = append(ts, wrap(ID(fn(fnArrayAt).Call(array, uintptr(i)))))
	}
	return ts
}

// NewMap returns an NSDictionary with string keys, +1. The dictionary retains its values. A nil
// value is reported as a [Fault], and the result is nil.
func NewMap[T any](m map[string]T, value func(T) ID) ID {
	keys := make([]ID, 0, len(m))
	values := make([]ID, 0, len(m))
	defer func() { releaseAll(keys) }()
	for k, v := range m {
		id := value(v)
		if id == 0 {
			report("NSDictionary", fmt.Errorf("value of key %q is nil: %w", k, ErrNotObject))
			return 0
		}
		keys = append(keys, NewString(k))
		values = append(values, id)
	}
	ka, va := IDArrayOf(keys), IDArrayOf(values)
	defer ka.Free()
	defer va.Free()
	return build(&classDictionary, fnDictionaryInit, va.Word(), ka.Word(), uintptr(len(m)))
}

// MapOf returns the entries of an NSDictionary with string keys, the values +0 and converted by
// wrap. For nil it returns a nil map.
func MapOf[T any](dictionary ID, wrap func(ID) T) map[string]T {
	if dictionary == 0 {
		return nil
	}
	keys := ArrayOf(ID(fn(fnDictionaryKeys).Call(dictionary)), func(id ID) ID { return id })
	m := make(map[string]T, len(keys))
	for _, k := range keys {
		m[GoString(k)] = wrap(ID(fn(fnDictionaryObject).Call(dictionary, uintptr(k))))
	}
	return m
}

// NewStringMap returns an NSDictionary from strings to strings, +1.
func NewStringMap(m map[string]string) ID {
	values := make(map[string]ID, len(m))
	for k, v := range m {
		values[k] = NewString(v)
	}
	defer func() {
		for _, v := range values {
			Release(v)
		}
	}()
	return NewMap(values, func(id ID) ID { return id })
}

// GoStringMap returns a copy of an NSDictionary from strings to strings. A value that is not a
// string is replaced by its description.
func GoStringMap(id ID) map[string]string {
	p := pushPool()
	defer p.drain()
	return MapOf(id, func(v ID) string {
		if s, err := LookUpClass("NSString"); err == nil && IsKindOf(v, s) {
			return GoString(v)
		}
		return Description(v)
	})
}

// IDArray is a C array of objects, for messages that take one. Keep it until the message has
// returned, then call Free, which recycles it.
type IDArray struct{ words []uintptr }

var idArrays = sync.Pool{New: func() any { return &IDArray{words: make([]uintptr, 0, 32)} }}

// IDArrayOf returns a C array of the elements. A handle of a released object is reported as a
// [Fault] and becomes nil.
func IDArrayOf[T interface{ ID() ID }](elements []T) *IDArray {
	a := idArrays.Get().(*IDArray)
	a.words = a.words[:0]
	for _, e := range elements {
		a.words = append(a.words, nativeWord(e.ID()))
	}
	return a
}

// Word returns the array's address as an argument word, or 0 for an empty array.
func (a *IDArray) Word() uintptr { return Slice(a.words) }

// Free recycles the array. Its address must not be used afterwards.
func (a *IDArray) Free() { idArrays.Put(a) }

// nativeWord returns the word for an object in memory that the driver reads.
func nativeWord(id ID) uintptr {
	d := driverInUse.Load()
	if id == 0 || d == nil || d.apple == nil {
		return uintptr(id)
	}
	p, err := d.apple.address(id)
	if err != nil {
		report("array of objects", err)
	}
	return p
}
