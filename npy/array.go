package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

var (
	// ErrFormat: the bytes are not a file of an array that this package reads.
	ErrFormat = errors.New("not a .npy file")
	// ErrType: the elements are of a type that was not asked for, or that this package does not have.
	ErrType = errors.New("element type")
	// ErrShape: the shape and the number of elements do not agree.
	ErrShape = errors.New("shape")
)

// Type is what the elements of an array are, in NumPy's letters without the byte order: kind and
// bytes.
type Type string

// The element types.
const (
	Bool    Type = "b1"
	Int8    Type = "i1"
	Int16   Type = "i2"
	Int32   Type = "i4"
	Int64   Type = "i8"
	Uint8   Type = "u1"
	Uint16  Type = "u2"
	Uint32  Type = "u4"
	Uint64  Type = "u8"
	Float16 Type = "f2"
	Float32 Type = "f4"
	Float64 Type = "f8"
)

// Size returns the bytes of one element, 0 for a type that there is not.
func (t Type) Size() int {
	switch t {
	case Bool, Int8, Uint8:
		return 1
	case Int16, Uint16, Float16:
		return 2
	case Int32, Uint32, Float32:
		return 4
	case Int64, Uint64, Float64:
		return 8
	}
	return 0
}

// maxDims is how many dimensions an array has at most: NumPy's own limit.
const maxDims = 64

// Array is an array in memory.
type Array struct {
	Type  Type
	Shape []int  // the last dimension is the fastest in Data; no dimensions are a single number
	Data  []byte // the elements, little-endian
}

// Len returns the number of elements.
func (a *Array) Len() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// sizeOf returns how many bytes an array has, or an error when the shape cannot be.
func sizeOf(t Type, shape []int) (int, error) {
	size := t.Size()
	if size == 0 {
		return 0, fmt.Errorf("%w %q: want one of b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8", ErrType, string(t))
	}
	if len(shape) > maxDims {
		return 0, fmt.Errorf("%w: %d dimensions, at most %d", ErrShape, len(shape), maxDims)
	}
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("%w: a dimension of %d", ErrShape, d)
		}
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	for _, d := range shape {
		if size > math.MaxInt/d {
			return 0, fmt.Errorf("%w: %v elements of %d bytes are more than a machine addresses", ErrShape, shape, t.Size())
		}
		size *= d
	}
	return size, nil
}

// Element is a Go type that elements of an array can be.
type Element interface {
	bool | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// typeFor returns the element type of a Go type.
func typeFor[T Element]() Type {
	switch any(*new(T)).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case float32:
		return Float32
	}
	return Float64
}

// Of returns an array with a copy of data. No shape is one dimension. A shape of another number of
// elements is an error wrapping ErrShape.
func Of[T Element](data []T, shape ...int) (*Array, error) {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	a := &Array{Type: typeFor[T](), Shape: slices.Clone(shape)}
	size, err := sizeOf(a.Type, shape)
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	if size != len(data)*a.Type.Size() {
		return nil, fmt.Errorf("npy: %w: %v has %d elements, the data has %d", ErrShape, shape, size/a.Type.Size(), len(data))
	}
	a.Data, err = binary.Append(make([]byte, 0, size), binary.LittleEndian, data)
	return a, err
}

// Values returns a copy of the elements. They must be of type T: an array of another type is an
// error wrapping ErrType.
func Values[T Element](a *Array) ([]T, error) {
	if want := typeFor[T](); a.Type != want {
		return nil, fmt.Errorf("npy: %w: the array has %s, not %s", ErrType, a.Type, want)
	}
	size, err := sizeOf(a.Type, a.Shape)
	if err == nil && size != len(a.Data) {
		err = fmt.Errorf("%w: %v of %s is %d bytes, the array has %d", ErrShape, a.Shape, a.Type, size, len(a.Data))
	}
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	out := make([]T, a.Len())
	_, err = binary.Decode(a.Data, binary.LittleEndian, out)
	return out, err
}
