package mtl

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	appleTraits    = traits{unified: true, apple: true}
	discreteTraits = traits{}
	intelTraits    = traits{unified: true}
)

func TestResourceOptions(t *testing.T) {
	o := ResourceStorageModePrivate | ResourceCPUCacheModeWriteCombined | ResourceHazardTrackingModeUntracked
	assert.Equal(t, StorageModePrivate, o.StorageMode())
	assert.Equal(t, CPUCacheModeWriteCombined, o.CPUCacheMode())
	assert.Equal(t, HazardTrackingModeUntracked, o.HazardTrackingMode())
	assert.Equal(t, o, MakeResourceOptions(o.StorageMode(), o.CPUCacheMode(), o.HazardTrackingMode()))
}

func TestOptionsChecked(t *testing.T) {
	const c = check("-[T t]")
	assert.NoError(t, c.bufferOptions(ResourceStorageModeShared, appleTraits))
	assert.NoError(t, c.bufferOptions(ResourceStorageModePrivate|ResourceHazardTrackingModeTracked, appleTraits))
	assert.NoError(t, c.bufferOptions(ResourceStorageModeManaged, discreteTraits))
	assert.NoError(t, c.bufferOptions(ResourceStorageModeManaged, intelTraits))
	require.ErrorIs(t, c.bufferOptions(ResourceStorageModeManaged, appleTraits), ErrStorageMode)
	require.ErrorIs(t, c.bufferOptions(ResourceStorageModeMemoryless, appleTraits), ErrStorageMode)
	require.ErrorIs(t, c.bufferOptions(0x40, appleTraits), ErrArgument)
	require.ErrorIs(t, c.bufferOptions(2, appleTraits), ErrArgument)
	require.ErrorIs(t, c.bufferOptions(0x300, appleTraits), ErrArgument)
	require.ErrorIs(t, c.bufferOptions(^ResourceOptions(0), appleTraits), ErrArgument)
}

