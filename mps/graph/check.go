package graph

import (
	"fmt"
	"math"

	"github.com/puremetal/puremetal/mps"
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

// checkData checks that data has the bytes of a tensor, or those of one element, which is repeated.
func checkData(data []byte, shape []int, t mps.DataType) error {
	bits := uint(t) & typeBits
	if bits == 0 {
		return fmt.Errorf("%v has no elements: %w", t, mps.ErrDataType)
	}
	total := bits
	for i, n := range shape {
		if n < 0 {
			return fmt.Errorf("dimension %d is %d, want at least 0: %w", i, n, mps.ErrDimension)
		}
		if n > 0 && total > math.MaxInt/uint(n) {
			return fmt.Errorf("shape %v: more than %d bits: %w", shape, math.MaxInt, mps.ErrDimension)
		}
		total *= uint(n)
	}
	if want, have := (total+7)/8, uint(len(data)); have != want && have != (bits+7)/8 {
		return fmt.Errorf("data has %d bytes, want %d for shape %v of %v: %w", have, want, shape, t, mps.ErrLength)
	}
	return nil
}
