package mps

import (
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestState: resources of states, which exist when they are first used.
func TestState(t *testing.T) {
	d := imageFramework(t)
	desc, err := mtl.NewTextureDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetPixelFormat(mtl.PixelFormatR32Float)
	desc.SetWidth(3)
	desc.SetHeight(5)
	list, err := NewStateResourceList()
	require.NoError(t, err)
	defer list.Release()
	list.AppendBuffer(24)
	list.AppendTexture(desc)
	s, err := NewStateWithDeviceResourceList(d, list)
	require.NoError(t, err)
	defer s.Release()
	require.EqualValues(t, 2, s.ResourceCount())
	assert.Equal(t, StateResourceTypeBuffer, s.ResourceTypeAtIndex(0))
	assert.Equal(t, StateResourceTypeTexture, s.ResourceTypeAtIndex(1))
	assert.Equal(t, StateResourceTypeNone, s.ResourceTypeAtIndex(2))
	assert.EqualValues(t, 24, s.BufferSizeAtIndex(0))
	info := s.TextureInfoAtIndex(1)
	assert.EqualValues(t, [2]uint{3, 5}, [2]uint{info.Width, info.Height})
	assert.Equal(t, mtl.PixelFormatR32Float, info.PixelFormat)
	assert.True(t, s.ResourceAtIndex(0, false).IsNil())
	buffer := mtl.BufferFrom(s.ResourceAtIndex(0, true).ID())
	assert.EqualValues(t, 24, buffer.Length())
	assert.Equal(t, buffer.ID(), s.Resource().ID())
	assert.NotZero(t, s.ResourceSize())
	assert.EqualValues(t, 3, mtl.TextureFrom(s.ResourceAtIndex(1, true).ID()).Width())
	assert.False(t, s.IsTemporary())

	of, err := NewStateWithResources([]mtl.Resource{mtl.ResourceFrom(buffer.ID())})
	require.NoError(t, err)
	defer of.Release()
	assert.Equal(t, buffer.ID(), of.ResourceAtIndex(0, false).ID())
	assert.Contains(t, faultsOf(t, func() { s.BufferSizeAtIndex(2) }), "resource 2 of a state that has 2")
	assert.Contains(t, faultsOf(t, func() { s.TextureInfoAtIndex(0) }), "resource 0 is a buffer")
	assert.Contains(t, faultsOf(t, func() { _, _ = NewStateWithDevice(d, 0) }), "a buffer of 0 bytes")
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		temporary, err := TemporaryStateWithCommandBufferBufferSize(cb, 16)
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
	d := imageFramework(t)
	p, err := NNDefaultPaddingWithMethod(NNPaddingMethodSizeFull | NNPaddingMethodAlignTopLeft)
	require.NoError(t, err)
	method := func(o objc.Object) NNPaddingMethod { return NNPaddingFrom(o.ID()).PaddingMethod() }
	assert.Equal(t, NNPaddingMethodSizeFull|NNPaddingMethodAlignTopLeft, method(p.Object))
	inverse, err := NNPaddingFrom(p.ID()).Inverse()
	require.NoError(t, err)
	assert.Equal(t, NNPaddingMethodAlignTopLeft, method(inverse.Object))
	same, err := NNDefaultPaddingForTensorflowAveragePooling()
	require.NoError(t, err)
	assert.NotZero(t, method(same.Object)&NNPaddingMethodSizeSame)
	assert.Contains(t, faultsOf(t, func() { _, _ = NNDefaultPaddingWithMethod(NNPaddingMethodCustom) }), "is custom")

	k, err := NewCNNKernelWithDevice(d)
	require.NoError(t, err)
	defer k.Release()
	assert.Equal(t, NNPaddingMethodSizeSame, k.Padding().PaddingMethod())
	k.SetPadding(NNPaddingFrom(p.ID()))
	assert.Equal(t, p.ID(), k.Padding().ID())
	temporary, err := TemporaryImageDefaultAllocator()
	require.NoError(t, err)
	assert.Equal(t, temporary.ID(), k.DestinationImageAllocator().ID())
	lasting, err := ImageDefaultAllocator()
	require.NoError(t, err)
	k.SetDestinationImageAllocator(lasting)
	assert.Equal(t, lasting.ID(), k.DestinationImageAllocator().ID())
	onQueue(t, d, func(cb mtl.CommandBuffer) {
		desc, err := ImageDescriptorWithChannelFormat(ImageFeatureChannelFormatFloat32, 4, 3, 2)
		require.NoError(t, err)
		m := lasting.ImageForCommandBuffer(cb, desc, k.Kernel)
		assert.EqualValues(t, [3]uint{4, 3, 2}, [3]uint{m.Width(), m.Height(), m.FeatureChannels()})
		batch, err := temporary.ImageBatchForCommandBuffer(cb, desc, k.Kernel, 3)
		require.NoError(t, err)
		assert.Len(t, batch, 3)
		assert.EqualValues(t, 1, TemporaryImageFrom(batch[2].ID()).ReadCount())
	})
	m := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 3, 3, 1, 1)
	n := newTestImage(t, d, ImageFeatureChannelFormatFloat32, 3, 3, 1, 1)
	assert.Contains(t, faultsOf(t, func() {
		onQueue(t, d, func(cb mtl.CommandBuffer) { k.EncodeToCommandBufferDestinationImage(cb, m, n) })
	}), "the class is abstract")
}
