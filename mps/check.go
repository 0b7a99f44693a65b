package mps

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/puremetal/puremetal/mtl"
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

// maxTop is the most values of each row that an MPSMatrixFindTopK finds.
const maxTop = 16

// maxDimensions is the largest number of dimensions of an NDArray.
const maxDimensions = 16

// checkMatrix checks matrices or vectors in a buffer; a vector has one row.
func checkMatrix(rows, columns, matrices, rowBytes, matrixBytes uint, t DataType) error {
	size := uint(t) & dataTypeBits / 8
	if n := uint(t) & dataTypeBits; n == 0 || n%8 != 0 {
		return fmt.Errorf("%v has %d bits, want whole bytes: %w", t, n, ErrDataType)
	}
	switch {
	case rows == 0 || columns == 0 || matrices == 0:
		return fmt.Errorf("%d matrices of %d rows and %d columns, want at least 1 of each: %w", matrices, rows, columns,
			ErrDimension)
	case rowBytes%size != 0 || matrixBytes%size != 0:
		return fmt.Errorf("rows of %d bytes and matrices of %d, want multiples of the element's %d: %w", rowBytes,
			matrixBytes, size, ErrStride)
	case rows > 1 && rowBytes/size < columns:
		return fmt.Errorf("rows of %d bytes, want at least %d columns of %d: %w", rowBytes, columns, size, ErrStride)
	case matrices > 1 && matrixBytes < span(rows, rowBytes, span(columns, size, size)):
		return fmt.Errorf("matrices of %d bytes, want at least %d: %w", matrixBytes,
			span(rows, rowBytes, span(columns, size, size)), ErrStride)
	}
	return nil
}

// span returns how many bytes n parts reach, of which each begins stride after the one before and
// the last one has some size. What does not fit is the largest number.
func span(n, stride, last uint) uint {
	if n == 0 {
		return 0
	}
	high, low := bits.Mul(n-1, stride)
	sum, carry := bits.Add(low, last, 0)
	if high != 0 || carry != 0 {
		return math.MaxUint
	}
	return sum
}

// checkMemory checks that so many bytes fit into a buffer from an offset on.
func checkMemory(buffer mtl.Buffer, offset, need uint) error {
	if length := buffer.Length(); offset > length || need > length-offset {
		return fmt.Errorf("buffer has %d bytes, want at least %d from %d on: %w", length, need, offset, ErrLength)
	}
	return nil
}

func (o MatrixDescriptor) checkMemory(buffer mtl.Buffer, offset uint) error {
	size := uint(o.DataType()) & dataTypeBits / 8
	matrix := span(o.Rows(), o.RowBytes(), span(o.Columns(), size, size))
	return checkMemory(buffer, offset, span(o.Matrices(), o.MatrixBytes(), matrix))
}

func (o VectorDescriptor) checkMemory(buffer mtl.Buffer, offset uint) error {
	size := uint(o.DataType()) & dataTypeBits / 8
	return checkMemory(buffer, offset, span(o.Vectors(), o.VectorBytes(), span(o.Length(), size, size)))
}

func (o NDArrayDescriptor) checkMemory(buffer mtl.Buffer, offset uint) error {
	n := uint(o.DataType()) & dataTypeBits
	for i := range o.NumberOfDimensions() {
		n = span(o.LengthOfDimension(i), n, n)
	}
	return checkMemory(buffer, offset, n/8)
}

// checkCounts checks numbers, which names lists.
func checkCounts(names string, counts ...uint) error {
	if slices.Contains(counts, 0) {
		return fmt.Errorf("%s: %d, want at least 1: %w", names, counts, ErrDimension)
	}
	return nil
}

func checkTop(n uint) error {
	if n < 1 || n > maxTop {
		return fmt.Errorf("numberOfTopKValues is %d, want 1 to %d: %w", n, maxTop, ErrDimension)
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
