package mtl

import (
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScriptedSampler(t *testing.T) {
	clean(t)
	gpu := newScripted(t, "MTLDevice", appleGPU())
	desc := newScripted(t, "MTLSamplerDescriptor", map[string][]uintptr{
		"maxAnisotropy": answer(1), "normalizedCoordinates": answer(1), "lodMaxClamp": answer(objc.F32(8))})
	sampler := newScripted(t, "MTLSamplerState", nil)
	d, sd := DeviceFrom(gpu.ID()), SamplerDescriptorFrom(desc.ID())
	_, err := d.NewSamplerState(sd)
	require.ErrorIs(t, err, ErrMemory)
	gpu.reply("newSamplerStateWithDescriptor:", sampler.Word())
	s, err := d.NewSamplerState(sd)
	require.NoError(t, err)
	s.Release()
	desc.reply("lodMinClamp", objc.F32(9))
	_, err = d.NewSamplerState(sd)
	require.ErrorIs(t, err, ErrArgument)
}

func TestScriptedSparseBuffer(t *testing.T) {
	clean(t)
	gpu := newScripted(t, "MTLDevice", appleGPU())
	buffer := newScripted(t, "MTLBuffer", nil)
	d := DeviceFrom(gpu.ID())
	_, err := d.NewPlacementSparseBuffer(1, ResourceStorageModePrivate, SparsePageSize64)
	require.ErrorIs(t, err, ErrMemory)
	gpu.reply("newBufferWithLength:options:placementSparsePageSize:", buffer.Word())
	b, err := d.NewPlacementSparseBuffer(1, ResourceStorageModePrivate, SparsePageSize64)
	require.NoError(t, err)
	b.Release()
	_, err = d.NewPlacementSparseBuffer(1, ResourceStorageModeShared, SparsePageSize64)
	require.ErrorIs(t, err, ErrStorageMode)
}

func TestScriptedAccelerationStructures(t *testing.T) {
	clean(t)
	gpu := newScripted(t, "MTLDevice", appleGPU())
	structure := newScripted(t, "MTLAccelerationStructure", nil)
	desc := newScripted(t, "MTLAccelerationStructureDescriptor", nil)
	answers := map[string][]uintptr{"device": answer(gpu.Word()), "size": answer(1024),
		"maxAvailableSizeWithAlignment:": answer(512),
		"storageMode":                    answer(uintptr(StorageModePrivate))}
	for _, s := range []string{"newAccelerationStructureWithSize:", "newAccelerationStructureWithDescriptor:",
		"newAccelerationStructureWithSize:offset:", "newAccelerationStructureWithDescriptor:offset:"} {
		answers[s] = answer(structure.Word())
	}
	heap := newScripted(t, "MTLHeap", answers)
	h, ad := HeapFrom(heap.ID()), AccelerationStructureDescriptorFrom(desc.ID())
	makers := func(offset uint) (automatic, placed []error) {
		a, err := h.NewAccelerationStructure(500)
		a.Release()
		automatic = append(automatic, err)
		a, err = h.NewAccelerationStructureWithDescriptor(ad)
		a.Release()
		automatic = append(automatic, err)
		a, err = h.NewAccelerationStructureWithOffset(500, offset)
		a.Release()
		placed = append(placed, err)
		a, err = h.NewAccelerationStructureWithDescriptorOffset(ad, offset)
		a.Release()
		return automatic, append(placed, err)
	}
	all := func(errs []error, want error) {
		t.Helper()
		for _, err := range errs {
			if want == nil {
				require.NoError(t, err)
			} else {
				require.ErrorIs(t, err, want)
			}
		}
	}
	automatic, placed := makers(0)
	all(automatic, nil)
	all(placed, ErrState)
	heap.reply("maxAvailableSizeWithAlignment:", 511)
	automatic, _ = makers(0)
	all(automatic, ErrMemory)
	heap.reply("type", uintptr(HeapTypePlacement))
	automatic, placed = makers(512)
	all(automatic, ErrState)
	all(placed, nil)
	_, placed = makers(513)
	all(placed, ErrAlignment)
	_, placed = makers(768)
	all(placed, ErrLength)
	heap.reply("storageMode", 0)
	automatic, placed = makers(0)
	all(append(automatic, placed...), ErrStorageMode)
	gpu.reply("supportsRaytracing", 0)
	automatic, placed = makers(0)
	all(append(automatic, placed...), ErrDevice)
}

func TestScriptedDynamicLibrary(t *testing.T) {
	clean(t)
	gpu := newScripted(t, "MTLDevice", appleGPU())
	library := newScripted(t, "MTLLibrary", nil)
	dynamic := newScripted(t, "MTLDynamicLibrary", map[string][]uintptr{"serializeToURL:error:": answer(1)})
	d, l := DeviceFrom(gpu.ID()), LibraryFrom(library.ID())
	_, err := d.NewDynamicLibrary(l)
	require.ErrorIs(t, err, ErrDevice)
	gpu.reply("supportsDynamicLibraries", 1)
	_, err = d.NewDynamicLibrary(l)
	require.ErrorIs(t, err, ErrState)
	library.reply("type", uintptr(LibraryTypeDynamic))
	gpu.reply("newDynamicLibrary:error:", dynamic.Word())
	gpu.reply("newDynamicLibraryWithURL:error:", dynamic.Word())
	x, err := d.NewDynamicLibrary(l)
	require.NoError(t, err)
	require.NoError(t, x.SerializeToFile("x"))
	require.ErrorIs(t, x.SerializeToFile(""), ErrArgument)
	x.Release()
	x, err = d.NewDynamicLibraryWithFile("x")
	require.NoError(t, err)
	x.Release()
}

func TestScriptedFunctionTypes(t *testing.T) {
	clean(t)
	gpu := newScripted(t, "MTLDevice", appleGPU())
	other := newScripted(t, "MTLDevice", nil)
	pipeline := newScripted(t, "MTLComputePipelineState", nil)
	fn := newScripted(t, "MTLFunction",
		map[string][]uintptr{"functionType": answer(uintptr(FunctionTypeVertex)), "device": answer(gpu.Word())})
	d, f := DeviceFrom(gpu.ID()), FunctionFrom(fn.ID())
	gpu.reply("newComputePipelineStateWithFunction:error:", pipeline.Word())
	_, err := d.NewComputePipelineState(f)
	require.ErrorIs(t, err, ErrFunction)
	assert.Nil(t, gpu.took("newComputePipelineStateWithFunction:error:"))
	fn.reply("functionType", uintptr(FunctionTypeKernel))
	fn.reply("device", other.Word())
	_, err = d.NewComputePipelineState(f)
	require.ErrorIs(t, err, ErrDevice)
	fn.reply("device", gpu.Word())
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	p.Release()
}

func TestScriptedArguments(t *testing.T) {
	clean(t)
	encoder := newScripted(t, "MTLArgumentEncoder",
		map[string][]uintptr{"encodedLength": answer(24), "alignment": answer(8)})
	buffer := newScripted(t, "MTLBuffer", map[string][]uintptr{"length": answer(100)})
	e, b := known(ArgumentEncoderFrom(encoder.ID()), []argumentSpan{{0, 3}}), BufferFrom(buffer.ID())
	require.NoError(t, e.SetArgumentBufferElement(b, 16, 2))
	assert.Equal(t, []uintptr{buffer.Word(), 16, 2}, encoder.took("setArgumentBuffer:startOffset:arrayElement:"))
	limitOf(t, e.SetArgumentBufferElement(b, 16, 3), ErrLength)
	assert.Nil(t, encoder.took("setArgumentBuffer:startOffset:arrayElement:"))
	for selector, send := range map[string]func() error{
		"setTexture:atIndex:":         func() error { return e.SetTexture(Texture{}, 2) },
		"setTextures:withRange:":      func() error { return e.SetTextures(make([]Texture, 3), 0) },
		"setSamplerState:atIndex:":    func() error { return e.SetSamplerState(SamplerState{}, 2) },
		"setSamplerStates:withRange:": func() error { return e.SetSamplerStates(make([]SamplerState, 2), 1) },
		"setComputePipelineState:atIndex:": func() error {
			return e.SetComputePipelineState(ComputePipelineState{}, 2)
		},
		"setComputePipelineStates:withRange:": func() error {
			return e.SetComputePipelineStates(make([]ComputePipelineState, 2), 1)
		},
		"setIndirectCommandBuffer:atIndex:": func() error {
			return e.SetIndirectCommandBuffer(IndirectCommandBuffer{}, 2)
		},
		"setIndirectCommandBuffers:withRange:": func() error { return e.SetIndirectCommandBuffers(make([]IndirectCommandBuffer, 2), 1) },
		"setAccelerationStructure:atIndex:": func() error {
			return e.SetAccelerationStructure(AccelerationStructure{}, 2)
		},
		"setVisibleFunctionTable:atIndex:": func() error {
			return e.SetVisibleFunctionTable(VisibleFunctionTable{}, 2)
		},
		"setVisibleFunctionTables:withRange:":      func() error { return e.SetVisibleFunctionTables(make([]VisibleFunctionTable, 2), 1) },
		"setIntersectionFunctionTable:atIndex:":    func() error { return e.SetIntersectionFunctionTable(IntersectionFunctionTable{}, 2) },
		"setIntersectionFunctionTables:withRange:": func() error { return e.SetIntersectionFunctionTables(make([]IntersectionFunctionTable, 2), 1) },
		"newArgumentEncoderForBufferAtIndex:":      func() error { return ignoreNil(e.NewNestedEncoder(2)) },
	} {
		require.NoError(t, send(), selector)
		assert.NotNil(t, encoder.took(selector), selector)
	}
}

// ignoreNil drops the error of a constructor to which a script replies nil.
func ignoreNil(e ArgumentEncoder, err error) error {
	if e.IsNil() && err != nil {
		return nil
	}
	return err
}

func TestScriptedIO(t *testing.T) {
	clean(t)
	file := newScripted(t, "MTLIOFileHandle", nil)
	commands := newScripted(t, "MTLIOCommandBuffer", nil)
	buffer := newScripted(t, "MTLBuffer", map[string][]uintptr{"length": answer(100)})
	texture := newScripted(t, "MTLTexture", plainTexture())
	event := newScripted(t, "MTLSharedEvent", nil)
	c, f, b, x := IOCommandBufferFrom(commands.ID()), IOFileHandleFrom(file.ID()), BufferFrom(buffer.ID()),
		TextureFrom(texture.ID())

	require.NoError(t, c.LoadBuffer(b, 4, 96, f, 7))
	assert.Equal(t, []uintptr{buffer.Word(), 4, 96, file.Word(), 7},
		commands.took("loadBuffer:offset:size:sourceHandle:sourceHandleOffset:"))
	limitOf(t, c.LoadBuffer(b, 5, 96, f, 7), ErrLength)
	limitOf(t, c.LoadBuffer(b, 101, 1, f, 7), ErrOffset)
	limitOf(t, c.LoadBuffer(b, 0, 0, f, 7), ErrLength)
	require.ErrorIs(t, c.LoadBuffer(b, 0, 1, IOFileHandle{}, 7), ErrNil)
	require.ErrorIs(t, c.LoadBuffer(Buffer{}, 0, 1, f, 7), ErrNil)
	require.NoError(t, c.LoadBytes(make([]byte, 9), f, 3))
	assert.EqualValues(t, 9, commands.took("loadBytes:size:sourceHandle:sourceHandleOffset:")[1])
	assert.NotNil(t, commands.took("addCompletedHandler:"), "the memory is kept until then")
	limitOf(t, c.LoadBytes(nil, f, 3), ErrLength)
	require.ErrorIs(t, c.LoadBytes(make([]byte, 9), IOFileHandle{}, 3), ErrNil)
	texture.reply("storageMode", uintptr(StorageModePrivate))
	require.NoError(t, c.LoadTexture(x, 0, 0, Size{64, 32, 1}, 256, 0, Origin{}, f, 0))
	require.ErrorIs(t, c.LoadTexture(x, 0, 0, Size{65, 32, 1}, 260, 0, Origin{}, f, 0), ErrRegion)
	limitOf(t, c.LoadTexture(x, 0, 0, Size{64, 32, 1}, 128, 0, Origin{}, f, 0), ErrLength)
	require.ErrorIs(t, c.LoadTexture(Texture{}, 0, 0, Size{64, 32, 1}, 256, 0, Origin{}, f, 0), ErrNil)
	require.NoError(t, c.CopyStatusToBuffer(b, 92))
	limitOf(t, c.CopyStatusToBuffer(b, 96), ErrLength)
	limitOf(t, c.CopyStatusToBuffer(b, 2), ErrAlignment)
	require.NoError(t, c.WaitForEvent(SharedEventFrom(event.ID()), 1))
	require.NoError(t, c.SignalEvent(SharedEventFrom(event.ID()), 2))
	require.ErrorIs(t, c.WaitForEvent(SharedEvent{}, 1), ErrNil)
	require.ErrorIs(t, c.SignalEvent(SharedEvent{}, 1), ErrNil)

	gpu := newScripted(t, "MTLDevice", appleGPU())
	d := DeviceFrom(gpu.ID())
	gpu.reply("newIOFileHandleWithURL:error:", file.Word())
	gpu.reply("newIOFileHandleWithURL:compressionMethod:error:", file.Word())
	h, err := d.NewIOFileHandle("x")
	require.NoError(t, err)
	h.Release()
	h, err = d.NewIOFileHandleCompressed("x", IOCompressionMethodLZ4)
	require.NoError(t, err)
	h.Release()
	_, err = d.NewIOFileHandle("")
	require.ErrorIs(t, err, ErrArgument)
	_, err = d.NewIOFileHandleCompressed("x", 5)
	require.ErrorIs(t, err, ErrArgument)
	queue := newScripted(t, "MTLIOCommandQueue", nil)
	desc := newScripted(t, "MTLIOCommandQueueDescriptor", nil)
	gpu.reply("newIOCommandQueueWithDescriptor:error:", queue.Word())
	q, err := d.NewIOCommandQueue(IOCommandQueueDescriptorFrom(desc.ID()))
	require.NoError(t, err)
	q.Release()
	desc.reply("priority", 9)
	_, err = d.NewIOCommandQueue(IOCommandQueueDescriptorFrom(desc.ID()))
	require.ErrorIs(t, err, ErrArgument)
}
