package mps_test

import (
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/require"
)

// TestChecks: numbers that MPS would raise an exception for are errors that give them.
func TestChecks(t *testing.T) {
	device := mpstest.Framework(t)
	shape := make([]int, 17)
	for i := range shape {
		shape[i] = 1
	}
	buffer, err := device.NewBuffer(96, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	matrix, err := mps.MatrixDescriptorWithRowsColumnsMatrices(2, 3, 4, 12, 24, mps.DataTypeFloat32)
	require.NoError(t, err)
	vector, err := mps.VectorDescriptorWithLengthVectors(3, 4, 24, mps.DataTypeFloat32)
	require.NoError(t, err)
	mpstest.Check(t, releaseOf(mps.NewMatrixWithBuffer(buffer, matrix)), nil, "")
	mpstest.Check(t, releaseOf(mps.NewMatrixWithBufferOffset(buffer, 4, matrix)), mps.ErrLength,
		"96 bytes, want at least 96 from 4 on")
	mpstest.Check(t, releaseOf(mps.NewVectorWithBufferOffset(buffer, 12, vector)), nil, "")
	mpstest.Check(t, releaseOf(mps.NewVectorWithBufferOffset(buffer, 16, vector)), mps.ErrLength,
		"want at least 84 from 16")
	mpstest.Check(t, releaseOf(mps.NewVectorWithBufferOffset(buffer, 100, vector)), mps.ErrLength, "from 100")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixMultiplicationWithDevice(device, 2, 0, 3)), mps.ErrDimension, "[2 0 3]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixMultiplicationWithDeviceTransposeLeft(device, true, false, 2, 3, 0, 1,
		0)), mps.ErrDimension,
		"resultRows, resultColumns and interiorColumns: [2 3 0]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixVectorMultiplicationWithDevice(device, 0, 3)), mps.ErrDimension,
		"rows and columns: [0 3]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixVectorMultiplicationWithDeviceTranspose(device, true, 3, 0, 1, 0)),
		mps.ErrDimension, "[3 0]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixDecompositionCholeskyWithDeviceLower(device, true, 0)),
		mps.ErrDimension, "order")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixDecompositionLUWithDeviceRows(device, 0, 1)), mps.ErrDimension, "[0 1]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixSolveCholeskyWithDeviceUpper(device, true, 0, 1)), mps.ErrDimension,
		"order")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixSolveLUWithDeviceTranspose(device, true, 1, 0)), mps.ErrDimension,
		"numberOfRightHandSides")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixSolveTriangularWithDeviceRight(device, true, true, true, true, 2, 0,
		1)), mps.ErrDimension, "[2 0]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixSumWithDevice(device, 0, 1, 2, false)), mps.ErrDimension, "[0 1 2]")
	mpstest.Check(t, mpstest.ErrorOf(mps.NewMatrixFindTopKWithDevice(device, 17)), mps.ErrDimension, "17, want 1 to 16")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRows(3, 5, 20, mps.DataTypeFloat32)), nil, "")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRows(0, 5, 20, mps.DataTypeFloat32)), mps.ErrDimension,
		"0 rows")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRows(3, 5, 18, mps.DataTypeFloat32)), mps.ErrStride,
		"rows of 18 bytes")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRows(3, 5, 16, mps.DataTypeFloat32)), mps.ErrStride,
		"5 columns of 4")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRows(3, 5, 20, mps.DataTypeInvalid)), mps.ErrDataType,
		"0 bits")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithDimensions(3, 0, 20, mps.DataTypeFloat16)), mps.ErrDimension,
		"0 columns")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRowsColumnsMatrices(3, 5, 2, 20, 60, mps.DataTypeFloat32)),
		nil, "")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRowsColumnsMatrices(3, 5, 2, 20, 56, mps.DataTypeFloat32)),
		mps.ErrStride, "want at least 60")
	mpstest.Check(t, mpstest.ErrorOf(mps.MatrixDescriptorWithRowsColumnsMatrices(3, 5, 0, 20, 60, mps.DataTypeFloat32)),
		mps.ErrDimension, "0 matrices")
	mpstest.Check(t, mpstest.ErrorOf(mps.VectorDescriptorWithLength(0, mps.DataTypeFloat32)), mps.ErrDimension,
		"0 columns")
	mpstest.Check(t, mpstest.ErrorOf(mps.VectorDescriptorWithLengthVectors(5, 2, 18, mps.DataTypeFloat32)), mps.ErrStride,
		"18")
	mpstest.Check(t, mpstest.ErrorOf(mps.ImageDescriptorWithChannelFormat(mps.ImageFeatureChannelFormatFloat16, 4, 4, 0)),
		mps.ErrDimension, "0 feature")
	mpstest.Check(t, mpstest.ErrorOf(mps.ImageDescriptorWithChannelFormatWidthHeightFeatureChannelsNumberOfImages(
		mps.ImageFeatureChannelFormatFloat16, 4, 4, 1, 0, mtl.TextureUsageShaderRead)), mps.ErrDimension, "0 images")
	mpstest.Check(t, mpstest.ErrorOf(mps.NDArrayDescriptorWithDataType(mps.DataTypeFloat32, shape)), mps.ErrDimension,
		"17 dimensions, want at most 16")
	mpstest.Check(t, mpstest.ErrorOf(mps.NDArrayDescriptorWithDataType(mps.DataTypeFloat32, []int{2, 0})),
		mps.ErrDimension, "dimension 1 is 0")
	mpstest.Check(t, mpstest.ErrorOf(mps.NDArrayDescriptorWithDataTypeDimensionCount(mps.DataTypeInvalid, []uint{2})),
		mps.ErrDataType, "no elements")
}

// TestArrayChecks: the same for arrays, which the stand-in frameworks do not make of a shape.
func TestArrayChecks(t *testing.T) {
	if standin.Running() {
		t.Skip("the stand-in frameworks have no arrays of a shape")
	}
	device := mpstest.Framework(t)
	buffer, err := device.NewBuffer(96, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer buffer.Release()
	array, err := mps.NDArrayDescriptorWithDataType(mps.DataTypeFloat32, []int{4, 2, 3})
	require.NoError(t, err)
	mpstest.Check(t, releaseOf(mps.NewNDArrayWithBuffer(buffer, 0, array)), nil, "")
	mpstest.Check(t, releaseOf(mps.NewNDArrayWithBuffer(buffer, 4, array)), mps.ErrLength, "want at least 96 from 4")
}

// releaseOf is the error of a constructor whose object the test does not keep.
func releaseOf[T interface{ Release() }](made T, err error) error {
	if err == nil {
		made.Release()
	}
	return err
}
