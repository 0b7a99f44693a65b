package mps

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSpan: sums beyond the largest number are that.
func TestSpan(t *testing.T) {
	const most = math.MaxUint
	for _, c := range [][4]uint{{0, 5, 3, 0}, {1, most, 3, 3}, {3, 5, 2, 12}, {2, most, 1, most}, {most, 2, 0, most},
		{2, most - 3, 3, most}} {
		assert.Equal(t, c[3], span(c[0], c[1], c[2]), "%v", c)
	}
}
