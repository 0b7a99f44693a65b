package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// metal4 is what the tests of Metal 4 work with, on the software runtime.
type metal4 struct {
	device    Device
	queue     CommandQueue4
	sent      *fake // the queue's messages
	allocator CommandAllocator4
}

func newMetal4(t *testing.T) *metal4 {
	clean(t)
	d, f := fakeDevice(t)
	for _, classes := range [][]string{
		{"MTL4CommandBuffer"}, {"MTL4CommandAllocator"}, {"MTL4ArgumentTable"},
		{"MTL4ComputeCommandEncoder", "MTL4CommandEncoder"},
		{"MTL4MachineLearningCommandEncoder", "MTL4CommandEncoder"},
	} {
		fakeObject(t, classes...)
	}
	f.makes = map[string]string{
		"newCommandBuffer": "MTL4CommandBuffer", "newCommandAllocator": "MTL4CommandAllocator",
		"newArgumentTableWithDescriptor:error:": "MTL4ArgumentTable",
	}
	id, q := newFake(t, "MTL4CommandQueue")
	m := &metal4{device: d, queue: CommandQueue4From(id), sent: q}
	m.allocator = m.newAllocator(t)
	return m
}

func (m *metal4) newAllocator(t *testing.T) CommandAllocator4 {
	t.Helper()
	a, err := m.device.NewCommandAllocator4()
	require.NoError(t, err)
	t.Cleanup(a.Release)
	return a
}

func (m *metal4) newBuffer(t *testing.T) (CommandBuffer4, *fake) {
	t.Helper()
	b, err := m.device.NewCommandBuffer4()
	require.NoError(t, err)
	t.Cleanup(b.Release)
	rt, err := objc.SoftwareRuntime()
	require.NoError(t, err)
	o, err := rt.Object(softID(b.ID()))
	require.NoError(t, err)
	f := o.Payload.(*fake)
	f.makes = map[string]string{"computeCommandEncoder": "MTL4ComputeCommandEncoder",
		"machineLearningCommandEncoder": "MTL4MachineLearningCommandEncoder"}
	return b, f
}

// TestCommandBuffer4Life goes through every state and tries the calls that it does not allow.
func TestCommandBuffer4Life(t *testing.T) {
	m := newMetal4(t)
	b, sent := m.newBuffer(t)
	other, _ := m.newBuffer(t)
	_, err := b.ComputeCommandEncoder()
	require.ErrorIs(t, err, ErrState)
	require.ErrorIs(t, b.EndCommandBuffer(), ErrState)
	require.ErrorIs(t, b.PushDebugGroup("x"), ErrState)
	require.ErrorIs(t, m.queue.Commit([]CommandBuffer4{b}), ErrState)
	require.ErrorIs(t, b.BeginCommandBufferWithAllocator(CommandAllocator4{}), ErrNil)
	require.ErrorIs(t, b.BeginCommandBufferWithAllocatorOptions(m.allocator, CommandBufferOptions4{}), ErrNil)
	assert.Zero(t, sent.count(), "nothing was sent")

	require.NoError(t, b.BeginCommandBufferWithAllocator(m.allocator))
	require.ErrorIs(t, b.BeginCommandBufferWithAllocator(m.allocator), ErrState)
	require.ErrorIs(t, other.BeginCommandBufferWithAllocator(m.allocator), ErrState, "the allocator is in use")
	require.ErrorIs(t, m.allocator.Reset(), ErrState)
	second := m.newAllocator(t)
	require.NoError(t, other.BeginCommandBufferWithAllocator(second))
	require.NoError(t, other.EndCommandBuffer())

	require.ErrorIs(t, b.PopDebugGroup(), ErrState)
	require.NoError(t, b.PushDebugGroup("group"))
	require.NoError(t, b.PopDebugGroup())
	require.ErrorIs(t, b.UseResidencySet(ResidencySet{}), ErrNil)
	require.ErrorIs(t, b.UseResidencySets(make([]ResidencySet, 1)), ErrNil)
	require.NoError(t, b.UseResidencySets(nil))
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	_, err = b.MachineLearningCommandEncoder()
	require.ErrorIs(t, err, ErrOpen)
	require.ErrorIs(t, b.EndCommandBuffer(), ErrOpen)
	require.ErrorIs(t, b.PushDebugGroup("x"), ErrOpen)
	require.NoError(t, e.EndEncoding())
	require.ErrorIs(t, e.EndEncoding(), ErrClosed)
	require.ErrorIs(t, m.queue.Commit([]CommandBuffer4{b}), ErrState)
	require.NoError(t, b.EndCommandBuffer())
	assert.Equal(t, "endCommandBuffer", sent.last())
	require.NoError(t, m.allocator.Reset())

	require.ErrorIs(t, m.queue.Commit([]CommandBuffer4{b, other, b}), ErrArgument, "one of them twice")
	require.ErrorIs(t, m.queue.Commit([]CommandBuffer4{b, {}}), ErrNil)
	require.ErrorIs(t, m.queue.Commit(nil), ErrLength)
	require.ErrorIs(t, m.queue.CommitOptions([]CommandBuffer4{b}, CommitOptions4{}), ErrNil)
	assert.Zero(t, m.sent.count())
	require.NoError(t, m.queue.Commit([]CommandBuffer4{b, other}))
	assert.Equal(t, "commit:count:", m.sent.last())
	require.ErrorIs(t, m.queue.Commit([]CommandBuffer4{b}), ErrState, "not begun again")
	require.NoError(t, b.BeginCommandBufferWithAllocator(m.allocator))
	require.NoError(t, b.EndCommandBuffer())
	require.NoError(t, m.queue.Commit([]CommandBuffer4{b}))
}

