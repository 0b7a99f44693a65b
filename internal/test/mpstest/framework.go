// Package mpstest has what the tests of the packages that bind MPS share: a device with MPS,
// faults, images and matrices whose elements tests compute themselves.
package mpstest

import (
	"testing"

	"github.com/puremetal/puremetal/internal/standin"
	"github.com/puremetal/puremetal/mps"
	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Framework runs the test in a pool and returns the default device. Without MPS, as on the software
// device, the test is skipped with the reason.
func Framework(t *testing.T) mtl.Device {
	t.Helper()
	pool, err := objc.NewAutoreleasePool()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, pool.Drain()) })
	t.Cleanup(objc.OnFault(func(f *objc.Fault) { t.Error(f) }))
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	t.Cleanup(d.Release)
	k, err := mps.NewMatrixMultiplicationWithDevice(d, 1, 1, 1)
	if err != nil {
		require.ErrorIs(t, err, objc.ErrNotFound)
		if driver, _ := objc.CurrentDriver(); driver == objc.DriverSoftware {
			require.NoError(t, err)
		}
		t.Skip(err)
	}
	k.Release()
	return d
}

// Kernels is framework for tests of kernels that the stand-in of MPS does not have.
func Kernels(t *testing.T) mtl.Device {
	t.Helper()
	if standin.Running() {
		t.Skip("the stand-in of MPS does not have these kernels")
	}
	return Framework(t)
}

// Encoded encodes to a command buffer and waits for it.
func Encoded(t *testing.T, d mtl.Device, encode func(cb mtl.CommandBuffer)) {
	t.Helper()
	queue, err := d.NewCommandQueue()
	require.NoError(t, err)
	defer queue.Release()
	cb, err := queue.CommandBuffer()
	require.NoError(t, err)
	encode(cb)
	require.NoError(t, cb.Commit())
	require.NoError(t, cb.WaitUntilCompleted())
	require.NoError(t, cb.Err())
}
