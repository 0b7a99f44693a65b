package limits_test

import (
	"os"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/limits"
	"github.com/puremetal/puremetal/mtl"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	if err := os.Setenv("PUREMETAL_DRIVER", "software"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// TestSameAsMetal compares the limits that Metal has no query for with those that package mtl
// checks.
func TestSameAsMetal(t *testing.T) {
	assert.Equal(t, mtl.MaxBufferSlots, limits.MaxBuffers)
	assert.Equal(t, mtl.MaxTextureSlots, limits.MaxTextures)
	assert.Equal(t, mtl.MaxSamplerSlots, limits.MaxSamplers)
	assert.Equal(t, mtl.MaxThreadgroupMemorySlots, limits.MaxMemory)
	assert.Equal(t, mtl.MaxBytesLength, limits.MaxInlineBytes)
	assert.Equal(t, mtl.ThreadgroupMemoryAlignment, limits.MemoryAlignment)
	assert.Equal(t, mtl.MaxTextureSize2D, limits.MaxTextureSize2D)
	assert.Equal(t, mtl.MaxTextureSize3D, limits.MaxTextureSize3D)
	assert.Equal(t, mtl.MaxTextureArrayLength, limits.MaxTextureArrayLength)
	assert.Equal(t, mtl.MaxTextureBufferWidth, limits.MaxTextureBufferWidth)
	assert.Equal(t, mtl.MaxAnisotropy, limits.MaxAnisotropy)
}

// TestDevice compares the limits with what the device says.
func TestDevice(t *testing.T) {
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer d.Release()
	l := d.Limits()
	assert.Equal(t, mtl.Size{Width: limits.MaxThreads, Height: limits.MaxThreads, Depth: limits.MaxThreads},
		l.MaxThreadsPerThreadgroup)
	assert.EqualValues(t, limits.MaxThreadgroupMemory, l.MaxThreadgroupMemoryLength)
	assert.EqualValues(t, limits.MaxArgumentBufferSamplers, l.MaxArgumentBufferSamplers)
	linear, err := d.MinimumLinearTextureAlignment(mtl.PixelFormatR8Unorm)
	require.NoError(t, err)
	assert.EqualValues(t, limits.LinearTextureAlignment, linear)
	inBuffer, err := d.MinimumTextureBufferAlignment(mtl.PixelFormatR8Unorm)
	require.NoError(t, err)
	assert.EqualValues(t, limits.TextureBufferAlignment, inBuffer)
}

// TestRefusals compares limits that package mtl keeps to itself with those in its errors.
func TestRefusals(t *testing.T) {
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer d.Release()
	limit := func(err error) uint64 {
		t.Helper()
		var l *mtl.LimitError
		require.ErrorAs(t, err, &l)
		return l.Limit
	}
	desc, err := mtl.NewIndirectCommandBufferDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetCommandTypes(mtl.IndirectCommandTypeConcurrentDispatch)
	_, err = d.NewIndirectCommandBufferWithDescriptor(desc, limits.MaxCommands+1, 0)
	assert.EqualValues(t, limits.MaxCommands, limit(err))

	x, err := d.NewBuffer(64, 0)
	require.NoError(t, err)
	defer x.Release()
	q, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer q.Release()
	b, err := q.CommandBuffer()
	require.NoError(t, err)
	e, err := b.ComputeCommandEncoder()
	require.NoError(t, err)
	lib, err := d.NewLibrary("kernel void nothing() {}", mtl.CompileOptions{})
	require.NoError(t, err)
	defer lib.Release()
	f, err := lib.NewFunction("nothing")
	require.NoError(t, err)
	defer f.Release()
	p, err := d.NewComputePipelineState(f)
	require.NoError(t, err)
	defer p.Release()
	assert.EqualValues(t, limits.SimdgroupWidth, p.ThreadExecutionWidth())
	assert.EqualValues(t, limits.MaxThreads, p.MaxTotalThreadsPerThreadgroup())
	require.NoError(t, e.SetComputePipelineState(p))
	one := mtl.Size{Width: 1, Height: 1, Depth: 1}
	assert.EqualValues(t, limits.IndirectAlignment, limit(e.DispatchThreadgroupsWithIndirectBuffer(x, 2, one)))
	wide := mtl.Size{Width: limits.MaxGridThreads + 1, Height: 1, Depth: 1}
	assert.EqualValues(t, limits.MaxGridThreads, limit(e.DispatchThreads(wide, one)))
	require.NoError(t, e.EndEncoding())
}
