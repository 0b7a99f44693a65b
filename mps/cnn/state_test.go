package cnn_test

import (
	"testing"

	"github.com/puremetal/puremetal/internal/test/mpstest"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mps/cnn"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestState: resources of states, which exist when they are first used.
func TestState(t *testing.T) {
	d := mpstest.ImageFramework(t)
	desc, err := mtl.NewTextureDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetPixelFormat(mtl.PixelFormatR32Float)
	desc.SetWidth(3)
	desc.SetHeight(5)
	list, err := mps.NewStateResourceList()
	require.NoError(t, err)
	defer list.Release()
	list.AppendBuffer(24)
	list.AppendTexture(desc)
	s, err := mps.NewStateWithDeviceResourceList(d, list)
	require.NoError(t, err)
	defer s.Release()
	require.EqualValues(t, 2, s.ResourceCount())
	assert.Equal(t, mps.StateResourceTypeBuffer, s.ResourceTypeAtIndex(0))
	assert.Equal(t, mps.StateResourceTypeTexture, s.ResourceTypeAtIndex(1))
	assert.Equal(t, mps.StateResourceTypeNone, s.ResourceTypeAtIndex(2))
	assert.EqualValues(t, 24, s.BufferSizeAtIndex(0))
	info := s.TextureInfoAtIndex(1)
	assert.EqualValues(t, [2]uint{3, 5}, [2]uint{info.Width, info.Height})
	assert.Equal(t, mtl.PixelFormatR32Float, info.PixelFormat)
	assert.True(t, s.ResourceAtIndex(0, false).IsNil())
	buffer := mtl.BufferFrom(s.ResourceAtIndex(0, true).ID())
	assert.EqualValues(t, 24, buffer.Length())
	//lint:ignore SA1019 states of one resource still answer it
	assert.Equal(t, buffer.ID(), s.Resource().ID())
	assert.NotZero(t, s.ResourceSize())
	assert.EqualValues(t, 3, mtl.TextureFrom(s.ResourceAtIndex(1, true).ID()).Width())
	assert.False(t, s.IsTemporary())

	of, err := mps.NewStateWithResources([]mtl.Resource{mtl.ResourceFrom(buffer.ID())})
	require.NoError(t, err)
	defer of.Release()
	assert.Equal(t, buffer.ID(), of.ResourceAtIndex(0, false).ID())
	assert.Contains(t, mpstest.FaultsOf(t, func() { s.BufferSizeAtIndex(2) }), "resource 2 of a state that has 2")
	assert.Contains(t, mpstest.FaultsOf(t, func() { s.TextureInfoAtIndex(0) }), "resource 0 is a buffer")
	assert.Contains(t, mpstest.FaultsOf(t, func() { _, _ = mps.NewStateWithDevice(d, 0) }), "a buffer of 0 bytes")
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		temporary, err := mps.TemporaryStateWithCommandBufferBufferSize(cb, 16)
		require.NoError(t, err)
		assert.True(t, temporary.IsTemporary())
		assert.EqualValues(t, 1, temporary.ReadCount())
		temporary.SetReadCount(3)
		assert.EqualValues(t, 3, temporary.ReadCount())
	})
}

// onQueue calls f with a command buffer, and runs it.
func onQueue(t *testing.T, d mtl.Device, f func(cb mtl.CommandBuffer)) {
	t.Helper()
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	objc.Pool(func() {
		cb, err := q.CommandBuffer()
		require.NoError(t, err)
		f(cb)
		require.NoError(t, cb.Commit())
		require.NoError(t, cb.WaitUntilCompleted())
	})
}

// TestDefaultPadding: policies, their opposites and the allocators of result images.
func TestDefaultPadding(t *testing.T) {
	d := mpstest.ImageFramework(t)
	p, err := cnn.NNDefaultPaddingWithMethod(cnn.NNPaddingMethodSizeFull | cnn.NNPaddingMethodAlignTopLeft)
	require.NoError(t, err)
	method := func(o objc.Object) cnn.NNPaddingMethod { return cnn.NNPaddingFrom(o.ID()).PaddingMethod() }
	assert.Equal(t, cnn.NNPaddingMethodSizeFull|cnn.NNPaddingMethodAlignTopLeft, method(p.Object))
	inverse, err := cnn.NNPaddingFrom(p.ID()).Inverse()
	require.NoError(t, err)
	assert.Equal(t, cnn.NNPaddingMethodAlignTopLeft, method(inverse.Object))
	same, err := cnn.NNDefaultPaddingForTensorflowAveragePooling()
	require.NoError(t, err)
	assert.NotZero(t, method(same.Object)&cnn.NNPaddingMethodSizeSame)
	assert.Contains(t, mpstest.FaultsOf(t, func() { _, _ = cnn.NNDefaultPaddingWithMethod(cnn.NNPaddingMethodCustom) }),
		"is custom")

	k, err := cnn.NewKernelWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	assert.Equal(t, cnn.NNPaddingMethodSizeSame, k.Padding().PaddingMethod())
	k.SetPadding(cnn.NNPaddingFrom(p.ID()))
	assert.Equal(t, p.ID(), k.Padding().ID())
	temporary, err := mps.TemporaryImageDefaultAllocator()
	require.NoError(t, err)
	assert.Equal(t, temporary.ID(), k.DestinationImageAllocator().ID())
	lasting, err := mps.ImageDefaultAllocator()
	require.NoError(t, err)
	k.SetDestinationImageAllocator(lasting)
	assert.Equal(t, lasting.ID(), k.DestinationImageAllocator().ID())
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		desc, err := mps.ImageDescriptorWithChannelFormat(mps.ImageFeatureChannelFormatFloat32, 4, 3, 2)
		require.NoError(t, err)
		m := lasting.ImageForCommandBuffer(cb, desc, k.Kernel)
		assert.EqualValues(t, [3]uint{4, 3, 2}, [3]uint{m.Width(), m.Height(), m.FeatureChannels()})
		batch, err := temporary.ImageBatchForCommandBuffer(cb, desc, k.Kernel, 3)
		require.NoError(t, err)
		assert.Len(t, batch, 3)
		assert.EqualValues(t, 1, mps.TemporaryImageFrom(batch[2].ID()).ReadCount())
	})
	m := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 3, 3, 1, 1)
	n := mpstest.NewTestImage(t, d, mps.ImageFeatureChannelFormatFloat32, 3, 3, 1, 1)
	assert.Contains(t, mpstest.FaultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, m, n) })
	}), "the class is abstract")
}
