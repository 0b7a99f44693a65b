package mps

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChecks: numbers that MPS would raise an exception for are errors that give them.
func TestChecks(t *testing.T) {
	device := framework(t)
	shape := make([]int, 17)
	for i := range shape {
		shape[i] = 1
	}
	buffer, err := device.NewBuffer(96, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	matrix, err := MatrixDescriptorWithRowsColumnsMatrices(2, 3, 4, 12, 24, DataTypeFloat32)
	require.NoError(t, err)
	vector, err := VectorDescriptorWithLengthVectors(3, 4, 24, DataTypeFloat32)
	require.NoError(t, err)
	weights := make([]float32, 54)
	for _, c := range []checkCase{
		{releaseOf(NewMatrixWithBuffer(buffer, matrix)), nil, ""},
		{releaseOf(NewMatrixWithBufferOffset(buffer, 4, matrix)), ErrLength, "96 bytes, want at least 96 from 4 on"},
		{releaseOf(NewVectorWithBufferOffset(buffer, 12, vector)), nil, ""},
		{releaseOf(NewVectorWithBufferOffset(buffer, 16, vector)), ErrLength, "want at least 84 from 16"},
		{releaseOf(NewVectorWithBufferOffset(buffer, 100, vector)), ErrLength, "from 100"},
		{errorOf(NewMatrixMultiplicationWithDevice(device, 2, 0, 3)), ErrDimension, "[2 0 3]"},
		{errorOf(NewMatrixMultiplicationWithDeviceTransposeLeft(device, true, false, 2, 3, 0, 1, 0)), ErrDimension,
			"resultRows, resultColumns and interiorColumns: [2 3 0]"},
		{errorOf(NewMatrixVectorMultiplicationWithDevice(device, 0, 3)), ErrDimension, "rows and columns: [0 3]"},
		{errorOf(NewMatrixVectorMultiplicationWithDeviceTranspose(device, true, 3, 0, 1, 0)), ErrDimension, "[3 0]"},
		{errorOf(NewMatrixDecompositionCholeskyWithDeviceLower(device, true, 0)), ErrDimension, "order"},
		{errorOf(NewMatrixDecompositionLUWithDeviceRows(device, 0, 1)), ErrDimension, "[0 1]"},
		{errorOf(NewMatrixSolveCholeskyWithDeviceUpper(device, true, 0, 1)), ErrDimension, "order"},
		{errorOf(NewMatrixSolveLUWithDeviceTranspose(device, true, 1, 0)), ErrDimension, "numberOfRightHandSides"},
		{errorOf(NewMatrixSolveTriangularWithDeviceRight(device, true, true, true, true, 2, 0, 1)), ErrDimension, "[2 0]"},
		{errorOf(NewMatrixSumWithDevice(device, 0, 1, 2, false)), ErrDimension, "[0 1 2]"},
		{errorOf(NewMatrixFindTopKWithDevice(device, 17)), ErrDimension, "17, want 1 to 16"},
		{errorOf(NewImageAreaMinWithDevice(device, 2, 3)), ErrKernelSize, "2 x 3"},
		{errorOf(NewImageTentWithDevice(device, 3, 2)), ErrKernelSize, "3 x 2"},
		{errorOf(NewImageConvolutionWithDeviceKernelWidth(device, 2, 3, weights)), ErrKernelSize, "2 x 3"},
		{errorOf(NewImageGaussianPyramidWithDeviceKernelWidth(device, 4, 3, weights)), ErrKernelSize, "4 x 3"},
		{errorOf(NewImageDilateWithDevice(device, 0, 3, weights)), ErrKernelSize, "0 x 3"},
		{errorOf(NewImageErodeWithDevice(device, 3, 4, weights)), ErrKernelSize, "3 x 4"},
		{errorOf(NewCNNDilatedPoolingMaxWithDeviceKernelWidthKernelHeightDilationRateX(device, 2, 2, 0, 1, 1, 1)),
			ErrStride, "dilation rates 0 and 1"},
		{errorOf(NewCNNDilatedPoolingMaxWithDeviceKernelWidthKernelHeightDilationRateX(device, 2, 0, 1, 1, 1, 1)),
			ErrKernelSize, "2 x 0"},
		{errorOf(NewCNNCrossChannelNormalizationWithDevice(device, 0)), ErrKernelSize, "kernelSize is 0"},
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
		c.check(t)
	}
}

// TestConvolutionChecks: the same for convolutions, whose descriptors are changed one number at a
// time.
func TestConvolutionChecks(t *testing.T) {
	device := imageFramework(t)
	conv, err := CnnConvolutionDescriptorWithKernelWidth(3, 3, 4, 6)
	require.NoError(t, err)
	conv.SetGroups(4)
	weights := make([]float32, 54)
	for _, c := range []checkCase{
		{errorOf(CnnConvolutionDescriptorWithKernelWidth(0, 3, 4, 6)), ErrKernelSize, "0 x 3"},
		{errorOf(CnnConvolutionDescriptorWithKernelWidth(3, 3, 4, 0)), ErrDimension, "4 input and 0 output"},
		{errorOf(CNNSubPixelConvolutionDescriptorCnnConvolutionDescriptorWithKernelWidth(3, 3, 0, 4)), ErrDimension,
			"0 input"},
		{errorOf(CNNDepthWiseConvolutionDescriptorCnnConvolutionDescriptorWithKernelWidth(3, 3, 4, 6)), ErrDimension,
			"6 output feature channels, want a multiple of 4"},
		{errorOf(NewCNNConvolutionWithDeviceConvolutionDescriptor(device, conv, weights, nil, CNNConvolutionFlagsNone)),
			ErrDimension, "4 groups of 4 input and 6 output"},
		{errorOf(NewCNNFullyConnectedWithDeviceConvolutionDescriptor(device, conv, weights, nil,
			CNNConvolutionFlagsNone)), ErrDimension, "4 groups"},
		{faultIn(func() { conv.SetKernelWidth(0) }), ErrKernelSize, "kernelWidth is 0"},
		{faultIn(func() { conv.SetKernelHeight(0) }), ErrKernelSize, "kernelHeight is 0"},
		{faultIn(func() { conv.SetInputFeatureChannels(0) }), ErrDimension, "inputFeatureChannels is 0"},
		{faultIn(func() { conv.SetOutputFeatureChannels(0) }), ErrDimension, "outputFeatureChannels is 0"},
		{faultIn(func() { conv.SetStrideInPixelsX(0) }), ErrStride, "strideInPixelsX is 0"},
		{faultIn(func() { conv.SetStrideInPixelsY(0) }), ErrStride, "strideInPixelsY is 0"},
		{faultIn(func() { conv.SetGroups(0) }), ErrDimension, "groups is 0"},
		{faultIn(func() { conv.SetDilationRateX(0) }), ErrStride, "dilationRateX is 0"},
		{faultIn(func() { conv.SetDilationRateY(0) }), ErrStride, "dilationRateY is 0"},
	} {
		c.check(t)
	}
}

// TestArrayChecks: the same for arrays, which the stand-in frameworks do not make of a shape.
func TestArrayChecks(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no arrays of a shape")
	}
	device := framework(t)
	buffer, err := device.NewBuffer(96, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	array, err := NDArrayDescriptorWithDataType(DataTypeFloat32, []int{4, 2, 3})
	require.NoError(t, err)
	for _, c := range []checkCase{
		{releaseOf(NewNDArrayWithBuffer(buffer, 0, array)), nil, ""},
		{releaseOf(NewNDArrayWithBuffer(buffer, 4, array)), ErrLength, "want at least 96 from 4"},
	} {
		c.check(t)
	}
}

// checkCase is what a function returns and the error that is wanted, nil for none.
type checkCase struct {
	err  error
	want error
	text string
}

func (c checkCase) check(t *testing.T) {
	if c.want == nil {
		assert.NoError(t, c.err)
		return
	}
	assert.ErrorIs(t, c.err, c.want)
	assert.ErrorContains(t, c.err, c.text)
}

// faultIn returns the fault of a method without an error result.
func faultIn(call func()) (fault error) {
	defer objc.OnFault(func(f *objc.Fault) { fault = f })()
	call()
	return
}

// errorOf is the error of a constructor.
func errorOf[T any](_ T, err error) error { return err }

// releaseOf is the error of a constructor whose object the test does not keep.
func releaseOf[T interface{ Release() }](made T, err error) error {
	if err == nil {
		made.Release()
	}
	return err
}

// TestSpan: sums beyond the largest number are that.
func TestSpan(t *testing.T) {
	const most = math.MaxUint
	for _, c := range [][4]uint{{0, 5, 3, 0}, {1, most, 3, 3}, {3, 5, 2, 12}, {2, most, 1, most}, {most, 2, 0, most},
		{2, most - 3, 3, most}} {
		assert.Equal(t, c[3], span(c[0], c[1], c[2]), "%v", c)
	}
}
