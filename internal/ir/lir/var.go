package lir

import (
	"fmt"

	"github.com/puremetal/puremetal/internal/ir"
)

// The measures of strips and frames.
const (
	MaxLanes    = 256 // lanes of a strip
	SimdWidth   = ir.SimdWidth
	MaskWords   = MaxLanes / SimdWidth
	ColumnAlign = 64 // bytes, of Lane, Simd and Affine variables
	AffineBytes = 64 // of an AffineHeader; its column follows
)

// Class is how many elements a variable has in a frame.
type Class uint8

// The classes, from the widest sharing to the narrowest. A value of an earlier one of the first
// four may stand where a later one is asked for, after a Mov.
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

// Ref names a variable of a program by its place in Vars. 0 is none; as a mask it is the full mask.
type Ref int32

// Var is a variable: a value of the program, a constant, or a mask. It may be assigned at several
// places.
type Var struct {
	Class Class
	// of an element; Void for masks. A Matrix has two elements of Elem for each lane, row by row for
	// each simdgroup
	Kind  ir.Kind
	Elem  ir.Kind // of a Matrix
	Const bool    // a Once constant of the value Bits: it stands in the frame from the start
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

// Bytes returns the bytes that a variable takes in a frame of so many lanes.
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
		if n = lanes; v.Kind == ir.Matrix { // a last simdgroup that lacks lanes has all elements
			n = (lanes + SimdWidth - 1) &^ (SimdWidth - 1)
		}
	case Affine:
		return AffineBytes + align(lanes*v.ElemSize())
	}
	return align(n * v.ElemSize())
}

func align(n int) int { return (n + ColumnAlign - 1) &^ (ColumnAlign - 1) }

// AffineHeader is what lies at the place of an Affine variable: base + SX*x + SY*y + SZ*z in the
// threadgroup's coordinates. The sum is right without wrapping: interpreted as a signed number of
// 64 bits it equals, modulo the kind's width, the value. An operation makes a header only if the
// sum, over all lanes of the threadgroup, lies in the signed or in the unsigned range of the kind,
// so that sign and zero extension can tell whether they keep it.
type AffineHeader struct {
	Valid      uint64 // 1: the header counts; 0: the column
	Base       int64
	SX, SY, SZ int64
}
