package mps

import (
	"testing"

	"github.com/puremetal/puremetal/mtl"
	"github.com/puremetal/puremetal/objc"

	"github.com/stretchr/testify/require"
)

// TestMissingFramework: without MPS a constructor returns an error that names the class.
func TestMissingFramework(t *testing.T) {
	if d, err := objc.CurrentDriver(); err != nil || d != objc.DriverSoftware {
		t.Skipf("for the software device; in use is %v (%v)", d, err)
	}
	d, err := mtl.DefaultDevice()
	require.NoError(t, err)
	defer d.Release()
	_, err = NewMatrixMultiplicationWithDevice(d, 1, 1, 1)
	require.ErrorIs(t, err, objc.ErrNotFound)
	require.ErrorContains(t, err, "MPSMatrixMultiplication")
	_, err = SupportsMTLDevice(d)
	require.ErrorIs(t, err, objc.ErrNotFound)
	require.ErrorContains(t, err, "MPSSupportsMTLDevice")
}
