package mtl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScriptedTextures(t *testing.T) {
	clean(t)
	texture := newScripted(t, "MTLTexture", plainTexture())
	desc := newScripted(t, "MTLTextureDescriptor", plainTexture())
	gpu := newScripted(t, "MTLDevice", appleGPU())
	d, td := DeviceFrom(gpu.ID()), TextureDescriptorFrom(desc.ID())

	_, err := d.NewTexture(td)
	require.ErrorIs(t, err, ErrMemory, "nil")
	gpu.reply("newTextureWithDescriptor:", texture.Word())
	x, err := d.NewTexture(td)
	require.NoError(t, err)
	assert.Equal(t, texture.ID(), x.ID())
	assert.Equal(t, []uintptr{desc.Word()}, gpu.took("newTextureWithDescriptor:"))
	x.Release()
	desc.reply("width", 20000)
	_, err = d.NewTexture(td)
	limitOf(t, err, ErrLength)
	assert.Nil(t, gpu.took("newTextureWithDescriptor:"), "nothing is sent after a failed check")
	desc.reply("width", 64)

	desc.reply("textureType", uintptr(TextureType2DMultisample))
	desc.reply("sampleCount", 4)
	desc.reply("storageMode", uintptr(StorageModePrivate))
	gpu.reply("supportsTextureSampleCount:", 0)
	_, err = d.NewTexture(td)
	require.ErrorIs(t, err, ErrArgument)
	desc.reply("textureType", uintptr(TextureType2D))
	desc.reply("sampleCount", 1)

	gpu.reply("newSharedTextureWithDescriptor:", texture.Word())
	x, err = d.NewSharedTexture(td)
	require.NoError(t, err)
	x.Release()
	desc.reply("storageMode", 0)
	_, err = d.NewSharedTexture(td)
	require.ErrorIs(t, err, ErrStorageMode)
	_, err = d.NewTextureWithIOSurface(td, 0, 0)
	require.ErrorIs(t, err, ErrNil)
	gpu.reply("newTextureWithDescriptor:iosurface:plane:", texture.Word())
	x, err = d.NewTextureWithIOSurface(td, 0x1000, 1)
	require.NoError(t, err)
	x.Release()
	desc.reply("mipmapLevelCount", 2)
	_, err = d.NewTextureWithIOSurface(td, 0x1000, 1)
	require.ErrorIs(t, err, ErrArgument)
}

func TestScriptedSharedTexture(t *testing.T) {
	clean(t)
	texture := newScripted(t, "MTLTexture", plainTexture())
	gpu := newScripted(t, "MTLDevice", appleGPU())
	d, x := DeviceFrom(gpu.ID()), TextureFrom(texture.ID())
	_, err := x.NewSharedTextureHandle()
	require.ErrorIs(t, err, ErrState)
	other := newScripted(t, "MTLDevice", nil)
	handle := newScripted(t, "MTLSharedTextureHandle", map[string][]uintptr{"device": answer(other.Word())})
	texture.reply("isShareable", 1)
	texture.reply("newSharedTextureHandle", handle.Word())
	h, err := x.NewSharedTextureHandle()
	require.NoError(t, err)
	_, err = d.NewSharedTextureWithHandle(h)
	require.ErrorIs(t, err, ErrDevice)
	other.reply("registryID", 7)
	gpu.reply("newSharedTextureWithHandle:", texture.Word())
	y, err := d.NewSharedTextureWithHandle(h)
	require.NoError(t, err)
	y.Release()
	h.Release()
}

