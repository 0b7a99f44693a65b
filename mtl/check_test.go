package mtl

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Checks over plain values, on every platform.

const call = check("call")

func TestCheckFlags(t *testing.T) {
	require.NoError(t, call.flags("x", 3, 7))
	require.ErrorIs(t, call.flags("x", 0, 7), ErrArgument)
	assert.ErrorContains(t, call.flags("x", 9, 7), "0x8 is not allowed, 0x7 is")
}

func TestCheckSlots(t *testing.T) {
	require.NoError(t, call.slots("x", 0, 31, 30))
	require.NoError(t, call.slots("x", 30, 0, 30))
	assert.Equal(t, uint64(31), limitOf(t, call.slots("x", 1, 31, 30), ErrIndex).Value)
	limitOf(t, call.slots("x", 31, 0, 30), ErrIndex)
	limitOf(t, call.slots("x", math.MaxUint, 2, 30), ErrIndex)
}

func TestCheckEntries(t *testing.T) {
	require.NoError(t, call.entries("x", Range{0, 4}, 4))
	require.NoError(t, call.entries("x", Range{4, 0}, 4))
	limitOf(t, call.entries("x", Range{5, 0}, 4), ErrIndex)
	limitOf(t, call.entries("x", Range{1, 4}, 4), ErrLength)
	limitOf(t, call.entries("x", Range{1, math.MaxUint}, 4), ErrLength)
	require.NoError(t, call.entry("x", 3, 4))
	limitOf(t, call.entry("x", 4, 4), ErrIndex)
	require.ErrorIs(t, call.entry("x", 0, 0), ErrIndex)
}

func TestCheckThreadgroup(t *testing.T) {
	d := &deviceFacts{maxThreads: Size{1024, 512, 64}, maxThreadgroupMemory: 1 << 15}
	p := &pipelineFact{maxThreads: 768}
	for _, ok := range []Size{{1, 1, 1}, {768, 1, 1}, {1, 512, 1}, {12, 1, 64}} {
		require.NoError(t, call.threadgroup(ok, p, d), ok)
	}
	for _, bad := range []struct {
		size  Size
		value uint64
		limit uint64
	}{
		{Size{0, 1, 1}, 0, 1}, {Size{1, 0, 1}, 0, 1}, {Size{1, 1, 0}, 0, 1}, {Size{}, 0, 1},
		{Size{1025, 1, 1}, 1025, 1024}, {Size{1, 513, 1}, 513, 512}, {Size{1, 1, 65}, 65, 64},
		{Size{769, 1, 1}, 769, 768}, {Size{16, 16, 4}, 1024, 768},
	} {
		l := limitOf(t, call.threadgroup(bad.size, p, d), ErrThreadgroupSize)
		assert.Equal(t, bad.value, l.Value, bad.size)
		assert.Equal(t, bad.limit, l.Limit, bad.size)
	}
	limitOf(t, call.threadgroup(Size{1 << 33, 1 << 33, 1 << 33}, p, nil), ErrThreadgroupSize)
	limitOf(t, call.threadgroup(line(1025), nil, nil), ErrThreadgroupSize)
	require.NoError(t, call.threadgroup(line(1024), nil, nil))
	p.required = Size{8, 8, 1}
	require.NoError(t, call.threadgroup(Size{8, 8, 1}, p, d))
	err := call.threadgroup(line(64), p, d)
	require.ErrorIs(t, err, ErrThreadgroupSize)
	assert.ErrorContains(t, err, "threadgroup is 64 x 1 x 1, the pipeline requires 8 x 8 x 1")
}

