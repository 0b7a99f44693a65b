package tensor

import (
	"errors"
	"fmt"

	"github.com/puremetal/puremetal/internal/tensorop"
	"github.com/puremetal/puremetal/simd/float16"
)

// Kinds of error. Errors of compute, such as [compute.ErrClosed], are passed on.
var (
	// ErrShape: the shapes of the operands do not fit each other or the operation, or an index is
	// out of a shape's range.
	ErrShape = errors.New("incompatible shapes")
	// ErrType: the operation does not take operands of these element types.
	ErrType = errors.New("unsupported element type")
	// ErrEngine: tensors of different engines are used together.
	ErrEngine = errors.New("belongs to another engine")
)

// MaxRank is the largest number of dimensions of a tensor.
const MaxRank = tensorop.MaxRank

// Type is the type of a tensor's elements.
type Type uint8

// The element types, with the Go types that [Of] and [Data] exchange them as. Metal has no float64;
// see [FromFloat64].
const (
	Float32  = Type(tensorop.Float32)  // float32
	Float16  = Type(tensorop.Float16)  // simd.Half
	BFloat16 = Type(tensorop.BFloat16) // simd.BFloat16
	Int8     = Type(tensorop.Int8)     // int8
	Int16    = Type(tensorop.Int16)    // int16
	Int32    = Type(tensorop.Int32)    // int32
	Int64    = Type(tensorop.Int64)    // int64
	Uint8    = Type(tensorop.Uint8)    // uint8
	Uint16   = Type(tensorop.Uint16)   // uint16
	Uint32   = Type(tensorop.Uint32)   // uint32
	Uint64   = Type(tensorop.Uint64)   // uint64
	Bool     = Type(tensorop.Bool)     // bool; one byte that is 0 or 1
)

// String returns the type's name, such as "float16".
func (t Type) String() string { return t.op().String() }

// Size returns the bytes of an element, or 0 if t is not one of the constants.
func (t Type) Size() int {
	if !t.valid() {
		return 0
	}
	return t.op().Size()
}

// IsFloat reports whether t is a floating-point type.
func (t Type) IsFloat() bool { return t.op().Float() }

// IsInteger reports whether t is an integer type; Bool is not.
func (t Type) IsInteger() bool { return t.op().Integer() }

func (t Type) op() tensorop.Type { return tensorop.Type(t) }

func (t Type) valid() bool { return t >= Float32 && t <= Bool }

// Element is a Go type that elements are exchanged as. It does not include float64, which Metal
// does not have: [FromFloat64] and [ToFloat64] convert.
type Element interface {
	float32 | float16.Half | float16.BFloat16 | int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | bool
}

// TypeFor returns the element type of a Go type.
func TypeFor[T Element]() Type {
	switch any(*new(T)).(type) {
	case float16.Half:
		return Float16
	case float16.BFloat16:
		return BFloat16
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
	case bool:
		return Bool
	}
	return Float32
}

// checkShape returns an error for a shape that no tensor can have.
func checkShape(t Type, shape []int) error {
	if !t.valid() {
		return fmt.Errorf("%v: %w", t, ErrType)
	}
	return shapeError(tensorop.Dense(t.op(), shape...).Check())
}
