package mtl

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHeapChecks(t *testing.T) {
	const c = check("-[T t]")
	assert.NoError(t, c.heap(1, HeapTypeAutomatic, ResourceStorageModePrivate, appleTraits))
	assert.NoError(t, c.heap(1, HeapTypePlacement, ResourceStorageModeShared, appleTraits))
	limitOf(t, c.heap(0, HeapTypeAutomatic, ResourceStorageModePrivate, appleTraits), ErrLength)
	require.ErrorIs(t, c.heap(1, 3, ResourceStorageModePrivate, appleTraits), ErrArgument)
	require.ErrorIs(t, c.heap(1, -1, ResourceStorageModePrivate, appleTraits), ErrArgument)
	require.ErrorIs(t, c.heap(1, 0, ResourceStorageModeManaged, discreteTraits), ErrStorageMode)
	require.ErrorIs(t, c.heap(1, 0, ResourceStorageModeMemoryless, appleTraits), ErrStorageMode)
	require.ErrorIs(t, c.heap(1, 0, ResourceStorageModeShared, discreteTraits), ErrStorageMode)
	require.ErrorIs(t, c.heap(1, HeapTypeSparse, ResourceStorageModeShared, appleTraits), ErrStorageMode)

	need := SizeAndAlign{Size: 512, Align: 256}
	assert.NoError(t, c.fits(HeapTypeAutomatic, need, 512))
	limitOf(t, c.fits(HeapTypeAutomatic, need, 511), ErrMemory)
	require.ErrorIs(t, c.fits(HeapTypePlacement, need, 512), ErrState)
	assert.NoError(t, c.placed(HeapTypePlacement, need, 512, 1024))
	limitOf(t, c.placed(HeapTypePlacement, need, 511, 1024), ErrAlignment)
	limitOf(t, c.placed(HeapTypePlacement, need, 768, 1024), ErrLength)
	limitOf(t, c.placed(HeapTypePlacement, need, 1<<40, 1024), ErrOffset)
	require.ErrorIs(t, c.placed(HeapTypeAutomatic, need, 0, 1024), ErrState)

	assert.NoError(t, c.heapModes(ResourceStorageModePrivate|ResourceHazardTrackingModeTracked,
		ResourceStorageModePrivate))
	require.ErrorIs(t, c.heapModes(ResourceStorageModeShared, ResourceStorageModePrivate), ErrStorageMode)
	require.ErrorIs(t, c.heapModes(ResourceCPUCacheModeWriteCombined, 0), ErrArgument)

	require.ErrorIs(t, c.rays(false, StorageModePrivate), ErrDevice)
	require.ErrorIs(t, c.rays(true, StorageModeShared), ErrStorageMode)
	assert.NoError(t, c.rays(true, StorageModePrivate))
}

func testHeap(t *testing.T, d Device, size uint, typ HeapType, mode StorageMode) Heap {
	t.Helper()
	desc, err := NewHeapDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	desc.SetSize(size)
	desc.SetType(typ)
	desc.SetStorageMode(mode)
	h, err := d.NewHeap(desc)
	require.NoError(t, err)
	t.Cleanup(h.Release)
	return h
}

func TestNewHeap(t *testing.T) {
	d := testDevice(t)
	desc, err := NewHeapDescriptor()
	require.NoError(t, err)
	defer desc.Release()
	_, err = d.NewHeap(desc)
	limitOf(t, err, ErrLength)
	desc.SetSize(1 << 16)
	desc.SetStorageMode(StorageModeMemoryless)
	_, err = d.NewHeap(desc)
	require.ErrorIs(t, err, ErrStorageMode)
	desc.SetStorageMode(StorageModePrivate)
	desc.SetType(HeapType(9))
	_, err = d.NewHeap(desc)
	require.ErrorIs(t, err, ErrArgument)
	desc.SetType(HeapTypeAutomatic)
	desc.SetSize(1 << 62)
	_, err = d.NewHeap(desc)
	require.ErrorIs(t, err, ErrMemory)
	_, err = d.NewHeap(HeapDescriptor{})
	require.ErrorIs(t, err, ErrNil)

	sa, err := d.HeapBufferSizeAndAlign(100, 0)
	require.NoError(t, err)
	assert.GreaterOrEqual(t, sa.Size, uint(100))
	assert.NotZero(t, sa.Align)
	_, err = d.HeapBufferSizeAndAlign(0, 0)
	limitOf(t, err, ErrLength)
}

