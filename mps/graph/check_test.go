package graph

import (
	"testing"

	"github.com/puremetal/puremetal/mps"

	"github.com/stretchr/testify/assert"
)

// TestChecks: data and shapes that MPSGraph would raise an exception for are faults that name them.
func TestChecks(t *testing.T) {
	r := newRig(t)
	g := r.graph
	f32 := mps.DataTypeFloat32
	for _, c := range []struct {
		make func() Tensor
		want error
		text string
	}{
		{func() Tensor { return g.ConstantWithData(make([]byte, 20), []int{2, 3}, f32) }, mps.ErrLength, "20 bytes"},
		{func() Tensor { return g.ConstantWithData(make([]byte, 24), []int{2, -3}, f32) }, mps.ErrDimension, "is -3"},
		{func() Tensor { return g.ConstantWithData(nil, []int{2}, mps.DataTypeInvalid) }, mps.ErrDataType, "no elements"},
		{func() Tensor { return g.ConstantWithData(nil, []int{1 << 40, 1 << 40}, f32) }, mps.ErrDimension, "more than"},
		{func() Tensor { return g.VariableWithData(make([]byte, 28), []int{2, 3}, f32, "v") }, mps.ErrLength, "28 bytes"},
		{func() Tensor { return g.PlaceholderWithShapeDataType([]int{-2}, f32, "x") }, mps.ErrDimension, "is -2"},
		{func() Tensor { return g.PlaceholderWithShapeDataType(nil, mps.DataTypeInvalid, "x") }, mps.ErrDataType,
			"no elements"},
	} {
		made, err := r.try(c.make)
		assert.True(t, made.IsNil(), c.text)
		assert.ErrorIs(t, err, c.want)
		assert.ErrorContains(t, err, c.text)
	}
}
