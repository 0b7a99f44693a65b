package mtl

import (
	"math"
	"os"
	"testing"

	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testBuffer returns a buffer for one test.
func testBuffer(t *testing.T, d Device, length uint, options ResourceOptions) Buffer {
	t.Helper()
	b, err := d.NewBuffer(length, options)
	require.NoError(t, err)
	t.Cleanup(b.Release)
	return b
}

func TestBufferChecks(t *testing.T) {
	const c, longest = check("-[T t]"), 1 << 30
	assert.NoError(t, c.buffer(1, 0, longest, appleTraits))
	assert.NoError(t, c.buffer(longest, 0, longest, appleTraits))
	limitOf(t, c.buffer(0, 0, longest, appleTraits), ErrLength)
	l := limitOf(t, c.buffer(longest+1, 0, longest, appleTraits), ErrMemory)
	assert.Equal(t, uint64(longest), l.Limit)
	assert.Equal(t, uint64(longest+1), l.Value)
	limitOf(t, c.buffer(math.MaxUint64, 0, longest, appleTraits), ErrMemory)
	require.ErrorIs(t, c.cpuBuffer(1, ResourceStorageModePrivate, longest, appleTraits), ErrStorageMode)
	assert.NoError(t, c.cpuBuffer(1, ResourceStorageModeShared, longest, appleTraits))

	assert.NoError(t, c.pages(0x10000, 0x8000, 0x4000))
	limitOf(t, c.pages(0x10001, 0x8000, 0x4000), ErrAlignment)
	limitOf(t, c.pages(0x10000, 0x8001, 0x4000), ErrAlignment)

	assert.NoError(t, c.sparseBuffer(1, ResourceStorageModePrivate, SparsePageSize64, longest, appleTraits))
	require.ErrorIs(t, c.sparseBuffer(1, ResourceStorageModeShared, SparsePageSize64, longest, appleTraits),
		ErrStorageMode)
	require.ErrorIs(t, c.sparseBuffer(1, ResourceStorageModePrivate, 7, longest, appleTraits), ErrArgument)

	require.ErrorIs(t, c.peers(1, 1, true), ErrDevice)
	require.ErrorIs(t, c.peers(0, 0, false), ErrDevice)
	require.ErrorIs(t, c.peers(1, 2, false), ErrDevice)
	assert.NoError(t, c.peers(1, 1, false))
}

func TestNewBuffer(t *testing.T) {
	d := testDevice(t)
	for _, n := range []uint{0, d.MaxBufferLength() + 1, math.MaxUint, 1 << 63} {
		b, err := d.NewBuffer(n, ResourceStorageModeShared)
		require.Error(t, err, n)
		assert.True(t, b.IsNil())
	}
	_, err := d.NewBuffer(0, 0)
	limitOf(t, err, ErrLength)
	_, err = d.NewBuffer(d.MaxBufferLength()+1, 0)
	assert.Equal(t, uint64(d.MaxBufferLength()), limitOf(t, err, ErrMemory).Limit)
	_, err = d.NewBuffer(16, ResourceStorageModeMemoryless)
	require.ErrorIs(t, err, ErrStorageMode)

	b := testBuffer(t, d, 100, ResourceStorageModeShared)
	assert.Equal(t, uint(100), b.Length())
	assert.NotZero(t, b.GPUAddress())
	assert.Equal(t, PurgeableStateNonVolatile, b.SetPurgeableState(PurgeableStateKeepCurrent))
}

// TestFailedAllocation makes every second allocation fail, in a separate process.
func TestFailedAllocation(t *testing.T) {
	failsOnDemand(t)
	rerun(t, "TestFailsAllocation", failAllocationVariable+"=2", "PUREMETAL_SOFTWARE_FAULTS=allocation=2")
}

func TestFailsAllocation(t *testing.T) {
	if os.Getenv(failAllocationVariable) != "2" {
		t.Skipf("needs %s=2; TestFailedAllocation sets it", failAllocationVariable)
	}
	d := testDevice(t)
	testBuffer(t, d, 64, 0)
	_, err := d.NewBuffer(64, 0)
	require.ErrorIs(t, err, ErrMemory)
	assert.ErrorContains(t, err, "64 bytes")
	assert.ErrorContains(t, err, "recommended at most")
}

func TestBufferBytes(t *testing.T) {
	d := testDevice(t)
	b, err := d.NewBufferWithBytes([]byte{1, 0, 0, 0, 2, 0, 0, 0}, ResourceStorageModeShared)
	require.NoError(t, err)
	defer b.Release()
	bytes, err := b.Bytes()
	require.NoError(t, err)
	assert.Equal(t, []byte{1, 0, 0, 0, 2, 0, 0, 0}, bytes)
	numbers, err := Slice[uint32](b)
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 2}, numbers)
	numbers[1] = 7
	tail, err := b.BytesAt(4, 4)
	require.NoError(t, err)
	assert.Equal(t, []byte{7, 0, 0, 0}, tail)
	assert.Equal(t, 4, cap(tail))
	empty, err := b.BytesAt(8, 0)
	require.NoError(t, err)
	assert.Empty(t, empty)

	_, err = b.BytesAt(9, 0)
	limitOf(t, err, ErrOffset)
	_, err = b.BytesAt(4, 5)
	limitOf(t, err, ErrLength)
	_, err = b.BytesAt(1, math.MaxUint)
	limitOf(t, err, ErrLength)
	_, err = d.NewBufferWithBytes(nil, 0)
	limitOf(t, err, ErrLength)
	_, err = d.NewBufferWithBytes([]byte{1}, ResourceStorageModePrivate)
	require.ErrorIs(t, err, ErrStorageMode)
}