func TestCheckGrid(t *testing.T) {
	one := Size{1, 1, 1}
	require.NoError(t, call.grid(Size{math.MaxUint32, 1, 1}, one))
	require.NoError(t, call.grid(Size{1 << 20, 1 << 20, 1 << 20}, one))
	limitOf(t, call.grid(Size{1, 1, 1 << 32}, one), ErrGridSize)
	limitOf(t, call.grid(Size{1, 1 << 31, 1}, Size{1, 2, 1}), ErrGridSize)
	limitOf(t, call.grid(Size{math.MaxUint, 1, 1}, Size{3, 1, 1}), ErrGridSize)
	require.ErrorIs(t, call.grid(Size{1 << 31, 1 << 31, 1 << 31}, one), ErrGridSize, "the product")
	limitOf(t, call.grid(Size{1, 1, 0}, one), ErrGridSize)
	require.ErrorIs(t, call.threadGrid(one, &deviceFacts{}), ErrUnsupported)
	require.NoError(t, call.threadGrid(one, &deviceFacts{nonUniform: true}))
	require.NoError(t, call.threadGrid(one, nil))
}

func TestVolume(t *testing.T) {
	for _, c := range []struct {
		s    Size
		want uint64
	}{
		{Size{2, 3, 4}, 24}, {Size{0, 1 << 40, 1 << 40}, 0}, {Size{1 << 40, 1 << 40, 0}, 0},
		{Size{1 << 32, 1 << 32, 1}, math.MaxUint64}, {Size{1 << 32, 1, 1 << 32}, math.MaxUint64},
	} {
		assert.Equal(t, c.want, volume(c.s), c.s)
	}
}

func TestCheckMemory(t *testing.T) {
	require.NoError(t, call.memory(16384, 16384, nil))
	limitOf(t, call.memory(16384, 16400, nil), ErrThreadgroupMemory)
	require.NoError(t, call.memory(0, 65536, &deviceFacts{maxThreadgroupMemory: 65536}))

	s := &computeState{pipeline: &pipelineFact{maxThreads: 64, staticMemory: 30000}}
	limitOf(t, s.reserve(call, 4096, 0, nil), ErrThreadgroupMemory)
	require.NoError(t, s.reserve(call, 2048, 0, nil))
	s.pipeline = &pipelineFact{maxThreads: 64, staticMemory: 32000}
	limitOf(t, s.dispatch(call, line(1), nil), ErrThreadgroupMemory)
	require.NoError(t, s.reserve(call, 0, 0, nil))
	require.NoError(t, s.dispatch(call, line(1), nil))
}

func TestCheckDevice(t *testing.T) {
	a, b := &deviceFacts{registryID: 1}, &deviceFacts{registryID: 2}
	require.NoError(t, call.device("buffer", a, a))
	require.NoError(t, call.device("buffer", nil, a))
	require.NoError(t, call.device("buffer", a, nil))
	require.NoError(t, call.device("buffer", &deviceFacts{}, a))
	err := call.device("buffer", a, b)
	require.ErrorIs(t, err, ErrDevice)
	assert.ErrorContains(t, err, "buffer belongs to device 0x1, not to device 0x2")
}

func TestCheckCopyRanges(t *testing.T) {
	require.NoError(t, call.copyRanges(0, 8, 8, true, 4))
	require.NoError(t, call.copyRanges(8, 0, 8, true, 4))
	require.NoError(t, call.copyRanges(1, 3, 5, false, 1))
	require.ErrorIs(t, call.copyRanges(0, 4, 8, true, 4), ErrOverlap)
	require.ErrorIs(t, call.copyRanges(4, 0, 8, true, 4), ErrOverlap)
	require.ErrorIs(t, call.copyRanges(0, 0, 4, true, 4), ErrOverlap)
	limitOf(t, call.copyRanges(2, 0, 4, false, 4), ErrAlignment)
	limitOf(t, call.copyRanges(0, 2, 4, false, 4), ErrAlignment)
	limitOf(t, call.copyRanges(0, 0, 6, false, 4), ErrAlignment)
	limitOf(t, call.fillRange(0, 0, 4), ErrLength)
	limitOf(t, call.fillRange(2, 4, 4), ErrAlignment)
	limitOf(t, call.fillRange(4, 2, 4), ErrAlignment)
	require.NoError(t, call.fillRange(4, 8, 4))
	assert.Equal(t, uint64(4), blitUnit(&deviceFacts{}))
	assert.Equal(t, uint64(1), blitUnit(&deviceFacts{anyBlitAlignment: true}))
	assert.Equal(t, uint64(1), blitUnit(nil))
}

