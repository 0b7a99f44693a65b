package mtl

import (
	"math"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func testKernel(t *testing.T, d Device) Function {
	t.Helper()
	f, err := testLibrary(t, d).NewFunction("add")
	require.NoError(t, err)
	t.Cleanup(f.Release)
	return f
}

func TestPipelineChecks(t *testing.T) {
	const c = check("-[T t]")
	most := Size{1024, 1024, 64}
	assert.NoError(t, c.threads(0, Size{}, most))
	assert.NoError(t, c.threads(1024, Size{32, 32, 1}, most))
	limitOf(t, c.threads(1025, Size{}, most), ErrThreadgroupSize)
	limitOf(t, c.threads(0, Size{32, 33, 1}, most), ErrThreadgroupSize)
	limitOf(t, c.threads(64, Size{65, 1, 1}, most), ErrThreadgroupSize)
	limitOf(t, c.threads(0, Size{1, 0, 1}, most), ErrThreadgroupSize)
	limitOf(t, c.threads(0, Size{1, 1, 65}, most), ErrThreadgroupSize)
	limitOf(t, c.threads(0, Size{1 << 40, 1 << 40, 1}, Size{1 << 40, 1 << 40, 1}), ErrThreadgroupSize)
	require.ErrorIs(t, c.pipelineOptions(8), ErrArgument)
	assert.NoError(t, c.pipelineOptions(7))
}

func TestNewComputePipelineState(t *testing.T) {
	d := testDevice(t)
	f := testKernel(t, d)
	_, err := d.NewComputePipelineState(Function{})
	require.ErrorIs(t, err, ErrNil)
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	defer p.Release()
	l := p.Limits()
	assert.GreaterOrEqual(t, l.MaxTotalThreadsPerThreadgroup, uint(1))
	assert.GreaterOrEqual(t, l.ThreadExecutionWidth, uint(1))
	assert.Equal(t, Size{}, l.RequiredThreadsPerThreadgroup)
	assert.False(t, l.IndirectCommandBuffers)
}

func TestPipelineReflection(t *testing.T) {
	d := testDevice(t)
	f := testKernel(t, d)
	p, r, err := d.NewComputePipelineStateWithReflection(f, PipelineOptionNone)
	require.NoError(t, err)
	defer p.Release()
	defer r.Release()
	var names []string
	for _, b := range r.Bindings() {
		names = append(names, b.Name())
		assert.Equal(t, BindingTypeBuffer, b.Type())
	}
	assert.Equal(t, []string{"a", "b", "out"}, names)
	_, _, err = d.NewComputePipelineStateWithReflection(f, 1<<10)
	require.ErrorIs(t, err, ErrArgument)
	_, _, err = d.NewComputePipelineStateWithReflection(Function{}, 0)
	require.ErrorIs(t, err, ErrNil)
}

func TestPipelineDescriptor(t *testing.T) {
	d := testDevice(t)
	desc, err := NewComputePipelineDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	_, _, err = d.NewComputePipelineStateWithDescriptor(desc, 0)
	require.ErrorIs(t, err, ErrNil, "no function")
	desc.SetComputeFunction(testKernel(t, d))
	desc.SetSupportIndirectCommandBuffers(true)
	desc.SetMaxTotalThreadsPerThreadgroup(1 << 20)
	_, _, err = d.NewComputePipelineStateWithDescriptor(desc, 0)
	limitOf(t, err, ErrThreadgroupSize)
	desc.SetMaxTotalThreadsPerThreadgroup(64)
	p, r, err := d.NewComputePipelineStateWithDescriptor(desc, 0)
	require.NoError(t, err)
	assert.True(t, r.IsNil())
	assert.Equal(t, uint(64), p.Limits().MaxTotalThreadsPerThreadgroup)
	assert.True(t, p.Limits().IndirectCommandBuffers)
	p.Release()
	p, r, err = d.NewComputePipelineStateWithDescriptor(desc, PipelineOptionBindingInfo)
	require.NoError(t, err)
	assert.Len(t, r.Bindings(), 3)
	p.Release()
	r.Release()

	if err := desc.SetRequiredThreadsPerThreadgroup(Size{65, 1, 1}); err == nil {
		_, _, err = d.NewComputePipelineStateWithDescriptor(desc, 0)
		limitOf(t, err, ErrThreadgroupSize)
	} else {
		require.ErrorIs(t, err, objc.ErrUnavailable)
	}

	buffers := desc.Buffers()
	first, err := buffers.At(30)
	require.NoError(t, err)
	first.SetMutability(MutabilityImmutable)
	require.NoError(t, buffers.Set(0, first))
	_, err = buffers.At(31)
	limitOf(t, err, ErrIndex)
	limitOf(t, buffers.Set(math.MaxUint, first), ErrIndex)
}

func TestPipelinesAsync(t *testing.T) {
	d := testDevice(t)
	f := testKernel(t, d)
	got := make(chan error, 1)
	require.NoError(t, d.NewComputePipelineStateAsync(f, func(p ComputePipelineState, err error) {
		p.Release()
		got <- err
	}))
	require.NoError(t, <-got)
	bindings := make(chan int, 1)
	reflected := func(p ComputePipelineState, r ComputePipelineReflection, err error) {
		objc.Pool(func() { bindings <- len(r.Bindings()) })
		r.Release()
		p.Release()
		got <- err
	}
	require.NoError(t, d.NewComputePipelineStateWithReflectionAsync(f, 0, reflected))
	require.NoError(t, <-got)
	assert.Equal(t, 3, <-bindings)
	desc, err := NewComputePipelineDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	require.ErrorIs(t, d.NewComputePipelineStateWithDescriptorAsync(desc, 0, reflected), ErrNil)
	desc.SetComputeFunction(f)
	require.NoError(t, d.NewComputePipelineStateWithDescriptorAsync(desc, 0, reflected))
	require.NoError(t, <-got)
	assert.Equal(t, 0, <-bindings)
	require.ErrorIs(t, d.NewComputePipelineStateAsync(f, nil), ErrNil)
	require.ErrorIs(t, d.NewComputePipelineStateWithReflectionAsync(f, 0, nil), ErrNil)
	require.ErrorIs(t, d.NewComputePipelineStateWithDescriptorAsync(desc, 0, nil), ErrNil)

	plain, err := testLibrary(t, d).NewFunction("scaled") // whose constants have no values
	require.NoError(t, err)
	defer plain.Release()
	require.NoError(t, d.NewComputePipelineStateWithReflectionAsync(plain, 0, reflected))
	require.Error(t, <-got)
	assert.Equal(t, 0, <-bindings)
}

func TestPipelineOfOtherDevice(t *testing.T) {
	d := testDevice(t)
	f := testKernel(t, d)
	ds, err := Devices()
	require.NoError(t, err)
	defer ReleaseAll(ds)
	for _, other := range ds {
		if other.ID() != d.ID() {
			_, err = other.NewComputePipelineState(f)
			require.ErrorIs(t, err, ErrDevice)
		}
	}
}
