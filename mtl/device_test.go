package mtl

import (
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/puremetal/puremetal/internal/test/settle"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	os.Exit(settle.Run(m, func() error { return goleak.Find() }, finalCounts))
}

// requireVariable makes a missing device a failure and not a skip: for machines that are known to
// have one.
const requireVariable = "PUREMETAL_REQUIRE_DEVICE"

// testDevice returns the default device for one test, which runs inside an autorelease pool. At its
// end the device is released, and the test fails if there was a fault or if more objects are alive
// than before. Without a device the test is skipped with the reason. Other goroutines of the test
// need a pool of their own.
func testDevice(t *testing.T) Device {
	t.Helper()
	clean(t)
	d, err := DefaultDevice()
	if err != nil {
		noTestDevice(t, err)
	}
	t.Cleanup(d.Release)
	return d
}

func noTestDevice(t *testing.T, reason error) {
	t.Helper()
	if os.Getenv(requireVariable) == "1" {
		require.NoError(t, reason, "%s=1 wants a device", requireVariable)
	}
	t.Skipf("no metal device: %v", reason)
}

// clean runs the test inside an autorelease pool, and fails it for faults and leaked objects.
func clean(t *testing.T) {
	t.Helper()
	_, err := objc.CurrentDriver()
	require.NoError(t, err)
	// Some objects are made at the first use and stay: make them before counting.
	objc.Release(objc.NewString("warm"))
	before := objc.LiveObjects()
	faults := catchFaults(t)
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	t.Cleanup(func() {
		assert.NoError(t, pool.Drain())
		// The thread of a completion handler releases its block, possibly shortly after the handler's
		// message.
		if !settle.Equal(t, "live objects", before, objc.LiveObjects) {
			t.Log(objc.Leaks())
		}
		for _, f := range faults() {
			t.Errorf("unexpected fault: %v", f)
		}
	})
}

// catchFaults collects faults until the test ends.
func catchFaults(t *testing.T) func() []*objc.Fault {
	var mu sync.Mutex
	var faults []*objc.Fault
	t.Cleanup(objc.OnFault(func(f *objc.Fault) {
		mu.Lock()
		defer mu.Unlock()
		faults = append(faults, f)
	}))
	return func() []*objc.Fault {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(faults)
	}
}

// limitOf returns the *LimitError in err, which must be there and wrap kind.
func limitOf(t *testing.T, err, kind error) *LimitError {
	t.Helper()
	require.ErrorIs(t, err, kind)
	var l *LimitError
	require.ErrorAs(t, err, &l)
	return l
}

func TestDevices(t *testing.T) {
	testDevice(t) // or skip
	ds, err := Devices()
	require.NoError(t, err)
	defer ReleaseAll(ds)
	require.NotEmpty(t, ds)
	for _, d := range ds {
		assert.NotEmpty(t, d.Name())
		same, err := DeviceByRegistryID(d.RegistryID())
		require.NoError(t, err)
		assert.Equal(t, d.ID(), same.ID())
		same.Release()
		named, err := DeviceNamed(d.Name())
		require.NoError(t, err)
		assert.Equal(t, d.Name(), named.Name())
		named.Release()
	}
	_, err = DeviceNamed("no such device")
	require.ErrorIs(t, err, ErrNoDevice)
	assert.ErrorContains(t, err, ds[0].Name())
	_, err = DeviceByRegistryID(0xdead)
	require.ErrorIs(t, err, ErrNoDevice)
	assert.ErrorContains(t, err, "0xdead")
}

// TestNoDevice runs if there is no device: on the software driver with
// PUREMETAL_SOFTWARE_DEVICES=0, and on a Mac without a GPU.
func TestNoDevice(t *testing.T) {
	clean(t)
	d, err := DefaultDevice()
	if err == nil {
		d.Release()
		t.Skip("there is a device")
	}
	require.ErrorIs(t, err, ErrNoDevice)
	assert.True(t, d.IsNil())
	ds, err := Devices()
	require.ErrorIs(t, err, ErrNoDevice)
	assert.Empty(t, ds)
	_, err = DeviceNamed("x")
	require.ErrorIs(t, err, ErrNoDevice)
}

func TestOldestOS(t *testing.T) {
	assert.NoError(t, checkOS(0), "the software driver")
	assert.NoError(t, checkOS(objc.MakeVersion(13, 0)))
	assert.NoError(t, checkOS(objc.MakeVersion(26, 1)))
	err := checkOS(objc.MakeVersion(12, 7))
	require.ErrorIs(t, err, ErrNoDevice)
	require.ErrorIs(t, err, objc.ErrUnavailable)
	assert.ErrorContains(t, err, "needs macOS 13.0, this is macOS 12.7")
}

func TestLimits(t *testing.T) {
	d := testDevice(t)
	l := d.Limits()
	assert.Equal(t, d.MaxBufferLength(), l.MaxBufferLength)
	assert.GreaterOrEqual(t, l.MaxThreadsPerThreadgroup.Width, uint(1))
	assert.GreaterOrEqual(t, l.MaxThreadgroupMemoryLength, uint(16<<10))
	assert.Equal(t, uint(31), l.BufferSlots)
	assert.Equal(t, uint(4096), l.BytesLength)
	assert.Equal(t, d.SupportsFamily(GPUFamilyApple4), l.BlitAlignment == 1)
}

func TestLimitsOfNil(t *testing.T) {
	l := Device{}.Limits()
	assert.Zero(t, l.MaxBufferLength)
	assert.Equal(t, uint(31), l.BufferSlots)
}

func TestFamilies(t *testing.T) {
	assert.True(t, slices.IsSorted(allFamilies[:]))
	assert.Empty(t, Device{}.Families())
	d := testDevice(t)
	fs := d.Families()
	assert.True(t, slices.IsSorted(fs))
	assert.NotEmpty(t, fs)
	for _, f := range fs {
		assert.True(t, d.Supports(f), f)
	}
	assert.False(t, d.Supports(GPUFamily(-1)))
}
