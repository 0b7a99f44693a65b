package mtl

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func plane(change func(*textureShape)) textureShape {
	s := textureShape{typ: TextureType2D, format: PixelFormatRGBA8Unorm, width: 64, height: 32, depth: 1, levels: 1,
		samples: 1, arrayLength: 1,
		usage: TextureUsageShaderRead}
	if change != nil {
		change(&s)
	}
	return s
}

func TestTextureChecks(t *testing.T) {
	const c = check("-[T t]")
	for name, x := range map[string]struct {
		change func(*textureShape)
		tr     traits
		want   error
	}{
		"plain":      {nil, appleTraits, nil},
		"largest":    {func(s *textureShape) { s.width, s.height, s.levels = 16384, 16384, 15 }, appleTraits, nil},
		"no width":   {func(s *textureShape) { s.width = 0 }, appleTraits, ErrLength},
		"too wide":   {func(s *textureShape) { s.width = 16385 }, appleTraits, ErrLength},
		"huge":       {func(s *textureShape) { s.height = math.MaxUint }, appleTraits, ErrLength},
		"no height":  {func(s *textureShape) { s.height = 0 }, appleTraits, ErrLength},
		"no depth":   {func(s *textureShape) { s.depth = 0 }, appleTraits, ErrLength},
		"deep plane": {func(s *textureShape) { s.depth = 2 }, appleTraits, ErrLength},
		"volume": {func(s *textureShape) { s.typ, s.depth, s.levels = TextureType3D, 2048, 12 }, appleTraits,
			nil},
		"deep volume": {func(s *textureShape) { s.typ, s.depth = TextureType3D, 2049 }, appleTraits, ErrLength},
		"wide volume": {func(s *textureShape) { s.typ, s.width = TextureType3D, 2049 }, appleTraits, ErrLength},
		"line":        {func(s *textureShape) { s.typ, s.height = TextureType1D, 1 }, appleTraits, nil},
		"thick line":  {func(s *textureShape) { s.typ = TextureType1D }, appleTraits, ErrLength},
		"line with levels": {func(s *textureShape) { s.typ, s.height, s.levels = TextureType1D, 1, 2 }, appleTraits,
			ErrLength},
		"cube":        {func(s *textureShape) { s.typ, s.height = TextureTypeCube, 64 }, appleTraits, nil},
		"oblong cube": {func(s *textureShape) { s.typ = TextureTypeCube }, appleTraits, ErrLength},
		"cubes": {func(s *textureShape) { s.typ, s.height, s.arrayLength = TextureTypeCubeArray, 64, 341 },
			appleTraits, nil},
		"too many cubes": {func(s *textureShape) { s.typ, s.height, s.arrayLength = TextureTypeCubeArray, 64, 342 },
			appleTraits, ErrLength},
		"array": {func(s *textureShape) { s.typ, s.arrayLength = TextureType2DArray, 2048 }, appleTraits, nil},
		"long array": {func(s *textureShape) { s.typ, s.arrayLength = TextureType2DArray, 2049 }, appleTraits,
			ErrLength},
		"empty array":      {func(s *textureShape) { s.arrayLength = 0 }, appleTraits, ErrLength},
		"array of a plane": {func(s *textureShape) { s.arrayLength = 2 }, appleTraits, ErrLength},
		"buffer": {func(s *textureShape) { s.typ, s.width, s.height = TextureTypeTextureBuffer, 1<<28, 1 },
			appleTraits, nil},
		"long buffer": {func(s *textureShape) { s.typ, s.width, s.height = TextureTypeTextureBuffer, 1<<28+1, 1 },
			appleTraits, ErrLength},
		"levels":             {func(s *textureShape) { s.levels = 7 }, appleTraits, nil},
		"too many levels":    {func(s *textureShape) { s.levels = 8 }, appleTraits, ErrLength},
		"no levels":          {func(s *textureShape) { s.levels = 0 }, appleTraits, ErrLength},
		"samples":            {func(s *textureShape) { s.samples = 4 }, appleTraits, ErrArgument},
		"no samples":         {func(s *textureShape) { s.samples = 0 }, appleTraits, ErrArgument},
		"multisample":        {func(s *textureShape) { multisampled(s, 4) }, appleTraits, nil},
		"3 samples":          {func(s *textureShape) { multisampled(s, 3) }, appleTraits, ErrArgument},
		"1 sample":           {func(s *textureShape) { multisampled(s, 1) }, appleTraits, ErrArgument},
		"multisample levels": {func(s *textureShape) { multisampled(s, 4); s.levels = 2 }, appleTraits, ErrLength},
		"multisample shared": {func(s *textureShape) { multisampled(s, 4); s.options = 0 }, appleTraits, ErrStorageMode},
		"multisample written": {func(s *textureShape) { multisampled(s, 4); s.usage = TextureUsageShaderWrite }, appleTraits,
			ErrArgument},
		"type":           {func(s *textureShape) { s.typ = 10 }, appleTraits, ErrArgument},
		"format":         {func(s *textureShape) { s.format = 0 }, appleTraits, ErrArgument},
		"unknown format": {func(s *textureShape) { s.format = 1 << 20 }, appleTraits, ErrArgument},
		"compressed":     {func(s *textureShape) { s.format = PixelFormatASTC_6x5_LDR }, appleTraits, nil},
		"compressed line": {func(s *textureShape) { s.format, s.typ, s.height = PixelFormatBC1_RGBA, TextureType1D, 1 },
			appleTraits, ErrArgument},
		"compressed written": {func(s *textureShape) { s.format, s.usage = PixelFormatBC1_RGBA, TextureUsageShaderWrite },
			appleTraits, ErrArgument},
		"depth volume": {func(s *textureShape) { s.format, s.typ = PixelFormatDepth32Float, TextureType3D }, appleTraits,
			ErrArgument},
		"shared depth": {func(s *textureShape) { s.format = PixelFormatDepth32Float }, appleTraits, ErrStorageMode},
		"private depth": {func(s *textureShape) {
			s.format, s.options = PixelFormatDepth32Float, ResourceStorageModePrivate
		}, appleTraits, nil},
		"depth written": {func(s *textureShape) {
			s.format, s.options, s.usage = PixelFormatDepth32Float, ResourceStorageModePrivate, TextureUsageShaderWrite
		}, appleTraits, ErrArgument},
		"usage": {func(s *textureShape) { s.usage = 8 }, appleTraits, ErrArgument},
		"atomic": {func(s *textureShape) { s.usage, s.format = TextureUsageShaderAtomic, PixelFormatR32Uint },
			appleTraits, nil},
		"atomic of bytes": {func(s *textureShape) { s.usage = TextureUsageShaderAtomic }, appleTraits, ErrArgument},
		"managed":         {func(s *textureShape) { s.options = ResourceStorageModeManaged }, discreteTraits, nil},
		"managed, apple":  {func(s *textureShape) { s.options = ResourceStorageModeManaged }, appleTraits, ErrStorageMode},
		"shared, intel":   {nil, intelTraits, ErrStorageMode},
		"memoryless": {func(s *textureShape) {
			s.options, s.usage = ResourceStorageModeMemoryless, TextureUsageRenderTarget
		}, appleTraits, nil},
		"memoryless read": {func(s *textureShape) { s.options = ResourceStorageModeMemoryless }, appleTraits, ErrStorageMode},
		"memoryless on other GPUs": {func(s *textureShape) {
			s.options, s.usage = ResourceStorageModeMemoryless, TextureUsageRenderTarget
		}, discreteTraits, ErrStorageMode},
	} {
		err := c.texture(plane(x.change), x.tr)
		if x.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, x.want, name)
		}
	}
}

