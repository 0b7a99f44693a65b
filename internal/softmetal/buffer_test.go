package softmetal_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/puremetal/puremetal/internal/softmetal/memory"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestBuffer(t *testing.T) {
	a, _, _ := rig(t)
	b, err := a.NewBuffer(100, mtl.ResourceStorageModeShared)
	require.NoError(t, err)
	defer b.Release()
	bytes, err := b.Bytes()
	require.NoError(t, err)
	assert.Equal(t, make([]byte, 100), bytes)
	assert.Zero(t, uint64(b.Contents())%memory.PageSize())
	assert.EqualValues(t, memory.PageSize(), a.CurrentAllocatedSize())
	assert.EqualValues(t, memory.PageSize(), b.AllocatedSize())
	assert.NotZero(t, b.GPUAddress())
	assert.Zero(t, b.GPUAddress()&(1<<40-1), "the object's number is above the offset")
	assert.Equal(t, a.ID(), b.Device().ID())
	assert.Equal(t, mtl.HazardTrackingModeTracked, b.HazardTrackingMode())
	assert.True(t, b.Heap().IsNil())
	assert.False(t, b.IsAliasable())
	b.SetLabel("numbers")
	assert.Equal(t, "numbers", b.Label())

	c, err := a.NewBufferWithBytes([]byte{1, 2, 3}, mtl.ResourceHazardTrackingModeUntracked)
	require.NoError(t, err)
	defer c.Release()
	bytes, err = c.Bytes()
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 2, 3}, bytes)
	assert.NotEqual(t, b.GPUAddress(), c.GPUAddress())
	assert.Equal(t, mtl.HazardTrackingModeUntracked, c.HazardTrackingMode())
}

func TestPurgeableState(t *testing.T) {
	a, _, f := rig(t)
	b, err := a.NewBufferWithBytes([]byte{1, 2, 3}, 0)
	require.NoError(t, err)
	defer b.Release()
	assert.Equal(t, mtl.PurgeableStateNonVolatile, b.SetPurgeableState(mtl.PurgeableStateVolatile))
	assert.Equal(t, mtl.PurgeableStateVolatile, b.SetPurgeableState(mtl.PurgeableStateKeepCurrent))
	assert.Equal(t, mtl.PurgeableStateVolatile, b.SetPurgeableState(mtl.PurgeableStateEmpty))
	assert.Equal(t, mtl.PurgeableStateEmpty, b.SetPurgeableState(mtl.PurgeableStateNonVolatile))
	bytes, err := b.Bytes()
	require.NoError(t, err)
	assert.Equal(t, []byte{0, 0, 0}, bytes, "what was purged is gone")
	b.SetPurgeableState(9)
	requireFault(t, f, "setPurgeableState:", "purgeable state 9, want 1 to 4")
}

// requireFault takes the one fault there must be, which says all of the words.
func requireFault(t *testing.T, f *faults, words ...string) {
	t.Helper()
	got := f.take()
	require.Len(t, got, 1)
	for _, w := range words {
		assert.ErrorContains(t, got[0], w)
	}
}

func TestNoCopy(t *testing.T) {
	a, _, _ := rig(t)
	dev := memory.NewDevice(1 << 30)
	block, err := dev.Allocate(2*memory.PageSize(), memory.Buffers)
	require.NoError(t, err)
	defer dev.Free(block)
	var freed atomic.Int32
	b, err := a.NewBufferWithBytesNoCopy(block.Bytes(), 0, func(m []byte) {
		assert.Equal(t, &block.Bytes()[0], &m[0])
		freed.Add(1)
	})
	require.NoError(t, err)
	assert.Equal(t, block.Address(), b.Contents(), "no copy")
	b.Retain()
	b.Release()
	assert.Zero(t, freed.Load())
	b.Release()
	assert.EqualValues(t, 1, freed.Load())
}

func TestRemoteView(t *testing.T) {
	a, other, f := rig(t)
	b, err := a.NewBuffer(64, mtl.ResourceStorageModePrivate)
	require.NoError(t, err)
	view, err := b.NewRemoteBufferView(other)
	require.NoError(t, err)
	assert.Equal(t, other.ID(), view.Device().ID())
	assert.Equal(t, b.ID(), view.RemoteStorageBuffer().ID())
	assert.True(t, b.RemoteStorageBuffer().IsNil())
	assert.EqualValues(t, 64, view.Length())
	b.Release()
	assert.NotZero(t, a.CurrentAllocatedSize(), "the view keeps the buffer")
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	require.NoError(t, pool.Drain())
	view.Release()
	assert.Empty(t, f.take())
}

