package mps

import (
	"errors"
	"fmt"
)

// What is wrong with the arguments of a function that checks them before it sends a message: MPS
// would raise an exception, which Go cannot catch.
var (
	// ErrDimension is a number of rows, pixels, channels, dimensions or the like out of range.
	ErrDimension = errors.New("dimension out of range")
	// ErrStride is a distance between rows or matrices that does not fit the elements.
	ErrStride = errors.New("stride does not fit the elements")
	// ErrDataType is a data type that the object cannot have.
	ErrDataType = errors.New("wrong data type")
	// ErrKernelSize is the size of a filter's window that the filter cannot have.
	ErrKernelSize = errors.New("wrong kernel size")
	// ErrLength is data of another length than shape and type need.
	ErrLength = errors.New("wrong length")
)

// maxDimensions is the largest number of dimensions of an NDArray.
const maxDimensions = 16

// checkMatrix checks matrices or vectors in a buffer; a vector has one row.
func checkMatrix(rows, columns, matrices, rowBytes, matrixBytes uint, t DataType) error {
	bits := uint(t) & dataTypeBits
	if bits == 0 || bits%8 != 0 {
		return fmt.Errorf("%v has %d bits, want whole bytes: %w", t, bits, ErrDataType)
	}
	size := bits / 8
	switch {
	case rows == 0 || columns == 0 || matrices == 0:
		return fmt.Errorf("%d matrices of %d rows and %d columns, want at least 1 of each: %w", matrices, rows, columns,
			ErrDimension)
	case rowBytes%size != 0 || matrixBytes%size != 0:
		return fmt.Errorf("rows of %d bytes and matrices of %d, want multiples of the element's %d: %w", rowBytes,
			matrixBytes, size, ErrStride)
	case rows > 1 && rowBytes/size < columns:
		return fmt.Errorf("rows of %d bytes, want at least %d columns of %d: %w", rowBytes, columns, size, ErrStride)
	case matrices > 1 && matrixBytes < (rows-1)*rowBytes+columns*size:
		return fmt.Errorf("matrices of %d bytes, want at least %d: %w", matrixBytes, (rows-1)*rowBytes+columns*size,
			ErrStride)
	}
	return nil
}

func checkImage(width, height, channels, images uint) error {
	if width == 0 || height == 0 || channels == 0 || images == 0 {
		return fmt.Errorf("%d images of %d x %d pixels and %d feature channels, want at least 1 of each: %w", images,
			width, height, channels, ErrDimension)
	}
	return nil
}

func checkShape[T int | uint](t DataType, shape []T) error {
	if uint(t)&dataTypeBits == 0 {
		return fmt.Errorf("%v has no elements: %w", t, ErrDataType)
	}
	if len(shape) > maxDimensions {
		return fmt.Errorf("%d dimensions, want at most %d: %w", len(shape), maxDimensions, ErrDimension)
	}
	for i, n := range shape {
		if n < 1 {
			return fmt.Errorf("dimension %d is %d, want at least 1: %w", i, n, ErrDimension)
		}
	}
	return nil
}

// checkOdd checks a window with a center.
func checkOdd(width, height uint) error {
	if width%2 == 0 || height%2 == 0 {
		return fmt.Errorf("kernel of %d x %d, want odd numbers: %w", width, height, ErrKernelSize)
	}
	return nil
}

// checkWindow checks a window that moves in steps.
func checkWindow(width, height, strideX, strideY uint) error {
	if width == 0 || height == 0 {
		return fmt.Errorf("kernel of %d x %d, want at least 1 x 1: %w", width, height, ErrKernelSize)
	}
	if strideX == 0 || strideY == 0 {
		return fmt.Errorf("strides %d and %d, want at least 1: %w", strideX, strideY, ErrStride)
	}
	return nil
}