func TestCompute4(t *testing.T) {
	m := newMetal4(t)
	b, _ := m.newBuffer(t)
	require.NoError(t, b.BeginCommandBufferWithAllocator(m.allocator))
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	x := fakeBuffer(t, m.device, 64)
	id, p := newFake(t, "MTLComputePipelineState")
	p.word("maxTotalThreadsPerThreadgroup", 256)
	p.word("requiredThreadsPerThreadgroup", 0, 0, 0)
	p.word("device", m.device.Word())
	pipeline := ComputePipelineStateFrom(id)

	require.ErrorIs(t, e.DispatchThreads(line(1), line(1)), ErrNoPipeline)
	require.ErrorIs(t, e.DispatchThreadgroups(line(1), line(1)), ErrNoPipeline)
	require.ErrorIs(t, e.DispatchThreadsWithIndirectBuffer(64), ErrNoPipeline)
	require.ErrorIs(t, e.SetComputePipelineState(ComputePipelineState{}), ErrNil)
	require.NoError(t, e.SetComputePipelineState(pipeline))
	require.NoError(t, e.SetArgumentTable(ArgumentTable4{}))
	limitOf(t, e.DispatchThreads(line(1), line(257)), ErrThreadgroupSize)
	limitOf(t, e.DispatchThreadgroups(line(0), line(1)), ErrGridSize)
	require.ErrorIs(t, e.DispatchThreadgroupsWithIndirectBuffer(0, line(1)), ErrNil)
	limitOf(t, e.DispatchThreadgroupsWithIndirectBuffer(66, line(1)), ErrAlignment)
	limitOf(t, e.SetThreadgroupMemoryLength(8, 0), ErrAlignment)
	limitOf(t, e.SetThreadgroupMemoryLength(1<<20, 0), ErrThreadgroupMemory)
	limitOf(t, e.SetImageblockWidth(0, 1), ErrRegion)
	require.NoError(t, e.DispatchThreads(line(1000), line(256)))
	require.NoError(t, e.DispatchThreadgroupsWithIndirectBuffer(64, line(1)))
	require.NoError(t, e.DispatchThreadsWithIndirectBuffer(64))

	limitOf(t, e.CopyFromBuffer(x, 0, x, 32, 64), ErrLength)
	require.ErrorIs(t, e.CopyFromBuffer(x, 0, x, 4, 8), ErrOverlap)
	require.NoError(t, e.CopyFromBuffer(x, 0, x, 8, 8))
	limitOf(t, e.FillBuffer(x, Range{0, 0}, 0), ErrLength)
	require.NoError(t, e.FillBuffer(x, Range{0, 4}, 0))
	require.ErrorIs(t, e.ResetCommandsInBuffer(IndirectCommandBuffer{}, Range{}), ErrNil)
	require.ErrorIs(t, e.ExecuteCommandsInBuffer(IndirectCommandBuffer{}, 64), ErrNil)
	require.ErrorIs(t, e.CopyFromTexture(Texture{}, Texture{}), ErrNil)

	require.ErrorIs(t, e.BarrierAfterStages(0, StageAll, 0), ErrArgument)
	require.NoError(t, e.BarrierAfterEncoderStages(StageDispatch, StageBlit, VisibilityOption4Device))
	require.NoError(t, e.BarrierAfterQueueStages(StageAll, StageAll, VisibilityOption4None))
	fence := FenceFrom(fakeObject(t, "MTLFence"))
	require.ErrorIs(t, e.UpdateFence(Fence{}, StageAll), ErrNil)
	require.ErrorIs(t, e.UpdateFence(fence, 0), ErrArgument)
	require.NoError(t, e.UpdateFence(fence, StageDispatch))
	require.NoError(t, e.WaitForFence(fence, StageDispatch))
	require.NoError(t, e.PushDebugGroup("group"))
	require.NoError(t, e.PopDebugGroup())
	require.ErrorIs(t, e.PopDebugGroup(), ErrState)
	require.NoError(t, e.InsertDebugSignpost("here"))

	heapID, heap := newFake(t, "MTL4CounterHeap")
	heap.word("count", 4)
	h := CounterHeap4From(heapID)
	limitOf(t, e.WriteTimestampWithGranularity(0, h, 4), ErrIndex)
	require.NoError(t, e.WriteTimestampWithGranularity(0, h, 3))
	_, err = h.ResolveCounterRange(Range{1, 4})
	limitOf(t, err, ErrLength)
	limitOf(t, h.InvalidateCounterRange(Range{5, 0}), ErrIndex)
	require.NoError(t, h.InvalidateCounterRange(Range{0, 4}))
	require.NoError(t, e.EndEncoding())
	require.ErrorIs(t, e.DispatchThreads(line(1), line(1)), ErrClosed)
	limitOf(t, b.WriteTimestampIntoHeap(h, 4), ErrIndex)
	require.NoError(t, b.WriteTimestampIntoHeap(h, 0))
	limitOf(t, b.ResolveCounterHeap(h, Range{0, 4}, BufferRange4{64, 24}, Fence{}, Fence{}), ErrLength)
	require.NoError(t, b.ResolveCounterHeap(h, Range{0, 4}, BufferRange4{64, 32}, Fence{}, Fence{}))
	require.NoError(t, b.EndCommandBuffer())
}

