package mtl

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestComputeRefusals makes a real encoder refuse calls for which Metal would end the process.
func TestComputeRefusals(t *testing.T) {
	r := newRig(t)
	p, x := r.kernel("number"), r.buffer(64)
	b := r.commands()
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)

	require.ErrorIs(t, e.DispatchThreads(line(4), line(4)), ErrNoPipeline)
	require.ErrorIs(t, e.DispatchThreadgroups(line(4), line(4)), ErrNoPipeline)
	require.ErrorIs(t, e.SetComputePipelineState(ComputePipelineState{}), ErrNil)
	require.NoError(t, e.SetComputePipelineState(p))

	l := limitOf(t, e.SetBuffer(x, 0, 31), ErrIndex)
	assert.Equal(t, LimitError{"-[MTLComputeCommandEncoder setBuffer:offset:atIndex:]", "buffer index", 31, 30, AtMost,
		ErrIndex}, *l)
	assert.EqualError(t, l, "mtl: -[MTLComputeCommandEncoder setBuffer:offset:atIndex:]: index out of range: buffer index is 31, want at most 30")
	l = limitOf(t, e.SetBuffer(x, 65, 0), ErrOffset)
	assert.Equal(t, uint64(64), l.Limit)
	require.NoError(t, e.SetBuffer(x, 64, 30), "the end is an offset")
	require.NoError(t, e.SetBuffer(Buffer{}, 0, 30), "nil clears")
	require.ErrorIs(t, e.SetBufferOffset(0, 30), ErrState)
	require.ErrorIs(t, e.SetBufferOffset(0, 5), ErrState)
	require.NoError(t, e.SetBuffer(x, 0, 0))
	limitOf(t, e.SetBufferOffset(65, 0), ErrOffset)
	limitOf(t, e.SetBufferOffset(0, 31), ErrIndex)
	require.NoError(t, e.SetBufferOffset(64, 0))
	require.NoError(t, e.SetBufferOffset(0, 0))

	limitOf(t, e.SetBytes(nil, 1), ErrLength)
	limitOf(t, e.SetBytes(make([]byte, 4097), 1), ErrLength)
	limitOf(t, e.SetBytes(word(1), 31), ErrIndex)
	require.NoError(t, e.SetBytes(make([]byte, 4096), 1))
	require.ErrorIs(t, e.SetBufferOffset(0, 1), ErrState, "bytes are no buffer")

	limitOf(t, e.SetBuffers(make([]Buffer, 2), make([]uint, 2), 30), ErrIndex)
	limitOf(t, e.SetBuffers(make([]Buffer, 2), make([]uint, 1), 0), ErrLength)
	limitOf(t, e.SetBuffers([]Buffer{x, x}, []uint{0, 65}, 0), ErrOffset)
	require.NoError(t, e.SetBuffers(nil, nil, 0))
	require.NoError(t, e.SetBuffers([]Buffer{x, {}}, []uint{0, 0}, 0))
	require.ErrorIs(t, e.SetBufferOffset(0, 1), ErrState)
	limitOf(t, e.SetBufferAttributeStride(x, 65, 4, 0), ErrOffset)
	limitOf(t, e.SetBufferOffsetAttributeStride(65, 4, 0), ErrOffset)
	limitOf(t, e.SetBytesAttributeStride(nil, 4, 0), ErrLength)
	limitOf(t, e.SetBuffersAttributeStrides([]Buffer{x}, []uint{0}, nil, 0), ErrLength)
	if err := e.SetBuffersAttributeStrides([]Buffer{x}, []uint{0}, []uint{4}, 2); err == nil {
		require.NoError(t, e.SetBufferAttributeStride(x, 0, 4, 2))
		require.NoError(t, e.SetBufferOffsetAttributeStride(4, 4, 2))
		require.NoError(t, e.SetBytesAttributeStride(word(1), 4, 2))
	} else {
		require.ErrorIs(t, err, objc.ErrUnavailable, "before macOS 14")
	}

	limitOf(t, e.SetThreadgroupMemoryLength(8, 0), ErrAlignment)
	limitOf(t, e.SetThreadgroupMemoryLength(16, 31), ErrIndex)
	most := r.device.MaxThreadgroupMemoryLength()
	require.NoError(t, e.SetThreadgroupMemoryLength(most, 0))
	limitOf(t, e.SetThreadgroupMemoryLength(16, 1), ErrThreadgroupMemory)
	require.NoError(t, e.SetThreadgroupMemoryLength(16, 0), "less in the same slot")
	require.NoError(t, e.SetThreadgroupMemoryLength(16, 1))
	limitOf(t, e.SetThreadgroupMemoryLength(math.MaxUint-15, 2), ErrThreadgroupMemory)

	limitOf(t, e.DispatchThreads(line(4), line(0)), ErrThreadgroupSize)
	limitOf(t, e.DispatchThreads(line(4), Size{1, 0, 1}), ErrThreadgroupSize)
	limitOf(t, e.DispatchThreads(line(4), Size{1, 1, 0}), ErrThreadgroupSize)
	limitOf(t, e.DispatchThreads(line(4), line(p.MaxTotalThreadsPerThreadgroup()+1)), ErrThreadgroupSize)
	limitOf(t, e.DispatchThreads(line(4), Size{1 << 32, 1 << 32, 1}), ErrThreadgroupSize)
	limitOf(t, e.DispatchThreads(line(0), line(4)), ErrGridSize)
	limitOf(t, e.DispatchThreads(line(1<<32), line(4)), ErrGridSize)
	limitOf(t, e.DispatchThreadgroups(Size{1, 0, 1}, line(4)), ErrGridSize)
	limitOf(t, e.DispatchThreadgroups(line(1<<31), line(4)), ErrGridSize)
	limitOf(t, e.DispatchThreadgroups(line(math.MaxUint), line(4)), ErrGridSize)
	require.ErrorIs(t, e.DispatchThreadgroupsWithIndirectBuffer(Buffer{}, 0, line(4)), ErrNil)
	limitOf(t, e.DispatchThreadgroupsWithIndirectBuffer(x, 2, line(4)), ErrAlignment)
	limitOf(t, e.DispatchThreadgroupsWithIndirectBuffer(x, 56, line(4)), ErrLength)
	limitOf(t, e.DispatchThreadgroupsWithIndirectBuffer(x, 68, line(4)), ErrOffset)
	limitOf(t, e.SetStageInRegion(Region{}), ErrRegion)
	require.NoError(t, e.SetStageInRegion(Region{Size: line(1)}))
	limitOf(t, e.SetStageInRegionWithIndirectBuffer(x, 44), ErrLength)
	limitOf(t, e.SetImageblockWidth(1, 0), ErrRegion)
	require.NoError(t, e.SetImageblockWidth(1, 1))

	require.ErrorIs(t, e.UseResource(Resource{}, ResourceUsageRead), ErrNil)
	require.ErrorIs(t, e.UseResource(x.Resource, 0), ErrArgument)
	require.ErrorIs(t, e.UseResource(x.Resource, 8), ErrArgument)
	require.ErrorIs(t, e.UseResources([]Resource{x.Resource, {}}, ResourceUsageRead), ErrNil)
	require.ErrorIs(t, e.UseResources([]Resource{x.Resource}, 0), ErrArgument)
	require.NoError(t, e.UseResources(nil, ResourceUsageRead))
	require.ErrorIs(t, e.UseHeap(Heap{}), ErrNil)
	require.ErrorIs(t, e.UseHeaps(make([]Heap, 1)), ErrNil)
	require.NoError(t, e.UseHeaps(nil))
	require.ErrorIs(t, e.MemoryBarrierWithScope(0), ErrArgument)
	require.ErrorIs(t, e.MemoryBarrierWithScope(BarrierScopeRenderTargets), ErrArgument)
	require.ErrorIs(t, e.MemoryBarrierWithResources(nil), ErrLength)
	require.ErrorIs(t, e.MemoryBarrierWithResources(make([]Resource, 1)), ErrNil)
	require.ErrorIs(t, e.UpdateFence(Fence{}), ErrNil)
	require.ErrorIs(t, e.WaitForFence(Fence{}), ErrNil)
	require.ErrorIs(t, e.SampleCountersInBuffer(CounterSampleBuffer{}, 0, false), ErrNil)

	limitOf(t, e.SetTexture(Texture{}, 128), ErrIndex)
	limitOf(t, e.SetTextures(make([]Texture, 2), 127), ErrIndex)
	limitOf(t, e.SetSamplerState(SamplerState{}, 16), ErrIndex)
	limitOf(t, e.SetSamplerStates(make([]SamplerState, 17), 0), ErrIndex)
	limitOf(t, e.SetSamplerStateLodMinClamp(SamplerState{}, 0, 1, 16), ErrIndex)
	limitOf(t, e.SetSamplerStatesLodMinClamps(make([]SamplerState, 2), make([]float32, 1), make([]float32, 2), 0),
		ErrLength)
	limitOf(t, e.SetSamplerStatesLodMinClamps(make([]SamplerState, 2), make([]float32, 2), make([]float32, 3), 0),
		ErrLength)
	limitOf(t, e.SetVisibleFunctionTable(VisibleFunctionTable{}, 31), ErrIndex)
	limitOf(t, e.SetVisibleFunctionTables(make([]VisibleFunctionTable, 2), 30), ErrIndex)
	limitOf(t, e.SetIntersectionFunctionTable(IntersectionFunctionTable{}, 31), ErrIndex)
	limitOf(t, e.SetIntersectionFunctionTables(make([]IntersectionFunctionTable, 1), 31), ErrIndex)
	limitOf(t, e.SetAccelerationStructure(AccelerationStructure{}, 31), ErrIndex)

	require.NoError(t, e.DispatchThreads(line(4), line(4)), "it all left the encoder as it was")
	require.NoError(t, e.EndEncoding())
	for _, err := range []error{
		e.SetBuffer(x, 0, 0), e.SetBytes(word(1), 0), e.SetBufferOffset(0, 0), e.SetComputePipelineState(p),
		e.DispatchThreads(line(1), line(1)),
		e.DispatchThreadgroups(line(1), line(1)), e.SetThreadgroupMemoryLength(16, 0),
		e.UseResource(x.Resource, ResourceUsageRead),
		e.MemoryBarrierWithScope(BarrierScopeBuffers), e.SetTexture(Texture{}, 0),
		e.DispatchThreadgroupsWithIndirectBuffer(x, 0, line(1)),
	} {
		require.ErrorIs(t, err, ErrClosed)
	}
	r.run(b)
	assert.Equal(t, uint32(4), r.words(x)[3])
}