// TestNilReceivers calls every checked method of a nil object with nil arguments: each returns an
// error, and none panics.
func TestNilReceivers(t *testing.T) {
	var (
		d    Device
		b    Buffer
		h    Heap
		x    Texture
		l    Library
		f    Function
		e    ArgumentEncoder
		v    FunctionConstantValues
		r    ResidencySet
		n    Tensor
		io   IOCommandBuffer
		a    BinaryArchive
		o    = ResourceStorageModeShared
		libs = func(Library, error) {}
		fns  = func(Function, error) {}
		pipe = func(ComputePipelineState, error) {}
		refl = func(ComputePipelineState, ComputePipelineReflection, error) {}
	)
	two := func(_ any, err error) error { return err }
	three := func(_, _ any, err error) error { return err }
	for i, err := range []error{
		two(d.NewBuffer(1, o)), two(d.NewBufferWithBytes([]byte{1}, o)), two(d.NewBufferWithBytesNoCopy([]byte{1}, o, nil)),
		two(d.NewPlacementSparseBuffer(1, o, SparsePageSize16)), two(d.NewHeap(HeapDescriptor{})),
		two(d.HeapBufferSizeAndAlign(1, o)), two(d.HeapTextureSizeAndAlign(TextureDescriptor{})),
		two(d.NewTexture(TextureDescriptor{})), two(d.NewTextureWithIOSurface(TextureDescriptor{}, 0, 0)),
		two(d.NewSharedTexture(TextureDescriptor{})), two(d.NewSharedTextureWithHandle(SharedTextureHandle{})),
		two(d.NewSamplerState(SamplerDescriptor{})), two(d.MinimumLinearTextureAlignment(PixelFormatR32Float)),
		two(d.MinimumTextureBufferAlignment(PixelFormatR32Float)), two(d.NewDefaultLibrary()),
		two(d.NewLibrary("x", CompileOptions{})), d.NewLibraryAsync("x", CompileOptions{}, libs),
		two(d.NewLibraryWithFile("x")), two(d.NewLibraryWithData([]byte{1})),
		two(d.NewStitchedLibrary(StitchedLibraryDescriptor{})),
		d.NewStitchedLibraryAsync(StitchedLibraryDescriptor{}, libs),
		two(d.NewComputePipelineState(f)), three(d.NewComputePipelineStateWithReflection(f, 0)),
		d.NewComputePipelineStateAsync(f, pipe), d.NewComputePipelineStateWithReflectionAsync(f, 0, refl),
		three(d.NewComputePipelineStateWithDescriptor(ComputePipelineDescriptor{}, 0)),
		d.NewComputePipelineStateWithDescriptorAsync(ComputePipelineDescriptor{}, 0, refl),
		two(d.NewArgumentEncoder(nil)), two(d.NewArgumentEncoderForBinding(BufferBinding{})),
		two(d.NewCounterSampleBuffer(CounterSampleBufferDescriptor{})), two(d.CounterSetNamed("x")),
		two(d.NewDynamicLibrary(l)), two(d.NewDynamicLibraryWithFile("x")),
		two(d.NewBinaryArchive(BinaryArchiveDescriptor{})),
		two(d.NewResidencySet(ResidencySetDescriptor{})), two(d.NewTensor(TensorDescriptor{})),
		two(d.TensorSizeAndAlign(TensorDescriptor{})),
		two(d.NewIOFileHandle("x")), two(d.NewIOFileHandleCompressed("x", 0)),
		two(d.NewIOCommandQueue(IOCommandQueueDescriptor{})),
		two(b.Bytes()), two(b.BytesAt(0, 0)), two(Slice[float32](b)), b.DidModifyRange(Range{}),
		b.AddDebugMarker("x", Range{}),
		two(b.NewRemoteBufferView(d)), two(b.NewTexture(TextureDescriptor{}, 0, 0)), two(b.NewTensor(TensorDescriptor{}, 0)),
		b.MakeAliasable(),
		two(h.NewBuffer(1, o)), two(h.NewBufferWithOffset(1, o, 0)), two(h.NewTexture(TextureDescriptor{})),
		two(h.NewTextureWithOffset(TextureDescriptor{}, 0)), two(h.MaxAvailableSize(1)), two(h.NewAccelerationStructure(1)),
		two(h.NewAccelerationStructureWithDescriptor(AccelerationStructureDescriptor{})),
		two(h.NewAccelerationStructureWithOffset(1, 0)),
		two(h.NewAccelerationStructureWithDescriptorOffset(AccelerationStructureDescriptor{}, 0)),
		x.GetBytes(nil, 0, Region{}, 0), x.GetBytesSlice(nil, 0, 0, Region{}, 0, 0), x.ReplaceRegion(Region{}, 0, nil, 0),
		x.ReplaceRegionSlice(Region{}, 0, 0, nil, 0, 0), two(x.NewView(0)), two(x.NewViewOf(0, 0, Range{}, Range{})),
		two(x.NewViewWithSwizzle(0, 0, Range{}, Range{}, TextureSwizzleChannels{})),
		two(x.NewViewWithDescriptor(TextureViewDescriptor{})),
		two(x.NewRemoteTextureView(d)), two(x.NewSharedTextureHandle()),
		two(l.NewFunction("x")), two(l.NewFunctionWithConstants("x", v)), l.NewFunctionWithConstantsAsync("x", v, fns),
		two(l.NewFunctionWithDescriptor(FunctionDescriptor{})), l.NewFunctionWithDescriptorAsync(FunctionDescriptor{}, fns),
		two(l.NewIntersectionFunction(IntersectionFunctionDescriptor{})),
		l.NewIntersectionFunctionAsync(IntersectionFunctionDescriptor{}, fns),
		two(l.Reflection("x")), two(f.NewArgumentEncoder(0)),
		v.Set(0, true), v.SetNamed("x", true), v.SetRange(0, []bool{true}), CompileOptions{}.SetMath(0, 0),
		a.AddComputePipelineFunctions(ComputePipelineDescriptor{}), a.AddLibrary(StitchedLibraryDescriptor{}),
		a.AddFunction(FunctionDescriptor{}, l), a.SerializeToFile("x"), DynamicLibrary{}.SerializeToFile("x"),
		two(PipelineBufferDescriptorArray{}.At(0)), PipelineBufferDescriptorArray{}.Set(0, PipelineBufferDescriptor{}),
		two(AttributeDescriptorArray{}.At(0)), AttributeDescriptorArray{}.Set(0, AttributeDescriptor{}),
		two(BufferLayoutDescriptorArray{}.At(0)), BufferLayoutDescriptorArray{}.Set(0, BufferLayoutDescriptor{}),
		e.SetArgumentBuffer(b, 0), e.SetArgumentBufferElement(b, 0, 0), e.SetBuffer(b, 0, 0), e.SetBuffers(nil, nil, 0),
		e.SetTexture(x, 0), e.SetTextures(nil, 0), e.SetConstant(0, nil), two(e.NewNestedEncoder(0)),
		two(CounterSampleBuffer{}.Resolve(Range{})), two(CounterSampleBuffer{}.ResolveTimestamps(Range{})),
		r.AddAllocation(Allocation{}), r.AddAllocations(nil), r.RemoveAllocation(Allocation{}), r.RemoveAllocations(nil),
		n.GetBytes(nil, TensorExtents{}, TensorExtents{}, TensorExtents{}),
		n.ReplaceSlice(TensorExtents{}, TensorExtents{}, nil, TensorExtents{}),
		two(TensorExtents{}.Extent(0)),
		io.LoadBytes([]byte{1}, IOFileHandle{}, 0), io.LoadBuffer(b, 0, 1, IOFileHandle{}, 0),
		io.LoadTexture(x, 0, 0, Size{}, 0, 0, Origin{}, IOFileHandle{}, 0), io.CopyStatusToBuffer(b, 0),
		io.WaitForEvent(SharedEvent{}, 0), io.SignalEvent(SharedEvent{}, 0),
	} {
		assert.ErrorIs(t, err, ErrNil, "number %d", i)
	}
	assert.False(t, r.ContainsAllocation(Allocation{}))
	assert.Empty(t, f.FunctionConstants())
	assert.Empty(t, d.CounterSamplingPoints())
	assert.Empty(t, TensorExtents{}.Values())
	assert.Zero(t, ComputePipelineState{}.Limits())
}