func TestMachineLearning4(t *testing.T) {
	m := newMetal4(t)
	b, _ := m.newBuffer(t)
	require.NoError(t, b.BeginCommandBufferWithAllocator(m.allocator))
	e, err := b.MachineLearningCommandEncoder()
	require.NoError(t, err)
	id, p := newFake(t, "MTL4MachineLearningPipelineState", "MTLAllocation")
	p.word("intermediatesHeapSize", 4096)
	heapID, heap := newFake(t, "MTLHeap", "MTLAllocation")
	heap.word("size", 4096)
	heap.word("type", uintptr(HeapTypePlacement))
	h := HeapFrom(heapID)
	require.ErrorIs(t, e.DispatchNetworkWithIntermediatesHeap(Heap{}), ErrNil)
	require.ErrorIs(t, e.DispatchNetworkWithIntermediatesHeap(h), ErrNoPipeline)
	require.ErrorIs(t, e.SetPipelineState(MachineLearningPipelineState4{}), ErrNil)
	require.NoError(t, e.SetPipelineState(MachineLearningPipelineState4From(id)))
	require.ErrorIs(t, e.DispatchNetworkWithIntermediatesHeap(h), ErrState)
	require.ErrorIs(t, e.SetArgumentTable(ArgumentTable4{}), ErrNil)
	require.NoError(t, e.SetArgumentTable(ArgumentTable4From(fakeObject(t, "MTL4ArgumentTable"))))
	require.NoError(t, e.DispatchNetworkWithIntermediatesHeap(h))
	heap.word("size", 4095)
	limitOf(t, e.DispatchNetworkWithIntermediatesHeap(h), ErrLength)
	heap.word("type", uintptr(HeapTypeAutomatic))
	require.ErrorIs(t, e.DispatchNetworkWithIntermediatesHeap(h), ErrArgument)
	require.NoError(t, e.EndEncoding())
}

