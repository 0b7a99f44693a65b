package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// softID is a handle as the software runtime has it.
func softID(id objc.ID) objcsoft.ID { return objcsoft.ID(id) }

// fakeEncoder returns the state of an encoder that is encoding on a device.
func fakeEncoder(d Device) *encoderState { return &encoderState{device: deviceOf(d)} }

func TestTextureBlits(t *testing.T) {
	clean(t)
	d, _ := fakeDevice(t)
	id, sent := newFake(t, "MTLBlitCommandEncoder", "MTLCommandEncoder")
	e := BlitCommandEncoderFrom(id)
	e.state = fakeEncoder(d)
	x := fakeBuffer(t, d, 512)
	s := image(PixelFormatRGBA8Unorm)
	tex, _ := fakeTexture(t, d, s)
	other, _ := fakeTexture(t, d, s)
	s.options = ResourceStorageModeManaged
	managed, _ := fakeTexture(t, d, s)
	size := Size{16, 8, 1}

	require.ErrorIs(t, e.CopyFromTextureToTexture(tex, 0, 0, Origin{1, 0, 0}, size, other, 0, 0, Origin{}), ErrRegion)
	require.ErrorIs(t, e.CopyFromTextureToTexture(tex, 0, 0, Origin{}, size, tex, 0, 0, Origin{}), ErrOverlap)
	require.ErrorIs(t, e.CopyFromTextureToTexture(tex, 2, 0, Origin{}, size, other, 0, 0, Origin{}), ErrIndex)
	limitOf(t, e.CopyFromTextureSlices(tex, 0, 0, other, 1, 0, 2, 1), ErrLength)
	limitOf(t, e.CopyFromBufferToTexture(x, 4, 64, 512, size, tex, 0, 0, Origin{}), ErrLength)
	limitOf(t, e.CopyFromTextureToBuffer(tex, 0, 0, Origin{}, size, x, 516, 64, 512), ErrOffset)
	require.ErrorIs(t, e.CopyFromTextureToBufferOptions(tex, 0, 0, Origin{}, size, x, 0, 64, 512,
		BlitOptionStencilFromDepthStencil), ErrArgument)
	require.ErrorIs(t, e.CopyFromBufferToTextureOptions(x, 0, 64, 512, size, tex, 0, 0, Origin{},
		BlitOptionDepthFromDepthStencil), ErrArgument)
	limitOf(t, e.OptimizeContentsForGPUAccessSlice(tex, 2, 0), ErrIndex)
	limitOf(t, e.OptimizeContentsForCPUAccessSlice(tex, 0, 3), ErrIndex)
	require.ErrorIs(t, e.SynchronizeTexture(tex, 0, 0), ErrStorageMode)
	limitOf(t, e.SynchronizeTexture(managed, 0, 3), ErrIndex)
	require.ErrorIs(t, e.GetTextureAccessCounters(tex, Region{Size: Size{3, 1, 1}}, 0, 0, false, x, 0), ErrRegion)
	limitOf(t, e.GetTextureAccessCounters(tex, Region{Size: Size{2, 1, 1}}, 0, 0, false, x, 508), ErrLength)
	limitOf(t, e.ResetTextureAccessCounters(tex, Region{}, 0, 0), ErrRegion)
	assert.Zero(t, sent.count(), "nothing was sent")

	require.NoError(t, e.CopyFromTexture(tex, other))
	require.NoError(t, e.CopyFromTextureToTexture(tex, 0, 0, Origin{}, size, other, 1, 0, Origin{}))
	require.NoError(t, e.CopyFromTextureSlices(tex, 0, 0, other, 0, 0, 2, 3))
	require.NoError(t, e.CopyFromBufferToTexture(x, 0, 64, 512, size, tex, 0, 0, Origin{}))
	require.NoError(t, e.CopyFromTextureToBuffer(tex, 0, 1, Origin{}, Size{8, 4, 1}, x, 256, 64, 256))
	require.NoError(t, e.GenerateMipmapsForTexture(tex))
	require.NoError(t, e.OptimizeContentsForGPUAccess(tex))
	require.NoError(t, e.OptimizeContentsForCPUAccess(tex))
	require.NoError(t, e.OptimizeContentsForCPUAccessSlice(tex, 1, 2))
	require.NoError(t, e.OptimizeContentsForGPUAccessSlice(tex, 1, 2))
	require.NoError(t, e.SynchronizeTexture(managed, 1, 2))
	require.NoError(t, e.SynchronizeResource(managed.Resource))
	require.NoError(t, e.GetTextureAccessCounters(tex, Region{Size: Size{2, 1, 1}}, 0, 0, false, x, 504))
	require.NoError(t, e.ResetTextureAccessCounters(tex, Region{Size: Size{2, 1, 1}}, 0, 0))
	assert.Equal(t, 14, sent.count())
}