func multisampled(s *textureShape, n uint) {
	s.typ, s.samples, s.options = TextureType2DMultisample, n, ResourceStorageModePrivate
}

func TestLinearTextureChecks(t *testing.T) {
	const c = check("-[T t]")
	s := plane(nil) // 64 by 32 pixels of 4 bytes
	assert.NoError(t, c.linearTexture(s, 256, 256, 256+256*32, 256))
	limitOf(t, c.linearTexture(s, 255, 256, 1<<20, 256), ErrAlignment)
	limitOf(t, c.linearTexture(s, 0, 257, 1<<20, 256), ErrAlignment)
	limitOf(t, c.linearTexture(s, 0, 128, 1<<20, 64), ErrLength)
	limitOf(t, c.linearTexture(s, 256, 256, 256*32, 256), ErrLength)
	limitOf(t, c.linearTexture(s, 1<<20, 256, 256*32, 256), ErrOffset)
	limitOf(t, c.linearTexture(s, 0, math.MaxUint/256*256, 256*32, 256), ErrLength)
	require.ErrorIs(t, c.linearTexture(plane(func(s *textureShape) { s.typ = TextureTypeCube }), 0, 256, 1<<20, 256),
		ErrArgument)
	require.ErrorIs(t, c.linearTexture(plane(func(s *textureShape) { s.levels = 2 }), 0, 256, 1<<20, 256), ErrArgument)
	line := plane(func(s *textureShape) { s.typ, s.height = TextureTypeTextureBuffer, 1 })
	assert.NoError(t, c.linearTexture(line, 0, 256, 256, 32))
}

