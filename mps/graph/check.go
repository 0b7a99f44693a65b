package graph

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
)

// typeBits are the bits of a data type that hold the size of an element.
const typeBits = 0xffff

// checkShape checks the shape of a placeholder: -1 is a dimension that is not known yet.
func checkShape(shape []int, t mps.DataType) error {
	if uint(t)&typeBits == 0 {
		return fmt.Errorf("%v has no elements: %w", t, mps.ErrDataType)
	}
	for i, n := range shape {
		if n < -1 {
			return fmt.Errorf("dimension %d is %d, want at least -1: %w", i, n, mps.ErrDimension)
		}
	}
	return nil
}

// tensorBits returns how many bits the elements of a tensor have.
func tensorBits(shape []int, t mps.DataType) (uint, error) {
	total := uint(t) & typeBits
	if total == 0 {
		return 0, fmt.Errorf("%v has no elements: %w", t, mps.ErrDataType)
	}
	for i, n := range shape {
		if n < 0 {
			return 0, fmt.Errorf("dimension %d is %d, want at least 0: %w", i, n, mps.ErrDimension)
		}
		if n > 0 && total > math.MaxInt/uint(n) {
			return 0, fmt.Errorf("shape %v: more than %d bits: %w", shape, math.MaxInt, mps.ErrDimension)
		}
		total *= uint(n)
	}
	return total, nil
}

// checkData checks that data has the bytes of a tensor, or those of one element, which is repeated.
func checkData(data []byte, shape []int, t mps.DataType) error {
	if uint(len(data)) == (uint(t)&typeBits+7)/8 {
		_, err := tensorBits(shape, t)
		return err
	}
	return checkAllData(data, shape, t)
}

// checkAllData checks that data has the bytes of a tensor.
func checkAllData(data []byte, shape []int, t mps.DataType) error {
	total, err := tensorBits(shape, t)
	if err != nil {
		return err
	}
	if want, have := (total+7)/8, uint(len(data)); have != want {
		return fmt.Errorf("data has %d bytes, want %d for shape %v of %v: %w", have, want, shape, t, mps.ErrLength)
	}
	return nil
}

// checkMemory checks that a tensor fits into a buffer. Without rowBytes rows have no gaps between
// them.
func checkMemory(buffer mtl.Buffer, shape []int, t mps.DataType, rowBytes uint) error {
	total, err := tensorBits(shape, t)
	if err != nil {
		return err
	}
	need := (total + 7) / 8
	if last := len(shape) - 1; rowBytes != 0 && last >= 0 && total != 0 {
		row := (uint(shape[last])*(uint(t)&typeBits) + 7) / 8
		if size := uint(t) & typeBits / 8; rowBytes < row || size != 0 && rowBytes%size != 0 {
			return fmt.Errorf("rows of %d bytes, want a multiple of the element's size and at least %d: %w", rowBytes, row,
				mps.ErrStride)
		}
		rows := total / (uint(t) & typeBits) / uint(shape[last])
		if rows > 1 && rowBytes > math.MaxInt/rows {
			return fmt.Errorf("%d rows of %d bytes: more than %d bytes: %w", rows, rowBytes, math.MaxInt, mps.ErrStride)
		}
		need = (rows-1)*rowBytes + row
	}
	if length := buffer.Length(); need > length {
		return fmt.Errorf("buffer has %d bytes, want at least %d for shape %v of %v: %w", length, need, shape, t,
			mps.ErrLength)
	}
	return nil
}
