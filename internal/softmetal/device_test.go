package softmetal_test

import (
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// faults collects what calls without an error result report.
type faults struct {
	mu   sync.Mutex
	list []error
}

// take returns the faults so far and forgets them.
func (f *faults) take() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	got := f.list
	f.list = nil
	return got
}

// rig returns the two devices. At the end of the test there must be no fault that it has not taken,
// no object and no memory left.
func rig(t *testing.T) (mtl.Device, mtl.Device, *faults) {
	t.Helper()
	f := &faults{}
	_, err := objc.CurrentDriver()
	require.NoError(t, err)
	ds, err := mtl.Devices()
	require.NoError(t, err)
	require.Len(t, ds, 2)
	before := objc.LiveObjects()
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	undo := objc.OnFault(func(x *objc.Fault) {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.list = append(f.list, x)
	})
	t.Cleanup(func() {
		assert.NoError(t, pool.Drain())
		undo()
		assert.Empty(t, f.take(), "faults")
		// What a queue holds goes when it is done with it, which may be a moment after an event that the
		// test has waited for.
		if !settle.Equal(t, "live objects", before, objc.LiveObjects) {
			t.Log(objc.Leaks())
		}
		for _, d := range ds {
			assert.Zero(t, d.CurrentAllocatedSize(), d.Name())
		}
		mtl.ReleaseAll(ds)
	})
	return ds[0], ds[1], f
}

func TestDeviceFacts(t *testing.T) {
	a, b, _ := rig(t)
	assert.NotEqual(t, a.Name(), b.Name())
	assert.NotEqual(t, a.RegistryID(), b.RegistryID())
	assert.NotZero(t, a.PeerGroupID())
	assert.Equal(t, a.PeerGroupID(), b.PeerGroupID())
	assert.Equal(t, []uint32{0, 1, 2, 2}, []uint32{a.PeerIndex(), b.PeerIndex(), a.PeerCount(), b.PeerCount()})
	arch, err := a.Architecture()
	require.NoError(t, err)
	assert.NotEmpty(t, arch.Name())

	l := a.Limits()
	assert.Equal(t, mtl.Size{Width: 1024, Height: 1024, Depth: 1024}, l.MaxThreadsPerThreadgroup)
	assert.EqualValues(t, 32768, l.MaxThreadgroupMemoryLength)
	assert.True(t, l.UnifiedMemory)
	assert.Equal(t, mtl.ArgumentBuffersTier2, l.ArgumentBuffers)
	info, err := objc.ReadProcessInfo()
	require.NoError(t, err)
	assert.LessOrEqual(t, uint64(l.MaxBufferLength), info.PhysicalMemory/2)
	assert.NotZero(t, l.MaxBufferLength)
	assert.Less(t, uint64(l.RecommendedMaxWorkingSetSize), info.PhysicalMemory)
	assert.NotZero(t, l.RecommendedMaxWorkingSetSize)
}

func TestFamilies(t *testing.T) {
	a, _, _ := rig(t)
	for _, f := range []mtl.GPUFamily{mtl.GPUFamilyApple1, mtl.GPUFamilyApple9, mtl.GPUFamilyMac2, mtl.GPUFamilyCommon3,
		mtl.GPUFamilyMetal3} {
		assert.True(t, a.Supports(f), f)
	}
	for _, f := range []mtl.GPUFamily{mtl.GPUFamilyApple10, mtl.GPUFamilyMacCatalyst1, 0, -1, 1 << 40} {
		assert.False(t, a.Supports(f), f)
	}
	assert.True(t, a.SupportsTextureSampleCount(4))
	assert.False(t, a.SupportsTextureSampleCount(8))
	assert.False(t, a.SupportsRaytracing())
}