func TestTexelChecks(t *testing.T) {
	const c = check("-[T t]")
	whole := Region{Size: Size{64, 32, 1}}
	at := func(x, y, z, w, h, d uint) Region { return Region{Origin{x, y, z}, Size{w, h, d}} }
	volume := plane(func(s *textureShape) { s.typ, s.depth = TextureType3D, 8 })
	blocks := plane(func(s *textureShape) { s.format, s.width, s.height, s.levels = PixelFormatBC1_RGBA, 62, 30, 2 })
	for name, x := range map[string]struct {
		s            textureShape
		r            Region
		level, slice uint
		rows         pixelRows
		want         error
	}{
		"whole":                  {plane(nil), whole, 0, 0, pixelRows{64 * 4 * 32, 64 * 4, 0}, nil},
		"last row is short":      {plane(nil), at(0, 0, 0, 2, 2, 1), 0, 0, pixelRows{256 + 8, 256, 0}, nil},
		"too short":              {plane(nil), at(0, 0, 0, 2, 2, 1), 0, 0, pixelRows{256 + 7, 256, 0}, ErrLength},
		"no bytes":               {plane(nil), whole, 0, 0, pixelRows{0, 256, 0}, ErrLength},
		"short row":              {plane(nil), whole, 0, 0, pixelRows{1 << 20, 252, 0}, ErrLength},
		"row of part of a pixel": {plane(nil), whole, 0, 0, pixelRows{1 << 20, 258, 0}, ErrAlignment},
		"huge row":               {plane(nil), whole, 0, 0, pixelRows{1 << 20, math.MaxUint64 - 3, 0}, ErrLength},
		"empty":                  {plane(nil), at(0, 0, 0, 0, 1, 1), 0, 0, pixelRows{1 << 20, 256, 0}, ErrRegion},
		"no depth":               {plane(nil), at(0, 0, 0, 1, 1, 0), 0, 0, pixelRows{1 << 20, 256, 0}, ErrRegion},
		"beyond the right":       {plane(nil), at(63, 0, 0, 2, 1, 1), 0, 0, pixelRows{1 << 20, 256, 0}, ErrRegion},
		"beyond the bottom":      {plane(nil), at(0, 32, 0, 1, 1, 1), 0, 0, pixelRows{1 << 20, 256, 0}, ErrRegion},
		"overflow":               {plane(nil), at(2, 0, 0, math.MaxUint, 1, 1), 0, 0, pixelRows{1 << 20, 256, 0}, ErrRegion},
		"level":                  {plane(nil), whole, 1, 0, pixelRows{1 << 20, 256, 0}, ErrIndex},
		"slice":                  {plane(nil), whole, 0, 1, pixelRows{1 << 20, 256, 0}, ErrIndex},
		"no slices at all": {plane(func(s *textureShape) { s.arrayLength = 0 }), whole, 0, 0,
			pixelRows{1 << 20, 256, 0}, ErrIndex},
		"no levels at all": {plane(func(s *textureShape) { s.levels = 0 }), whole, 0, 0, pixelRows{1 << 20, 256, 0},
			ErrIndex},
		"private": {plane(func(s *textureShape) { s.options = ResourceStorageModePrivate }), whole, 0, 0,
			pixelRows{1 << 20, 256, 0}, ErrStorageMode},
		"memoryless": {plane(func(s *textureShape) { s.options = ResourceStorageModeMemoryless }), whole, 0, 0,
			pixelRows{1 << 20, 256, 0}, ErrStorageMode},
		"face of a cube": {plane(func(s *textureShape) { s.typ, s.height = TextureTypeCube, 64 }), whole, 0, 5,
			pixelRows{1 << 20, 256, 0}, nil},
		"seventh face": {plane(func(s *textureShape) { s.typ, s.height = TextureTypeCube, 64 }), whole, 0, 6,
			pixelRows{1 << 20, 256, 0}, ErrIndex},
		"smaller level": {plane(func(s *textureShape) { s.levels = 7 }), at(0, 0, 0, 1, 1, 1), 6, 0,
			pixelRows{4, 4, 0}, nil},
		"edge of smaller level": {plane(func(s *textureShape) { s.levels = 7 }), at(0, 0, 0, 2, 1, 1), 6, 0,
			pixelRows{8, 8, 0}, ErrRegion},
		"volume":                {volume, at(0, 0, 0, 64, 32, 8), 0, 0, pixelRows{64 * 4 * 32 * 8, 256, 256 * 32}, nil},
		"volume without images": {volume, at(0, 0, 0, 64, 32, 8), 0, 0, pixelRows{1 << 20, 256, 0}, ErrLength},
		"volume too short":      {volume, at(0, 0, 0, 64, 32, 8), 0, 0, pixelRows{64*4*32*8 - 1, 256, 256 * 32}, ErrLength},
		"odd image":             {volume, at(0, 0, 0, 64, 32, 8), 0, 0, pixelRows{1 << 20, 256, 256*32 + 1}, ErrAlignment},
		"one image of a volume": {volume, at(0, 0, 7, 64, 32, 1), 0, 0, pixelRows{64 * 4 * 32, 256, 0}, nil},
		"blocks":                {blocks, at(0, 0, 0, 62, 30, 1), 0, 0, pixelRows{16 * 8 * 8, 128, 0}, nil},
		"part of a block":       {blocks, at(0, 0, 0, 6, 4, 1), 0, 0, pixelRows{1 << 20, 128, 0}, ErrAlignment},
		"within a block":        {blocks, at(2, 0, 0, 4, 4, 1), 0, 0, pixelRows{1 << 20, 128, 0}, ErrAlignment},
		"blocks of level 1":     {blocks, at(28, 12, 0, 3, 3, 1), 1, 0, pixelRows{8, 8, 0}, nil},
	} {
		err := c.texels(x.s, x.r, x.level, x.slice, x.rows)
		if x.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, x.want, name)
		}
	}
}

