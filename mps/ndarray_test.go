package mps_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// arrays runs the test where there are kernels on NDArrays.
func arrays(t *testing.T) mtl.Device {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-in of MPS has no descriptors of NDArrays")
	}
	return mpstest.Framework(t)
}

// descriptorOf describes an array of float32, the slowest dimension first.
func descriptorOf(t *testing.T, shape ...int) mps.NDArrayDescriptor {
	t.Helper()
	var sizes []uint
	for _, n := range slices.Backward(shape) {
		sizes = append(sizes, uint(n))
	}
	d, err := mps.NDArrayDescriptorWithDataTypeDimensionCount(mps.DataTypeFloat32, sizes)
	require.NoError(t, err)
	return d
}

// newArray makes an array of float32 values with a shape, the slowest dimension first.
func newArray(t *testing.T, d mtl.Device, values []float32, shape ...int) mps.NDArray {
	t.Helper()
	desc := descriptorOf(t, shape...)
	a, err := mps.NewNDArrayWithDevice(d, desc)
	require.NoError(t, err)
	t.Cleanup(a.Release)
	if values != nil {
		a.WriteBytes(bytesOf(values), nil)
	}
	return a
}

func bytesOf(v []float32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), 4*len(v))
}

// elements reads an array.
func elements(a mps.NDArray) []float32 {
	n := uint(1)
	for i := range a.NumberOfDimensions() {
		n *= a.LengthOfDimension(i)
	}
	out := make([]float32, n)
	a.ReadBytes(bytesOf(out), nil)
	return out
}

func TestNDArrayViews(t *testing.T) {
	d := arrays(t)
	v := []float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	a := newArray(t, d, v, 3, 4)
	assert.Equal(t, uint(4), a.LengthOfDimension(0))
	assert.Equal(t, uint(3), a.LengthOfDimension(1))
	assert.Equal(t, v, elements(a))

	desc := descriptorOf(t, 3, 4)
	desc.SliceDimension(0, mps.DimensionSlice{Start: 1, Length: 2})
	desc.TransposeDimension(0, 1)
	view, err := a.ArrayViewWithDescriptor(desc)
	require.NoError(t, err)
	assert.Equal(t, uint(3), view.LengthOfDimension(0))
	assert.Equal(t, []float32{1, 5, 9, 2, 6, 10}, elements(view))

	// Rows of the host with gaps.
	out := make([]float32, 18)
	a.ReadBytes(bytesOf(out), []int{4, 24})
	assert.Equal(t, []float32{0, 1, 2, 3, 0, 0, 4, 5, 6, 7, 0, 0, 8, 9, 10, 11, 0, 0}, out)
}

func TestNDArrayKernels(t *testing.T) {
	d := arrays(t)
	x := newArray(t, d, []float32{1, 2, 3, 4, 5, 6}, 2, 3)
	y := newArray(t, d, []float32{1, 0, 0, 1, 1, 1}, 3, 2)
	z := newArray(t, d, nil, 2, 2)
	product, err := mps.NewNDArrayMatrixMultiplicationWithDevice(d, 2)
	require.NoError(t, err)
	defer product.Release()
	assert.Equal(t, 1.0, product.Alpha())
	product.SetAlpha(2)
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		product.EncodeToCommandBufferDestinationArray(cb, []mps.NDArray{x, y}, z)
	})
	assert.Equal(t, []float32{8, 10, 20, 22}, elements(z))

	same, err := mps.NewNDArrayIdentityWithDevice(d)
	require.NoError(t, err)
	defer same.Release()
	var copied mps.NDArray
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		copied = same.EncodeToCommandBufferSourceArray(cb, x)
	})
	assert.Equal(t, []float32{1, 2, 3, 4, 5, 6}, elements(copied))
}