func TestCheckStorageMode(t *testing.T) {
	require.NoError(t, call.managedMode(StorageModeManaged))
	require.ErrorIs(t, call.managedMode(StorageModeShared), ErrStorageMode)
	require.ErrorIs(t, call.managedMode(StorageModePrivate), ErrStorageMode)
}

// image is a texture of 16 by 8 pixels with 3 levels and 2 slices.
func image(f PixelFormat) textureShape {
	return textureShape{typ: TextureType2DArray, format: f, width: 16, height: 8, depth: 1, levels: 3, samples: 1,
		arrayLength: 2}
}

func TestCheckTextureRegions(t *testing.T) {
	s := image(PixelFormatRGBA8Unorm)
	all := Size{16, 8, 1}
	require.NoError(t, call.regions(s, texturePart{}, s, texturePart{slice: 1}, all, true))
	require.NoError(t, call.regions(s, texturePart{}, s, texturePart{origin: Origin{8, 0, 0}}, Size{8, 8, 1}, true))
	require.ErrorIs(t, call.regions(s, texturePart{}, s, texturePart{origin: Origin{7, 0, 0}}, Size{8, 8, 1}, true),
		ErrOverlap)
	require.NoError(t, call.regions(s, texturePart{}, s, texturePart{origin: Origin{7, 0, 0}}, Size{8, 8, 1}, false))
	err := call.regions(s, texturePart{}, s, texturePart{level: 1}, all, false)
	require.ErrorIs(t, err, ErrRegion)
	assert.ErrorContains(t, err, "(destination texture)")
	err = call.regions(s, texturePart{slice: 2}, s, texturePart{}, all, false)
	require.ErrorIs(t, err, ErrIndex)
	assert.ErrorContains(t, err, "(source texture)")
	require.ErrorIs(t, call.regions(s, texturePart{}, image(PixelFormatR8Unorm), texturePart{}, all, false), ErrArgument)
	multi := s
	multi.samples = 4
	limitOf(t, call.regions(s, texturePart{}, multi, texturePart{}, all, false), ErrArgument)
}

func TestCheckTextureSlices(t *testing.T) {
	s := image(PixelFormatR8Unorm)
	require.NoError(t, call.sliceRanges(s, texturePart{}, s, texturePart{}, 2, 3))
	limitOf(t, call.sliceRanges(s, texturePart{}, s, texturePart{slice: 1}, 2, 1), ErrLength)
	limitOf(t, call.sliceRanges(s, texturePart{slice: 3}, s, texturePart{}, 1, 1), ErrIndex)
	limitOf(t, call.sliceRanges(s, texturePart{level: 2}, s, texturePart{level: 2}, 1, 2), ErrLength)
	limitOf(t, call.sliceRanges(s, texturePart{}, s, texturePart{level: 4}, 1, 1), ErrIndex)
	limitOf(t, call.sliceRanges(s, texturePart{}, s, texturePart{}, 0, 1), ErrLength)
	limitOf(t, call.sliceRanges(s, texturePart{}, s, texturePart{}, 1, 0), ErrLength)
	require.ErrorIs(t, call.sliceRanges(s, texturePart{}, s, texturePart{level: 1}, 1, 1), ErrRegion)
	require.ErrorIs(t, call.sliceRanges(s, texturePart{}, image(PixelFormatR16Float), texturePart{}, 1, 1), ErrArgument)
}

