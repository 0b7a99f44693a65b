package mps_test

import (
	"encoding/binary"
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestGatherGradient: an element's gradient is the sum of those of the places to which it went.
func TestGatherGradient(t *testing.T) {
	d := arrays(t)
	x := newArray(t, d, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, 3, 4)
	var places []byte
	index := []int{2, 0, 2, 1}
	for _, i := range index {
		places = binary.LittleEndian.AppendUint32(places, uint32(i))
	}
	at := typedArray(t, d, mps.DataTypeInt32, places, 4)
	gv := make([]float32, 16)
	for i := range gv {
		gv[i] = float32(i + 1)
	}
	k, err := mps.NewNDArrayGatherWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	back, err := mps.NewNDArrayGatherGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	for axis, shape := range [][]int{{3, 4}, {4, 4}} { // of the gradient, by axis of the sources
		k.SetAxis(uint(axis))
		g := newArray(t, d, gv[:shape[0]*shape[1]], shape...)
		dz := newArray(t, d, nil, 3, 4)
		balanced(t, func() {
			var y, dx mps.NDArray
			mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
				var state mps.State
				y, state = k.EncodeToCommandBufferPrimarySourceArraySecondarySourceArrayResultStateOutputStateIsTemporary(cb,
					x, at, false)
				defer state.Release()
				dx = back.EncodeToCommandBufferPrimarySourceArray(cb, x, at, g, state)
				back.EncodeToCommandBufferPrimarySourceArraySecondarySourceArray(cb, x, at, g, state, dz)
			})
			assert.EqualValues(t, 4, y.LengthOfDimension(uint(axis)))
			want := make([]float32, 12)
			for i, v := range gv[:shape[0]*shape[1]] {
				r, c := i/4, i%4
				if axis == 0 {
					c = index[c]
				} else {
					r = index[r]
				}
				want[r*4+c] += v
			}
			assert.Equal(t, want, elements(dx), "axis %d", axis)
			assert.Equal(t, want, elements(dz), "axis %d", axis)
		})
	}
	mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
		g := newArray(t, d, gv, 4, 4)
		mpstest.Refused(t, func() { back.EncodeToCommandBufferPrimarySourceArray(cb, x, at, g, mps.State{}) })
		slice, err := mps.NewNDArrayStridedSliceWithDevice(d)
		require.NoError(t, err)
		defer slice.Release()
		_, state := slice.EncodeToCommandBufferSourceArrayResultStateOutputStateIsTemporary(cb, x, true)
		defer state.Release()
		mpstest.Refused(t, func() { back.EncodeToCommandBufferPrimarySourceArray(cb, x, at, g, state) },
			"a state of an MPSNDArrayStridedSlice for the gradient of an MPSNDArrayGather")
	})
}

// TestStridedSliceGradient: the gradient is that of the elements that were taken, and 0 elsewhere.
func TestStridedSliceGradient(t *testing.T) {
	d := arrays(t)
	x := newArray(t, d, []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 2, 5)
	g := newArray(t, d, []float32{1, 2, 3}, 1, 3)
	k, err := mps.NewNDArrayStridedSliceWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	k.SetStrides(mps.NDArrayOffsets{Dimensions: [16]int{2, 2}})
	back, err := mps.NewNDArrayStridedSliceGradientWithDevice(d)
	require.NoError(t, err)
	defer back.Release()
	y := newArray(t, d, nil, 1, 3)
	balanced(t, func() {
		var dx mps.NDArray
		mpstest.Encoded(t, d, func(cb mtl.CommandBuffer) {
			state := k.ResultStateForSourceArrays([]mps.NDArray{x}, nil, y)
			k.EncodeToCommandBufferSourceArrayResultState(cb, x, state, y)
			dx = back.EncodeToCommandBufferSourceArray(cb, x, g, state)
		})
		assert.Equal(t, []float32{1, 3, 5}, elements(y))
		assert.Equal(t, []float32{1, 0, 2, 0, 3, 0, 0, 0, 0, 0}, elements(dx))
	})
	base, err := mps.NewNDArrayMultiaryGradientKernelWithDevice(d, 1, 0)
	require.NoError(t, err)
	defer base.Release()
	allocator, err := mps.NDArrayDefaultAllocator()
	require.NoError(t, err)
	base.SetDestinationArrayAllocator(allocator)
	mpstest.Refused(t, func() { _, _ = mps.NewNDArrayMultiaryGradientKernelWithDevice(d, 1, 1) },
		"the gradient of source 1 of 1")
}