func TestPVRTCTexels(t *testing.T) {
	const c = check("-[T t]")
	s := plane(func(s *textureShape) { s.format, s.width, s.height = PixelFormatPVRTC_RGBA_4BPP, 16, 16 })
	whole := Region{Size: Size{16, 16, 1}}
	assert.NoError(t, c.texels(s, whole, 0, 0, pixelRows{16 * 8, 0, 0}))
	limitOf(t, c.texels(s, whole, 0, 0, pixelRows{16*8 - 1, 0, 0}), ErrLength)
	require.ErrorIs(t, c.texels(s, whole, 0, 0, pixelRows{1 << 20, 32, 0}), ErrLength)
	require.ErrorIs(t, c.texels(s, Region{Size: Size{8, 8, 1}}, 0, 0, pixelRows{1 << 20, 0, 0}), ErrRegion)
}

func TestViewChecks(t *testing.T) {
	const c = check("-[T t]")
	array := plane(func(s *textureShape) { s.typ, s.arrayLength, s.levels, s.height = TextureType2DArray, 12, 7, 64 })
	all, six := Range{0, 12}, Range{6, 6}
	levels := Range{0, 7}
	for name, x := range map[string]struct {
		s              textureShape
		f              PixelFormat
		typ            TextureType
		levels, slices Range
		want           error
	}{
		"same":        {array, PixelFormatRGBA8Unorm, TextureType2DArray, levels, all, nil},
		"sRGB":        {array, PixelFormatRGBA8Unorm_sRGB, TextureType2DArray, levels, all, nil},
		"cube":        {array, PixelFormatRGBA8Unorm, TextureTypeCube, levels, six, nil},
		"cubes":       {array, PixelFormatRGBA8Unorm, TextureTypeCubeArray, Range{6, 1}, all, nil},
		"plane":       {array, PixelFormatRGBA8Unorm, TextureType2D, levels, Range{11, 1}, nil},
		"two planes":  {array, PixelFormatRGBA8Unorm, TextureType2D, levels, Range{10, 2}, ErrArgument},
		"cube of 5":   {array, PixelFormatRGBA8Unorm, TextureTypeCube, levels, Range{0, 5}, ErrArgument},
		"cubes of 7":  {array, PixelFormatRGBA8Unorm, TextureTypeCubeArray, levels, Range{0, 7}, ErrArgument},
		"no levels":   {array, PixelFormatRGBA8Unorm, TextureType2DArray, Range{0, 0}, all, ErrIndex},
		"level 7":     {array, PixelFormatRGBA8Unorm, TextureType2DArray, Range{6, 2}, all, ErrIndex},
		"huge levels": {array, PixelFormatRGBA8Unorm, TextureType2DArray, Range{1, math.MaxUint}, all, ErrIndex},
		"slice 12":    {array, PixelFormatRGBA8Unorm, TextureType2DArray, levels, Range{12, 1}, ErrIndex},
		"no slices":   {array, PixelFormatRGBA8Unorm, TextureType2DArray, levels, Range{0, 0}, ErrIndex},
		"volume":      {array, PixelFormatRGBA8Unorm, TextureType3D, levels, all, ErrArgument},
		"line":        {array, PixelFormatRGBA8Unorm, TextureType1DArray, levels, all, ErrArgument},
		"multisample": {array, PixelFormatRGBA8Unorm, TextureType2DMultisample, levels, all, ErrArgument},
		"type":        {array, PixelFormatRGBA8Unorm, 11, levels, all, ErrArgument},
		"other size":  {array, PixelFormatRGBA16Float, TextureType2DArray, levels, all, ErrArgument},
		"format":      {array, 0, TextureType2DArray, levels, all, ErrArgument},
		"format view": {array, PixelFormatR32Float, TextureType2DArray, levels, all, ErrArgument},
		"oblong cube": {plane(func(s *textureShape) { s.typ, s.arrayLength = TextureType2DArray, 6 }),
			PixelFormatRGBA8Unorm, TextureTypeCube, Range{0, 1}, Range{0, 6}, ErrArgument},
		"line as a buffer": {plane(func(s *textureShape) { s.typ, s.height = TextureType1D, 1 }), PixelFormatRGBA8Unorm,
			TextureTypeTextureBuffer, Range{0, 1}, Range{0, 1}, ErrArgument},
	} {
		err := c.view(x.s, x.f, x.typ, x.levels, x.slices)
		if x.want == nil {
			assert.NoError(t, err, name)
		} else {
			assert.ErrorIs(t, err, x.want, name)
		}
	}
	viewable := plane(func(s *textureShape) { s.usage |= TextureUsagePixelFormatView })
	assert.NoError(t, c.viewFormat(viewable, PixelFormatR32Float))
	assert.NoError(t, c.viewFormat(plane(func(s *textureShape) { s.usage = TextureUsageUnknown }), PixelFormatR32Float))
	assert.NoError(t, c.swizzle(TextureSwizzleChannels{TextureSwizzleRed, TextureSwizzleOne, TextureSwizzleZero,
		TextureSwizzleAlpha}))
	require.ErrorIs(t, c.swizzle(TextureSwizzleChannels{Red: 6}), ErrArgument)
}

