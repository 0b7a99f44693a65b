package mtl

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNilMetal4(t *testing.T) {
	_, err := Device{}.NewCommandAllocator4()
	require.ErrorIs(t, err, ErrNil)
	_, err = Device{}.NewCommandBuffer4()
	require.ErrorIs(t, err, ErrNil)
	_, err = Device{}.NewCounterHeap4WithDescriptor(CounterHeapDescriptor4{})
	require.ErrorIs(t, err, ErrNil)
	_, err = Compiler4{}.NewLibraryWithDescriptor(LibraryDescriptor4{})
	require.ErrorIs(t, err, ErrNil)
	_, err = Compiler4{}.NewLibraryWithDescriptorCompletionHandler(LibraryDescriptor4{}, nil)
	require.ErrorIs(t, err, ErrNil)
	_, err = Archive4{}.NewBinaryFunction4WithDescriptor(BinaryFunctionDescriptor4{})
	require.ErrorIs(t, err, ErrNil)
	require.ErrorIs(t, CommandAllocator4{}.Reset(), ErrNil)
	require.ErrorIs(t, CommandBuffer4{}.EndCommandBuffer(), ErrNil)
	require.ErrorIs(t, CommandEncoder4{}.EndEncoding(), ErrNil)
}

func TestCompiler4Refusals(t *testing.T) {
	clean(t)
	c := Compiler4From(fakeObject(t, "MTL4Compiler"))
	_, err := c.NewLibraryWithDescriptor(LibraryDescriptor4{})
	require.ErrorIs(t, err, ErrNil)
	_, err = c.NewDynamicLibraryWithURL("")
	require.ErrorIs(t, err, ErrNil)
	_, err = c.NewDynamicLibrary(Library{})
	require.ErrorIs(t, err, ErrNil)
	_, err = c.NewLibraryWithDescriptorCompletionHandler(LibraryDescriptor4From(fakeObject(t, "MTL4LibraryDescriptor")),
		nil)
	require.ErrorIs(t, err, ErrNil)
	_, err = c.NewComputePipelineStateWithDescriptorCompletionHandler(ComputePipelineDescriptor4{}, CompilerTaskOptions4{},
		func(ComputePipelineState, error) {})
	require.ErrorIs(t, err, ErrNil)
	a := Archive4From(fakeObject(t, "MTL4Archive"))
	_, err = a.NewComputePipelineStateWithDescriptor(ComputePipelineDescriptor4{})
	require.ErrorIs(t, err, ErrNil)
}