func TestBlitRefusals(t *testing.T) {
	r := newRig(t)
	x, y := r.buffer(64), r.buffer(32)
	b := r.commands()
	e, err := b.BlitCommandEncoder()
	require.NoError(t, err)
	limitOf(t, e.CopyFromBuffer(x, 0, y, 0, 0), ErrLength)
	limitOf(t, e.CopyFromBuffer(x, 65, y, 0, 4), ErrOffset)
	limitOf(t, e.CopyFromBuffer(x, 0, y, 4, 32), ErrLength)
	limitOf(t, e.CopyFromBuffer(x, 4, y, 4, math.MaxUint), ErrLength)
	require.ErrorIs(t, e.CopyFromBuffer(Buffer{}, 0, y, 0, 4), ErrNil)
	require.ErrorIs(t, e.CopyFromBuffer(x, 0, Buffer{}, 0, 4), ErrNil)
	require.ErrorIs(t, e.CopyFromBuffer(x, 0, x, 4, 8), ErrOverlap)
	require.NoError(t, e.CopyFromBuffer(x, 0, x, 8, 8))
	limitOf(t, e.FillBuffer(x, Range{0, 0}, 1), ErrLength)
	limitOf(t, e.FillBuffer(x, Range{60, 8}, 1), ErrLength)
	limitOf(t, e.FillBuffer(x, Range{68, 1}, 1), ErrOffset)
	require.ErrorIs(t, e.FillBuffer(Buffer{}, Range{0, 4}, 1), ErrNil)
	require.ErrorIs(t, e.SynchronizeResource(x.Resource), ErrStorageMode)
	require.ErrorIs(t, e.SynchronizeResource(Resource{}), ErrNil)
	require.ErrorIs(t, e.SynchronizeTexture(Texture{}, 0, 0), ErrNil)
	require.ErrorIs(t, e.UpdateFence(Fence{}), ErrNil)
	require.ErrorIs(t, e.WaitForFence(Fence{}), ErrNil)
	require.ErrorIs(t, e.SampleCountersInBuffer(CounterSampleBuffer{}, 0, false), ErrNil)
	require.ErrorIs(t, e.ResolveCounters(CounterSampleBuffer{}, Range{0, 1}, x, 0), ErrNil)
	require.ErrorIs(t, e.GenerateMipmapsForTexture(Texture{}), ErrNil)
	require.ErrorIs(t, e.CopyFromTexture(Texture{}, Texture{}), ErrNil)
	require.ErrorIs(t, e.CopyFromTextureSlices(Texture{}, 0, 0, Texture{}, 0, 0, 1, 1), ErrNil)
	require.ErrorIs(t, e.CopyFromTextureToTexture(Texture{}, 0, 0, Origin{}, line(1), Texture{}, 0, 0, Origin{}), ErrNil)
	require.ErrorIs(t, e.CopyFromBufferToTexture(x, 0, 4, 4, line(1), Texture{}, 0, 0, Origin{}), ErrNil)
	require.ErrorIs(t, e.CopyFromBufferToTextureOptions(x, 0, 4, 4, line(1), Texture{}, 0, 0, Origin{}, 0), ErrNil)
	require.ErrorIs(t, e.CopyFromTextureToBuffer(Texture{}, 0, 0, Origin{}, line(1), x, 0, 4, 4), ErrNil)
	require.ErrorIs(t, e.CopyFromTextureToBufferOptions(Texture{}, 0, 0, Origin{}, line(1), x, 0, 4, 4, 0), ErrNil)
	require.ErrorIs(t, e.OptimizeContentsForGPUAccess(Texture{}), ErrNil)
	require.ErrorIs(t, e.OptimizeContentsForCPUAccessSlice(Texture{}, 0, 0), ErrNil)
	require.ErrorIs(t, e.GetTextureAccessCounters(Texture{}, Region{}, 0, 0, false, x, 0), ErrNil)
	require.ErrorIs(t, e.CopyFromTensor(Tensor{}, TensorExtents{}, TensorExtents{}, Tensor{}, TensorExtents{},
		TensorExtents{}), ErrNil)
	require.NoError(t, e.EndEncoding())
	require.ErrorIs(t, e.FillBuffer(x, Range{0, 4}, 1), ErrClosed)
	require.ErrorIs(t, e.CopyFromBuffer(x, 0, y, 0, 4), ErrClosed)
	r.run(b)
}