func TestCheckPixelMemory(t *testing.T) {
	s := image(PixelFormatRGBA8Unorm)
	size := Size{16, 8, 1}
	at := pixelPlace{bytesPerRow: 64}
	require.NoError(t, call.pixelMemory(at, 512, s, texturePart{}, size, 0))
	limitOf(t, call.pixelMemory(at, 511, s, texturePart{}, size, 0), ErrLength)
	limitOf(t, call.pixelMemory(pixelPlace{offset: 513, bytesPerRow: 64}, 512, s, texturePart{}, size, 0), ErrOffset)
	limitOf(t, call.pixelMemory(pixelPlace{offset: 2, bytesPerRow: 64}, 1024, s, texturePart{}, size, 0), ErrAlignment)
	limitOf(t, call.pixelMemory(pixelPlace{bytesPerRow: 60}, 512, s, texturePart{}, size, 0), ErrLength)
	require.ErrorIs(t, call.pixelMemory(at, 512, s, texturePart{origin: Origin{1, 0, 0}}, size, 0), ErrRegion)
	require.ErrorIs(t, call.pixelMemory(at, 512, s, texturePart{}, size, BlitOptionDepthFromDepthStencil), ErrArgument)
	require.ErrorIs(t, call.pixelMemory(at, 512, s, texturePart{}, size, 1<<10), ErrArgument)
	multi := s
	multi.samples = 4
	limitOf(t, call.pixelMemory(at, 512, multi, texturePart{}, size, 0), ErrArgument)

	both := image(PixelFormatDepth32Float_Stencil8)
	require.ErrorIs(t, call.pixelMemory(at, 512, both, texturePart{}, size, 0), ErrArgument)
	require.NoError(t, call.pixelMemory(at, 512, both, texturePart{}, size, BlitOptionDepthFromDepthStencil))
	require.NoError(t, call.pixelMemory(pixelPlace{bytesPerRow: 16}, 128, both, texturePart{}, size,
		BlitOptionStencilFromDepthStencil))
	require.ErrorIs(t, call.pixelMemory(at, 512, both, texturePart{}, size,
		BlitOptionDepthFromDepthStencil|BlitOptionStencilFromDepthStencil), ErrArgument)
}

func TestCheckFiltered(t *testing.T) {
	s := image(PixelFormatRGBA8Unorm)
	require.NoError(t, call.filtered(s))
	s.levels = 1
	limitOf(t, call.filtered(s), ErrLength)
	require.ErrorIs(t, call.filtered(image(PixelFormatBC1_RGBA)), ErrArgument)
	require.ErrorIs(t, call.filtered(image(PixelFormatDepth32Float)), ErrArgument)
}

func TestCheckTiles(t *testing.T) {
	s, tile := image(PixelFormatRGBA8Unorm), Size{8, 8, 1}
	require.NoError(t, call.tileRegion(s, tile, Region{Size: Size{2, 1, 1}}, 0, 1))
	require.NoError(t, call.tileRegion(s, tile, Region{Origin{1, 0, 0}, Size{1, 1, 1}}, 0, 0))
	require.ErrorIs(t, call.tileRegion(s, tile, Region{Origin{1, 0, 0}, Size{2, 1, 1}}, 0, 0), ErrRegion)
	require.ErrorIs(t, call.tileRegion(s, tile, Region{Size: Size{2, 1, 1}}, 1, 0), ErrRegion)
	limitOf(t, call.tileRegion(s, tile, Region{}, 0, 0), ErrRegion)
	limitOf(t, call.tileRegion(s, tile, Region{Size: Size{1, 1, 1}}, 3, 0), ErrIndex)
	limitOf(t, call.tileRegion(s, tile, Region{Size: Size{1, 1, 1}}, 0, 2), ErrIndex)
	require.ErrorIs(t, call.tileRegion(s, Size{}, Region{}, 0, 0), ErrUnsupported)
	require.NoError(t, call.mappingMode(SparseTextureMappingModeUnmap))
	limitOf(t, call.mappingMode(2), ErrArgument)
}

