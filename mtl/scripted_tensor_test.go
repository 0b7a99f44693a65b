package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scriptedExtents makes extents of some values.
func scriptedExtents(t *testing.T, values ...int) TensorExtents {
	t.Helper()
	s := newScripted(t, "MTLTensorExtents", map[string][]uintptr{"rank": answer(uintptr(len(values)))})
	s.compute = func(c *objcsoft.Call, selector string) bool {
		if selector == "extentAtDimensionIndex:" {
			c.ReturnInt(int64(values[c.Uint(0)]))
			return true
		}
		return false
	}
	return TensorExtentsFrom(s.ID())
}

func TestScriptedTensors(t *testing.T) {
	clean(t)
	dims, strides := scriptedExtents(t, 4, 3), scriptedExtents(t, 1, 4)
	assert.Equal(t, []int{4, 3}, dims.Values())
	n, err := dims.Extent(1)
	require.NoError(t, err)
	assert.Equal(t, 3, n)
	_, err = dims.Extent(2)
	require.ErrorIs(t, err, ErrIndex)

	gpu := newScripted(t, "MTLDevice", appleGPU())
	tensor := newScripted(t, "MTLTensor",
		map[string][]uintptr{"dimensions": answer(dims.Word()), "dataType": answer(uintptr(TensorDataTypeFloat32))})
	desc := newScripted(t, "MTLTensorDescriptor",
		map[string][]uintptr{"dimensions": answer(dims.Word()), "strides": answer(strides.Word()),
			"dataType": answer(uintptr(TensorDataTypeFloat32)), "usage": answer(uintptr(TensorUsageCompute))})
	gpu.reply("newTensorWithDescriptor:error:", tensor.Word())
	gpu.reply("tensorSizeAndAlignWithDescriptor:", 48, 16)
	d, td := DeviceFrom(gpu.ID()), TensorDescriptorFrom(desc.ID())
	x, err := d.NewTensor(td)
	require.NoError(t, err)
	x.Release()
	sa, err := d.TensorSizeAndAlign(td)
	require.NoError(t, err)
	assert.Equal(t, SizeAndAlign{48, 16}, sa)
	buffer := newScripted(t, "MTLBuffer", map[string][]uintptr{"device": answer(gpu.Word()), "length": answer(64),
		"newTensorWithDescriptor:offset:error:": answer(tensor.Word())})
	b := BufferFrom(buffer.ID())
	x, err = b.NewTensor(td, 16)
	require.NoError(t, err)
	_, err = b.NewTensor(td, 20)
	limitOf(t, err, ErrLength)
	_, err = b.NewTensor(td, 2)
	limitOf(t, err, ErrAlignment)

	data, origin := make([]byte, 48), scriptedExtents(t, 0, 0)
	require.NoError(t, x.GetBytes(data, strides, origin, dims))
	require.NoError(t, x.ReplaceSlice(origin, dims, data, strides))
	limitOf(t, x.GetBytes(data[1:], strides, origin, dims), ErrLength)
	require.ErrorIs(t, x.ReplaceSlice(strides, dims, data, strides), ErrRegion)
	require.ErrorIs(t, x.ReplaceSlice(scriptedExtents(t, 0), dims, data, strides), ErrLength)
	require.ErrorIs(t, x.ReplaceSlice(TensorExtents{}, dims, data, strides), ErrNil)
	tensor.reply("storageMode", uintptr(StorageModePrivate))
	require.ErrorIs(t, x.GetBytes(data, strides, origin, dims), ErrStorageMode)
	x.Release()
	desc.reply("usage", 0)
	_, err = d.NewTensor(td)
	require.ErrorIs(t, err, ErrArgument)
	_, err = b.NewTensor(td, 0)
	require.ErrorIs(t, err, ErrArgument)
}