func TestScriptedTexels(t *testing.T) {
	clean(t)
	texture := newScripted(t, "MTLTexture", plainTexture())
	x := TextureFrom(texture.ID())
	pixels := make([]byte, 64*32*4)
	whole := Region{Size: Size{64, 32, 1}}
	require.NoError(t, x.ReplaceRegion(whole, 0, pixels, 256))
	args := texture.took("replaceRegion:mipmapLevel:withBytes:bytesPerRow:")
	assert.Equal(t, []uintptr{0, 0, 0, 64, 32, 1, 0}, args[:7])
	assert.NotZero(t, args[7])
	assert.EqualValues(t, 256, args[8])
	require.NoError(t, x.GetBytes(pixels, 256, whole, 0))
	assert.NotNil(t, texture.took("getBytes:bytesPerRow:fromRegion:mipmapLevel:"))
	require.NoError(t, x.ReplaceRegionSlice(whole, 0, 0, pixels, 256, 0))
	require.NoError(t, x.GetBytesSlice(pixels, 256, 0, whole, 0, 0))

	limitOf(t, x.ReplaceRegion(whole, 0, pixels[1:], 256), ErrLength)
	limitOf(t, x.GetBytes(nil, 256, whole, 0), ErrLength)
	require.ErrorIs(t, x.GetBytesSlice(pixels, 256, 0, whole, 0, 1), ErrIndex)
	require.ErrorIs(t, x.ReplaceRegionSlice(whole, 1, 0, pixels, 256, 0), ErrIndex)
	texture.reply("storageMode", uintptr(StorageModePrivate))
	require.ErrorIs(t, x.ReplaceRegion(whole, 0, pixels, 256), ErrStorageMode)
	assert.Nil(t, texture.took("replaceRegion:mipmapLevel:withBytes:bytesPerRow:"))
	assert.Nil(t, texture.took("getBytes:bytesPerRow:fromRegion:mipmapLevel:"))
}

func TestScriptedViews(t *testing.T) {
	clean(t)
	view := newScripted(t, "MTLTexture", plainTexture())
	texture := newScripted(t, "MTLTexture", plainTexture())
	x := TextureFrom(texture.ID())
	one := Range{0, 1}
	_, err := x.NewView(PixelFormatRGBA8Unorm_sRGB)
	require.ErrorIs(t, err, ErrArgument, "nil")
	for _, s := range []string{"newTextureViewWithPixelFormat:",
		"newTextureViewWithPixelFormat:textureType:levels:slices:",
		"newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:", "newTextureViewWithDescriptor:"} {
		texture.reply(s, view.Word())
	}
	desc := newScripted(t, "MTLTextureViewDescriptor", map[string][]uintptr{
		"pixelFormat": answer(uintptr(PixelFormatRGBA8Unorm)), "textureType": answer(uintptr(TextureType2D)),
		"levelRange": answer(0, 1), "sliceRange": answer(0, 1),
	})
	swizzle := TextureSwizzleChannels{TextureSwizzleRed, TextureSwizzleRed, TextureSwizzleRed, TextureSwizzleOne}
	for _, make := range []func() (Texture, error){
		func() (Texture, error) { return x.NewView(PixelFormatRGBA8Unorm_sRGB) },
		func() (Texture, error) { return x.NewViewOf(PixelFormatRGBA8Unorm, TextureType2D, one, one) },
		func() (Texture, error) {
			return x.NewViewWithSwizzle(PixelFormatRGBA8Unorm, TextureType2D, one, one, swizzle)
		},
		func() (Texture, error) { return x.NewViewWithDescriptor(TextureViewDescriptorFrom(desc.ID())) },
	} {
		v, err := make()
		require.NoError(t, err)
		assert.Equal(t, view.ID(), v.ID())
		v.Release()
	}
	_, err = x.NewView(PixelFormatR32Float)
	require.ErrorIs(t, err, ErrArgument)
	_, err = x.NewViewOf(PixelFormatRGBA8Unorm, TextureType2D, Range{0, 2}, one)
	require.ErrorIs(t, err, ErrIndex)
	_, err = x.NewViewWithSwizzle(PixelFormatRGBA8Unorm, TextureType2D, one, one, TextureSwizzleChannels{Alpha: 99})
	require.ErrorIs(t, err, ErrArgument)
	desc.reply("sliceRange", 1, 1)
	_, err = x.NewViewWithDescriptor(TextureViewDescriptorFrom(desc.ID()))
	require.ErrorIs(t, err, ErrIndex)
	_, err = x.NewViewWithDescriptor(TextureViewDescriptor{})
	require.ErrorIs(t, err, ErrNil)

	own := newScripted(t, "MTLDevice", map[string][]uintptr{"peerGroupID": answer(5)})
	peer := newScripted(t, "MTLDevice", map[string][]uintptr{"peerGroupID": answer(5)})
	texture.reply("device", own.Word())
	_, err = x.NewRemoteTextureView(DeviceFrom(peer.ID()))
	require.ErrorIs(t, err, ErrStorageMode)
	texture.reply("storageMode", uintptr(StorageModePrivate))
	_, err = x.NewRemoteTextureView(DeviceFrom(own.ID()))
	require.ErrorIs(t, err, ErrDevice)
	texture.reply("newRemoteTextureViewForDevice:", view.Word())
	v, err := x.NewRemoteTextureView(DeviceFrom(peer.ID()))
	require.NoError(t, err)
	v.Release()
}

