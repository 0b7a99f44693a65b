package gguf

import (
	"encoding/binary"
	"fmt"
	"iter"
	"math"
)

// Kind is the type of a value of the metadata, by its number in the format.
type Kind uint32

// The kinds.
const (
	Uint8 Kind = iota
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Bool
	String
	Array
	Uint64
	Int64
	Float64
)

var kindNames = [...]string{"uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool", "string",
	"array", "uint64", "int64", "float64"}

// kindSizes are the bytes of a value; those of a string and an array are the least.
var kindSizes = [...]int{1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8}

func (k Kind) known() bool { return uint64(k) < uint64(len(kindNames)) }

// String returns the kind's name, as in "uint32".
func (k Kind) String() string {
	if k.known() {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint32(k))
}

// Value is a value of the metadata. It is decoded when it is read: an array may have many thousands
// of elements.
type Value struct {
	kind Kind
	elem Kind   // of an array
	n    int    // elements of an array
	raw  []byte // of the elements, or of the value without the length of a string
}

// none reports whether the value is the zero Value, which is none of the format.
func (v Value) none() bool { return v.kind == Uint8 && v.raw == nil }

// describe returns the value for an error, in one line.
func (v Value) describe() string {
	switch {
	case v.none():
		return "no value"
	case v.kind == String:
		return "string " + shown(v.raw)
	case v.kind == Array:
		return fmt.Sprintf("array of %d %v", v.n, v.elem)
	}
	return fmt.Sprintf("%v %v", v.kind, v.Any())
}

// Kind returns what the value is.
func (v Value) Kind() Kind { return v.kind }

// Len returns how many elements an array has, and 0 for other values.
func (v Value) Len() int { return v.n }

// Elem returns the kind of an array's elements.
func (v Value) Elem() Kind { return v.elem }

// Text returns a string.
func (v Value) Text() (text string, ok bool) { return string(v.raw), v.kind == String }

// Bool returns a truth value.
func (v Value) Bool() (x, ok bool) { return v.kind == Bool && v.raw[0] == 1, v.kind == Bool }

// Uint returns an integer that is not negative.
func (v Value) Uint() (x uint64, ok bool) {
	i, ok := v.Int()
	if v.kind == Uint64 {
		return binary.LittleEndian.Uint64(v.raw), true
	}
	return uint64(i), ok && i >= 0
}

// Int returns an integer that an int64 can be.
func (v Value) Int() (x int64, ok bool) {
	switch v.kind {
	case Uint8:
		if v.none() {
			return 0, false
		}
		return int64(v.raw[0]), true
	case Int8:
		return int64(int8(v.raw[0])), true
	case Uint16:
		return int64(binary.LittleEndian.Uint16(v.raw)), true
	case Int16:
		return int64(int16(binary.LittleEndian.Uint16(v.raw))), true
	case Uint32:
		return int64(binary.LittleEndian.Uint32(v.raw)), true
	case Int32:
		return int64(int32(binary.LittleEndian.Uint32(v.raw))), true
	case Uint64, Int64:
		x = int64(binary.LittleEndian.Uint64(v.raw))
		return x, v.kind == Int64 || x >= 0
	}
	return 0, false
}

// Float returns a floating-point number.
func (v Value) Float() (x float64, ok bool) {
	switch v.kind {
	case Float32:
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(v.raw))), true
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(v.raw)), true
	}
	return 0, false
}

// Elements returns the elements of an array, in order.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		r := reader{data: v.raw, end: len(v.raw)}
		for i := range v.n {
			x, err := r.value(v.elem, 0)
			if err != nil || !yield(i, x) { // the array was checked when the file was opened
				return
			}
		}
	}
}

// Strings returns the elements of an array of strings.
func (v Value) Strings() (list []string, ok bool) {
	if v.kind != Array || v.elem != String {
		return nil, false
	}
	list = make([]string, 0, v.n)
	for _, x := range v.Elements() {
		list = append(list, string(x.raw))
	}
	return list, true
}

// Ints returns the elements of an array of integers, all of which an int64 can be.
func (v Value) Ints() (list []int64, ok bool) {
	return numbers(v, Value.Int)
}

// Floats returns the elements of an array of floating-point numbers.
func (v Value) Floats() (list []float64, ok bool) {
	return numbers(v, Value.Float)
}

// numbers returns the elements of an array that get can read.
func numbers[T any](v Value, get func(Value) (T, bool)) (list []T, ok bool) {
	if v.kind != Array {
		return nil, false
	}
	if _, ok := get(Value{kind: v.elem, raw: make([]byte, 8)}); !ok { // an empty array has a kind too
		return nil, false
	}
	list = make([]T, 0, v.n)
	for _, e := range v.Elements() {
		x, ok := get(e)
		if !ok {
			return nil, false
		}
		list = append(list, x)
	}
	return list, true
}

// Any returns the value as one of Go: an integer, a float, a bool or a string of the same size, or
// a slice of them; an array of arrays is a []any of slices. [NewValue] is its inverse. The zero
// Value gives nil.
func (v Value) Any() any {
	switch v.kind {
	case Uint8:
		if v.none() {
			return nil
		}
		return v.raw[0]
	case Int8:
		return int8(v.raw[0])
	case Uint16:
		return binary.LittleEndian.Uint16(v.raw)
	case Int16:
		return int16(binary.LittleEndian.Uint16(v.raw))
	case Uint32:
		return binary.LittleEndian.Uint32(v.raw)
	case Int32:
		return int32(binary.LittleEndian.Uint32(v.raw))
	case Uint64:
		return binary.LittleEndian.Uint64(v.raw)
	case Int64:
		return int64(binary.LittleEndian.Uint64(v.raw))
	case Float32:
		return math.Float32frombits(binary.LittleEndian.Uint32(v.raw))
	case Float64:
		return math.Float64frombits(binary.LittleEndian.Uint64(v.raw))
	case Bool:
		return v.raw[0] == 1
	case String:
		return string(v.raw)
	}
	switch v.elem {
	case Uint8:
		return elements[uint8](v)
	case Int8:
		return elements[int8](v)
	case Uint16:
		return elements[uint16](v)
	case Int16:
		return elements[int16](v)
	case Uint32:
		return elements[uint32](v)
	case Int32:
		return elements[int32](v)
	case Uint64:
		return elements[uint64](v)
	case Int64:
		return elements[int64](v)
	case Float32:
		return elements[float32](v)
	case Float64:
		return elements[float64](v)
	case Bool:
		return elements[bool](v)
	case String:
		return elements[string](v)
	}
	return elements[any](v)
}

// elements decodes an array.
func elements[T any](v Value) []T {
	list := make([]T, 0, v.n)
	for _, x := range v.Elements() {
		list = append(list, x.Any().(T))
	}
	return list
}
