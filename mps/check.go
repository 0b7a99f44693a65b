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

// checkPositive checks one number; kind says what is wrong with 0.
func checkPositive(name string, n uint, kind error) error {
	if n == 0 {
		return fmt.Errorf("%s is 0, want at least 1: %w", name, kind)
	}
	return nil
}

func checkTop(n uint) error {
	if n < 1 || n > maxTop {
		return fmt.Errorf("numberOfTopKValues is %d, want 1 to %d: %w", n, maxTop, ErrDimension)
	}
	return nil
}

func checkConvolution(width, height, inputs, outputs uint) error {
	if inputs == 0 || outputs == 0 {
		return fmt.Errorf("%d input and %d output feature channels, want at least 1: %w", inputs, outputs, ErrDimension)
	}
	return checkWindow(width, height, 1, 1)
}

// checkDepthwise checks a convolution in which output channels belong to one input channel.
func checkDepthwise(width, height, inputs, outputs uint) error {
	if inputs != 0 && outputs%inputs != 0 {
		return fmt.Errorf("%d output feature channels, want a multiple of %d input ones: %w", outputs, inputs, ErrDimension)
	}
	return checkConvolution(width, height, inputs, outputs)
}

// checkGroups checks that the groups divide the channels.
func (o CNNConvolutionDescriptor) checkGroups() error {
	groups, inputs, outputs := o.Groups(), o.InputFeatureChannels(), o.OutputFeatureChannels()
	if groups == 0 || inputs%groups != 0 || outputs%groups != 0 {
		return fmt.Errorf("%d groups of %d input and %d output feature channels, want a divisor of both: %w", groups,
			inputs, outputs, ErrDimension)
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

// checkDilated checks a window whose pixels have others between them.
func checkDilated(width, height, strideX, strideY, dilationX, dilationY uint) error {
	if dilationX == 0 || dilationY == 0 {
		return fmt.Errorf("dilation rates %d and %d, want at least 1: %w", dilationX, dilationY, ErrStride)
	}
	return checkWindow(width, height, strideX, strideY)
}