func TestSlice(t *testing.T) {
	d := testDevice(t)
	b := testBuffer(t, d, 24, ResourceStorageModeShared)
	type vertex struct {
		Position [3]float32
		Flags    [4]uint8
		Weight   float64
	}
	vs, err := Slice[vertex](b)
	require.NoError(t, err)
	assert.Len(t, vs, 1)
	_, err = Slice[[5]int32](b)
	assert.Equal(t, MultipleOf, limitOf(t, err, ErrLength).Rule)
	_, err = Slice[*int](b)
	require.ErrorIs(t, err, ErrArgument)
	_, err = Slice[struct{ s string }](b)
	require.ErrorIs(t, err, ErrArgument)
	_, err = Slice[struct{}](b)
	require.ErrorIs(t, err, ErrArgument)
	_, err = Slice[[2]func()](b)
	require.ErrorIs(t, err, ErrArgument)
	_, err = Slice[any](b)
	require.ErrorIs(t, err, ErrArgument)
}

func TestPrivateBuffer(t *testing.T) {
	d := testDevice(t)
	b := testBuffer(t, d, 64, ResourceStorageModePrivate)
	_, err := b.Bytes()
	require.ErrorIs(t, err, ErrStorageMode)
	_, err = Slice[byte](b)
	require.ErrorIs(t, err, ErrStorageMode)
	require.ErrorIs(t, b.DidModifyRange(Range{0, 64}), ErrStorageMode)
	require.ErrorIs(t, b.MakeAliasable(), ErrState)
	require.NoError(t, b.AddDebugMarker("all", Range{0, 64}))
	limitOf(t, b.AddDebugMarker("more", Range{0, 65}), ErrLength)
	limitOf(t, b.AddDebugMarker("more", Range{65, 0}), ErrOffset)
	limitOf(t, b.AddDebugMarker("more", Range{1, math.MaxUint}), ErrLength)
	b.RemoveAllDebugMarkers()
}

func TestManagedBuffer(t *testing.T) {
	d := testDevice(t)
	b, err := d.NewBuffer(64, ResourceStorageModeManaged)
	if tr := d.traits(); tr.unified && tr.apple {
		require.ErrorIs(t, err, ErrStorageMode)
		return
	}
	require.NoError(t, err)
	defer b.Release()
	require.NoError(t, b.DidModifyRange(Range{0, 64}))
	limitOf(t, b.DidModifyRange(Range{1, 64}), ErrLength)
	limitOf(t, b.DidModifyRange(Range{65, 1}), ErrOffset)
	assert.Zero(t, testing.AllocsPerRun(100, func() { _ = b.DidModifyRange(Range{0, 1}) }))
}

func TestRemoteBufferView(t *testing.T) {
	d := testDevice(t)
	private := testBuffer(t, d, 64, ResourceStorageModePrivate)
	shared := testBuffer(t, d, 64, ResourceStorageModeShared)
	_, err := shared.NewRemoteBufferView(d)
	require.ErrorIs(t, err, ErrStorageMode)
	_, err = private.NewRemoteBufferView(d)
	require.ErrorIs(t, err, ErrDevice)
	_, err = private.NewRemoteBufferView(Device{})
	require.ErrorIs(t, err, ErrNil)
	ds, err := Devices()
	require.NoError(t, err)
	defer ReleaseAll(ds)
	for _, other := range ds {
		if other.ID() == d.ID() || other.PeerGroupID() == 0 || other.PeerGroupID() != d.PeerGroupID() {
			continue
		}
		view, err := private.NewRemoteBufferView(other)
		require.NoError(t, err)
		assert.Equal(t, private.Length(), view.Length())
		view.Release()
	}
}

func TestReleasedBuffer(t *testing.T) {
	d := testDevice(t)
	b, err := d.NewBuffer(64, 0)
	require.NoError(t, err)
	b.Release()
	_, err = b.Bytes()
	require.ErrorIs(t, err, objc.ErrReleased)
	_, err = Slice[byte](b)
	require.ErrorIs(t, err, objc.ErrReleased)
	require.ErrorIs(t, b.MakeAliasable(), objc.ErrReleased)
	require.ErrorIs(t, b.DidModifyRange(Range{}), objc.ErrReleased)
}

func TestBufferAllocatesNothing(t *testing.T) {
	d := testDevice(t)
	b := testBuffer(t, d, 64, ResourceStorageModeShared)
	type pair struct{ X, Y float32 }
	for name, f := range map[string]func(){
		"Bytes":       func() { _, _ = b.Bytes() },
		"BytesAt":     func() { _, _ = b.BytesAt(8, 8) },
		"Slice":       func() { _, _ = Slice[float32](b) },
		"Slice pairs": func() { _, _ = Slice[pair](b) },
	} {
		assert.Zero(t, testing.AllocsPerRun(100, f), name)
	}
}
