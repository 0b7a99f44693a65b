package softmetal

import (
	"testing"

	"github.com/puremetal/puremetal/internal/objcsoft"
	"github.com/puremetal/puremetal/internal/softmetal/adapter"
	"github.com/puremetal/puremetal/internal/softmetal/device"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sample are classes with properties of each kind.
func sample() []adapter.Class {
	return []adapter.Class{
		{Name: "MTLTextureViewDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "pixelFormat", Value: 7}, {Name: "textureType"}, {Name: "levelRange", Values: []uintptr{1, 2}},
		}},
		{Name: "MTLPipelineBufferDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "mutability"}}},
		adapter.ArrayOf("MTLPipelineBufferDescriptorArray", "MTLPipelineBufferDescriptor", 3),
		{Name: "MTLComputePipelineDescriptor", Protocols: []string{"NSCopying"}, Properties: adapter.Properties{
			{Name: "label", Copied: true}, {Name: "computeFunction"},
			{Name: "buffers", Child: "MTLPipelineBufferDescriptorArray"},
		}},
		{Name: "MTL4PipelineDescriptor", Protocols: []string{"NSCopying"},
			Properties: adapter.Properties{{Name: "label", Copied: true}}},
		{Name: "MTL4ComputePipelineDescriptor", Super: "MTL4PipelineDescriptor", Properties: adapter.Properties{
			{Name: "maxTotalThreadsPerThreadgroup", Value: 5},
		}},
	}
}

func recordRuntime(t *testing.T) (*objcsoft.Runtime, func(recv objcsoft.ID, sel string, args ...uintptr) uintptr) {
	t.Helper()
	rt := objcsoft.New()
	in, err := newInstallation(rt)
	require.NoError(t, err)
	require.NoError(t, in.register(append(sample(), device.Classes()...)))
	return rt, func(recv objcsoft.ID, sel string, args ...uintptr) uintptr {
		t.Helper()
		m := rt.ClassOf(recv).Method(rt.Sel(sel))
		require.NotNil(t, m, sel)
		var ret [1]uintptr
		require.NoError(t, rt.Send(recv, rt.Sel(sel), m.Enc, args, ret[:]))
		return ret[0]
	}
}

func TestRecordValues(t *testing.T) {
	rt, send := recordRuntime(t)
	id := adapter.NewInstance(rt, "MTLTextureViewDescriptor")
	assert.EqualValues(t, 7, send(id, "pixelFormat"))
	assert.EqualValues(t, 1, send(id, "levelRange"))
	send(id, "setLevelRange:", 3, 4)
	send(id, "setPixelFormat:", 9)
	twin := objcsoft.ID(send(id, "copy"))
	send(id, "setPixelFormat:", 11)
	r, ok := adapter.PayloadOf[*adapter.Record](rt, twin)
	require.True(t, ok)
	assert.Equal(t, []uintptr{3, 4}, r.Words("levelRange"))
	assert.EqualValues(t, 9, r.Uint("pixelFormat"), "a copy is not changed with what it was copied from")
	assert.Panics(t, func() { r.Uint("color") })
	require.NoError(t, rt.Release(id))
	require.NoError(t, rt.Release(twin))
	assert.Zero(t, rt.LiveTotal())
}

// TestRecordObjects: properties own what they hold; copies share it, but have children of their
// own.
func TestRecordObjects(t *testing.T) {
	rt, send := recordRuntime(t)
	id, name, thing := adapter.NewInstance(rt, "MTLComputePipelineDescriptor"), rt.NewString("a name"),
		adapter.NewInstance(rt, "NSObject")
	pool := rt.PushPool()
	send(id, "setLabel:", uintptr(name))
	send(id, "setComputeFunction:", uintptr(thing))
	send(id, "setComputeFunction:", uintptr(thing))
	buffers := objcsoft.ID(send(id, "buffers"))
	first := objcsoft.ID(send(buffers, "objectAtIndexedSubscript:", 1))
	assert.Equal(t, first, objcsoft.ID(send(buffers, "objectAtIndexedSubscript:", 1)))
	send(first, "setMutability:", 2)

	twin := objcsoft.ID(send(id, "copy"))
	theirs := objcsoft.ID(send(twin, "buffers"))
	assert.NotEqual(t, buffers, theirs)
	copied := objcsoft.ID(send(theirs, "objectAtIndexedSubscript:", 1))
	assert.NotEqual(t, first, copied)
	assert.EqualValues(t, 2, send(copied, "mutability"))
	assert.EqualValues(t, thing, send(twin, "computeFunction"))

	send(buffers, "setObject:atIndexedSubscript:", 0, 1)
	assert.Zero(t, send(objcsoft.ID(send(buffers, "objectAtIndexedSubscript:", 1)), "mutability"), "nil resets the place")
	send(buffers, "setObject:atIndexedSubscript:", uintptr(copied), 2)
	m := rt.ClassOf(buffers).Method(rt.Sel("objectAtIndexedSubscript:"))
	err := rt.Send(buffers, m.Sel, m.Enc, []uintptr{3}, nil)
	assert.ErrorIs(t, err, objcsoft.ErrException)
	assert.ErrorContains(t, err, "index 3 is past the array's 3 places")

	require.NoError(t, rt.PopPool(pool))
	for _, o := range []objcsoft.ID{id, twin, name, thing} {
		require.NoError(t, rt.Release(o))
	}
	assert.Empty(t, rt.Leaks())
}

func TestRecordInherits(t *testing.T) {
	rt, send := recordRuntime(t)
	id, name := adapter.NewInstance(rt, "MTL4ComputePipelineDescriptor"), rt.NewString("a name")
	send(id, "setLabel:", uintptr(name))
	assert.EqualValues(t, 5, send(id, "maxTotalThreadsPerThreadgroup"))
	twin := objcsoft.ID(send(id, "copy"))
	assert.Equal(t, "MTL4ComputePipelineDescriptor", rt.ClassOf(twin).Name)
	assert.EqualValues(t, 5, send(twin, "maxTotalThreadsPerThreadgroup"))
	pool := rt.PushPool()
	text, err := rt.GoString(objcsoft.ID(send(twin, "label")))
	require.NoError(t, err)
	assert.Equal(t, "a name", text)
	require.NoError(t, rt.PopPool(pool))
	for _, o := range []objcsoft.ID{id, twin, name} {
		require.NoError(t, rt.Release(o))
	}
	assert.Empty(t, rt.Leaks())
}