func TestSaturation(t *testing.T) {
	assert.Equal(t, uint64(6), mulSat(2, 3))
	assert.Equal(t, uint64(math.MaxUint64), mulSat(1<<40, 1<<40))
	assert.Equal(t, uint64(5), addSat(2, 3))
	assert.Equal(t, uint64(math.MaxUint64), addSat(math.MaxUint64, 1))
}

// TestTextureDescriptorChecked sends what a device without texture objects can answer: the
// descriptor's own properties.
func TestTextureDescriptorChecked(t *testing.T) {
	d := testDevice(t)
	desc, err := NewTextureDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetTextureType(TextureType2D)
	desc.SetPixelFormat(PixelFormatRGBA8Unorm)
	desc.SetWidth(0)
	desc.SetHeight(1)
	_, err = d.NewTexture(desc)
	limitOf(t, err, ErrLength)
	_, err = d.NewTexture(TextureDescriptor{})
	require.ErrorIs(t, err, ErrNil)
	_, err = d.HeapTextureSizeAndAlign(desc)
	limitOf(t, err, ErrLength)
	b := testBuffer(t, d, 1024, 0)
	_, err = b.NewTexture(desc, 0, 256)
	limitOf(t, err, ErrLength)
	h := testHeap(t, d, 1<<16, HeapTypeAutomatic, StorageModePrivate)
	_, err = h.NewTexture(desc)
	limitOf(t, err, ErrLength)
	_, err = h.NewTextureWithOffset(desc, 0)
	limitOf(t, err, ErrLength)
}