func TestScriptedTextureMemory(t *testing.T) {
	clean(t)
	gpu := newScripted(t, "MTLDevice", appleGPU())
	texture := newScripted(t, "MTLTexture", plainTexture())
	desc := newScripted(t, "MTLTextureDescriptor", plainTexture())
	td := TextureDescriptorFrom(desc.ID())
	buffer := newScripted(t, "MTLBuffer", map[string][]uintptr{
		"device": answer(gpu.Word()), "length": answer(256 * 33),
		"newTextureWithDescriptor:offset:bytesPerRow:": answer(texture.Word())})
	b := BufferFrom(buffer.ID())
	x, err := b.NewTexture(td, 256, 256)
	require.NoError(t, err)
	x.Release()
	assert.Equal(t, []uintptr{desc.Word(), 256, 256}, buffer.took("newTextureWithDescriptor:offset:bytesPerRow:"))
	_, err = b.NewTexture(td, 255, 256)
	limitOf(t, err, ErrAlignment)
	_, err = b.NewTexture(td, 512, 256)
	limitOf(t, err, ErrLength)
	buffer.reply("storageMode", uintptr(StorageModePrivate))
	_, err = b.NewTexture(td, 256, 256)
	require.ErrorIs(t, err, ErrStorageMode)
	desc.reply("pixelFormat", uintptr(PixelFormatBC1_RGBA))
	buffer.reply("storageMode", 0)
	_, err = b.NewTexture(td, 256, 256)
	require.ErrorIs(t, err, ErrArgument)
	desc.reply("pixelFormat", uintptr(PixelFormatRGBA8Unorm))

	heap := newScripted(t, "MTLHeap", map[string][]uintptr{"device": answer(gpu.Word()), "size": answer(8192),
		"maxAvailableSizeWithAlignment:": answer(4096), "newTextureWithDescriptor:": answer(texture.Word()),
		"newTextureWithDescriptor:offset:": answer(texture.Word())})
	h := HeapFrom(heap.ID())
	x, err = h.NewTexture(td)
	require.NoError(t, err)
	x.Release()
	_, err = h.NewTextureWithOffset(td, 0)
	require.ErrorIs(t, err, ErrState)
	heap.reply("maxAvailableSizeWithAlignment:", 4095)
	_, err = h.NewTexture(td)
	limitOf(t, err, ErrMemory)
	heap.reply("type", uintptr(HeapTypeSparse))
	x, err = h.NewTexture(td)
	require.NoError(t, err)
	x.Release()
	heap.reply("type", uintptr(HeapTypePlacement))
	_, err = h.NewTexture(td)
	require.ErrorIs(t, err, ErrState)
	x, err = h.NewTextureWithOffset(td, 4096)
	require.NoError(t, err)
	x.Release()
	_, err = h.NewTextureWithOffset(td, 4097)
	limitOf(t, err, ErrAlignment)
	_, err = h.NewTextureWithOffset(td, 4096+256)
	limitOf(t, err, ErrLength)
	heap.reply("newTextureWithDescriptor:offset:", 0)
	_, err = h.NewTextureWithOffset(td, 0)
	require.ErrorIs(t, err, ErrMemory)
}