func TestAutomaticHeap(t *testing.T) {
	d := testDevice(t)
	h := testHeap(t, d, 1<<16, HeapTypeAutomatic, StorageModePrivate)
	free, err := h.MaxAvailableSize(256)
	require.NoError(t, err)
	for _, a := range []uint{0, 3, math.MaxUint} {
		_, err = h.MaxAvailableSize(a)
		require.ErrorIs(t, err, ErrAlignment)
	}
	_, err = h.NewBuffer(free+1, ResourceStorageModePrivate)
	limitOf(t, err, ErrMemory)
	_, err = h.NewBuffer(0, ResourceStorageModePrivate)
	limitOf(t, err, ErrLength)
	_, err = h.NewBuffer(16, ResourceStorageModeShared)
	require.ErrorIs(t, err, ErrStorageMode)
	_, err = h.NewBuffer(16, ResourceStorageModePrivate|ResourceCPUCacheModeWriteCombined)
	require.ErrorIs(t, err, ErrArgument)
	_, err = h.NewBufferWithOffset(16, ResourceStorageModePrivate, 0)
	require.ErrorIs(t, err, ErrState)

	b, err := h.NewBuffer(free, ResourceStorageModePrivate)
	require.NoError(t, err)
	assert.Equal(t, free, b.Length())
	_, err = h.NewBuffer(256, ResourceStorageModePrivate)
	limitOf(t, err, ErrMemory)
	require.NoError(t, b.MakeAliasable())
	again, err := h.NewBuffer(256, ResourceStorageModePrivate)
	require.NoError(t, err)
	again.Release()
	b.Release()
	assert.NotZero(t, h.SetPurgeableState(PurgeableStateKeepCurrent))
	_, err = h.NewAccelerationStructure(0)
	limitOf(t, err, ErrLength)
	if !d.SupportsRaytracing() {
		_, err = h.NewAccelerationStructure(64)
		require.ErrorIs(t, err, ErrDevice)
		_, err = h.NewAccelerationStructureWithOffset(64, 0)
		require.ErrorIs(t, err, ErrDevice)
	}
	_, err = h.NewAccelerationStructureWithDescriptor(AccelerationStructureDescriptor{})
	require.ErrorIs(t, err, ErrNil)
}

func TestPlacementHeap(t *testing.T) {
	d := testDevice(t)
	h := testHeap(t, d, 1<<16, HeapTypePlacement, StorageModePrivate)
	sa, err := d.HeapBufferSizeAndAlign(1024, ResourceStorageModePrivate)
	require.NoError(t, err)
	_, err = h.NewBuffer(1024, ResourceStorageModePrivate)
	require.ErrorIs(t, err, ErrState)
	_, err = h.NewBufferWithOffset(1024, ResourceStorageModePrivate, 1)
	limitOf(t, err, ErrAlignment)
	_, err = h.NewBufferWithOffset(1024, ResourceStorageModePrivate, h.Size())
	limitOf(t, err, ErrLength)
	_, err = h.NewBufferWithOffset(1024, ResourceStorageModePrivate, h.Size()+sa.Align)
	limitOf(t, err, ErrOffset)
	_, err = h.NewBufferWithOffset(1024, ResourceStorageModePrivate, math.MaxUint/sa.Align*sa.Align)
	limitOf(t, err, ErrOffset)
	b, err := h.NewBufferWithOffset(1024, ResourceStorageModePrivate, sa.Align)
	require.NoError(t, err)
	assert.Equal(t, sa.Align, b.HeapOffset())
	b.Release()
}
