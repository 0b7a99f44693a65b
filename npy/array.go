package npy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

var (
	// ErrFormat: the input is not a .npy or .npz file that this package can read.
	ErrFormat = errors.New("not a .npy file")
	// ErrType: the element type is not the requested one, or not one that this package supports.
	ErrType = errors.New("wrong element type")
	// ErrShape: the shape is invalid or does not match the number of elements.
	ErrShape = errors.New("wrong shape")
	// ErrLimit: an archive exceeds a limit of [ArchiveOptions].
	ErrLimit = errors.New("limit exceeded")
)

// Type is the type of an array's elements, in NumPy's notation without the byte order: a letter for
// the kind, then the size in bytes.
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

// Size returns the size of one element in bytes, or 0 for an unknown type.
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

// maxDims is the maximum number of dimensions, NumPy's own limit.
const maxDims = 64

// Array is an array in memory.
type Array struct {
	Type  Type
	Shape []int  // the last dimension varies fastest in Data; an empty Shape is a single number
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

// sizeOf returns the size of an array in bytes, or an error if the shape is invalid.
func sizeOf(t Type, shape []int) (int, error) {
	size := t.Size()
	if size == 0 {
		return 0, fmt.Errorf("%w %q: want one of b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8", ErrType, string(t))
	}
	if len(shape) > maxDims {
		return 0, fmt.Errorf("%w: %d dimensions exceed the limit of %d", ErrShape, len(shape), maxDims)
	}
	for _, d := range shape {
		if d < 0 {
			return 0, fmt.Errorf("%w: dimension %d is negative", ErrShape, d)
		}
	}
	if slices.Contains(shape, 0) {
		return 0, nil
	}
	for _, d := range shape {
		if size > math.MaxInt/d {
			return 0, fmt.Errorf("%w: %v elements of %d bytes exceed the address space", ErrShape, shape, t.Size())
		}
		size *= d
	}
	return size, nil
}

// Element is the Go type of an array's elements.
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

// Of returns an array with a copy of data. Without a shape the array has one dimension. A shape
// whose number of elements differs from len(data) is an error wrapping [ErrShape].
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
		return nil, fmt.Errorf("npy: %w: %v needs %d elements, the data has %d", ErrShape, shape, size/a.Type.Size(),
			len(data))
	}
	a.Data, err = binary.Append(make([]byte, 0, size), binary.LittleEndian, data)
	return a, err
}

// Values returns a copy of the elements. If they are not of type T, it returns an error wrapping
// [ErrType].
func Values[T Element](a *Array) ([]T, error) {
	if want := typeFor[T](); a.Type != want {
		return nil, fmt.Errorf("npy: %w: the array holds %s, not %s", ErrType, a.Type, want)
	}
	size, err := sizeOf(a.Type, a.Shape)
	if err == nil && size != len(a.Data) {
		err = fmt.Errorf("%w: %v of %s needs %d bytes, the array has %d", ErrShape, a.Shape, a.Type, size, len(a.Data))
	}
	if err != nil {
		return nil, fmt.Errorf("npy: %w", err)
	}
	out := make([]T, a.Len())
	_, err = binary.Decode(a.Data, binary.LittleEndian, out)
	return out, err
}
