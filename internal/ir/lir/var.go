package lir

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
)

// Sizes and alignments of strips and frames.
const (
	MaxLanes    = 256 // lanes of a strip
	SimdWidth   = ir.SimdWidth
	MaskWords   = MaxLanes / SimdWidth
	ColumnAlign = 64 // bytes, of Lane, Simd and Affine variables
	AffineBytes = 64 // of an AffineHeader; its column follows
)

// Class determines how many elements a variable has in a frame.
type Class uint8

// The classes, from the widest sharing to the narrowest. Among the first four, a Mov can convert a
// value of an earlier class to a later one.
const (
	Once Class = iota
	Simd
	Affine
	Lane
	Mask
	numClasses
)

var classNames = [numClasses]string{"once", "simd", "affine", "lane", "mask"}

func (c Class) String() string {
	if c < numClasses {
		return classNames[c]
	}
	return fmt.Sprintf("class(%d)", uint8(c))
}

// Ref names a variable of a program by its index in Vars. 0 means none, or the full mask where a
// mask is expected.
type Ref int32

// Var is a variable: a value of the program, a constant, or a mask. It may be assigned in several
// places.
type Var struct {
	Class Class
	// of an element; Void for masks. A Matrix has two elements of Elem for each lane, row by row for
	// each simdgroup
	Kind  ir.Kind
	Elem  ir.Kind // of a Matrix
	Const bool    // a Once constant with the value Bits, present in the frame from the start
	Bits  uint64
	Off   int32 // byte offset in the frame, after Allocate
}

// ElemSize returns the bytes of one element.
func (v *Var) ElemSize() int {
	if v.Kind == ir.Matrix {
		return 2 * v.Elem.Size()
	}
	return v.Kind.Size()
}

// Bytes returns the number of bytes a variable takes in a frame with the given number of lanes.
func (v *Var) Bytes(lanes int) int {
	n := 1
	switch v.Class {
	case Mask:
		return MaskWords * 4
	case Once:
		return 8
	case Simd:
		n = (lanes + SimdWidth - 1) / SimdWidth
	case Lane:
		if n = lanes; v.Kind == ir.Matrix { // a partial last simdgroup still has all elements
			n = (lanes + SimdWidth - 1) &^ (SimdWidth - 1)
		}
	case Affine:
		return AffineBytes + align(lanes*v.ElemSize())
	}
	return align(n * v.ElemSize())
}

func align(n int) int { return (n + ColumnAlign - 1) &^ (ColumnAlign - 1) }

// AffineHeader is stored at the start of an Affine variable: base + SX*x + SY*y + SZ*z in the
// threadgroup's coordinates. The sum does not wrap: as a signed 64-bit number, it equals the value
// modulo the kind's width. An operation makes a header only if, for all lanes of the threadgroup,
// the sum is within the kind's signed range or within its unsigned range, so that sign and zero
// extension can tell whether they preserve it.
type AffineHeader struct {
	Valid      uint64 // 1: the header is valid; 0: the column is
	Base       int64
	SX, SY, SZ int64
}
