package mps

import (
	"testing"

	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
)

// TestChecks: numbers that MPS would raise an exception for are errors that give them.
func TestChecks(t *testing.T) {
	device := framework(t)
	shape := make([]int, 17)
	for i := range shape {
		shape[i] = 1
	}
	for _, c := range []struct {
		err  error
		want error
		text string
	}{
		{errorOf(MatrixDescriptorWithRows(3, 5, 20, DataTypeFloat32)), nil, ""},
		{errorOf(MatrixDescriptorWithRows(0, 5, 20, DataTypeFloat32)), ErrDimension, "0 rows"},
		{errorOf(MatrixDescriptorWithRows(3, 5, 18, DataTypeFloat32)), ErrStride, "rows of 18 bytes"},
		{errorOf(MatrixDescriptorWithRows(3, 5, 16, DataTypeFloat32)), ErrStride, "5 columns of 4"},
		{errorOf(MatrixDescriptorWithRows(3, 5, 20, DataTypeInvalid)), ErrDataType, "0 bits"},
		{errorOf(MatrixDescriptorWithDimensions(3, 0, 20, DataTypeFloat16)), ErrDimension, "0 columns"},
		{errorOf(MatrixDescriptorWithRowsColumnsMatrices(3, 5, 2, 20, 60, DataTypeFloat32)), nil, ""},
		{errorOf(MatrixDescriptorWithRowsColumnsMatrices(3, 5, 2, 20, 56, DataTypeFloat32)), ErrStride, "want at least 60"},
		{errorOf(MatrixDescriptorWithRowsColumnsMatrices(3, 5, 0, 20, 60, DataTypeFloat32)), ErrDimension, "0 matrices"},
		{errorOf(VectorDescriptorWithLength(0, DataTypeFloat32)), ErrDimension, "0 columns"},
		{errorOf(VectorDescriptorWithLengthVectors(5, 2, 18, DataTypeFloat32)), ErrStride, "18"},
		{errorOf(ImageDescriptorWithChannelFormat(ImageFeatureChannelFormatFloat16, 4, 4, 0)), ErrDimension, "0 feature"},
		{errorOf(ImageDescriptorWithChannelFormatWidthHeightFeatureChannelsNumberOfImages(
			ImageFeatureChannelFormatFloat16, 4, 4, 1, 0, mtl.TextureUsageShaderRead)), ErrDimension, "0 images"},
		{errorOf(NDArrayDescriptorWithDataType(DataTypeFloat32, shape)), ErrDimension, "17 dimensions, want at most 16"},
		{errorOf(NDArrayDescriptorWithDataType(DataTypeFloat32, []int{2, 0})), ErrDimension, "dimension 1 is 0"},
		{errorOf(NDArrayDescriptorWithDataTypeDimensionCount(DataTypeInvalid, []uint{2})), ErrDataType, "no elements"},
		{errorOf(NewImageBoxWithDevice(device, 3, 4)), ErrKernelSize, "3 x 4"},
		{errorOf(NewImageAreaMaxWithDevice(device, 2, 3)), ErrKernelSize, "2 x 3"},
		{errorOf(NewImageMedianWithDevice(device, 4)), ErrKernelSize, "4 x 4"},
		{errorOf(NewCNNPoolingMaxWithDeviceKernelWidthKernelHeightStrideInPixelsX(device, 0, 2, 1, 1)), ErrKernelSize,
			"0 x 2"},
		{errorOf(NewCNNPoolingAverageWithDeviceKernelWidthKernelHeightStrideInPixelsX(device, 2, 2, 0, 1)), ErrStride,
			"strides 0 and 1"},
		{errorOf(NewCNNPoolingL2NormWithDeviceKernelWidthKernelHeightStrideInPixelsX(device, 2, 2, 1, 0)), ErrStride,
			"strides 1 and 0"},
	} {
		if c.want == nil {
			assert.NoError(t, c.err)
			continue
		}
		assert.ErrorIs(t, c.err, c.want)
		assert.ErrorContains(t, c.err, c.text)
	}
}

// errorOf is the error of a constructor.
func errorOf[T any](_ T, err error) error { return err }
