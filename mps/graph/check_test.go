package graph

import (
	"testing"

	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// TestDataChecks: so are data and buffers that do not fit, which constructors return.
func TestDataChecks(t *testing.T) {
	r := newRig(t)
	f32 := mps.DataTypeFloat32
	buffer, err := r.device.NewBuffer(100, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	of := func(shape []int, t mps.DataType, rowBytes ...uint) error {
		var made TensorData
		var err error
		if rowBytes == nil {
			made, err = NewTensorDataWithMTLBuffer(buffer, shape, t)
		} else {
			made, err = NewTensorDataWithMTLBufferShapeDataTypeRowBytes(buffer, shape, t, rowBytes[0])
		}
		if err == nil {
			made.Release()
		}
		return err
	}
	device, err := DeviceWithMTLDevice(r.device)
	require.NoError(t, err)
	_, short := NewTensorDataWithDevice(device, make([]byte, 4), []int{2}, f32)
	for _, c := range []struct {
		err  error
		want error
		text string
	}{
		{of([]int{5, 5}, f32), nil, ""},
		{of([]int{5, 6}, f32), mps.ErrLength, "100 bytes, want at least 120"},
		{of([]int{5, -1}, f32), mps.ErrDimension, "is -1"},
		{of([]int{2, 2, 3}, f32, 28), nil, ""},
		{of([]int{2, 2, 3}, f32, 32), mps.ErrLength, "want at least 108"},
		{of([]int{2, 2, 3}, f32, 8), mps.ErrStride, "rows of 8 bytes"},
		{of([]int{2, 2, 3}, f32, 18), mps.ErrStride, "rows of 18 bytes"},
		{of([]int{2, 2, 3}, f32, 1<<63), mps.ErrStride, "4 rows"},
		{of([]int{2}, mps.DataTypeInvalid), mps.ErrDataType, "no elements"},
		{short, mps.ErrLength, "4 bytes, want 8"},
	} {
		if c.want == nil {
			assert.NoError(t, c.err)
			continue
		}
		assert.ErrorIs(t, c.err, c.want)
		assert.ErrorContains(t, c.err, c.text)
	}
}