func TestCheckTensors(t *testing.T) {
	ok := tensorSpan{[]int{1, 0}, []int{2, 3}, []int{3, 3}}
	require.NoError(t, call.tensorRange("source", ok))
	require.ErrorIs(t, call.tensorRange("source", tensorSpan{[]int{2, 0}, []int{2, 3}, []int{3, 3}}), ErrRegion)
	require.ErrorIs(t, call.tensorRange("source", tensorSpan{[]int{-1, 0}, []int{2, 3}, []int{3, 3}}), ErrRegion)
	require.ErrorIs(t, call.tensorRange("source", tensorSpan{[]int{0, 0}, []int{0, 3}, []int{3, 3}}), ErrRegion)
	limitOf(t, call.tensorRange("source", tensorSpan{[]int{0}, []int{1, 1}, []int{3, 3}}), ErrLength)
	limitOf(t, call.tensorRange("source", tensorSpan{[]int{0, 0}, []int{1}, []int{3, 3}}), ErrLength)
	require.NoError(t, call.tensorRanges(ok, ok))
	require.ErrorIs(t, call.tensorRanges(ok, tensorSpan{dimensions: []int{2, 2}}), ErrRegion)
	limitOf(t, call.tensorRanges(ok, tensorSpan{dimensions: []int{2}}), ErrLength)
}

func TestCheckSizeType(t *testing.T) {
	n, err := call.sizeType(DataTypeUInt)
	require.NoError(t, err)
	assert.Equal(t, uint64(4), n)
	n, err = call.sizeType(DataTypeULong)
	require.NoError(t, err)
	assert.Equal(t, uint64(8), n)
	_, err = call.sizeType(DataTypeFloat)
	require.ErrorIs(t, err, ErrArgument)
}

func TestCheckAddresses(t *testing.T) {
	require.NoError(t, call.addresses("buffer", BufferRange4{64, 8}, 8))
	require.ErrorIs(t, call.addresses("buffer", BufferRange4{0, 8}, 8), ErrNil)
	limitOf(t, call.addresses("buffer", BufferRange4{64, 7}, 8), ErrLength)
	require.NoError(t, call.address("buffer", 64))
	require.ErrorIs(t, call.address("buffer", 0), ErrNil)
	limitOf(t, call.address("buffer", 66), ErrAlignment)
}

func TestCheckArgumentTables(t *testing.T) {
	require.NoError(t, largestTable.check(call))
	limitOf(t, (&tableSize{buffers: 32}).check(call), ErrIndex)
	limitOf(t, (&tableSize{textures: 129}).check(call), ErrIndex)
	limitOf(t, (&tableSize{samplers: 17}).check(call), ErrIndex)
}

func TestCheckBarriers(t *testing.T) {
	require.NoError(t, call.barrier(StageDispatch, StageBlit, VisibilityOption4None))
	require.NoError(t, call.barrier(StageAll, StageAll, VisibilityOption4Device|VisibilityOption4ResourceAlias))
	require.ErrorIs(t, call.barrier(0, StageBlit, 0), ErrArgument)
	require.ErrorIs(t, call.barrier(StageBlit, 0, 0), ErrArgument)
	require.ErrorIs(t, call.barrier(StageBlit, StageBlit, 4), ErrArgument)
}

// TestFactsAreOfOneObject fills the cache with more handles than it has places.
func TestFactsAreOfOneObject(t *testing.T) {
	var c factCache[int]
	reads := 0
	read := func(i int) int {
		return *c.get(objc.ID(i), func(objc.ID) int { reads++; return i })
	}
	for i := 1; i <= 3*factSlots; i++ {
		require.Equal(t, i, read(i))
		require.Equal(t, i, read(i))
	}
	assert.Equal(t, 3*factSlots, reads)
	assert.Zero(t, testing.AllocsPerRun(100, func() { c.get(objc.ID(3*factSlots), nil) }))
}