func TestResourceStates(t *testing.T) {
	clean(t)
	d, _ := fakeDevice(t)
	id, sent := newFake(t, "MTLResourceStateCommandEncoder", "MTLCommandEncoder")
	e := ResourceStateCommandEncoderFrom(id)
	e.state = fakeEncoder(d)
	tex, _ := fakeTexture(t, d, image(PixelFormatRGBA8Unorm))
	x := fakeBuffer(t, d, 64)
	region := Region{Size: Size{2, 1, 1}}

	require.ErrorIs(t, e.UpdateTextureMapping(Texture{}, 0, region, 0, 0), ErrNil)
	limitOf(t, e.UpdateTextureMapping(tex, 2, region, 0, 0), ErrArgument)
	require.ErrorIs(t, e.UpdateTextureMapping(tex, 0, region, 1, 0), ErrRegion)
	limitOf(t, e.UpdateTextureMappings(tex, 0, nil, nil, nil), ErrLength)
	limitOf(t, e.UpdateTextureMappings(tex, 0, []Region{region}, nil, []uint{0}), ErrLength)
	limitOf(t, e.UpdateTextureMappings(tex, 0, []Region{region}, []uint{0}, []uint{0, 1}), ErrLength)
	limitOf(t, e.UpdateTextureMappings(tex, 0, []Region{region}, []uint{3}, []uint{0}), ErrIndex)
	limitOf(t, e.UpdateTextureMappingIndirect(tex, 0, x, 2), ErrAlignment)
	limitOf(t, e.UpdateTextureMappingIndirect(tex, 0, x, 64), ErrLength)
	require.ErrorIs(t, e.MoveTextureMappingsFromTexture(tex, 0, 0, Origin{}, Size{3, 1, 1}, tex, 1, 0, Origin{}),
		ErrRegion)
	require.ErrorIs(t, e.UpdateFence(Fence{}), ErrNil)
	require.ErrorIs(t, e.WaitForFence(Fence{}), ErrNil)
	assert.Zero(t, sent.count(), "nothing was sent")

	fence := FenceFrom(fakeObject(t, "MTLFence"))
	require.NoError(t, e.UpdateTextureMapping(tex, 0, region, 0, 1))
	require.NoError(t, e.UpdateTextureMappings(tex, 1, []Region{region}, []uint{0}, []uint{1}))
	require.NoError(t, e.UpdateTextureMappingIndirect(tex, 0, x, 60))
	require.NoError(t, e.MoveTextureMappingsFromTexture(tex, 0, 0, Origin{}, Size{2, 1, 1}, tex, 1, 0, Origin{}))
	require.NoError(t, e.WaitForFence(fence))
	require.NoError(t, e.UpdateFence(fence))
	assert.Equal(t, 6, sent.count())
	require.NoError(t, e.EndEncoding())
	require.ErrorIs(t, e.UpdateFence(fence), ErrClosed)
}