func TestHeapAliasing(t *testing.T) {
	a, _, _ := rig(t)
	h := newHeap(t, a, 20000, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
	assert.EqualValues(t, 32768, h.Size(), "whole grains of 16 KiB")
	x, err := h.NewBuffer(1000, 0)
	require.NoError(t, err)
	y, err := h.NewBuffer(1000, 0)
	require.NoError(t, err)
	assert.EqualValues(t, 2048, h.UsedSize())
	assert.EqualValues(t, 1024, y.HeapOffset())
	assert.Equal(t, mtl.HazardTrackingModeUntracked, x.HazardTrackingMode())
	assert.Equal(t, h.ID(), x.Heap().ID())
	require.NoError(t, x.MakeAliasable())
	require.NoError(t, x.MakeAliasable(), "twice is once")
	assert.True(t, x.IsAliasable())
	assert.EqualValues(t, 1024, h.UsedSize())
	z, err := h.NewBuffer(500, 0)
	require.NoError(t, err)
	assert.Zero(t, z.HeapOffset())
	assert.Equal(t, x.Contents(), z.Contents(), "one memory")
	x.Release()
	assert.EqualValues(t, 1024+512, h.UsedSize(), "what was aliasable takes nothing back")
	z.Release()
	y.Release()
	assert.Zero(t, h.UsedSize())
}

func TestPlacementHeap(t *testing.T) {
	a, _, _ := rig(t)
	h := newHeap(t, a, 1<<16, mtl.HeapTypePlacement, mtl.StorageModeShared)
	x, err := h.NewBufferWithOffset(512, 0, 256)
	require.NoError(t, err)
	defer x.Release()
	y, err := h.NewBufferWithOffset(256, 0, 512)
	require.NoError(t, err)
	defer y.Release()
	xs, err := x.Bytes()
	require.NoError(t, err)
	ys, err := y.Bytes()
	require.NoError(t, err)
	ys[3] = 42
	assert.Equal(t, byte(42), xs[256+3], "resources may lie over each other")
	assert.EqualValues(t, 768, h.UsedSize())
}

func newHeap(t *testing.T, d mtl.Device, size uint, typ mtl.HeapType, mode mtl.StorageMode) mtl.Heap {
	t.Helper()
	desc, err := mtl.NewHeapDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	assert.Equal(t, mtl.StorageModePrivate, desc.StorageMode(), "unless said otherwise")
	desc.SetSize(size)
	desc.SetType(typ)
	desc.SetStorageMode(mode)
	assert.Equal(t, mode, desc.ResourceOptions().StorageMode())
	h, err := d.NewHeap(desc)
	require.NoError(t, err)
	t.Cleanup(h.Release)
	return h
}

// TestManyGoroutines makes and releases buffers by 64 goroutines.
func TestManyGoroutines(t *testing.T) {
	a, _, _ := rig(t)
	h := newHeap(t, a, 1<<20, mtl.HeapTypeAutomatic, mtl.StorageModeShared)
	var wg sync.WaitGroup
	for g := range 64 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 20 {
				b, err := a.NewBuffer(64, 0)
				if !assert.NoError(t, err) {
					return
				}
				in, err := h.NewBuffer(4096, 0)
				if !assert.NoError(t, err) {
					return
				}
				for _, x := range []mtl.Buffer{b, in} {
					bytes, err := x.Bytes()
					assert.NoError(t, err)
					for i := range bytes {
						bytes[i] = byte(g)
					}
					for i := range bytes {
						if bytes[i] != byte(g) {
							t.Error("memory of another buffer")
							break
						}
					}
					x.Release()
				}
			}
		}()
	}
	wg.Wait()
	assert.Zero(t, h.UsedSize())
}

func TestResidencySets(t *testing.T) {
	a, _, f := rig(t)
	desc, err := mtl.NewResidencySetDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetLabel("all")
	s, err := a.NewResidencySet(desc)
	require.NoError(t, err)
	assert.Equal(t, "all", s.Label())
	b, err := a.NewBuffer(64, 0)
	require.NoError(t, err)
	h := newHeap(t, a, 1, mtl.HeapTypeAutomatic, mtl.StorageModePrivate)
	require.NoError(t, s.AddAllocations([]mtl.Allocation{b.Allocation, h.Allocation, b.Allocation}))
	s.Commit()
	s.RequestResidency()
	b.Release()
	assert.EqualValues(t, 2, s.AllocationCount())
	assert.EqualValues(t, memory.PageSize()+16384, s.AllocatedSize())
	assert.Len(t, s.AllAllocations(), 2)
	assert.True(t, s.ContainsAllocation(h.Allocation))
	require.NoError(t, s.AddAllocation(mtl.Allocation(s)))
	requireFault(t, f, "addAllocation:", "takes no memory")
	s.RemoveAllAllocations()
	assert.Zero(t, s.AllocationCount())
	s.EndResidency()
	s.Release()
}