// TestCounters samples at encoder boundaries, which every device that supports sampling can do.
func TestCounters(t *testing.T) {
	r := newRig(t)
	if !r.device.SupportsCounterSampling(CounterSamplingPointAtStageBoundary) {
		t.Skip("the device does not sample counters")
	}
	sets := r.device.CounterSets()
	require.NotEmpty(t, sets)
	d, err := NewCounterSampleBufferDescriptor()
	require.NoError(t, err)
	defer d.Release()
	d.SetCounterSet(sets[0])
	d.SetSampleCount(2)
	d.SetStorageMode(StorageModeShared)
	samples, err := r.device.NewCounterSampleBuffer(d)
	require.NoError(t, err)
	defer samples.Release()
	x := r.buffer(24)
	b := r.commands()
	r.encode(b, func(e ComputeCommandEncoder) {
		limitOf(t, e.SampleCountersInBuffer(samples, 2, false), ErrIndex)
		if !r.device.SupportsCounterSampling(CounterSamplingPointAtDispatchBoundary) {
			require.ErrorIs(t, e.SampleCountersInBuffer(samples, 0, false), ErrUnsupported)
		}
	})
	r.blit(b, func(e BlitCommandEncoder) {
		limitOf(t, e.SampleCountersInBuffer(samples, 2, false), ErrIndex)
		if !r.device.SupportsCounterSampling(CounterSamplingPointAtBlitBoundary) {
			require.ErrorIs(t, e.SampleCountersInBuffer(samples, 0, false), ErrUnsupported)
		}
		limitOf(t, e.ResolveCounters(samples, Range{1, 2}, x, 0), ErrLength)
		limitOf(t, e.ResolveCounters(samples, Range{0, 2}, x, 4), ErrAlignment)
		limitOf(t, e.ResolveCounters(samples, Range{0, 2}, x, 16), ErrLength)
		require.NoError(t, e.ResolveCounters(samples, Range{0, 2}, x, 8))
	})
	r.run(b)
}