func TestAccelerationStructures(t *testing.T) {
	clean(t)
	d, _ := fakeDevice(t)
	id, sent := newFake(t, "MTLAccelerationStructureCommandEncoder", "MTLCommandEncoder")
	e := AccelerationStructureCommandEncoderFrom(id)
	e.state = fakeEncoder(d)
	small, large, larger := fakeStructure(t, d, 999), fakeStructure(t, d, 1000), fakeStructure(t, d, 1001)
	desc := AccelerationStructureDescriptorFrom(fakeObject(t, "MTLPrimitiveAccelerationStructureDescriptor",
		"MTLAccelerationStructureDescriptor"))
	scratch := fakeBuffer(t, d, 256)

	require.ErrorIs(t, e.BuildAccelerationStructure(AccelerationStructure{}, desc, scratch, 0), ErrNil)
	require.ErrorIs(t, e.BuildAccelerationStructure(large, AccelerationStructureDescriptor{}, scratch, 0), ErrNil)
	require.ErrorIs(t, e.BuildAccelerationStructure(large, desc, Buffer{}, 0), ErrNil)
	assert.Equal(t, uint64(1000), limitOf(t, e.BuildAccelerationStructure(small, desc, scratch, 0), ErrLength).Limit)
	limitOf(t, e.BuildAccelerationStructure(large, desc, scratch, 57), ErrLength)
	limitOf(t, e.RefitAccelerationStructure(large, desc, small, scratch, 0), ErrLength)
	limitOf(t, e.RefitAccelerationStructure(large, desc, large, scratch, 200), ErrLength)
	require.ErrorIs(t, e.RefitAccelerationStructure(large, desc, AccelerationStructure{}, Buffer{}, 0), ErrNil)
	require.ErrorIs(t, e.RefitAccelerationStructureOptions(large, desc, large, scratch, 0, 0), ErrArgument)
	require.ErrorIs(t, e.CopyAccelerationStructure(large, large), ErrOverlap)
	limitOf(t, e.CopyAccelerationStructure(large, small), ErrLength)
	require.ErrorIs(t, e.CopyAndCompactAccelerationStructure(large, AccelerationStructure{}), ErrNil)
	limitOf(t, e.WriteCompactedAccelerationStructureSize(large, scratch, 254), ErrAlignment)
	limitOf(t, e.WriteCompactedAccelerationStructureSizeAs(large, scratch, 252, DataTypeULong), ErrAlignment)
	require.ErrorIs(t, e.WriteCompactedAccelerationStructureSizeAs(large, scratch, 0, DataTypeFloat), ErrArgument)
	require.ErrorIs(t, e.UseResource(large.Resource, 0), ErrArgument)
	require.ErrorIs(t, e.UseResources(make([]Resource, 1), ResourceUsageRead), ErrNil)
	require.ErrorIs(t, e.UseHeap(Heap{}), ErrNil)
	require.ErrorIs(t, e.UseHeaps(make([]Heap, 1)), ErrNil)
	require.ErrorIs(t, e.UpdateFence(Fence{}), ErrNil)
	require.ErrorIs(t, e.WaitForFence(Fence{}), ErrNil)
	samplesID, samples := newFake(t, "MTLCounterSampleBuffer")
	samples.word("sampleCount", 2)
	limitOf(t, e.SampleCountersInBuffer(CounterSampleBufferFrom(samplesID), 2, false), ErrIndex)
	require.ErrorIs(t, e.SampleCountersInBuffer(CounterSampleBufferFrom(samplesID), 1, false), ErrUnsupported)
	assert.Zero(t, sent.count(), "nothing was sent")

	require.NoError(t, e.BuildAccelerationStructure(large, desc, scratch, 56))
	require.NoError(t, e.RefitAccelerationStructure(large, desc, AccelerationStructure{}, scratch, 156))
	require.NoError(t, e.RefitAccelerationStructureOptions(large, desc, larger, scratch, 0,
		AccelerationStructureRefitOptionVertexData))
	require.NoError(t, e.CopyAccelerationStructure(large, larger))
	require.NoError(t, e.CopyAndCompactAccelerationStructure(large, small))
	require.NoError(t, e.WriteCompactedAccelerationStructureSize(large, scratch, 252))
	require.NoError(t, e.WriteCompactedAccelerationStructureSizeAs(large, scratch, 248, DataTypeULong))
	require.NoError(t, e.UseResource(large.Resource, ResourceUsageRead))
	assert.Equal(t, 8, sent.count())
}

// TestForeignDevice uses objects of two devices together.
func TestForeignDevice(t *testing.T) {
	clean(t)
	d, _ := fakeDevice(t)
	o, f := fakeDevice(t)
	f.word("registryID", 0xf00)
	id, sent := newFake(t, "MTLComputeCommandEncoder", "MTLCommandEncoder")
	e := ComputeCommandEncoderFrom(id)
	e.state = newComputeState()
	e.state.device = deviceOf(d)
	require.ErrorIs(t, e.SetBuffer(fakeBuffer(t, o, 8), 0, 0), ErrDevice)
	require.ErrorIs(t, e.SetBuffers([]Buffer{fakeBuffer(t, o, 8)}, []uint{0}, 0), ErrDevice)
	pid, p := newFake(t, "MTLComputePipelineState")
	p.word("device", o.Word())
	require.ErrorIs(t, e.SetComputePipelineState(ComputePipelineStateFrom(pid)), ErrDevice)
	require.ErrorIs(t, e.DispatchThreadgroupsWithIndirectBuffer(fakeBuffer(t, o, 12), 0, line(1)), ErrDevice)
	assert.Zero(t, sent.count())
	require.NoError(t, e.SetBuffer(fakeBuffer(t, d, 8), 8, 0))
	assert.Equal(t, "setBuffer:offset:atIndex:", sent.last())
}