func TestArgumentTable4(t *testing.T) {
	m := newMetal4(t)
	id, d := newFake(t, "MTL4ArgumentTableDescriptor")
	d.word("maxBufferBindCount", 2)
	d.word("maxTextureBindCount", 1)
	d.word("maxSamplerStateBindCount", 0)
	d.word("supportAttributeStrides", 0)
	table, err := m.device.NewArgumentTable4WithDescriptor(ArgumentTableDescriptor4From(id))
	require.NoError(t, err)
	defer table.Release()
	require.NoError(t, table.SetAddress(64, 1))
	limitOf(t, table.SetAddress(64, 2), ErrIndex)
	require.ErrorIs(t, table.SetAddressAttributeStride(64, 4, 0), ErrState)
	require.NoError(t, table.SetResource(ResourceID{1}, 0))
	limitOf(t, table.SetResource(ResourceID{1}, 2), ErrIndex)
	require.NoError(t, table.SetTexture(ResourceID{1}, 0))
	limitOf(t, table.SetTexture(ResourceID{1}, 1), ErrIndex)
	require.ErrorIs(t, table.SetSamplerState(ResourceID{1}, 0), ErrIndex)
	foreign := ArgumentTable4From(table.ID())
	require.NoError(t, foreign.SetSamplerState(ResourceID{1}, 15))
	limitOf(t, foreign.SetSamplerState(ResourceID{1}, 16), ErrIndex)
	limitOf(t, foreign.SetAddressAttributeStride(64, 4, 31), ErrIndex)
	require.ErrorIs(t, ArgumentTable4{}.SetAddress(1, 0), ErrNil)
	d.word("maxBufferBindCount", 32)
	_, err = m.device.NewArgumentTable4WithDescriptor(ArgumentTableDescriptor4From(id))
	limitOf(t, err, ErrIndex)
	_, err = m.device.NewArgumentTable4WithDescriptor(ArgumentTableDescriptor4{})
	require.ErrorIs(t, err, ErrNil)
}

func TestQueue4(t *testing.T) {
	m := newMetal4(t)
	q := m.queue
	ev := EventFrom(fakeObject(t, "MTLEvent"))
	require.ErrorIs(t, q.SignalEvent(Event{}, 1), ErrNil)
	require.ErrorIs(t, q.WaitForEvent(Event{}, 1), ErrNil)
	require.ErrorIs(t, CommandQueue4{}.SignalEvent(ev, 1), ErrNil)
	require.NoError(t, q.SignalEvent(ev, 1))
	require.NoError(t, q.WaitForEvent(ev, 1))
	set := ResidencySetFrom(fakeObject(t, "MTLResidencySet"))
	require.NoError(t, q.AddResidencySet(set))
	require.NoError(t, q.RemoveResidencySets([]ResidencySet{set}))
	require.ErrorIs(t, q.AddResidencySets([]ResidencySet{{}}), ErrNil)
	require.ErrorIs(t, q.RemoveResidencySet(ResidencySet{}), ErrNil)

	x := fakeBuffer(t, m.device, 64)
	tex, _ := fakeTexture(t, m.device, image(PixelFormatR8Unorm))
	heap := HeapFrom(fakeObject(t, "MTLHeap", "MTLAllocation"))
	size := Size{1, 1, 1}
	require.ErrorIs(t, q.UpdateBufferMappings(x, heap, nil), ErrLength)
	require.ErrorIs(t, q.UpdateBufferMappings(x, Heap{},
		[]UpdateSparseBufferMappingOperation4{{BufferRange: Range{0, 1}}}), ErrNil)
	limitOf(t, q.UpdateBufferMappings(x, heap, []UpdateSparseBufferMappingOperation4{{}}), ErrLength)
	require.NoError(t, q.UpdateBufferMappings(x, Heap{},
		[]UpdateSparseBufferMappingOperation4{{Mode: SparseTextureMappingModeUnmap, BufferRange: Range{0, 1}}}))
	limitOf(t, q.CopyBufferMappingsFromBuffer(x, x, []CopySparseBufferMappingOperation4{{}}), ErrLength)
	require.NoError(t, q.CopyBufferMappingsFromBuffer(x, x,
		[]CopySparseBufferMappingOperation4{{SourceRange: Range{0, 1}, DestinationOffset: 1}}))
	limitOf(t, q.UpdateTextureMappings(tex, heap,
		[]UpdateSparseTextureMappingOperation4{{TextureRegion: Region{Size: size}, TextureLevel: 3}}), ErrIndex)
	limitOf(t, q.UpdateTextureMappings(tex, heap, []UpdateSparseTextureMappingOperation4{{}}), ErrRegion)
	require.NoError(t, q.UpdateTextureMappings(tex, heap,
		[]UpdateSparseTextureMappingOperation4{{TextureRegion: Region{Size: size}}}))
	limitOf(t, q.CopyTextureMappingsFromTexture(tex, tex,
		[]CopySparseTextureMappingOperation4{{SourceRegion: Region{Size: size}, DestinationSlice: 2}}), ErrIndex)
	require.NoError(t, q.CopyTextureMappingsFromTexture(tex, tex,
		[]CopySparseTextureMappingOperation4{{SourceRegion: Region{Size: size}, DestinationSlice: 1}}))
	require.ErrorIs(t, CommitOptions4{}.AddFeedbackHandler(nil), ErrNil)
	require.ErrorIs(t, CommitOptions4From(fakeObject(t, "MTL4CommitOptions")).AddFeedbackHandler(nil), ErrNil)
}
